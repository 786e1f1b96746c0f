"""Each open store has a mark of its own, and takes over what another had to leave."""

from pathlib import Path

from assent.stores.audit.ledger import Ledger
from assent.stores.store import new_shared_state
from tests.stores.promises.given import an_entry


def test_each_has_a_mark_of_its_own() -> None:
    assert new_shared_state("a", "").boot != new_shared_state("a", "").boot


def test_what_another_left_of_its_audit_is_taken_over(tmp_path: Path) -> None:
    spool = str(tmp_path / "spool.jsonl")
    left = Ledger("gone", spool)
    left.add(an_entry())
    left.write_spool()

    assert len(new_shared_state("a", spool).ledger) == 1


def test_who_comes_too_late_is_told_what_to_do() -> None:
    assert str(new_shared_state("a.db", "").closed_error()) == "a.db is closed in this process: open it again"
