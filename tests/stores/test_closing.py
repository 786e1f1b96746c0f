"""The chain of a process that ended without closing it is closed by another, unless rows of it are missing."""

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from assent.gate.audit import Link, breaks
from assent.gate.store import ALL_ENTRIES, Moment
from assent.stores.audit_pages import page_of
from assent.stores.closing import SILENT, closed, unclosed_of
from assent.stores.ledger import Ledger
from assent.stores.policy import beaten
from tests.gate.samples import NOW
from tests.stores.database import transaction
from tests.stores.promises.given import an_entry

LATER = NOW + SILENT + timedelta(seconds=1)


def begin(connection: Connection, writer: str, entries: int) -> None:
    """A process that lived, and wrote some entries."""
    beaten(connection, Moment(NOW, 0), writer)
    Ledger(writer).write(connection, NOW, [an_entry(number) for number in range(entries)])


def chain(connection: Connection) -> tuple[Link, ...]:
    return page_of(connection, ALL_ENTRIES, 100, "")[0]


@pytest.mark.proves("R-31")
@pytest.mark.parametrize("entries", [0, 3])
def test_a_chain_is_closed_once_with_a_row_that_is_linked_to_it(tmp_path: Path, entries: int) -> None:
    with transaction(tmp_path / "a.db") as connection:
        begin(connection, "dead", entries)
        first = closed(connection, Moment(LATER, 0), unclosed_of(connection, lambda: LATER))
        again = unclosed_of(connection, lambda: LATER)

        links = chain(connection)
    assert (first.result, again) == (1, [])
    assert [link.number for link in links] == list(range(1, entries + 2))
    assert list(breaks(links)) == []
    assert (links[-1].writer, links[-1].entry.decision) == ("dead", "chain_closed")
    assert links[-1].entry.reason == (
        "this process was last seen at 2026-03-01 12:00:00 UTC and ended without closing its chain: rows of"
        " its last 50 ms may be missing, of calls that ran or asked and of changes; never of an answer or a"
        " claim"
    )


def test_a_process_that_shows_signs_of_life_or_closed_its_chain_is_left_alone(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        begin(connection, "lives", 1)
        beaten(connection, Moment(LATER, 0), "lives")
        begin(connection, "ended", 0)
        Ledger("ended").close(connection)

        assert unclosed_of(connection, lambda: LATER) == []


def test_a_process_of_a_version_without_an_outbox_is_left_alone(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        begin(connection, "old", 0)
        connection.execute(text("UPDATE processes SET chain = NULL"))

        assert unclosed_of(connection, lambda: LATER) == []
        assert closed(connection, Moment(LATER, 0), ["old", "unknown"]).result == 0


@pytest.mark.proves("R-31", "T-40")
def test_a_chain_that_lost_rows_is_not_closed_over(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        begin(connection, "dead", 3)
        connection.execute(text("DROP TRIGGER audit_outbox_is_moved"))
        connection.execute(text("DELETE FROM audit_outbox WHERE place = 3"))

        assert closed(connection, Moment(LATER, 0), ["dead"]).result == 0
        assert len(chain(connection)) == 2
