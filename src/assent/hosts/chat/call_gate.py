"""The gate around the tool calls of a run: decide each call, show it, run it once, and store its result."""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, cast

from pydantic_ai import ApprovalRequired, RunContext, ToolDenied
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import ModelMessage, ModelResponse, ToolCallPart, ToolReturn
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.run import AgentRunResult
from pydantic_ai.tools import Tool as ModelTool
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import FunctionToolset

from assent.engine.base.tool import Call
from assent.engine.disclosure import disclose_tools
from assent.gate.approval import Approval
from assent.gate.calls import Applied, Code, Outcome, Refuse, Run, Wait
from assent.gate.preset import Delivery
from assent.gate.turn import Turn
from assent.hosts.chat import chunk
from assent.hosts.chat.run_log import CallResult, RunLog, RunTakenOver
from assent.hosts.chat.tool_names import ToolNames
from assent.hosts.chat.tools.text import clip_text
from assent.hosts.chat.tools.tool import CallSuspendedError, ChatTool, ToolContext, ToolError, ToolResult
from assent.hosts.chat.tools.toolbelt import CORE_TOOLS, ToolGroups
from assent.hosts.python.pydantic_ai import Gated

_log = logging.getLogger("assent.chat")
RECHECK_SECONDS = 3600.0
"""Seconds between two reads of a pending approval if no notification arrives."""
OUTCOME_UNKNOWN_MESSAGE = (
    "it is not known whether this call was carried out: the process that ran it ended. "
    "Check what it did before you make it again"
)
CODES_SHOWN_AS_DENIED = frozenset({Code.DENIED, Code.EXPIRED, Code.WITHDRAWN, Code.LAPSED})
_MAX_NOTE_CHARACTERS = 4000


