"""The audit as JSON."""

from dataclasses import replace

import pytest

from assent.gate.audit import START, Entry, Link, Segment, breaks, linked
from assent.wire.audit import (
    ANSWER_DECISIONS,
    answer_row_to_json,
    entry_from_json,
    entry_to_json,
    link_from_json,
    link_to_json,
    segment_from_json,
    segment_to_json,
)
from tests.gate.samples import NOW
from tests.wire.spoiling import demanded, through_json, unnoticed

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
LINK = linked(ENTRY, writer="b1", number=1, at=NOW, previous=START)


def test_a_link_comes_back_as_it_was_and_its_chain_still_holds() -> None:
    read = link_from_json(through_json(link_to_json(LINK)))

    assert read == LINK
    assert list(breaks([read])) == []


def test_every_field_is_written_under_its_own_name() -> None:
    assert list(entry_to_json(ENTRY)) == list(Entry.__dataclass_fields__)
    assert list(link_to_json(LINK)) == list(Link.__dataclass_fields__)


def test_a_wrong_type_is_an_error_that_names_the_field() -> None:
    assert unnoticed(entry_to_json(ENTRY), "entry", entry_from_json) == []
    assert unnoticed(link_to_json(LINK), "link", link_from_json) == []


def test_a_link_needs_all_of_its_fields() -> None:
    # An archive from before versions were written has none: its rows are of version 1.
    every = set(Link.__dataclass_fields__) - {"version"}
    assert demanded(link_to_json(LINK), "link", link_from_json) == every


def test_a_link_without_a_version_is_of_version_1() -> None:
    old = {name: value for name, value in link_to_json(LINK).items() if name != "version"}

    assert link_from_json(old).version == 1


def test_a_segment_comes_back_without_the_file_that_it_is_in() -> None:
    segment = Segment(writer="b1", first=1, last=9, previous_hash=START, last_hash=LINK.hash)

    assert segment_from_json(through_json(segment_to_json(replace(segment, archive="/elsewhere")))) == segment


@pytest.mark.proves("R004-31")
def test_only_a_persons_own_answer_is_an_answer() -> None:
    words = ("approved", "denied", "denied_with_reason", "released", "executed", "expired", "automatic", "")
    answers = [
        linked(replace(ENTRY, verdict="", decision=word), writer="b1", number=1, at=NOW, previous=START)
        for word in words
    ]

    assert [link.entry.decision for link in answers if answer_row_to_json(link)] == sorted(ANSWER_DECISIONS)
    assert answer_row_to_json(LINK) is None


@pytest.mark.proves("R004-33", "R004-35")
def test_an_answer_without_a_reason_has_none() -> None:
    answer = linked(replace(ENTRY, verdict="", reason=""), writer="b1", number=1, at=NOW, previous=START)

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
