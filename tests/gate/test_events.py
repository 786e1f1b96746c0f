"""A feed returns the events that a principal may see, each once and in order, after a cursor."""

import asyncio
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from assent.gate.access import Principal, Role
from assent.gate.approval import State, release
from assent.gate.changes import event_kinds
from assent.gate.events import (
    Event,
    EventFeed,
    EventKind,
    EventPage,
    Pod,
    PodDifference,
    PodProperty,
    can_see_event,
    pod_differences,
)
from tests.gate.samples import (
    ADA,
    ANA,
    BEN,
    CHRIS,
    CLERK,
    NOW,
    ROBOT,
    VERA,
    YES,
    approval_in_state,
    sample_approval,
)
from tests.gate.scene import DENY, ONCE, PUT, SEND, GateHarness, ask_person, open_harness
from tests.waiting import allow_time_for_errors

PENDING = sample_approval()


@pytest.fixture(params=["memory", "sqlite"])
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[GateHarness]:
    return open_harness(request.param, tmp_path)


async def event_kinds_now(feed: EventFeed) -> list[str]:
    """The kinds of the events that are available now."""
    return [event.kind.value for event in (await feed.next_events(0)).events]


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        (State.APPROVED, EventKind.ANSWERED), (State.DENIED, EventKind.ANSWERED), (State.EXPIRED, EventKind.EXPIRED),
        (State.WITHDRAWN, EventKind.WITHDRAWN), (State.REFUSED, EventKind.REFUSED),
    ],
)  # fmt: skip
def test_a_change_of_a_pending_approval_has_the_event_of_its_new_state(state: State, kind: EventKind) -> None:
    after = (
        replace(approval_in_state(state), answer=None)
        if kind is EventKind.REFUSED
        else approval_in_state(state)
    )

    assert event_kinds(PENDING, after) == (kind,)


def test_every_state_has_an_event() -> None:
    approved = approval_in_state(State.APPROVED)
    others = [state for state in State if state not in (State.PENDING, State.APPROVED)]
    steps = {state: event_kinds(approved, approval_in_state(state)) for state in others}

    assert {state for state, said in steps.items() if not said} == set()
    assert event_kinds(approved, approval_in_state(State.RUNNING)) == (EventKind.RUNNING,)
    assert event_kinds(approval_in_state(State.RUNNING), approval_in_state(State.UNKNOWN)) == (
        EventKind.UNKNOWN,
    )


def test_a_release_a_postponement_and_an_immediate_claim_have_their_own_events() -> None:
    answer = replace(YES, by="ana", released_by="q0")

    assert event_kinds(None, PENDING) == (EventKind.ASKED,)
    assert event_kinds(PENDING, release(PENDING, answer, at=NOW)) == (EventKind.RELEASED,)
    assert event_kinds(PENDING, replace(PENDING, later_at=NOW)) == (EventKind.LATER,)
    assert event_kinds(PENDING, replace(PENDING, boot="another")) == ()
    assert event_kinds(PENDING, approval_in_state(State.RUNNING)) == (EventKind.ANSWERED, EventKind.RUNNING)


@pytest.mark.parametrize(
    ("principal", "sees"),
    [(ANA, True), (ADA, True), (CHRIS, True), (VERA, True), (CLERK, True), (ROBOT, True), (BEN, False),
     (Principal(id="dan", roles={"agent:clerk": Role.VIEWER}), True)],
    ids=lambda one: one.id if isinstance(one, Principal) else str(one),
)  # fmt: skip
@pytest.mark.proves("T-21")
def test_a_principal_does_not_see_events_of_others(principal: Principal, sees: bool) -> None:
    event = Event(
        cursor="1", at=NOW, kind=EventKind.ASKED, approval="q1", owner="ana", conversation="c1", agent="clerk"
    )
    switch = Event(cursor="2", at=NOW, kind=EventKind.PAUSED)

    assert can_see_event(principal, event) is sees
    assert can_see_event(principal, switch) is (principal is not CLERK)


