"""Pages of approvals and conversations, with filters, and the cursors between pages."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Text, bindparam, or_, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler

from assent.errors import InputError
from assent.gate.access import split_role_resources
from assent.gate.approval import ExcerptPage
from assent.gate.conversation import Conversation
from assent.gate.store import ApprovalFilter, ApprovalPage, ConversationPage
from assent.stores.sql.approval_rows import QUESTION_SIZE, STATE_COLUMNS
from assent.stores.sql.approvals import ApprovalReader, state_condition
from assent.stores.sql.policy import CONVERSATION_COLUMNS, conversation_from_row
from assent.stores.sql.statement import Connection, Statement, in_json_list, to_micros
from assent.stores.sql.tables import approvals, conversations

MAX_NUMBER = 2**63 - 1
"""Higher than any row number."""
_c = approvals.c
MAX_PAGE_BYTES = 16_000_000
"""The maximum size of the questions on one page in bytes, unless a single question is larger."""
_HEAD_COLUMNS = 2
"""The number of columns before `STATE_COLUMNS`: the row number and the size."""


def approval_page(
    connection: Connection,
    questions: ApprovalReader,
    which: ApprovalFilter,
    limit: int,
    after: str,
    *,
    newest_first: bool = False,
) -> ApprovalPage:
    """A page of approvals, oldest or newest first."""
    values = _filter_values(which)
    statement = _page_statement(
        frozenset(values), which.states, which.postponed, which.has_arguments, newest_first
    )
    start = MAX_NUMBER if newest_first and not after else parse_cursor(after)
    rows = statement.fetch(connection, after=start, most=limit + 1, **values)
    taken = rows[: min(limit, _count_that_fit([row[1] for row in rows]))]
    found = questions.approvals_from_rows(connection, [row[_HEAD_COLUMNS:] for row in taken])
    return ApprovalPage(tuple(found.values()), str(taken[-1][0]) if len(rows) > len(taken) else "")


def excerpt_page(
    connection: Connection, questions: ApprovalReader, which: ApprovalFilter, limit: int, after: str
) -> ExcerptPage:
    """A page of excerpts of approvals."""
    values = _filter_values(which)
    statement = _page_statement(
        frozenset(values), which.states, which.postponed, which.has_arguments, newest_first=False
    )
    rows = statement.fetch(connection, after=parse_cursor(after), most=limit + 1, **values)
    found = questions.to_excerpts(connection, [(row[1], row[_HEAD_COLUMNS:]) for row in rows[:limit]])
    return ExcerptPage(tuple(found.values()), str(rows[limit - 1][0]) if len(rows) > limit else "")


def parse_cursor(after: str) -> int:
    """Parse the row number in a cursor; the page begins after that row."""
    if after and not (after.isascii() and after.isdigit() and len(after) < 19):
        raise InputError(f"`{after[:64]}` is not a valid cursor")
    return int(after or 0)


def like_pattern(search: str) -> str:
    """A LIKE pattern that matches texts that contain `search`."""
    for mark in (_LIKE_ESCAPE, "%", "_"):
        search = search.replace(mark, _LIKE_ESCAPE + mark)
    return f"%{search}%"


class _EffectExpression(ColumnElement[str]):
    """The SQL expression for the effect of the approval's tool, which is part of the JSON of the question."""

    inherit_cache = True
    type = Text()


