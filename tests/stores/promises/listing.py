"""Lists come page by page, each row once, oldest first."""

import asyncio
from dataclasses import replace

import pytest

from assent.errors import InputError
from assent.gate.approval import (
    State,
    put_off,
)
from assent.gate.ports import Changed, Store, Which
from tests.gate.samples import ANA, CALL, SECOND, asking
from tests.stores.promises.given import ANYTHING, MANY, GivenStore, SetClock, answering, every_approval


class Listing(GivenStore):
    """Lists come page by page, each row once, oldest first."""

    async def test_a_thousand_questions_come_page_by_page_each_once_and_oldest_first(
        self, store: Store
    ) -> None:
        ids = [f"q{number:04}" for number in range(1000)]
        for start in range(0, 1000, 100):
            await asyncio.gather(*(store.add(id, asking(id), MANY) for id in ids[start : start + 100]))

        pages = [await store.approvals(ANYTHING)]
        while pages[-1].after:
            pages.append(await store.approvals(ANYTHING, after=pages[-1].after))
        found = [one for page in pages for one in page.approvals]

        assert [len(page.approvals) for page in pages] == [100] * 10
        assert sorted(one.id for one in found) == ids
        assert [one.asked_at for one in found] == sorted(one.asked_at for one in found)
        assert [one.id for one in await every_approval(store, limit=7)] == [one.id for one in found]

    async def test_a_page_is_not_moved_by_what_happens_meanwhile(self, store: Store, clock: SetClock) -> None:
        for number in range(30):
            clock.passes(SECOND)
            await store.add(f"q{number:02}", asking(f"q{number:02}"), MANY)
        pending = Which(states=frozenset({State.PENDING}))
        first = await store.approvals(pending, limit=10)

        for one in first.approvals:
            await store.change(one.id, answering())
        clock.passes(SECOND)
        await store.add("q99", asking("q99"), MANY)
        rest = await store.approvals(pending, limit=100, after=first.after)

        assert [one.id for one in first.approvals] == [f"q{n:02}" for n in range(10)]
        assert [one.id for one in rest.approvals] == [*(f"q{n:02}" for n in range(10, 30)), "q99"]
        assert rest.after == ""

    async def test_each_field_that_is_given_narrows(self, store: Store) -> None:
        await store.add("q1", asking("q1"), MANY)
        await store.add("q2", asking("q2", owner="ben"), MANY)
        await store.add("q3", asking("q3", call=replace(CALL, conversation="c2")), MANY)
        await store.add("q4", asking("q4", call=replace(CALL, agent="cook")), MANY)
        await store.add("q5", asking("q5", call=replace(CALL, tool="mail.send")), MANY)
        await store.add("q6", asking("q6", turn="t2"), MANY)
        await store.add("q7", asking("q7"), MANY)
        await store.change("q7", answering())
        await store.add("q8", asking("q8"), MANY)
        await store.change("q8", lambda one, moment: Changed(put_off(one, ANA, at=moment.at)))
        wanted = {
            Which(owner="ben"): {"q2"},
            Which(conversation="c2"): {"q3"},
            Which(agent="cook"): {"q4"},
            Which(tool="mail.send"): {"q5"},
            Which(turn="t2"): {"q6"},
            Which(states=frozenset({State.APPROVED, State.DENIED})): {"q7"},
            Which(later=True): {"q8"},
            Which(later=False): {"q1", "q2", "q3", "q4", "q5", "q6", "q7"},
            Which(owner="ana", states=frozenset({State.PENDING}), later=False, turn="t1"): {
                "q1",
                "q3",
                "q4",
                "q5",
            },
            Which(owner="nobody"): set[str](),
            Which(owner=""): set[str](),
        }

        for which, ids in wanted.items():
            assert {one.id for one in await every_approval(store, which)} == ids, which

    async def test_a_place_in_no_list_is_refused(self, store: Store) -> None:
        with pytest.raises(InputError):
            await store.approvals(ANYTHING, after="'; --")
        with pytest.raises(InputError):
            await store.audit(after="'; --")
