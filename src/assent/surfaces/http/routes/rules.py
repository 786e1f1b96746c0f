"""`/v1/rules`, `/v1/grants` and `/v1/settings`: stored rules and grants, and global settings."""

from collections.abc import Iterable, Sequence
from typing import Annotated, TypedDict

from pydantic import Field

from assent.engine.policy.rule import RuleList
from assent.errors import AssentError
from assent.gate.approval import Approval
from assent.gate.catalog import unknown_tool_warnings
from assent.gate.ids import new_id
from assent.gate.policy import StoredRule
from assent.gate.policy_admin import PermissionChanges, StoredPermissions
from assent.gate.store import AuditFilter
from assent.surfaces.http.api.access import Administrator, Member, Person
from assent.surfaces.http.api.bodies import StrictRequest
from assent.surfaces.http.api.fields import (
    GeneratedId,
    Id,
    Moment,
    NonEmptyId,
    RuleText,
    ShortText,
    StrictBody,
    StrictQuery,
    ToolName,
)
from assent.surfaces.http.api.idempotency import IdempotencyKey, run_once
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import Service
from assent.wire.audit import HitsJson, hits_to_json
from assent.wire.fields import moment_to_json
from assent.wire.policy import GrantJson, StoredRuleJson, grant_to_json, rule_to_json

router = Router("/v1/rules", "rules")
grants = Router("/v1/grants", "grants")
settings = Router("/v1/settings", "settings")
_SCOPE_FIELDS = frozenset({"conversation", "agent", "user"})
ListWord = Annotated[RuleList, Field(strict=False)]
RuleTexts = Annotated[list[RuleText], Field(max_length=10_000)]
Texts = list[str]


class RuleIn(StrictBody):
    """A rule to create; without a conversation, agent and user it applies to all."""

    list: ListWord
    text: RuleText
    conversation: NonEmptyId | None = None
    agent: NonEmptyId | None = None
    user: NonEmptyId | None = None
    why: ShortText = ""


class RulePatch(StrictBody):
    """The fields to change. A conversation, agent or user of null makes the rule apply to all."""

    list: ListWord | None = None
    text: RuleText | None = None
    conversation: NonEmptyId | None = None
    agent: NonEmptyId | None = None
    user: NonEmptyId | None = None
    why: ShortText | None = None


class RulePreview(StrictBody):
    """Rules of one list whose effect is previewed."""

    list: ListWord
    rules: Annotated[RuleTexts, Field(min_length=1, max_length=100)]
    approval: GeneratedId | None = None
    """A question that would be allowed with these rules."""


class PermissionsIn(StrictBody):
    """The fields to change; a list replaces the current one."""

    mode: Id | None = None
    allow: RuleTexts | None = None
    ask: RuleTexts | None = None
    deny: RuleTexts | None = None


class RenamedTool(StrictBody):
    """A tool that was renamed."""

    tool: ToolName
    """The old name."""
    to: ToolName
    """The new name."""


class HitsQuery(StrictQuery):
    """The period for which hits are counted."""

    since: Moment | None = None
    until: Moment | None = None


class RuleShown(StoredRuleJson):
    """A rule in the store."""

    warnings: Texts
    """Warnings if the rule names an undeclared tool."""


class RulesShown(TypedDict):
    """The rules in the store, oldest first."""

    items: list[RuleShown]


class MatchedQuestion(TypedDict):
    """A recent question that a rule would have matched."""

    approval: str
    tool: str
    agent: str
    conversation: str
    state: str
    asked_at: str


class PreviewShown(TypedDict):
    """The effect that the rules would have had on recent questions."""

    looked_at: int
    """How many recent questions were checked."""
    covered: list[MatchedQuestion]
    """The questions that the rules would have allowed or denied."""
    denied: list[MatchedQuestion]
    """The covered questions that a person denied; an allow rule would run such calls."""
    objection: str | None
    """Why these rules cannot allow the given question; empty if they can, null without a question."""
    warnings: list[str]
    """Warnings about rules that name an undeclared tool."""


class MovedRulesShown(TypedDict):
    """How much was moved to the new name."""

    rules: int
    tiers: int


class GrantsShown(TypedDict):
    """The grants, oldest first."""

    items: list[GrantJson]


class Permissions(TypedDict):
    """The settings that apply to all."""

    mode: str
    """The mode of new conversations; empty is the first of the preset."""
    allow: list[str]
    ask: list[str]
    deny: list[str]
    warnings: list[str]
    """Warnings about rules that name an undeclared tool."""


@router.get(name="find")
async def list_rules(principal: Member, service: Service) -> RulesShown:
    """List the rules that you wrote or that apply to you; administrators see all rules."""
    return {"items": await _rules_to_json(service, await service.gate.policy.rules(principal))}


@router.get("/hits", name="hits")
async def count_rule_hits(query: HitsQuery, principal: Member, service: Service) -> HitsJson:
    """Count the decisions of each rule: administrators see all calls, others their own."""
    audit_filter = AuditFilter(since=query.since, until=query.until)
    return hits_to_json(*await service.gate.rule_hits(principal, audit_filter))


