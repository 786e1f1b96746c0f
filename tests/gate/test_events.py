"""A feed tells what happened as far as it concerns somebody, once, in order, and from where they left."""

import asyncio
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from assent.gate.access import Principal, Role
from assent.gate.approval import State, release
from assent.gate.events import (
    Aspect,
    Event,
    EventFeed,
    EventKind,
    EventPage,
    Pod,
    PodDifference,
    can_see_event,
    event_kinds,
    pod_differences,
)
from tests.gate.samples import ADA, ANA, BEN, CHRIS, CLERK, NOW, ROBOT, VERA, YES, an_approval, in_state
from tests.gate.scene import DENY, ONCE, PUT, SEND, Scene, a_scene, ask_person
from tests.waiting import allow_time_for_errors

PENDING = an_approval()


@pytest.fixture(params=["memory", "sqlite"])
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[Scene]:
    return a_scene(request.param, tmp_path)


async def kinds(feed: EventFeed) -> list[str]:
    """The kinds of the events that are available now."""
    return [event.kind.value for event in (await feed.next_events(0)).events]


@pytest.mark.parametrize(
    ("state", "kind"),
    [
        (State.APPROVED, EventKind.ANSWERED), (State.DENIED, EventKind.ANSWERED), (State.EXPIRED, EventKind.EXPIRED),
        (State.WITHDRAWN, EventKind.WITHDRAWN), (State.REFUSED, EventKind.REFUSED),
    ],
)  # fmt: skip
def test_a_step_from_pending_is_told_by_where_it_leads(state: State, kind: EventKind) -> None:
    after = replace(in_state(state), answer=None) if kind is EventKind.REFUSED else in_state(state)

    assert event_kinds(PENDING, after) == (kind,)


def test_every_state_can_be_told() -> None:
    approved = in_state(State.APPROVED)
    others = [state for state in State if state not in (State.PENDING, State.APPROVED)]
    steps = {state: event_kinds(approved, in_state(state)) for state in others}

    assert {state for state, said in steps.items() if not said} == set()
    assert event_kinds(approved, in_state(State.RUNNING)) == (EventKind.RUNNING,)
    assert event_kinds(in_state(State.RUNNING), in_state(State.UNKNOWN)) == (EventKind.UNKNOWN,)


def test_what_is_released_later_or_applied_at_once_is_told_as_that() -> None:
    answer = replace(YES, by="ana", released_by="q0")

    assert event_kinds(None, PENDING) == (EventKind.ASKED,)
    assert event_kinds(PENDING, release(PENDING, answer, at=NOW)) == (EventKind.RELEASED,)
    assert event_kinds(PENDING, replace(PENDING, later_at=NOW)) == (EventKind.LATER,)
    assert event_kinds(PENDING, replace(PENDING, boot="another")) == ()
    assert event_kinds(PENDING, in_state(State.RUNNING)) == (EventKind.ANSWERED, EventKind.RUNNING)


@pytest.mark.parametrize(
    ("principal", "sees"),
    [(ANA, True), (ADA, True), (CHRIS, True), (VERA, True), (CLERK, True), (ROBOT, True), (BEN, False),
     (Principal(id="dan", roles={"agent:clerk": Role.VIEWER}), True)],
    ids=lambda one: one.id if isinstance(one, Principal) else str(one),
)  # fmt: skip
@pytest.mark.proves("T-21")
def test_what_is_not_yours_is_not_told_to_you(principal: Principal, sees: bool) -> None:
    event = Event(
        cursor="1", at=NOW, kind=EventKind.ASKED, approval="q1", owner="ana", conversation="c1", agent="clerk"
    )
    switch = Event(cursor="2", at=NOW, kind=EventKind.PAUSED)

    assert can_see_event(principal, event) is sees
    assert can_see_event(principal, switch) is (principal is not CLERK)


