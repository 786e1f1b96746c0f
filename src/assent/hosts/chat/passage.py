"""The passage of a chat's calls through the gate: shown, asked, run once, and kept for a rebuild."""

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, cast

from pydantic_ai import ApprovalRequired, RunContext, ToolDenied
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import ModelResponse, ToolCallPart, ToolReturn
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.run import AgentRunResult
from pydantic_ai.tools import Tool as OfferedTool
from pydantic_ai.tools import ToolDefinition

from assent.engine.disclosure import disclose
from assent.engine.model import Call
from assent.gate.approval import Approval
from assent.gate.outcome import Applied, Code, Outcome, Refuse, Run, Wait
from assent.gate.preset import Delivery
from assent.gate.turn import Turn
from assent.hosts.chat import chunk
from assent.hosts.chat.belt.clip import clip
from assent.hosts.chat.belt.context import Context
from assent.hosts.chat.belt.fault import FaultError, ParkedError
from assent.hosts.chat.belt.tool import BeltTool, Result
from assent.hosts.chat.disclosed import CORE, Groups
from assent.hosts.chat.log import Log, Returned, TakenOver
from assent.hosts.python.pydantic_ai import Gated

_log = logging.getLogger("assent.chat")
PATIENCE = 3600.0
"""Seconds after which a call that waits looks for itself, notice or not."""
UNKNOWN = (
    "it is not known whether this call was carried out: the process that ran it ended. "
    "Check what it did before you make it again"
)
_LONGEST_NOTE = 4000
ANSWERED_BY_A_PERSON = frozenset({Code.DENIED, Code.EXPIRED, Code.WITHDRAWN, Code.LAPSED})


