"""Answers the hook events of Claude Code through a gate, which decides, asks and keeps the results."""

from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from assent.engine.base.tool import Call
from assent.engine.base.value import replace
from assent.engine.policy.verdict import Decision, Verdict
from assent.errors import AssentError, ConflictError, ForbiddenError
from assent.gate.access import Kind, Principal, SubAgent
from assent.gate.approval import Approval, State
from assent.gate.calls import Applied, Code, Outcome, Refuse, Run, TurnOptions, Wait
from assent.gate.gate import Gate
from assent.gate.ids import new_id
from assent.gate.preset import Delivery
from assent.gate.store import ApprovalFilter
from assent.gate.turn import Turn
from assent.gate.workspace_admin import CONVERSATION, WHY_ASKED
from assent.hosts.hook.claude import (
    ASK_TOOL,
    NO_DECISION,
    PLAN_TOOL,
    TEST_SESSION,
    HookEvent,
    HookEventKind,
    HookReply,
    allowing_reply,
    args_with_answer,
    decision_reply,
    deferring_reply,
    denying_reply,
    event_to_call,
    failure_reply,
    is_plan_file,
    to_bash_call,
)
from assent.hosts.hook.settings import UNREPORTED_TOOLS
from assent.hosts.hook.transcript import is_only_call

LEASE = timedelta(seconds=100)
"""How long a question waits for a hook that is gone; one that lost its connection is back within 90 s."""
CLIENT_ASKS = "Claude Code itself asks before this call, and only a person can answer it"
_PERMISSION_PREFIX = "permission-"
"""The start of the call ids of questions that a `PermissionRequest` makes; that event names no call."""
_MAX_CARRIED = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class HookCaller:
    """The agent whose hook sends an event, and the nonce with which it can claim a call again."""

    principal: Principal
    token: str = ""
    """The id of the agent's token."""
    nonce: str = ""
    home: str = ""
    """The home directory of the person who runs the client, if the server knows it."""
    shares_files: bool = False
    """Whether the hook sees the same file system as this process."""
    defers: bool = False
    """Whether the client can end while a person is asked, and be resumed after the answer."""


class UsedAnswers:
    """Remembers which answers of a person were already used for a prompt of the client."""

    def __init__(self) -> None:
        self._ids: OrderedDict[str, None] = OrderedDict()

    def use_once(self, id: str) -> bool:
        """Use the answer to an approval; False if it was used before."""
        if id in self._ids:
            return False
        self._ids[id] = None
        if len(self._ids) > _MAX_CARRIED:
            self._ids.popitem(last=False)
        return True


class HookQuestion:
    """A question that a hook waits for."""

    def __init__(self, turn: Turn, approval: Approval) -> None:
        self._turn = turn
        self._call = approval.call
        self.id = approval.id

    @property
    def _kind(self) -> HookEventKind:
        is_permission = self._call.id.startswith(_PERMISSION_PREFIX)
        return HookEventKind.PERMISSION_REQUEST if is_permission else HookEventKind.PRE_TOOL_USE

    async def watch(self, seconds: float) -> None:
        """Wait up to `seconds` for the answer; claims nothing."""
        await self._turn.watch(self.id, seconds)

    async def renew(self) -> None:
        """Keep the question open, because its hook still waits."""
        await self._turn.renew_lease(self.id)

    async def reply(self) -> HookReply | None:
        """Claim the call if a person answered, and return the reply; None if nobody has answered yet."""
        outcome = await self._turn.resume(self.id)
        return None if isinstance(outcome, Wait) else _outcome_reply(self._kind, self._call, outcome)


