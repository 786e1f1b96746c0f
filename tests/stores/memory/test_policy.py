"""The policy of a store in memory is changed only while the store is open."""

import pytest

from assent.errors import NotFoundError, StoreError
from assent.stores.memory.store import MemoryStore
from tests.gate.samples import make_question
from tests.stores.promises.given import MANY, SetClock


async def test_an_unknown_rule_is_neither_revoked_nor_replaced() -> None:
    store = MemoryStore()

    with pytest.raises(NotFoundError):
        await store.revoke("r1", by="ada")
    with pytest.raises(NotFoundError):
        await store.replace_rule("r1", lambda rule: rule, by="ada")


async def test_a_closed_store_refuses_changes_of_policy() -> None:
    store = MemoryStore()
    await store.close()

    with pytest.raises(StoreError):
        await store.set_tiers([], cleared=[("clerk", "a")])
    with pytest.raises(StoreError):
        await store.replace_rule("r1", lambda rule: rule, by="ada")


async def test_a_cursor_of_another_store_returns_a_reset() -> None:
    one, other = MemoryStore(clock=SetClock()), MemoryStore(clock=SetClock())
    await one.add_approval("q1", make_question(), MANY)
    await other.add_approval("q1", make_question(), MANY)

    assert (await other.events(await one.latest_cursor())).reset


async def test_a_refused_question_leaves_no_event() -> None:
    store = MemoryStore(clock=SetClock())
    before = await store.latest_cursor()

    for _ in range(3):
        await store.add_approval("q1", make_question(), MANY)

    assert len((await store.events(before)).events) == 1
