"""Statements that destroy stored data, and similar statements that do not."""

import pytest

from assent.engine.irreversible.act import IrreversibleAct
from assent.engine.irreversible.sql import MAX_SEARCHED_CHARACTERS, find_sql_acts
from assent.engine.programs.losses import Loss


def find_acts(text: str) -> list[IrreversibleAct]:
    return list(find_sql_acts(text))


@pytest.mark.parametrize(
    ("text", "loss", "kind", "name"),
    [
        ("DROP TABLE users", Loss.DELETES, "table", "users"),
        ('drop  table\nif exists "shop"."users" cascade', Loss.DELETES, "table", "shop.users"),
        ("DROP DATABASE `shop`", Loss.DELETES, "database", "shop"),
        ("drop materialized view m", Loss.DELETES, "materialized view", "m"),
        ("ALTER TABLE users DROP COLUMN mail", Loss.DELETES, "column", "mail"),
        ("TRUNCATE TABLE users", Loss.EMPTIES, "table", "users"),
        ("DELETE FROM users", Loss.DELETES_ALL, "rows", "users"),
        ("DELETE FROM users WHERE 1=1", Loss.DELETES_ALL, "rows", "users"),
        ("with x as (select 1) delete from users", Loss.DELETES_ALL, "rows", "users"),
        ("UPDATE users SET paid = true", Loss.CHANGES_ALL, "rows", "users"),
        ("EXPLAIN ANALYZE DELETE FROM users", Loss.DELETES_ALL, "rows", "users"),
        ("select 1; DROP /* x */ TABLE [users]", Loss.DELETES, "table", "users"),
        ("DROP TABLE users -- where", Loss.DELETES, "table", "users"),
    ],
)
@pytest.mark.proves("T-49")
def test_a_destructive_statement_is_found(text: str, loss: Loss, kind: str, name: str) -> None:
    assert find_acts(text) == [IrreversibleAct(loss, kind, name)]


@pytest.mark.parametrize(
    "text",
    [
        "select * from users",
        "DELETE FROM users WHERE id = 7",
        "UPDATE users SET a = 1 WHERE id = 7",
        "select 'DROP TABLE users'",
        "-- DROP TABLE users",
        "/* DROP TABLE users",
        "EXPLAIN DELETE FROM users",
        "ALTER TABLE users DROP CONSTRAINT c",
        "",
    ],
)
def test_other_statements_are_not_found(text: str) -> None:
    assert find_acts(text) == []


def test_each_of_several_statements_is_found() -> None:
    assert [one.name for one in find_acts("drop table a; truncate b;")] == ["a", "b"]


def test_a_very_long_text_is_searched_up_to_a_limit() -> None:
    assert find_acts(" " * MAX_SEARCHED_CHARACTERS + "drop table a") == []
