"""The audit is a chain of hashes, which reveals altered, removed, moved and inserted rows."""

import json
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.gate.answer import MAX_REASON_LENGTH, Answer, Say
from assent.gate.approval import Approval, State, without_arguments
from assent.gate.audit import (
    CHAIN_START_HASH,
    HASHED_FIELDS,
    BucketSize,
    Cause,
    ChainBreak,
    Entry,
    Link,
    Medians,
    QuestionCount,
    QuestionEnd,
    VerdictCount,
    find_chain_breaks,
    link_entry,
    tally,
)
from assent.gate.changes import CallRecord, call_record
from assent.gate.store import AuditFilter
from assent.wire.excerpt import make_excerpt
from tests.gate.samples import ADA, ANA, NOW, ROBOT, SECOND, approval_in_state, sample_approval
from tests.gate.scene import DENY, PUT, GateHarness, ask_person

ENTRY = Entry(
    id="e1", user="ana", agent="clerk", conversation="c1", call="call-1", tool="mail.send", verdict="ask"
)


def make_chain(length: int, writer: str = "boot-1") -> list[Link]:
    links: list[Link] = []
    previous = CHAIN_START_HASH
    for number in range(1, length + 1):
        entry = replace(ENTRY, id=f"e{number}", reason=f"reason {number}")
        links.append(
            link_entry(entry, writer=writer, number=number, at=NOW + number * SECOND, previous=previous)
        )
        previous = links[-1].hash
    return links


CHAIN = make_chain(6)


def test_an_unchanged_chain_has_no_breaks() -> None:
    assert list(find_chain_breaks(CHAIN)) == []
    assert list(find_chain_breaks([])) == []


TEXTS = st.text(st.characters(), max_size=20)
ENTRIES = st.builds(
    Entry,
    **{field.name: TEXTS for field in fields(Entry) if field.type in (str, "str")},
    with_override=st.booleans(),
    policy_version=st.integers(0, 2**63 - 1),
)


@given(ENTRIES, TEXTS, TEXTS, st.sampled_from(sorted(HASHED_FIELDS)))
def test_the_hash_is_that_of_the_json_of_the_row(
    entry: Entry, writer: str, previous: str, version: int
) -> None:
    values = {name: getattr(entry, name) for name in HASHED_FIELDS[version]}
    values = {name: value for name, value in values.items() if value or not name.endswith("_digest")}
    row = [previous, writer, 3, NOW.isoformat(timespec="microseconds"), values, *[version][: version - 1]]
    text = json.dumps(row, sort_keys=True, separators=(",", ":"))
    unhashed = dict.fromkeys({field.name for field in fields(Entry)} - set(HASHED_FIELDS[version]), "")
    link = Link(
        entry=replace(entry, **unhashed),  # type: ignore[arg-type]
        writer=writer,
        number=3,
        at=NOW,
        hash=sha256(text.encode()).hexdigest(),
        version=version,
    )

    assert list(find_chain_breaks([link], first=3, previous=previous)) == []


@pytest.mark.proves("T-40")
@pytest.mark.parametrize("field", [field.name for field in fields(Entry)])
@pytest.mark.parametrize("at", range(6))
def test_an_altered_row_is_reported(at: int, field: str) -> None:
    link = CHAIN[at]
    value = getattr(link.entry, field)
    other = not value if isinstance(value, bool) else value + 1 if isinstance(value, int) else value + "x"
    altered = replace(link, entry=replace(link.entry, **{field: other}))

    found = list(find_chain_breaks([*CHAIN[:at], altered, *CHAIN[at + 1 :]]))

    assert found == [ChainBreak(writer="boot-1", number=at + 1, problem="the row was altered")]


