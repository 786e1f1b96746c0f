"""Telling: what one listener hears, in order, first of what is open and then of what happens."""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass, field
from time import monotonic

from assent.errors import NotFoundError
from assent.gate.access import Principal
from assent.gate.approval import Excerpt, State
from assent.gate.events import Event, EventFeed, EventKind, EventPage
from assent.gate.store import ApprovalFilter
from assent.surfaces.http.again import Again
from assent.surfaces.http.service import Service
from assent.surfaces.http.spoken import Shown, Speech
from assent.wire.excerpt import excerpt_to_json
from assent.wire.fields import moment_to_json

PATIENCE = 15.0
"""Seconds without any news after which a sign of life is sent."""
WRONG = "the policy files cannot be used: the last good policy counts"
Message = dict[str, object]


class Ended(Exception):
    """The listener proved who they are by something that no longer holds."""


@dataclass(kw_only=True)
class Telling:
    """One listener: whom they are, where they stand, and what they were shown."""

    service: Service
    principal: Principal
    again: Again
    after: str | None = None
    """The last message that they saw; None if they are new."""
    speech: Speech | None = None
    shown: Shown = field(default_factory=Shown)

    async def messages(self) -> AsyncGenerator[Message]:
        """Everything there is to tell, for as long as somebody listens; ends when the server stops."""
        feed = self.service.gate.feed(self.principal, self.after)
        async for message in self._first(feed):
            yield message
        files, silent_since = self._files(), monotonic()
        while not self.service.stopping.is_set():
            happened = await self._more(feed, silent_since + PATIENCE - monotonic())
            is_silent = monotonic() >= silent_since + PATIENCE
            if not happened.events and not happened.reset and not is_silent:
                continue
            feed.principal = self.principal = await self.checked()
            async for message in self._told(feed, happened):
                yield message
            if files != (files := self._files()):
                yield {"type": "policy", "files": files[0], "error": files[1]}
            if is_silent:
                yield {"type": "ping"}
            silent_since = monotonic()

    async def _first(self, feed: EventFeed) -> AsyncGenerator[Message]:
        """Who is new gets all that is open; who was here gets what they missed, and nothing else."""
        if feed.cursor is None:
            # INVARIANT: where now is comes before what is open, so that nothing falls in between.
            await feed.start()
            async for message in self._open():
                yield message
        yield {"type": "ready", "cursor": feed.cursor}

    async def _told(self, feed: EventFeed, happened: EventPage) -> AsyncGenerator[Message]:
        if happened.reset:
            yield {"type": "reset"}
            async for message in self._open():
                yield message
            yield {"type": "ready", "cursor": feed.cursor}
        found = await self._found(one.approval for one in happened.events if one.approval)
        for event in happened.events:
            if not event.approval or event.approval in found:
                yield self._message(event, found.get(event.approval))

    async def _more(self, feed: EventFeed, patience: float) -> EventPage:
        """What happens next; nothing, at once, when the server stops."""
        news = asyncio.ensure_future(feed.next_events(max(patience, 0.0)))
        stop = asyncio.ensure_future(self.service.stopping.wait())
        try:
            await asyncio.wait((news, stop), return_when=asyncio.FIRST_COMPLETED)
            return news.result() if news.done() else EventPage((), feed.cursor or "")
        finally:
            stop.cancel()
            news.cancel()

    async def _open(self) -> AsyncGenerator[Message]:
        """Every question that waits for this listener, oldest first."""
        which = ApprovalFilter(states=frozenset({State.PENDING}))
        page = await self.service.gate.excerpts(self.principal, which)
        while True:
            for excerpt in page.excerpts:
                yield self._asked("pending", excerpt)
            if not page.after:
                return
            page = await self.service.gate.excerpts(self.principal, which, after=page.after)

    def _message(self, event: Event, excerpt: Excerpt | None) -> Message:
        said: Message = {"cursor": event.cursor, "at": moment_to_json(event.at)}
        match event.kind:
            case EventKind.POLICY:
                return {"type": "policy", **said, "files": self.service.grounds.version}
            case EventKind.PAUSED | EventKind.RESUMED:
                return {"type": event.kind.value, **said}
            case EventKind.ASKED if excerpt is not None and excerpt.approval.state is State.PENDING:
                return self._asked("asked", excerpt) | said
            case _:
                if excerpt is not None and excerpt.approval.state is not State.PENDING:
                    self.shown.drop(excerpt.approval)
                shown = None if excerpt is None else excerpt_to_json(excerpt)
                return {"type": event.kind.value, **said, "id": event.approval, "approval": shown}

    def _asked(self, kind: str, excerpt: Excerpt) -> Message:
        self.shown.add(excerpt)
        if self.speech is not None:
            return self.speech.asks(excerpt.approval) | ({"clipped": True} if excerpt.clipped else {})
        return {"type": kind, "id": excerpt.approval.id, "approval": excerpt_to_json(excerpt)}

    async def _found(self, ids: Iterable[str]) -> dict[str, Excerpt]:
        """These approvals in short as they stand now, as far as the listener may see them."""
        unique = list(dict.fromkeys(ids))
        found = await asyncio.gather(*map(self._excerpt, unique))
        return {one.approval.id: one for one in found if one is not None}

    async def _excerpt(self, id: str) -> Excerpt | None:
        try:
            return await self.service.gate.excerpt(self.principal, id)
        except NotFoundError:
            return None

    async def checked(self) -> Principal:
        """The listener as they are by now."""
        now = await self.again()
        if now is None or (now.id, now.kind) != (self.principal.id, self.principal.kind):
            raise Ended
        return now

    def _files(self) -> tuple[str, str]:
        """What the policy files say, and what is wrong with them; its words are for administrators."""
        version, error = self.service.grounds.version, self.service.grounds.error
        return version, error if self.principal.administrator or not error else WRONG
