"""Audit entries form one chain, are committed with their change, and are counted if they are lost."""

import json
import stat
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from assent.gate.audit import CHAIN_START_HASH, Link, find_chain_breaks, link_entry
from assent.gate.policy import Moment
from assent.gate.store import ALL_ENTRIES
from assent.stores.audit import ledger
from assent.stores.audit.ledger import PROCESS_TIMEOUT, Ledger, close_chains, read_dead_open_chains
from assent.stores.audit.queries import audit_page
from assent.stores.sql.policy_edits import record_heartbeat
from assent.stores.sql.statement import CoreConnection
from assent.wire.audit import link_to_json
from tests.gate.samples import NOW
from tests.stores.database import transaction
from tests.stores.promises.given import sample_entry


def read_links_of_all(connection: CoreConnection) -> tuple[Link, ...]:
    return audit_page(connection, ALL_ENTRIES, 100, "")[0]


def read_process_state(connection: CoreConnection, boot: str) -> tuple[object, ...]:
    row = connection.core.execute(
        text("SELECT audited, chain FROM processes WHERE boot = :boot"), {"boot": boot}
    )
    return tuple(row.one())


def test_entries_of_several_writes_form_one_chain(tmp_path: Path) -> None:
    book = Ledger("w")
    for number in range(1, 6):
        book.add(sample_entry(number))
        with transaction(tmp_path / "a.db") as connection:
            book.write(connection, NOW)
        book.mark_committed()

    with transaction(tmp_path / "a.db") as connection:
        links = read_links_of_all(connection)
        assert read_process_state(connection, "w") == (5, "open")
    assert [link.number for link in links] == [1, 2, 3, 4, 5]
    assert list(find_chain_breaks(links)) == []
    assert (len(book), book.unwritten_count) == (5, 0)


def test_queued_entries_are_linked_before_new_ones(tmp_path: Path) -> None:
    book = Ledger("w")
    book.add(sample_entry(1))
    with transaction(tmp_path / "a.db") as connection:
        book.write(connection, NOW, [sample_entry(2)])
        book.add(sample_entry(3))
    book.mark_committed()

    assert book.unwritten_count == 1
    with transaction(tmp_path / "a.db") as connection:
        assert [link.entry.id for link in read_links_of_all(connection)] == ["e1", "e2"]


def test_entries_of_a_rolled_back_transaction_are_linked_again(tmp_path: Path) -> None:
    book = Ledger("w")
    book.add(sample_entry(1))
    with pytest.raises(ZeroDivisionError), transaction(tmp_path / "a.db") as connection:
        _ = book.write(connection, NOW, [sample_entry(2)]), 1 // 0
    book.mark_rolled_back()

    with transaction(tmp_path / "a.db") as connection:
        book.write(connection, NOW)
    book.mark_committed()

    with transaction(tmp_path / "a.db") as connection:
        assert [(link.number, link.entry.id) for link in read_links_of_all(connection)] == [(1, "e1")]


@pytest.mark.proves("R-16", "R-31")
def test_entries_of_a_commit_with_an_unknown_outcome_are_written_once(tmp_path: Path) -> None:
    book = Ledger("w")
    book.add(sample_entry(1))
    with transaction(tmp_path / "a.db") as connection:
        book.write(connection, NOW, [sample_entry(2)])
    book.mark_rolled_back()

    with transaction(tmp_path / "a.db") as connection:
        book.write(connection, NOW, [sample_entry(3)])
    book.mark_committed()

    with transaction(tmp_path / "a.db") as connection:
        links = read_links_of_all(connection)
    assert [(link.number, link.entry.id) for link in links] == [(1, "e1"), (2, "e2"), (3, "e3")]
    assert list(find_chain_breaks(links)) == []


@pytest.mark.proves("R-31")
def test_a_process_that_was_assumed_dead_continues_its_chain_after_the_closing_row(tmp_path: Path) -> None:
    book = Ledger("w")
    book.add(sample_entry(1))
    with transaction(tmp_path / "a.db") as connection:
        record_heartbeat(connection, Moment(NOW, 0), "w")
        book.write(connection, NOW)
    book.mark_committed()
    with transaction(tmp_path / "a.db") as connection:
        assert close_chains(connection, Moment(NOW, 0), ["w"]).result == 1
        assert read_process_state(connection, "w") == (2, "cut")

    with transaction(tmp_path / "a.db") as connection:
        book.write(connection, NOW, [sample_entry(2)])
    book.mark_committed()

    with transaction(tmp_path / "a.db") as connection:
        links = read_links_of_all(connection)
        assert read_process_state(connection, "w") == (3, "open")
    assert [link.entry.decision for link in links] == ["", "chain_closed", ""]
    assert list(find_chain_breaks(links)) == []


def test_a_chain_is_marked_closed_only_at_its_actual_end(tmp_path: Path) -> None:
    book = Ledger("w")
    with transaction(tmp_path / "a.db") as connection:
        book.write(connection, NOW, [sample_entry(1)])
    with transaction(tmp_path / "a.db") as connection:
        book.close_chain(connection)
        assert read_process_state(connection, "w") == (1, "open")
    book.mark_committed()

    with transaction(tmp_path / "a.db") as connection:
        book.close_chain(connection)
        assert read_process_state(connection, "w") == (1, "closed")


