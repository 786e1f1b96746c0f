"""`/v1/packs`: the shipped packs, and the switch that turns each on for everybody."""

from typing import TypedDict

from assent.engine.base.tool import Dialect
from assent.engine.policy.packs import PACK_SIGN
from assent.engine.policy.rule import RuleList
from assent.engine.programs.packs import PACKS
from assent.errors import NotFoundError
from assent.gate.access import Principal
from assent.gate.ids import new_id
from assent.gate.policy import StoredRule
from assent.surfaces.http.api.access import Administrator
from assent.surfaces.http.api.fields import NonEmptyId, StrictBody
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import Service

router = Router("/v1/packs", "packs")
Texts = list[str]


class PackSwitch(StrictBody):
    """Whether a pack is on."""

    name: NonEmptyId
    on: bool


class PackShown(TypedDict):
    """A shipped pack: commands that a person allows together."""

    name: str
    purpose: str
    match: Texts
    """Commands that it allows, as examples."""
    never: Texts
    """Commands that it never allows, as examples."""
    on: bool
    """Whether stored rules allow it for everybody and for all tools that run command lines."""
    fits: bool
    """Whether a workspace has files of these tools."""
    rules: Texts
    """The allow rules that turn it on."""


class PacksShown(TypedDict):
    """The shipped packs."""

    items: list[PackShown]


@router.get(name="find")
async def list_packs(principal: Administrator, service: Service) -> PacksShown:
    """List the shipped packs: which are on, and which fit the files of the workspaces."""
    return {"items": await _packs_to_json(principal, service)}


@router.put(name="switch")
async def switch_pack(body: PackSwitch, principal: Administrator, service: Service) -> PackShown:
    """Turn a pack on or off for everybody: write or revoke its allow rules.

    A pack lets agents run code that they may just have edited, with the rights of this server.
    """
    if body.name not in PACKS:
        raise NotFoundError("pack", body.name)
    stored = await _stored_rules(principal, service, body.name)
    for text in _rule_texts(service, body.name):
        if body.on and text not in stored:
            rule = StoredRule(id=new_id(), list=RuleList.ALLOW, text=text, by=principal.id)
            await service.gate.policy.add_rule(principal, rule)
    for rule_id in stored.values() if not body.on else ():
        await service.gate.policy.revoke(principal, rule_id)
    return next(one for one in await _packs_to_json(principal, service) if one["name"] == body.name)


async def _packs_to_json(principal: Principal, service: Service) -> list[PackShown]:
    fitting = await service.gate.workspaces.fitting_packs(principal)
    return [
        {
            "name": name,
            "purpose": pack.purpose,
            "match": list(pack.match),
            "never": list(pack.never),
            "on": set(texts) == (await _stored_rules(principal, service, name)).keys(),
            "fits": name in fitting,
            "rules": texts,
        }
        for name, pack in PACKS.items()
        if (texts := _rule_texts(service, name))
    ]


def _rule_texts(service: Service, name: str) -> list[str]:
    """The allow rules of a pack: one for each tool that runs command lines of a shell."""
    tools = service.policy("").tools.values()
    return [f"{tool.name}({PACK_SIGN}{name})" for tool in tools if tool.dialect is Dialect.SHELL]


async def _stored_rules(principal: Principal, service: Service, name: str) -> dict[str, str]:
    """The ids of the stored rules that turn a pack on for everybody, by their text."""
    wanted = set(_rule_texts(service, name))
    return {
        rule.text: rule.id
        for rule in await service.gate.policy.rules(principal)
        if rule.list is RuleList.ALLOW
        and rule.text in wanted
        and rule.conversation is rule.agent is rule.user is None
    }
