"""The chat: people send messages to a model, and the gate decides every tool call of the model."""

import contextlib
import json
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta

from assent.compose import FullStore
from assent.config.paths import ConfigPaths
from assent.config.policy_loader import PolicyLoader
from assent.config.settings import load_chat_settings
from assent.config.workspace import directories_on_disk
from assent.engine.base.facts import CallDirectories
from assent.engine.base.tool import Call
from assent.engine.policy.verdict import Verdict
from assent.errors import AssentError, ConflictError, NotFoundError
from assent.gate.access import Principal, can_see, check_can_call, check_owner
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval, State
from assent.gate.conversation import (
    ChatRun,
    Conversation,
    LogKind,
    LogLine,
    Post,
    RunStatus,
    StartedRun,
    StartResult,
)
from assent.gate.gate import DEFAULT_OPTIONS, Gate, TurnOptions
from assent.gate.ids import canonical_json, new_id
from assent.gate.preset import Delivery
from assent.hosts.browser.pages import Pages
from assent.hosts.chat import chunk
from assent.hosts.chat.agent_loop import AgentLoop, RunResources
from assent.hosts.chat.chunk import Chunk
from assent.hosts.chat.model_messages import messages_from_lines
from assent.hosts.chat.models import Models
from assent.hosts.chat.request import ChatRequest, ClientAnswer, Message, find_replacement, to_post, user_text
from assent.hosts.chat.run_log import UNFINISHED_STATUSES, RunLog
from assent.hosts.chat.run_view import RunView, waiting_chunks
from assent.hosts.chat.runs import TAKEOVER_AFTER, RunManager, is_question_of_run, questions_of_run
from assent.hosts.chat.tools.file_changes import text_after_change
from assent.hosts.chat.tools.run_tools import RunTools, list_groups
from assent.hosts.chat.tools.settings import load_tool_settings
from assent.hosts.chat.tools.tool import MayRead, ReadRequest, ToolContext, proposal_runner
from assent.hosts.chat.tools.toolbelt import ToolGroups, ToolResources, compose_tools, open_tool_resources

DEFAULT_AGENT = "chat"
"""Agent name for conversations that do not set one."""
RUN_END_TIMEOUT = 20.0
"""Seconds to wait for the previous run to end before a new message starts its run."""
_MAX_BEGIN_TRIES = 5


@asynccontextmanager
async def open_chat(  # noqa: PLR0913 - the parts of a server, and three options for tests
    gate: Gate,
    store: FullStore,
    where: ConfigPaths,
    files: PolicyLoader,
    pages: Pages | None = None,
    *,
    environ: Mapping[str, str] = os.environ,
    models: Models | None = None,
    takeover_after: timedelta = TAKEOVER_AFTER,
) -> AsyncGenerator["Chat"]:
    """Open the chat of a server, with the models and tools that the operator configured."""
    settings = load_chat_settings(where, environ)

    def load_directories() -> CallDirectories:
        return directories_on_disk(where.cwd, (where.root, *files.policy.roots), where.home)

    async with open_tool_resources(load_tool_settings(where, environ), environ=environ) as resources:
        chat = Chat(
            ChatServices(
                gate=gate,
                store=store,
                tool_resources=resources,
                models=models or Models(settings),
                pages=pages,
                directories=load_directories,
                prompt=settings.prompt,
                takeover_after=takeover_after,
            )
        )
        await chat.open()
        try:
            yield chat
        finally:
            await chat.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatServices:
    """The gate, store, models and tools that a chat uses."""

    gate: Gate
    store: FullStore
    tool_resources: ToolResources
    models: Models
    directories: Callable[[], CallDirectories]
    """Returns the workspace and the current directory, the same that the gate uses for decisions."""
    prompt: str = ""
    """Text of the operator that is added to every system prompt."""
    pages: Pages | None = None
    """The web pages that are connected to this server."""
    takeover_after: timedelta = TAKEOVER_AFTER


