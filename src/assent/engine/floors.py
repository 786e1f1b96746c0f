"""Floors: reasons that can only make a verdict stricter."""

from collections.abc import Iterable, Iterator

from assent.engine.case import Case
from assent.engine.coverage import covering_rule, covering_scoped_rule
from assent.engine.facts import PathUse
from assent.engine.globs import HOLE
from assent.engine.lines.part import Part
from assent.engine.model import Effect
from assent.engine.modes import Mode
from assent.engine.policy.breakers import find_tripped
from assent.engine.policy.path_rules import MOST_TRIES, PathRules, covering_path, match_path
from assent.engine.policy.protected_paths import first_protected
from assent.engine.policy.rule import Rule, RuleList
from assent.engine.policy.snapshot import Snapshot
from assent.engine.policy.tiers import Tier
from assent.engine.policy.tool_rules import RuleMatch
from assent.engine.verdict import Stage, Step, Verdict


def floors(case: Case) -> list[Step]:
    """Every floor that applies to this call, including those of its agent's ancestors."""
    found: list[Step | None] = []
    for policy in case.lineage:
        found += (*_rules(case, policy), _changed(case, policy), _tier(case, policy))
    found += (_plan(case), _breaker(case), _protected(case), _destructive(case), _unreadable(case))
    found += (_paused(case), _outside(case))
    return [*filter(None, found)]


_STAGES = {RuleList.DENY: (Stage.DENY_RULE, Verdict.DENY), RuleList.ASK: (Stage.ASK_RULE, Verdict.ASK)}


def _rules(case: Case, policy: Snapshot) -> list[Step]:
    """Deny and ask rules that match or may match."""
    if policy.options.reads_bypass_rules and policy.tools[case.tool.name].effect is Effect.READ:
        return []
    lists = policy.rules.lists
    matches = {which: _match(case, policy, which) for which in _STAGES if lists[which]}
    return [_rule_step(which, match) for which, match in matches.items() if match is not None]


def _rule_step(which: RuleList, match: RuleMatch) -> Step:
    text, part = match.rule.text, match.part.text
    reason = f"{which} rule `{text}`{_origin(match.rule)}"
    if match.certain:
        return Step(*_STAGES[which], reason, text, part)
    possible = f"{reason} may match: that depends on a value that is not known"
    return Step(Stage.UNRESOLVED, Verdict.ASK, possible, text, part)


def _match(case: Case, policy: Snapshot, which: RuleList) -> RuleMatch | None:
    found = policy.rules.match(which, case.tool, case.parts, case.facts)
    if found is not None and found.certain:
        return found
    return _match_files(case, policy, which, found)


def _match_files(case: Case, policy: Snapshot, which: RuleList, found: RuleMatch | None) -> RuleMatch | None:
    """Path rules of file tools also apply to the files that a command reads and writes."""
    reading = policy.rules.path_rules(which, policy.tools, read=True)
    changing = policy.rules.path_rules(which, policy.tools, read=False)
    tries_left = [MOST_TRIES]
    for part, rules, use in _files(case.parts, reading, changing) if reading or changing else ():
        met = match_path(rules, use, case.facts, whole=True, left=tries_left)
        if met is not None and met.certain:
            return RuleMatch(met.rule, part)
        if met is not None and not use.listed:
            found = found or RuleMatch(met.rule, part, certain=False)
    return found


def _files(
    parts: Iterable[Part], reading: PathRules, changing: PathRules
) -> Iterator[tuple[Part, PathRules, PathUse]]:
    """Each file that the parts read or change, once, with the rules that apply to it."""
    read: set[PathUse] = set()
    changed: set[PathUse] = set()
    for part in parts:
        for use in part.reads if reading else ():
            if use not in read:
                read.add(use)
                yield part, reading, use
        for use in (*part.writes, *part.redirected) if changing else ():
            if use not in changed:
                changed.add(use)
                yield part, changing, use


def _origin(rule: Rule) -> str:
    where = rule.source or (rule.layer.value + " layer")
    return f" ({where}): {rule.why}" if rule.why else f" ({where})"


def _changed(case: Case, policy: Snapshot) -> Step | None:
    name = case.tool.name
    if name not in policy.changed_tools:
        return None
    return Step(Stage.CHANGED, Verdict.ASK, f"the definition of `{name}` changed since it was allowed")


def _plan(case: Case) -> Step | None:
    if case.mode is not Mode.PLAN or case.effect is Effect.READ:
        return None
    return Step(Stage.PLAN, Verdict.DENY, "plan mode only reads")


def _breaker(case: Case) -> Step | None:
    more = [breaker for policy in case.lineage for breaker in policy.breakers]
    found = find_tripped(case.parts, case.effect, case.facts, more)
    if found is None:
        return None
    return Step(Stage.BREAKER, Verdict.ASK, f"circuit breaker: {found.reason}", part=found.part.text)


def _protected(case: Case) -> Step | None:
    path = first_protected(case.changed_paths(), case.facts)
    if path is None:
        return None
    reason = f"`{path}` is protected: every change to it needs approval"
    return Step(Stage.PROTECTED_PATH, Verdict.ASK, reason, part=path)


def _destructive(case: Case) -> Step | None:
    if Effect.DESTRUCTIVE not in case.declared_effects:
        return None
    return Step(Stage.DESTRUCTIVE, Verdict.ASK, f"`{case.tool.name}` is declared destructive")


def _unreadable(case: Case) -> Step | None:
    reason = case.parsed.unreadable
    if reason is None:
        return None
    return Step(Stage.UNREADABLE, Verdict.ASK, f"the call cannot be fully read: it {reason}")


def _paused(case: Case) -> Step | None:
    """While all agents are paused, every call that does more than read waits."""
    who = [policy.paused_by for policy in case.lineage if policy.paused_by]
    if not who or case.effect is Effect.READ:
        return None
    return Step(Stage.PAUSED, Verdict.ASK, f"{who[0]} paused all agents: only reads continue")


def _outside(case: Case) -> Step | None:
    """Reads outside the workspace or of a secret, unless a person allowed exactly that."""
    for part in case.parts:
        where = case.outside_read(part)
        if where is not None and not _lifted(case, part):
            shown = where if where.strip(HOLE) else "a path that is not known yet"
            reason = f"it reads `{shown}`, which is outside the workspace or holds secrets"
            return Step(Stage.OUTSIDE, Verdict.ASK, reason, part=part.text)
    return None


def _lifted(case: Case, part: Part) -> bool:
    """Whether a grant for the call, or rules for the part, allow what the part reads."""
    if covering_rule(case, case.snapshot.grants.for_call(case.call)) is not None:
        return True
    return all(_allows_reading(case, policy, part) for policy in case.lineage)


def _allows_reading(case: Case, policy: Snapshot, part: Part) -> bool:
    """Whether scoped rules allow the command, and path rules allow the files redirected into it."""
    if covering_scoped_rule(case, (policy.rules,), (part,)) is None:
        return False
    rules = policy.rules.path_rules(RuleList.ALLOW, policy.tools, read=True)
    outside = [use for use in part.inputs if not case.may_read(use)]
    return all(covering_path(rules, use, case.facts) is not None for use in outside)


def _tier(case: Case, policy: Snapshot) -> Step | None:
    setting = policy.tier_of(case.call)
    if setting is None or setting.tier is not Tier.NEEDS_APPROVAL:
        return None
    if not setting.explicit and policy.mode is not None:
        return None
    if covering_rule(case, case.snapshot.grants.for_call(case.call)) is not None:
        return None
    return Step(Stage.TIER, Verdict.ASK, f"`{case.tool.name}` needs approval for this agent")