async def test_a_feed_begins_now_and_tells_what_concerns_its_principal(scene: Scene) -> None:
    turn = await scene.turn()
    await ask_person(turn, PUT)
    mine, theirs = scene.gate.feed(ANA), scene.gate.feed(BEN)
    assert await kinds(mine) == await kinds(theirs) == []

    question = await ask_person(turn, SEND)
    await scene.answer(question, DENY)
    await scene.gate.pause(ADA)

    assert await kinds(mine) == ["asked", "answered", "paused", "policy"]
    assert await kinds(theirs) == ["paused", "policy"]
    assert await kinds(mine) == []


async def test_whoever_comes_back_gets_what_they_missed(scene: Scene) -> None:
    turn = await scene.turn()
    feed = scene.gate.feed(ANA)
    assert await kinds(feed) == []
    question = await ask_person(turn, SEND)
    first = (await feed.next_events(0)).events
    await scene.answer(question, ONCE)
    await turn.resume(question.id)

    again = scene.gate.feed(ANA, first[-1].cursor)

    assert await kinds(again) == ["answered", "running"]


async def test_a_feed_waits_for_what_happens_next(scene: Scene) -> None:
    turn = await scene.turn()
    feed = scene.gate.feed(ANA)
    assert await kinds(feed) == []
    waiting = asyncio.create_task(_next(feed))
    await allow_time_for_errors()
    assert not waiting.done()

    await ask_person(turn, SEND)

    happened = await asyncio.wait_for(waiting, 60)
    assert [event.kind for event in happened.events] == [EventKind.ASKED]


async def test_nothing_comes_within_the_patience_when_nothing_happens(scene: Scene) -> None:
    assert (await scene.gate.feed(ANA).next_events(0.01)).events == ()


async def test_who_was_away_too_long_starts_afresh(scene: Scene) -> None:
    turn = await scene.turn()
    old = scene.gate.feed(ANA)
    await old.next_events(0)
    await ask_person(turn, SEND)
    scene.clock.advance(timedelta(days=8))
    await scene.store.sweep(timedelta(hours=1), keep=timedelta(days=30))

    reset = await _next(scene.gate.feed(ANA, old.cursor))

    assert (reset.events, reset.reset) == ((), True)
    assert await kinds(scene.gate.feed(ANA, reset.cursor)) == []


async def test_roles_that_somebody_gets_count_from_then_on(scene: Scene) -> None:
    turn = await scene.turn()
    feed = scene.gate.feed(BEN)
    await ask_person(turn, SEND)
    assert await kinds(feed) == []

    feed.principal = replace(BEN, roles={"conversation:c1": Role.VIEWER})
    await ask_person(turn, PUT)

    assert await kinds(feed) == ["asked"]


async def _next(feed: EventFeed) -> EventPage:
    async for happened in feed:
        return happened
    raise AssertionError("a feed never ends")


def test_an_event_never_holds_what_was_in_a_call() -> None:
    assert set(Event.__dataclass_fields__) == {
        "cursor", "at", "kind", "approval", "owner", "conversation", "agent",
    }  # fmt: skip


OWN = Pod(workspace="/srv/a", policy_digest="111", version="0.1.0")


@pytest.mark.proves("R-35")
def test_pods_that_are_alike_have_nothing_to_say() -> None:
    assert pod_differences(OWN, [OWN, OWN]) == ()


@pytest.mark.proves("R-35")
def test_whatever_differs_is_said_once_for_each_value() -> None:
    moved, other = replace(OWN, workspace="/srv/b"), replace(OWN, policy_digest="222", version="0.2.0")

    found = pod_differences(OWN, [moved, moved, other])

    assert found == (
        PodDifference(Aspect.WORKSPACE, "/srv/a", "/srv/b"),
        PodDifference(Aspect.POLICY, "111", "222"),
        PodDifference(Aspect.VERSION, "0.1.0", "0.2.0"),
    )
    assert found[0].sentence == (
        "pods differ in workspace: `/srv/a` and `/srv/b`; a call that is asked on one and claimed on the other"
        " is refused although it was approved, because its paths mean other files there:"
        " start every pod in the same directory"
    )
