"""Grants, rules, tiers, definitions to review, presets and workspaces as JSON."""

from typing import Annotated, Literal, TypedDict

from assent.engine.base.tool import Effect
from assent.engine.policy.modes import MODE_VERDICTS, Mode, parse_mode
from assent.engine.policy.rule import RuleList
from assent.gate.catalog import FieldChange
from assent.gate.definitions import DefinitionToReview, Review
from assent.gate.policy import StoredGrant, StoredRule
from assent.gate.preset import Always, Becomes, Delivery, FirstOffer, Lifetime, Preset, Scope
from assent.gate.store import ToolTier
from assent.gate.workspaces import RegisteredWorkspace, WantedRoot
from assent.wire.decision_shapes import VerdictWord
from assent.wire.fields import Fields, maybe_moment, maybe_moment_to_json
from assent.wire.shapes import Choice


class StoredRuleJson(TypedDict):
    """A rule in the store."""

    id: str
    list: Annotated[str, RuleList]
    text: str
    conversation: str | None
    agent: str | None
    user: str | None
    by: str
    approval: str
    why: str
    at: str | None


class GrantJson(TypedDict):
    """A standing approval."""

    id: str
    pattern: str
    conversation: str | None
    agent: str | None
    user: str | None
    lifetime: Annotated[str, Lifetime]
    boot: str
    until: str | None
    uses: int | None
    by: str
    approval: str
    override: bool
    at: str | None


def grant_to_json(grant: StoredGrant) -> GrantJson:
    """The complete grant as JSON; a scope that is null includes all users."""
    return {
        "id": grant.id,
        "pattern": grant.pattern,
        "conversation": grant.conversation,
        "agent": grant.agent,
        "user": grant.user,
        "lifetime": grant.lifetime.value,
        "boot": grant.boot,
        "until": maybe_moment_to_json(grant.until),
        "uses": grant.uses,
        "by": grant.by,
        "approval": grant.approval,
        "override": grant.override,
        "at": maybe_moment_to_json(grant.at),
    }


def grant_from_json(data: object, within: str = "grant") -> StoredGrant:
    """Parse a grant from a JSON object; scopes are required, because a missing one would mean all users."""
    fields = Fields(data, within)
    return StoredGrant(
        id=fields.text("id"),
        pattern=fields.text("pattern"),
        conversation=scope_name(fields, "conversation"),
        agent=scope_name(fields, "agent"),
        user=scope_name(fields, "user"),
        lifetime=fields.word("lifetime", Lifetime),
        boot=fields.text("boot", ""),
        until=maybe_moment(fields, "until"),
        uses=fields.maybe_integer("uses"),
        by=fields.text("by"),
        approval=fields.text("approval", ""),
        override=fields.flag("override", default=False),
        at=maybe_moment(fields, "at"),
    )


def scope_name(fields: Fields, name: str) -> str | None:
    """Read a required field of a scope: an id, or null for all."""
    return None if fields.raw(name) is None else fields.text(name)


def rule_to_json(rule: StoredRule) -> StoredRuleJson:
    """The complete rule as JSON; a scope that is null includes all users."""
    return {
        "id": rule.id,
        "list": rule.list.value,
        "text": rule.text,
        "conversation": rule.conversation,
        "agent": rule.agent,
        "user": rule.user,
        "by": rule.by,
        "approval": rule.approval,
        "why": rule.why,
        "at": maybe_moment_to_json(rule.at),
    }


def rule_from_json(data: object, within: str = "rule") -> StoredRule:
    """Parse a rule from a JSON object; scopes are required, because a missing one would mean all users."""
    fields = Fields(data, within)
    return StoredRule(
        id=fields.text("id"),
        list=fields.word("list", RuleList),
        text=fields.text("text"),
        conversation=scope_name(fields, "conversation"),
        agent=scope_name(fields, "agent"),
        user=scope_name(fields, "user"),
        by=fields.text("by"),
        approval=fields.text("approval", ""),
        why=fields.text("why", ""),
        at=maybe_moment(fields, "at"),
    )


def tool_tier_to_json(tool_tier: ToolTier) -> dict[str, object]:
    """The tier of one agent and tool as JSON; `explicit` is false for a default by name."""
    return {
        "agent": tool_tier.agent,
        "tool": tool_tier.tool,
        "tier": tool_tier.assignment.tier.value,
        "explicit": tool_tier.assignment.explicit,
        "provider": tool_tier.provider,
        "by": tool_tier.by,
    }


class DifferenceJson(TypedDict):
    """A changed field of a definition; both values are JSON, null if the field is missing."""

    field: str
    before: str | None
    after: str | None


class DefinitionJson(TypedDict):
    """A tool whose present definition nobody accepted."""

    origin: str
    tool: str
    agent: str
    """The agent that it is offered to; empty for all."""
    digest: str
    """The digest of the current definition."""
    review: Annotated[str, Literal["new", "changed"]]
    """Whether it is the first definition of a page's tool, or differs from the accepted one."""
    differences: list[DifferenceJson]
    """The changed fields, of a new tool all; empty if only the digest of the accepted one was stored."""