@dataclass
class CallGate(Gated):
    """Passes the tool calls of one run through the gate; a call that has run is never repeated."""

    log: RunLog = field(kw_only=True)
    turn: Turn = field(kw_only=True)
    context: ToolContext = field(kw_only=True)
    chat_tools: Mapping[str, ChatTool] = field(kw_only=True)
    groups: ToolGroups = field(kw_only=True, default_factory=ToolGroups)
    agent_label: str = ""
    """Title that clients show above each call of a subtask; empty for calls of the run itself."""
    names: ToolNames = field(default_factory=ToolNames)
    """The names of tools in the current model request."""
    _directories: dict[str, str] = field(default_factory=dict[str, str])
    """The directories that calls name, by call."""
    _tools_of_calls: dict[str, ChatTool] = field(default_factory=dict[str, ChatTool])

    async def for_run(self, ctx: RunContext[Any]) -> "CallGate":  # noqa: ARG002 - the hook's own shape
        """Returns this object: every run has its own call gate."""
        self._turn = self.turn
        return self

    async def wrap_run(self, ctx: RunContext[Any], *, handler: Any) -> AgentRunResult[Any]:  # noqa: ARG002
        """Run without a new turn: the caller begins and ends the turn."""
        return cast("AgentRunResult[Any]", await handler())

    async def before_model_request(
        self,
        ctx: RunContext[Any],  # noqa: ARG002
        request_context: ModelRequestContext,
    ) -> ModelRequestContext:
        """Offer the model the core tools and the groups it loaded; the gate decides calls of all tools."""
        parameters = request_context.model_request_parameters
        tools = [
            self.chat_tools[one.name].tool for one in parameters.function_tools if one.name in self.chat_tools
        ]
        disclosure = disclose_tools(tools, core=CORE_TOOLS, loaded=self.groups.loaded)
        self.groups.log_hidden_tools(disclosure)
        names = {one.name for one in disclosure.shown}
        shown = [one for one in parameters.function_tools if one.name in names]
        parameters = replace(parameters, function_tools=shown)
        # Outside of the model request, such as in the log, all names are the real ones.
        self.names = ToolNames.for_request(request_context.model, self.chat_tools, request_context.messages)
        return replace(
            request_context,
            messages=self.names.messages_for_model(request_context.messages),
            model_request_parameters=self.names.parameters_for_model(parameters),
        )

    async def after_model_request(
        self,
        ctx: RunContext[Any],
        *,
        request_context: ModelRequestContext,  # noqa: ARG002
        response: ModelResponse,
    ) -> ModelResponse:
        """Replace the names that the model used by the real names of the tools."""
        response = self.names.real_response(response)
        await self._add_called_page_tools(ctx, response)
        return response

    async def _add_called_page_tools(self, ctx: RunContext[Any], response: ModelResponse) -> None:
        """Let the model call a page's tool that it was not shown; Pydantic AI knows the shown ones only."""
        prepared = None if ctx.tool_manager is None else ctx.tool_manager.tools
        if prepared is None:
            return
        called = called_page_tools([response], self.chat_tools)
        missing = [tool for tool in called if tool.name not in prepared]
        prepared.update(await FunctionToolset([to_model_tool(tool) for tool in missing]).get_tools(ctx))

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: Any,
    ) -> Any:
        """Decide and run a call; a call that already has a stored result returns that result."""
        id = self._unique_call_id(ctx, call)
        call = replace(call, tool_call_id=id)
        if self.agent_label and not self.log.has_shown_call(id):
            self.log.show_chunks(
                chunk.call_input_chunk(id, call.tool_name, call.args_as_dict(), title=self.agent_label)
            )
        if id in self.log.results:
            return self._to_model_result(self.log.results[id])
        tool = self.chat_tools.get(tool_def.name)
        if tool is None:
            message = f"there is no tool `{tool_def.name}` any more: the page that had it left"
            return await self._record_result(id, CallResult(message, {}, failed=True))
        self._tools_of_calls[id] = tool
        if id in self.log.started_calls and not tool.is_resumable:
            return await self._record_result(id, CallResult(OUTCOME_UNKNOWN_MESSAGE, {}, failed=True))
        if not _is_json_object(args):
            return await self._record_result(
                id, CallResult("the arguments must be a JSON object", {}, failed=True)
            )
        # Checked before the gate, so that no person is asked about a call with invalid arguments.
        if problem := await self._prepare_call(id, tool, args):
            return await self._record_result(id, CallResult(problem, {}, failed=True))
        self.groups.load_group_of(tool.tool)
        execution = super().wrap_tool_execute(ctx, call=call, tool_def=tool_def, args=args, handler=handler)
        try:
            return await execution
        except (ApprovalRequired, ToolFailed, RunTakenOver):
            raise
        except ToolError as error:
            return await self._record_result(id, CallResult(str(error), {}, failed=True))
        except Exception as error:
            # INVARIANT: a call that could not be decided or stored does not run; the run continues.
            if id in self.log.started_calls:
                raise
            _log.warning("a call of `%s` was not run (%s)", call.tool_name, type(error).__name__)
            refusal = {"error": "not_decided", "tool": call.tool_name, "message": "it was not run"}
            return await self._record_result(id, CallResult(json.dumps(refusal), {}, failed=True))

    async def _prepare_call(self, id: str, tool: ChatTool, args: Mapping[str, object]) -> str:
        """Check the arguments and find the directory that they name; returns what is wrong with them."""
        if issues := tool.find_argument_issues(args):
            reasons = "; ".join(f"{issue.path} {issue.message}" for issue in issues)
            return f"the arguments are not valid: {reasons}"
        try:
            if tool.find_directory is not None:
                self._directories[id] = await tool.find_directory(args)
        except ToolError as error:
            return str(error)
        return ""

    # ---- outcomes of the gate -------------------------------------------------------------------

    async def _wait_for_answer(self, turn: Turn, outcome: Outcome) -> Run | Refuse | Applied:
        if not isinstance(outcome, Wait):
            return outcome
        approval = outcome.approval
        id = approval.call.id
        if outcome.token:
            self.log.show_chunks(chunk.approval_card_chunk(id, approval, token=outcome.token))
            return Refuse(code=Code.ALREADY_PROPOSED, message="a person was shown this and may apply it")
        shown_digest = ""
        while isinstance(outcome, Wait):
            approval = outcome.approval
            # A question is asked again, with another digest, when its file changed.
            if approval.digest != shown_digest:
                self.log.show_chunks(
                    chunk.approval_card_chunk(id, approval), chunk.approval_request_chunk(id, approval)
                )
                shown_digest = approval.digest
            match turn.context.delivery:
                case Delivery.SUSPEND:
                    raise ApprovalRequired(metadata={"approval": approval.id, "digest": approval.digest})
                case Delivery.WAIT | Delivery.PROPOSE:
                    # INVARIANT: a process that shuts down withdraws no question; another process continues
                    # the run.
                    await turn.watch(approval.id, RECHECK_SECONDS)
            # Only the process that drives the run may claim the call.
            await self.log.check_owner()
            outcome = await turn.resume(approval.id)
        return outcome

    async def _handle_refused_call(self, asked: Call, outcome: Refuse) -> Any:
        """Return the reason for the refusal to the model, so that the run continues without the call."""
        if outcome.code is Code.ALREADY_RUN:
            return await self._resume_call(asked)
        is_proposed = outcome.code is Code.ALREADY_PROPOSED
        status = {"status" if is_proposed else "error": outcome.code.value}
        refusal: dict[str, object] = {**status, "tool": asked.tool, "message": outcome.full_message}
        if outcome.issues:
            refusal["issues"] = [issue._asdict() for issue in outcome.issues]
        text = json.dumps(refusal, ensure_ascii=False)
        if is_proposed:
            return await self._record_result(asked.id, CallResult(text, {}))
        approval = await self._show_question_end(asked)
        denied = approval is not None and outcome.code in CODES_SHOWN_AS_DENIED
        return await self._record_result(asked.id, CallResult(text, {}, failed=not denied, denied=denied))

    async def _handle_applied_call(self, asked: Call, outcome: Applied) -> Any:
        """Show the card of a change that the gate applied itself, and return its result."""
        self.log.show_chunks(chunk.approval_card_chunk(asked.id, outcome.approval))
        result = outcome.result
        if not isinstance(result, ToolResult):
            result = ToolResult(text=str(result))
        return await self._record_result(asked.id, CallResult(result.text, result.data))

    async def _execute_call(self, run: Run, handler: Any, args: dict[str, Any]) -> Any:  # noqa: ARG002 - the chat's tool runs, not the handler
        """Run an allowed call, after its start is stored."""
        call = run.call
        if call.id not in self.log.started_calls:
            asked = await self._show_question_end(call)
            if asked is not None and asked.is_edited:
                self.log.show_chunks(
                    chunk.call_input_chunk(call.id, call.tool, dict(call.args), title=self.agent_label)
                )
            await self.log.record_call_start(call.id)
        result = await self._run_tool(run, args)
        text = result.text
        if run.approval:
            done = await self.host.gate.store.approval(run.approval)
            self.log.show_chunks(chunk.approval_card_chunk(call.id, done))
            text = f"{_edited_arguments_note(call)}\n{text}" if done.is_edited else text
        return await self._record_result(call.id, CallResult(text, result.data, failed=result.failed))

    async def _resume_call(self, asked: Call) -> Any:
        """Continue a call that was approved and started; otherwise report that the outcome is unknown."""
        question = self.log.question_id(asked.id)
        if question is None or asked.id not in self.log.started_calls:
            return await self._record_result(asked.id, CallResult(OUTCOME_UNKNOWN_MESSAGE, {}, failed=True))
        approval = await self.host.gate.store.approval(question)
        call = approval.approved_call
        run = Run(call=call, decision=approval.decision, approval=approval.id, claim=approval.claim)
        return await self._execute_call(run, None, dict(call.args))

    async def _run_tool(self, run: Run, args: dict[str, Any]) -> ToolResult:
        try:
            # INVARIANT: the tool that the call was decided for runs, also if another one has its name now.
            tool = self._tools_of_calls[run.call.id]
            result = await tool.run_call(args, await self._tool_context(run))
        except RunTakenOver:
            raise
        except CallSuspendedError as suspended:
            # Shown as an output for now: some clients send answers only when no call is unfinished.
            self.log.show_chunks(chunk.call_output_chunk(run.call.id, str(suspended), {"waits": True}))
            raise ApprovalRequired from suspended
        except BaseException as error:
            await self.host.report(run, failed=True, note=type(error).__name__)
            raise
        await self.host.report(run, failed=result.failed)
        return result

    # ---- details --------------------------------------------------------------------------------

    def _call_id(self, ctx: RunContext[Any], call: ToolCallPart) -> str:  # noqa: ARG002
        """The id that `wrap_tool_execute` assigned to the call."""
        return call.tool_call_id

    def _call_directory(self, id: str) -> str:
        """The directory that `wrap_tool_execute` found for the call."""
        return self._directories.get(id, "")

    def _unique_call_id(self, ctx: RunContext[Any], call: ToolCallPart) -> str:
        """A call id that is unique in the run: some models restart their numbering in each answer."""
        earlier = [one for one in ctx.messages if isinstance(one, ModelResponse)][:-1]
        used = sum(part.tool_call_id == call.tool_call_id for one in earlier for part in one.tool_calls)
        id = f"{call.tool_call_id}~{used}" if used else call.tool_call_id
        return f"{self.turn.id[:8]}.{id}" if self.agent_label else id

    async def _tool_context(self, run: Run) -> ToolContext:
        """The context of a call; allows paths outside the workspace only if a person approved the call."""

        async def show_progress(text: str) -> None:
            self.log.show_chunks(chunk.tool_progress_chunk(run.call.id, text))

        may_leave = bool(run.approval) and await self._was_answered_by_person(run.approval)
        return replace(
            self.context,
            progress=show_progress,
            may_leave_workspace=may_leave,
            turn=self.turn,
            call_id=run.call.id,
            directory=run.call.cwd,
            approval=run.approval,
        )

    async def _was_answered_by_person(self, approval: str) -> bool:
        """Whether a person answered this approval; a grant or a resumed pause does not count."""
        answer = (await self.host.gate.store.approval(approval)).answer
        return answer is not None and not answer.released_by

    async def _show_question_end(self, call: Call) -> Approval | None:
        """Show the answer and the final card of a call's question; returns None if there was no question."""
        question = self.log.question_id(call.id)
        if question is None:
            return None
        approval = await self.host.gate.store.approval(question)
        if approval.answer is not None:
            self.log.show_chunks(chunk.approval_response_chunk(approval))
        self.log.show_chunks(chunk.approval_card_chunk(call.id, approval))
        return approval

    async def _record_result(self, id: str, result: CallResult) -> Any:
        await self.log.record_call_result(id, result, result_chunk(id, result))
        return self._to_model_result(result)

    def _to_model_result(self, result: CallResult) -> Any:
        """Convert a result to the type that Pydantic AI passes to the model; a failed result is raised."""
        if result.denied:
            return ToolDenied(result.text)
        if result.failed:
            raise ToolFailed(result.text)
        return ToolReturn(return_value=result.text)

    async def _declare_tool(self, definition: ToolDefinition, agent: str) -> None:
        """Does nothing: all tools were declared before the run began."""


