"""The policy of a store in memory is changed only while the store is open."""

import pytest

from assent.errors import NotFoundError, StoreError
from assent.stores.memory import MemoryStore


async def test_what_is_not_there_is_neither_revoked_nor_replaced() -> None:
    store = MemoryStore()

    with pytest.raises(NotFoundError):
        await store.revoke("r1", by="ada")
    with pytest.raises(NotFoundError):
        await store.replace_rule("r1", lambda rule: rule, by="ada")


async def test_a_closed_store_changes_no_policy() -> None:
    store = MemoryStore()
    await store.close()

    with pytest.raises(StoreError):
        await store.set_tiers([], cleared=[("clerk", "a")])
    with pytest.raises(StoreError):
        await store.replace_rule("r1", lambda rule: rule, by="ada")
