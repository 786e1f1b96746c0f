"""A batch: JSON Lines in, one decision for each out, in the same order."""

import json
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from typing import BinaryIO

from assent.config.checkfile import decide_record
from assent.config.strictjson import LARGEST, read_object
from assent.errors import AssentError, InputError


def run_batch(path: str) -> int:
    """Decide every line of a file; a line that cannot be decided says so in its place."""
    failed = False
    with _opened(path) as file:
        for line in _lines(file):
            found = answer(line)
            failed = failed or "error" in found
            sys.stdout.write(json.dumps(found).replace("\x7f", "\\u007f") + "\n")
            sys.stdout.flush()
    return 2 if failed else 0


def answer(line: bytes) -> dict[str, object]:
    """The decision of one line, or what is wrong with it."""
    record: dict[str, object] = {}
    try:
        record = read_object(line, "the line")
        return decide_record(record)
    except AssentError as error:
        reason = str(error)
    except Exception as error:  # noqa: BLE001 - the edge: a failure while deciding decides nothing
        reason = f"cannot be decided: {type(error).__name__}: {error}"
    named: dict[str, object] = {"id": record["id"]} if "id" in record else {}
    return {**named, "error": reason}


def _opened(path: str) -> "nullcontext[BinaryIO] | BinaryIO":
    if path == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return open(path, "rb")
    except OSError as error:
        raise InputError(f"cannot read `{path}`: {(error.strerror or 'it failed').lower()}") from None


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Lines without their ends; empty ones at the end of the file are none, and no line grows without end."""
    empty = 0
    while line := file.readline(LARGEST + 2):
        if not line.strip():
            empty += 1
            continue
        yield from (b"" for _ in range(empty))
        empty = 0
        yield line.rstrip(b"\r\n")
        while len(line) == LARGEST + 2 and not line.endswith(b"\n"):
            line = file.readline(LARGEST + 2)
