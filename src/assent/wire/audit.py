"""The audit as JSON, JSON Lines and CSV: entries, links, segments, answers and counts."""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Protocol, TypedDict, cast

from assent.engine.base.characters import to_visible
from assent.gate.audit import (
    FIRST_VERSION,
    Bucket,
    Counts,
    Entry,
    Link,
    QuestionStats,
    RuleHits,
    Segment,
    Tally,
)
from assent.gate.changes import CallRecord
from assent.wire import shapes
from assent.wire.fields import Fields, moment_from_json, moment_to_json


def entry_to_json(entry: Entry) -> shapes.EntryJson:
    """The complete audit entry as JSON."""
    return {
        "id": entry.id,
        "user": entry.user,
        "agent": entry.agent,
        "conversation": entry.conversation,
        "call": entry.call,
        "tool": entry.tool,
        "verdict": entry.verdict,
        "stage": entry.stage,
        "rule": entry.rule,
        "decision": entry.decision,
        "with_override": entry.with_override,
        "reason": entry.reason,
        "mode": entry.mode,
        "policy_version": entry.policy_version,
        "approval": entry.approval,
        "asked_digest": entry.asked_digest,
        "ran_digest": entry.ran_digest,
        "sub_agents": entry.sub_agents,
    }


def entry_from_json(data: object, within: str = "entry") -> Entry:
    """Parse an audit entry from a JSON object."""
    fields = Fields(data, within)
    return Entry(
        id=fields.text("id"),
        user=fields.text("user"),
        agent=fields.text("agent"),
        conversation=fields.text("conversation"),
        call=fields.text("call"),
        tool=fields.text("tool"),
        verdict=fields.text("verdict"),
        stage=fields.text("stage", ""),
        rule=fields.text("rule", ""),
        decision=fields.text("decision", ""),
        with_override=fields.flag("with_override", default=False),
        reason=fields.text("reason", ""),
        mode=fields.text("mode", ""),
        policy_version=fields.integer("policy_version", 0),
        approval=fields.text("approval", ""),
        asked_digest=fields.text("asked_digest", ""),
        ran_digest=fields.text("ran_digest", ""),
        sub_agents=fields.text("sub_agents", ""),
    )


def link_to_json(link: Link) -> shapes.LinkJson:
    """An entry with its position in the chain as JSON; all links of a writer prove the chain."""
    return {
        "entry": entry_to_json(link.entry),
        "writer": link.writer,
        "number": link.number,
        "at": moment_to_json(link.at),
        "hash": link.hash,
        "version": link.version,
    }


def link_from_json(data: object, within: str = "link") -> Link:
    """Parse a link of the audit chain from a JSON object."""
    fields = Fields(data, within)
    return Link(
        entry=entry_from_json(fields.raw("entry"), fields.path("entry")),
        writer=fields.text("writer"),
        number=fields.integer("number"),
        at=moment_from_json(fields.raw("at"), fields.path("at")),
        hash=fields.text("hash"),
        version=fields.integer("version", FIRST_VERSION),
    )


def segment_to_json(segment: Segment) -> dict[str, object]:
    """A segment as JSON, as its archive contains it, without the path of the archive."""
    return {
        "writer": segment.writer,
        "first": segment.first,
        "last": segment.last,
        "previous_hash": segment.previous_hash,
        "last_hash": segment.last_hash,
        "last_version": segment.last_version,
    }


def segment_from_json(data: object, within: str = "segment") -> Segment:
    """Parse a segment from a JSON object."""
    fields = Fields(data, within)
    return Segment(
        writer=fields.text("writer"),
        first=fields.integer("first"),
        last=fields.integer("last"),
        previous_hash=fields.text("previous_hash"),
        last_hash=fields.text("last_hash"),
        last_version=fields.integer("last_version", FIRST_VERSION),
    )


ANSWER_DECISIONS = frozenset({"approved", "denied", "denied_with_reason"})
"""The audit decisions of rows in which a person answered."""


