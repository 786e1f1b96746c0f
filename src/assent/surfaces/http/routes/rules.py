"""`/v1/rules`, `/v1/grants` and `/v1/settings`: rules and grants of the store, and the settings for all."""

from collections.abc import Iterable, Sequence
from typing import Annotated, TypedDict

from pydantic import Field

from assent.engine.rule import RuleList
from assent.errors import AssentError
from assent.gate.approval import Approval
from assent.gate.audit import Sought, within
from assent.gate.grant import StoredRule
from assent.gate.mark import fresh
from assent.gate.permissions import Edit, Settings
from assent.gate.permissions import Permissions as StoredPermissions
from assent.gate.rules import StoredRules
from assent.gate.undeclared import warnings_of
from assent.surfaces.http.api.access import Administrator, Member, Person
from assent.surfaces.http.api.fields import Body, GeneratedId, Id, Line, Moment, NamedId, Query, RuleText
from assent.surfaces.http.api.idempotency import IdempotencyKey, once
from assent.surfaces.http.api.request import StrictRequest
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import Service
from assent.wire import shapes
from assent.wire.grant import grant_to_json
from assent.wire.moment import moment_to_json
from assent.wire.rule import rule_to_json
from assent.wire.tally import HitsShown, hits_to_json

router = Router("/v1/rules", "rules")
grants = Router("/v1/grants", "grants")
settings = Router("/v1/settings", "settings")
_SCOPES = frozenset({"conversation", "agent", "user"})
ListWord = Annotated[RuleList, Field(strict=False)]
Rules = Annotated[list[RuleText], Field(max_length=10_000)]
Texts = list[str]


class RuleIn(Body):
    """A rule to write; a scope that is left out is not narrowed."""

    list: ListWord
    text: RuleText
    conversation: NamedId | None = None
    agent: NamedId | None = None
    user: NamedId | None = None
    why: Line = ""


class RulePatch(Body):
    """What is to be another; a field that is left out stays. A scope that is null is not narrowed."""

    list: ListWord | None = None
    text: RuleText | None = None
    conversation: NamedId | None = None
    agent: NamedId | None = None
    user: NamedId | None = None
    why: Line | None = None


class RulePreview(Body):
    """Rules of one list that are only thought of."""

    list: ListWord
    rules: Annotated[Rules, Field(min_length=1, max_length=100)]
    approval: GeneratedId | None = None
    """A question that a yes with these rules would answer."""


class PermissionsIn(Body):
    """What is to be another; a list that is named replaces the one there is."""

    mode: Id | None = None
    allow: Rules | None = None
    ask: Rules | None = None
    deny: Rules | None = None


class HitsAsked(Query):
    """In which time a rule decided."""

    since: Moment | None = None
    until: Moment | None = None


class RuleShown(shapes.RuleStored):
    """A rule in the store."""

    warnings: Texts
    """What is to be said of it: the tool that it names is one that nobody declared."""


class RulesShown(TypedDict):
    """The rules in the store, oldest first."""

    items: list[RuleShown]


class Touched(TypedDict):
    """A recent question that a rule would have been about."""

    approval: str
    tool: str
    agent: str
    conversation: str
    state: str
    asked_at: str


class PreviewShown(TypedDict):
    """What a rule would have changed among the recent questions."""

    looked_at: int
    """How many recent questions were tried."""
    covered: list[Touched]
    """Those that it would have spared a person, or stopped."""
    denied: list[Touched]
    """Those of them that a person denied: an allow rule would let them through."""
    objection: str | None
    """Why a yes to the question that was named would not be taken; empty if it would, none without one."""
    warnings: list[str]
    """Rules that name a tool which nobody declared."""


class GrantsShown(TypedDict):
    """The remembered yeses, oldest first."""

    items: list[shapes.GrantShown]


class Permissions(TypedDict):
    """What the store says to everybody."""

    mode: str
    """The mode that a conversation starts in; empty is its preset's first."""
    allow: list[str]
    ask: list[str]
    deny: list[str]
    warnings: list[str]
    """Rules that name a tool which nobody declared."""


@router.get()
async def find(principal: Member, service: Service) -> RulesShown:
    """The rules that somebody wrote or that are about them; for administrators, all."""
    return {"items": await _shown(service, await service.gate.rules(principal))}


@router.get("/hits")
async def hits(query: HitsAsked, principal: Member, service: Service) -> HitsShown:
    """How often each rule decided, of files and of the store; for others than administrators, their calls."""
    meant = within(principal, Sought(since=query.since, until=query.until))
    return hits_to_json(*await service.store.hits(meant))