@pytest.mark.proves("T-40")
def test_a_changed_time_or_hash_is_an_alteration() -> None:
    later = replace(CHAIN[2], at=CHAIN[2].at + SECOND)
    forged = replace(CHAIN[2], hash="0" * 64)

    assert [one.number for one in find_chain_breaks([*CHAIN[:2], later, *CHAIN[3:]])] == [3]
    assert [one.number for one in find_chain_breaks([*CHAIN[:2], forged, *CHAIN[3:]])] == [3, 4]


@pytest.mark.proves("T-40")
def test_a_row_with_a_recomputed_hash_breaks_the_chain_after_it() -> None:
    entry = replace(CHAIN[2].entry, decision="approved")
    again = link_entry(entry, writer="boot-1", number=3, at=CHAIN[2].at, previous=CHAIN[1].hash)

    assert [one.number for one in find_chain_breaks([*CHAIN[:2], again, *CHAIN[3:]])] == [4]


@pytest.mark.proves("T-40")
@pytest.mark.parametrize(
    ("links", "problems"),
    [
        (CHAIN[1:], ["rows 1 to 1 are missing"]),
        ([*CHAIN[:2], *CHAIN[4:]], ["rows 3 to 4 are missing"]),
        ([CHAIN[0], CHAIN[2], CHAIN[5]], ["rows 2 to 2 are missing", "rows 4 to 5 are missing"]),
    ],
)
def test_missing_rows_are_reported(links: list[Link], problems: list[str]) -> None:
    assert [one.problem for one in find_chain_breaks(links)] == problems


@pytest.mark.proves("T-40")
def test_a_row_of_another_chain_is_a_break() -> None:
    stranger = make_chain(6, writer="boot-2")[2]

    assert [one.number for one in find_chain_breaks([*CHAIN[:2], stranger, *CHAIN[3:]])] == [3, 4]


@pytest.mark.proves("T-40")
@pytest.mark.parametrize(
    "links",
    [[*CHAIN[:2], CHAIN[3], CHAIN[2], *CHAIN[4:]], [*CHAIN[:2], CHAIN[1], *CHAIN[2:]]],
    ids=["swapped", "doubled"],
)
def test_rows_in_another_order_break_the_chain(links: list[Link]) -> None:
    assert list(find_chain_breaks(links)) != []


def test_a_segment_is_verified_from_the_end_of_the_previous_one() -> None:
    assert list(find_chain_breaks(CHAIN[3:], first=4, previous=CHAIN[2].hash)) == []
    assert [one.number for one in find_chain_breaks(CHAIN[3:], first=4)] == [4]


def test_a_reason_is_shortened_before_it_is_hashed() -> None:
    link = link_entry(
        replace(ENTRY, reason="x" * 5000), writer="b", number=1, at=NOW, previous=CHAIN_START_HASH
    )

    assert len(link.entry.reason) == MAX_REASON_LENGTH
    assert list(find_chain_breaks([link])) == []


def test_the_time_zone_of_a_time_does_not_change_the_hash() -> None:
    elsewhere = [replace(link, at=link.at.astimezone(timezone(timedelta(hours=2)))) for link in CHAIN]

    assert list(find_chain_breaks(elsewhere)) == []


@pytest.mark.proves("R004-32", "T-39")
def test_an_entry_has_no_field_for_arguments() -> None:
    assert {field.name for field in fields(Entry)} == {
        "id", "user", "agent", "conversation", "call", "tool", "verdict", "stage", "rule", "decision",
        "with_override", "reason", "mode", "policy_version", "approval", "asked_digest", "ran_digest", "sub_agents",
    }  # fmt: skip


@pytest.mark.proves("T-38")
def test_people_who_are_not_administrators_see_only_their_own_rows() -> None:
    audit_filter = AuditFilter(tool="mail.send", user="ben")

    assert audit_filter.visible_to(ADA) == audit_filter
    assert (
        audit_filter.visible_to(ANA)
        == audit_filter.visible_to(ROBOT)
        == AuditFilter(tool="mail.send", user="ana")
    )


