"""Approvals as people look through them: some of them, by who, what and where, in pages."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Connection, Text, bindparam, or_, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler

from assent.gate.access import split_role_resources
from assent.gate.approval import ExcerptPage
from assent.gate.store import ApprovalFilter, ApprovalPage
from assent.stores.queries import LAST, in_states, position
from assent.stores.questions import Questions
from assent.stores.rows import MOVED, SIZE
from assent.stores.statements import Statement, listed
from assent.stores.tables import approvals, conversations

_c = approvals.c
MOST_BYTES = 16_000_000
"""Of the questions of one page, unless a single one is larger."""
_HEAD = 2
"""Columns before those of `MOVED`: the number and the size."""


def page_of(
    connection: Connection,
    questions: Questions,
    which: ApprovalFilter,
    limit: int,
    after: str,
    *,
    newest_first: bool = False,
) -> ApprovalPage:
    """A page of approvals in the order in which they were asked, or the other way round."""
    values = _values(which)
    statement = _page(frozenset(values), which.states, which.postponed, which.has_arguments, newest_first)
    start = LAST if newest_first and not after else position(after)
    rows = statement.all(connection, after=start, most=limit + 1, **values)
    taken = rows[: min(limit, _affordable([row[1] for row in rows]))]
    found = questions.joined(connection, [row[_HEAD:] for row in taken])
    return ApprovalPage(tuple(found.values()), str(taken[-1][0]) if len(rows) > len(taken) else "")


def excerpts_of(
    connection: Connection, questions: Questions, which: ApprovalFilter, limit: int, after: str
) -> ExcerptPage:
    """A page of the same in short."""
    values = _values(which)
    statement = _page(
        frozenset(values), which.states, which.postponed, which.has_arguments, newest_first=False
    )
    rows = statement.all(connection, after=position(after), most=limit + 1, **values)
    found = questions.in_short(connection, [(row[1], row[_HEAD:]) for row in rows[:limit]])
    return ExcerptPage(tuple(found.values()), str(rows[limit - 1][0]) if len(rows) > limit else "")


def _affordable(sizes: Sequence[int]) -> int:
    """How many questions of these sizes make a page: one at least."""
    total = 0
    for number, size in enumerate(sizes):
        total += size
        if total > MOST_BYTES and number:
            return number
    return len(sizes)


def pattern(search: str) -> str:
    """What a text must look like that holds another one somewhere."""
    for mark in (_ESCAPE, "%", "_"):
        search = search.replace(mark, _ESCAPE + mark)
    return f"%{search}%"


def _values(which: ApprovalFilter) -> Mapping[str, object]:
    wanted = {
        "owner": which.owner,
        **_besides(which),
        "conversation_id": which.conversation,
        "agent_id": which.agent,
        "turn": which.turn,
        "tool_name": which.tool,
        "effect": None if which.effect is None else which.effect.value,
        "search": pattern(which.search) if which.search else None,
    }
    return {name: value for name, value in wanted.items() if value is not None}


def _besides(which: ApprovalFilter) -> Mapping[str, object]:
    if not which.resources or which.owner is None:
        return {}
    conversations, agents = split_role_resources(which.resources)
    return {"besides": json.dumps(conversations), "besides_agents": json.dumps(agents)}


@lru_cache(maxsize=256)
def _page(
    names: frozenset[str],
    states: frozenset[str],
    later: bool | None,  # noqa: FBT001 - a key of the cache
    whole: bool,  # noqa: FBT001
    newest_first: bool,  # noqa: FBT001
) -> Statement:
    """A statement for each shape of question."""
    conditions = [_condition(name) for name in sorted(names - {"owner", "besides", "besides_agents"})]
    if "owner" in names:
        whose = [_c.owner == bindparam("owner")]
        if "besides" in names:
            whose += [listed(_c.conversation_id, "besides"), listed(_c.agent_id, "besides_agents")]
        conditions.append(or_(*whose))
    if states:
        conditions.append(in_states(states))
    if later is not None:
        conditions.append(_c.later_at.is_not(None) if later else _c.later_at.is_(None))
    if whole:
        conditions.append(_c.scrubbed_at.is_(None))
    after = bindparam("after", type_=BigInteger())
    return Statement(
        select(_c.number, SIZE, *MOVED)
        .where(_c.number < after if newest_first else _c.number > after, *conditions)
        .order_by(_c.number.desc() if newest_first else _c.number)
        .limit(bindparam("most"))
    )


def _condition(name: str) -> ColumnElement[bool]:
    if name == "effect":
        return _Effect() == bindparam("effect")
    if name == "search":
        titled = select(conversations.c.id).where(_holds(conversations.c.title))
        named = (_c.tool_name, _c.agent_id, _c.conversation_id)
        return or_(*map(_holds, named), _c.conversation_id.in_(titled))
    return _c[name] == bindparam(name)


def _holds(column: ColumnElement[str]) -> ColumnElement[bool]:
    return column.ilike(bindparam("search"), escape=_ESCAPE)


class _Effect(ColumnElement[str]):
    """What the tool of a question was declared to do, which only the question itself says."""

    inherit_cache = True
    type = Text()


@compiles(_Effect, "sqlite")
def _effect_sqlite(element: _Effect, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ARG001
    return "json_extract(question, '$.tool.effect')"


@compiles(_Effect, "postgresql")
def _effect_postgresql(element: _Effect, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ARG001
    return "CAST(question AS json) -> 'tool' ->> 'effect'"


_ESCAPE = "\\"
