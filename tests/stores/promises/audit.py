"""The audit is a chain of hashes, and recording never blocks or fails."""

import pytest

from assent.gate.approval import report
from assent.gate.audit import find_chain_breaks
from assent.gate.store import ChangeResult, Store
from tests.gate.samples import make_question
from tests.stores.promises.given import (
    MANY,
    StorePromises,
    answer_change,
    claim_change,
    list_all_links,
    sample_entry,
)


class AuditPromises(StorePromises):
    """The audit is a chain of hashes, and recording never blocks or fails."""

    @pytest.mark.proves("T-40")
    async def test_every_entry_is_one_link_of_an_intact_chain(self, store: Store) -> None:
        entries = [sample_entry(number, decision="approved", reason="ñ\u0000'") for number in range(250)]
        for entry in entries:
            store.record(entry)
        await store.flush_audit()

        links = await list_all_links(store)

        assert [link.entry for link in links] == entries
        assert [link.number for link in links] == list(range(1, 251))
        assert {link.writer for link in links} == {store.boot}
        assert list(find_chain_breaks(links)) == []
        assert [link.entry for link in await list_all_links(store, limit=7)] == entries

    @pytest.mark.proves("R-31", "T-40")
    async def test_the_audit_rows_of_a_change_are_committed_with_it(self, store: Store) -> None:
        await store.add_approval("q1", make_question(boot=store.boot), MANY)
        await store.change_approval("q1", answer_change())
        await store.change_approval("q1", answer_change())
        await store.change_approval("q1", claim_change("k1", store.boot))
        await store.change_approval(
            "q1", lambda one, moment: ChangeResult(report(one, "k1", failed=False, note="", at=moment.at))
        )

        links = await list_all_links(store)

        assert [(link.entry.decision, link.entry.approval) for link in links] == [
            ("approved", "q1"), ("claimed", "q1"), ("executed", "q1"),
        ]  # fmt: skip
        assert list(find_chain_breaks(links)) == []

    async def test_the_last_page_of_the_audit_has_no_cursor(self, store: Store) -> None:
        assert await store.audit() == ((), "")
        for number in range(10):
            store.record(sample_entry(number))
        await store.flush_audit()

        first, after = await store.audit(limit=5)
        rest, end = await store.audit(limit=5, after=after)

        assert (len(first), len(rest), end) == (5, 5, "")

    async def test_a_reason_is_shortened_before_it_is_linked(self, store: Store) -> None:
        store.record(sample_entry(reason="x" * 10_000))
        await store.flush_audit()
        links = await list_all_links(store)

        assert len(links[0].entry.reason) == 2000
        assert list(find_chain_breaks(links)) == []

    async def test_recording_never_fails(self, store: Store) -> None:
        store.record(sample_entry(1, reason="half a pair \ud800", tool="\x00"))
        await store.flush_audit()
        store.record(sample_entry(2))
        await store.flush_audit()

        assert sample_entry(2) in [link.entry for link in await list_all_links(store)]
        await store.close()
        store.record(sample_entry(3))
