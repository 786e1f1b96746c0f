"""Floors: facts that can only make a verdict stricter."""

from collections.abc import Iterable, Iterator

from assent.engine.breakers import tripped
from assent.engine.case import Case
from assent.engine.coverage import covering, scoped_covering
from assent.engine.facts import PathUse
from assent.engine.model import Effect
from assent.engine.modes import Mode
from assent.engine.part import Part
from assent.engine.path import MOST_TRIES, PathRules
from assent.engine.pathmatch import covering_path, hit_path
from assent.engine.protected import protected
from assent.engine.rule import Rule, RuleList
from assent.engine.ruleset import Hit
from assent.engine.snapshot import Snapshot
from assent.engine.tiers import Tier
from assent.engine.verdict import Stage, Step, Verdict


def floors(case: Case) -> Iterator[Step]:
    """Every floor that this call meets, those of its agent's ancestors among them."""
    for policy in case.snapshot.lineage():
        yield from _rules(case, policy)
        if case.tool.name in policy.changed:
            yield Step(
                Stage.CHANGED,
                Verdict.ASK,
                f"the definition of `{case.tool.name}` changed since it was allowed",
            )
        yield from _tier(case, policy)
    if case.mode is Mode.PLAN and case.effect is not Effect.READ:
        yield Step(Stage.PLAN, Verdict.DENY, "plan mode only reads")
    yield from _breakers(case)
    if (path := protected(case.changes(), case.facts)) is not None:
        yield Step(
            Stage.PROTECTED_PATH, Verdict.ASK, f"`{path}` is protected: a change of it always asks", part=path
        )
    if Effect.DESTRUCTIVE in case.declared:
        yield Step(Stage.DESTRUCTIVE, Verdict.ASK, f"`{case.tool.name}` is declared destructive")
    if (reason := case.subject.unreadable) is not None:
        yield Step(Stage.UNREADABLE, Verdict.ASK, f"the call cannot be read as a whole: it {reason}")
    yield from _paused(case)
    yield from _outside(case)


def _rules(case: Case, policy: Snapshot) -> Iterator[Step]:
    """Deny and ask rules, and those of them that only might match."""
    if policy.options.reads_bypass_rules and policy.tools[case.tool.name].effect is Effect.READ:
        return
    for which, stage, verdict in (
        (RuleList.DENY, Stage.DENY_RULE, Verdict.DENY),
        (RuleList.ASK, Stage.ASK_RULE, Verdict.ASK),
    ):
        if not policy.rules.lists[which]:
            continue
        hit = _hit(case, policy, which)
        if hit is None:
            continue
        text, part = hit.rule.text, hit.part.text
        if hit.surely:
            yield Step(stage, verdict, f"{which} rule `{text}`{_origin(hit.rule)}", text, part)
        else:
            yield Step(
                Stage.UNRESOLVED,
                Verdict.ASK,
                f"{which} rule `{text}`{_origin(hit.rule)} could match, depending on a value we cannot know",
                text,
                part,
            )


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
        changes = (*part.writes, *part.redirected)
        for rules, seen, uses in ((reading, read, part.reads), (changing, changed, changes)):
            fresh = [use for use in dict.fromkeys(uses) if use not in seen] if rules else []
            seen.update(fresh)
            yield from ((part, rules, use) for use in fresh)


def _origin(rule: Rule) -> str:
    where = rule.source or (rule.layer.value + " layer")
    return f" ({where}): {rule.why}" if rule.why else f" ({where})"


def _breakers(case: Case) -> Iterator[Step]:
    more = tuple(breaker for policy in case.snapshot.lineage() for breaker in policy.breakers)
    found = tripped(case.parts, case.effect, case.facts, more)
    if found is not None:
        yield Step(Stage.BREAKER, Verdict.ASK, f"circuit breaker: {found.reason}", part=found.part.text)


def _paused(case: Case) -> Iterator[Step]:
    """Everything but a read waits while somebody has stopped every agent."""
    who = next((policy.paused for policy in case.snapshot.lineage() if policy.paused), "")
    if who and case.effect is not Effect.READ:
        yield Step(Stage.PAUSED, Verdict.ASK, f"{who} paused every agent: only reads go on")


def _outside(case: Case) -> Iterator[Step]:
    """Reads that leave the workspace or look at a secret, unless a person allowed just that."""
    for part in case.parts:
        where = case.reads_elsewhere(part)
        if where is None:
            continue
        lifted = covering(case, case.snapshot.grants.for_call(case.call)) is not None or all(
            _allows_reading(case, policy, part) for policy in case.snapshot.lineage()
        )
        if not lifted:
            shown = where if where.strip("\0") else "a path that is not known yet"
            reason = f"it reads `{shown}`, which is outside the workspace or holds secrets"
            yield Step(Stage.OUTSIDE, Verdict.ASK, reason, part=part.text)
            return


def _allows_reading(case: Case, policy: Snapshot, part: Part) -> bool:
    """Whether scoped rules allow the command, and path rules what it is fed by redirection."""
    if scoped_covering(case, (policy.rules,), (part,)) is None:
        return False
    rules = policy.rules.files(RuleList.ALLOW, policy.tools, read=True)
    fed = [use for use in part.inputs if not case.may_read(use)]
    return all(covering_path(rules, use, case.facts) is not None for use in fed)


def _tier(case: Case, policy: Snapshot) -> Iterator[Step]:
    tier = policy.tier_of(case.call)
    if tier is None or tier.tier is not Tier.NEEDS_APPROVAL or not (tier.explicit or policy.mode is None):
        return
    if covering(case, case.snapshot.grants.for_call(case.call)) is None:
        yield Step(Stage.TIER, Verdict.ASK, f"`{case.tool.name}` needs approval for this agent")
