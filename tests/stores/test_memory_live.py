"""Each store in memory has a life of its own, which its cursors tell."""

from assent.stores.memory import MemoryStore
from tests.gate.samples import asking
from tests.stores.promises.given import MANY, SetClock


async def test_a_cursor_of_another_store_gives_a_reset() -> None:
    one, other = MemoryStore(clock=SetClock()), MemoryStore(clock=SetClock())
    await one.add_approval("q1", asking(), MANY)
    await other.add_approval("q1", asking(), MANY)

    assert (await other.events(await one.latest_cursor())).reset


async def test_a_refused_question_leaves_no_event() -> None:
    store = MemoryStore(clock=SetClock())
    before = await store.latest_cursor()

    for _ in range(3):
        await store.add_approval("q1", asking(), MANY)

    assert len((await store.events(before)).events) == 1