@router.post(status=201, name="write")
async def create_rule(
    body: RuleIn, principal: Administrator, service: Service, request: StrictRequest, key: IdempotencyKey
) -> RuleShown:
    """Create a rule; it takes effect with the next call on every pod."""

    async def create_new_rule() -> RuleShown:
        rule = StoredRule(id=new_id(), by=principal.id, **body.model_dump())
        await service.gate.policy.add_rule(principal, rule)
        return (await _rules_to_json(service, [rule]))[0]

    return await run_once(service, principal, request, key, create_new_rule)


@router.post("/preview", name="preview")
async def preview_rules(body: RulePreview, principal: Person, service: Service) -> PreviewShown:
    """Find the recent questions that a rule would have matched; nothing is written.

    With a question, also returns why these rules cannot allow it.
    """
    rules = [StoredRule(id="", list=body.list, text=text, by="") for text in body.rules]
    found = await service.gate.policy.preview_rules(principal, rules)
    about = body.approval
    objection = (
        None if about is None else await service.gate.rules_refusal_reason(principal, about, body.rules)
    )
    return {
        "looked_at": found.looked_at,
        "covered": [_question_to_json(one) for one in found.covered],
        "denied": [_question_to_json(one) for one in found.newly_allowed],
        "objection": objection,
        "warnings": await _undeclared_tool_warnings(service, body.rules),
    }


@router.post("/move", name="move")
async def move_rules(body: RenamedTool, principal: Administrator, service: Service) -> MovedRulesShown:
    """Move the stored rules and tiers of a renamed tool to its new name; refused the second time.

    Rules with a pattern as name, rules in files and standing approvals stay.
    """
    moved = await (await service.gate.definitions()).move_rules(principal, body.tool, body.to)
    return {"rules": moved.rules, "tiers": moved.tiers}


@router.patch("/{id}", name="change")
async def change_rule(
    id: NonEmptyId, body: RulePatch, principal: Administrator, service: Service
) -> RuleShown:
    """Change fields of a rule; the changed rule has a new id, and the old rule stays in the history.

    The other fields are kept, including the author, the time and the original question.
    """
    given = body.model_dump(exclude_unset=True)
    changes = {name: value for name, value in given.items() if value is not None or name in _SCOPE_FIELDS}
    new = await service.gate.policy.replace_rule(principal, id, changes)
    return (await _rules_to_json(service, [new]))[0]


@router.delete("/{id}", name="revoke")
async def revoke_rule(id: NonEmptyId, principal: Person, service: Service) -> None:
    """Revoke a rule; later decisions do not use it."""
    await service.gate.policy.revoke(principal, id)


@grants.get(name="find")
async def list_grants(principal: Member, service: Service) -> GrantsShown:
    """List the grants that you gave or that apply to you; administrators see all grants."""
    return {"items": [grant_to_json(one) for one in await service.gate.policy.grants(principal)]}


@grants.delete("/{id}", name="revoke")
async def revoke_grant(id: NonEmptyId, principal: Person, service: Service) -> None:
    """Revoke a grant; later decisions do not use it."""
    await service.gate.policy.revoke(principal, id)


@settings.get("/agent.permissions", name="read")
async def read_permissions(_: Member, service: Service) -> Permissions:
    """Read the settings of the store that apply to all; files and presets may add to them."""
    return await _permissions_to_json(service, await service.gate.policy.stored_permissions())


@settings.patch("/agent.permissions", name="change")
async def change_permissions(body: PermissionsIn, principal: Administrator, service: Service) -> Permissions:
    """Change the mode of new conversations, or replace a list; an empty mode is the first of the preset."""
    changes = PermissionChanges(mode=body.mode, allow=body.allow, ask=body.ask, deny=body.deny)
    return await _permissions_to_json(
        service, await service.gate.policy.change_permissions(principal, changes)
    )


async def _permissions_to_json(service: Service, stored: StoredPermissions) -> Permissions:
    texts = [*stored.allow, *stored.ask, *stored.deny]
    return {
        "mode": stored.mode,
        "allow": list(stored.allow),
        "ask": list(stored.ask),
        "deny": list(stored.deny),
        "warnings": await _undeclared_tool_warnings(service, texts),
    }


def _question_to_json(approval: Approval) -> MatchedQuestion:
    return {
        "approval": approval.id,
        "tool": approval.call.tool,
        "agent": approval.call.agent,
        "conversation": approval.call.conversation,
        "state": approval.state.value,
        "asked_at": moment_to_json(approval.asked_at),
    }


async def _rules_to_json(service: Service, rules: Sequence[StoredRule]) -> list[RuleShown]:
    """Rules with their warnings."""
    known = await _known_tools(service)
    return [{**rule_to_json(one), "warnings": unknown_tool_warnings([one.text], known)} for one in rules]


async def _undeclared_tool_warnings(service: Service, texts: Iterable[str]) -> list[str]:
    """Warnings about rules that name an undeclared tool."""
    return unknown_tool_warnings(texts, await _known_tools(service))


async def _known_tools(service: Service) -> frozenset[str]:
    """Names of all tools that were declared, or that a preset or a file names."""
    names = set(await service.gate.tool_names())
    for preset in service.policy.presets:
        try:
            names.update(service.policy(preset).tools)
        except AssentError:  # A preset that cannot be used has no tools.
            continue
    return frozenset(names)
