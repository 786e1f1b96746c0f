"""What is declared to all processes is kept as it was said, and a change of it has a number."""

from pathlib import Path

from sqlalchemy import text

from assent.gate.store import Moment
from assent.stores.declarations import declarations_of, declared
from tests.gate.samples import NOW
from tests.stores.database import transaction
from tests.stores.promises.live import SHOP

MOMENT = Moment(NOW, 0)


def test_the_number_of_the_change_is_the_one_that_policy_will_have(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        connection.execute(text("UPDATE policy SET version = 41"))

        edited = declared(connection, MOMENT, "clerk", "shop", [SHOP], "ada")

        assert edited.policy
        assert connection.execute(text("SELECT declared FROM policy")).scalar() == 42
        assert list(declarations_of(connection)) == [SHOP]


def test_the_same_again_changes_nothing(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        edits = [declared(connection, MOMENT, "clerk", "shop", [SHOP], who) for who in ("ada", "ben")]

    assert [edited.policy for edited in edits] == [True, False]
