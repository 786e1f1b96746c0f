"""`/v1/calls`, `/v1/decide` and `/v1/proposals`: submit, wait for, report and apply calls."""

import asyncio
from datetime import timedelta
from typing import Annotated, TypedDict, cast

from pydantic import Field, StringConstraints

from assent.engine.base.tool import Call
from assent.gate.access import MAX_SUB_AGENTS, Kind, Principal, SubAgent, check_can_call
from assent.gate.approval import Approval, State
from assent.gate.calls import Code, Refuse, TurnTarget, Wait
from assent.gate.gate import TurnOptions
from assent.gate.lease import MAX_LEASE_SECONDS
from assent.gate.preset import Delivery
from assent.gate.turn import Turn
from assent.surfaces.http.api.access import Caller, Member, Person, check_still_authenticated
from assent.surfaces.http.api.bodies import StrictRequest
from assent.surfaces.http.api.fields import Args, GeneratedId, Id, ShortText, StrictBody, Text, ToolName
from assent.surfaces.http.api.problems import ProblemError
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import OVERLOAD_HEADERS, OVERLOAD_MESSAGE, Service
from assent.wire import shapes
from assent.wire.approval import approval_to_public_json, outcome_to_json
from assent.wire.call import decision_to_json
from assent.wire.decision_shapes import Decision

RETRY_SECONDS = "5"
"""Retry delay for a caller that has too many bytes in pending questions."""
MAX_WAIT_SECONDS = 60
"""Maximum duration of one long poll, in seconds."""

router = Router("/v1/calls", "calls")
decisions = Router("/v1/decide", "decide")
proposals = Router("/v1/proposals", "proposals")

Nonce = Annotated[
    str,
    StringConstraints(pattern=r"^[!-~]{16,128}$"),
    Field(
        description="A random text of the caller: sent again with the same token, it gives the same claim"
        " again until the report, in case a reply was lost."
    ),
]


Lease = Annotated[
    float,
    Field(
        ge=1,
        le=MAX_LEASE_SECONDS,
        description="Seconds after which the question of a caller that stopped waiting is withdrawn; every"
        " wait renews them. Only for calls of the delivery `wait`; without it, the question stays.",
    ),
]


class CallIn(StrictBody):
    """A call: the name of a tool, and its arguments."""

    tool: ToolName
    args: Args
    id: Id = ""
    """The caller's id of the call; a repeated id with the same arguments is the same call."""
    cwd: Text = ""
    """The absolute path of the directory in which the call runs; by default the server's workspace."""


class SubAgentIn(StrictBody):
    """A sub-agent: an id for this run, and its kind, by which rules and tiers name it."""

    id: Annotated[Id, StringConstraints(min_length=1)]
    kind: Id = ""


class Submission(StrictBody):
    """A call to decide."""

    call: CallIn
    agent: Id = ""
    """The agent that makes the call; by default the agent of the token."""
    conversation: Id = ""
    turn: Id = ""
    """The turn of the call, from an earlier reply."""
    preset: Id = ""
    """The preset of a conversation that begins with this call."""
    mode: Id | None = None
    delivery: Annotated[Delivery, Field(strict=False)] | None = None
    attended: bool = True
    """Whether a person can be reached while the agent runs."""
    nonce: Nonce | None = None
    lease: Lease | None = None
    lineage: Annotated[tuple[SubAgentIn, ...], Field(max_length=MAX_SUB_AGENTS, strict=False)] = ()
    """The sub-agents of the agent for which the call is made, outermost first; they can only narrow."""


class WaitIn(StrictBody):
    """How long to wait for an answer."""

    seconds: Annotated[float, Field(ge=0, le=MAX_WAIT_SECONDS)] = 30
    nonce: Nonce | None = None


class ReportIn(StrictBody):
    """The result of a call that ran."""

    claim: Id
    failed: bool = False
    note: Text = ""


class CallReportIn(StrictBody):
    """The result of a call that ran, by the caller's id of the call."""

    call: Annotated[Id, StringConstraints(min_length=1)]
    conversation: Id = ""
    agent: Id = ""
    """The agent that made the call; by default the agent of the token."""
    failed: bool = False
    note: Text = ""