@router.post(status=201)
async def write(
    body: RuleIn, principal: Administrator, service: Service, request: StrictRequest, key: IdempotencyKey
) -> RuleShown:
    """Write a rule; it counts for the next call on every pod."""

    async def create() -> RuleShown:
        rule = StoredRule(id=fresh(), by=principal.id, **body.model_dump())
        await service.gate.add_rule(principal, rule)
        return (await _shown(service, [rule]))[0]

    return await once(service, principal, request, key, create)


@router.post("/preview")
async def preview(body: RulePreview, principal: Person, service: Service) -> PreviewShown:
    """Which recent questions a rule would have been about; nothing is written.

    With a question, also why a yes to it that writes these rules would not be taken.
    """
    rules = [StoredRule(id="", list=body.list, text=text, by="") for text in body.rules]
    found = await service.gate.preview(principal, rules)
    about = body.approval
    objection = None if about is None else await service.gate.objection(principal, about, body.rules)
    return {
        "looked_at": found.looked_at,
        "covered": [_touched(one) for one in found.covered],
        "denied": [_touched(one) for one in found.freed],
        "objection": objection,
        "warnings": await _warnings(service, body.rules),
    }


@router.patch("/{id}")
async def change(id: NamedId, body: RulePatch, principal: Administrator, service: Service) -> RuleShown:
    """Change some fields of a rule, in one step; it gets another id, and the rule before stays as history.

    Its other fields stay, and so do who gave it, when, and the question that it came from.
    """
    given = body.model_dump(exclude_unset=True)
    changes = {name: value for name, value in given.items() if value is not None or name in _SCOPES}
    new = await StoredRules(service.store).replace(principal, id, changes)
    return (await _shown(service, [new]))[0]


@router.delete("/{id}")
async def revoke(id: NamedId, principal: Person, service: Service) -> None:
    """End a rule; no decision that starts later uses it."""
    await service.gate.revoke(principal, id)


@grants.get(name="find")
async def find_grants(principal: Member, service: Service) -> GrantsShown:
    """The grants that somebody gave or that are about them; for administrators, all."""
    return {"items": [grant_to_json(one) for one in await service.gate.grants(principal)]}


@grants.delete("/{id}", name="revoke")
async def revoke_grant(id: NamedId, principal: Person, service: Service) -> None:
    """End a grant; no decision that starts later uses it."""
    await service.gate.revoke(principal, id)


@settings.get("/agent.permissions", name="read")
async def read_permissions(_: Member, service: Service) -> Permissions:
    """What the store says to everybody; files and presets may say more."""
    return await _permissions(service, await Settings(service.store).permissions())


@settings.patch("/agent.permissions", name="change")
async def change_permissions(body: PermissionsIn, principal: Administrator, service: Service) -> Permissions:
    """Change the mode that conversations start in, or replace a list; an empty mode is the preset's own."""
    edit = Edit(mode=body.mode, allow=body.allow, ask=body.ask, deny=body.deny)
    return await _permissions(service, await Settings(service.store).change(principal, edit))


async def _permissions(service: Service, stored: StoredPermissions) -> Permissions:
    texts = [*stored.allow, *stored.ask, *stored.deny]
    return {
        "mode": stored.mode,
        "allow": list(stored.allow),
        "ask": list(stored.ask),
        "deny": list(stored.deny),
        "warnings": await _warnings(service, texts),
    }


def _touched(approval: Approval) -> Touched:
    return {
        "approval": approval.id,
        "tool": approval.call.tool,
        "agent": approval.call.agent,
        "conversation": approval.call.conversation,
        "state": approval.state.value,
        "asked_at": moment_to_json(approval.asked_at),
    }


async def _shown(service: Service, rules: Sequence[StoredRule]) -> list[RuleShown]:
    """Rules with their warnings."""
    known = await _known_tools(service)
    return [{**rule_to_json(one), "warnings": warnings_of([one.text], known)} for one in rules]


async def _warnings(service: Service, texts: Iterable[str]) -> list[str]:
    """Warnings about rules that name a tool which nobody declared."""
    return warnings_of(texts, await _known_tools(service))


async def _known_tools(service: Service) -> frozenset[str]:
    """Every tool that was declared, or that a preset or a file names."""
    names = set(await service.gate.tool_names())
    for preset in service.policy.presets:
        try:
            names.update(service.policy(preset).tools)
        except AssentError:  # A preset that cannot be used has no tools.
            continue
    return frozenset(names)
