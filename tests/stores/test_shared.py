"""Each open store has a mark of its own, and takes over what another had to leave."""

from pathlib import Path

from assent.stores.audit.ledger import Ledger
from assent.stores.store import shared
from tests.stores.promises.given import an_entry


def test_each_has_a_mark_of_its_own() -> None:
    assert shared("a", "").boot != shared("a", "").boot


def test_what_another_left_of_its_audit_is_taken_over(tmp_path: Path) -> None:
    spool = str(tmp_path / "spool.jsonl")
    left = Ledger("gone", spool)
    left.add(an_entry())
    left.unload()

    assert len(shared("a", spool).ledger) == 1


def test_who_comes_too_late_is_told_what_to_do() -> None:
    assert str(shared("a.db", "").closed()) == "a.db was closed here: open it again"
