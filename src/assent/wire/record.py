"""Records: rows of the audit as JSON Lines and as a spreadsheet takes them."""

import csv
import json
from collections.abc import Iterable
from typing import IO, Protocol

from assent.engine.characters import to_visible
from assent.gate.audit import Link
from assent.gate.callrecord import CallRecord
from assent.wire.audit import answered_to_json, entry_to_json, link_to_json
from assent.wire.callrecord import record_to_json
from assent.wire.moment import moment_to_json

Record = dict[str, object]
ANSWER_COLUMNS = (
    "id", "tool_call_id", "user_id", "agent_id", "chat_id", "tool_name",
    "decision", "with_override", "reason", "created_at",
)  # fmt: skip
ENTRY_COLUMNS = (
    "at", "writer", "number", "id", "user", "agent", "conversation", "call", "tool",
    "verdict", "stage", "rule", "decision", "with_override", "reason", "mode",
    "policy_version", "approval", "asked_digest", "ran_digest", "hash",
)  # fmt: skip
CALL_COLUMNS = ("asked", "ran")
"""What a row has besides where the calls are wanted, too."""
_FORMULA = tuple("=+-@\uff1d\uff0b\uff0d\uff20")
"""What a spreadsheet takes for the beginning of a formula, also in its wide form."""


class Take(Protocol):
    """InputUse one row after the other, and the call behind it where that is wanted and known."""

    def __call__(self, link: Link, record: CallRecord | None = None) -> None:
        """Take one row."""
        ...


def json_of(link: Link, record: CallRecord | None = None, *, answers: bool, calls: bool = False) -> Record:
    """A row as JSON: a link of its chain, or an answer in the columns that permissions are reported in.

    With `calls`, also what was asked and what ran.
    """
    row = (answered_to_json(link) or {}) if answers else link_to_json(link)
    called = None if record is None else record_to_json(record)
    return {**row, "called": called} if calls else row


def writer_to(out: IO[str], kind: str, *, answers: bool, calls: bool = False) -> Take:
    """Writes one row after the other, as JSON Lines or for a spreadsheet."""
    if kind == "jsonl":
        return lambda link, record=None: _write_line(out, json_of(link, record, answers=answers, calls=calls))
    columns = (ANSWER_COLUMNS if answers else ENTRY_COLUMNS) + (CALL_COLUMNS if calls else ())
    table = csv.writer(out, lineterminator="\n")
    table.writerow(columns)

    def write(link: Link, record: CallRecord | None = None) -> None:
        table.writerow(_cells(_flat(link, answers=answers) | _called(record), columns))

    return write


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
            text = to_visible(str(value))
            return f"'{text}" if text.lstrip().startswith(_FORMULA) else text


def _flat(link: Link, *, answers: bool) -> Record:
    if answers:
        return answered_to_json(link) or {}
    place = {"at": moment_to_json(link.at), "writer": link.writer, "number": link.number, "hash": link.hash}
    return {**entry_to_json(link.entry), **place}


def _called(record: CallRecord | None) -> Record:
    """What was asked and what ran, as JSON in a cell; a value that is too long for a cell says so itself."""
    if record is None:
        return {}
    ran = None if record.ran is None else json.dumps(dict(record.ran), sort_keys=True)
    return {"asked": json.dumps(dict(record.asked), sort_keys=True), "ran": ran}


def _cells(record: Record, columns: Iterable[str]) -> list[str]:
    return [cell(record.get(column)) for column in columns]


def _write_line(out: IO[str], record: Record) -> None:
    out.write(json.dumps(record, separators=(",", ":")).replace("\x7f", "\\u007f") + "\n")
