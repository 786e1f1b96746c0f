"""The connected pages of a server: which tools they offer in a conversation, and the relay of calls."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from assent.config.tools import TOOLS_BY_BELT
from assent.engine.base.tool import Effect, Tool
from assent.engine.disclosure import tool_group
from assent.errors import AssentError
from assent.gate.catalog import PageTool
from assent.gate.definitions import ORIGIN_PREFIX, PageCatalog, Review
from assent.hosts.browser.connection import (
    DEFAULT_LIMITS,
    PageCall,
    PageConnection,
    PageError,
    RelayLimits,
    ShowProgress,
)
from assent.hosts.browser.layout import LAYOUT_TOOLS
from assent.hosts.browser.manifest import SerializedTool
from assent.hosts.browser.names import find_refusal, is_known_name

RELOAD_SECONDS = 10.0
"""How long the tools of a page that left are kept, because the page may only reload."""
MAX_PAGES_PER_CONVERSATION = 10
MAX_PAGES_PER_PERSON = 50
OWN_ORIGIN = "own"
"""The origin of the pages of this server, in the origin of their tools."""
_OTHER_PAGE = "another open page of this conversation has a tool of this name, and calls go to that page"


class PageLimitError(AssentError):
    """Too many pages are open."""


class PageIdentity(NamedTuple):
    """A page: its id, and where and for whom it is open."""

    page: str
    conversation: str
    agent: str
    """The agent of the conversation."""
    user: str
    origin: str
    is_own: bool
    """Whether it is a page of this server, authenticated as the person and not by a page token.

    Only its declarations of known tools count, and only it gets tickets.
    """


class ToolReview(NamedTuple):
    """What the server made of one tool of a manifest."""

    name: str
    effect: Effect
    review: Review
    reason: str = ""


class OfferedTool(NamedTuple):
    """A tool of a connected page, and the page to which its calls go."""

    identity: PageIdentity
    tool: PageTool

    @property
    def name(self) -> str:
        """The name of the tool."""
        return self.tool.declared.tool.name


class RelayedCall(NamedTuple):
    """A call that the gate let run."""

    id: str
    args: Mapping[str, object]
    approval: str = ""
    """The id of its approval; empty if nobody was asked."""
    was_answered: bool = False
    """Whether a person answered a question about this very call."""
    directory: str = ""
    """The directory for which the gate decided the call; empty for the server's own."""


IssueTicket = Callable[[PageIdentity, str, RelayedCall], Awaitable[Mapping[str, object]]]
"""Makes the further fields of the frame of a call, with which the page can use services of this server."""
FindDirectory = Callable[[PageIdentity, str, Mapping[str, object]], Awaitable[str]]
"""Finds the directory for which the gate must decide a call; raises `PageError` if there is none."""
MayReadFile = Callable[[str, str], Awaitable[bool]]
"""Returns whether policy lets the agent read a path of a directory (empty: the server's own) unasked."""


class _PanesOfPage(NamedTuple):
    identity: PageIdentity
    connection: PageConnection
    panes: list[Mapping[str, object]]


class Declared(NamedTuple):
    """What a manifest declared, and what the server made of it without the other pages."""

    names: tuple[str, ...] = ()
    refused: Mapping[str, str] = {}
    """Why a tool is not offered, by name."""
    reviews: Mapping[str, Review] = {}


@dataclass
class _OpenPage:
    """A page, its connection, and the tools of its last manifest."""

    identity: PageIdentity
    number: int
    connection: PageConnection | None
    tools: Mapping[str, PageTool] = field(default_factory=dict[str, PageTool])
    declared: Declared = Declared()
    won: frozenset[str] = frozenset()
    """The names of its tools that calls of the model go to."""
    is_ready: asyncio.Event = field(default_factory=asyncio.Event)
    """Set while the page is connected and has sent a manifest."""
    forget: asyncio.TimerHandle | None = None