def answer_row_to_json(link: Link) -> dict[str, object] | None:
    """The row of a person's answer, with the columns of permission reports; None for any other row."""
    entry = link.entry
    if entry.verdict or entry.decision not in ANSWER_DECISIONS:
        return None
    return {
        "id": entry.id,
        "tool_call_id": entry.call,
        "user_id": entry.user,
        "agent_id": entry.agent,
        "chat_id": entry.conversation,
        "tool_name": entry.tool,
        "decision": entry.decision,
        "with_override": entry.with_override,
        "reason": entry.reason or None,
        "created_at": moment_to_json(link.at),
    }


JsonRow = Mapping[str, object]
ANSWER_COLUMNS = (
    "id", "tool_call_id", "user_id", "agent_id", "chat_id", "tool_name",
    "decision", "with_override", "reason", "created_at",
)  # fmt: skip
ENTRY_COLUMNS = (
    "at", "writer", "number", "id", "user", "agent", "conversation", "call", "tool",
    "verdict", "stage", "rule", "decision", "with_override", "reason", "mode",
    "policy_version", "approval", "asked_digest", "ran_digest", "sub_agents", "hash",
)  # fmt: skip
CALL_COLUMNS = ("asked", "ran")
"""The additional columns of an export with calls."""
_FORMULA_CHARACTERS = tuple("=+-@\uff1d\uff0b\uff0d\uff20")
"""Characters that start a formula in a spreadsheet, also in their full-width form."""


class WriteRow(Protocol):
    """A function that writes one audit row, with the arguments of its call if they are known."""

    def __call__(self, link: Link, record: CallRecord | None = None) -> None:
        """Write one row."""
        ...


def row_to_json(
    link: Link, record: CallRecord | None = None, *, answers: bool, calls: bool = False
) -> JsonRow:
    """A row as JSON: a link of the chain, or with `answers` the columns of permission reports.

    With `calls`, also the arguments that were asked and that ran.
    """
    row = (answer_row_to_json(link) or {}) if answers else link_to_json(link)
    called = None if record is None else record_to_json(record)
    return {**row, "called": called} if calls else row


def row_writer(out: IO[str], kind: str, *, answers: bool, calls: bool = False) -> WriteRow:
    """A function that writes rows as JSON Lines or CSV."""
    if kind == "jsonl":
        return lambda link, record=None: _write_line(
            out, row_to_json(link, record, answers=answers, calls=calls)
        )
    columns = (ANSWER_COLUMNS if answers else ENTRY_COLUMNS) + (CALL_COLUMNS if calls else ())
    table = csv.writer(out, lineterminator="\n")
    table.writerow(columns)

    def write_row(link: Link, record: CallRecord | None = None) -> None:
        table.writerow(
            _spreadsheet_row({**_row_without_call(link, answers=answers), **_call_cells(record)}, columns)
        )

    return write_row


