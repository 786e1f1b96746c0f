"""The stages that decide a call: floors make its verdict stricter, eases let it run without asking."""

from collections.abc import Iterable, Iterator

from assent.engine.base.facts import PathUse
from assent.engine.base.globs import UNKNOWN_MARK
from assent.engine.base.sensitive_paths import find_protected
from assent.engine.base.tool import Effect
from assent.engine.case import Case, covering_rule, covering_scoped_rule
from assent.engine.lines.part import Part
from assent.engine.policy.breakers import find_tripped_breaker
from assent.engine.policy.modes import MODE_VERDICTS, Mode
from assent.engine.policy.path_rules import MAX_TRIE_STEPS, PathRules, covering_path_rule, match_path_rule
from assent.engine.policy.rule import Rule, RuleList
from assent.engine.policy.snapshot import Snapshot
from assent.engine.policy.tiers import Tier
from assent.engine.policy.tool_rules import RuleMatch
from assent.engine.policy.verdict import Stage, Step, Verdict

_RULE_STAGES = {RuleList.DENY: (Stage.DENY_RULE, Verdict.DENY), RuleList.ASK: (Stage.ASK_RULE, Verdict.ASK)}
"""The stage and verdict of deny rules and of ask rules."""


def floors(case: Case) -> list[Step]:
    """All floors that apply to a call, including those of parent agents."""
    found: list[Step | None] = []
    for policy in case.lineage:
        found += (*_rule_floors(case, policy), _changed_floor(case, policy), _tier_floor(case, policy))
    found += (
        _plan_floor(case),
        _breaker_floor(case),
        _protected_floor(case),
        _destructive_floor(case),
        _unreadable_floor(case),
    )
    found += (_paused_floor(case), _outside_floor(case))
    return [*filter(None, found)]


def eases(case: Case) -> list[Step]:
    """All eases of a call; never empty, because the mode or the fallback always gives one step."""
    found = [_READ_STEP] if case.effect is Effect.READ else []
    setting = case.snapshot.tier_of(case.call)
    always = setting is not None and setting.tier is Tier.ALWAYS_ALLOW
    if setting is not None and always and (setting.explicit or case.mode is None):
        reason = f"`{case.tool.name}` is always allowed for this agent"
        found.append(Step(Stage.TIER, Verdict.RUN, reason))
    granted = case.snapshot.grants.for_call(case.call)
    if granted and (rule := covering_rule(case, granted)) is not None:
        found.append(Step(Stage.GRANT, Verdict.RUN, f"granted before: `{rule.text}`", rule.text))
    if (
        case.snapshot.rules.has_allow_rules
        and (rule := covering_rule(case, (case.snapshot.rules,))) is not None
    ):
        found.append(Step(Stage.ALLOW_RULE, Verdict.RUN, f"allow rule `{rule.text}`", rule.text))
    found.append(_mode_or_fallback_step(case))
    return found


def _rule_floors(case: Case, policy: Snapshot) -> list[Step]:
    """The steps of deny and ask rules that match or may match."""
    if policy.options.reads_bypass_rules and policy.tools[case.tool.name].effect is Effect.READ:
        return []
    lists = policy.rules.lists
    matches = {which: _find_rule_match(case, policy, which) for which in _RULE_STAGES if lists[which]}
    return [_rule_step(which, match) for which, match in matches.items() if match is not None]


def _rule_step(which: RuleList, match: RuleMatch) -> Step:
    """The step of a rule that matches or may match."""
    text, part = match.rule.text, match.part.text
    reason = f"{which} rule `{text}`{_describe_origin(match.rule)}"
    if match.certain:
        return Step(*_RULE_STAGES[which], reason, text, part)
    possible = f"{reason} may match: that depends on a value that is not known"
    return Step(Stage.UNRESOLVED, Verdict.ASK, possible, text, part)


def _find_rule_match(case: Case, policy: Snapshot, which: RuleList) -> RuleMatch | None:
    """The deny or ask rule that matches a part, or a file that a part reads or writes."""
    found = policy.rules.match(which, case.tool, case.parts, case.facts)
    if found is not None and found.certain:
        return found
    return _find_file_match(case, policy, which, found)


def _find_file_match(
    case: Case, policy: Snapshot, which: RuleList, found: RuleMatch | None
) -> RuleMatch | None:
    """The path rule that matches a file that a command reads or writes; otherwise `found`."""
    reading = policy.rules.path_rules(which, policy.tools, read=True)
    changing = policy.rules.path_rules(which, policy.tools, read=False)
    tries_left = [MAX_TRIE_STEPS]
    for part, rules, use in _iterate_files(case.parts, reading, changing) if reading or changing else ():
        met = match_path_rule(rules, use, case.facts, whole=True, tries_left=tries_left)
        if met is not None and met.certain:
            return RuleMatch(met.rule, part)
        if met is not None and not use.listed:
            found = found or RuleMatch(met.rule, part, certain=False)
    return found


def _iterate_files(
    parts: Iterable[Part], reading: PathRules, changing: PathRules
) -> Iterator[tuple[Part, PathRules, PathUse]]:
    """Yield each file that the parts read or change, once, with the path rules that apply to it."""
    read: set[PathUse] = set()
    changed: set[PathUse] = set()
    for part in parts:
        for use in part.reads if reading else ():
            if use not in read:
                read.add(use)
                yield part, reading, use
        for use in (*part.writes, *part.redirect_writes) if changing else ():
            if use not in changed:
                changed.add(use)
                yield part, changing, use


def _describe_origin(rule: Rule) -> str:
    """The source of a rule and its reason, for the explanation."""
    where = rule.source or (rule.layer.value + " layer")
    return f" ({where}): {rule.why}" if rule.why else f" ({where})"


