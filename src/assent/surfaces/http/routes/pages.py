"""`/v1/pages`: the WebSocket on which a web page declares its tools and serves their calls."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

from starlette.websockets import WebSocket

from assent.errors import AssentError, InputError, NotFoundError, StoreError, UnavailableError
from assent.gate.access import Kind, Principal
from assent.gate.people import Purpose
from assent.hosts.browser.connection import PageConnection
from assent.hosts.browser.manifest import (
    MAX_MANIFEST_CHARACTERS,
    MAX_TOOLS,
    ManifestError,
    ManifestReader,
    parse_manifest,
)
from assent.hosts.browser.pages import PageIdentity, PageLimitError, ToolReview
from assent.surfaces.http.api.access import RECHECK_SECONDS, create_reauthentication
from assent.surfaces.http.api.problems import ProblemError
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import Service
from assent.surfaces.http.api.sockets import (
    CREDENTIAL_ENDED_MESSAGE,
    MAX_MESSAGE_CHARACTERS,
    JsonSocket,
    Listener,
    SocketClose,
    close_on_malformed_frame,
    run_until_first_end,
    serve_live_connection,
)
from assent.wire.fields import Fields

PING_SECONDS = 20.0
"""Seconds of silence after which the server sends a ping."""
SILENCE_SECONDS = 60.0
"""Seconds after which a page that sends nothing is disconnected."""
DEFAULT_AGENT = "chat"
"""The agent of conversations that do not set one."""
_PAGE_ID = re.compile(r"[A-Za-z0-9_-]{16,64}")
_MAX_SDK_CHARACTERS = 100
_MAX_CONVERSATION_CHARACTERS = 256

router = Router("/v1", "pages")


class _Visitor(NamedTuple):
    """The authenticated page: its person, its origin, and the only conversation that its token allows."""

    listener: Listener
    origin: str
    is_own: bool
    conversation: str | None


@router.websocket("/pages")
async def serve_page_socket(socket: WebSocket, service: Service) -> None:
    """Serve one web page: its manifest, its panes, and the calls that are relayed to it."""
    await serve_live_connection(socket, service, lambda frames: _PageSession(service, frames).run())


class _PageSession:
    """The session of one page: authenticate, open, then relay until one side leaves."""

    def __init__(self, service: Service, socket: JsonSocket) -> None:
        self._service = service
        self._pages = service.pages
        self.socket = socket
        self._connection = PageConnection(self._send_frame, service.pages.limits)
        self._manifests = ManifestReader()
        self._accepted = ""
        """The id of the manifest in effect."""

    async def run(self) -> None:
        """Serve the page; always ends by raising `SocketClose` or a disconnect."""
        try:
            visitor = await self._authenticate()
            identity = await self._open_page(visitor)
        except StoreError:
            raise SocketClose(SocketClose.LATER, "the store is not available: connect again later") from None
        try:
            await self.socket.send(_ready_message(identity, self._service))
            await self._serve(visitor, identity)
        finally:
            self._pages.leave(identity, self._connection)

    async def _authenticate(self) -> _Visitor:
        socket = self.socket.socket
        other: str = socket.state.other_origin
        origin = other or socket.headers.get("origin", "")
        if not origin:
            raise SocketClose(SocketClose.FORBIDDEN, "only web pages connect here: an `Origin` is required")
        found = getattr(socket.state, "principal", None)
        if isinstance(found, Principal) and not other:
            listener = Listener(found, create_reauthentication(self._service, socket))
            conversation = None
        else:
            purposes = (Purpose.PAGE,) if other else (Purpose.TOKEN, Purpose.PAGE)
            known = await self.socket.authenticate_by_frame(*purposes)
            listener, credential = self.socket.listener(known), known.credential
            conversation = None
            if credential.purpose is Purpose.PAGE:
                scope = await self._service.authenticator.page_scope(credential)
                if scope is None or origin not in scope.origins:
                    raise SocketClose(SocketClose.FORBIDDEN, "this page token is for pages of another origin")
                conversation = scope.conversation
        if listener.principal.kind is not Kind.PERSON:
            raise SocketClose(SocketClose.FORBIDDEN, "the tokens of agents and services cannot open a page")
        # INVARIANT: a page token is copied into pages, so none of its pages counts as a page of this server.
        is_own = not other and conversation is None
        return _Visitor(listener, origin, is_own=is_own, conversation=conversation)

    async def _open_page(self, visitor: _Visitor) -> PageIdentity:
        fields = await self.socket.receive_first("page", "page", "conversation", "sdk")
        with close_on_malformed_frame():
            page, conversation = fields.text("page"), fields.text("conversation")
            if not _PAGE_ID.fullmatch(page) or len(fields.text("sdk", "")) > _MAX_SDK_CHARACTERS:
                raise InputError("`page` must be 16 to 64 of A-Z a-z 0-9 _ -, and `sdk` must be short")
            if len(conversation) > _MAX_CONVERSATION_CHARACTERS:
                raise InputError("`conversation` is too long")
        principal = visitor.listener.principal
        if visitor.conversation not in (None, conversation):
            raise SocketClose(SocketClose.FORBIDDEN, "this page token is for another conversation")
        agent = await self._find_agent(principal, conversation)
        identity = PageIdentity(
            page=page,
            conversation=conversation,
            agent=agent,
            user=principal.id,
            origin=visitor.origin,
            is_own=visitor.is_own,
        )
        try:
            self._pages.open(identity, self._connection)
        except PageLimitError as error:
            raise SocketClose(SocketClose.LIMIT, str(error)) from None
        return identity

    async def _find_agent(self, principal: Principal, conversation: str) -> str:
        """The agent of a conversation, which must be the person's own, also for administrators."""
        try:
            known = await self._service.gate.conversations.find(principal, conversation)
        except NotFoundError:
            raise SocketClose(SocketClose.NOT_FOUND, "there is no such conversation") from None
        if known.owner != principal.id:
            raise SocketClose(SocketClose.NOT_FOUND, "there is no such conversation")
        return known.agent or DEFAULT_AGENT

    async def _serve(self, visitor: _Visitor, identity: PageIdentity) -> None:
        await run_until_first_end(
            self._receive_frames(visitor, identity),
            self._watch(visitor),
            self._send_changed_reviews(identity),
            self._wait_until_replaced(),
            self.socket.wait_until_stopping(),
        )

    async def _receive_frames(self, visitor: _Visitor, identity: PageIdentity) -> None:
        while True:
            try:
                async with asyncio.timeout(SILENCE_SECONDS):
                    fields = await self.socket.receive()
            except TimeoutError:
                raise SocketClose(SocketClose.SLOW, "the page sent nothing: connect again") from None
            with close_on_malformed_frame():
                await self._handle_frame(fields, visitor, identity)

    async def _handle_frame(self, fields: Fields, visitor: _Visitor, identity: PageIdentity) -> None:
        match fields.text("type"):
            case "tool_result" | "tool_progress" | "context" | "panes":
                self._connection.receive(fields)
            case "manifest":
                await self._handle_manifest(fields, identity)
            case "list_tools":
                fields.check_known("type", "id")
                await self._send_tools(fields.text("id"), visitor, identity)
            case "ping":
                fields.check_known("type")
                await self.socket.send({"type": "pong"})
            case "pong":
                fields.check_known("type")
            case _:
                raise InputError("unknown type of message")

    async def _handle_manifest(self, fields: Fields, identity: PageIdentity) -> None:
        try:
            manifest = self._manifests.read_frame(fields)
        except ManifestError as error:
            await self._refuse_manifest(error.id, str(error))
            return
        if manifest is None:
            return
        try:
            # A large manifest is parsed in a thread, so that other pages are served meanwhile.
            tools = await asyncio.to_thread(parse_manifest, manifest.text)
            reviews = await self._pages.declare(identity, self._connection, tools)
        except InputError as error:
            await self._refuse_manifest(manifest.id, str(error))
        except StoreError:
            await self._refuse_manifest(manifest.id, "the store is not available: try again later")
        else:
            self._accepted = manifest.id
            await self._send_reviews(reviews)

    async def _send_changed_reviews(self, identity: PageIdentity) -> None:
        """Send the reviews again whenever another page took a name of this page, or left one to it."""
        while True:
            await self._connection.reviews_changed.wait()
            # A manifest that arrived meanwhile has cleared it, and its own reply has the reviews.
            if self._connection.reviews_changed.is_set():
                self._connection.reviews_changed.clear()
                await self._send_reviews(self._pages.reviews(identity, self._connection))

    async def _send_reviews(self, reviews: Sequence[ToolReview]) -> None:
        shown = [_review_to_json(one) for one in reviews]
        await self.socket.send({"type": "manifest_accepted", "id": self._accepted, "tools": shown})

    async def _refuse_manifest(self, id_: str, problem: str) -> None:
        await self.socket.send({"type": "manifest_refused", "id": id_, "problem": problem})

    async def _send_tools(self, id_: str, visitor: _Visitor, identity: PageIdentity) -> None:
        """Send all tools of the conversation; a page with a page token gets its own tools only."""
        try:
            chat = await self._service.chat()
            groups = await chat.list_tools(visitor.listener.principal, identity.conversation)
        except (AssentError, ProblemError) as error:
            detail = "try again later" if isinstance(error, StoreError | UnavailableError) else str(error)
            await self.socket.send({"type": "error", "about": id_, "detail": detail})
            return
        shown = _mark_pages(groups, identity, only_own=visitor.conversation is not None)
        await self.socket.send({"type": "tools", "id": id_, "groups": shown})

    async def _watch(self, visitor: _Visitor) -> None:
        """Check repeatedly that the credential is valid, and send pings."""
        loop = asyncio.get_running_loop()
        pinged_at = loop.time()
        while True:
            await asyncio.sleep(RECHECK_SECONDS)
            try:
                principal = await visitor.listener.reauthenticate()
            except StoreError:
                continue
            if principal is None:
                raise SocketClose(SocketClose.UNKNOWN, CREDENTIAL_ENDED_MESSAGE)
            if loop.time() - pinged_at >= PING_SECONDS:
                pinged_at = loop.time()
                await self.socket.send({"type": "ping"})

    async def _wait_until_replaced(self) -> None:
        await self._connection.closed.wait()
        raise SocketClose(SocketClose.REPLACED, "another connection of this page replaced this one")

    async def _send_frame(self, frame: Mapping[str, object]) -> None:
        try:
            await self.socket.send(frame)
        except SocketClose:
            self._connection.close()
            raise OSError("the page does not accept frames") from None