def definition_to_json(found: DefinitionToReview) -> DefinitionJson:
    """A definition to review as JSON: its fields, and the digest to accept."""
    return {
        "origin": found.origin,
        "tool": found.tool,
        "agent": found.agent,
        "digest": found.digest,
        "review": found.review.value,
        "differences": [
            {"field": one.field, "before": one.before, "after": one.after} for one in found.differences
        ],
    }


def definition_from_json(data: object, within: str = "definition") -> DefinitionToReview:
    """Parse a definition to review from a JSON object."""
    fields = Fields(data, within)
    found = [Fields(one, "difference") for one in fields.items("differences")]
    return DefinitionToReview(
        origin=fields.text("origin"),
        tool=fields.text("tool"),
        agent=fields.text("agent"),
        digest=fields.text("digest"),
        review=fields.word("review", Review),
        differences=tuple(
            FieldChange(one.text("field"), one.maybe_text("before"), one.maybe_text("after")) for one in found
        ),
    )


MODE_DESCRIPTIONS = {
    Mode.PLAN: "Reads and thinks. Everything else is refused.",
    Mode.DEFAULT: "Reads run. Asks before anything else.",
    Mode.ACCEPT_EDITS: "Also saves files in the workspace. Asks for the rest.",
    Mode.AUTO: "Runs without asking. Destructive still asks.",
}
"""A short description of each mode for people."""


class ModeJson(TypedDict):
    """A mode that a preset offers."""

    mode: Annotated[str, Mode]
    shown: str
    """Its name in the preset."""
    does: str
    """Its meaning, in a sentence or two."""
    verdicts: dict[Annotated[str, Effect], VerdictWord]
    """The default verdict of a call by its effect."""


class AlwaysJson(TypedDict):
    """What "always" means."""

    becomes: Annotated[str, Becomes]
    width: Annotated[str, FirstOffer]
    scope: Annotated[str, Scope] | Choice
    lifetime: Annotated[str, Lifetime] | Choice
    widened: bool


class PresetJson(TypedDict):
    """A preset of a conversation or an agent."""

    name: str
    purpose: str
    modes: list[ModeJson]
    """A conversation starts in the first; without modes it has none."""
    fallback: VerdictWord
    """The verdict of a call without a mode."""
    delivery: Annotated[str, Delivery]
    expires_after: int | None
    """Seconds until a question expires; null is never."""
    always: AlwaysJson


def preset_to_json(preset: Preset) -> PresetJson:
    """The preset as JSON, without its tools and rules."""
    return {
        "name": preset.name,
        "purpose": preset.purpose,
        "modes": [_mode_to_json(word) for word in preset.modes],
        "fallback": preset.fallback.word,
        "delivery": preset.delivery.value,
        "expires_after": preset.expires_after,
        "always": _always_to_json(preset.always),
    }


def _mode_to_json(word: str) -> ModeJson:
    mode = parse_mode(word)
    return {
        "mode": mode.value,
        "shown": word,
        "does": MODE_DESCRIPTIONS[mode],
        "verdicts": {effect.value: verdict.word for effect, verdict in MODE_VERDICTS[mode].items()},
    }


def _always_to_json(always: Always) -> AlwaysJson:
    return {
        "becomes": always.becomes.value,
        "width": always.width.value,
        "scope": always.scope_word,
        "lifetime": always.lifetime_word,
        "widened": always.widened,
    }


class WorkspaceShown(TypedDict):
    """A directory that a person registered as a workspace."""

    id: str
    agent: str | None
    """The agent whose calls the workspace is for; null is all agents."""
    root: str
    remote: bool
    """Whether the directory is on another machine, so that its paths are never looked up on the server."""
    by: str
    at: str | None


class ProofJson(TypedDict):
    """The file that proves that client and server share a disk."""

    file: str
    text: str


class WantedRootJson(TypedDict):
    """A directory to register."""

    root: str
    proof: ProofJson | None


def workspace_to_json(workspace: RegisteredWorkspace) -> WorkspaceShown:
    """The workspace as JSON."""
    return {
        "id": workspace.id,
        "agent": workspace.agent or None,
        "root": workspace.root,
        "remote": workspace.remote,
        "by": workspace.by,
        "at": maybe_moment_to_json(workspace.at),
    }


def workspace_from_json(data: object, within: str = "workspace") -> RegisteredWorkspace:
    """Parse a workspace from a JSON object; `remote` is required, because paths depend on it."""
    fields = Fields(data, within)
    return RegisteredWorkspace(
        id=fields.text("id"),
        agent=scope_name(fields, "agent") or "",
        root=fields.text("root"),
        remote=fields.flag("remote"),
        by=fields.text("by"),
        at=maybe_moment(fields, "at"),
    )


def wanted_root_to_json(wanted: WantedRoot) -> WantedRootJson:
    """A directory to register as JSON."""
    proof = wanted.proof
    shown: ProofJson | None = None if proof is None else {"file": proof.file, "text": proof.text}
    return {"root": wanted.root, "proof": shown}