@dataclass
class Passage(Gated):
    """InputUse the calls of one run through the gate; what was run once is never run again."""

    log: Log = field(kw_only=True)
    turn: Turn = field(kw_only=True)
    context: Context = field(kw_only=True)
    belt: Mapping[str, BeltTool] = field(kw_only=True)
    groups: Groups = field(kw_only=True, default_factory=Groups)
    naming: str = ""
    """What calls are shown as, where they are a sub-agent's."""

    async def for_run(self, ctx: RunContext[Any]) -> "Passage":  # noqa: ARG002 - the hook's own shape
        """A passage is made for one run."""
        self._turn = self.turn
        return self

    async def wrap_run(self, ctx: RunContext[Any], *, handler: Any) -> AgentRunResult[Any]:  # noqa: ARG002
        """Whoever made the passage began the turn, and ends it."""
        return cast("AgentRunResult[Any]", await handler())

    async def before_model_request(
        self,
        ctx: RunContext[Any],  # noqa: ARG002
        request_context: ModelRequestContext,
    ) -> ModelRequestContext:
        """Show the model the core and the groups it loaded; a tool it is not shown is gated all the same."""
        wanted = request_context.model_request_parameters
        tools = [self.belt[one.name].tool for one in wanted.function_tools if one.name in self.belt]
        shown = disclose(tools, core=CORE, loaded=self.groups.loaded)
        self.groups.told(shown)
        names = {one.name for one in shown.shown}
        kept = [one for one in wanted.function_tools if one.name in names]
        return replace(request_context, model_request_parameters=replace(wanted, function_tools=kept))

    async def wrap_tool_execute(
        self,
        ctx: RunContext[Any],
        *,
        call: ToolCallPart,
        tool_def: ToolDefinition,
        args: dict[str, Any],
        handler: Any,
    ) -> Any:
        """Decide a call and run it, or give what is known of it from before."""
        id = self._id(ctx, call)
        call = replace(call, tool_call_id=id)
        if self.naming and not self.log.shows(id):
            self.log.show(chunk.called(id, call.tool_name, call.args_as_dict(), shown=self.naming))
        if id in self.log.returned:
            return self._given(id, self.log.returned[id])
        tool = self.belt[tool_def.name]
        if id in self.log.called and not tool.goes_on:
            return await self._kept(id, Returned(UNKNOWN, {}, failed=True))
        if not _is_object(args):
            return await self._kept(id, Returned("the arguments must be a JSON object", {}, failed=True))
        # Nobody is asked about a call that could not work.
        if wrong := tool.issues(args):
            said = "; ".join(f"{issue.path} {issue.message}" for issue in wrong)
            return await self._kept(id, Returned(f"the arguments are not valid: {said}", {}, failed=True))
        self.groups.use(tool.tool)
        passing = super().wrap_tool_execute(ctx, call=call, tool_def=tool_def, args=args, handler=handler)
        try:
            return await passing
        except (ApprovalRequired, ToolFailed, TakenOver):
            raise
        except FaultError as fault:
            return await self._kept(id, Returned(str(fault), {}, failed=True))
        except Exception as error:
            # INVARIANT: what could not be decided or kept does not run, and the run goes on without it.
            if id in self.log.called:
                raise
            _log.warning("a call of `%s` was not run (%s)", call.tool_name, type(error).__name__)
            told = json.dumps({"error": "not_decided", "tool": call.tool_name, "message": "it was not run"})
            return await self._kept(id, Returned(told, {}, failed=True))

    # ---- what the gate says ---------------------------------------------------------------------

    async def _settled(self, turn: Turn, outcome: Outcome) -> Run | Refuse | Applied:
        if not isinstance(outcome, Wait):
            return outcome
        approval = outcome.approval
        id = approval.call.id
        if outcome.token:
            more = {"token": outcome.token}
            self.log.show(chunk.explained(id, approval, **more))
            return Refuse(code=Code.ALREADY_PROPOSED, message="a person was shown this and may apply it")
        shown = ""
        while isinstance(outcome, Wait):
            approval = outcome.approval
            # A question that was asked again, because its file changed, is another one to answer.
            if approval.digest != shown:
                self.log.show(chunk.explained(id, approval), chunk.asked(id, approval))
                shown = approval.digest
            if turn.seat.delivery is Delivery.SUSPEND:
                raise ApprovalRequired(metadata={"approval": approval.id, "digest": approval.digest})
            # INVARIANT: a process that ends gives no question up; another one goes on with it.
            await turn.watch(approval.id, PATIENCE)
            # Whoever claims a call that it may not run takes it from the one who may.
            await self.log.check()
            outcome = await turn.resume(approval.id)
        return outcome

    async def _refused(self, asked: Call, outcome: Refuse) -> Any:
        """Say in a word and a sentence why a call does not run; the model is to go on without it."""
        if outcome.code is Code.ALREADY_RUN:
            return await self._taken_up(asked)
        word = (
            {"status": outcome.code.value}
            if outcome.code is Code.ALREADY_PROPOSED
            else {"error": outcome.code.value}
        )
        said = {**word, "tool": asked.tool, "message": outcome.told}
        issues = [issue._asdict() for issue in outcome.issues]
        told = json.dumps({**said, "issues": issues} if issues else said, ensure_ascii=False)
        if outcome.code is Code.ALREADY_PROPOSED:
            return await self._kept(asked.id, Returned(told, {}))
        approval = await self._asked_about(asked)
        denied = approval is not None and outcome.code in ANSWERED_BY_A_PERSON
        return await self._kept(asked.id, Returned(told, {}, failed=not denied, denied=denied))

    async def _applied(self, asked: Call, outcome: Applied) -> Any:
        """A change that was made at once still leaves a card."""
        self.log.show(chunk.explained(asked.id, outcome.approval))
        result = outcome.result if isinstance(outcome.result, Result) else Result(text=str(outcome.result))
        return await self._kept(asked.id, Returned(result.text, result.data))

    async def _ran(self, run: Run, handler: Any, args: dict[str, Any]) -> Any:  # noqa: ARG002 - the belt runs it
        """Run a call of the belt; that it starts is kept before it does."""
        call = run.call
        if call.id not in self.log.called:
            asked = await self._asked_about(call)
            if asked is not None and asked.is_edited:
                self.log.show(chunk.called(call.id, call.tool, dict(call.args), shown=self.naming))
            await self.log.call(call.id)
        result = await self._worked(run, args)
        text = result.text
        if run.approval:
            done = await self.host.gate.store.approval(run.approval)
            self.log.show(chunk.explained(call.id, done))
            text = f"{_edited_note(call)}\n{text}" if done.is_edited else text
        return await self._kept(call.id, Returned(text, result.data, failed=result.failed))

    async def _taken_up(self, asked: Call) -> Any:
        """Go on with a call that was let run before, if it can go on; otherwise nobody knows what it did."""
        known = self.log.question(asked.id)
        if known is None or asked.id not in self.log.called:
            return await self._kept(asked.id, Returned(UNKNOWN, {}, failed=True))
        approval = await self.host.gate.store.approval(known)
        call = approval.approved_call
        run = Run(call=call, decision=approval.decision, approval=approval.id, claim=approval.claim)
        return await self._ran(run, None, dict(call.args))

    async def _worked(self, run: Run, args: dict[str, Any]) -> Result:
        try:
            result = await self.belt[run.call.tool].run(args, await self._within(run))
        except TakenOver:
            raise
        except ParkedError as parked:
            # Shown as an end for now: clients that wait for the end of every call would answer nothing.
            self.log.show(chunk.returned(run.call.id, str(parked), {"waits": True}))
            raise ApprovalRequired from parked
        except BaseException as error:
            await self.host.report(run, failed=True, note=type(error).__name__)
            raise
        await self.host.report(run, failed=result.failed)
        return result

    # ---- within ---------------------------------------------------------------------------------

    def _call_id(self, ctx: RunContext[Any], call: ToolCallPart) -> str:  # noqa: ARG002
        """The call has its own id by now."""
        return call.tool_call_id

    def _id(self, ctx: RunContext[Any], call: ToolCallPart) -> str:
        """An id that no other call of the run has: some models count from the beginning in each answer."""
        earlier = [one for one in ctx.messages if isinstance(one, ModelResponse)][:-1]
        used = sum(part.tool_call_id == call.tool_call_id for one in earlier for part in one.tool_calls)
        own = f"{call.tool_call_id}~{used}" if used else call.tool_call_id
        return f"{self.turn.id[:8]}.{own}" if self.naming else own

    async def _within(self, run: Run) -> Context:
        """Where a call works: outside of the workspace only if a person let this very call go there."""

        async def heard(text: str) -> None:
            self.log.show(chunk.progress(run.call.id, text))

        outside = bool(run.approval) and await self._was_seen(run.approval)
        return replace(self.context, progress=heard, outside=outside, turn=self.turn, call=run.call.id)

    async def _was_seen(self, approval: str) -> bool:
        """Whether a person answered this question; a grant or the end of a pause looks at no path."""
        answer = (await self.host.gate.store.approval(approval)).answer
        return answer is not None and not answer.released_by

    async def _asked_about(self, call: Call) -> Approval | None:
        """Show how a question ended, if there was one."""
        known = self.log.question(call.id)
        if known is None:
            return None
        approval = await self.host.gate.store.approval(known)
        if approval.answer is not None:
            self.log.show(chunk.answered(approval))
        self.log.show(chunk.explained(call.id, approval))
        return approval

    async def _kept(self, id: str, result: Returned) -> Any:
        await self.log.returns(id, result, ended(id, result))
        return self._given(id, result)

    def _given(self, id: str, result: Returned) -> Any:  # noqa: ARG002
        """What the model is given."""
        if result.denied:
            return ToolDenied(result.text)
        if result.failed:
            raise ToolFailed(result.text)
        return ToolReturn(return_value=result.text)

    async def _declare(self, definition: ToolDefinition, agent: str) -> None:
        """The belt was declared as a whole before the run began."""