class HookEvents:
    """Answers events through a gate."""

    def __init__(self, gate: Gate, carried: UsedAnswers) -> None:
        self._gate = gate
        self._carried = carried

    async def answer(self, caller: HookCaller, event: HookEvent) -> HookReply | HookQuestion:
        """Answer an event; a question means that a person was asked, and the hook waits."""
        if caller.principal.kind is not Kind.AGENT:
            raise ForbiddenError(caller.principal.id, "a hook needs the token of an agent")
        if event.session == TEST_SESSION:
            return await self._answer_test(caller, event)
        defers = caller.defers and await self._can_defer(caller, event)
        turn = await self._begin_turn(caller, event, defers=defers)
        match event.kind:
            case HookEventKind.PRE_TOOL_USE:
                return await self._decide_call(caller, event, turn)
            case HookEventKind.PERMISSION_REQUEST:
                return await self._carry_through(event, turn)
            case HookEventKind.POST_TOOL_USE | HookEventKind.POST_TOOL_USE_FAILURE:
                await self._report_result(event, turn)
            case HookEventKind.SESSION_END:
                which, why = _filter_of_turn(turn), "the session of Claude Code ended"
                await self._gate.withdraw_all(which, why, live_only=True)
                await self._close_unreported_calls(turn)
            case HookEventKind.SESSION_START:
                # The turn has opened the conversation. An offer that fails must not end the session.
                with suppress(AssentError):
                    await self._ask_about_project(caller, event)
            case HookEventKind.SUBAGENT_START:
                pass
        return NO_DECISION

    async def attach(self, caller: HookCaller, id: str) -> HookQuestion:
        """Wait again for a question, after the connection of its hook was lost."""
        turn = await self._gate.rejoin(caller.principal, id)
        approval = await self._gate.approval(caller.principal, id)
        return HookQuestion(turn.with_nonce(caller.nonce, token=caller.token), approval)

    async def _ask_about_project(self, caller: HookCaller, event: HookEvent) -> None:
        """Ask a person whether a project that is no workspace becomes one; nothing waits for the answer."""
        if not (caller.shares_files and event.is_new_session):
            return
        call = await self._gate.workspace_questions.question_call(caller.principal, event.cwd)
        if call is not None:
            options = TurnOptions(delivery=Delivery.SUSPEND, claimed=True)
            turn = await self._gate.begin(
                caller.principal, conversation=CONVERSATION, agent=caller.principal.id, options=options
            )
            await turn.submit(call, confirm=WHY_ASKED)

    async def _begin_turn(self, caller: HookCaller, event: HookEvent, *, defers: bool) -> Turn:
        turn = await self._gate.begin(
            caller.principal,
            conversation=event.session,
            agent=caller.principal.id,
            options=_turn_options(event, defers=defers),
            cwd=event.cwd,
        )
        return turn.with_nonce(caller.nonce, token=caller.token)

    async def _answer_test(self, caller: HookCaller, event: HookEvent) -> HookReply:
        """Decide the call of a test event; nothing is asked, counted or recorded."""
        call = replace(event_to_call(event), agent=caller.principal.id, conversation="")
        decided = await self._gate.decide(caller.principal, call, options=_turn_options(event))
        return decision_reply(event, decided.decision)

    async def _can_defer(self, caller: HookCaller, event: HookEvent) -> bool:
        """Whether a person must be asked, and the client would resume this call.

        Of several calls of one message, the client forgets all but one.
        """
        if event.kind is not HookEventKind.PRE_TOOL_USE or event.agent_id:
            return False
        decision = await self._preview_decision(caller, event, event_to_call(event))
        return decision.verdict is Verdict.ASK and await is_only_call(event.transcript, event.call_id)

    async def _decide_call(
        self, caller: HookCaller, event: HookEvent, turn: Turn
    ) -> HookReply | HookQuestion:
        call, shell = event_to_call(event), to_bash_call(event_to_call(event))
        confirm = ""
        if shell is not None:
            # Rules for the shell also apply to the command of another tool.
            decision = await self._preview_decision(caller, event, shell)
            if decision.verdict > Verdict.ASK:
                return await self._refuse_shell(event, turn, shell)
            confirm = decision.because if decision.verdict is Verdict.ASK else ""
        outcome = await turn.submit(call, confirm=confirm)
        is_blocked_plan = isinstance(outcome, Refuse) and outcome.code is Code.PLAN
        if is_blocked_plan and caller.home and is_plan_file(event, caller.home):
            return NO_DECISION
        return _to_reply_or_question(event.kind, call, turn, outcome)

    async def _preview_decision(self, caller: HookCaller, event: HookEvent, call: Call) -> Decision:
        """Decide a call without asking, counting or recording."""
        known = replace(call, agent=caller.principal.id)
        return (await self._gate.decide(caller.principal, known, options=_turn_options(event))).decision

    async def _refuse_shell(self, event: HookEvent, turn: Turn, shell: Call) -> HookReply:
        """Submit a denied command as a call of the shell, so that the audit has its verdict."""
        outcome = await turn.submit(replace(shell, id=""))
        if isinstance(outcome, Refuse):
            return denying_reply(event.kind, outcome.full_message)
        raise ConflictError("policy changed while this call was decided; try again")

    async def _carry_through(self, event: HookEvent, turn: Turn) -> HookReply | HookQuestion:
        """Use a person's approval of the same call, once; without an approval, ask a person."""
        for approval in await self._approvals_of_same_call(event, turn, State.RUNNING):
            # A yes that another process claimed is not known here as unused, so a person is asked again.
            is_here = approval.boot == self._gate.store.boot and not approval.call.id.startswith(
                _PERMISSION_PREFIX
            )
            # The same words do something else in another directory.
            is_same_caller = (approval.call.cwd, approval.sub_agents) == (event.cwd, turn.context.sub_agents)
            if (
                is_here
                and is_same_caller
                and _has_own_answer(approval)
                and self._carried.use_once(approval.id)
            ):
                return allowing_reply(event.kind)
        if not turn.context.attended:
            return NO_DECISION
        call = replace(event_to_call(event), id=_PERMISSION_PREFIX + new_id())
        return _to_reply_or_question(event.kind, call, turn, await turn.submit(call, confirm=CLIENT_ASKS))

    async def _report_result(self, event: HookEvent, turn: Turn) -> None:
        """Report the result of a claimed call, and close the questions that the client answered itself."""
        failed = event.kind is HookEventKind.POST_TOOL_USE_FAILURE
        for approval in await self._approvals_of_same_call(event, turn, State.RUNNING, State.UNKNOWN):
            if approval.call.id == event.call_id or approval.call.id.startswith(_PERMISSION_PREFIX):
                await self._gate.report(approval.id, approval.claim, failed=failed, note=event.error)
        for approval in await self._approvals_of_same_call(event, turn, State.PENDING):
            if approval.call.id.startswith(_PERMISSION_PREFIX):
                await self._gate.withdraw(approval.id, "it was answered in Claude Code")

    async def _close_unreported_calls(self, turn: Turn) -> None:
        """Close the calls that the client ran without an event about the result."""
        for tool in UNREPORTED_TOOLS:
            which = _filter_of_turn(turn, tool=tool, states=frozenset({State.RUNNING}))
            page = await self._gate.pending_approvals(turn.context.principal, which)
            for approval in page.approvals:
                await self._gate.report(approval.id, approval.claim, note="Claude Code reports no result")

    async def _approvals_of_same_call(self, event: HookEvent, turn: Turn, *states: State) -> list[Approval]:
        """The approvals of this session for the same tool with the same arguments."""
        which = _filter_of_turn(turn, tool=event.tool, states=frozenset(states))
        page = await self._gate.pending_approvals(turn.context.principal, which)
        return [one for one in page.approvals if one.approved_call.args == event.args]


