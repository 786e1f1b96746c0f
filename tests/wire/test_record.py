"""Rows of the audit as JSON Lines and as a spreadsheet takes them."""

import csv
import io
import json
from dataclasses import replace

import pytest

from assent.gate.audit import Link
from assent.wire.audit import ANSWER_COLUMNS, ENTRY_COLUMNS, cell, link_from_json, row_writer
from tests.gate.samples import DENIAL, a_link


def written(kind: str, *links: Link, answers: bool = False) -> str:
    out = io.StringIO()
    write = row_writer(out, kind, answers=answers)
    for link in links:
        write(link)
    return out.getvalue()


def test_json_lines_are_links_that_can_be_verified_elsewhere() -> None:
    link = a_link(replace(DENIAL, reason="\x7f\x1b é \ud800"))
    line = written("jsonl", link)

    assert link_from_json(json.loads(line)) == link
    assert [character for character in line.rstrip("\n") if not " " <= character <= "~"] == []


@pytest.mark.proves("R004-31", "R004-35", "R004-36")
@pytest.mark.parametrize(
    ("decision", "always", "reason"),
    [
        ("approved", False, None),
        ("approved", True, None),
        ("denied", False, None),
        ("denied_with_reason", False, "not today"),
    ],
)
def test_an_answer_has_the_columns_that_permissions_are_reported_in(
    decision: str, always: bool, reason: str | None
) -> None:
    answer = replace(DENIAL, decision=decision, with_override=always, reason=reason or "")

    found = json.loads(written("jsonl", a_link(answer), answers=True))

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


def test_a_table_has_a_column_for_everything_and_a_row_for_each() -> None:
    table = list(csv.reader(io.StringIO(written("csv", a_link(), a_link(DENIAL)))))

    assert tuple(table[0]) == ENTRY_COLUMNS
    assert [dict(zip(ENTRY_COLUMNS, row, strict=True))["reason"] for row in table[1:]] == ["", "not today"]
    assert [dict(zip(ENTRY_COLUMNS, row, strict=True))["number"] for row in table[1:]] == ["1", "1"]


@pytest.mark.parametrize(
    "formula", ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "\uff1dcmd|' /C calc'!A0", "=HYPERLINK(1)", "-2+3"]
)
def test_no_cell_is_run_as_a_formula(formula: str) -> None:
    table = list(
        csv.reader(io.StringIO(written("csv", a_link(replace(DENIAL, reason=formula, tool=formula)))))
    )
    row = dict(zip(ENTRY_COLUMNS, table[1], strict=True))

    assert (row["reason"], row["tool"]) == (f"'{formula}", f"'{formula}")


@pytest.mark.parametrize("text", ["\t=1", "\r=1", "\n=1", 'say "hi", ben', "line\r\nbreak", "\x1b[2J"])
def test_a_cell_stays_one_cell_with_nothing_hidden_in_it(text: str) -> None:
    out = written("csv", a_link(replace(DENIAL, reason=text)))
    table = list(csv.reader(io.StringIO(out)))
    reason = dict(zip(ENTRY_COLUMNS, table[1], strict=True))["reason"]

    assert len(table) == 2
    assert reason.isprintable()
    assert not reason.startswith("=")


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, ""), (True, "true"), (False, "false"), (-5, "-5"), ("plain", "plain"), ("", "")],
)
def test_what_is_no_text_is_shown_as_it_is(value: object, shown: str) -> None:
    assert cell(value) == shown