def _edited_note(call: Call) -> str:
    """What the model is told of arguments that are not its own."""
    ran = clip(json.dumps(dict(call.args), ensure_ascii=False, sort_keys=True), _LONGEST_NOTE)
    return f"[note from the server: a person changed the arguments; what ran is {ran}]"


def _is_object(args: object) -> bool:
    """Whether these are arguments at all; a model may write any JSON."""
    return isinstance(args, dict)


def ended(id: str, result: Returned) -> chunk.Chunk:
    """How a call ended, as it is shown."""
    if result.denied:
        return chunk.denied(id)
    if result.failed:
        return chunk.failed(id, result.text)
    return chunk.returned(id, result.text, result.data)


def offered(tool: BeltTool) -> OfferedTool[Any]:
    """A tool of the belt as the model is offered it; it is run by the passage alone."""
    return _offered(tool.name, tool.tool.description, json.dumps(dict(tool.tool.parameters)))


@lru_cache(maxsize=1024)
def _offered(name: str, description: str, parameters: str) -> OfferedTool[Any]:
    """One for all runs: it holds a validator, and nothing of any run."""

    async def behind_the_gate(**args: Any) -> None:
        raise RuntimeError(f"`{name}` was called beside the gate with {len(args)} arguments")

    return OfferedTool.from_schema(behind_the_gate, name, description, json.loads(parameters))
