"""The local record of what a hook decided: one line of JSON for each call, in a file of bounded size."""

import fcntl
import json
import os
import time
from collections.abc import Iterator, Mapping
from typing import cast

from assent.engine.base.value import Value
from assent.engine.policy.verdict import Decision
from assent.hosts.hook.claude import HookEvent, verdict_for_client

FILE_NAME = "hook-history.jsonl"
MAX_BYTES = 2_000_000
"""The size at which the file becomes the previous one; two files are kept."""
MAX_COMMAND_CHARACTERS = 2_000


class HistoryEntry(Value):
    """What was decided about one call; never its arguments, unless the person asked for commands."""

    at: str
    """The time in UTC."""
    project: str
    session: str
    agent: str
    """The kind of sub-agent; empty for the main agent."""
    tool: str
    verdict: str
    stage: str
    rule: str
    mode: str
    command: str = ""

    def to_json(self) -> dict[str, str]:
        """The entry as one JSON object; an empty command is left out."""
        fields = {name: str(getattr(self, name)) for name in type(self).field_names}
        return fields if self.command else {name: fields[name] for name in fields if name != "command"}


def build_history_entry(
    event: HookEvent, decision: Decision, project: str, *, with_command: bool
) -> HistoryEntry:
    """The entry for a decided call, at this moment."""
    command = event.args.get("command") if with_command else None
    return HistoryEntry(
        at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        project=project,
        session=event.session,
        agent=event.agent_type,
        tool=event.tool,
        verdict=verdict_for_client(decision).word,
        stage=decision.stage.value,
        rule=decision.rule or "",
        mode=event.permission_mode,
        command=command[:MAX_COMMAND_CHARACTERS] if isinstance(command, str) else "",
    )


def append_history_entry(directory: str, entry: HistoryEntry) -> None:
    """Add an entry to the record in this directory; raises `OSError`."""
    path = os.path.join(directory, FILE_NAME)
    os.makedirs(directory, mode=0o700, exist_ok=True)
    line = json.dumps(entry.to_json()) + "\n"
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)  # several sessions write at the same time
        os.write(handle, line.encode("ascii"))
        if os.fstat(handle).st_size > MAX_BYTES and _is_file_current(path, handle):
            os.replace(path, f"{path}.1")
    finally:
        os.close(handle)


def read_history_entries(directory: str) -> Iterator[HistoryEntry]:
    """The entries, oldest first; a line that cannot be read is left out."""
    path = os.path.join(directory, FILE_NAME)
    for each in (f"{path}.1", path):
        try:
            with open(each, "rb") as file:
                lines = file.readlines()
        except FileNotFoundError:
            continue
        yield from (entry for line in lines if (entry := _parse_entry(line)) is not None)


def _is_file_current(path: str, handle: int) -> bool:
    """Whether the open file still has its name: another process may have replaced it."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return False
    return found.st_ino == os.fstat(handle).st_ino


def _parse_entry(line: bytes) -> HistoryEntry | None:
    try:
        stored: object = json.loads(line)
    except ValueError:
        return None
    if not isinstance(stored, dict):
        return None
    members = cast("Mapping[str, object]", stored)
    names = HistoryEntry.field_names
    return HistoryEntry(**{name: str(members.get(name, "")) for name in names})
