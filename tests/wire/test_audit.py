"""Tests of the audit as JSON, JSON Lines and CSV."""

import csv
import io
import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from assent.gate.audit import (
    CHAIN_START_HASH,
    Cause,
    Entry,
    Link,
    Medians,
    QuestionCount,
    QuestionEnd,
    RuleHits,
    Segment,
    VerdictCount,
    find_chain_breaks,
    link_entry,
    tally,
)
from assent.gate.changes import CallRecord
from assent.wire.audit import (
    ANSWER_COLUMNS,
    ANSWER_DECISIONS,
    ENTRY_COLUMNS,
    answer_row_to_json,
    entry_from_json,
    entry_to_json,
    hits_to_json,
    link_from_json,
    link_to_json,
    record_to_json,
    row_writer,
    segment_from_json,
    segment_to_json,
    spreadsheet_cell,
    tally_to_json,
)
from tests.gate.samples import DENIAL, NOW, sample_link
from tests.wire.broken_json import required_fields, to_and_from_json, unchecked_fields

ENTRY = Entry(
    id="e1",
    user="ana",
    agent="clerk",
    conversation="c1",
    call="call-1",
    tool="t",
    verdict="ask",
    stage="mode",
    rule="r1",
    decision="approved",
    with_override=True,
    reason="as agreed",
    mode="default",
    policy_version=7,
    approval="q1",
)
LINK = link_entry(ENTRY, writer="b1", number=1, at=NOW, previous=CHAIN_START_HASH)


def test_a_link_is_parsed_to_the_original_and_its_chain_is_intact() -> None:
    read = link_from_json(to_and_from_json(link_to_json(LINK)))

    assert read == LINK
    assert list(find_chain_breaks([read])) == []


def test_every_field_is_written_under_its_own_name() -> None:
    assert list(entry_to_json(ENTRY)) == list(Entry.__dataclass_fields__)
    assert list(link_to_json(LINK)) == list(Link.__dataclass_fields__)


def test_a_wrong_type_is_an_error_that_names_the_field() -> None:
    assert unchecked_fields(entry_to_json(ENTRY), "entry", entry_from_json) == []
    assert unchecked_fields(link_to_json(LINK), "link", link_from_json) == []


def test_all_fields_of_a_link_are_required() -> None:
    # An archive of an earlier format has no versions: its rows are of version 1.
    every = set(Link.__dataclass_fields__) - {"version"}
    assert required_fields(link_to_json(LINK), "link", link_from_json) == every


def test_a_link_without_a_version_is_of_version_1() -> None:
    old = {name: value for name, value in link_to_json(LINK).items() if name != "version"}

    assert link_from_json(old).version == 1


def test_a_segment_is_parsed_without_the_path_of_its_archive() -> None:
    segment = Segment(writer="b1", first=1, last=9, previous_hash=CHAIN_START_HASH, last_hash=LINK.hash)

    assert (
        segment_from_json(to_and_from_json(segment_to_json(replace(segment, archive="/elsewhere"))))
        == segment
    )


@pytest.mark.proves("R004-31")
def test_only_a_row_of_a_persons_answer_is_an_answer() -> None:
    words = ("approved", "denied", "denied_with_reason", "released", "executed", "expired", "automatic", "")
    answers = [
        link_entry(
            replace(ENTRY, verdict="", decision=word),
            writer="b1",
            number=1,
            at=NOW,
            previous=CHAIN_START_HASH,
        )
        for word in words
    ]

    assert [link.entry.decision for link in answers if answer_row_to_json(link)] == sorted(ANSWER_DECISIONS)
    assert answer_row_to_json(LINK) is None


@pytest.mark.proves("R004-35")
@pytest.mark.supports("R004-33")
def test_an_answer_without_a_reason_has_a_null_reason() -> None:
    answer = link_entry(
        replace(ENTRY, verdict="", reason=""), writer="b1", number=1, at=NOW, previous=CHAIN_START_HASH
    )

    assert answer_row_to_json(answer) == {
        "id": "e1",
        "tool_call_id": "call-1",
        "user_id": "ana",
        "agent_id": "clerk",
        "chat_id": "c1",
        "tool_name": "t",
        "decision": "approved",
        "with_override": True,
        "reason": None,
        "created_at": "2026-03-01T12:00:00.123456+00:00",
    }


def test_a_call_record_contains_the_asked_arguments_and_those_that_ran() -> None:
    assert record_to_json(CallRecord({"a": 1}, {"a": 2})) == {
        "asked": {"a": 1},
        "ran": {"a": 2},
        "clipped": False,
    }
    assert record_to_json(CallRecord({"a": 1}, None, clipped=True))["ran"] is None


def write_rows(kind: str, *links: Link, answers: bool = False) -> str:
    out = io.StringIO()
    write = row_writer(out, kind, answers=answers)
    for link in links:
        write(link)
    return out.getvalue()