def _changed_floor(case: Case, policy: Snapshot) -> Step | None:
    """The floor of a tool whose definition changed."""
    name = case.tool.name
    if name not in policy.changed_tools:
        return None
    return Step(Stage.CHANGED, Verdict.ASK, f"the definition of `{name}` changed since it was allowed")


def _plan_floor(case: Case) -> Step | None:
    """The floor of plan mode, which denies all calls that do more than read."""
    if case.mode is not Mode.PLAN or case.effect is Effect.READ:
        return None
    return Step(Stage.PLAN, Verdict.DENY, "plan mode only reads")


def _breaker_floor(case: Case) -> Step | None:
    """The floor of a tripped breaker."""
    more = [breaker for policy in case.lineage for breaker in policy.breakers]
    found = find_tripped_breaker(case.parts, case.effect, case.facts, more)
    if found is None:
        return None
    return Step(Stage.BREAKER, Verdict.ASK, f"circuit breaker: {found.reason}", part=found.part.text)


def _protected_floor(case: Case) -> Step | None:
    """The floor of a change to a protected path."""
    path = find_protected(case.changed_paths(), case.facts)
    if path is None:
        return None
    reason = f"`{path}` is protected: every change to it needs approval"
    return Step(Stage.PROTECTED_PATH, Verdict.ASK, reason, part=path)


def _destructive_floor(case: Case) -> Step | None:
    """The floor of a tool that is declared destructive."""
    if Effect.DESTRUCTIVE not in case.declared_effects:
        return None
    return Step(Stage.DESTRUCTIVE, Verdict.ASK, f"`{case.tool.name}` is declared destructive")


def _unreadable_floor(case: Case) -> Step | None:
    """The floor of an unreadable call."""
    reason = case.parsed.unreadable
    if reason is None:
        return None
    return Step(Stage.UNREADABLE, Verdict.ASK, f"the call cannot be fully read: it {reason}")


def _paused_floor(case: Case) -> Step | None:
    """The floor of a pause, during which every call that does more than read waits."""
    who = [policy.paused_by for policy in case.lineage if policy.paused_by]
    if not who or case.effect is Effect.READ:
        return None
    return Step(Stage.PAUSED, Verdict.ASK, f"{who[0]} paused all agents: only reads continue")


def _outside_floor(case: Case) -> Step | None:
    """The floor of a read outside the workspace or of a secret, unless a person allowed it."""
    for part in case.parts:
        where = case.find_outside_read(part)
        if where is not None and not _is_allowed_outside(case, part):
            shown = where if where.strip(UNKNOWN_MARK) else "a path that is not known yet"
            reason = f"it reads `{shown}`, which is outside the workspace or holds secrets"
            return Step(Stage.OUTSIDE, Verdict.ASK, reason, part=part.text)
    return None


def _is_allowed_outside(case: Case, part: Part) -> bool:
    """Whether a grant for the call, or rules for the part, allow the reads of the part."""
    if covering_rule(case, case.snapshot.grants.for_call(case.call)) is not None:
        return True
    return all(_allows_reading(case, policy, part) for policy in case.lineage)


def _allows_reading(case: Case, policy: Snapshot, part: Part) -> bool:
    """Whether scoped rules allow the command, and path rules allow the files that it reads by redirection."""
    if covering_scoped_rule(case, (policy.rules,), (part,)) is None:
        return False
    rules = policy.rules.path_rules(RuleList.ALLOW, policy.tools, read=True)
    outside = [use for use in part.redirect_reads if not case.may_read(use)]
    return all(covering_path_rule(rules, use, case.facts) is not None for use in outside)


def _tier_floor(case: Case, policy: Snapshot) -> Step | None:
    """The floor of the tier `needs_approval`."""
    setting = policy.tier_of(case.call)
    if setting is None or setting.tier is not Tier.NEEDS_APPROVAL:
        return None
    if not setting.explicit and policy.mode is not None:
        return None
    if covering_rule(case, case.snapshot.grants.for_call(case.call)) is not None:
        return None
    return Step(Stage.TIER, Verdict.ASK, f"`{case.tool.name}` needs approval for this agent")


def _mode_or_fallback_step(case: Case) -> Step:
    """The step of the mode or, for an agent without a mode, of the fallback."""
    if case.mode is None:
        fallback = case.snapshot.fallback
        answer = "allows calls" if fallback is Verdict.RUN else "asks"
        return Step(Stage.FALLBACK, fallback, f"this agent has no mode, and its preset {answer} by default")
    step = _MODE_STEPS[case.mode, case.effect]
    hint = _trust_hint(case)
    return step._replace(reason=step.reason + hint) if hint else step


def _mode_step(mode: Mode, effect: Effect) -> Step:
    """The step of a mode for an effect."""
    # In plan mode, the stage `plan` already denies every call that is not a read.
    verdict = min(MODE_VERDICTS[mode][effect], Verdict.ASK)
    answer = "allows" if verdict is Verdict.RUN else "asks before"
    return Step(Stage.MODE, verdict, f"{mode} mode {answer} {effect.action}")


_MODE_STEPS = {(mode, effect): _mode_step(mode, effect) for mode in MODE_VERDICTS for effect in Effect}
"""The steps of all modes and effects, built once."""
_READ_STEP = Step(Stage.READ, Verdict.RUN, "it only reads")
"""The step of a call that only reads."""


def _trust_hint(case: Case) -> str:
    """A hint that the call would count as a read in a trusted repository; otherwise empty."""
    if case.effect in (Effect.READ, Effect.DESTRUCTIVE) or case.facts.trusted_repository:
        return ""
    would_read = all(part.only_reads and case.runs_in_workspace(part) for part in case.parts)
    return "; in a trusted repository it would count as reading" if would_read else ""
