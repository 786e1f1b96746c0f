"""Floors: facts that can only make a verdict stricter."""

from collections.abc import Iterable, Iterator

from assent.engine.case import Case
from assent.engine.facts import PathUse
from assent.engine.model import Effect
from assent.engine.modes import Mode
from assent.engine.part import Part
from assent.engine.policy.breakers import tripped
from assent.engine.policy.coverage import covering, scoped_covering
from assent.engine.policy.path_rules import MOST_TRIES, PathRules, covering_path, hit_path
from assent.engine.policy.protected_paths import protected
from assent.engine.policy.rule import Rule, RuleList
from assent.engine.policy.snapshot import Snapshot
from assent.engine.policy.tiers import Tier
from assent.engine.policy.tool_rules import Hit
from assent.engine.verdict import Stage, Step, Verdict


def floors(case: Case) -> list[Step]:
    """Every floor that this call meets, those of its agent's ancestors among them."""
    met: list[Step | None] = []
    for policy in case.lineage:
        met += (*_rules(case, policy), _changed(case, policy), _tier(case, policy))
    met += (_plan(case), _breaker(case), _protected(case), _destructive(case), _unreadable(case))
    met += (_paused(case), _outside(case))
    return [*filter(None, met)]


_STRICT = {RuleList.DENY: (Stage.DENY_RULE, Verdict.DENY), RuleList.ASK: (Stage.ASK_RULE, Verdict.ASK)}


def _rules(case: Case, policy: Snapshot) -> list[Step]:
    """Deny and ask rules, and those of them that only might match."""
    if policy.options.reads_bypass_rules and policy.tools[case.tool.name].effect is Effect.READ:
        return []
    lists = policy.rules.lists
    hits = {which: _hit(case, policy, which) for which in _STRICT if lists[which]}
    return [_by_rule(which, hit) for which, hit in hits.items() if hit is not None]


def _by_rule(which: RuleList, hit: Hit) -> Step:
    text, part = hit.rule.text, hit.part.text
    says = f"{which} rule `{text}`{_origin(hit.rule)}"
    if hit.surely:
        return Step(*_STRICT[which], says, text, part)
    could = f"{says} could match, depending on a value we cannot know"
    return Step(Stage.UNRESOLVED, Verdict.ASK, could, text, part)


def _hit(case: Case, policy: Snapshot, which: RuleList) -> Hit | None:
    found = policy.rules.hit(which, case.tool, case.parts, case.facts)
    if found is not None and found.surely:
        return found
    return _hit_files(case, policy, which, found)


def _hit_files(case: Case, policy: Snapshot, which: RuleList, found: Hit | None) -> Hit | None:
    """Path rules of file tools speak about the files that a command reads and writes, too."""
    reading = policy.rules.files(which, policy.tools, read=True)
    changing = policy.rules.files(which, policy.tools, read=False)
    left = [MOST_TRIES]
    for part, rules, use in _files(case.parts, reading, changing) if reading or changing else ():
        met = hit_path(rules, use, case.facts, whole=True, left=left)
        if met is not None and met.surely:
            return Hit(met.rule, part)
        if met is not None and not use.listed:
            found = found or Hit(met.rule, part, surely=False)
    return found


def _files(
    parts: Iterable[Part], reading: PathRules, changing: PathRules
) -> Iterator[tuple[Part, PathRules, PathUse]]:
    """Each file that the parts read or change, once, with the rules that speak about that."""
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
    if name not in policy.changed:
        return None
    return Step(Stage.CHANGED, Verdict.ASK, f"the definition of `{name}` changed since it was allowed")


def _plan(case: Case) -> Step | None:
    if case.mode is not Mode.PLAN or case.effect is Effect.READ:
        return None
    return Step(Stage.PLAN, Verdict.DENY, "plan mode only reads")


def _breaker(case: Case) -> Step | None:
    more = [breaker for policy in case.lineage for breaker in policy.breakers]
    found = tripped(case.parts, case.effect, case.facts, more)
    if found is None:
        return None
    return Step(Stage.BREAKER, Verdict.ASK, f"circuit breaker: {found.reason}", part=found.part.text)


def _protected(case: Case) -> Step | None:
    path = protected(case.changes(), case.facts)
    if path is None:
        return None
    reason = f"`{path}` is protected: a change of it always asks"
    return Step(Stage.PROTECTED_PATH, Verdict.ASK, reason, part=path)


def _destructive(case: Case) -> Step | None:
    if Effect.DESTRUCTIVE not in case.declared:
        return None
    return Step(Stage.DESTRUCTIVE, Verdict.ASK, f"`{case.tool.name}` is declared destructive")


def _unreadable(case: Case) -> Step | None:
    reason = case.subject.unreadable
    if reason is None:
        return None
    return Step(Stage.UNREADABLE, Verdict.ASK, f"the call cannot be read as a whole: it {reason}")


def _paused(case: Case) -> Step | None:
    """Everything but a read waits while somebody has stopped every agent."""
    who = [policy.paused for policy in case.lineage if policy.paused]
    if not who or case.effect is Effect.READ:
        return None
    return Step(Stage.PAUSED, Verdict.ASK, f"{who[0]} paused every agent: only reads go on")


def _outside(case: Case) -> Step | None:
    """Reads that leave the workspace or look at a secret, unless a person allowed just that."""
    for part in case.parts:
        where = case.reads_elsewhere(part)
        if where is not None and not _lifted(case, part):
            shown = where if where.strip("\0") else "a path that is not known yet"
            reason = f"it reads `{shown}`, which is outside the workspace or holds secrets"
            return Step(Stage.OUTSIDE, Verdict.ASK, reason, part=part.text)
    return None


def _lifted(case: Case, part: Part) -> bool:
    """Whether a person allowed what a part reads, by a grant for the call or by rules for the part."""
    if covering(case, case.snapshot.grants.for_call(case.call)) is not None:
        return True
    return all(_allows_reading(case, policy, part) for policy in case.lineage)


def _allows_reading(case: Case, policy: Snapshot, part: Part) -> bool:
    """Whether scoped rules allow the command, and path rules what it is fed by redirection."""
    if scoped_covering(case, (policy.rules,), (part,)) is None:
        return False
    rules = policy.rules.files(RuleList.ALLOW, policy.tools, read=True)
    fed = [use for use in part.inputs if not case.may_read(use)]
    return all(covering_path(rules, use, case.facts) is not None for use in fed)


def _tier(case: Case, policy: Snapshot) -> Step | None:
    tier = policy.tier_of(case.call)
    if tier is None or tier.tier is not Tier.NEEDS_APPROVAL or not (tier.explicit or policy.mode is None):
        return None
    if covering(case, case.snapshot.grants.for_call(case.call)) is not None:
        return None
    return Step(Stage.TIER, Verdict.ASK, f"`{case.tool.name}` needs approval for this agent")
