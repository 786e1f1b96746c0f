"""Tools with named arguments: what their names, their arguments and their declarations say."""

import pytest

from assent.engine.model import Call, Effect, Tool
from tests.engine.irreversible.reading import Told, of_call


def told(name: str, effect: Effect = Effect.EXTERNAL, /, **args: object) -> list[Told]:
    return of_call(Call(tool=name, args=args), Tool(name=name, effect=effect))


@pytest.mark.proves("T-49")
def test_the_verb_of_a_tools_name_says_what_is_lost() -> None:
    assert told("crm.delete_customer", customer_id=42) == [("deletes", "customer", "42")]
    assert told("github__deleteRepository", repo="acme/site") == [("deletes", "repository", "acme/site")]
    assert told("queue.purge", name="jobs") == [("empties", "queue", "jobs")]
    assert told("registry.publish", name="left-pad") == [("publishes", "registry", "left-pad")]
    assert told("queue.empty", names=["a", "b"]) == [("empties", "queue", "a b")]
    assert told("bank.pay", amount=3.5) == [("moves-money", "bank", "")]
    assert told("drop", id={"a": 1}) == [("deletes", "", "")]


@pytest.mark.proves("T-49")
def test_statements_in_named_arguments_are_read() -> None:
    assert told("postgres.run", sql="DROP TABLE users") == [("deletes", "table", "users")]
    assert told("db.batch", queries=["select 1", "TRUNCATE a", 3]) == [("empties", "table", "a")]
    assert told("db.call", options={"query": "DELETE FROM a"}) == [("deletes-all", "rows", "a")]


@pytest.mark.proves("T-49")
def test_a_tool_that_is_declared_destructive_says_so_if_nothing_else_does() -> None:
    assert told("crm.merge", Effect.DESTRUCTIVE) == [("declared-destructive", "", "crm.merge")]
    assert told("db.drop", Effect.DESTRUCTIVE, table="a") == [("deletes", "db", "a")]


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
def test_other_tools_say_nothing(name: str) -> None:
    assert told(name, query="what is new", to="ana") == []


def test_a_dry_run_does_nothing() -> None:
    assert told("crm.delete_customer", id=1, dry_run=True) == []
    assert told("crm.delete_customer", id=1, dry_run=False) == [("deletes", "customer", "1")]
