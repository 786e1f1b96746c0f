"""Agents are found in the audit and, where that was archived, in their questions."""

from pathlib import Path

from assent.gate.store import ToolUse
from assent.stores.callers import callers_of
from assent.stores.ledger import Ledger
from assent.stores.outbox import move
from tests.gate.samples import NOW
from tests.stores.database import transaction
from tests.stores.promises.given import an_entry


def test_a_strange_name_is_found_as_it_was_said(tmp_path: Path) -> None:
    book = Ledger("w")
    book.add(an_entry(1, agent="half a pair \ud800", tool="\x00", user="o'hara"))
    with transaction(tmp_path / "a.db") as connection:
        book.write(connection, NOW)
        move(connection)
        found = callers_of(connection, "o'hara")
        others = callers_of(connection, "ana")

    assert (found, others) == ({ToolUse("half a pair \ud800", "\x00")}, frozenset())