def spreadsheet_cell(value: object) -> str:
    """The text of a spreadsheet cell: never a formula, and without invisible characters."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case _:
            text = to_visible(str(value))
            return f"'{text}" if text.lstrip().startswith(_FORMULA_CHARACTERS) else text


def _row_without_call(link: Link, *, answers: bool) -> JsonRow:
    if answers:
        return answer_row_to_json(link) or {}
    link_fields = {
        "at": moment_to_json(link.at),
        "writer": link.writer,
        "number": link.number,
        "hash": link.hash,
    }
    return {**entry_to_json(link.entry), **link_fields}


def _call_cells(record: CallRecord | None) -> JsonRow:
    """The asked arguments and the arguments that ran, as JSON for spreadsheet cells."""
    if record is None:
        return {}
    ran = None if record.ran is None else json.dumps(dict(record.ran), sort_keys=True)
    return {"asked": json.dumps(dict(record.asked), sort_keys=True), "ran": ran}


def _spreadsheet_row(record: JsonRow, columns: Iterable[str]) -> list[str]:
    return [spreadsheet_cell(record.get(column)) for column in columns]


def _write_line(out: IO[str], record: JsonRow) -> None:
    out.write(json.dumps(record, separators=(",", ":")).replace("\x7f", "\\u007f") + "\n")


def record_to_json(record: CallRecord) -> shapes.CallRecordJson:
    """The asked arguments and the arguments that ran, as JSON."""
    return {
        "asked": dict(record.asked),
        "ran": None if record.ran is None else dict(record.ran),
        "clipped": record.clipped,
    }


class DecisionCountsJson(TypedDict):
    """The number of decisions, by verdict."""

    run: int
    ask: int
    deny: int
    absent: int


class QuestionCountsJson(TypedDict):
    """The number of questions, by their result."""

    asked: int
    """All questions; a repeated call counts once."""
    yes: int
    no: int
    released: int
    """Answered together with another question."""
    expired: int
    withdrawn: int
    open: int


class QuestionStatsJson(TypedDict):
    """Questions, and the time to their answers."""

    questions: QuestionCountsJson
    median: float | None
    """The median of the seconds until an answer."""


class BucketJson(TypedDict):
    """The numbers of one hour or day."""

    at: str
    """The start of the hour or day."""
    decisions: DecisionCountsJson
    questions: QuestionCountsJson


class ToolStatsJson(QuestionStatsJson):
    """The questions about one tool."""

    tool: str


class RuleStatsJson(QuestionStatsJson):
    """The questions that one stage asked, or one rule in it."""

    stage: str
    rule: str
    """The rule as in the audit: the id of a stored rule, or its file and line; empty without a rule."""


class TallyJson(QuestionStatsJson):
    """Exact numbers over the whole audit."""

    decisions: DecisionCountsJson
    buckets: list[BucketJson]
    """The hours or days with any decision or question, oldest first, in UTC."""
    tools: list[ToolStatsJson]
    """Most questions first."""
    rules: list[RuleStatsJson]
    """Most questions first."""


class HitJson(TypedDict):
    """The number of decisions of a rule, and the time of the last one."""

    rule: str
    """The rule as in the audit: the id of a stored rule, or its file and line."""
    hits: int
    last: str


class HitsJson(TypedDict):
    """The number of decisions of each rule, the highest first; rules without any are left out."""

    decisions: int
    """All decisions, with and without a rule."""
    items: list[HitJson]


def tally_to_json(tally: Tally) -> TallyJson:
    """The statistics of the audit as JSON."""
    return {
        "decisions": cast("DecisionCountsJson", dict(tally.decisions)),
        **_stats_to_json(tally.total),
        "buckets": [_bucket_to_json(one) for one in tally.buckets],
        "tools": [{"tool": tool, **_stats_to_json(stats)} for tool, stats in tally.tools],
        "rules": [
            {"stage": cause.stage, "rule": cause.rule, **_stats_to_json(stats)}
            for cause, stats in tally.causes
        ],
    }


def hits_to_json(decisions: int, hits: Sequence[RuleHits]) -> HitsJson:
    """The number of decisions of each rule, and of all decisions, as JSON."""
    return {
        "decisions": decisions,
        "items": [{"rule": one.rule, "hits": one.hits, "last": moment_to_json(one.last)} for one in hits],
    }


def _stats_to_json(stats: QuestionStats) -> QuestionStatsJson:
    return {"questions": _questions_to_json(stats.questions), "median": stats.median}


def _bucket_to_json(bucket: Bucket) -> BucketJson:
    return {
        "at": moment_to_json(bucket.at),
        "decisions": cast("DecisionCountsJson", dict(bucket.decisions)),
        "questions": _questions_to_json(bucket.questions),
    }


def _questions_to_json(counts: Counts) -> QuestionCountsJson:
    return cast("QuestionCountsJson", {"asked": sum(counts.values()), **counts})