class Chat:
    """Conversations with models; each run is a background task, and HTTP requests only read its log."""

    def __init__(self, services: ChatServices) -> None:
        self._services = services
        self._gate, self._store = services.gate, services.store
        self._runs = RunManager(
            services.gate, services.store, self._execute_run, takeover_after=services.takeover_after
        )
        self._view = RunView(services.store, self._runs.logs)

    async def open(self) -> None:
        """Register the tools that can be proposed, and start to take over runs of dead processes."""
        self._gate.rewrites["apply_change"] = text_after_change
        tools = await compose_tools(self._services.tool_resources, self._tool_context(Principal(id=""), ""))
        for tool in tools:
            runner = proposal_runner(
                tool, lambda principal, call: self._tool_context(principal, call.conversation)
            )
            if runner is not None:
                self._gate.offer(tool.declared_tool, runners={tool.name: runner})
        self._runs.start_watching_stale_runs()

    async def close(self) -> None:
        """Stop all runs of this process without ending them; another process can take them over."""
        await self._runs.close()

    def list_model_options(self) -> list[dict[str, object]]:
        """The models to choose from, the default first."""
        options = self._services.models.list_options
        return [{"name": one.name, "model": one.model, "rehearsal": one.is_rehearsal} for one in options]

    # ---- what people do -------------------------------------------------------------------------

    async def send(self, principal: Principal, id: str, request: ChatRequest) -> AsyncIterator[Chunk]:
        """Accept a message or answers, and return the stream; the run continues if the client disconnects."""
        conversation = await self._find_conversation(principal, id)
        check_can_call(principal, replace(conversation.resource, agent=_agent_name(conversation)))
        if request.proposal:
            note = await self._proposal_note(principal, conversation, request.proposal)
            request = replace(request, text=note)
        if request.text is not None:
            begun = await self._begin_run(principal, conversation, request)
            return self._view.follow_run(begun.run, from_start=begun.start is StartResult.REPEATED)
        run = await self._record_answers(principal, conversation, request)
        if run.status is RunStatus.SUSPENDED and (questions := await questions_of_run(self._store, run)):
            return waiting_chunks(run, questions)
        await self._runs.take_over_run(run)
        return self._view.follow_run(run, from_start=False)

    async def check_idempotency_key(self, principal: Principal, id: str, request: ChatRequest) -> None:
        """Raise an error if the idempotency key was used for a different request."""
        post = to_post(principal, id, request)
        if post is not None:
            await self._store.find_run_of_post(post)

    async def attach_to_run(self, principal: Principal, id: str) -> AsyncIterator[Chunk] | None:
        """The stream of the conversation's current run, from its start; None if no run is active."""
        conversation = await self._find_conversation(principal, id)
        run = await self._find_unfinished_run(conversation.id)
        if run is None:
            return None
        if run.status is RunStatus.SUSPENDED and await questions_of_run(self._store, run):
            return None
        await self._runs.take_over_run(run)
        return self._view.follow_run(run, from_start=True)

    async def stop(self, principal: Principal, id: str) -> None:
        """End the current run of a conversation and withdraw its open questions."""
        conversation = await self._find_conversation(principal, id)
        check_owner(principal, conversation.resource)
        run = await self._find_unfinished_run(conversation.id)
        if run is not None:
            await self._runs.end_run(run, RunStatus.STOPPED)
            await self._runs.wait_until_ended(run, RUN_END_TIMEOUT)

    async def messages(
        self, principal: Principal, id: str, *, live: bool = False, replaced: bool = False
    ) -> list[Message]:
        """The messages of a conversation; `live` includes the unfinished answer of the current run."""
        conversation = await self._find_conversation(principal, id)
        every = await self._store.chat_runs(conversation.id)
        return await self._view.list_messages(
            [one for one in every if replaced or not one.replaced_by], live=live
        )

    async def list_tools(self, principal: Principal, id: str) -> list[dict[str, object]]:
        """All tools of a conversation by group, whatever a run has loaded."""
        conversation = await self._find_conversation(principal, id)
        check_owner(principal, conversation.resource)
        own = await compose_tools(self._services.tool_resources, self._tool_context(principal, id))
        tools = RunTools(own, ToolGroups(), self._services.pages, id)
        await self._gate.declare(*(tool.declared_tool for tool in tools.own_tools))
        turn = await self._gate.begin(principal, conversation=id, agent=_agent_name(conversation))
        return list_groups(tools, await turn.visible_tools())

    # ---- beginning a run ------------------------------------------------------------------------

    async def _begin_run(
        self, principal: Principal, conversation: Conversation, request: ChatRequest
    ) -> StartedRun:
        """Begin a run for a message, at most once; an unfinished run of the conversation is ended first."""
        run = ChatRun(
            id=new_id(),
            conversation=conversation.id,
            owner=conversation.owner,
            agent=_agent_name(conversation),
            message=_user_message_json(request),
            mode=request.mode,
            model=self._services.models.resolve_model_name(request.model or conversation.model),
            delivery=request.delivery,
            digest=request.digest,
        )
        # If policy cannot be loaded, this raises and no run begins.
        turn = await self._gate.begin(
            Principal(id=run.owner),
            conversation=run.conversation,
            agent=run.agent,
            options=_turn_options(run)._replace(continued=False),
        )
        # The run keeps this mode even if the mode of the conversation changes.
        run = replace(run, mode=turn.context.mode_name)
        if turn.context.file_policy.preset.delivery is Delivery.PROPOSE:
            run = replace(run, delivery=None)
        post = to_post(principal, conversation.id, request)
        for _ in range(_MAX_BEGIN_TRIES):
            begun = await self._try_begin_run(run, request, post)
            if begun.start is not StartResult.OCCUPIED:
                return begun
            await self._runs.end_run(begun.run, RunStatus.SUPERSEDED)
            await self._runs.wait_until_ended(begun.run, RUN_END_TIMEOUT)
        raise ConflictError("this conversation gets too many messages at once; try again")

    async def _try_begin_run(self, run: ChatRun, request: ChatRequest, post: Post | None) -> StartedRun:
        """Begin a run that replaces the given ones; a repeated request returns the existing run."""
        known = None if post is None else await self._store.find_run_of_post(post)
        runs = await self._store.chat_runs(run.conversation) if request.is_replacement else ()
        replacement = find_replacement(request, runs)
        if (repeated := known or replacement.repeated_run) is not None:
            return StartedRun(repeated, StartResult.REPEATED)
        # Withdrawn before the new run begins, so that a crash cannot leave a replaced run's question open.
        for one in replacement.replaced_runs:
            await self._runs.end_run(one, RunStatus.SUPERSEDED)
            await self._runs.wait_until_ended(one, RUN_END_TIMEOUT)
        if replacement.replaced_runs:
            first = replacement.replaced_runs[0]
            await self._runs.withdraw_questions_since(first, "the message was edited or tried again")
        return await self._runs.begin_run(
            run, post=post, replaces=[one.id for one in replacement.replaced_runs]
        )

    async def _proposal_note(self, principal: Principal, conversation: Conversation, id: str) -> str:
        """Note for the model about an answered proposal; contains no text from the client."""
        approval = await self._gate.approval(principal, id)
        if approval.call.conversation != conversation.id or not approval.token_digest:
            raise NotFoundError("approval", id)
        verbs = {State.DONE: "applied", State.DENIED: "declined", State.FAILED: "tried to apply"}
        if approval.state not in verbs:
            raise ConflictError(f"proposal `{id}` is {approval.state}: it was neither applied nor declined")
        summary = (approval.preview or {}).get("summary", approval.call.tool)
        failed = ", which failed" if approval.state is State.FAILED else ""
        return f"[note from the server: a person {verbs[approval.state]} the proposal `{summary}`{failed}]"

    # ---- answers --------------------------------------------------------------------------------

    async def _record_answers(
        self, principal: Principal, conversation: Conversation, request: ChatRequest
    ) -> ChatRun:
        """Record a client's answers to the questions of the current run, and return that run."""
        run = await self._find_unfinished_run(conversation.id) or await self._find_newest_run(conversation.id)
        if run is None:
            raise NotFoundError("run", conversation.id)
        post = to_post(principal, conversation.id, request)
        if post is not None:
            await self._store.save_post(post, run.id)
        for answer in request.answers:
            await self._record_answer(principal, run, answer)
        return run

    async def _record_answer(self, principal: Principal, run: ChatRun, given: ClientAnswer) -> None:
        """Record one answer; ignored if the client's card did not show the current question."""
        try:
            approval = await self._gate.approval(principal, given.approval.partition(".")[0])
        except NotFoundError:
            return
        is_open = approval.state is State.PENDING and is_question_of_run(run, approval)
        if not is_open or not _has_shown_current_question(given, approval):
            return
        answer = Answer(say=Say.ONCE if given.yes else Say.DENY, reason=given.reason)
        # The question already has another answer, which remains valid; the stream shows that answer.
        with contextlib.suppress(ConflictError):
            await self._gate.answer(principal, approval.id, approval.digest, answer)

    # ---- running --------------------------------------------------------------------------------

    async def _execute_run(self, log: RunLog, lines: Sequence[LogLine]) -> RunStatus:
        """Execute one run, from its stored log lines, until it ends or is suspended."""
        run, services = log.run, self._services
        principal, options = Principal(id=run.owner), _turn_options(log.run)
        turn = await self._gate.begin(
            principal, conversation=run.conversation, agent=run.agent, options=options
        )
        may_read = make_read_check(
            self._gate, principal, conversation=run.conversation, agent=run.agent, options=options
        )
        context = replace(self._tool_context(principal, run.conversation), turn=turn, may_read=may_read)
        resources = RunResources(
            gate=self._gate,
            model=services.models.get_model(run.model),
            tools=await compose_tools(services.tool_resources, context),
            context=context,
            prompt=services.prompt,
            disabled_tools=services.tool_resources.settings.disabled_tools,
            pages=services.pages,
        )
        others = [one for one in await self._store.chat_runs(run.conversation) if one.id != run.id]
        earlier = [one.id for one in others if not one.replaced_by]
        history = messages_from_lines(await self._store.log_lines(earlier, kinds=[LogKind.MESSAGES]))
        return await AgentLoop(log, turn, resources, history).run_to_end(
            messages_from_lines(lines), user_text(run)
        )

    def _tool_context(self, principal: Principal, conversation: str) -> ToolContext:
        limits = self._services.tool_resources.settings.limits
        return ToolContext(
            directories=self._services.directories(),
            principal=principal,
            conversation=conversation,
            limits=limits,
        )

    # ---- finding --------------------------------------------------------------------------------

    async def _find_conversation(self, principal: Principal, id: str) -> Conversation:
        known = await self._store.conversation(id)
        if known is None or not can_see(principal, known.resource):
            raise NotFoundError("conversation", id)
        return known

    async def _find_unfinished_run(self, conversation: str) -> ChatRun | None:
        runs = await self._store.chat_runs(conversation)
        return next((run for run in runs if run.status in UNFINISHED_STATUSES), None)

    async def _find_newest_run(self, conversation: str) -> ChatRun | None:
        runs = [one for one in await self._store.chat_runs(conversation) if not one.replaced_by]
        return runs[-1] if runs else None


