"""A subscription: the messages of one live connection, in our protocol or the protocol of a known client."""

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

PING_SECONDS = 15.0
"""Seconds after which an idle connection gets a ping."""
POLICY_ERROR_MESSAGE = "the policy files have an error: the last good policy is in effect"
CHAT_CATEGORIES = {
    Effect.READ: "read",
    Effect.EDIT: "write",
    Effect.WRITE: "write",
    Effect.EXECUTE: "execute",
    Effect.EXTERNAL: "external",
    Effect.DESTRUCTIVE: "external",
}
"""The category in the chat protocol for each effect."""
Message = dict[str, object]


class CredentialEnded(Exception):
    """The client's credential is no longer valid."""


class ClientProtocol(NamedTuple):
    """Converts questions and answers for one kind of client."""

    write_question: Callable[[Approval], dict[str, object]]
    answer_type: str
    """The message type of an answer."""
    id_fields: tuple[str, ...]
    """The fields that may contain the id of the question."""
    read_answer: Callable[[Fields], Answer]


class SentQuestions:
    """The questions that were sent to one client, with their digests, to validate its answers."""

    def __init__(self) -> None:
        self._digests: dict[str, str] = {}
        self._calls: dict[str, set[str]] = {}
        self._clipped: set[str] = set()

    def add(self, excerpt: Excerpt) -> None:
        """Add a question that was sent, complete or clipped."""
        approval = excerpt.approval
        self._digests[approval.id] = approval.digest
        (self._clipped.add if excerpt.clipped else self._clipped.discard)(approval.id)
        self._calls.setdefault(approval.call.id, set()).add(approval.id)

    def remove(self, approval: Approval) -> None:
        """Remove a question that is no longer pending."""
        self._digests.pop(approval.id, None)
        self._clipped.discard(approval.id)
        same = self._calls.get(approval.call.id, set())
        same.discard(approval.id)
        if not same:
            self._calls.pop(approval.call.id, None)

    def is_clipped(self, id: str) -> bool:
        """Whether only a part of the question was sent, so that this client cannot allow it."""
        return id in self._clipped

    def find(self, name: str) -> tuple[str, str] | None:
        """The id and digest of a question by its id or call id; None if unknown or ambiguous."""
        ids = {name} if name in self._digests else self._calls.get(name, set())
        if len(ids) != 1:
            return None
        (id_,) = ids
        return id_, self._digests[id_]


