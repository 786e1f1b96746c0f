"""`/v1/approvals`: people look through the questions, answer them, or put them off."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Annotated, cast

from fastapi import APIRouter, Query

from assent.errors import AssentError, InputError, NotFoundError, StoreError
from assent.gate.access import Principal
from assent.gate.approval import Answer, Approval, State, check_reason
from assent.gate.ports import Which
from assent.gate.preset import Preset
from assent.gate.remember import offered, reach
from assent.gate.together import check_alike, check_alone
from assent.surfaces.http.models.approval import (
    AnswerIn,
    ApprovalDetail,
    Approvals,
    ApprovalsAsked,
    Batch,
    BatchResult,
    Said,
    Shown,
)
from assent.surfaces.http.models.approval import Approval as ApprovalModel
from assent.surfaces.http.models.base import Mark
from assent.surfaces.http.paging import page, place_of
from assent.surfaces.http.reply import Json
from assent.surfaces.http.service import Service
from assent.surfaces.http.serving import Serving
from assent.surfaces.http.strict import StrictRoute
from assent.surfaces.http.who import Member, Person
from assent.wire.approval import approval_shown, suggestion_to_json
from assent.wire.excerpt import excerpt_to_json

_WORTH_A_RULE = frozenset({State.PENDING, State.APPROVED, State.RUNNING, State.DONE, State.FAILED})

router = APIRouter(prefix="/v1/approvals", tags=["approvals"], route_class=StrictRoute)
Sought = Annotated[ApprovalsAsked, Query()]


@router.get("", response_model=Approvals)
async def find(asked: Sought, principal: Member, service: Serving) -> Json:
    """A page of the questions that somebody may see, oldest first; without a state, those that are open.

    A large question is `clipped`: its head, tail and parts, without the digest that a yes needs.
    """
    with place_of(asked.after) as after:
        found = await service.gate.excerpts(principal, _which(asked), limit=asked.limit, after=after)
    return page([excerpt_to_json(one) for one in found.excerpts], found.after)


@router.post("/answers", response_model=BatchResult)
async def answer_all(said: Batch, principal: Person, service: Serving) -> Json:
    """Give one answer to each question of an explicit list; what is wrong with one stops no other.

    A yes is for calls of one kind: the same `batch_key` of their decisions. What has none is refused.
    """
    if said.answer.args is not None:
        raise InputError("other arguments are for one call: answer its question by itself")
    answer = _answer(said.answer)
    known = await _known(service, principal, said.questions) if answer.yes else {}
    check_alike(known.values())
    results = [await _answered(service, principal, shown, answer, known) for shown in said.questions]
    return Json({"results": results})


@router.get("/{id:mark}", response_model=ApprovalDetail)
async def look(id: Mark, principal: Member, service: Serving) -> Json:
    """One question: the whole decision, and the rules that would spare the next one like it."""
    approval = await service.gate.approval(principal, id)
    return Json(_detail(approval, service.grounds(approval.preset).preset, service.gate.store.secret))


@router.post("/{id:mark}/answer", response_model=ApprovalModel)
async def answer(id: Mark, said: AnswerIn, principal: Person, service: Serving) -> Json:
    """Answer a question as it was shown; the first answer counts, and others learn whose it was."""
    return Json(approval_shown(await service.gate.answer(principal, id, said.digest, _answer(said.answer))))


@router.post("/{id:mark}/later", response_model=ApprovalModel)
async def put_off(id: Mark, principal: Person, service: Serving) -> Json:
    """Keep a question open and out of the way."""
    return Json(approval_shown(await service.gate.put_off(principal, id)))


def _which(asked: ApprovalsAsked) -> Which:
    return Which(
        states=frozenset(asked.state),
        agent=asked.agent,
        conversation=asked.conversation,
        tool=asked.tool,
        effect=asked.effect,
        later=None if asked.later is None else asked.later == "true",
        search=asked.q,
    )


def _answer(said: Said) -> Answer:
    check_reason(said.reason)
    return Answer(
        say=said.say,
        reason=said.reason,
        rules=tuple(said.rules),
        scope=said.scope,
        lifetime=said.lifetime,
        until=said.until,
        uses=said.uses,
        args=cast("dict[str, object] | None", said.args),
    )


async def _known(service: Service, principal: Principal, questions: Iterable[Shown]) -> dict[str, Approval]:
    """Those of the questions that this person may see; the others are refused one by one."""
    found: dict[str, Approval] = {}
    for shown in questions:
        with suppress(NotFoundError):
            found[shown.id] = await service.gate.approval(principal, shown.id)
    return found


async def _answered(
    service: Service, principal: Principal, shown: Shown, answer: Answer, known: Mapping[str, Approval]
) -> dict[str, object]:
    """Answer one question of a batch; what is wrong with it is no other's concern."""
    try:
        if shown.id in known:
            check_alone(known[shown.id])
        approval = await service.gate.answer(principal, shown.id, shown.digest, answer)
    except StoreError:
        raise
    except AssentError as error:
        return {"id": shown.id, "outcome": "refused", "state": None, "problem": str(error)}
    return {"id": shown.id, "outcome": "answered", "state": approval.state.value, "problem": ""}


def _detail(approval: Approval, preset: Preset, key: bytes) -> dict[str, object]:
    always = preset.always
    # What nobody said yes to proposes no rule, nor does what holds no arguments any more.
    is_worth_one = approval.state in _WORTH_A_RULE and bool(approval.call.args)
    found = offered(approval, key) if is_worth_one else ()
    return {
        **approval_shown(approval),
        "diff": "" if approval.file is None else approval.file.diff,
        "suggestions": [suggestion_to_json(one) for one in found],
        "always": {
            "becomes": always.becomes.value,
            "scope": always.scope_word,
            "lifetime": always.lifetime_word,
            "widened": always.widened,
            "conversation": reach(approval, preset, key) if is_worth_one else (),
        },
    }
