"""Page tokens: which conversation and which origins of web pages a token is for."""

import json
import re
from collections.abc import Sequence
from typing import NamedTuple, Protocol, cast

from assent.errors import InputError, NotFoundError
from assent.gate.access import Principal
from assent.gate.conversation import Conversation

MAX_ORIGINS = 10
_ORIGIN = re.compile(r"https?://(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(:[0-9]{1,5})?", re.ASCII)
_SETTING_PREFIX = "page_token:"
"""The start of the name of the setting that keeps the scope of one token."""


class PageScope(NamedTuple):
    """The conversation that a page token is for, and the origins of the pages that may use it."""

    conversation: str
    origins: tuple[str, ...]


class PageTokenStore(Protocol):
    """The part of a store that keeps the scopes of page tokens."""

    async def setting(self, name: str) -> str | None:
        """The value of a setting."""
        ...

    async def save_setting(self, name: str, value: str | None, *, by: str) -> None:
        """Save a setting; None removes it."""
        ...

    async def conversation(self, id: str) -> Conversation | None:
        """The conversation with this id."""
        ...


def check_scope_origins(origins: Sequence[str]) -> tuple[str, ...]:
    """The origins of a page token; raises `InputError` for an address that is no origin."""
    if not 1 <= len(origins) <= MAX_ORIGINS:
        raise InputError(f"a page token is for 1 to {MAX_ORIGINS} origins")
    for origin in origins:
        if not _ORIGIN.fullmatch(origin):
            raise InputError(f"`{origin}` is not an origin: expected `https://name`, without a path")
    return tuple(dict.fromkeys(origins))


async def find_owner(store: PageTokenStore, principal: Principal, conversation: str) -> str:
    """The owner of a conversation, for whom the token acts; only they and administrators may make one."""
    known = await store.conversation(conversation)
    if known is None or (known.owner != principal.id and not principal.administrator):
        raise NotFoundError("conversation", conversation)
    return known.owner


async def save_scope(store: PageTokenStore, credential: str, scope: PageScope, *, by: str) -> None:
    """Save the scope of a token; called before the token exists."""
    await store.save_setting(_SETTING_PREFIX + credential, json.dumps(scope._asdict()), by=by)


async def read_scope(store: PageTokenStore, credential: str) -> PageScope | None:
    """The scope of a token; without one the token allows nothing."""
    text = await store.setting(_SETTING_PREFIX + credential)
    if not text:
        return None
    kept = cast("dict[str, object]", json.loads(text))
    origins = cast("list[str]", kept["origins"])
    return PageScope(str(kept["conversation"]), tuple(origins))