def _turn_options(event: HookEvent, *, defers: bool = False) -> TurnOptions:
    """The options of an event's turn; the client's mode can only narrow the mode of the conversation."""
    return TurnOptions(
        mode_limit=event.permission_mode,
        attended=event.can_client_ask,
        delivery=Delivery.SUSPEND if defers else Delivery.WAIT,
        turn_id=event.prompt_id,
        claimed=True,
        lease=None if defers else LEASE,
        sub_agents=(SubAgent(event.agent_id, event.agent_type),) if event.agent_id else (),
    )


def _filter_of_turn(
    turn: Turn, *, tool: str | None = None, states: frozenset[State] = frozenset()
) -> ApprovalFilter:
    known = turn.context.conversation
    return ApprovalFilter(
        owner=known.owner, conversation=known.id, agent=turn.context.agent, tool=tool, states=states
    )


def _has_own_answer(approval: Approval) -> bool:
    """Whether a person said yes to exactly this call, not to another one that covers it."""
    return approval.answer is not None and approval.answer.yes and not approval.answer.released_by


def _to_reply_or_question(
    kind: HookEventKind, call: Call, turn: Turn, outcome: Outcome
) -> HookReply | HookQuestion:
    match outcome:
        case Wait():
            # INVARIANT: only in `PreToolUse`, and only for a question that no process has to wait for.
            is_deferred = turn.context.delivery is outcome.approval.delivery is Delivery.SUSPEND
            return (
                deferring_reply(outcome.approval.id) if is_deferred else HookQuestion(turn, outcome.approval)
            )
        case Run() | Refuse():
            return _outcome_reply(kind, call, outcome)
        case Applied():
            return failure_reply("the gate ran this call itself; use another preset for Claude Code")


def _outcome_reply(kind: HookEventKind, call: Call, outcome: Run | Refuse) -> HookReply:
    if kind is HookEventKind.PERMISSION_REQUEST and call.tool == ASK_TOOL:
        return _question_reply(kind, call, outcome)
    match outcome:
        case Run():
            # INVARIANT: not in `PreToolUse`, where the client would start the plan without asking anybody.
            is_plan = kind is HookEventKind.PERMISSION_REQUEST and call.tool == PLAN_TOOL
            edited = None if outcome.call.args == call.args and not is_plan else outcome.call.args
            because = "a person allowed it" if outcome.approval else outcome.decision.because
            return allowing_reply(kind, because, edited=edited)
        case Refuse():
            return denying_reply(kind, outcome.full_message)


def _question_reply(kind: HookEventKind, call: Call, outcome: Run | Refuse) -> HookReply:
    """The reply to a question of the model; the person's words are in the denial or in the arguments.

    A yes without words answers nothing, so the client's own prompt stays.
    """
    match outcome:
        case Run():
            answered = outcome.call.args if outcome.call.args.get("answers") else None
            return NO_DECISION if answered is None else allowing_reply(kind, edited=answered)
        case Refuse():
            answered = args_with_answer(call.args, outcome.reason) if outcome.reason else None
            return (
                denying_reply(kind, outcome.full_message)
                if answered is None
                else allowing_reply(kind, edited=answered)
            )