def make_read_check(
    gate: Gate, principal: Principal, *, conversation: str, agent: str, options: TurnOptions = DEFAULT_OPTIONS
) -> MayRead:
    """A function that returns whether the gate would run a read of a file without asking."""

    async def may_read(wanted: ReadRequest) -> bool:
        args = {"path": wanted.path}
        call = Call(tool=wanted.tool, args=args, conversation=conversation, agent=agent, cwd=wanted.directory)
        decided = await gate.decide(principal, call, options=options)
        return decided.decision.verdict is Verdict.RUN

    return may_read


def _agent_name(conversation: Conversation) -> str:
    return conversation.agent or DEFAULT_AGENT


def _turn_options(run: ChatRun) -> TurnOptions:
    return TurnOptions(mode=run.mode, delivery=run.delivery, turn_id=run.id, continued=True)


def _user_message_json(request: ChatRequest) -> str:
    note = {"metadata": {"note": True}} if request.proposal else {}
    parts = [{"type": "text", "text": request.text}]
    return json.dumps({"id": request.id, "role": "user", **note, "parts": parts})


def _has_shown_current_question(given: ClientAnswer, approval: Approval) -> bool:
    """Whether the client's card showed the current version of the question and its exact arguments."""
    if chunk.client_approval_id(approval) != given.approval:
        return False
    try:
        return canonical_json(given.input) == canonical_json(dict(approval.call.args))
    except AssentError:
        return False
