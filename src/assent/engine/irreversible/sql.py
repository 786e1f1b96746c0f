"""Statements that destroy stored data: in SQL, MongoDB and Redis."""

import re
from collections.abc import Iterator

from assent.engine.base.lazy import regex
from assent.engine.irreversible.act import IrreversibleAct, join_names
from assent.engine.programs.losses import Loss

LONGEST_TEXT = 50_000
"""How many characters of a text are examined."""

_COMMENT = regex(r"--[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|$)")
_STRING = regex(r"'[^']*'")
_NAME = r'((?:[\w$.]|"[^"]*"|`[^`]*`|\[[^\]]*\])+)'
_DROP = regex(
    r"\bdrop (table|database|schema|keyspace|materialized view|tablespace|collection|index|view|user|role"
    r"|sequence|type|function|procedure|trigger)\b(?: concurrently)?(?: if exists)? " + _NAME,
    re.IGNORECASE,
)
_COLUMN = regex(r"^alter table .{1,200}? drop (?:column )?(?:if exists )?" + _NAME, re.IGNORECASE)
_NO_COLUMN = frozenset(
    "constraint index key primary foreign partition check default not expression identity".split()
)
_TRUNCATE = regex(r"^truncate (?:table )?(?:only )?" + _NAME, re.IGNORECASE)
_DELETE = regex(r"\bdelete from (?:only )?" + _NAME, re.IGNORECASE)
_UPDATE = regex(r"^update (?:only )?" + _NAME + r"(?: (?:as )?\w+)? set\b", re.IGNORECASE)
_WHERE = regex(r"\bwhere\b(?! ?(?:true|1 ?= ?1)$)", re.IGNORECASE)
_EXPLAIN = regex(r"^explain\b(?!.*\banaly[sz]e\b)", re.IGNORECASE)

_MONGO = (
    (regex(r"\.dropDatabase\s?\("), Loss.DELETES, "database"),
    (regex(r"\.(\w+)\.drop\s?\("), Loss.DELETES, "collection"),
    (regex(r"\.(\w+)\.(?:deleteMany|remove)\s?\(\s?\{\s?\}"), Loss.EMPTIES, "collection"),
)
_REDIS = regex(r"^\s?(flushall|flushdb)\b", re.IGNORECASE | re.MULTILINE)


def sql_acts(text: str) -> Iterator[IrreversibleAct]:
    """The acts of SQL statements; comments and strings are skipped."""
    plain = _STRING.sub("''", _COMMENT.sub(" ", text[:LONGEST_TEXT]))
    for statement in plain.split(";"):
        spaced = " ".join(statement.split())
        if not _EXPLAIN.match(spaced):
            yield from _statement_acts(spaced)


def mongo_acts(text: str) -> Iterator[IrreversibleAct]:
    """The acts of a script for the shell of MongoDB."""
    for pattern, loss, kind in _MONGO:
        for found in pattern.finditer(text[:LONGEST_TEXT]):
            yield IrreversibleAct(loss, kind, join_names(list(found.groups())))


def redis_acts(text: str) -> Iterator[IrreversibleAct]:
    """The acts of Redis commands, one per line."""
    for found in _REDIS.finditer(text[:LONGEST_TEXT]):
        kind = "databases" if found[1].lower() == "flushall" else "keys"
        yield IrreversibleAct(Loss.DELETES_ALL, kind)


def _statement_acts(statement: str) -> Iterator[IrreversibleAct]:
    for kind, name in _DROP.findall(statement):
        yield IrreversibleAct(Loss.DELETES, " ".join(kind.lower().split()), _without_quotes(name))
    column = _COLUMN.search(statement)
    if column is not None and column[1].lower() not in _NO_COLUMN:
        yield IrreversibleAct(Loss.DELETES, "column", _without_quotes(column[1]))
    if (emptied := _TRUNCATE.search(statement)) is not None:
        yield IrreversibleAct(Loss.EMPTIES, "table", _without_quotes(emptied[1]))
    if _WHERE.search(statement):
        return
    if (deleted := _DELETE.search(statement)) is not None:
        yield IrreversibleAct(Loss.DELETES_ALL, "rows", _without_quotes(deleted[1]))
    if (updated := _UPDATE.match(statement)) is not None:
        yield IrreversibleAct(Loss.CHANGES_ALL, "rows", _without_quotes(updated[1]))


def _without_quotes(name: str) -> str:
    """A name without its quotes."""
    return join_names([name.translate({ord(mark): None for mark in '"`[]'})])