@pytest.mark.proves("T-49")
@pytest.mark.usefixtures("version_1")
def test_a_row_without_digests_has_the_same_hash_as_in_earlier_versions() -> None:
    old = link_entry(ENTRY, writer="w1", number=1, at=NOW, previous=CHAIN_START_HASH)
    new = link_entry(replace(ENTRY, ran_digest="a"), writer="w1", number=1, at=NOW, previous=CHAIN_START_HASH)

    assert old.hash == "0dcc20ed2bc508e467043e1d795655d0eae68b2d7a63301ef2332fa8218101fc"
    assert new.hash != old.hash
    assert not list(find_chain_breaks([new]))
    assert [one.problem for one in find_chain_breaks([replace(new, entry=ENTRY)])] == ["the row was altered"]


@pytest.fixture
def version_1(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the first version of the hashed fields, as an earlier version of Assent had."""
    for later in [one for one in HASHED_FIELDS if one != 1]:
        monkeypatch.delitem(HASHED_FIELDS, later)


def test_the_last_version_covers_every_field_of_an_entry() -> None:
    assert set(HASHED_FIELDS[2]) == {field.name for field in fields(Entry)}
    assert set(HASHED_FIELDS[2]) - set(HASHED_FIELDS[1]) == {"sub_agents"}


@pytest.mark.proves("T-40")
@pytest.mark.usefixtures("version_1")
def test_the_hash_of_version_1_equals_that_of_old_rows() -> None:
    first = make_chain(1)[0]

    assert (first.version, first.hash[:16]) == (1, "97c9df76cd051631")


@pytest.mark.proves("T-40")
def test_a_row_contains_the_version_that_its_hash_covers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(HASHED_FIELDS, 3, HASHED_FIELDS[2])
    later = make_chain(3)
    lowered, raised = replace(later[2], version=2), replace(CHAIN[2], version=3)

    assert {link.version for link in later} == {3}
    assert list(find_chain_breaks(later)) == []
    assert [one.problem for one in find_chain_breaks([*later[:2], lowered])] == ["the row was altered"]
    assert [one.problem for one in find_chain_breaks([*CHAIN[:2], raised])] == ["the row was altered"]


@pytest.mark.proves("T-40")
def test_a_sub_agent_that_was_added_or_removed_later_is_an_alteration() -> None:
    named = link_entry(
        replace(ENTRY, sub_agents='[["a1","Explore"]]'),
        writer="boot-1",
        number=1,
        at=NOW,
        previous=CHAIN_START_HASH,
    )

    assert list(find_chain_breaks([named])) == []
    assert [one.problem for one in find_chain_breaks([replace(named, entry=ENTRY)])] == [
        "the row was altered"
    ]


@pytest.mark.proves("T-40")
def test_a_lower_version_after_a_higher_one_is_a_break(monkeypatch: pytest.MonkeyPatch) -> None:
    first = link_entry(ENTRY, writer="boot-1", number=1, at=NOW, previous=CHAIN_START_HASH)
    second_version = HASHED_FIELDS[2]
    monkeypatch.delitem(HASHED_FIELDS, 2)
    second = link_entry(ENTRY, writer="boot-1", number=2, at=NOW, previous=first.hash)
    monkeypatch.setitem(HASHED_FIELDS, 2, second_version)

    found = list(find_chain_breaks([first, second]))

    assert found == [
        ChainBreak(writer="boot-1", number=2, problem="the row has version 1 after a row of version 2")
    ]
    assert list(find_chain_breaks([second], first=2, previous=first.hash, version=2)) == found


AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = AT + timedelta(hours=1)
MODE, RULE = Cause("mode"), Cause("ask-rule", "r1")
SAMPLE_COUNTS = [
    QuestionCount(AT, "mail.send", MODE, QuestionEnd.YES, 2),
    QuestionCount(LATER, "mail.send", RULE, QuestionEnd.NO),
    QuestionCount(LATER, "note.put", RULE, QuestionEnd.OPEN),
]
MEDIANS = Medians(3.0, {"mail.send": 2.0}, {MODE: 1.0})


def test_counts_are_added_by_verdict_tool_and_cause() -> None:
    found = tally(
        [VerdictCount(AT, "ask", 2), VerdictCount(LATER, "ask", 2), VerdictCount(AT, "run", 5)],
        SAMPLE_COUNTS,
        MEDIANS,
    )

    assert found.decisions == {"run": 5, "ask": 4, "deny": 0, "absent": 0}
    assert (found.total.questions[QuestionEnd.YES], found.total.median) == (2, 3.0)
    assert [(tool, sum(load.questions.values()), load.median) for tool, load in found.tools] == [
        ("mail.send", 3, 2.0),
        ("note.put", 1, None),
    ]
    assert [(cause, sum(load.questions.values()), load.median) for cause, load in found.causes] == [
        (RULE, 2, None),
        (MODE, 2, 1.0),
    ]


def test_buckets_are_in_order_and_never_empty() -> None:
    found = tally([VerdictCount(LATER, "deny"), VerdictCount(AT, "ask")], SAMPLE_COUNTS, MEDIANS)

    assert [(one.at, one.decisions["deny"], one.questions[QuestionEnd.NO]) for one in found.buckets] == [
        (AT, 0, 0),
        (LATER, 1, 1),
    ]


def test_a_day_is_twenty_four_hours() -> None:
    assert BucketSize.DAY.seconds == 24 * BucketSize.HOUR.seconds


EDITED = Answer(say=Say.ONCE, args={"key": "a", "value": 2})


@pytest.mark.parametrize(
    ("approval", "ran"),
    [
        (sample_approval(), None),
        (approval_in_state(State.DENIED), None),
        (approval_in_state(State.DONE), {"command": "npm publish"}),
        (
            approval_in_state(State.FAILED, answer=Answer(say=Say.ONCE, args={"command": "ls"})),
            {"command": "ls"},
        ),
    ],
)
def test_a_call_record_contains_the_asked_arguments_and_those_that_ran(
    approval: Approval, ran: dict[str, object] | None
) -> None:
    assert call_record(make_excerpt(approval)) == CallRecord({"command": "npm publish"}, ran)


@pytest.mark.proves("T-39", "T-49")
def test_a_scrubbed_approval_has_no_call_record() -> None:
    assert call_record(make_excerpt(without_arguments(approval_in_state(State.DONE)))) is None


@pytest.mark.proves("T-49")
async def test_the_rows_of_an_edited_call_contain_both_digests_and_no_arguments(harness: GateHarness) -> None:
    turn = await harness.turn()
    question = await ask_person(turn, PUT)
    await harness.answer(question, EDITED)
    run = await turn.resume(question.id)
    await harness.gate.report(question.id, run.claim)  # type: ignore[union-attr]
    await harness.store.flush_audit()

    links, _ = await harness.store.audit(limit=10)

    rows = [one.entry for one in links if one.entry.approval]
    assert [one.decision for one in rows] == ["approved", "claimed", "executed"]
    assert {one.asked_digest for one in rows} == {question.call_digest}
    assert len({one.ran_digest for one in rows} | {question.call_digest}) == 2
    assert all(one.is_edited for one in rows)
    assert "value" not in repr(rows)


async def test_an_unedited_call_has_one_digest_and_a_denied_call_has_no_run_digest(
    harness: GateHarness,
) -> None:
    turn = await harness.turn()
    question = await ask_person(turn, PUT)
    await harness.answer(question, DENY, ANA)
    await harness.store.flush_audit()

    links, _ = await harness.store.audit(limit=10)

    [row] = [one.entry for one in links if one.entry.approval]
    assert (row.asked_digest, row.ran_digest, row.is_edited) == (question.call_digest, "", False)
