"""A snapshot: all the policy for one decision, with its tiers and grants, as one immutable value."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple, TypedDict, Unpack

from assent.engine.base.tool import Call, Tool
from assent.engine.base.value import Value
from assent.engine.policy.breakers import Breaker
from assent.engine.policy.modes import Mode, narrower_mode
from assent.engine.policy.rule import Rule, RuleList
from assent.engine.policy.rule_set import NO_RULES, RuleSet
from assent.engine.policy.verdict import Verdict
from assent.errors import UnknownWordError

_APPROVAL_PREFIXES = ("create_", "update_", "delete_", "mcp__")
"""Prefixes of tool names that need approval by default."""


class Tier(StrEnum):
    """How calls of a tool by an agent are treated."""

    ALWAYS_ALLOW = "always_allow"
    NEEDS_APPROVAL = "needs_approval"
    BLOCKED = "blocked"


class TierSetting(NamedTuple):
    """A tier, and whether a person set it."""

    tier: Tier
    explicit: bool = True
    """True if a person set the tier; False if it follows from the name of the tool."""


class GrantedRule(Value):
    """An allow rule for later calls of a conversation, an agent or a user; None means any."""

    rule: Rule
    conversation: str | None = None
    agent: str | None = None
    user: str | None = None


class _GrantScope(NamedTuple):
    """The conversation, agent and user to whose calls a grant applies; None means any."""

    conversation: str | None
    agent: str | None
    user: str | None

    def includes_call(self, call: Call) -> bool:
        """Whether the grant applies to this call."""
        return (
            self.conversation in (None, call.conversation)
            and self.agent in (None, call.agent)
            and self.user in (None, call.user)
        )


class GrantSet:
    """All grants, grouped by the calls to which they apply; each group is compiled as allow rules."""

    def __init__(self, grants: Iterable[GrantedRule] = ()) -> None:
        holders: dict[_GrantScope, list[Rule]] = {}
        for grant in grants:
            holder = _GrantScope(grant.conversation, grant.agent, grant.user)
            holders.setdefault(holder, []).append(grant.rule)
        self._holders = {holder: RuleSet(allow=rules) for holder, rules in holders.items()}

    def rule_sets_for_call(self, call: Call) -> tuple[RuleSet, ...]:
        """The rule sets that apply to this call."""
        if not self._holders:
            return ()
        return tuple(rules for holder, rules in self._holders.items() if holder.includes_call(call))

    def with_grant(self, grant: GrantedRule) -> "GrantSet":
        """Return a copy with one more grant; the other rules are not compiled again."""
        added = GrantSet()
        holder = _GrantScope(grant.conversation, grant.agent, grant.user)
        known = self._holders.get(holder)
        rules = RuleSet(allow=[grant.rule]) if known is None else known.with_allow_rule(grant.rule)
        added._holders = {**self._holders, holder: rules}
        return added


NO_GRANTS = GrantSet()


class PolicyOptions(Value):
    """Switches that change decisions."""

    reads_bypass_rules: bool = False
    """If True, deny and ask rules do not apply to tools with the effect `read`."""
    shell_edits: bool = True
    """If True, a command that only edits files counts as an edit, as one of the edit tool."""
    strip_privilege_wrappers: bool = False
    """If True, an allow rule for a command also allows it after `sudo` and similar wrappers."""


class Snapshot(Value):
    """All the policy for one call of one agent; created by `build_snapshot`."""

    tools: Mapping[str, Tool]
    agent: str = ""
    """The agent whose tier settings apply; if empty, the agent of the call."""
    rules: RuleSet = NO_RULES
    tiers: Mapping[tuple[str, str], TierSetting] = dict[tuple[str, str], TierSetting]()
    """The tier settings by agent and tool."""
    grants: GrantSet = NO_GRANTS
    mode: Mode | None = Mode.DEFAULT
    fallback: Verdict = Verdict.ASK
    """The verdict for an agent without a mode, if nothing else applies."""
    attended: bool = True
    """True if a person can answer."""
    unauthorized_tools: frozenset[str] = frozenset()
    """Tools that the user of the call may not use."""
    changed_tools: frozenset[str] = frozenset()
    """Tools whose definition differs from the pin, and the change is not yet accepted."""
    paused_by: str = ""
    """The person who paused all agents; empty if there is no pause."""
    breakers: tuple[Breaker, ...] = ()
    """Custom breakers, in addition to the built-in breakers."""
    options: PolicyOptions = PolicyOptions()
    parent: "Snapshot | None" = None
    """The policy of the agent that started this agent; its floors and absent tools also apply."""
    version: str = ""
    input_key: bytes = b""
    """The key for digests of standard input; without a key, no rule with a keyed digest covers anything."""

    def lineage(self) -> "tuple[Snapshot, ...]":
        """The policy of this agent and those of all parent agents."""
        if self.parent is None:
            return (self,)
        found: list[Snapshot] = [self]
        while (parent := found[-1].parent) is not None:
            found.append(parent)
        return tuple(found)

    @property
    def narrowest_mode(self) -> Mode | None:
        """The narrowest mode of this policy and those of all parent agents."""
        mode = self.mode
        for policy in self.lineage() if self.parent is not None else ():
            mode = narrower_mode(mode, policy.mode)
        return mode

    def packs(self, call: Call) -> tuple[str, ...]:
        """The names of the packs that allow rules and grants for the call name."""
        tool = self.tools.get(call.tool)
        granted = self.grants.rule_sets_for_call(call)
        rule_sets = (self.rules, *granted) if self.rules.has_allow_rules else granted
        if tool is None or not rule_sets:
            return ()
        return tuple(dict.fromkeys(name for rules in rule_sets for name in rules.packs(tool)))

    def tier_of(self, call: Call) -> TierSetting | None:
        """The tier setting for this agent and the tool of the call."""
        return self.tiers.get((self.agent or call.agent, call.tool)) if self.tiers else None


class SnapshotFields(TypedDict, total=False):
    """The fields of a snapshot that `build_snapshot` passes on unchanged."""

    mode: Mode | None
    fallback: Verdict
    attended: bool
    unauthorized_tools: frozenset[str]
    changed_tools: frozenset[str]
    paused_by: str
    breakers: tuple[Breaker, ...]
    options: PolicyOptions
    parent: Snapshot | None
    version: str
    input_key: bytes


def build_snapshot(
    tools: Mapping[str, Tool],
    *,
    rules: RuleSet | Mapping[RuleList, Sequence[Rule]] = NO_RULES,
    grants: GrantSet | Iterable[GrantedRule] = NO_GRANTS,
    tiers: Mapping[tuple[str, str], TierSetting] | None = None,
    agent: str = "",
    added_tools: Iterable[str] = (),
    **fields: Unpack[SnapshotFields],
) -> Snapshot:
    """Create a snapshot: compile rules and grants, and set the tier of added tools.

    `added_tools` are tools from a file. Without a mode, such a tool gets a tier by its name unless
    `tiers` has one.
    """
    settings: Mapping[tuple[str, str], TierSetting] = {} if tiers is None else tiers
    if fields.get("mode", Mode.DEFAULT) is None:
        defaults = {(agent, tool): TierSetting(default_tier(tool), explicit=False) for tool in added_tools}
        settings = {**defaults, **settings}
    return Snapshot(
        tools=tools,
        agent=agent,
        rules=rules if isinstance(rules, RuleSet) else compile_rules(rules),
        grants=grants if isinstance(grants, GrantSet) else GrantSet(grants),
        tiers=settings,
        **fields,
    )


def compile_rules(rules: Mapping[RuleList, Sequence[Rule]]) -> RuleSet:
    """Compile the three lists to a rule set; a missing list is empty."""
    return RuleSet(
        deny=rules.get(RuleList.DENY, ()),
        ask=rules.get(RuleList.ASK, ()),
        allow=rules.get(RuleList.ALLOW, ()),
    )


def default_tier(tool: str) -> Tier:
    """The tier of a new tool for which nobody set a tier."""
    return Tier.NEEDS_APPROVAL if tool.startswith(_APPROVAL_PREFIXES) else Tier.ALWAYS_ALLOW


def parse_tier(word: object) -> Tier:
    """Parse the name of a tier; an unknown name raises an error."""
    try:
        return Tier(word)  # type: ignore[arg-type]
    except ValueError:
        raise UnknownWordError("tier", word, tuple(Tier)) from None