class WithdrawalIn(StrictBody):
    """Why a call is withdrawn."""

    why: ShortText = "its caller took it back"


class HypotheticalCall(StrictBody):
    """A call to decide without making it."""

    tool: ToolName
    args: Args
    agent: Id = ""
    conversation: Id = ""
    cwd: Text = ""
    preset: Id = ""
    mode: Id | None = None
    lineage: Annotated[tuple[SubAgentIn, ...], Field(max_length=MAX_SUB_AGENTS, strict=False)] = ()
    """The sub-agents of the agent for which the call is made, outermost first; they can only narrow."""


class ProposalToken(StrictBody):
    """The token of a proposal, which only people who saw the proposal have."""

    token: Annotated[str, StringConstraints(max_length=200)]


class CallStatus(TypedDict):
    """The state of a call that needed approval, without the secret claim."""

    id: str
    call: shapes.CallJson
    state: Annotated[str, State]
    decision: Decision
    asked_at: str
    expires_at: str | None
    answered_at: str | None
    closed_at: str | None
    note: str


@router.post(name="submit")
async def submit_call(
    body: Submission, principal: Caller, service: Service, request: StrictRequest
) -> shapes.Outcome:
    """Decide a call, and ask a person if it needs approval. A repeated call id is the same call."""
    options = TurnOptions(
        preset=body.preset,
        mode=body.mode,
        attended=body.attended,
        delivery=body.delivery,
        turn_id=body.turn,
        claimed=principal.kind is not Kind.PERSON,
        lease=None if body.lease is None else timedelta(seconds=body.lease),
        sub_agents=_sub_agents(body.lineage),
    )
    turn = await service.gate.begin(
        principal,
        conversation=body.conversation,
        agent=_agent_name(principal, body.agent),
        options=options,
        cwd=body.call.cwd,
    )
    args = cast("dict[str, object]", body.call.args)
    call = Call(tool=body.call.tool, args=args, id=body.call.id, cwd=body.call.cwd)
    outcome = await _turn_with_nonce(turn, body.nonce, request).submit(call)
    if isinstance(outcome, Refuse) and outcome.code is Code.BYTES:
        headers = {"retry-after": RETRY_SECONDS}
        raise ProblemError(429, outcome.message, headers=headers, code=outcome.code.value)
    return outcome_to_json(outcome, turn.id)


@router.post("/report", name="report_by_call")
async def report_call(body: CallReportIn, principal: Caller, service: Service) -> CallStatus:
    """Report the result of a claimed call by its own id, from any process of its agent.

    A repeated report changes nothing. A call that ran without asking has no question and gets a 404.
    """
    target = TurnTarget(body.conversation, _agent_name(principal, body.agent))
    reported = await service.gate.report_call(
        principal, target, body.call, failed=body.failed, note=body.note
    )
    return _to_call_status(reported)


@router.get("/{id:generated}", name="look")
async def read_call(id: GeneratedId, principal: Caller, service: Service) -> CallStatus:
    """Read the state of a call that needed approval."""
    return _to_call_status(await service.gate.approval(principal, id))


@router.post("/{id:generated}/wait", name="wait")
async def wait_for_answer(
    id: GeneratedId, body: WaitIn, principal: Caller, service: Service, request: StrictRequest
) -> shapes.Outcome | None:
    """Wait for the answer and claim the call, which is possible once. `wait` means: not answered yet.

    A wait renews the lease of its caller.
    """
    turn = _turn_with_nonce(await service.gate.rejoin(principal, id), body.nonce, request)
    # A disconnected caller must not claim the call, so that its next request can.
    if await request.is_disconnected():
        return None
    lease = await turn.renew_lease(id)
    outcome = await turn.resume(id)
    if isinstance(outcome, Wait) and body.seconds > 0:
        if not service.long_requests.can_start_request:
            raise ProblemError(503, OVERLOAD_MESSAGE, headers=OVERLOAD_HEADERS)
        with service.long_requests.count_open_request():
            seconds = body.seconds if lease is None else lease.renewal_seconds
            end = asyncio.get_running_loop().time() + body.seconds
            while await _wait_until_answered(service, turn, id, min(seconds, _seconds_until(end))):
                if not _seconds_until(end) or await request.is_disconnected():
                    break
                await turn.renew_lease(id)
        if await request.is_disconnected():
            return None
        await check_still_authenticated(service, request)
        outcome = await turn.resume(id)
    return outcome_to_json(outcome, turn.id)


