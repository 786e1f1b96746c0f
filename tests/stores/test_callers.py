"""Agents are found in the audit and, where that was archived, in their questions."""

from pathlib import Path

from assent.gate.ports import Called
from assent.stores.audit.ledger import Ledger
from assent.stores.audit.outbox import move_to_audit
from assent.stores.audit.queries import read_callers
from tests.gate.samples import NOW
from tests.stores.database import transaction
from tests.stores.promises.given import an_entry


def test_a_strange_name_is_found_as_it_was_said(tmp_path: Path) -> None:
    book = Ledger("w")
    book.add(an_entry(1, agent="half a pair \ud800", tool="\x00", user="o'hara"))
    with transaction(tmp_path / "a.db") as connection:
        book.write(connection, NOW)
        move_to_audit(connection)
        found = read_callers(connection, "o'hara")
        others = read_callers(connection, "ana")

    assert (found, others) == ({Called("half a pair \ud800", "\x00")}, frozenset())
