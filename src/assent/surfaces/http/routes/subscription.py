"""A subscription: the messages of one live channel, first the pending questions and then what happens."""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass, field
from time import monotonic

from assent.errors import NotFoundError
from assent.gate.access import Principal
from assent.gate.approval import Excerpt, State
from assent.gate.events import Event, EventFeed, EventKind, EventPage
from assent.gate.store import ApprovalFilter
from assent.surfaces.http.api.access import Reauthenticate
from assent.surfaces.http.api.service import Service
from assent.surfaces.http.routes.protocols import ClientProtocol, ShownQuestions
from assent.wire.excerpt import excerpt_to_json
from assent.wire.fields import moment_to_json

PING_INTERVAL = 15.0
"""Seconds without a message after which a ping is sent."""
POLICY_ERROR = "the policy files have an error: the last good policy is in effect"
Message = dict[str, object]


class CredentialEnded(Exception):
    """The credential of the client has ended since it subscribed."""


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
