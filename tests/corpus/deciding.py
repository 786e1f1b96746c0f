"""The rows of the command corpora, and the product's own answer to each."""

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
class Row:
    """One command, the question it is asked under, and what the answer has to be."""

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
class Answer:
    """What was decided; `refused` stands for a record that could not even be asked."""

    verdict: str
    stage: str


@cache
def rows(origin: str, corpus: str) -> tuple[Row, ...]:
    """All rows of one corpus file, in order."""
    path = Path(__file__).with_name(f"{ORIGINS[origin]}{corpus}.jsonl")
    return tuple(_row(json.loads(line)) for line in path.read_text("utf-8").splitlines())


@cache
def answers(origin: str, corpus: str) -> tuple[tuple[Row, Answer], ...]:
    """Each row of one corpus file with its answer."""
    return tuple((row, answer(row)) for row in rows(origin, corpus))


def answer(row: Row) -> Answer:
    """Decide a row through the function that `assent check` uses."""
    try:
        decision = decide_record(record(row))
    except AssentError as refusal:
        return Answer("refused", type(refusal).__name__)
    return Answer(decision["verdict"], decision["stage"])


def record(row: Row) -> dict[str, Any]:
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


def satisfies(row: Row, given: Answer) -> bool:
    """Whether an answer is what the row demands."""
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


def _row(entry: Mapping[str, Any]) -> Row:
    return Row(
        id=entry["id"],
        command=_command(entry),
        shell=entry["shell"],
        mode=entry.get("mode", "default"),
        allow=tuple(entry.get("allow", ())),
        deny=tuple(entry.get("deny", ())),
        must=entry["must"],
        tier=entry["tier"],
        family=entry.get("technique") or entry["category"],
    )


def _command(entry: Mapping[str, Any]) -> str:
    command: str = entry["command"]
    for mark, text, times in entry.get("repeat", ()):
        command = command.replace(mark, text * times)
    return command