class Pages:
    """The pages that are connected to this process; another server of the database has its own."""

    def __init__(
        self,
        catalog: PageCatalog,
        limits: RelayLimits = DEFAULT_LIMITS,
        *,
        reload_seconds: float = RELOAD_SECONDS,
    ) -> None:
        self.limits = limits
        self.issue_ticket: IssueTicket | None = None
        """Makes tickets for calls of known tools; None if this server has no services for pages."""
        self.find_directory: FindDirectory | None = None
        """Finds the directory that a call of a known tool names; None if this server has one root only."""
        self.host_tools: dict[str, tuple[int, tuple[object, ...]]] = {}
        """What a host made of the tools of a conversation, with their version: there can be a thousand."""
        self._versions: dict[str, int] = {}
        self._catalog = catalog
        self._reload_seconds = reload_seconds
        self._numbers = itertools.count(1)
        self._conversations: dict[str, dict[tuple[str, str], _OpenPage]] = {}

    # ---- connections ----------------------------------------------------------------------------

    def open(self, identity: PageIdentity, connection: PageConnection) -> None:
        """Add a page, or the new connection of a page that reloaded; ends its earlier connection."""
        pages = self._conversations.setdefault(identity.conversation, {})
        known = pages.get(_key(identity))
        if known is None:
            self._check_limits(identity, pages)
            pages[_key(identity)] = _OpenPage(identity, next(self._numbers), connection)
            return
        if known.forget is not None:
            known.forget.cancel()
            known.forget = None
        if known.connection is not None:
            known.connection.close()
        known.is_ready.clear()
        known.identity, known.connection = identity, connection

    def leave(self, identity: PageIdentity, connection: PageConnection) -> None:
        """End a connection; the tools of the page are kept for a moment, because it may reload."""
        connection.close()
        known = self._conversations.get(identity.conversation, {}).get(_key(identity))
        if known is None or known.connection is not connection:
            return
        known.connection = None
        known.is_ready.clear()
        if not known.tools or self._reload_seconds <= 0:
            self._forget(identity)
            return
        loop = asyncio.get_running_loop()
        known.forget = loop.call_later(self._reload_seconds, self._forget, identity)

    def close(self) -> None:
        """Forget all pages, because the server stops."""
        for pages in list(self._conversations.values()):
            for one in list(pages.values()):
                if one.forget is not None:
                    one.forget.cancel()
                if one.connection is not None:
                    one.connection.close()
        self._conversations.clear()

    def _forget(self, identity: PageIdentity) -> None:
        pages = self._conversations.get(identity.conversation, {})
        pages.pop(_key(identity), None)
        self._offer(identity.conversation)
        if not pages:
            self._conversations.pop(identity.conversation, None)
            self._versions.pop(identity.conversation, None)
            self.host_tools.pop(identity.conversation, None)

    def _check_limits(self, identity: PageIdentity, pages: Mapping[tuple[str, str], _OpenPage]) -> None:
        # Counted separately, so that pages with a token leave room for those of the person.
        every = (one.identity for others in self._conversations.values() for one in others.values())
        of_person = sum((one.user, one.is_own) == (identity.user, identity.is_own) for one in every)
        here = sum(one.identity.is_own is identity.is_own for one in pages.values())
        if here >= MAX_PAGES_PER_CONVERSATION or of_person >= MAX_PAGES_PER_PERSON:
            if not pages:
                self._conversations.pop(identity.conversation, None)
            raise PageLimitError("too many pages are open: close one")

    # ---- manifests ------------------------------------------------------------------------------

    async def declare(
        self, identity: PageIdentity, connection: PageConnection, tools: tuple[SerializedTool, ...]
    ) -> list[ToolReview]:
        """Replace the tools of a page, as a whole, and return what the server made of each."""
        reserved = self._catalog.reserved_names(identity.agent)
        made: dict[str, PageTool] = {}
        refused: dict[str, str] = {}
        for one in tools:
            reason = find_refusal(one, reserved, is_own=identity.is_own)
            if reason:
                refused[one.name] = reason
            else:
                made[one.name] = self._make_tool(one, identity)
        reviews = await self._catalog.pin(identity.user, identity.conversation, made.values())
        for name, review in reviews.items():
            if review is Review.REFUSED:
                refused[name] = "this origin has declared too many tools: ask an administrator"
                del made[name]
        known = self._conversations.get(identity.conversation, {}).get(_key(identity))
        if known is None or known.connection is not connection:
            return []
        known.tools = made
        known.declared = Declared(tuple(one.name for one in tools), refused, reviews)
        known.is_ready.set()
        self._offer(identity.conversation)
        connection.reviews_changed.clear()
        return _list_reviews(known)

    def reviews(self, identity: PageIdentity, connection: PageConnection) -> list[ToolReview]:
        """What the server makes now of the tools that a connection declared last."""
        known = self._conversations.get(identity.conversation, {}).get(_key(identity))
        return [] if known is None or known.connection is not connection else _list_reviews(known)

    def _make_tool(self, one: SerializedTool, identity: PageIdentity) -> PageTool:
        is_known = identity.is_own and is_known_name(one.name)
        origin = f"{ORIGIN_PREFIX}{OWN_ORIGIN if identity.is_own else identity.origin}"
        if one.name in LAYOUT_TOOLS:
            tool = LAYOUT_TOOLS[one.name]
        elif is_known:
            belt = TOOLS_BY_BELT["workbench"][one.name]
            tool = replace(belt, description=one.description or belt.description, parameters=one.params)
        else:
            tool = Tool(
                name=one.name,
                effect=Effect.EXTERNAL if one.side_effect else Effect.READ,
                description=one.description,
                parameters=one.params,
                template=one.template,
            )
            # A name without a dot has a group as well, so that it is not shown to every model.
            tool = replace(tool, group=tool_group(tool) or "page")
        return self._catalog.make_tool(replace(tool, origin=origin), identity.page, is_known=is_known)

    def _offer(self, conversation: str) -> None:
        """Offer the tools of a conversation's pages; a name belongs to the page that was first."""
        offered: dict[str, PageTool] = {}
        for page in self._sorted_pages(conversation):
            won = frozenset(page.tools.keys() - offered.keys())
            offered |= {name: tool for name, tool in page.tools.items() if name in won}
            if won != page.won:
                page.won = won
                if page.connection is not None:
                    page.connection.reviews_changed.set()
        self._versions[conversation] = next(self._numbers)
        self._catalog.offer(conversation, offered.values())

    def _sorted_pages(self, conversation: str) -> list[_OpenPage]:
        pages = self._conversations.get(conversation, {}).values()
        return sorted(pages, key=lambda one: one.number)

    # ---- the relay ------------------------------------------------------------------------------

    def tools(self, conversation: str) -> Iterator[OfferedTool]:
        """The tools that the pages of a conversation offer now."""
        for page in self._sorted_pages(conversation):
            yield from (
                OfferedTool(page.identity, tool) for name, tool in page.tools.items() if name in page.won
            )

    def version(self, conversation: str) -> int:
        """A number that changes whenever the tools of a conversation change; 0 if it never had a page."""
        return self._versions.get(conversation, 0)

    def has_pages(self, conversation: str) -> bool:
        """Whether a page is open in a conversation."""
        return conversation in self._conversations

    async def directory_of(self, offered: OfferedTool, args: Mapping[str, object]) -> str:
        """The directory for which the gate must decide a call; empty for the server's own."""
        return await self._directory_of(offered.identity, offered.name, args)

    async def _directory_of(self, identity: PageIdentity, tool: str, args: Mapping[str, object]) -> str:
        if self.find_directory is None or not identity.is_own or not is_known_name(tool):
            return ""
        return await self.find_directory(identity, tool, args)

    async def relay(self, offered: OfferedTool, call: RelayedCall, show_progress: ShowProgress) -> object:
        """Let the page of a tool carry out a call; raises `PageError` for every failure.

        INVARIANT: only the page for which the gate decided gets the call, and only with that definition.
        """
        identity, name = offered.identity, offered.name
        page = await self._wait_for_page(identity)
        kept = None if page is None or name not in page.won else page.tools[name]
        if page is None or kept is None or kept.pin != offered.tool.pin:
            raise PageError(f"the page of `{name}` has left or changed; the call was not carried out")
        if name in self._catalog.reserved_names(identity.agent):
            raise PageError(f"the server has a tool `{name}` by now; the call was not carried out")
        more: Mapping[str, object] = {}
        if self.issue_ticket is not None and identity.is_own and is_known_name(name):
            more = await self.issue_ticket(identity, name, call)
        # The page may have left, also while the ticket was issued.
        if (connection := page.connection) is None:
            raise PageError(f"the page of `{name}` has left; the call was not carried out")
        request = PageCall(tool=name, args=call.args, approved=call.was_answered, more=more)
        return await connection.call(request, show_progress)

    async def _wait_for_page(self, identity: PageIdentity) -> _OpenPage | None:
        """The page, connected and with a manifest; waits for a moment while it reloads."""
        page = self._conversations.get(identity.conversation, {}).get(_key(identity))
        if page is None:
            return None
        try:
            async with asyncio.timeout(self._reload_seconds):
                await page.is_ready.wait()
        except TimeoutError:
            return None
        return page

    async def list_panes(self, conversation: str) -> list[Mapping[str, object]]:
        """The open panes of all pages of a conversation; a page that fails has none, and an id means one."""
        panes = [pane for page in await self._panes(conversation) for pane in page.panes]
        return list({pane["instanceId"]: pane for pane in reversed(panes)}.values())[::-1]

    async def read_context(self, conversation: str, instance: str, may_read: MayReadFile) -> object:
        """What a pane shows now; raises `PageError` for a pane that is not open.

        INVARIANT: the text of a file reaches the agent only if policy lets it read this file without asking:
        an agent can open any file in a pane.
        """
        for identity, connection, panes in await self._panes(conversation):
            if any(pane["instanceId"] == instance for pane in panes):
                value, source = await connection.read_context(instance)
                if source is not None:
                    directory = await self._directory_of(identity, "files.read", source._asdict())
                    if not await may_read(source.path, directory):
                        path = source.path[:200]
                        raise PageError(f"policy does not let you read `{path}` unasked: call `files.read`")
                return value
        raise PageError(f"there is no open pane `{instance[:200]}`: see `list_open_panes`")

    async def _panes(self, conversation: str) -> list[_PanesOfPage]:
        # INVARIANT: a page chooses the ids of its panes, so those of our own pages come first.
        own_first = sorted(self._sorted_pages(conversation), key=lambda one: not one.identity.is_own)
        connected = [(page.identity, page.connection) for page in own_first if page.connection]
        found = await asyncio.gather(*(one.list_panes() for _, one in connected), return_exceptions=True)
        panes: list[_PanesOfPage] = []
        for (identity, connection), result in zip(connected, found, strict=True):
            if isinstance(result, list):
                panes.append(_PanesOfPage(identity, connection, result))
            elif not isinstance(result, PageError):
                raise result
        if connected and not panes:
            raise PageError("the page did not list its panes")
        return panes


def _key(identity: PageIdentity) -> tuple[str, str]:
    """Two people, two origins, and a person and a page token may use the same page id."""
    return identity.page, f"{identity.user} {identity.origin} {identity.is_own}"


def _list_reviews(page: _OpenPage) -> list[ToolReview]:
    names, refused, reviews = page.declared
    of_others = dict.fromkeys(page.tools.keys() - page.won, _OTHER_PAGE)
    return [_to_review(name, page.tools.get(name), {**refused, **of_others}, reviews) for name in names]


def _to_review(
    name: str, made: PageTool | None, refused: Mapping[str, str], reviews: Mapping[str, Review]
) -> ToolReview:
    if name in refused or made is None:
        return ToolReview(name, Effect.EXTERNAL, Review.REFUSED, refused.get(name, ""))
    review = reviews[name]
    is_certain = review in (Review.KNOWN, Review.REVIEWED)
    return ToolReview(name, made.declared.tool.effect if is_certain else Effect.EXTERNAL, review)
