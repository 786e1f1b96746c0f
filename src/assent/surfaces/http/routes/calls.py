"""`/v1/calls`, `/v1/decide` and `/v1/proposals`: calls are decided, waited for, reported and applied."""

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
from assent.surfaces.http.api.fields import Args, Body, GeneratedId, Id, Line, Text, ToolName
from assent.surfaces.http.api.problems import ProblemError
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import CLOSING, FULL, Service
from assent.wire import shapes
from assent.wire.approval import approval_to_public_json, outcome_to_json
from assent.wire.call import decision_to_json

RETRY_SECONDS = "5"
"""When a caller over its budget of pending bytes may try again."""
LONGEST_WAIT = 60
"""Seconds of one long poll."""

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
    """One use of a tool."""

    tool: ToolName
    args: Args
    id: Id = ""
    """The caller's id of the call; the same id with the same arguments is the same call."""
    cwd: Text = ""
    """The directory it would run in, an absolute path; by default the server's workspace."""


class Submission(Body):
    """A call to decide."""

    call: CallIn
    agent: Id = ""
    """The agent that makes it; by default the agent of the token."""
    conversation: Id = ""
    turn: Id = ""
    """The turn it belongs to, from an earlier reply."""
    preset: Id = ""
    """The preset of a conversation that begins with this call."""
    mode: Id | None = None
    delivery: Annotated[Delivery, Field(strict=False)] | None = None
    attended: bool = True
    """Whether a person can be reached while the agent runs."""
    nonce: Nonce | None = None


class Patience(Body):
    """How long to wait for an answer."""

    seconds: Annotated[float, Field(ge=0, le=LONGEST_WAIT)] = 30
    nonce: Nonce | None = None


class Report(Body):
    """The result of a call that ran."""

    claim: Id
    failed: bool = False
    note: Text = ""


class Withdrawal(Body):
    """Why a call is no longer wanted."""

    why: Line = "its caller took it back"


class WhatIf(Body):
    """A call that is not made."""

    tool: ToolName
    args: Args
    agent: Id = ""
    conversation: Id = ""
    cwd: Text = ""
    preset: Id = ""
    mode: Id | None = None


class Token(Body):
    """The token of a proposal; it proves that its holder was shown the proposal."""

    token: Annotated[str, StringConstraints(max_length=200)]


class CallStatus(TypedDict):
    """The state of a call that needed approval; without its claim."""

    id: str
    call: shapes.Called
    state: Annotated[str, State]
    decision: shapes.Decision
    asked_at: str
    expires_at: str | None
    answered_at: str | None
    closed_at: str | None
    note: str


@router.post()
async def submit(
    body: Submission, principal: Caller, service: Service, request: StrictRequest
) -> shapes.Outcome:
    """Decide a call, and ask a person if it needs approval. The same call id again is the same call."""
    options = TurnOptions(
        preset=body.preset,
        mode=body.mode,
        attended=body.attended,
        delivery=body.delivery,
        turn_id=body.turn,
        claimed=principal.kind is not Kind.PERSON,
    )
    turn = await service.gate.begin(
        principal, conversation=body.conversation, agent=_agent(principal, body.agent), options=options
    )
    args = cast("dict[str, object]", body.call.args)
    call = Call(tool=body.call.tool, args=args, id=body.call.id, cwd=body.call.cwd)
    outcome = await _with_nonce(turn, body.nonce, request).submit(call)
    if isinstance(outcome, Refuse) and outcome.code is Code.BYTES:
        headers = {"retry-after": RETRY_SECONDS}
        raise ProblemError(429, outcome.message, headers=headers, code=outcome.code.value)
    return outcome_to_json(outcome, turn.id)


@router.get("/{id:generated}")
async def look(id: GeneratedId, principal: Caller, service: Service) -> CallStatus:
    """Read the state of a call that needed approval."""
    return _status(await service.gate.approval(principal, id))


@router.post("/{id:generated}/wait")
async def wait(
    id: GeneratedId, body: Patience, principal: Caller, service: Service, request: StrictRequest
) -> shapes.Outcome | None:
    """Wait for the answer and take the call, which is possible once. `wait` means that nobody answered."""
    turn = _with_nonce(await service.gate.rejoin(principal, id), body.nonce, request)
    # A caller that has disconnected cannot run anything: the approval stays for its next request.
    if await request.is_disconnected():
        return None
    outcome = await turn.resume(id)
    if isinstance(outcome, Wait) and body.seconds > 0:
        if not service.long_requests.has_room:
            raise ProblemError(503, FULL, headers=CLOSING)
        with service.long_requests.count():
            await _until_answered(service, turn, id, body.seconds)
        if await request.is_disconnected():
            return None
        await check_still_authenticated(service, request)
        outcome = await turn.resume(id)
    return outcome_to_json(outcome, turn.id)


@router.post("/{id:generated}/report")
async def report(id: GeneratedId, body: Report, principal: Caller, service: Service) -> CallStatus:
    """Report the result of a call that was taken; the claim proves who took it."""
    check_can_call(principal, (await service.gate.excerpt(principal, id)).approval.resource)
    return _status(await service.gate.report(id, body.claim, failed=body.failed, note=body.note))


@router.post("/{id:generated}/withdraw")
async def withdraw(id: GeneratedId, body: Withdrawal, principal: Caller, service: Service) -> CallStatus:
    """Withdraw a call; if it has not started, it never runs."""
    check_can_call(principal, (await service.gate.excerpt(principal, id)).approval.resource)
    return _status(await service.gate.withdraw(id, body.why))


@decisions.post()
async def decide(body: WhatIf, principal: Member, service: Service) -> shapes.Decision:
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


@proposals.post("/apply")
async def apply(body: Token, principal: Person, service: Service) -> shapes.Outcome:
    """Run a proposed call once, if it is still allowed and its file has not changed."""
    return outcome_to_json(await service.gate.apply(principal, body.token), "")


def _with_nonce(turn: Turn, nonce: str | None, request: StrictRequest) -> Turn:
    """The turn of a caller that may lose a reply; its nonce is valid with this token only."""
    credential = request.state.credential
    return turn if nonce is None else turn.with_nonce(nonce, token=credential.id)


def _agent(principal: Principal, named: str) -> str:
    """The agent of the call: the token's own where the body names none; the gate refuses another one."""
    return named or (principal.id if principal.kind is Kind.AGENT else "")


async def _until_answered(service: Service, turn: Turn, id: str, seconds: float) -> None:
    """Return when there is an answer, when the time is over, or when the server stops."""
    stopping = asyncio.ensure_future(service.stopping.wait())
    answered = asyncio.ensure_future(turn.watch(id, seconds))
    try:
        await asyncio.wait({stopping, answered}, return_when=asyncio.FIRST_COMPLETED)
        if answered.done():
            answered.result()
    finally:
        stopping.cancel()
        answered.cancel()


def _status(approval: Approval) -> CallStatus:
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
