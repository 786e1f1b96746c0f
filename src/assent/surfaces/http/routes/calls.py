"""`/v1/calls`, `/v1/decide` and `/v1/proposals`: submit, wait for, report and apply calls."""

import asyncio
from typing import Annotated, TypedDict, cast

from pydantic import Field, StringConstraints

from assent.engine.base.tool import Call
from assent.gate.access import Kind, Principal, check_can_call
from assent.gate.approval import Approval, State
from assent.gate.calls import Code, Refuse, Wait
from assent.gate.gate import TurnOptions
from assent.gate.preset import Delivery
from assent.gate.turn import Turn
from assent.surfaces.http.api.access import Caller, Member, Person, check_still_authenticated
from assent.surfaces.http.api.bodies import StrictRequest
from assent.surfaces.http.api.fields import Args, Body, GeneratedId, Id, ShortText, Text, ToolName
from assent.surfaces.http.api.problems import ProblemError
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import OVERLOAD_HEADERS, OVERLOAD_MESSAGE, Service
from assent.wire import shapes
from assent.wire.approval import approval_to_public_json, outcome_to_json
from assent.wire.call import decision_to_json

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


class CallIn(Body):
    """A call: the name of a tool, and its arguments."""

    tool: ToolName
    args: Args
    id: Id = ""
    """The caller's id of the call; a repeated id with the same arguments is the same call."""
    cwd: Text = ""
    """The absolute path of the directory in which the call runs; by default the server's workspace."""


class Submission(Body):
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


class WaitIn(Body):
    """How long to wait for an answer."""

    seconds: Annotated[float, Field(ge=0, le=MAX_WAIT_SECONDS)] = 30
    nonce: Nonce | None = None


class ReportIn(Body):
    """The result of a call that ran."""

    claim: Id
    failed: bool = False
    note: Text = ""


class WithdrawalIn(Body):
    """Why a call is withdrawn."""

    why: ShortText = "its caller took it back"


class HypotheticalCall(Body):
    """A call to decide without making it."""

    tool: ToolName
    args: Args
    agent: Id = ""
    conversation: Id = ""
    cwd: Text = ""
    preset: Id = ""
    mode: Id | None = None


class ProposalToken(Body):
    """The token of a proposal, which only people who saw the proposal have."""

    token: Annotated[str, StringConstraints(max_length=200)]


class CallStatus(TypedDict):
    """The state of a call that needed approval, without the secret claim."""

    id: str
    call: shapes.Called
    state: Annotated[str, State]
    decision: shapes.Decision
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
    )
    turn = await service.gate.begin(
        principal, conversation=body.conversation, agent=_agent_name(principal, body.agent), options=options
    )
    args = cast("dict[str, object]", body.call.args)
    call = Call(tool=body.call.tool, args=args, id=body.call.id, cwd=body.call.cwd)
    outcome = await _with_nonce(turn, body.nonce, request).submit(call)
    if isinstance(outcome, Refuse) and outcome.code is Code.BYTES:
        headers = {"retry-after": RETRY_SECONDS}
        raise ProblemError(429, outcome.message, headers=headers, code=outcome.code.value)
    return outcome_to_json(outcome, turn.id)


@router.get("/{id:generated}", name="look")
async def read_call(id: GeneratedId, principal: Caller, service: Service) -> CallStatus:
    """Read the state of a call that needed approval."""
    return _to_call_status(await service.gate.approval(principal, id))


@router.post("/{id:generated}/wait", name="wait")
async def wait_for_answer(
    id: GeneratedId, body: WaitIn, principal: Caller, service: Service, request: StrictRequest
) -> shapes.Outcome | None:
    """Wait for the answer and claim the call, which is possible once. `wait` means: not answered yet."""
    turn = _with_nonce(await service.gate.rejoin(principal, id), body.nonce, request)
    # A disconnected caller must not claim the call, so that its next request can.
    if await request.is_disconnected():
        return None
    outcome = await turn.resume(id)
    if isinstance(outcome, Wait) and body.seconds > 0:
        if not service.long_requests.has_room:
            raise ProblemError(503, OVERLOAD_MESSAGE, headers=OVERLOAD_HEADERS)
        with service.long_requests.count():
            await _wait_until_answered(service, turn, id, body.seconds)
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
async def decide_call(body: HypotheticalCall, principal: Member, service: Service) -> shapes.Decision:
    """Decide a call without making it: nothing is asked, counted or recorded."""
    call = Call(
        tool=body.tool,
        args=cast("dict[str, object]", body.args),
        agent=body.agent,
        conversation=body.conversation,
        cwd=body.cwd,
    )
    decided = await service.gate.decide(
        principal, call, options=TurnOptions(preset=body.preset, mode=body.mode)
    )
    return decision_to_json(decided.decision)


@proposals.post("/apply", name="apply")
async def apply_proposal(body: ProposalToken, principal: Person, service: Service) -> shapes.Outcome:
    """Run a proposed call once, if it is still allowed and its file has not changed."""
    return outcome_to_json(await service.gate.apply(principal, body.token), "")


def _with_nonce(turn: Turn, nonce: str | None, request: StrictRequest) -> Turn:
    """The turn with the caller's nonce, which lets the caller repeat a lost request with the same token."""
    credential = request.state.credential
    return turn if nonce is None else turn.with_nonce(nonce, token=credential.id)


def _agent_name(principal: Principal, named: str) -> str:
    """The agent that the body names, or the token's agent; the gate checks the name."""
    return named or (principal.id if principal.kind is Kind.AGENT else "")


async def _wait_until_answered(service: Service, turn: Turn, id: str, seconds: float) -> None:
    """Wait until the question is answered, the time is over, or the server stops."""
    stopping = asyncio.ensure_future(service.stopping.wait())
    answered = asyncio.ensure_future(turn.watch(id, seconds))
    try:
        await asyncio.wait({stopping, answered}, return_when=asyncio.FIRST_COMPLETED)
        if answered.done():
            answered.result()
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