def result_chunk(id: str, result: CallResult) -> chunk.Chunk:
    """The chunk that shows the result of a call."""
    if result.denied:
        return chunk.call_denied_chunk(id)
    if result.failed:
        return chunk.call_error_chunk(id, result.text)
    return chunk.call_output_chunk(id, result.text, result.data)


def called_page_tools(messages: Sequence[ModelMessage], tools: Mapping[str, ChatTool]) -> list[ChatTool]:
    """The tools of pages that the last message calls, if it is an answer of the model."""
    last = messages[-1] if messages else None
    if not isinstance(last, ModelResponse):
        return []
    called = dict.fromkeys(one.tool_name for one in last.tool_calls)
    return [tools[name] for name in called if name in tools and tools[name].page]


def to_model_tool(tool: ChatTool) -> ModelTool[Any]:
    """A Pydantic AI tool with the same name and parameters; only the call gate can run it."""
    return _cached_model_tool(tool.name, tool.tool.description, json.dumps(dict(tool.tool.parameters)))


@lru_cache(maxsize=1024)
def _cached_model_tool(name: str, description: str, parameters: str) -> ModelTool[Any]:
    """Cached across runs: building the validator is slow, and the tool has no state of a run."""

    async def refuse_direct_call(**args: Any) -> None:
        raise RuntimeError(f"`{name}` was called without the gate, with {len(args)} arguments")

    return ModelTool.from_schema(refuse_direct_call, name, description, json.loads(parameters))


def _edited_arguments_note(call: Call) -> str:
    """Note for the model that a person edited the arguments of its call."""
    ran = clip_text(json.dumps(dict(call.args), ensure_ascii=False, sort_keys=True), _MAX_NOTE_CHARACTERS)
    return f"[note from the server: a person changed the arguments; what ran is {ran}]"


def _is_json_object(args: object) -> bool:
    """Whether the arguments from a model are a JSON object, as required."""
    return isinstance(args, dict)
