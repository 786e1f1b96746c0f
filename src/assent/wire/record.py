"""Records: rows of the audit as JSON Lines and as a spreadsheet takes them."""

import csv
import json
from collections.abc import Callable, Iterable
from typing import IO

from assent.engine.characters import visible
from assent.gate.audit import Link
from assent.wire.audit import answered_to_json, entry_to_json, link_to_json
from assent.wire.moment import moment_to_json

Record = dict[str, object]
ANSWER_COLUMNS = (
    "id", "tool_call_id", "user_id", "agent_id", "chat_id", "tool_name",
    "decision", "with_override", "reason", "created_at",
)  # fmt: skip
ENTRY_COLUMNS = (
    "at", "writer", "number", "id", "user", "agent", "conversation", "call", "tool",
    "verdict", "stage", "rule", "decision", "with_override", "reason", "mode",
    "policy_version", "approval", "hash",
)  # fmt: skip
_FORMULA = tuple("=+-@\uff1d\uff0b\uff0d\uff20")
"""What a spreadsheet takes for the beginning of a formula, also in its wide form."""


def json_of(link: Link, *, answers: bool) -> Record:
    """A row as JSON: a link of its chain, or an answer in the columns that permissions are reported in."""
    return (answered_to_json(link) or {}) if answers else link_to_json(link)


def writer_to(out: IO[str], kind: str, *, answers: bool) -> Callable[[Link], None]:
    """Writes one row after the other, as JSON Lines or for a spreadsheet."""
    if kind == "jsonl":
        return lambda link: _write_line(out, json_of(link, answers=answers))
    columns = ANSWER_COLUMNS if answers else ENTRY_COLUMNS
    table = csv.writer(out, lineterminator="\n")
    table.writerow(columns)
    return lambda link: table.writerow(_cells(_flat(link, answers=answers), columns))


def cell(value: object) -> str:
    """A value as a spreadsheet shows it: never run as a formula, with nothing hidden in it."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case _:
            text = visible(str(value))
            return f"'{text}" if text.lstrip().startswith(_FORMULA) else text


def _flat(link: Link, *, answers: bool) -> Record:
    if answers:
        return answered_to_json(link) or {}
    place = {"at": moment_to_json(link.at), "writer": link.writer, "number": link.number, "hash": link.hash}
    return {**entry_to_json(link.entry), **place}


def _cells(record: Record, columns: Iterable[str]) -> list[str]:
    return [cell(record.get(column)) for column in columns]


def _write_line(out: IO[str], record: Record) -> None:
    out.write(json.dumps(record, separators=(",", ":")).replace("\x7f", "\\u007f") + "\n")
