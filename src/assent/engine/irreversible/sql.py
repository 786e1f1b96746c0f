"""Statements of a database's language that destroy what is stored, and their like in MongoDB and Redis."""

import re
from collections.abc import Iterator

from assent.engine.irreversible.act import Irreversible, to_name
from assent.engine.programs.program import Loss
from assent.engine.regex import regex

LONGEST = 50_000
"""A longer text is looked at as far as this."""

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


def in_sql(text: str) -> Iterator[Irreversible]:
    """What the statements of a text destroy; comments and string values are no statements."""
    plain = _STRING.sub("''", _COMMENT.sub(" ", text[:LONGEST]))
    for statement in plain.split(";"):
        spaced = " ".join(statement.split())
        if not _EXPLAIN.match(spaced):
            yield from _in_statement(spaced)


def in_mongo(text: str) -> Iterator[Irreversible]:
    """What a script of MongoDB's shell destroys."""
    for pattern, loss, kind in _MONGO:
        for found in pattern.finditer(text[:LONGEST]):
            yield Irreversible(loss, kind, to_name(list(found.groups())))


def in_redis(text: str) -> Iterator[Irreversible]:
    """What lines of Redis's own commands destroy."""
    for found in _REDIS.finditer(text[:LONGEST]):
        kind = "databases" if found[1].lower() == "flushall" else "keys"
        yield Irreversible(Loss.DELETES_ALL, kind)


def _in_statement(statement: str) -> Iterator[Irreversible]:
    for kind, name in _DROP.findall(statement):
        yield Irreversible(Loss.DELETES, " ".join(kind.lower().split()), _bare(name))
    column = _COLUMN.search(statement)
    if column is not None and column[1].lower() not in _NO_COLUMN:
        yield Irreversible(Loss.DELETES, "column", _bare(column[1]))
    if (emptied := _TRUNCATE.search(statement)) is not None:
        yield Irreversible(Loss.EMPTIES, "table", _bare(emptied[1]))
    if _WHERE.search(statement):
        return
    if (deleted := _DELETE.search(statement)) is not None:
        yield Irreversible(Loss.DELETES_ALL, "rows", _bare(deleted[1]))
    if (updated := _UPDATE.match(statement)) is not None:
        yield Irreversible(Loss.CHANGES_ALL, "rows", _bare(updated[1]))


def _bare(name: str) -> str:
    """A name without its quotes."""
    return to_name([name.translate({ord(mark): None for mark in '"`[]'})])
