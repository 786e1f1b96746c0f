"""A subscription: the messages of one live channel, in our own protocol or in that of a known client."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import NamedTuple

from assent.engine.base.tool import Effect, render_specifier
from assent.errors import NotFoundError
from assent.gate.access import Principal
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval, Excerpt, State
from assent.gate.events import Event, EventFeed, EventKind, EventPage
from assent.gate.store import ApprovalFilter
from assent.surfaces.http.api.access import Reauthenticate
from assent.surfaces.http.api.service import Service
from assent.wire.excerpt import excerpt_to_json
from assent.wire.fields import Fields, moment_to_json

PING_INTERVAL = 15.0
"""Seconds without a message after which a ping is sent."""
POLICY_ERROR = "the policy files have an error: the last good policy is in effect"
CATEGORIES = {
    Effect.READ: "read",
    Effect.EDIT: "write",
    Effect.WRITE: "write",
    Effect.EXECUTE: "execute",
    Effect.EXTERNAL: "external",
    Effect.DESTRUCTIVE: "external",
}
"""The word of the chat protocol for each effect."""
Message = dict[str, object]


class CredentialEnded(Exception):
    """The credential of the client has ended since it subscribed."""


class ClientProtocol(NamedTuple):
    """How a question is written for a client, and how its answer is read."""

    write_question: Callable[[Approval], dict[str, object]]
    answer_type: str
    """The type of the message that contains an answer."""
    id_fields: tuple[str, ...]
    """The fields that may name the question."""
    read_answer: Callable[[Fields], Answer]


class ShownQuestions:
    """The questions that one client was shown, with the digests that bind an answer to what it saw."""

    def __init__(self) -> None:
        self._digests: dict[str, str] = {}
        self._calls: dict[str, set[str]] = {}
        self._clipped: set[str] = set()

    def add(self, excerpt: Excerpt) -> None:
        """Remember a question that was sent, whole or clipped."""
        approval = excerpt.approval
        self._digests[approval.id] = approval.digest
        (self._clipped.add if excerpt.clipped else self._clipped.discard)(approval.id)
        self._calls.setdefault(approval.call.id, set()).add(approval.id)

    def remove(self, approval: Approval) -> None:
        """Forget a question that is no longer pending."""
        self._digests.pop(approval.id, None)
        self._clipped.discard(approval.id)
        same = self._calls.get(approval.call.id, set())
        same.discard(approval.id)
        if not same:
            self._calls.pop(approval.call.id, None)

    def is_clipped(self, id: str) -> bool:
        """Whether only a part was sent: then it can be allowed only where the whole question is shown."""
        return id in self._clipped

    def find(self, name: str) -> tuple[str, str] | None:
        """The id and digest of a question by its id or call id; None where the call id is ambiguous."""
        ids = {name} if name in self._digests else self._calls.get(name, set())
        if len(ids) != 1:
            return None
        (id_,) = ids
        return id_, self._digests[id_]


@dataclass(kw_only=True)
class Subscription:
    """One client of a live channel: who it is, its position, and what it was shown."""

    service: Service
    principal: Principal
    reauthenticate: Reauthenticate
    after: str | None = None
    """The cursor of the last message that the client received; None for a new client."""
    protocol: ClientProtocol | None = None
    shown: ShownQuestions = field(default_factory=ShownQuestions)

    async def messages(self) -> AsyncGenerator[Message]:
        """All messages; ends when the server stops."""
        feed = self.service.gate.feed(self.principal, self.after)
        async for message in self._initial(feed):
            yield message
        files, silent_since = self._files(), monotonic()
        while not self.service.stopping.is_set():
            happened = await self._next(feed, silent_since + PING_INTERVAL - monotonic())
            is_silent = monotonic() >= silent_since + PING_INTERVAL
            if not happened.events and not happened.reset and not is_silent:
                continue
            feed.principal = self.principal = await self.current_principal()
            async for message in self._news(feed, happened):
                yield message
            if files != (files := self._files()):
                yield {"type": "policy", "files": files[0], "error": files[1]}
            if is_silent:
                yield {"type": "ping"}
            silent_since = monotonic()

    async def _initial(self, feed: EventFeed) -> AsyncGenerator[Message]:
        """A new client gets all pending questions; a returning one only what it missed."""
        if feed.cursor is None:
            # INVARIANT: the position is read before the pending questions, so that nothing is missed.
            await feed.start()
            async for message in self._pending():
                yield message
        yield {"type": "ready", "cursor": feed.cursor}

    async def _news(self, feed: EventFeed, happened: EventPage) -> AsyncGenerator[Message]:
        if happened.reset:
            yield {"type": "reset"}
            async for message in self._pending():
                yield message
            yield {"type": "ready", "cursor": feed.cursor}
        found = await self._excerpts(one.approval for one in happened.events if one.approval)
        for event in happened.events:
            if not event.approval or event.approval in found:
                yield self._message(event, found.get(event.approval))

    async def _next(self, feed: EventFeed, timeout: float) -> EventPage:
        """What happens next; returns at once, with nothing, when the server stops."""
        news = asyncio.ensure_future(feed.next_events(max(timeout, 0.0)))
        stop = asyncio.ensure_future(self.service.stopping.wait())
        try:
            await asyncio.wait((news, stop), return_when=asyncio.FIRST_COMPLETED)
            return news.result() if news.done() else EventPage((), feed.cursor or "")
        finally:
            stop.cancel()
            news.cancel()

    async def _pending(self) -> AsyncGenerator[Message]:
        """Every pending question that the client may see, oldest first."""
        which = ApprovalFilter(states=frozenset({State.PENDING}))
        page = await self.service.gate.excerpts(self.principal, which)
        while True:
            for excerpt in page.excerpts:
                yield self._question("pending", excerpt)
            if not page.after:
                return
            page = await self.service.gate.excerpts(self.principal, which, after=page.after)

    def _message(self, event: Event, excerpt: Excerpt | None) -> Message:
        common: Message = {"cursor": event.cursor, "at": moment_to_json(event.at)}
        match event.kind:
            case EventKind.POLICY:
                return {"type": "policy", **common, "files": self.service.policy.version}
            case EventKind.PAUSED | EventKind.RESUMED:
                return {"type": event.kind.value, **common}
            case EventKind.ASKED if excerpt is not None and excerpt.approval.state is State.PENDING:
                return self._question("asked", excerpt) | common
            case _:
                if excerpt is not None and excerpt.approval.state is not State.PENDING:
                    self.shown.remove(excerpt.approval)
                shown = None if excerpt is None else excerpt_to_json(excerpt)
                return {"type": event.kind.value, **common, "id": event.approval, "approval": shown}

    def _question(self, kind: str, excerpt: Excerpt) -> Message:
        self.shown.add(excerpt)
        if self.protocol is not None:
            message = self.protocol.write_question(excerpt.approval)
            return message | {"clipped": True} if excerpt.clipped else message
        return {"type": kind, "id": excerpt.approval.id, "approval": excerpt_to_json(excerpt)}

    async def _excerpts(self, ids: Iterable[str]) -> dict[str, Excerpt]:
        """The current state of these approvals, as far as the client may see them."""
        unique = list(dict.fromkeys(ids))
        found = await asyncio.gather(*map(self._excerpt, unique))
        return {one.approval.id: one for one in found if one is not None}

    async def _excerpt(self, id: str) -> Excerpt | None:
        try:
            return await self.service.gate.excerpt(self.principal, id)
        except NotFoundError:
            return None

    async def current_principal(self) -> Principal:
        """The principal with its current rights."""
        now = await self.reauthenticate()
        if now is None or (now.id, now.kind) != (self.principal.id, self.principal.kind):
            raise CredentialEnded
        return now

    def _files(self) -> tuple[str, str]:
        """The version and the error of the policy files; only administrators see the text of the error."""
        version, error = self.service.policy.version, self.service.policy.error
        return version, error if self.principal.administrator or not error else POLICY_ERROR


def _chat(approval: Approval) -> dict[str, object]:
    return {
        "type": "tool_approval_request",
        "id": approval.id,
        "tool_call_id": approval.call.id,
        "name": approval.call.tool,
        "args": dict(approval.call.args),
        "category": CATEGORIES[approval.tool.effect],
        "conversation": approval.call.conversation,
    }


def _chat_answer(fields: Fields) -> Answer:
    says = {"allow": Say.ONCE, "allow_for_chat": Say.CONVERSATION}
    # Any other word denies.
    return Answer(say=says.get(fields.text("decision"), Say.DENY))


def _workbench(approval: Approval) -> dict[str, object]:
    return {
        "type": "approval_request",
        "approvalId": approval.id,
        "turnId": approval.turn,
        "callId": approval.call.id,
        "tool": approval.call.tool,
        "specifier": render_specifier(approval.tool, approval.call.args) or "",
        "args": dict(approval.call.args),
        "mode": approval.mode,
    }


def _workbench_answer(fields: Fields) -> Answer:
    says = {"allow_once": Say.ONCE, "allow_always": Say.ALWAYS}
    say = says.get(fields.text("decision"), Say.DENY)
    rule = fields.maybe_text("rule") if say is Say.ALWAYS else None
    return Answer(say=say, rules=() if rule is None else (rule,))


PROTOCOLS: Mapping[str, ClientProtocol] = {
    "chat": ClientProtocol(_chat, "tool_approval_response", ("id", "tool_call_id"), _chat_answer),
    "workbench": ClientProtocol(_workbench, "approval_response", ("approvalId", "callId"), _workbench_answer),
}
"""The protocols besides our own, by the name that a client requests."""