@compiles(_EffectExpression, "sqlite")
def _effect_sqlite(element: _EffectExpression, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ARG001
    return "json_extract(question, '$.tool.effect')"


@compiles(_EffectExpression, "postgresql")
def _effect_postgresql(element: _EffectExpression, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ARG001
    return "CAST(question AS json) -> 'tool' ->> 'effect'"


_LIKE_ESCAPE = "\\"


def conversation_page(connection: Connection, owner: str | None, limit: int, after: str) -> ConversationPage:
    """A page of conversations."""
    values: dict[str, object] = {} if owner is None else {"owner": owner}
    if after:
        values["before"], values["id"] = parse_conversation_cursor(after)
    rows = _conversation_statement(frozenset(values)).fetch(connection, most=limit + 1, **values)
    found = tuple(map(conversation_from_row, rows[:limit]))
    return ConversationPage(found, conversation_cursor(found[-1]) if len(rows) > limit else "")


def parse_conversation_cursor(after: str) -> tuple[int, str]:
    """Parse the start time and id in a cursor; the page begins after that conversation."""
    number, _, id_ = after.partition(".")
    if not (number.isascii() and number.isdigit() and len(number) < len(str(2**63))):
        raise InputError(f"`{after[:64]}` is not a valid cursor")
    return int(number), id_


def conversation_cursor(conversation: Conversation) -> str:
    """The cursor of the page after this conversation."""
    return f"{0 if conversation.at is None else to_micros(conversation.at)}.{conversation.id}"


def _filter_values(which: ApprovalFilter) -> Mapping[str, object]:
    wanted = {
        "owner": which.owner,
        **_role_values(which),
        "conversation_id": which.conversation,
        "agent_id": which.agent,
        "turn": which.turn,
        "tool_name": which.tool,
        "effect": None if which.effect is None else which.effect.value,
        "search": like_pattern(which.search) if which.search else None,
    }
    return {name: value for name, value in wanted.items() if value is not None}


def _role_values(which: ApprovalFilter) -> Mapping[str, object]:
    if not which.resources or which.owner is None:
        return {}
    conversations, agents = split_role_resources(which.resources)
    return {"besides": json.dumps(conversations), "besides_agents": json.dumps(agents)}


@lru_cache(maxsize=256)
def _page_statement(
    names: frozenset[str],
    states: frozenset[str],
    later: bool | None,  # noqa: FBT001 - a key of the cache
    whole: bool,  # noqa: FBT001
    newest_first: bool,  # noqa: FBT001
) -> Statement:
    """The statement for a page with this combination of filters."""
    conditions = [_filter_condition(name) for name in sorted(names - {"owner", "besides", "besides_agents"})]
    if "owner" in names:
        whose = [_c.owner == bindparam("owner")]
        if "besides" in names:
            whose += [
                in_json_list(_c.conversation_id, "besides"),
                in_json_list(_c.agent_id, "besides_agents"),
            ]
        conditions.append(or_(*whose))
    if states:
        conditions.append(state_condition(states))
    if later is not None:
        conditions.append(_c.later_at.is_not(None) if later else _c.later_at.is_(None))
    if whole:
        conditions.append(_c.scrubbed_at.is_(None))
    after = bindparam("after", type_=BigInteger())
    return Statement(
        select(_c.number, QUESTION_SIZE, *STATE_COLUMNS)
        .where(_c.number < after if newest_first else _c.number > after, *conditions)
        .order_by(_c.number.desc() if newest_first else _c.number)
        .limit(bindparam("most"))
    )


def _filter_condition(name: str) -> ColumnElement[bool]:
    if name == "effect":
        return _EffectExpression() == bindparam("effect")
    if name == "search":
        with_title = select(conversations.c.id).where(_contains_search(conversations.c.title))
        searched = (_c.tool_name, _c.agent_id, _c.conversation_id)
        return or_(*map(_contains_search, searched), _c.conversation_id.in_(with_title))
    return _c[name] == bindparam(name)


def _contains_search(column: ColumnElement[str]) -> ColumnElement[bool]:
    return column.ilike(bindparam("search"), escape=_LIKE_ESCAPE)


def _count_that_fit(sizes: Sequence[int]) -> int:
    """The number of questions of these sizes that fit on a page, at least one."""
    total = 0
    for number, size in enumerate(sizes):
        total += size
        if total > MAX_PAGE_BYTES and number:
            return number
    return len(sizes)


@lru_cache(maxsize=8)
def _conversation_statement(names: frozenset[str]) -> Statement:
    conditions = [conversations.c.owner == bindparam("owner")] if "owner" in names else []
    if "before" in names:
        earlier = conversations.c.started_at < bindparam("before")
        conditions.append(
            or_(
                earlier,
                (conversations.c.started_at == bindparam("before")) & (conversations.c.id < bindparam("id")),
            )
        )
    return Statement(
        select(*CONVERSATION_COLUMNS)
        .where(*conditions)
        .order_by(conversations.c.started_at.desc(), conversations.c.id.desc())
        .limit(bindparam("most"))
    )
