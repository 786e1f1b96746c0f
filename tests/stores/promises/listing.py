"""Tests of lists: pages contain each row once, oldest first."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from assent.engine.base.tool import Effect
from assent.errors import InputError
from assent.gate.approval import (
    State,
    postpone,
)
from assent.gate.conversation import Conversation
from assent.gate.store import ApprovalFilter, AuditFilter, ChangeResult, Counters, Store
from tests.gate.samples import ANA, CALL, NO, SECOND, TOOL, make_question
from tests.stores.promises.given import (
    ALL_APPROVALS,
    HOUR,
    MANY,
    SetClock,
    StorePromises,
    answer_change,
    list_all_approvals,
    sample_entry,
)


class ListingPromises(StorePromises):
    """Tests of lists: pages contain each row once, oldest first."""

    async def test_a_thousand_approvals_are_listed_page_by_page_each_once_oldest_first(
        self, store: Store
    ) -> None:
        ids = [f"q{number:04}" for number in range(1000)]
        for start in range(0, 1000, 100):
            await asyncio.gather(
                *(store.add_approval(id, make_question(id), MANY) for id in ids[start : start + 100])
            )

        pages = [await store.approvals(ALL_APPROVALS)]
        while pages[-1].after:
            pages.append(await store.approvals(ALL_APPROVALS, after=pages[-1].after))
        found = [one for page in pages for one in page.approvals]

        assert [len(page.approvals) for page in pages] == [100] * 10
        assert sorted(one.id for one in found) == ids
        assert [one.asked_at for one in found] == sorted(one.asked_at for one in found)
        assert [one.id for one in await list_all_approvals(store, limit=7)] == [one.id for one in found]

    async def test_new_approvals_do_not_move_the_following_page(self, store: Store, clock: SetClock) -> None:
        for number in range(30):
            clock.advance(SECOND)
            await store.add_approval(f"q{number:02}", make_question(f"q{number:02}"), MANY)
        pending = ApprovalFilter(states=frozenset({State.PENDING}))
        first = await store.approvals(pending, limit=10)

        for one in first.approvals:
            await store.change_approval(one.id, answer_change())
        clock.advance(SECOND)
        await store.add_approval("q99", make_question("q99"), MANY)
        rest = await store.approvals(pending, limit=100, after=first.after)

        assert [one.id for one in first.approvals] == [f"q{n:02}" for n in range(10)]
        assert [one.id for one in rest.approvals] == [*(f"q{n:02}" for n in range(10, 30)), "q99"]
        assert rest.after == ""

    async def test_each_given_field_narrows_the_list(self, store: Store) -> None:
        await store.add_approval("q1", make_question("q1"), MANY)
        await store.add_approval("q2", make_question("q2", owner="ben"), MANY)
        await store.add_approval("q3", make_question("q3", call=replace(CALL, conversation="c2")), MANY)
        await store.add_approval("q4", make_question("q4", call=replace(CALL, agent="cook")), MANY)
        await store.add_approval("q5", make_question("q5", call=replace(CALL, tool="mail.send")), MANY)
        await store.add_approval("q6", make_question("q6", turn="t2"), MANY)
        await store.add_approval("q7", make_question("q7"), MANY)
        await store.change_approval("q7", answer_change())
        await store.add_approval("q8", make_question("q8"), MANY)
        await store.change_approval("q8", lambda one, moment: ChangeResult(postpone(one, ANA, at=moment.at)))
        wanted = {
            ApprovalFilter(owner="ben"): {"q2"},
            ApprovalFilter(conversation="c2"): {"q3"},
            ApprovalFilter(agent="cook"): {"q4"},
            ApprovalFilter(tool="mail.send"): {"q5"},
            ApprovalFilter(turn="t2"): {"q6"},
            ApprovalFilter(states=frozenset({State.APPROVED, State.DENIED})): {"q7"},
            ApprovalFilter(postponed=True): {"q8"},
            ApprovalFilter(postponed=False): {"q1", "q2", "q3", "q4", "q5", "q6", "q7"},
            ApprovalFilter(owner="ana", states=frozenset({State.PENDING}), postponed=False, turn="t1"): {
                "q1",
                "q3",
                "q4",
                "q5",
            },
            ApprovalFilter(owner="ben", resources=frozenset({"conversation:c2"})): {"q2", "q3"},
            ApprovalFilter(
                owner="ben", resources=frozenset({"agent:c2", "conversation:cook", "c2", "cook"})
            ): {"q2"},
            ApprovalFilter(owner="ben", resources=frozenset({"agent:cook", "conversation:c2"})): {
                "q2",
                "q3",
                "q4",
            },
            ApprovalFilter(owner="", resources=frozenset({"agent:cook"}), tool="mail.send"): set[str](),
            ApprovalFilter(owner="nobody"): set[str](),
            ApprovalFilter(owner=""): set[str](),
        }

        for which, ids in wanted.items():
            assert {one.id for one in await list_all_approvals(store, which)} == ids, which

    async def test_a_search_finds_tools_agents_conversations_and_titles_in_any_case(
        self, store: Store
    ) -> None:
        await store.save_conversation(
            Conversation(id="c2", owner="ana", preset="assent", title="Trip to 100%_Ñandú")
        )
        await store.add_approval("q1", make_question("q1"), MANY)
        await store.add_approval("q2", make_question("q2", call=replace(CALL, conversation="c2")), MANY)
        await store.add_approval("q3", make_question("q3", call=replace(CALL, agent="Cook_1")), MANY)
        await store.add_approval("q4", make_question("q4", call=replace(CALL, tool="mail.send")), MANY)
        wanted = {
            "TRIP": {"q2"},
            "100%_": {"q2"},
            "Ñandú": {"q2"},
            "c2": {"q2"},
            "cook_": {"q3"},
            "cook1": set[str](),
            "MAIL.": {"q4"},
            "terminal": {"q1", "q2", "q3"},
            "publish": set[str](),
            "'; DROP TABLE approvals; --": set[str](),
            "\\": set[str](),
        }

        for search, ids in wanted.items():
            assert {
                one.id for one in await list_all_approvals(store, ApprovalFilter(search=search))
            } == ids, search
        found = await list_all_approvals(
            store, ApprovalFilter(search="terminal", agent="clerk", conversation="c1")
        )
        assert [one.id for one in found] == ["q1"]

    async def test_approvals_can_be_filtered_by_the_effect_of_their_tool(self, store: Store) -> None:
        for effect in Effect:
            await store.add_approval(
                effect.value, make_question(effect.value, tool=replace(TOOL, effect=effect)), MANY
            )

        for effect in Effect:
            found = await list_all_approvals(store, ApprovalFilter(effect=effect))
            assert [one.id for one in found] == [effect.value]

    async def test_approvals_can_be_listed_newest_first(self, store: Store) -> None:
        for number in range(5):
            await store.add_approval(f"q{number}", make_question(f"q{number}"), MANY)
        first = await store.approvals(ALL_APPROVALS, limit=3, newest_first=True)
        rest = await store.approvals(ALL_APPROVALS, limit=3, after=first.after, newest_first=True)

        assert [one.id for one in (*first.approvals, *rest.approvals)] == ["q4", "q3", "q2", "q1", "q0"]
        assert rest.after == ""

    async def test_approvals_can_be_filtered_by_stored_arguments(self, store: Store) -> None:
        await store.add_approval("q1", make_question(boot=store.boot), MANY)
        await store.change_approval("q1", answer_change(NO))
        await store.add_approval("q2", make_question("q2", boot=store.boot), MANY)

        await store.sweep(HOUR, keep=timedelta(0))

        assert [one.id for one in await list_all_approvals(store, ApprovalFilter(has_arguments=True))] == [
            "q2"
        ]
        assert len(await list_all_approvals(store)) == 2

    async def test_the_audit_can_be_filtered_by_user_tool_and_time(self, store: Store) -> None:
        for number in range(1, 6):
            verdict = "deny" if number == 2 else "ask"
            store.record(sample_entry(number, agent="cook" if number > 3 else "clerk", verdict=verdict))
        await store.flush_audit()
        at = (await store.moment()).at
        wanted = {
            AuditFilter(agent="cook"): ["e4", "e5"],
            AuditFilter(verdict="deny"): ["e2"],
            AuditFilter(decision="deny"): ["e2"],
            AuditFilter(user="ana", conversation="c1", tool="t", verdict="ask", agent="clerk"): ["e1", "e3"],
            AuditFilter(since=at + HOUR): [],
            AuditFilter(until=at - HOUR): [],
            AuditFilter(since=at - HOUR, until=at + HOUR, agent="cook"): ["e4", "e5"],
            AuditFilter(answers=True): [],
        }

        for audit_filter, ids in wanted.items():
            links, _ = await store.audit(audit_filter)
            assert [link.entry.id for link in links] == ids, audit_filter
        newest, after = await store.audit(limit=2, newest_first=True)
        older, _ = await store.audit(limit=2, after=after, newest_first=True)
        assert [link.entry.id for link in (*newest, *older)] == ["e5", "e4", "e3", "e2"]

    async def test_an_invalid_cursor_is_refused(self, store: Store) -> None:
        with pytest.raises(InputError):
            await store.approvals(ALL_APPROVALS, after="'; --")
        with pytest.raises(InputError):
            await store.audit(after="'; --")

    async def test_pending_approvals_are_counted(self, store: Store) -> None:
        for id in ("q1", "q2", "q3"):
            await store.add_approval(id, make_question(id), MANY)
        before = await store.count_pending()
        await store.change_approval("q1", answer_change())

        assert (before, await store.count_pending()) == (3, 2)
        # Entries of the audit may still wait: an answer does not wait for them.
        assert store.counters()._replace(audit_spooled=0) == Counters()
