"""The rows of the command corpora, and the decision of Assent about each row."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from assent.config.check_records import decide_record
from assent.errors import AssentError

CORPORA = ("bypass", "benign", "breakers")
ORIGINS = {"sample": "", "own": "own_"}
LOCKED = frozenset(
    {"breaker", "protected-path", "ask-rule", "destructive", "unreadable", "unresolved", "changed"}
)
DIALECTS = {"bash": "shell", "powershell": "powershell"}


@dataclass(frozen=True, kw_only=True)
class CorpusRow:
    """One command, the policy under which it is decided, and the required verdict."""

    id: str
    command: str
    shell: str
    mode: str
    allow: tuple[str, ...]
    deny: tuple[str, ...]
    must: str
    tier: str
    family: str


@dataclass(frozen=True)
class RowDecision:
    """The decision about a row; `refused` means that the record was not accepted at all."""

    verdict: str
    stage: str


@cache
def load_rows(origin: str, corpus: str) -> tuple[CorpusRow, ...]:
    """All rows of one corpus file, in order."""
    path = Path(__file__).with_name(f"{ORIGINS[origin]}{corpus}.jsonl")
    return tuple(_parse_row(json.loads(line)) for line in path.read_text("utf-8").splitlines())


@cache
def decide_rows(origin: str, corpus: str) -> tuple[tuple[CorpusRow, RowDecision], ...]:
    """Each row of one corpus file with its decision."""
    return tuple((row, decide_row(row)) for row in load_rows(origin, corpus))


def decide_row(row: CorpusRow) -> RowDecision:
    """Decide a row through the function that `assent check` uses."""
    try:
        decision = decide_record(to_check_record(row))
    except AssentError as refusal:
        return RowDecision("refused", type(refusal).__name__)
    return RowDecision(decision["verdict"], decision["stage"])


def to_check_record(row: CorpusRow) -> dict[str, Any]:
    """The row as one input line of `assent check --batch`."""
    return {
        "id": row.id,
        "tool": "terminal.exec",
        "args": {"command": row.command},
        "dialect": DIALECTS[row.shell],
        "effect": "execute",
        "mode": row.mode,
        "rules": {"allow": list(row.allow), "ask": [], "deny": list(row.deny)},
    }


def meets_requirement(row: CorpusRow, given: RowDecision) -> bool:
    """Whether the decision meets the requirement of the row."""
    match row.must:
        case "ask_or_deny":
            return given.verdict in {"ask", "deny", "refused"}
        case "deny":
            return given.verdict == "deny"
        case "auto_run":
            return given.verdict == "run"
        case "breaker":
            return given.verdict == "ask" and given.stage in ({"breaker"} if row.tier == "core" else LOCKED)
        case "no_breaker":
            return given.verdict != "refused" and given.stage != "breaker"
        case unknown:
            raise ValueError(f"row {row.id} demands `{unknown}`")


def _parse_row(entry: Mapping[str, Any]) -> CorpusRow:
    """The row of an entry of the corpus file."""
    return CorpusRow(
        id=entry["id"],
        command=_command_text(entry),
        shell=entry["shell"],
        mode=entry.get("mode", "default"),
        allow=tuple(entry.get("allow", ())),
        deny=tuple(entry.get("deny", ())),
        must=entry["must"],
        tier=entry["tier"],
        family=entry.get("technique") or entry["category"],
    )


def _command_text(entry: Mapping[str, Any]) -> str:
    command: str = entry["command"]
    for mark, text, times in entry.get("repeat", ()):
        command = command.replace(mark, text * times)
    return command