@dataclass(kw_only=True)
class Subscription:
    """One client of a live connection: its principal, its position, and the questions it was sent."""

    service: Service
    principal: Principal
    reauthenticate: Reauthenticate
    after: str | None = None
    """The cursor of the last message that the client received; None for a new client."""
    protocol: ClientProtocol | None = None
    shown: SentQuestions = field(default_factory=SentQuestions)

    async def messages(self) -> AsyncGenerator[Message]:
        """Yield all messages for the client, until the server stops."""
        feed = self.service.gate.event_feed(self.principal, self.after)
        async for message in self._initial_messages(feed):
            yield message
        files, silent_since = self._policy_files_state(), monotonic()
        while not self.service.stopping.is_set():
            happened = await self._next_events(feed, silent_since + PING_SECONDS - monotonic())
            is_silent = monotonic() >= silent_since + PING_SECONDS
            if not happened.events and not happened.reset and not is_silent:
                continue
            feed.principal = self.principal = await self.current_principal()
            async for message in self._event_messages(feed, happened):
                yield message
            if files != (files := self._policy_files_state()):
                yield {"type": "policy", "files": files[0], "error": files[1]}
            if is_silent:
                yield {"type": "ping"}
            silent_since = monotonic()

    async def _initial_messages(self, feed: EventFeed) -> AsyncGenerator[Message]:
        """The first messages: all pending questions for a new client, then `ready`."""
        if feed.cursor is None:
            # INVARIANT: the position is read before the pending questions, so that no event is missed.
            await feed.start_cursor()
            async for message in self._pending_questions():
                yield message
        yield {"type": "ready", "cursor": feed.cursor}

    async def _event_messages(self, feed: EventFeed, happened: EventPage) -> AsyncGenerator[Message]:
        if happened.reset:
            yield {"type": "reset"}
            async for message in self._pending_questions():
                yield message
            yield {"type": "ready", "cursor": feed.cursor}
        found = await self._visible_excerpts(one.approval for one in happened.events if one.approval)
        for event in happened.events:
            if not event.approval or event.approval in found:
                yield self._event_to_message(event, found.get(event.approval))

    async def _next_events(self, feed: EventFeed, timeout: float) -> EventPage:
        """Wait for the next events; returns an empty page when the server stops."""
        news = asyncio.ensure_future(feed.next_events(max(timeout, 0.0)))
        stop = asyncio.ensure_future(self.service.stopping.wait())
        try:
            await asyncio.wait((news, stop), return_when=asyncio.FIRST_COMPLETED)
            return news.result() if news.done() else EventPage((), feed.cursor or "")
        finally:
            stop.cancel()
            news.cancel()

    async def _pending_questions(self) -> AsyncGenerator[Message]:
        """Messages with all pending questions that the client may see, oldest first."""
        which = ApprovalFilter(states=frozenset({State.PENDING}))
        page = await self.service.gate.excerpts(self.principal, which)
        while True:
            for excerpt in page.excerpts:
                yield self._question_message("pending", excerpt)
            if not page.after:
                return
            page = await self.service.gate.excerpts(self.principal, which, after=page.after)

    def _event_to_message(self, event: Event, excerpt: Excerpt | None) -> Message:
        common: Message = {"cursor": event.cursor, "at": moment_to_json(event.at)}
        match event.kind:
            case EventKind.POLICY:
                return {"type": "policy", **common, "files": self.service.policy.version}
            case EventKind.PAUSED | EventKind.RESUMED:
                return {"type": event.kind.value, **common}
            case EventKind.ASKED if excerpt is not None and excerpt.approval.state is State.PENDING:
                return self._question_message("asked", excerpt) | common
            case _:
                if excerpt is not None and excerpt.approval.state is not State.PENDING:
                    self.shown.remove(excerpt.approval)
                shown = None if excerpt is None else excerpt_to_json(excerpt)
                return {"type": event.kind.value, **common, "id": event.approval, "approval": shown}

    def _question_message(self, kind: str, excerpt: Excerpt) -> Message:
        self.shown.add(excerpt)
        if self.protocol is not None:
            message = self.protocol.write_question(excerpt.approval)
            return message | {"clipped": True} if excerpt.clipped else message
        return {"type": kind, "id": excerpt.approval.id, "approval": excerpt_to_json(excerpt)}

    async def _visible_excerpts(self, ids: Iterable[str]) -> dict[str, Excerpt]:
        """Excerpts of those approvals that the client may see, by id."""
        unique = list(dict.fromkeys(ids))
        found = await asyncio.gather(*map(self._visible_excerpt, unique))
        return {one.approval.id: one for one in found if one is not None}

    async def _visible_excerpt(self, id: str) -> Excerpt | None:
        try:
            return await self.service.gate.excerpt(self.principal, id)
        except NotFoundError:
            return None

    async def current_principal(self) -> Principal:
        """The principal with its current rights; raises `CredentialEnded` if the credential is invalid."""
        now = await self.reauthenticate()
        if now is None or (now.id, now.kind) != (self.principal.id, self.principal.kind):
            raise CredentialEnded
        return now

    def _policy_files_state(self) -> tuple[str, str]:
        """The version and the error of the policy files; others than administrators get a general message."""
        version, error = self.service.policy.version, self.service.policy.error
        return version, error if self.principal.administrator or not error else POLICY_ERROR_MESSAGE


def _to_chat_question(approval: Approval) -> dict[str, object]:
    return {
        "type": "tool_approval_request",
        "id": approval.id,
        "tool_call_id": approval.call.id,
        "name": approval.call.tool,
        "args": dict(approval.call.args),
        "category": CHAT_CATEGORIES[approval.tool.effect],
        "conversation": approval.call.conversation,
    }


def _from_chat_answer(fields: Fields) -> Answer:
    says = {"allow": Say.ONCE, "allow_for_chat": Say.CONVERSATION}
    # Any other decision denies the call.
    return Answer(say=says.get(fields.text("decision"), Say.DENY))


def _to_workbench_question(approval: Approval) -> dict[str, object]:
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


def _from_workbench_answer(fields: Fields) -> Answer:
    says = {"allow_once": Say.ONCE, "allow_always": Say.ALWAYS}
    say = says.get(fields.text("decision"), Say.DENY)
    rule = fields.maybe_text("rule") if say is Say.ALWAYS else None
    return Answer(say=say, rules=() if rule is None else (rule,))


PROTOCOLS: Mapping[str, ClientProtocol] = {
    "chat": ClientProtocol(
        _to_chat_question, "tool_approval_response", ("id", "tool_call_id"), _from_chat_answer
    ),
    "workbench": ClientProtocol(
        _to_workbench_question, "approval_response", ("approvalId", "callId"), _from_workbench_answer
    ),
}
"""The other supported protocols, by the name that a client requests."""
