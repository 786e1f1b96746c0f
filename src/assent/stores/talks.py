"""Conversations as people look through them, the newest first."""

from functools import lru_cache

from sqlalchemy import Connection, bindparam, or_, select

from assent.errors import InputError
from assent.gate.conversation import Conversation
from assent.gate.store import ConversationPage
from assent.stores.policy_rows import CONVERSATION, conversation_of
from assent.stores.statements import Statement
from assent.stores.tables import conversations
from assent.stores.times import kept

_c = conversations.c


def talks_of(connection: Connection, owner: str | None, limit: int, after: str) -> ConversationPage:
    """A page of conversations."""
    values: dict[str, object] = {} if owner is None else {"owner": owner}
    if after:
        values["before"], values["id"] = place_of(after)
    rows = _page(frozenset(values)).all(connection, most=limit + 1, **values)
    found = tuple(map(conversation_of, rows[:limit]))
    return ConversationPage(found, after_of(found[-1]) if len(rows) > limit else "")


def place_of(after: str) -> tuple[int, str]:
    """Where a page begins: behind the conversation of this time and id."""
    number, _, id_ = after.partition(".")
    if not (number.isascii() and number.isdigit() and len(number) < len(str(2**63))):
        raise InputError(f"`{after[:64]}` is not where a page begins")
    return int(number), id_


def after_of(conversation: Conversation) -> str:
    """How the page behind a conversation is asked for."""
    return f"{0 if conversation.at is None else kept(conversation.at)}.{conversation.id}"


@lru_cache(maxsize=8)
def _page(names: frozenset[str]) -> Statement:
    conditions = [_c.owner == bindparam("owner")] if "owner" in names else []
    if "before" in names:
        earlier = _c.started_at < bindparam("before")
        conditions.append(or_(earlier, (_c.started_at == bindparam("before")) & (_c.id < bindparam("id"))))
    return Statement(
        select(*CONVERSATION)
        .where(*conditions)
        .order_by(_c.started_at.desc(), _c.id.desc())
        .limit(bindparam("most"))
    )
