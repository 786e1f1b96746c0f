"""`/v1/policy`, `/v1/presets` and `/v1/switch`: current policy, presets, and the pause of all agents."""

from collections.abc import Iterator
from typing import Annotated, TypedDict

from assent.engine.policy.rule import Layer, RuleList
from assent.errors import AssentError
from assent.gate.policy import FilePolicy, Pause
from assent.gate.preset import Preset
from assent.surfaces.http.api.access import Administrator, Member
from assent.surfaces.http.api.fields import StrictBody
from assent.surfaces.http.api.routing import Router
from assent.surfaces.http.api.service import PolicyFiles, Service
from assent.wire.fields import moment_to_json
from assent.wire.policy import PresetJson, preset_to_json

router = Router("/v1/policy", "policy")
presets = Router("/v1/presets", "presets")
switch = Router("/v1/switch", "switch")
Texts = list[str]


class PauseIn(StrictBody):
    """Whether to pause all agents or to resume them."""

    paused: bool


class PauseState(TypedDict):
    """Whether all agents are paused; during a pause, every call that is not a read waits."""

    paused: bool
    by: str
    since: str | None


class FileRule(TypedDict):
    """A rule of a policy file."""

    list: Annotated[str, RuleList]
    text: str
    layer: Annotated[str, Layer]
    source: str
    """The file and the line of the rule."""
    why: str
    match: Texts
    """Example calls that the rule must match; checked when the file was read."""
    never: Texts


class PolicyShown(TypedDict):
    """The policy in effect."""

    version: str
    """A digest of the files."""
    store_version: int
    """The number of the last change in the store."""
    files: list[str]
    rules: list[FileRule]
    """The rules of the files under the default preset, in the order of its lists."""
    error: str
    """Why the current files are invalid, so that the last valid policy is used; empty without an error."""


class PresetsShown(TypedDict):
    """The usable presets, by name."""

    items: list[PresetJson]


@router.get(name="look")
async def read_policy(_: Administrator, service: Service) -> PolicyShown:
    """Read the version, files and rules of the policy in effect, and the error of newer files."""
    policy = service.policy
    return {
        "version": policy.version,
        "store_version": await service.gate.policy_version(),
        "files": list(policy.files),
        "rules": list(_rules_of_files(policy(""))),
        "error": policy.error,
    }


@presets.get(name="find")
async def list_presets(_: Member, service: Service) -> PresetsShown:
    """List the usable presets, as the policy files change them."""
    return {"items": [preset_to_json(one) for one in _usable_presets(service.policy)]}


@switch.get(name="look")
async def read_pause(principal: Member, service: Service) -> PauseState:
    """Read whether every agent is paused, by whom and since when."""
    return _pause_to_json(await service.gate.pause_state(principal))


@switch.post(name="turn")
async def set_pause(body: PauseIn, principal: Administrator, service: Service) -> PauseState:
    """Pause every agent on every pod, or resume them."""
    await (service.gate.pause(principal) if body.paused else service.gate.resume(principal))
    return _pause_to_json(await service.gate.pause_state(principal))


def _rules_of_files(policy: FilePolicy) -> Iterator[FileRule]:
    for which, rules in policy.rules.items():
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


def _usable_presets(policy: PolicyFiles) -> Iterator[Preset]:
    for name in policy.presets:
        try:
            yield policy(name).preset
        except AssentError:  # No conversation can begin with an invalid preset, so it is not listed.
            continue


def _pause_to_json(pause: Pause | None) -> PauseState:
    if pause is None:
        return {"paused": False, "by": "", "since": None}
    return {"paused": True, "by": pause.by, "since": moment_to_json(pause.since)}