@router.post("/{id:generated}/report", name="report")
async def report_result(id: GeneratedId, body: ReportIn, principal: Caller, service: Service) -> CallStatus:
    """Report the result of a claimed call; `claim` must be the value that the caller got."""
    check_can_call(principal, (await service.gate.excerpt(principal, id)).approval.resource)
    return _to_call_status(await service.gate.report(id, body.claim, failed=body.failed, note=body.note))


@router.post("/{id:generated}/withdraw", name="withdraw")
async def withdraw_call(
    id: GeneratedId, body: WithdrawalIn, principal: Caller, service: Service
) -> CallStatus:
    """Withdraw a call; if it has not started, it never runs."""
    check_can_call(principal, (await service.gate.excerpt(principal, id)).approval.resource)
    return _to_call_status(await service.gate.withdraw(id, body.why))


@decisions.post(name="decide")
async def decide_call(body: HypotheticalCall, principal: Member, service: Service) -> Decision:
    """Decide a call without making it: nothing is asked, counted or recorded."""
    call = Call(
        tool=body.tool,
        args=cast("dict[str, object]", body.args),
        agent=body.agent,
        conversation=body.conversation,
        cwd=body.cwd,
    )
    options = TurnOptions(preset=body.preset, mode=body.mode, sub_agents=_sub_agents(body.lineage))
    decided = await service.gate.decide(principal, call, options=options)
    return decision_to_json(decided.decision)


@proposals.post("/apply", name="apply")
async def apply_proposal(body: ProposalToken, principal: Person, service: Service) -> shapes.Outcome:
    """Run a proposed call once, if it is still allowed and its file has not changed."""
    return outcome_to_json(await service.gate.apply_proposal(principal, body.token), "")


def _turn_with_nonce(turn: Turn, nonce: str | None, request: StrictRequest) -> Turn:
    """The turn with the caller's nonce, which lets the caller repeat a lost request with the same token."""
    credential = request.state.credential
    return turn if nonce is None else turn.with_nonce(nonce, token=credential.id)


def _sub_agents(named: tuple[SubAgentIn, ...]) -> tuple[SubAgent, ...]:
    return tuple(SubAgent(one.id, one.kind) for one in named)


def _agent_name(principal: Principal, named: str) -> str:
    """The agent that the body names, or the token's agent; the gate checks the name."""
    return named or (principal.id if principal.kind is Kind.AGENT else "")


def _seconds_until(end: float) -> float:
    """Seconds until a time of the event loop; never negative."""
    return max(end - asyncio.get_running_loop().time(), 0.0)


async def _wait_until_answered(service: Service, turn: Turn, id: str, seconds: float) -> bool:
    """Wait until the question is answered or the server stops; true if the time is over first."""
    stopping = asyncio.ensure_future(service.stopping.wait())
    answered = asyncio.ensure_future(turn.watch(id, seconds))
    try:
        await asyncio.wait({stopping, answered}, return_when=asyncio.FIRST_COMPLETED)
        return answered.done() and not answered.result()
    finally:
        stopping.cancel()
        answered.cancel()


def _to_call_status(approval: Approval) -> CallStatus:
    shown = approval_to_public_json(approval)
    return {
        "id": shown["id"],
        "call": shown["call"],
        "state": shown["state"],
        "decision": shown["decision"],
        "asked_at": shown["asked_at"],
        "expires_at": shown["expires_at"],
        "answered_at": shown["answered_at"],
        "closed_at": shown["closed_at"],
        "note": shown["note"],
    }
