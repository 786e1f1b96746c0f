"""The audit's entries are chained, kept until they are written, and counted when they are lost."""

import stat
from pathlib import Path

import pytest
from sqlalchemy import text

from assent.gate.audit import breaks
from assent.gate.ports import ALL
from assent.stores import ledger
from assent.stores.audit_pages import page_of
from assent.stores.ledger import Ledger
from tests.gate.samples import NOW
from tests.stores.database import transaction
from tests.stores.promises.given import an_entry


def test_entries_are_one_chain_over_several_writes(tmp_path: Path) -> None:
    book = Ledger("w")
    for number in range(1, 6):
        book.add(an_entry(number))
        with transaction(tmp_path / "a.db") as connection:
            book.write(connection, NOW)
        book.written()

    with transaction(tmp_path / "a.db") as connection:
        links, _ = page_of(connection, ALL, 100, "")
    assert [link.number for link in links] == [1, 2, 3, 4, 5]
    assert list(breaks(links)) == []


@pytest.mark.proves("R-16")
def test_a_write_whose_commit_was_not_heard_is_there_once(tmp_path: Path) -> None:
    book = Ledger("w")
    book.add(an_entry(1))
    with transaction(tmp_path / "a.db") as connection:
        book.write(connection, NOW)
    book.failed(OSError())
    assert (book.spooled, len(book)) == (1, 1)

    with transaction(tmp_path / "a.db") as connection:
        book.write(connection, NOW)
    book.written()

    assert (book.spooled, len(book)) == (0, 0)
    with transaction(tmp_path / "a.db") as connection:
        assert connection.execute(text("SELECT count(*) FROM audit")).scalar() == 1


@pytest.mark.proves("R-16", "T-40")
def test_what_is_left_at_the_end_is_in_a_file_for_the_next(tmp_path: Path) -> None:
    spool = tmp_path / "spool.jsonl"
    first, second = Ledger("one", str(spool)), Ledger("two", str(spool))
    for book in (first, second):
        book.add(an_entry(1))
        book.unload()
    assert stat.S_IMODE(spool.stat().st_mode) == 0o600

    third = Ledger("three", str(spool))
    third.load()
    with transaction(tmp_path / "a.db") as connection:
        third.write(connection, NOW)
    third.written()

    with transaction(tmp_path / "a.db") as connection:
        assert [link.writer for link in page_of(connection, ALL, 9, "")[0]] == ["one", "two"]
    assert list(tmp_path.glob("spool*")) == []


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

    book._links.append(book._linked(an_entry(1), NOW))
    book.failed(OSError())

    assert (book.is_due(idle=True), book.patience()) == (False, ledger.AGAIN)
