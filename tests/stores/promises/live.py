"""Tests of events, the pause, settings, declared tools, budgets and conversations."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from assent.engine.base.tool import Effect, Tool
from assent.errors import InputError, StoreError
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval, State, postpone, release, report, withdraw
from assent.gate.catalog import DeclaredTool, TrustLevel
from assent.gate.conversation import Conversation
from assent.gate.events import EVENT_RETENTION, Event, EventKind
from assent.gate.policy import Moment
from assent.gate.preset import Delivery
from assent.gate.store import START_MODE, ApprovalChange, ChangeResult, ConversationPage, Store
from tests.gate.samples import ANA, NO, make_question, sample_grant
from tests.stores.promises.given import (
    HOUR,
    MANY,
    NO_GRACE,
    POLICY_KEY,
    SetClock,
    StorePromises,
    answer_change,
    claim_change,
    sample_rule,
)
from tests.waiting import run_ready_tasks, wait_until_async

MINUTE = timedelta(minutes=1)
SHOP_TOOL = DeclaredTool(
    tool=Tool(name="shop.buy", effect=Effect.EXTERNAL, origin="shop", description="Buys. ñ", group="shop"),
    trust=TrustLevel.CLIENT,
    provider="mcp",
    agent="clerk",
)


def changes_in_order(move: Callable[[Approval, Moment], Approval]) -> ApprovalChange:
    return lambda approval, moment: ChangeResult(move(approval, moment))


def report_change(*, failed: bool) -> ApprovalChange:
    return changes_in_order(lambda one, moment: report(one, "k1", failed=failed, note="", at=moment.at))


async def list_all_events(store: Store, after: str = "", limit: int = 500) -> list[Event]:
    """All events after a cursor, read page by page."""
    found: list[Event] = []
    async with asyncio.timeout(60):
        while True:
            happened = await store.events(after, limit=limit)
            assert not happened.reset
            found += happened.events
            after = happened.cursor
            if not happened.events:
                return found


def event_pairs(events: list[Event]) -> list[tuple[str, str]]:
    return [(event.kind.value, event.approval) for event in events]


class LiveStatePromises(StorePromises):
    """Events are returned once and in order; the pause, settings, tools and budgets are shared."""

    # ---- events ----------------------------------------------------------------------------------

    async def test_every_change_of_an_approval_has_its_event_in_order(self, store: Store) -> None:
        answer = Answer(say=Say.ONCE, by="ana", released_by="q1")
        await store.add_approval("q1", make_question(), MANY)
        await store.change_approval(
            "q1", changes_in_order(lambda one, moment: postpone(one, ANA, at=moment.at))
        )
        await store.change_approval("q1", answer_change())
        await store.change_approval("q1", claim_change("k1", store.boot))
        await store.change_approval("q1", report_change(failed=False))
        await store.add_approval("q2", make_question("q2"), MANY)
        await store.change_approval(
            "q2", changes_in_order(lambda one, moment: release(one, answer, at=moment.at))
        )
        await store.change_approval("q2", claim_change("k1", store.boot))
        await store.change_approval("q2", report_change(failed=True))
        await store.add_approval("q3", make_question("q3"), MANY)
        await store.change_approval("q3", answer_change(NO))
        await store.add_approval("q4", make_question("q4"), MANY)
        await store.change_approval(
            "q4", changes_in_order(lambda one, moment: withdraw(one, "gone", at=moment.at))
        )

        events = await list_all_events(store)

        assert event_pairs(events) == [
            ("asked", "q1"), ("later", "q1"), ("answered", "q1"), ("running", "q1"), ("done", "q1"),
            ("asked", "q2"), ("released", "q2"), ("running", "q2"), ("failed", "q2"),
            ("asked", "q3"), ("answered", "q3"), ("asked", "q4"), ("withdrawn", "q4"),
        ]  # fmt: skip
        first = events[0]
        assert (first.owner, first.conversation, first.agent) == ("ana", "c1", "clerk")
        assert len({event.cursor for event in events}) == len(events)

    async def test_an_expired_approval_has_an_event(self, store: Store, clock: SetClock) -> None:
        self.needs_clock()
        await store.add_approval("q1", make_question(expires_in=HOUR, boot=store.boot), MANY)
        await store.add_approval("q2", make_question("q2", boot=store.boot), MANY)
        await store.change_approval("q2", answer_change())
        after = await store.latest_cursor()
        clock.advance(2 * HOUR)
        await store.record_heartbeat()

        await store.sweep(HOUR)

        assert sorted(event_pairs(await list_all_events(store, after))) == [
            ("expired", "q1"),
            ("lapsed", "q2"),
        ]

    async def test_a_change_that_is_refused_or_without_effect_has_no_event(self, store: Store) -> None:
        await store.add_approval("q1", make_question(), MANY)
        after = await store.latest_cursor()

        await store.add_approval("q1", make_question(), MANY)
        await store.change_approval("q1", lambda one, _: ChangeResult(one))
        with pytest.raises(InputError):
            await store.change_approval("q1", _refuse_change)
        await store.record_heartbeat()

        assert await list_all_events(store, after) == []

    async def test_changes_of_policy_and_pauses_are_events_for_all_users(self, store: Store) -> None:
        await store.add_approval("q1", make_question(), MANY)
        after = await store.latest_cursor()

        await store.add_policy([sample_grant()])
        await store.pause("ada")
        await store.resume("ada")
        await store.change_approval("q1", answer_change(Answer(say=Say.ONCE), ANA, rules=(sample_rule(),)))

        events = await list_all_events(store, after)
        kinds = [event.kind for event in events]
        assert kinds == [
            EventKind.POLICY, EventKind.PAUSED, EventKind.POLICY, EventKind.RESUMED, EventKind.POLICY, EventKind.ANSWERED, EventKind.POLICY,
        ]  # fmt: skip
        assert {event.owner for event in events if event.kind is not EventKind.ANSWERED} == {""}

    @pytest.mark.parametrize("limit", [1, 2, 3, 100])
    async def test_a_cursor_returns_exactly_the_missed_events(self, store: Store, limit: int) -> None:
        await store.add_approval("q0", make_question("q0"), MANY)
        after = await store.latest_cursor()
        for number in range(1, 8):
            await store.add_approval(f"q{number}", make_question(f"q{number}"), MANY)

        events = await list_all_events(store, after, limit)

        assert event_pairs(events) == [("asked", f"q{number}") for number in range(1, 8)]
        resumed = await list_all_events(store, events[2].cursor, limit)
        assert event_pairs(resumed) == [("asked", f"q{number}") for number in range(4, 8)]
        assert await list_all_events(store, events[-1].cursor, limit) == []

    async def test_no_event_is_skipped_or_repeated_during_concurrent_writes(self, store: Store) -> None:
        ids = [f"q{number}" for number in range(60)]
        seen: list[Event] = []
        after = await store.latest_cursor()

        async def has_read_all() -> bool:
            nonlocal after
            happened = await store.events(after, limit=7)
            seen.extend(happened.events)
            after = happened.cursor
            return sum(event.kind is EventKind.ANSWERED for event in seen) >= len(ids)

        async def complete_call(id_: str) -> None:
            await store.add_approval(id_, make_question(id_), MANY)
            await store.change_approval(id_, answer_change())

        await asyncio.gather(wait_until_async(has_read_all), *map(complete_call, ids))

        assert len({event.cursor for event in seen}) == len(seen)
        assert sorted(event_pairs(seen)) == sorted(
            [(kind, id_) for id_ in ids for kind in ("answered", "asked")]
        )
        assert all(
            seen.index(_find_event(seen, "asked", id_)) < seen.index(_find_event(seen, "answered", id_))
            for id_ in ids
        )

    @pytest.mark.parametrize(
        "after", ["x", "1", "0.0.x", "ffff.0.0", "0.0.0.0", "." * 9, "0.0." + "9" * 40, "٣.1.1"]
    )
    async def test_an_unknown_cursor_returns_a_reset(self, store: Store, after: str) -> None:
        await store.add_approval("q1", make_question(), MANY)

        happened = await store.events(after)

        assert (happened.events, happened.reset) == ((), True)
        assert await list_all_events(store, happened.cursor) in ([], await list_all_events(store))

    async def test_old_events_are_deleted_and_their_cursors_return_a_reset(
        self, store: Store, clock: SetClock
    ) -> None:
        self.needs_clock()
        before = await store.latest_cursor()
        await store.add_approval("q1", make_question(), MANY)
        kept = (await list_all_events(store))[-1].cursor
        clock.advance(EVENT_RETENTION + HOUR)
        await store.add_approval("q2", make_question("q2"), MANY)

        await store.sweep(HOUR, keep=EVENT_RETENTION)

        assert (await store.events(before)).reset
        assert (await store.events("")).reset
        assert event_pairs(await list_all_events(store, kept))[0] == ("asked", "q2")
        clock.advance(EVENT_RETENTION + HOUR)
        await store.sweep(HOUR, keep=EVENT_RETENTION)
        newest = await store.latest_cursor()
        await store.add_approval("q3", make_question("q3"), MANY)
        assert event_pairs(await list_all_events(store, newest)) == [("asked", "q3")]

    # ---- waiting for changes ---------------------------------------------------------------------

    async def test_waiting_for_a_change_ends_with_the_next_change(self, store: Store) -> None:
        stirs = store.change_count
        roused = asyncio.create_task(store.wait_for_change(stirs))
        await run_ready_tasks()

        await store.add_approval("q1", make_question(), MANY)

        assert await asyncio.wait_for(roused, 60) != stirs
        assert await asyncio.wait_for(store.wait_for_change(stirs), 60) == store.change_count

    async def test_a_change_of_another_process_ends_the_wait(self, store: Store, other: Store) -> None:
        after = await store.latest_cursor()
        stirs = store.change_count
        await other.add_approval("q1", make_question(), MANY)

        await asyncio.wait_for(store.wait_for_change(stirs), 60)

        async with asyncio.timeout(60):
            while not (found := await list_all_events(store, after)):
                await store.wait_for_change(store.change_count)
        assert event_pairs(found) == [("asked", "q1")]

    async def test_closing_the_store_ends_the_wait_with_an_error(self, store: Store) -> None:
        async def wait_forever() -> None:
            while True:
                await store.wait_for_change(store.change_count)

        looking = asyncio.create_task(wait_forever())
        await run_ready_tasks()

        await store.close()

        results = await asyncio.gather(looking, store.events(""), store.pause("ada"), return_exceptions=True)
        assert [type(result) for result in results] == [StoreError] * 3

    # ---- the pause -------------------------------------------------------------------------------

    async def test_a_pause_changes_policy_immediately(self, store: Store) -> None:
        before = await store.moment()

        await store.pause("ada")
        await store.pause("ben")

        paused = (await store.stored_policy(POLICY_KEY)).paused
        moment = await store.moment()
        assert paused is not None
        assert paused.by == "ada"
        assert (before.paused, moment.paused, moment.version > before.version) == (False, True, True)
        await store.resume("ben")
        assert ((await store.stored_policy(POLICY_KEY)).paused, (await store.moment()).paused) == (
            None,
            False,
        )

    @pytest.mark.proves("T-14")
    async def test_a_pause_by_another_process_takes_effect_immediately(
        self, store: Store, other: Store
    ) -> None:
        await other.pause("ada")

        assert (await store.moment()).paused
        await store.resume("ada")
        assert not (await other.moment()).paused

    async def test_a_change_of_an_approval_knows_whether_agents_are_paused(self, store: Store) -> None:
        await store.add_approval("q1", make_question(), MANY)
        await store.pause("ada")
        moments: list[Moment] = []

        def record_moment(approval: Approval, moment: Moment) -> ChangeResult:
            moments.append(moment)
            return ChangeResult(approval)

        await store.change_approval("q1", record_moment)
        await store.resume("ada")
        await store.change_approval("q1", record_moment)

        assert [moment.paused for moment in moments] == [True, False]

    async def test_an_approved_call_does_not_lapse_during_a_pause_and_gets_its_full_time_afterwards(
        self, store: Store, clock: SetClock
    ) -> None:
        self.needs_clock()
        await store.add_approval("q1", make_question(boot=store.boot, delivery=Delivery.SUSPEND), MANY)
        await store.change_approval("q1", answer_change())
        await store.pause("ada")
        clock.advance(HOUR)
        await store.record_heartbeat()

        assert await store.sweep(HOUR) == []
        await store.resume("ada")
        clock.advance(timedelta(minutes=14))
        assert await store.sweep(HOUR) == []
        clock.advance(MINUTE)
        assert [one.state for one in await store.sweep(HOUR)] == [State.LAPSED]

    async def test_approvals_of_a_dead_process_end_during_a_pause_too(self, store: Store) -> None:
        await store.add_approval("q1", make_question(boot=store.boot), MANY)
        await store.change_approval("q1", answer_change())
        await store.pause("ada")

        assert [one.state for one in await store.sweep(NO_GRACE)] == [State.WITHDRAWN]

    # ---- settings --------------------------------------------------------------------------------

    async def test_a_setting_is_written_read_and_removed(self, store: Store) -> None:
        assert await store.setting("colour") is None

        await store.save_setting("colour", "ñ", by="ada")
        await store.save_setting(START_MODE, "plan", by="ada")

        assert await store.setting("colour") == "ñ"
        assert (await store.stored_policy(POLICY_KEY)).start_mode == "plan"
        await store.save_setting(START_MODE, None, by="ada")
        assert ((await store.stored_policy(POLICY_KEY)).start_mode, await store.setting(START_MODE)) == (
            "",
            None,
        )

    # ---- declared tools --------------------------------------------------------------------------

    async def test_the_tools_of_an_origin_are_replaced_together(self, store: Store) -> None:
        sell = replace(SHOP_TOOL, tool=replace(SHOP_TOOL.tool, name="shop.sell"))
        other = DeclaredTool(tool=Tool(name="mail.read", origin="post"), trust=TrustLevel.TRUSTED)
        await store.set_declarations("", "post", [other], by="ada")
        await store.set_declarations("clerk", "shop", [SHOP_TOOL, sell], by="ada")
        first = await store.stored_policy(POLICY_KEY)

        await store.set_declarations("clerk", "shop", [SHOP_TOOL], by="ada")

        current = await store.stored_policy(POLICY_KEY)
        assert list(await store.declarations()) == [other, SHOP_TOOL]
        assert current.declarations_version == current.version > first.declarations_version > 0
        await store.set_declarations("clerk", "shop", [SHOP_TOOL], by="ben")
        assert (await store.stored_policy(POLICY_KEY)).version == current.version
        await store.set_declarations("clerk", "shop", [], by="ada")
        assert list(await store.declarations()) == [other]

    # ---- budgets ---------------------------------------------------------------------------------

    @pytest.mark.proves("R001-34")
    async def test_no_time_window_contains_more_calls_than_its_budget(
        self, store: Store, clock: SetClock
    ) -> None:
        self.needs_clock()
        made: list[int] = []
        for second in range(150):
            spent = await store.count_call("ana", 5, MINUTE)
            if spent.allowed:
                made.append(second)
            clock.advance(timedelta(seconds=1))

        assert len(made) >= 10
        for start in range(150):
            assert sum(start <= second < start + 60 for second in made) <= 5

    @pytest.mark.proves("R001-34")
    async def test_a_call_over_budget_is_refused_with_the_time_of_the_next_call(
        self, store: Store, clock: SetClock
    ) -> None:
        self.needs_clock()
        first = [await store.count_call("ana", 2, MINUTE) for _ in range(3)]
        rest = first[2].retry_after

        assert [one.allowed for one in first] == [True, True, False]
        assert 59 < rest <= 62
        clock.advance(timedelta(seconds=rest))
        assert (await store.count_call("ana", 2, MINUTE)).allowed
        assert (await store.count_call("ben", 2, MINUTE)).allowed

    @pytest.mark.proves("R001-34", "T-41")
    async def test_a_budget_applies_to_all_processes_together(self, store: Store, other: Store) -> None:
        spent = await asyncio.gather(
            *(
                one.count_call(who, 20, HOUR)
                for _ in range(40)
                for one in (store, other)
                for who in ("ana", "ben")
            )
        )

        assert sum(one.allowed for one in spent) == 40
        assert not (await store.count_call("ana", 20, HOUR)).allowed

    # ---- conversations ---------------------------------------------------------------------------

    async def test_conversations_are_listed_by_owner_newest_first(
        self, store: Store, clock: SetClock
    ) -> None:
        for number in range(5):
            owner = "ben" if number == 2 else "ana"
            await store.save_conversation(Conversation(id=f"c{number}", owner=owner, preset="assent"))
            clock.advance(HOUR)
        page = ConversationPage((), "")
        pages: list[list[str]] = []
        while not pages or page.after:
            page = await store.conversations("ana", limit=2, after=page.after)
            pages.append([one.id for one in page.conversations])

        assert pages == [["c4", "c3"], ["c1", "c0"]]
        assert [one.id for one in (await store.conversations()).conversations] == [
            "c4",
            "c3",
            "c2",
            "c1",
            "c0",
        ]
        assert await store.conversations("eve") == ((), "")
        with pytest.raises(InputError, match="is not a valid cursor"):
            await store.conversations(after="x")


def _find_event(events: list[Event], kind: str, id_: str) -> Event:
    return next(event for event in events if (event.kind, event.approval) == (kind, id_))


def _refuse_change(approval: Approval, moment: Moment) -> ChangeResult:
    raise InputError("not like this")