def _ready_message(identity: PageIdentity, service: Service) -> Mapping[str, object]:
    limits = service.pages.limits
    return {
        "type": "ready",
        "page": identity.page,
        "conversation": identity.conversation,
        "origin": identity.origin,
        "own": identity.is_own,
        "limits": {
            "frame": MAX_MESSAGE_CHARACTERS,
            "manifest": MAX_MANIFEST_CHARACTERS,
            "tools": MAX_TOOLS,
            "value": limits.value_characters,
            "seconds": limits.seconds,
            "total_seconds": limits.total_seconds,
            "waiting_seconds": limits.waiting_seconds,
        },
    }


def _review_to_json(one: ToolReview) -> Mapping[str, object]:
    reason = {"reason": one.reason} if one.reason else {}
    return {"name": one.name, "effect": one.effect.value, "review": one.review.value, **reason}


def _mark_pages(
    groups: Sequence[Mapping[str, object]], identity: PageIdentity, *, only_own: bool
) -> list[Mapping[str, object]]:
    """The groups as one page sees them: which tools are its own, and which are those of another page."""
    shown: list[Mapping[str, object]] = []
    for group in groups:
        tools = [_mark_page(one, identity.page) for one in _tools(group)]
        kept = [one for one in tools if not only_own or one["source"] == "page"]
        if kept:
            shown.append({"group": group["group"], "tools": kept})
    return shown


def _tools(group: Mapping[str, object]) -> Sequence[Mapping[str, object]]:
    found = group["tools"]
    return cast("list[Mapping[str, object]]", found) if isinstance(found, list) else ()


def _mark_page(tool: Mapping[str, object], page: str) -> Mapping[str, object]:
    owner = tool.get("page")
    plain = {name: value for name, value in tool.items() if name != "page"}
    return plain if not owner or owner == page else {**plain, "source": "other_page"}
