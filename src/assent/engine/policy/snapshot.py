"""A snapshot: policy as one immutable value, so that a decision is a function of what it is given."""

from collections.abc import Mapping

from assent.engine.model import Call, Tool
from assent.engine.modes import Mode, narrower
from assent.engine.policy.breakers import Breaker
from assent.engine.policy.grants import NO_GRANTS, GrantSet
from assent.engine.policy.rule_set import NO_RULES, RuleSet
from assent.engine.policy.tiers import Assignment
from assent.engine.value import Value
from assent.engine.verdict import Verdict


class Options(Value):
    """The few switches that bend the decision; each is off in every shipped preset."""

    reads_bypass_rules: bool = False
    """Deny and ask rules do not bind tools that are declared `read`."""
    strip_privilege_wrappers: bool = False
    """`sudo` and its like are seen through for allow rules, too."""


class Snapshot(Value):
    """All the policy that one agent's call is decided by."""

    tools: Mapping[str, Tool]
    agent: str = ""
    """Whose policy this is, as tiers name it; the call's own agent when empty."""
    rules: RuleSet = NO_RULES
    tiers: Mapping[tuple[str, str], Assignment] = dict[tuple[str, str], Assignment]()
    grants: GrantSet = NO_GRANTS
    mode: Mode | None = Mode.DEFAULT
    fallback: Verdict = Verdict.ASK
    """What an agent without a mode does when nothing else eases a call."""
    attended: bool = True
    """A person can be reached to answer."""
    unauthorized: frozenset[str] = frozenset()
    """Tools that the person behind the call may not use."""
    changed: frozenset[str] = frozenset()
    """Tools whose pinned definition changed and was not accepted yet."""
    paused: str = ""
    """Who stopped every agent; empty while nobody did."""
    breakers: tuple[Breaker, ...] = ()
    """Breakers of one's own, besides those that are always there."""
    options: Options = Options()
    parent: "Snapshot | None" = None
    """The policy of the agent that started this one; its absences and floors bind."""
    version: str = ""
    input_key: bytes = b""
    """What digests of fed texts are keyed with; without one no rule with a keyed digest covers anything."""

    def lineage(self) -> "tuple[Snapshot, ...]":
        """Itself, and the policies of every ancestor."""
        if self.parent is None:
            return (self,)
        found: list[Snapshot] = [self]
        while (parent := found[-1].parent) is not None:
            found.append(parent)
        return tuple(found)

    @property
    def narrowest_mode(self) -> Mode | None:
        """Its own mode, or that of an ancestor which is narrower."""
        mode = self.mode
        for policy in self.lineage() if self.parent is not None else ():
            mode = narrower(mode, policy.mode)
        return mode

    def tier_of(self, call: Call) -> Assignment | None:
        """What an administrator said of this agent and the call's tool."""
        return self.tiers.get((self.agent or call.agent, call.tool)) if self.tiers else None