def test_json_lines_can_be_parsed_and_verified_elsewhere() -> None:
    link = sample_link(replace(DENIAL, reason="\x7f\x1b é \ud800"))
    line = write_rows("jsonl", link)

    assert link_from_json(json.loads(line)) == link
    assert [character for character in line.rstrip("\n") if not " " <= character <= "~"] == []


@pytest.mark.proves("R004-31", "R004-35")
@pytest.mark.supports("R004-36")
@pytest.mark.parametrize(
    ("decision", "always", "reason"),
    [
        ("approved", False, None),
        ("approved", True, None),
        ("denied", False, None),
        ("denied_with_reason", False, "not today"),
    ],
)
def test_an_answer_has_the_columns_of_permission_reports(
    decision: str, always: bool, reason: str | None
) -> None:
    answer = replace(DENIAL, decision=decision, with_override=always, reason=reason or "")

    found = json.loads(write_rows("jsonl", sample_link(answer), answers=True))

    assert found == {
        "id": "e1",
        "tool_call_id": "call-1",
        "user_id": "ana",
        "agent_id": "clerk",
        "chat_id": "c1",
        "tool_name": "Bash",
        "decision": decision,
        "with_override": always,
        "reason": reason,
        "created_at": "2026-03-01T12:00:00.123456+00:00",
    }
    assert tuple(found) == ANSWER_COLUMNS


def test_a_csv_file_has_a_column_for_every_field_and_a_line_for_every_row() -> None:
    table = list(csv.reader(io.StringIO(write_rows("csv", sample_link(), sample_link(DENIAL)))))

    assert tuple(table[0]) == ENTRY_COLUMNS
    assert [dict(zip(ENTRY_COLUMNS, row, strict=True))["reason"] for row in table[1:]] == ["", "not today"]
    assert [dict(zip(ENTRY_COLUMNS, row, strict=True))["number"] for row in table[1:]] == ["1", "1"]


@pytest.mark.parametrize(
    "formula", ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "\uff1dcmd|' /C calc'!A0", "=HYPERLINK(1)", "-2+3"]
)
def test_no_cell_is_a_formula(formula: str) -> None:
    table = list(
        csv.reader(io.StringIO(write_rows("csv", sample_link(replace(DENIAL, reason=formula, tool=formula)))))
    )
    row = dict(zip(ENTRY_COLUMNS, table[1], strict=True))

    assert (row["reason"], row["tool"]) == (f"'{formula}", f"'{formula}")


@pytest.mark.parametrize("text", ["\t=1", "\r=1", "\n=1", 'say "hi", ben', "line\r\nbreak", "\x1b[2J"])
def test_a_cell_contains_no_line_breaks_or_invisible_characters(text: str) -> None:
    out = write_rows("csv", sample_link(replace(DENIAL, reason=text)))
    table = list(csv.reader(io.StringIO(out)))
    reason = dict(zip(ENTRY_COLUMNS, table[1], strict=True))["reason"]

    assert len(table) == 2
    assert reason.isprintable()
    assert not reason.startswith("=")


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, ""), (True, "true"), (False, "false"), (-5, "-5"), ("plain", "plain"), ("", "")],
)
def test_values_that_are_not_texts_are_written_plainly(value: object, shown: str) -> None:
    assert spreadsheet_cell(value) == shown


AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
NO_DECISIONS = {"run": 0, "ask": 0, "deny": 0, "absent": 0}
QUESTION_COUNTS = {"asked": 3, "yes": 2, "no": 0, "released": 0, "expired": 0, "withdrawn": 0, "open": 1}


def test_the_statistics_name_each_count() -> None:
    cause = Cause("ask-rule", "r1")
    questions = [
        QuestionCount(AT, "t", cause, QuestionEnd.YES, 2),
        QuestionCount(AT, "t", cause, QuestionEnd.OPEN),
    ]
    found = tally([VerdictCount(AT, "ask", 3)], questions, Medians(1.5, {"t": 1.5}, {cause: 1.5}))
    load = {"questions": QUESTION_COUNTS, "median": 1.5}

    assert tally_to_json(found) == {
        "decisions": {**NO_DECISIONS, "ask": 3},
        **load,
        "buckets": [
            {
                "at": "2026-03-01T12:00:00.000000+00:00",
                "decisions": {**NO_DECISIONS, "ask": 3},
                "questions": QUESTION_COUNTS,
            }
        ],
        "tools": [{"tool": "t", **load}],
        "rules": [{"stage": "ask-rule", "rule": "r1", **load}],
    }


def test_rule_hits_contain_the_time_of_the_last_decision() -> None:
    assert hits_to_json(9, [RuleHits("r1", 7, AT)]) == {
        "decisions": 9,
        "items": [{"rule": "r1", "hits": 7, "last": "2026-03-01T12:00:00.000000+00:00"}],
    }
