"""How bash itself parses a text; the text is printed and never executed."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tools import spec

MINIMAL_VERSION = (5, 2)
_PARSE_SCRIPT = 'for file; do bash --pretty-print -O extglob "$file" >"$file.out" 2>/dev/null; echo $? >"$file.status"; done'


class BashParse(NamedTuple):
    """Whether bash accepts a text, and the text as bash prints it."""

    accepted: bool
    output: str


def bash_version() -> tuple[int, ...]:
    """The version of bash on the path; (0,) if there is none."""
    if shutil.which("bash") is None:
        return (0,)
    said = subprocess.run(["bash", "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"version (\d+)\.(\d+)\.(\d+)", said)
    return tuple(map(int, found.groups())) if found else (0,)


def parse_with_bash(name: str, texts: Iterable[str]) -> dict[str, BashParse]:
    """The parse of each text; results of earlier runs are cached by name and version."""
    kept = spec.CACHE_FOLDER / "bash" / f"{name}-{'.'.join(map(str, bash_version()))}.json"
    known: dict[str, list[object]] = json.loads(kept.read_text("utf-8")) if kept.exists() else {}
    wanted = {text: hashlib.sha256(text.encode()).hexdigest() for text in texts}
    missing = [text for text, digest in wanted.items() if digest not in known]
    if missing:
        for text, parse in zip(missing, _parse_plain_word_uncached(missing), strict=True):
            known[wanted[text]] = list(parse)
        kept.parent.mkdir(parents=True, exist_ok=True)
        written = kept.with_suffix(f".{os.getpid()}")
        written.write_text(json.dumps({digest: known[digest] for digest in wanted.values()}), "utf-8")
        written.replace(kept)
    return {text: BashParse(bool(known[digest][0]), str(known[digest][1])) for text, digest in wanted.items()}


def _parse_plain_word_uncached(texts: list[str]) -> list[BashParse]:
    with tempfile.TemporaryDirectory() as directory:
        files = [Path(directory, f"{number}.sh") for number in range(len(texts))]
        for file, text in zip(files, texts, strict=True):
            file.write_bytes(text.encode() + b"\n")
        subprocess.run(
            ["xargs", "-0", "-P2", "-n100", "sh", "-c", _PARSE_SCRIPT, "sh"],
            input="\0".join(map(str, files)),
            text=True,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
            check=True,
        )
        return [_read_parse_result(file) for file in files]


def _read_parse_result(file: Path) -> BashParse:
    status = Path(f"{file}.status").read_text("utf-8")
    printed = Path(f"{file}.out").read_bytes().decode("utf-8", "replace")
    return BashParse(status.strip() == "0", printed)
