"""`/v1/calls`: an agent submits a call, waits for the answer, and reports what came of it."""

import asyncio
from typing import cast

from fastapi import APIRouter, Request, Response

from assent.engine.model import Call
from assent.gate.access import Kind, Principal, check_can_call
from assent.gate.approval import Approval
from assent.gate.gate import TurnOptions
from assent.gate.outcome import Code, Refuse, Wait
from assent.gate.turn import Turn
from assent.surfaces.http.again import check_again
from assent.surfaces.http.models.base import Mark
from assent.surfaces.http.models.call import CallStatus, Outcome, Patience, Report, Submission, Withdrawal
from assent.surfaces.http.problems import problem
from assent.surfaces.http.reply import Json, nothing
from assent.surfaces.http.service import Service
from assent.surfaces.http.serving import Serving
from assent.surfaces.http.strict import StrictRoute
from assent.surfaces.http.waiting_room import FULL, LEAVING
from assent.surfaces.http.who import Caller
from assent.wire.approval import approval_to_public_json, outcome_to_json

LATER = "5"
"""Seconds after which there may be room for a question again."""

router = APIRouter(prefix="/v1/calls", tags=["calls"], route_class=StrictRoute)


@router.post("", response_model=Outcome)
async def submit(said: Submission, principal: Caller, service: Serving, request: Request) -> Json:
    """Decide a call; where a person must be asked, they are. The same call id again is the same call."""
    opening = TurnOptions(
        preset=said.preset,
        mode=said.mode,
        attended=said.attended,
        delivery=said.delivery,
        turn_id=said.turn,
        claimed=principal.kind is not Kind.PERSON,
    )
    turn = await service.gate.begin(
        principal, conversation=said.conversation, agent=_agent(principal, said.agent), options=opening
    )
    args = cast("dict[str, object]", said.call.args)
    call = Call(tool=said.call.tool, args=args, id=said.call.id, cwd=said.call.cwd)
    outcome = await _claiming(turn, said.nonce, request).submit(call)
    if isinstance(outcome, Refuse) and outcome.code is Code.BYTES:
        return problem(429, outcome.message, headers={"retry-after": LATER}, code=outcome.code.value)
    return Json(outcome_to_json(outcome, turn.id))


@router.get("/{id:mark}", response_model=CallStatus)
async def look(id: Mark, principal: Caller, service: Serving) -> Json:
    """Where a call that was asked about stands; looking takes nothing."""
    return Json(_status(await service.gate.approval(principal, id)))


@router.post("/{id:mark}/wait", response_model=Outcome)
async def wait(id: Mark, said: Patience, principal: Caller, service: Serving, request: Request) -> Response:
    """Wait for the answer and take the call; it is handed out once. `wait` means: nobody answered yet."""
    turn = _claiming(await service.gate.rejoin(principal, id), said.nonce, request)
    # A caller that hung up cannot run anything: the yes is left for when they come again.
    if await request.is_disconnected():
        return nothing()
    outcome = await turn.resume(id)
    if isinstance(outcome, Wait) and said.seconds > 0:
        if not service.waiting.has_room:
            return problem(503, FULL, headers=LEAVING)
        with service.waiting.entered():
            await _until_answered(service, turn, id, said.seconds)
        if await request.is_disconnected():
            return nothing()
        await check_again(service, request)
        outcome = await turn.resume(id)
    return Json(outcome_to_json(outcome, turn.id))


@router.post("/{id:mark}/report", response_model=CallStatus)
async def report(id: Mark, said: Report, principal: Caller, service: Serving) -> Json:
    """Say what came of a call that was taken; the claim shows who took it."""
    check_can_call(principal, (await service.gate.excerpt(principal, id)).approval.resource)
    done = await service.gate.report(id, said.claim, failed=said.failed, note=said.note)
    return Json(_status(done))


@router.post("/{id:mark}/withdraw", response_model=CallStatus)
async def withdraw(id: Mark, said: Withdrawal, principal: Caller, service: Serving) -> Json:
    """Take a call back; what was not started never runs."""
    check_can_call(principal, (await service.gate.excerpt(principal, id)).approval.resource)
    return Json(_status(await service.gate.withdraw(id, said.why)))


def _claiming(turn: Turn, nonce: str | None, request: Request) -> Turn:
    """The turn of a caller that may lose a reply; its nonce counts with this very token only."""
    credential = request.state.credential
    return turn if nonce is None else turn.with_nonce(nonce, token=credential.id)


def _agent(principal: Principal, named: str) -> str:
    """An agent's token says which agent it is; another name in the body is refused by the gate."""
    return named or (principal.id if principal.kind is Kind.AGENT else "")


async def _until_answered(service: Service, turn: Turn, id: str, seconds: float) -> None:
    """Come back when there is an answer, when time is up, or when the server stops."""
    stopping = asyncio.ensure_future(service.stopping.wait())
    answered = asyncio.ensure_future(turn.watch(id, seconds))
    try:
        await asyncio.wait({stopping, answered}, return_when=asyncio.FIRST_COMPLETED)
        if answered.done():
            answered.result()
    finally:
        stopping.cancel()
        answered.cancel()


def _status(approval: Approval) -> dict[str, object]:
    shown = approval_to_public_json(approval)
    return {name: shown[name] for name in CallStatus.model_fields}
