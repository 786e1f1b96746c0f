"""Every edit that can change a decision increments the policy version; no other edit does."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from assent.engine.policy.snapshot import Tier, TierSetting
from assent.errors import NotFoundError
from assent.gate.catalog import Pin
from assent.gate.conversation import Conversation
from assent.gate.policy import Moment, PolicyKey
from assent.gate.preset import Lifetime
from assent.gate.store import ToolTier
from assent.stores.sql.approvals import ApprovalReader
from assent.stores.sql.batch import EditTables, run_batch
from assent.stores.sql.policy import read_stored_policy
from assent.stores.sql.policy_edits import (
    EditResult,
    add_policy_edit,
    declare_tools,
    pin_definitions,
    read_declarations,
    record_heartbeat,
    revoke,
    save_conversation,
    set_tiers,
    use_grants,
)
from assent.stores.sql.statement import Connection, read_moment
from tests.gate.samples import NOW, sample_grant
from tests.stores.database import transaction
from tests.stores.promises.given import sample_rule
from tests.stores.promises.live import SHOP_TOOL

ASK_TIER = ToolTier("clerk", "mail.send", TierSetting(Tier.NEEDS_APPROVAL))
CONVERSATION = Conversation(id="c1", owner="ana", preset="assent", mode="default")


class EditedDatabase:
    """A database for policy edits."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def apply(self, edit: Callable[[Connection, Moment], EditResult]) -> tuple[object, int]:
        with transaction(self.path) as connection:
            before = read_moment(connection, lambda: NOW)
            (outcome,) = run_batch(connection, ApprovalReader(), lambda: NOW, [EditTables(edit)]).outcomes
            if isinstance(outcome, Exception):
                raise outcome
            return outcome, read_moment(connection, lambda: NOW).version - before.version


@pytest.fixture
def database(tmp_path: Path) -> EditedDatabase:
    return EditedDatabase(tmp_path / "a.db")


def test_a_grant_or_rule_that_is_added_twice_is_stored_once(database: EditedDatabase) -> None:
    assert database.apply(lambda c, m: add_policy_edit(c, m, [sample_grant()], [sample_rule()])) == (None, 1)
    assert database.apply(lambda c, m: add_policy_edit(c, m, [sample_grant()], [sample_rule()])) == (None, 0)
    assert database.apply(lambda c, m: add_policy_edit(c, m, [], [])) == (None, 0)


@pytest.mark.proves("T-14")
def test_revoking_increments_the_version_once(database: EditedDatabase) -> None:
    database.apply(lambda c, m: add_policy_edit(c, m, [sample_grant()], [sample_rule()]))

    assert database.apply(lambda c, m: revoke(c, m, "g1", "ana")) == (None, 1)
    assert database.apply(lambda c, m: revoke(c, m, "g1", "ana")) == (None, 0)
    assert database.apply(lambda c, m: revoke(c, m, "r1", "ana")) == (None, 1)
    with pytest.raises(NotFoundError):
        database.apply(lambda c, m: revoke(c, m, "g2", "ana"))


def test_the_last_use_of_a_counted_grant_increments_the_version(database: EditedDatabase) -> None:
    database.apply(lambda c, m: add_policy_edit(c, m, [sample_grant(lifetime=Lifetime.USES, uses=2)], []))

    uses = [database.apply(lambda c, m: use_grants(c, m, ["g1", "g1"])) for _ in range(3)]

    assert uses == [(True, 0), (True, 1), (False, 0)]


def test_the_tiers_of_an_agent_can_be_replaced_together(database: EditedDatabase) -> None:
    other = ASK_TIER._replace(agent="other")
    assert database.apply(lambda c, m: set_tiers(c, m, [ASK_TIER, other], None)) == (None, 1)
    assert database.apply(lambda c, m: set_tiers(c, m, [ASK_TIER._replace(tool="mail.read")], "clerk")) == (
        None,
        1,
    )

    with transaction(database.path) as connection:
        found = [
            read_stored_policy(connection, PolicyKey("ana", agent, "c1"), lambda: NOW)
            for agent in ("clerk", "other")
        ]
    assert [list(current.tiers) for current in found] == [["mail.read"], ["mail.send"]]


@pytest.mark.proves("T-7")
def test_only_accepting_a_definition_replaces_its_pin(database: EditedDatabase) -> None:
    first, second = [Pin("mcp", "t", "old")], [Pin("mcp", "t", "new")]
    assert database.apply(lambda c, m: pin_definitions(c, m, first, "", accept=False)) == (None, 1)
    assert database.apply(lambda c, m: pin_definitions(c, m, second, "", accept=False)) == (None, 0)
    assert database.apply(lambda c, m: pin_definitions(c, m, second, "ana", accept=True)) == (None, 1)
    assert database.apply(lambda c, m: pin_definitions(c, m, second, "ana", accept=True)) == (None, 0)


def test_a_conversation_keeps_its_owner_and_a_new_mode_increments_the_version(
    database: EditedDatabase,
) -> None:
    kept = replace(CONVERSATION, at=NOW)
    assert database.apply(lambda c, m: save_conversation(c, m, CONVERSATION)) == (kept, 0)

    stolen = replace(CONVERSATION, owner="ben", agent="x", preset="tiers", title="new")

    assert database.apply(lambda c, m: save_conversation(c, m, stolen)) == (replace(kept, title="new"), 0)
    assert database.apply(lambda c, m: save_conversation(c, m, replace(CONVERSATION, mode="auto"))) == (
        replace(kept, mode="auto"),
        1,
    )


def test_a_heartbeat_does_not_increment_the_version(database: EditedDatabase) -> None:
    assert database.apply(lambda c, m: record_heartbeat(c, m, "b1")) == (None, 0)
    assert database.apply(lambda c, m: record_heartbeat(c, m, "b1")) == (None, 0)


MOMENT = Moment(NOW, 0)


def test_a_declaration_stores_the_policy_version_that_it_produces(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        connection.core.execute(text("UPDATE policy SET version = 41"))

        edited = declare_tools(connection, MOMENT, "clerk", "shop", [SHOP_TOOL], "ada")

        assert edited.policy
        assert connection.core.execute(text("SELECT declared FROM policy")).scalar() == 42
        assert list(read_declarations(connection)) == [SHOP_TOOL]


def test_the_same_declaration_again_changes_nothing(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        edits = [
            declare_tools(connection, MOMENT, "clerk", "shop", [SHOP_TOOL], who) for who in ("ada", "ben")
        ]

    assert [edited.policy for edited in edits] == [True, False]
