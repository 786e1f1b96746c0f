"""Find statements that destroy stored data, in SQL, MongoDB and Redis."""

import re
from collections.abc import Iterator

from assent.engine.base.lazy import regex
from assent.engine.irreversible.act import IrreversibleAct, join_names
from assent.engine.programs.losses import Loss

MAX_SEARCHED_CHARACTERS = 50_000
"""The maximal number of characters of a text that are searched."""

_COMMENT = regex(r"--[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|$)")
_STRING = regex(r"'[^']*'")
_SQL_NAME = r'((?:[\w$.]|"[^"]*"|`[^`]*`|\[[^\]]*\])+)'
_DROP = regex(
    r"\bdrop (table|database|schema|keyspace|materialized view|tablespace|collection|index|view|user|role"
    r"|sequence|type|function|procedure|trigger)\b(?: concurrently)?(?: if exists)? " + _SQL_NAME,
    re.IGNORECASE,
)
_DROP_COLUMN = regex(r"^alter table .{1,200}? drop (?:column )?(?:if exists )?" + _SQL_NAME, re.IGNORECASE)
_OTHER_DROP_TARGETS = frozenset(
    "constraint index key primary foreign partition check default not expression identity".split()
)
"""Words after `DROP` in `ALTER TABLE` that do not mean a column."""
_TRUNCATE = regex(r"^truncate (?:table )?(?:only )?" + _SQL_NAME, re.IGNORECASE)
_DELETE = regex(r"\bdelete from (?:only )?" + _SQL_NAME, re.IGNORECASE)
_UPDATE = regex(r"^update (?:only )?" + _SQL_NAME + r"(?: (?:as )?\w+)? set\b", re.IGNORECASE)
_WHERE = regex(r"\bwhere\b(?! ?(?:true|1 ?= ?1)$)", re.IGNORECASE)
_EXPLAIN = regex(r"^explain\b(?!.*\banaly[sz]e\b)", re.IGNORECASE)
"""A statement that only prints its plan."""

_MONGO_LOSSES = (
    (regex(r"\.dropDatabase\s?\("), Loss.DELETES, "database"),
    (regex(r"\.(\w+)\.drop\s?\("), Loss.DELETES, "collection"),
    (regex(r"\.(\w+)\.(?:deleteMany|remove)\s?\(\s?\{\s?\}"), Loss.EMPTIES, "collection"),
)
_REDIS_FLUSH = regex(r"^\s?(flushall|flushdb)\b", re.IGNORECASE | re.MULTILINE)


def find_sql_acts(text: str) -> Iterator[IrreversibleAct]:
    """The acts of SQL statements; comments and strings are skipped."""
    plain = _STRING.sub("''", _COMMENT.sub(" ", text[:MAX_SEARCHED_CHARACTERS]))
    for statement in plain.split(";"):
        spaced = " ".join(statement.split())
        if not _EXPLAIN.match(spaced):
            yield from _statement_acts(spaced)


def find_mongo_acts(text: str) -> Iterator[IrreversibleAct]:
    """The acts of a script for the shell of MongoDB."""
    for pattern, loss, kind in _MONGO_LOSSES:
        for found in pattern.finditer(text[:MAX_SEARCHED_CHARACTERS]):
            yield IrreversibleAct(loss, kind, join_names(list(found.groups())))


def find_redis_acts(text: str) -> Iterator[IrreversibleAct]:
    """The acts of Redis commands, one per line."""
    for found in _REDIS_FLUSH.finditer(text[:MAX_SEARCHED_CHARACTERS]):
        kind = "databases" if found[1].lower() == "flushall" else "keys"
        yield IrreversibleAct(Loss.DELETES_ALL, kind)


def _statement_acts(statement: str) -> Iterator[IrreversibleAct]:
    """The acts of one SQL statement."""
    for kind, name in _DROP.findall(statement):
        yield IrreversibleAct(Loss.DELETES, " ".join(kind.lower().split()), _unquote_name(name))
    column = _DROP_COLUMN.search(statement)
    if column is not None and column[1].lower() not in _OTHER_DROP_TARGETS:
        yield IrreversibleAct(Loss.DELETES, "column", _unquote_name(column[1]))
    if (emptied := _TRUNCATE.search(statement)) is not None:
        yield IrreversibleAct(Loss.EMPTIES, "table", _unquote_name(emptied[1]))
    if _WHERE.search(statement):
        return
    if (deleted := _DELETE.search(statement)) is not None:
        yield IrreversibleAct(Loss.DELETES_ALL, "rows", _unquote_name(deleted[1]))
    if (updated := _UPDATE.match(statement)) is not None:
        yield IrreversibleAct(Loss.CHANGES_ALL, "rows", _unquote_name(updated[1]))


def _unquote_name(name: str) -> str:
    """A name without its quotes."""
    return join_names([name.translate({ord(mark): None for mark in '"`[]'})])
