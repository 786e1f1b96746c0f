"""The chat: people talk to a model here, and every act of it passes the gate."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from assent.compose import FullStore
from assent.engine.facts import Place
from assent.errors import AssentError, ConflictError, NotFoundError
from assent.gate.access import Principal, can_see, check_can_call, check_owner
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval, State
from assent.gate.conversation import Conversation
from assent.gate.gate import Gate, TurnOptions
from assent.gate.ids import canonical_json, new_id
from assent.gate.preset import Delivery
from assent.gate.transcript import ChatRun, LogKind, LogLine, Post, RunStatus, StartedRun, StartResult
from assent.hosts.chat import chunk
from assent.hosts.chat.belt.belt import Backing, compose
from assent.hosts.chat.belt.change import rewritten
from assent.hosts.chat.belt.context import Context
from assent.hosts.chat.belt.reading import read_by_rules
from assent.hosts.chat.belt.runner import runner
from assent.hosts.chat.chunk import Chunk
from assent.hosts.chat.history import messages_in
from assent.hosts.chat.incoming import Incoming, Said, post_of
from assent.hosts.chat.log import Log, shown_in
from assent.hosts.chat.loop import Loop, Means
from assent.hosts.chat.message import (
    Message,
    assistant_message,
    pending_in,
    person_message,
    person_text,
)
from assent.hosts.chat.models import Models
from assent.hosts.chat.named import named_by
from assent.hosts.chat.questions import asks, questions_of
from assent.hosts.chat.runs import SILENT, UNDER_WAY, Runs

AGENT = "chat"
"""The agent of a conversation that names none."""
PATIENCE = 20.0
"""Seconds that a new message waits for the run before it to end."""
_POLL = 0.25
"""Seconds between two looks at a log that another process writes."""
_MOST_TRIES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """What a chat stands on."""

    gate: Gate
    store: FullStore
    backing: Backing
    models: Models
    place: Callable[[], Place]
    """Where the belt works: the same place that calls are decided with."""
    prompt: str = ""
    """What an operator wants every model to know."""
    silent: timedelta = SILENT


class Chat:
    """Conversations with models; a run is a task here, and HTTP only looks at its log."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._gate, self._store = house.gate, house.store
        self._runs = Runs(house.gate, house.store, self._drive, silent=house.silent)

    async def open(self) -> None:
        """Let the gate apply what is proposed here, and look for runs that need somebody."""
        self._gate.rewrites["apply_change"] = rewritten
        for tool in await compose(self._house.backing, self._context(Principal(id=""), "")):
            made = runner(tool, lambda principal, call: self._context(principal, call.conversation))
            if made is not None:
                self._gate.offer(tool.declared, runners={tool.name: made})
        self._runs.open()

    async def close(self) -> None:
        """Let every run go where it stands."""
        await self._runs.close()

    def offered(self) -> list[dict[str, object]]:
        """The models on offer, the usual one first."""
        every = self._house.models.offered
        return [{"name": one.name, "model": one.model, "rehearsal": one.is_rehearsal} for one in every]

    # ---- what people do -------------------------------------------------------------------------

    async def send(self, principal: Principal, id: str, said: Incoming) -> AsyncIterator[Chunk]:
        """Take a message or answers in; what comes of it is told as it happens, whoever listens."""
        conversation = await self._found(principal, id)
        check_can_call(principal, replace(conversation.resource, agent=_agent(conversation)))
        if said.about:
            said = replace(said, text=await self._followed_up(principal, conversation, said.about))
        if said.text is not None:
            begun = await self._begun(principal, conversation, said)
            return self.follow(begun.run, whole=begun.start is StartResult.REPEATED)
        run = await self._answered(principal, conversation, said)
        if run.status is RunStatus.SUSPENDED and await self._waits(run):
            return self._still(run)
        await self._runs.take(run)
        return self.follow(run, whole=False)

    async def check_key(self, principal: Principal, id: str, said: Incoming) -> None:
        """Refuse a key that belongs to another request than this one to that conversation."""
        post = post_of(principal, id, said)
        if post is not None:
            await self._store.run_of_post(post)

    async def attach(self, principal: Principal, id: str) -> AsyncIterator[Chunk] | None:
        """Look on at what runs in a conversation, from its beginning; None where nothing does."""
        conversation = await self._found(principal, id)
        run = await self._open_run(conversation.id)
        if run is None:
            return None
        if run.status is RunStatus.SUSPENDED and await self._waits(run):
            return None
        await self._runs.take(run)
        return self.follow(run, whole=True)

    async def stop(self, principal: Principal, id: str) -> None:
        """End what runs in a conversation; its open questions are withdrawn."""
        conversation = await self._found(principal, id)
        check_owner(principal, conversation.resource)
        run = await self._open_run(conversation.id)
        if run is not None:
            await self._runs.end(run, RunStatus.STOPPED)
            await self._runs.ended(run, PATIENCE)

    async def messages(
        self, principal: Principal, id: str, *, live: bool = False, replaced: bool = False
    ) -> list[Message]:
        """What was said in a conversation; with `live`, also what is being said, as far as it is."""
        conversation = await self._found(principal, id)
        every = await self._store.chat_runs(conversation.id)
        runs = [one for one in every if replaced or not one.replaced_by]
        kinds = (LogKind.CHUNKS, LogKind.VOID)
        lines = await self._store.lines([run.id for run in runs], kinds=kinds)
        told: list[Message] = []
        for run in runs:
            told.append(person_message(run))
            if run.status is not RunStatus.RUNNING or live:
                here = self._runs.logs.get(run.id)
                own = [line for line in lines if line.run == run.id]
                chunks = shown_in(own) if here is None else here.chunks
                told.append(assistant_message(run, await self._current(run, chunks)))
        return told

    # ---- looking on -----------------------------------------------------------------------------

    async def follow(self, run: ChatRun, *, whole: bool) -> AsyncIterator[Chunk]:
        """What is shown of a run; from its beginning, or since it was last taken up."""
        log = self._runs.logs.get(run.id)
        if log is not None:
            shown = log.follow(0 if whole else _last_start(log.chunks))
        else:
            shown = self._elsewhere(run, whole=whole)
        is_first = True
        async for one in shown:
            # Within one stream a run starts once, and is over only when its log says no more.
            if one["type"] != "start" or is_first:
                yield one
            is_first = False

    async def _still(self, run: ChatRun) -> AsyncIterator[Chunk]:
        """What a run that goes on waiting waits for."""
        yield chunk.start(run.id)
        for approval in await questions_of(self._store, run):
            yield chunk.explained(approval.call.id, approval)
            yield chunk.asked(approval.call.id, approval)
        yield chunk.finish()

    async def _elsewhere(self, run: ChatRun, *, whole: bool) -> AsyncIterator[Chunk]:
        """What another process writes to a log; a notice or a short while, and one looks again."""
        kinds, after, is_first = (LogKind.CHUNKS, LogKind.VOID), 0, True
        while True:
            stirs = self._store.change_count
            course = (await self._store.chat_run(run.id)).status
            lines = await self._store.lines([run.id], after=after, kinds=kinds)
            chunks = shown_in(lines)
            for one in chunks if whole or not is_first else chunks[_last_start(chunks) :]:
                yield one
            after, is_first = max((line.number + 1 for line in lines), default=after), False
            if course is not RunStatus.RUNNING:
                return
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_POLL):
                    await self._store.wait_for_change(stirs)

    async def _current(self, run: ChatRun, chunks: Sequence[Chunk]) -> Sequence[Chunk]:
        """What was shown, with each question that was open then as it is now."""
        if run.status not in UNDER_WAY:
            return chunks
        ends: list[Chunk] = []
        for id, call in pending_in(chunks).items():
            approval = await self._store.approval(id)
            if approval.state is not State.PENDING:
                ends.append(chunk.explained(call, approval))
        return [*chunks, *ends]

    # ---- beginning and going on -----------------------------------------------------------------

    async def _begun(self, principal: Principal, conversation: Conversation, said: Incoming) -> StartedRun:
        """Begin a run with a message, once; what still runs there ends first, and its questions with it."""
        run = ChatRun(
            id=new_id(),
            conversation=conversation.id,
            owner=conversation.owner,
            agent=_agent(conversation),
            message=_written(said),
            mode=said.mode,
            model=self._house.models.named(said.model or conversation.model),
            delivery=said.delivery,
            digest=said.digest,
        )
        # If policy cannot be loaded, nothing begins.
        turn = await self._gate.begin(
            Principal(id=run.owner),
            conversation=run.conversation,
            agent=run.agent,
            options=_opening(run)._replace(continued=False),
        )
        # Whatever the conversation is set to meanwhile, it goes on in the mode that it began with.
        run = replace(run, mode=turn.context.mode_name)
        if turn.context.file_policy.preset.delivery is Delivery.PROPOSE:
            run = replace(run, delivery=None)
        post = post_of(principal, conversation.id, said)
        for _ in range(_MOST_TRIES):
            begun = await self._tried(run, said, post)
            if begun.start is not StartResult.OCCUPIED:
                return begun
            await self._runs.end(begun.run, RunStatus.SUPERSEDED)
            await self._runs.ended(begun.run, PATIENCE)
        raise ConflictError("others keep writing to this conversation; try again")

    async def _tried(self, run: ChatRun, said: Incoming, post: Post | None) -> StartedRun:
        """Begin a run in place of those that its post names, unless the same post began one before."""
        known = None if post is None else await self._store.run_of_post(post)
        named = named_by(said, await self._store.chat_runs(run.conversation) if said.replaces else ())
        if (repeated := known or named.repeated) is not None:
            return StartedRun(repeated, StartResult.REPEATED)
        # Withdrawn before the new run begins: whoever dies in between leaves no question of an old one.
        for one in named.replaces:
            await self._runs.end(one, RunStatus.SUPERSEDED)
            await self._runs.ended(one, PATIENCE)
        if named.replaces:
            await self._runs.withdraw_since(named.replaces[0], "the message was edited or tried again")
        return await self._runs.begin(run, post=post, replaces=[one.id for one in named.replaces])

    async def _followed_up(self, principal: Principal, conversation: Conversation, id: str) -> str:
        """What the model is told of a proposal, in the server's own words; no client's text reaches it."""
        approval = await self._gate.approval(principal, id)
        if approval.call.conversation != conversation.id or not approval.token_digest:
            raise NotFoundError("approval", id)
        words = {State.DONE: "applied", State.DENIED: "declined", State.FAILED: "tried to apply"}
        if approval.state not in words:
            raise ConflictError(f"proposal `{id}` is {approval.state}: it was neither applied nor declined")
        summary = (approval.preview or {}).get("summary", approval.call.tool)
        failed = ", which failed" if approval.state is State.FAILED else ""
        return f"[note from the server: a person {words[approval.state]} the proposal `{summary}`{failed}]"

    async def _answered(self, principal: Principal, conversation: Conversation, said: Incoming) -> ChatRun:
        """Take answers to the server's own record, and go on with the run that they are about."""
        run = await self._open_run(conversation.id) or await self._newest(conversation.id)
        if run is None:
            raise NotFoundError("run", conversation.id)
        post = post_of(principal, conversation.id, said)
        if post is not None:
            await self._store.keep_post(post, run.id)
        for one in said.answers:
            await self._answer(principal, run, one)
        return run

    async def _answer(self, principal: Principal, run: ChatRun, said: Said) -> None:
        """Answer one question; what the client says that it is about must be what was asked."""
        try:
            approval = await self._gate.approval(principal, said.approval.partition(".")[0])
        except NotFoundError:
            return
        if approval.state is not State.PENDING or not asks(run, approval) or not _is_about(approval, said):
            return
        answer = Answer(say=Say.ONCE if said.yes else Say.DENY, reason=said.reason)
        # Somebody else was faster: their answer counts, and the stream shows it.
        with contextlib.suppress(ConflictError):
            await self._gate.answer(principal, approval.id, approval.digest, answer)

    async def _waits(self, run: ChatRun) -> bool:
        """Whether a suspended run still waits for a person."""
        return bool(await questions_of(self._store, run))

    async def _drive(self, log: Log, lines: Sequence[LogLine]) -> RunStatus:
        """One run, from what is kept of it to its end."""
        run, house = log.run, self._house
        principal = Principal(id=run.owner)
        turn = await self._gate.begin(
            principal, conversation=run.conversation, agent=run.agent, options=_opening(run)
        )
        reads = read_by_rules(
            self._gate, principal, conversation=run.conversation, agent=run.agent, opening=_opening(run)
        )
        context = replace(self._context(principal, run.conversation), turn=turn, may_read=reads)
        means = Means(
            gate=self._gate,
            model=house.models.model(run.model),
            belt=await compose(house.backing, context),
            context=context,
            prompt=house.prompt,
            without=house.backing.settings.without,
        )
        others = [one for one in await self._store.chat_runs(run.conversation) if one.id != run.id]
        before = [one.id for one in others if not one.replaced_by]
        past = messages_in(await self._store.lines(before, kinds=[LogKind.MESSAGES]))
        return await Loop(log, turn, means, past).run(messages_in(lines), person_text(run))

    # ---- within ---------------------------------------------------------------------------------

    def _context(self, principal: Principal, conversation: str) -> Context:
        limits = self._house.backing.settings.limits
        return Context(
            place=self._house.place(), principal=principal, conversation=conversation, limits=limits
        )

    async def _found(self, principal: Principal, id: str) -> Conversation:
        known = await self._store.conversation(id)
        if known is None or not can_see(principal, known.resource):
            raise NotFoundError("conversation", id)
        return known

    async def _open_run(self, conversation: str) -> ChatRun | None:
        runs = await self._store.chat_runs(conversation)
        return next((run for run in runs if run.status in UNDER_WAY), None)

    async def _newest(self, conversation: str) -> ChatRun | None:
        runs = [one for one in await self._store.chat_runs(conversation) if not one.replaced_by]
        return runs[-1] if runs else None


def _agent(conversation: Conversation) -> str:
    return conversation.agent or AGENT


def _opening(run: ChatRun) -> TurnOptions:
    return TurnOptions(mode=run.mode, delivery=run.delivery, turn_id=run.id, continued=True)


def _written(said: Incoming) -> str:
    note = {"metadata": {"note": True}} if said.about else {}
    return json.dumps({"id": said.id, "role": "user", **note, "parts": [{"type": "text", "text": said.text}]})


def _last_start(chunks: Sequence[Chunk]) -> int:
    starts = [place for place, one in enumerate(chunks) if one["type"] == "start"]
    return starts[-1] if starts else 0


def _is_about(approval: Approval, said: Said) -> bool:
    """Whether a card showed the very question that is open, and the very arguments."""
    if chunk.approval_id(approval) != said.approval:
        return False
    try:
        return canonical_json(said.input) == canonical_json(dict(approval.call.args))
    except AssentError:
        return False
