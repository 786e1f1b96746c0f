"""Irreversible acts of tools with named arguments: by name, arguments and declared effect."""

import pytest

from assent.engine.base.tool import Call, Effect, Tool
from tests.engine.irreversible.act_tuples import ActTuple, irreversible_acts_of_call


def find_acts(name: str, effect: Effect = Effect.EXTERNAL, /, **args: object) -> list[ActTuple]:
    return irreversible_acts_of_call(Call(tool=name, args=args), Tool(name=name, effect=effect))


@pytest.mark.proves("T-49")
def test_the_verb_in_a_tool_name_decides_the_kind_of_loss() -> None:
    assert find_acts("crm.delete_customer", customer_id=42) == [("deletes", "customer", "42")]
    assert find_acts("github__deleteRepository", repo="acme/site") == [("deletes", "repository", "acme/site")]
    assert find_acts("queue.purge", name="jobs") == [("empties", "queue", "jobs")]
    assert find_acts("registry.publish", name="left-pad") == [("publishes", "registry", "left-pad")]
    assert find_acts("queue.empty", names=["a", "b"]) == [("empties", "queue", "a b")]
    assert find_acts("bank.pay", amount=3.5) == [("moves-money", "bank", "")]
    assert find_acts("drop", id={"a": 1}) == [("deletes", "", "")]


@pytest.mark.proves("T-49")
def test_statements_in_named_arguments_are_read() -> None:
    assert find_acts("postgres.run", sql="DROP TABLE users") == [("deletes", "table", "users")]
    assert find_acts("db.batch", queries=["select 1", "TRUNCATE a", 3]) == [("empties", "table", "a")]
    assert find_acts("db.call", options={"query": "DELETE FROM a"}) == [("deletes-all", "rows", "a")]


@pytest.mark.proves("T-49")
def test_a_tool_declared_destructive_has_an_act_if_no_other_is_found() -> None:
    assert find_acts("crm.merge", Effect.DESTRUCTIVE) == [("declared-destructive", "", "crm.merge")]
    assert find_acts("db.drop", Effect.DESTRUCTIVE, table="a") == [("deletes", "db", "a")]


@pytest.mark.parametrize(
    "name",
    [
        "wiki.look_up",
        "mail.send",
        "mail.list_deleted",
        "mail.preview_send",
        "crm.get_deleted",
        "undelete.item",
    ],
)
def test_other_tools_have_no_irreversible_act(name: str) -> None:
    assert find_acts(name, query="what is new", to="ana") == []


def test_a_dry_run_does_nothing() -> None:
    assert find_acts("crm.delete_customer", id=1, dry_run=True) == []
    assert find_acts("crm.delete_customer", id=1, dry_run=False) == [("deletes", "customer", "1")]