async def test_a_new_feed_returns_only_later_events_that_its_principal_may_see(harness: GateHarness) -> None:
    turn = await harness.turn()
    await ask_person(turn, PUT)
    mine, theirs = harness.gate.event_feed(ANA), harness.gate.event_feed(BEN)
    assert await event_kinds_now(mine) == await event_kinds_now(theirs) == []

    question = await ask_person(turn, SEND)
    await harness.answer(question, DENY)
    await harness.gate.pause(ADA)

    assert await event_kinds_now(mine) == ["asked", "answered", "paused", "policy"]
    assert await event_kinds_now(theirs) == ["paused", "policy"]
    assert await event_kinds_now(mine) == []


async def test_a_feed_with_a_cursor_returns_the_missed_events(harness: GateHarness) -> None:
    turn = await harness.turn()
    feed = harness.gate.event_feed(ANA)
    assert await event_kinds_now(feed) == []
    question = await ask_person(turn, SEND)
    first = (await feed.next_events(0)).events
    await harness.answer(question, ONCE)
    await turn.resume(question.id)

    again = harness.gate.event_feed(ANA, first[-1].cursor)

    assert await event_kinds_now(again) == ["answered", "running"]


async def test_a_feed_waits_for_the_next_event(harness: GateHarness) -> None:
    turn = await harness.turn()
    feed = harness.gate.event_feed(ANA)
    assert await event_kinds_now(feed) == []
    waiting = asyncio.create_task(_next_page(feed))
    await allow_time_for_errors()
    assert not waiting.done()

    await ask_person(turn, SEND)

    happened = await asyncio.wait_for(waiting, 60)
    assert [event.kind for event in happened.events] == [EventKind.ASKED]


async def test_a_feed_returns_an_empty_page_after_its_timeout(harness: GateHarness) -> None:
    assert (await harness.gate.event_feed(ANA).next_events(0.01)).events == ()


async def test_a_feed_with_a_cursor_that_is_too_old_returns_a_reset(harness: GateHarness) -> None:
    turn = await harness.turn()
    old = harness.gate.event_feed(ANA)
    await old.next_events(0)
    await ask_person(turn, SEND)
    harness.clock.advance(timedelta(days=8))
    await harness.store.sweep(timedelta(hours=1), keep=timedelta(days=30))

    reset = await _next_page(harness.gate.event_feed(ANA, old.cursor))

    assert (reset.events, reset.reset) == ((), True)
    assert await event_kinds_now(harness.gate.event_feed(ANA, reset.cursor)) == []


async def test_a_new_role_shows_only_later_events(harness: GateHarness) -> None:
    turn = await harness.turn()
    feed = harness.gate.event_feed(BEN)
    await ask_person(turn, SEND)
    assert await event_kinds_now(feed) == []

    feed.principal = replace(BEN, roles={"conversation:c1": Role.VIEWER})
    await ask_person(turn, PUT)

    assert await event_kinds_now(feed) == ["asked"]


async def _next_page(feed: EventFeed) -> EventPage:
    async for happened in feed:
        return happened
    raise AssertionError("a feed never ends")


def test_an_event_never_contains_arguments() -> None:
    assert set(Event.__dataclass_fields__) == {
        "cursor", "at", "kind", "approval", "owner", "conversation", "agent",
    }  # fmt: skip


OWN = Pod(workspace="/srv/a", policy_digest="111", version="0.1.0")


@pytest.mark.proves("R-35")
def test_equal_pods_have_no_differences() -> None:
    assert pod_differences(OWN, [OWN, OWN]) == ()


@pytest.mark.proves("R-35")
def test_each_differing_value_is_reported_once() -> None:
    moved, other = replace(OWN, workspace="/srv/b"), replace(OWN, policy_digest="222", version="0.2.0")

    found = pod_differences(OWN, [moved, moved, other])

    assert found == (
        PodDifference(PodProperty.WORKSPACE, "/srv/a", "/srv/b"),
        PodDifference(PodProperty.POLICY, "111", "222"),
        PodDifference(PodProperty.VERSION, "0.1.0", "0.2.0"),
    )
    assert found[0].sentence == (
        "pods differ in workspace: `/srv/a` and `/srv/b`; a call that is asked on one and claimed on the other"
        " is refused although it was approved, because its paths mean other files there:"
        " start every pod in the same directory"
    )
