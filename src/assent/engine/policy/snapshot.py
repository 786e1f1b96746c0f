"""A snapshot: all the policy for one decision, as one immutable value."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypedDict, Unpack

from assent.engine.base.tool import Call, Tool
from assent.engine.base.value import Value
from assent.engine.policy.breakers import Breaker
from assent.engine.policy.grants import NO_GRANTS, GrantedRule, GrantSet
from assent.engine.policy.modes import Mode, narrower_mode
from assent.engine.policy.rule import Rule, RuleList
from assent.engine.policy.rule_set import NO_RULES, RuleSet
from assent.engine.policy.tiers import TierSetting, default_tier
from assent.engine.policy.verdict import Verdict


class PolicyOptions(Value):
    """Switches that change decisions; each is off in every shipped preset."""

    reads_bypass_rules: bool = False
    """Deny and ask rules do not apply to tools that are declared `read`."""
    strip_privilege_wrappers: bool = False
    """Allow rules also look through `sudo` and similar commands."""


class Snapshot(Value):
    """All the policy for one call of one agent; `build_snapshot` makes it."""

    tools: Mapping[str, Tool]
    agent: str = ""
    """The agent in the tier settings; when empty, the agent of the call."""
    rules: RuleSet = NO_RULES
    tiers: Mapping[tuple[str, str], TierSetting] = dict[tuple[str, str], TierSetting]()
    """Tier settings by agent and tool."""
    grants: GrantSet = NO_GRANTS
    mode: Mode | None = Mode.DEFAULT
    fallback: Verdict = Verdict.ASK
    """The verdict for an agent without a mode when nothing else applies."""
    attended: bool = True
    """A person can be reached to answer."""
    unauthorized_tools: frozenset[str] = frozenset()
    """Tools that the user of the call may not use."""
    changed_tools: frozenset[str] = frozenset()
    """Tools whose pinned definition changed, and the change was not accepted yet."""
    paused_by: str = ""
    """Who paused all agents; empty when nobody did."""
    breakers: tuple[Breaker, ...] = ()
    """Custom breakers, in addition to the built-in ones."""
    options: PolicyOptions = PolicyOptions()
    parent: "Snapshot | None" = None
    """The policy of the agent that started this one; its absences and floors also apply."""
    version: str = ""
    input_key: bytes = b""
    """The key for digests of standard input; without a key, no rule with a keyed digest covers anything."""

    def lineage(self) -> "tuple[Snapshot, ...]":
        """The policy itself and those of all ancestors."""
        if self.parent is None:
            return (self,)
        found: list[Snapshot] = [self]
        while (parent := found[-1].parent) is not None:
            found.append(parent)
        return tuple(found)

    @property
    def narrowest_mode(self) -> Mode | None:
        """The narrowest mode of the policy itself and all ancestors."""
        mode = self.mode
        for policy in self.lineage() if self.parent is not None else ():
            mode = narrower_mode(mode, policy.mode)
        return mode

    def tier_of(self, call: Call) -> TierSetting | None:
        """The tier setting for this agent and the tool of the call."""
        return self.tiers.get((self.agent or call.agent, call.tool)) if self.tiers else None


class SnapshotFields(TypedDict, total=False):
    """The fields of a snapshot that `build_snapshot` takes unchanged."""

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
    """The one place that makes a snapshot: compiles rules and grants, and gives added tools a tier.

    `added_tools` are tools that a file added; without a mode, the name of such a tool gives its tier unless
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
    """The rule set of the three lists; a missing list is empty."""
    return RuleSet(
        deny=rules.get(RuleList.DENY, ()),
        ask=rules.get(RuleList.ASK, ()),
        allow=rules.get(RuleList.ALLOW, ()),
    )
