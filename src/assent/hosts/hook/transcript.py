"""Reads the transcript of a session of Claude Code, to find out whether a call is alone in its message.

Measured with client 2.1.325: it starts a hook as soon as the model has written the call, and writes the
blocks of the message, with the reason of its end, while the hook waits. If a hook defers one of several calls
of a message, the client forgets the others without a result.
"""

import asyncio
import json
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import cast

MAX_TAIL_BYTES = 4_000_000
"""How much of the end of a transcript is read; a call in a longer message counts as not alone."""
COMPLETION_SECONDS = 10.0
"""How long the model may take to finish its message; after that the hook waits for the person instead."""
_POLL_SECONDS = 0.1

Entry = Mapping[str, object]


async def is_only_call(path: str, call_id: str) -> bool:
    """Whether the last message of the model has only this call; waits until the message is complete.

    A transcript that cannot be read does not have it.
    """
    with suppress(TimeoutError, OSError, ValueError, LookupError, TypeError, AttributeError):
        async with asyncio.timeout(COMPLETION_SECONDS):
            while (calls := await asyncio.to_thread(_calls_of_last_message, path)) is None or (
                call_id not in calls
            ):
                await asyncio.sleep(_POLL_SECONDS)
            return calls == [call_id]
    return False


def _calls_of_last_message(path: str) -> list[object] | None:
    """The ids of the calls of the model's last message; None if the message is not complete."""
    lines, is_whole = _read_last_lines(path)
    calls: list[object] = []
    message_id: object = None
    for message in _messages_from_end(lines):
        if message_id is None:
            message_id = message["id"]
            if message["stop_reason"] is None:
                return None
        elif message["id"] != message_id:
            return calls
        calls += _call_ids(message)
    if not is_whole:
        raise ValueError("the last message is too long")
    return calls


def _read_last_lines(path: str) -> tuple[list[bytes], bool]:
    """The complete last lines of a regular file, and whether they are all of its lines."""
    # Without O_NONBLOCK, opening a pipe would wait for its writer.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(f"`{path}` is not a regular file")
        start = max(0, status.st_size - MAX_TAIL_BYTES)
        file.seek(start)
        lines = file.read(MAX_TAIL_BYTES).split(b"\n")[:-1]
    return (lines, True) if start == 0 else (lines[1:], False)


def _messages_from_end(lines: list[bytes]) -> Iterator[Entry]:
    """The model's messages of the main session, last one first; a message may have several entries."""
    for line in reversed(lines):
        entry: object = json.loads(line)
        fields = cast("Entry", entry) if isinstance(entry, dict) else dict[str, object]()
        if fields.get("type") == "assistant" and fields.get("isSidechain") is not True:
            yield cast("Entry", fields["message"])


def _call_ids(message: Entry) -> Iterator[object]:
    content = message["content"]
    for block in cast("list[Entry]", content if isinstance(content, list) else []):
        if block["type"] == "tool_use":
            yield block["id"]
