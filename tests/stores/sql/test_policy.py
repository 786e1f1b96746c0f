"""Grants, rules, tiers and conversations can be stored as rows and read back unchanged."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from sqlalchemy import event

from assent.engine.policy.rule import RuleList
from assent.engine.policy.snapshot import Tier, TierSetting
from assent.gate.catalog import Pin
from assent.gate.conversation import Conversation
from assent.gate.policy import Moment, PolicyKey, StoredGrant, StoredRule
from assent.gate.preset import Lifetime
from assent.gate.store import ToolTier
from assent.stores.admin.connections import read_any_schema
from assent.stores.sql.policy import (
    CONVERSATION_COLUMNS,
    GRANT_COLUMNS,
    RULE_COLUMNS,
    TIER_COLUMNS,
    conversation_from_row,
    conversation_to_row,
    grant_from_row,
    grant_to_row,
    pin_to_row,
    read_allowed_patterns,
    read_stored_policy,
    rule_from_row,
    rule_to_row,
    tool_tier_from_row,
    tool_tier_to_row,
)
from assent.stores.sql.policy_edits import add_policy_edit
from assent.stores.sql.statement import Statement
from assent.stores.sqlite.database import open_sqlite
from tests.gate.samples import NOW, sample_grant
from tests.stores.database import transaction
from tests.stores.promises.given import sample_rule


@pytest.mark.parametrize("lifetime", Lifetime)
def test_a_grant_is_read_back_unchanged(lifetime: Lifetime) -> None:
    grant = sample_grant(
        lifetime=lifetime, boot="b", until=NOW, uses=3, conversation="c", agent="a", user="u", override=True
    )
    row = grant_to_row(grant, NOW)

    assert grant_from_row([row[column.name] for column in GRANT_COLUMNS]) == replace(grant, at=NOW)


def test_a_rule_is_read_back_unchanged() -> None:
    rule = sample_rule(conversation="c", agent="a", user="u", why="reviewed", approval="q1")
    row = rule_to_row(rule, NOW)

    assert rule_from_row([row[column.name] for column in RULE_COLUMNS]) == replace(rule, at=NOW)


@pytest.mark.parametrize("explicit", [True, False])
@pytest.mark.parametrize("tier", Tier)
def test_a_tier_is_read_back_unchanged(tier: Tier, explicit: bool) -> None:
    tool_tier = ToolTier("clerk", "mail.send", TierSetting(tier, explicit), "mcp", "ana")
    row = tool_tier_to_row(tool_tier, NOW)

    assert tool_tier_from_row([row[column.name] for column in TIER_COLUMNS]) == tool_tier
    assert row["source"] == ("explicit" if explicit else "pattern")


def test_a_conversation_is_read_back_unchanged() -> None:
    talk = Conversation(
        id="c", owner="ana", agent="a", preset="chat", mode="acceptEdits", title="t", model="m"
    )
    row = conversation_to_row(talk, NOW)

    assert conversation_from_row([row[column.name] for column in CONVERSATION_COLUMNS]) == replace(
        talk, at=NOW
    )


def test_the_row_of_a_pin_names_who_accepted_it() -> None:
    row = pin_to_row(Pin("mcp", "t", "d"), "ana", NOW)

    assert (row["origin"], row["tool_name"], row["digest"], row["accepted_by"]) == ("mcp", "t", "d", "ana")


POLICY_KEY = PolicyKey("ana", "clerk", "c1")


@pytest.mark.proves("T-9")
def test_every_set_scope_of_a_grant_must_match(tmp_path: Path) -> None:
    scopes = list(product((None, "c1", "c2"), (None, "clerk", "other"), (None, "ana", "ben")))
    grants = [
        sample_grant(f"g{number}", conversation=talk, agent=agent, user=user)
        for number, (talk, agent, user) in enumerate(scopes)
    ]
    with transaction(tmp_path / "a.db") as connection:
        add_policy_edit(
            connection,
            Moment(NOW, 0),
            grants,
            [sample_rule("r1", agent="clerk"), sample_rule("r2", agent="other")],
        )
        found = read_stored_policy(connection, POLICY_KEY, lambda: NOW)

    assert [grant.id for grant in found.grants] == [grant.id for grant in grants if _applies_to_key(grant)]
    assert [rule.id for rule in found.rules] == ["r1"]


def _applies_to_key(grant: StoredGrant) -> bool:
    return (
        grant.conversation in (None, "c1") and grant.agent in (None, "clerk") and grant.user in (None, "ana")
    )


@pytest.mark.supports("R004-21")
def test_the_policy_is_read_in_one_query(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    whole = Statement.fetch

    def count_fetches(self: Statement, connection: object, **values: object) -> object:
        asked.append("once")
        return whole(self, connection, **values)  # type: ignore[arg-type]

    with transaction(tmp_path / "a.db") as connection:
        monkeypatch.setattr(Statement, "fetch", count_fetches)
        event.listen(connection.core, "before_cursor_execute", lambda *_: asked.append("more"))
        read_stored_policy(connection, POLICY_KEY, lambda: NOW)

    assert asked == ["once"]


def test_an_empty_store_has_an_empty_policy(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        found = read_stored_policy(connection, POLICY_KEY, lambda: NOW)

    assert (found.version, found.at, found.tiers, found.rules, found.grants, found.pins, found.conversation) == (
        0, NOW, {}, (), (), {}, None,
    )  # fmt: skip


async def test_active_allow_rules_and_grants_are_listed_once_each(tmp_path: Path) -> None:
    address = str(tmp_path / "assent.db")
    store = await open_sqlite(address)
    texts = ((RuleList.ALLOW, "Bash(a)"), (RuleList.DENY, "Bash(b)"), (RuleList.ALLOW, "Bash(a)"))
    rules = tuple(
        StoredRule(id=f"r{number}", list=kind, text=text, by="ana")
        for number, (kind, text) in enumerate(texts)
    )
    ended = StoredRule(id="ended", list=RuleList.ALLOW, text="Bash(d)", by="ana")
    grants = tuple(
        StoredGrant(id=id, pattern=pattern, lifetime=Lifetime.FOREVER, by="ana")
        for id, pattern in (("g", "Bash(c)"), ("h", "Bash(e)"))
    )
    await store.add_policy(grants=grants, rules=(*rules, ended))
    for id in ("ended", "h"):
        await store.revoke(id, by="ana")
    await store.close()

    assert await read_any_schema(address, read_allowed_patterns) == ("Bash(a)", "Bash(c)")
