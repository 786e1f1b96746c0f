"""The audit's entries are one chain, committed with what they tell of, and counted when they are lost."""

import json
import stat
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from assent.gate.audit import START, Link, breaks, linked
from assent.gate.store import ALL_ENTRIES, Moment
from assent.stores import ledger
from assent.stores.audit_pages import page_of
from assent.stores.closing import closed
from assent.stores.ledger import Ledger
from assent.stores.policy import beaten
from assent.wire.audit import link_to_json
from tests.gate.samples import NOW
from tests.stores.database import transaction
from tests.stores.promises.given import an_entry


def links_in(connection: Connection) -> tuple[Link, ...]:
    return page_of(connection, ALL_ENTRIES, 100, "")[0]


def state_of(connection: Connection, boot: str) -> tuple[object, ...]:
    row = connection.execute(text("SELECT audited, chain FROM processes WHERE boot = :boot"), {"boot": boot})
    return tuple(row.one())


def test_entries_are_one_chain_over_several_writes(tmp_path: Path) -> None:
    book = Ledger("w")
    for number in range(1, 6):
        book.add(an_entry(number))
        with transaction(tmp_path / "a.db") as connection:
            book.write(connection, NOW)
        book.written()

    with transaction(tmp_path / "a.db") as connection:
        links = links_in(connection)
        assert state_of(connection, "w") == (5, "open")
    assert [link.number for link in links] == [1, 2, 3, 4, 5]
    assert list(breaks(links)) == []
    assert (len(book), book.unwritten) == (5, 0)


def test_what_waited_comes_before_what_is_committed_now(tmp_path: Path) -> None:
    book = Ledger("w")
    book.add(an_entry(1))
    with transaction(tmp_path / "a.db") as connection:
        book.write(connection, NOW, [an_entry(2)])
        book.add(an_entry(3))
    book.written()

    assert book.unwritten == 1
    with transaction(tmp_path / "a.db") as connection:
        assert [link.entry.id for link in links_in(connection)] == ["e1", "e2"]


def test_what_was_rolled_back_is_linked_again(tmp_path: Path) -> None:
    book = Ledger("w")
    book.add(an_entry(1))
    with pytest.raises(ZeroDivisionError), transaction(tmp_path / "a.db") as connection:
        _ = book.write(connection, NOW, [an_entry(2)]), 1 // 0
    book.undone()

    with transaction(tmp_path / "a.db") as connection:
        book.write(connection, NOW)
    book.written()

    with transaction(tmp_path / "a.db") as connection:
        assert [(link.number, link.entry.id) for link in links_in(connection)] == [(1, "e1")]


@pytest.mark.proves("R-16", "R-31")
def test_a_write_whose_commit_was_not_heard_is_there_once(tmp_path: Path) -> None:
    book = Ledger("w")
    book.add(an_entry(1))
    with transaction(tmp_path / "a.db") as connection:
        book.write(connection, NOW, [an_entry(2)])
    book.undone()

    with transaction(tmp_path / "a.db") as connection:
        book.write(connection, NOW, [an_entry(3)])
    book.written()

    with transaction(tmp_path / "a.db") as connection:
        links = links_in(connection)
    assert [(link.number, link.entry.id) for link in links] == [(1, "e1"), (2, "e2"), (3, "e3")]
    assert list(breaks(links)) == []


@pytest.mark.proves("R-31")
def test_a_process_that_was_taken_for_dead_goes_on_behind_the_row_that_says_so(tmp_path: Path) -> None:
    book = Ledger("w")
    book.add(an_entry(1))
    with transaction(tmp_path / "a.db") as connection:
        beaten(connection, Moment(NOW, 0), "w")
        book.write(connection, NOW)
    book.written()
    with transaction(tmp_path / "a.db") as connection:
        assert closed(connection, Moment(NOW, 0), ["w"]).result == 1
        assert state_of(connection, "w") == (2, "cut")

    with transaction(tmp_path / "a.db") as connection:
        book.write(connection, NOW, [an_entry(2)])
    book.written()

    with transaction(tmp_path / "a.db") as connection:
        links = links_in(connection)
        assert state_of(connection, "w") == (3, "open")
    assert [link.entry.decision for link in links] == ["", "chain_closed", ""]
    assert list(breaks(links)) == []


def test_a_chain_that_is_closed_says_so_only_where_it_ends(tmp_path: Path) -> None:
    book = Ledger("w")
    with transaction(tmp_path / "a.db") as connection:
        book.write(connection, NOW, [an_entry(1)])
    with transaction(tmp_path / "a.db") as connection:
        book.close(connection)
        assert state_of(connection, "w") == (1, "open")
    book.written()

    with transaction(tmp_path / "a.db") as connection:
        book.close(connection)
        assert state_of(connection, "w") == (1, "closed")


@pytest.mark.proves("R-16", "T-40")
def test_what_is_left_at_the_end_is_in_a_file_for_the_next(tmp_path: Path) -> None:
    spool = tmp_path / "spool.jsonl"
    first, second = Ledger("one", str(spool)), Ledger("two", str(spool))
    for number, book in enumerate((first, second)):
        book.add(an_entry(number))
        book.unload()
    assert stat.S_IMODE(spool.stat().st_mode) == 0o600

    third = Ledger("three", str(spool))
    third.load()
    with transaction(tmp_path / "a.db") as connection:
        third.write(connection, NOW)
    third.written()

    with transaction(tmp_path / "a.db") as connection:
        links = links_in(connection)
    assert [(link.writer, link.entry.id) for link in links] == [("three", "e0"), ("three", "e1")]
    assert list(breaks(links)) == []
    assert list(tmp_path.glob("spool*")) == []


def test_what_an_earlier_version_left_linked_keeps_its_chain(tmp_path: Path) -> None:
    spool = tmp_path / "spool.jsonl"
    left = linked(an_entry(1), writer="old", number=1, at=NOW, previous=START)
    spool.write_text(json.dumps(link_to_json(left)) + "\n")
    book = Ledger("new", str(spool))
    book.load()

    with transaction(tmp_path / "a.db") as connection:
        book.write(connection, NOW)
    book.written()

    with transaction(tmp_path / "a.db") as connection:
        assert links_in(connection) == (left,)


def test_a_line_that_is_none_is_counted_and_the_others_are_kept(tmp_path: Path) -> None:
    spool = tmp_path / "spool.jsonl"
    book = Ledger("one", str(spool))
    book.add(an_entry(1))
    book.unload()
    spool.write_text("half a line\n" + spool.read_text())

    again = Ledger("two", str(spool))
    again.load()

    assert (again.lost, len(again)) == (1, 1)


@pytest.mark.proves("R-16")
def test_more_than_there_is_room_for_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "MOST", 2)
    book = Ledger("w")
    for number in range(5):
        book.add(an_entry(number))

    assert (len(book), book.lost) == (2, 3)


@pytest.mark.proves("R-16")
def test_without_a_file_to_leave_it_in_what_is_left_is_counted() -> None:
    book = Ledger("w")
    book.add(an_entry(1))

    book.unload()

    assert book.lost == 1


def test_it_is_written_in_a_lull_and_not_at_once_after_a_fault() -> None:
    book = Ledger("w")
    assert (book.is_due(idle=True), book.patience()) == (False, None)
    book.add(an_entry(1))
    assert (book.is_due(idle=False), book.is_due(idle=True), book.patience()) == (False, True, ledger.LULL)

    book.failed(OSError())

    assert (book.is_due(idle=True), book.patience(), book.spooled) == (False, ledger.AGAIN, 1)
    book.moved()
    assert book.spooled == 0
