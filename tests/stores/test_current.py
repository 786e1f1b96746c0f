"""What is current comes in one query, and only what reaches whoever is asked about."""

from itertools import product
from pathlib import Path

import pytest
from sqlalchemy import event

from assent.gate.store import Moment
from assent.gate.stored_policy import PolicyKey, StoredGrant
from assent.stores import current
from assent.stores.current import current_of
from assent.stores.policy import remembered
from assent.stores.statements import Statement
from tests.gate.samples import NOW, a_grant
from tests.stores.database import transaction
from tests.stores.promises.given import a_rule

ABOUT = PolicyKey("ana", "clerk", "c1")


@pytest.mark.proves("T-9")
def test_each_scope_that_is_named_must_be_the_one_that_is_asked_about(tmp_path: Path) -> None:
    scopes = list(product((None, "c1", "c2"), (None, "clerk", "other"), (None, "ana", "ben")))
    grants = [
        a_grant(f"g{number}", conversation=talk, agent=agent, user=user)
        for number, (talk, agent, user) in enumerate(scopes)
    ]
    with transaction(tmp_path / "a.db") as connection:
        remembered(
            connection, Moment(NOW, 0), grants, [a_rule("r1", agent="clerk"), a_rule("r2", agent="other")]
        )
        found = current_of(connection, ABOUT, lambda: NOW)

    assert [grant.id for grant in found.grants] == [grant.id for grant in grants if _reaches(grant)]
    assert [rule.id for rule in found.rules] == ["r1"]


def _reaches(grant: StoredGrant) -> bool:
    return (
        grant.conversation in (None, "c1") and grant.agent in (None, "clerk") and grant.user in (None, "ana")
    )


@pytest.mark.proves("R004-21")
def test_it_is_one_query(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    whole = Statement.all

    def counting(self: Statement, connection: object, **values: object) -> object:
        asked.append("once")
        return whole(self, connection, **values)  # type: ignore[arg-type]

    monkeypatch.setattr(current.Statement, "all", counting)
    with transaction(tmp_path / "a.db") as connection:
        event.listen(connection, "before_cursor_execute", lambda *_: asked.append("more"))
        current_of(connection, ABOUT, lambda: NOW)

    assert asked == ["once"]


def test_an_empty_store_has_nothing_to_say(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        found = current_of(connection, ABOUT, lambda: NOW)

    assert (found.version, found.at, found.tiers, found.rules, found.grants, found.pins, found.conversation) == (
        0, NOW, {}, (), (), {}, None,
    )  # fmt: skip