@pytest.mark.proves("R-16", "T-40")
def test_unwritten_entries_are_left_in_a_spool_file_for_the_next_process(tmp_path: Path) -> None:
    spool = tmp_path / "spool.jsonl"
    first, second = Ledger("one", str(spool)), Ledger("two", str(spool))
    for number, book in enumerate((first, second)):
        book.add(sample_entry(number))
        book.write_spool()
    assert stat.S_IMODE(spool.stat().st_mode) == 0o600

    third = Ledger("three", str(spool))
    third.load_spool()
    with transaction(tmp_path / "a.db") as connection:
        third.write(connection, NOW)
    third.mark_committed()

    with transaction(tmp_path / "a.db") as connection:
        links = read_links_of_all(connection)
    assert [(link.writer, link.entry.id) for link in links] == [("three", "e0"), ("three", "e1")]
    assert list(find_chain_breaks(links)) == []
    assert list(tmp_path.glob("spool*")) == []


def test_spooled_links_of_an_earlier_version_keep_their_chain(tmp_path: Path) -> None:
    spool = tmp_path / "spool.jsonl"
    left = link_entry(sample_entry(1), writer="old", number=1, at=NOW, previous=CHAIN_START_HASH)
    spool.write_text(json.dumps(link_to_json(left)) + "\n")
    book = Ledger("new", str(spool))
    book.load_spool()

    with transaction(tmp_path / "a.db") as connection:
        book.write(connection, NOW)
    book.mark_committed()

    with transaction(tmp_path / "a.db") as connection:
        assert read_links_of_all(connection) == (left,)


def test_an_invalid_spool_line_is_counted_as_lost_and_the_others_are_kept(tmp_path: Path) -> None:
    spool = tmp_path / "spool.jsonl"
    book = Ledger("one", str(spool))
    book.add(sample_entry(1))
    book.write_spool()
    spool.write_text("half a line\n" + spool.read_text())

    again = Ledger("two", str(spool))
    again.load_spool()

    assert (again.lost, len(again)) == (1, 1)


@pytest.mark.proves("R-16")
def test_entries_over_the_queue_limit_are_counted_as_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "MAX_QUEUED_ENTRIES", 2)
    book = Ledger("w")
    for number in range(5):
        book.add(sample_entry(number))

    assert (len(book), book.lost) == (2, 3)


@pytest.mark.proves("R-16")
def test_without_a_spool_file_unwritten_entries_are_counted_as_lost() -> None:
    book = Ledger("w")
    book.add(sample_entry(1))

    book.write_spool()

    assert book.lost == 1


def test_entries_are_written_when_idle_and_with_a_delay_after_a_failure() -> None:
    book = Ledger("w")
    assert (book.is_due(idle=True), book.wait_timeout()) == (False, None)
    book.add(sample_entry(1))
    assert (book.is_due(idle=False), book.is_due(idle=True), book.wait_timeout()) == (
        False,
        True,
        ledger.IDLE_DELAY,
    )

    book.mark_failed(OSError())

    assert (book.is_due(idle=True), book.wait_timeout(), book.spooled_count) == (False, ledger.RETRY_DELAY, 1)
    book.mark_moved()
    assert book.spooled_count == 0


LATER = NOW + PROCESS_TIMEOUT + timedelta(seconds=1)


def start_writer(connection: CoreConnection, writer: str, entries: int) -> None:
    """Start a writer and record some entries."""
    record_heartbeat(connection, Moment(NOW, 0), writer)
    Ledger(writer).write(connection, NOW, [sample_entry(number) for number in range(entries)])


def read_chain(connection: CoreConnection) -> tuple[Link, ...]:
    return audit_page(connection, ALL_ENTRIES, 100, "")[0]


@pytest.mark.proves("R-31")
@pytest.mark.parametrize("entries", [0, 3])
def test_the_chain_of_a_dead_process_is_closed_once_with_a_linked_row(tmp_path: Path, entries: int) -> None:
    with transaction(tmp_path / "a.db") as connection:
        start_writer(connection, "dead", entries)
        first = close_chains(connection, Moment(LATER, 0), read_dead_open_chains(connection, lambda: LATER))
        again = read_dead_open_chains(connection, lambda: LATER)

        links = read_chain(connection)
    assert (first.result, again) == (1, [])
    assert [link.number for link in links] == list(range(1, entries + 2))
    assert list(find_chain_breaks(links)) == []
    assert (links[-1].writer, links[-1].entry.decision) == ("dead", "chain_closed")
    assert links[-1].entry.reason == (
        "this process was last seen at 2026-03-01 12:00:00 UTC and ended without closing its chain: rows of"
        " its last 50 ms may be missing, of calls that ran or asked and of changes; never of an answer or a"
        " claim"
    )


def test_live_processes_and_closed_chains_are_not_closed_again(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        start_writer(connection, "lives", 1)
        record_heartbeat(connection, Moment(LATER, 0), "lives")
        start_writer(connection, "ended", 0)
        Ledger("ended").close_chain(connection)

        assert read_dead_open_chains(connection, lambda: LATER) == []


def test_the_chain_of_a_process_without_an_outbox_is_not_closed(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        start_writer(connection, "old", 0)
        connection.core.execute(text("UPDATE processes SET chain = NULL"))

        assert read_dead_open_chains(connection, lambda: LATER) == []
        assert close_chains(connection, Moment(LATER, 0), ["old", "unknown"]).result == 0


@pytest.mark.proves("R-31", "T-40")
def test_a_chain_with_missing_rows_is_not_closed(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        start_writer(connection, "dead", 3)
        connection.core.execute(text("DROP TRIGGER audit_outbox_is_moved"))
        connection.core.execute(text("DELETE FROM audit_outbox WHERE place = 3"))

        assert close_chains(connection, Moment(LATER, 0), ["dead"]).result == 0
        assert len(read_chain(connection)) == 2
