"""`/v1/rules`: the rules in the store, and what a new one would have changed."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from assent.gate.approval import Approval
from assent.gate.audit import Sought
from assent.gate.ids import new_id
from assent.gate.stored_policy import StoredRule
from assent.surfaces.http.models.base import NamedId
from assent.surfaces.http.models.policy import (
    PreviewShown,
    RuleIn,
    RulePatch,
    RulePreview,
    RuleShown,
    RulesShown,
)
from assent.surfaces.http.models.tally import HitsAsked, HitsShown
from assent.surfaces.http.reply import Json, nothing
from assent.surfaces.http.serving import MadeOnce, Serving
from assent.surfaces.http.strict import StrictRoute
from assent.surfaces.http.undeclared import rule_warnings, rules_shown
from assent.surfaces.http.who import Administrator, Member, Person
from assent.wire.audit import hits_to_json
from assent.wire.fields import moment_to_json

_SCOPES = frozenset({"conversation", "agent", "user"})
router = APIRouter(prefix="/v1/rules", tags=["rules"], route_class=StrictRoute)


@router.get("", response_model=RulesShown)
async def find(principal: Member, service: Serving) -> Json:
    """The rules that somebody wrote or that are about them; for administrators, all."""
    return Json({"items": await rules_shown(service, await service.gate.policy.rules(principal))})


@router.get("/hits", response_model=HitsShown)
async def hits(asked: Annotated[HitsAsked, Query()], principal: Member, service: Serving) -> Json:
    """How often each rule decided, of files and of the store; for others than administrators, their calls."""
    sought = Sought(since=asked.since, until=asked.until)
    return Json(hits_to_json(*await service.gate.rule_hits(principal, sought)))


@router.post("", response_model=RuleShown, status_code=201)
async def write(said: RuleIn, principal: Administrator, service: Serving, once: MadeOnce) -> Json:
    """Write a rule; it counts for the next call on every pod."""

    async def make() -> Json:
        rule = StoredRule(id=new_id(), by=principal.id, **said.model_dump())
        await service.gate.policy.add_rule(principal, rule)
        return Json((await rules_shown(service, [rule]))[0], 201)

    return await once.made(make)


@router.post("/preview", response_model=PreviewShown)
async def preview(said: RulePreview, principal: Person, service: Serving) -> Json:
    """Which recent questions a rule would have been about; nothing is written.

    With a question, also why a yes to it that writes these rules would not be taken.
    """
    rules = [StoredRule(id="", list=said.list, text=text, by="") for text in said.rules]
    found = await service.gate.policy.preview(principal, rules)
    about = said.approval
    objection = None if about is None else await service.gate.objection(principal, about, said.rules)
    return Json(
        {
            "looked_at": found.looked_at,
            "covered": [_touched(one) for one in found.covered],
            "denied": [_touched(one) for one in found.newly_allowed],
            "objection": objection,
            "warnings": await rule_warnings(service, said.rules),
        }
    )


@router.patch("/{id}", response_model=RuleShown)
async def change(id: NamedId, said: RulePatch, principal: Administrator, service: Serving) -> Json:
    """Change some fields of a rule, in one step; it gets another id, and the rule before stays as history.

    Its other fields stay, and so do who gave it, when, and the question that it came from.
    """
    given = said.model_dump(exclude_unset=True)
    changes = {name: value for name, value in given.items() if value is not None or name in _SCOPES}
    new = await service.gate.policy.replace_rule(principal, id, changes)
    return Json((await rules_shown(service, [new]))[0])


@router.delete("/{id}", status_code=204)
async def revoke(id: NamedId, principal: Person, service: Serving) -> Response:
    """End a rule; no decision that starts later uses it."""
    await service.gate.policy.revoke(principal, id)
    return nothing()


def _touched(approval: Approval) -> dict[str, object]:
    return {
        "approval": approval.id,
        "tool": approval.call.tool,
        "agent": approval.call.agent,
        "conversation": approval.call.conversation,
        "state": approval.state.value,
        "asked_at": moment_to_json(approval.asked_at),
    }
