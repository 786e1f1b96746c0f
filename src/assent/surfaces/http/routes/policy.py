"""`/v1/policy`, `/v1/presets`, `/v1/switch`: the policy in effect, presets, and the pause of all agents."""

from collections.abc import Iterator
from typing import Annotated, TypedDict

from assent.engine.rule import Layer, RuleList
from assent.errors import AssentError
from assent.gate.current import Pause
from assent.gate.policy import Ground
from assent.gate.preset import Preset
from assent.surfaces.http.api.access import Administrator, Member
from assent.surfaces.http.api.fields import Body
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import Policy, Service
from assent.wire.moment import moment_to_json
from assent.wire.preset import PresetShown, preset_to_json

router = Router("/v1/policy", "policy")
presets = Router("/v1/presets", "presets")
switch = Router("/v1/switch", "switch")
Texts = list[str]


class SwitchIn(Body):
    """Whether every agent is to stop."""

    paused: bool


class Switch(TypedDict):
    """Whether every agent is stopped: while it is, each call that is not a read waits."""

    paused: bool
    by: str
    since: str | None


class FileRule(TypedDict):
    """A rule that a file wrote."""

    list: Annotated[str, RuleList]
    text: str
    layer: Annotated[str, Layer]
    source: str
    """The file, and the line."""
    why: str
    match: Texts
    """Calls that it must match: it was tried on them when the file was read."""
    never: Texts


class PolicyShown(TypedDict):
    """The policy that counts."""

    version: str
    """A mark of what the files say."""
    store_version: int
    """The number of the last change in the store."""
    files: list[str]
    rules: list[FileRule]
    """What the files say under the usual preset, in the order of its lists."""
    error: str
    """Why the files as they are now cannot be used; the last good ones count. Empty while they can."""


class PresetsShown(TypedDict):
    """Every preset that can be used here, by name."""

    items: list[PresetShown]


@router.get()
async def look(_: Administrator, service: Service) -> PolicyShown:
    """The version of the policy that counts, its files and rules, and why newer ones do not count."""
    policy = service.policy
    return {
        "version": policy.version,
        "store_version": (await service.store.moment()).version,
        "files": list(policy.files),
        "rules": list(_rules(policy(""))),
        "error": policy.error,
    }


@presets.get()
async def find(_: Member, service: Service) -> PresetsShown:
    """Every preset that can be used here, as the policy's files leave it."""
    return {"items": [preset_to_json(one) for one in _usable(service.policy)]}


@switch.get(name="look")
async def look_at_switch(principal: Member, service: Service) -> Switch:
    """Whether every agent is stopped, by whom and since when."""
    return _switch(await service.gate.switch(principal))


@switch.post()
async def turn(body: SwitchIn, principal: Administrator, service: Service) -> Switch:
    """Stop every agent, on every pod, or let them go on."""
    await (service.gate.pause(principal) if body.paused else service.gate.unpause(principal))
    return _switch(await service.gate.switch(principal))


def _rules(ground: Ground) -> Iterator[FileRule]:
    for which, rules in ground.rules.items():
        for rule in rules:
            yield {
                "list": which.value,
                "text": rule.text,
                "layer": rule.layer.value,
                "source": rule.source,
                "why": rule.why,
                "match": list(rule.match),
                "never": list(rule.never),
            }


def _usable(policy: Policy) -> Iterator[Preset]:
    for name in policy.presets:
        try:
            yield policy(name).preset
        except AssentError:  # No conversation can begin with it, so it is not offered.
            continue


def _switch(pause: Pause | None) -> Switch:
    if pause is None:
        return {"paused": False, "by": "", "since": None}
    return {"paused": True, "by": pause.by, "since": moment_to_json(pause.since)}
