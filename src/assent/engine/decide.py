"""The function that decides every tool call, and the stages that it goes through.

Floors make the verdict of a call stricter; eases let the call run without asking.
"""

from collections.abc import Collection
from operator import attrgetter

from assent.engine.base.facts import CallDirectories, DirectorySearch, Facts
from assent.engine.base.reason import Reason, ReasonCode, make_reason
from assent.engine.base.sensitive_paths import find_protected_path
from assent.engine.base.tool import UNDECLARED_ORIGIN, Call, Effect, Tool
from assent.engine.case import (
    Case,
    covering_rule,
    covering_scoped_rule,
    editable_paths,
    input_file_paths,
    paths_in_parts,
)
from assent.engine.file_rules import find_file_match
from assent.engine.lines.part import Part
from assent.engine.parsing import find_cached_line, parse_call
from assent.engine.policy.breakers import find_tripped_breaker
from assent.engine.policy.modes import MODE_VERDICTS, Mode
from assent.engine.policy.path_rules import covering_path_rule
from assent.engine.policy.rule import RuleList
from assent.engine.policy.snapshot import Snapshot, Tier
from assent.engine.policy.tool_rules import RuleMatch
from assent.engine.policy.verdict import STAGE_ORDER, Decision, Stage, Step, Verdict
from assent.engine.reasons import (
    match_reason,
    outside_reason,
    protected_reason,
    question_reason,
    rule_reason,
    tool_reason,
    unreadable_reason,
)
from assent.engine.searches import directory_searches

_RULE_STAGES = {RuleList.DENY: (Stage.DENY_RULE, Verdict.DENY), RuleList.ASK: (Stage.ASK_RULE, Verdict.ASK)}
"""The stage and verdict of deny rules and of ask rules."""


def decide(call: Call, snapshot: Snapshot, facts: Facts) -> Decision:
    """Decide a call, and return the verdict with all its steps.

    After an internal failure the call asks or is denied; it never runs.
    """
    try:
        return _decide_call(call, snapshot, facts)
    except Exception as error:  # noqa: BLE001 - after any failure, no call runs without asking
        reason = make_reason(ReasonCode.NOT_DECIDED, error=f"{type(error).__name__}: {error}")
        return _build_decision([Step(Stage.UNREADABLE, Verdict.ASK, reason)], attended=snapshot.attended)


def paths_to_resolve(call: Call, snapshot: Snapshot, directories: CallDirectories) -> tuple[str, ...]:
    """The absolute paths whose real paths `decide` needs in the facts."""
    try:
        parts = _parse_parts(call, snapshot)
        paths = paths_in_parts(parts, directories)
        if snapshot.narrowest_mode is not Mode.ACCEPT_EDITS or not snapshot.options.shell_edits:
            return paths
        # The paths to edit are first, so that they keep their type.
        return tuple(dict.fromkeys((*editable_paths(parts, directories), *paths)))
    except Exception:  # noqa: BLE001 - `decide` fails in the same way, and asks
        return ()


def searches_to_make(
    call: Call, snapshot: Snapshot, directories: CallDirectories
) -> tuple[DirectorySearch, ...]:
    """The searches whose findings `decide` needs in the facts."""
    try:
        return directory_searches(_parse_parts(call, snapshot), directories, snapshot.packs(call))
    except Exception:  # noqa: BLE001 - without a finding, the call asks
        return ()


def files_to_digest(call: Call, snapshot: Snapshot, directories: CallDirectories) -> tuple[str, ...]:
    """The absolute paths of input files whose content digest `decide` needs in the facts."""
    try:
        return input_file_paths(_parse_parts(call, snapshot), directories)
    except Exception:  # noqa: BLE001 - without a digest, no rule can name the file
        return ()


def visible_tools(
    snapshot: Snapshot, agent: str = "", names: Collection[str] | None = None
) -> tuple[Tool, ...]:
    """The tools that the model of this agent can see; with `names`, only tools with these names."""
    return tuple(
        tool
        for name, tool in snapshot.tools.items()
        if (names is None or name in names)
        and find_absence(Call(tool=name, args={}, agent=agent), snapshot) is None
    )


def find_absence(call: Call, snapshot: Snapshot) -> Step | None:
    """Why the tool of a call is absent for its agent; None if the agent has the tool."""
    for policy in snapshot.lineage():
        tool = policy.tools.get(call.tool)
        if tool is None:
            return _absent_step(Stage.UNKNOWN, ReasonCode.UNKNOWN_TOOL, call)
        if call.tool in policy.unauthorized_tools:
            return _absent_step(Stage.UNAUTHORIZED, ReasonCode.UNAUTHORIZED_TOOL, call)
        setting = policy.tier_of(call)
        if setting is not None and setting.tier is Tier.BLOCKED:
            return _absent_step(Stage.BLOCKED, ReasonCode.BLOCKED_TOOL, call)
        if tool.effect is Effect.DESTRUCTIVE and not snapshot.attended:
            return _absent_step(Stage.UNATTENDED, ReasonCode.ABSENT_DESTRUCTIVE_TOOL, call)
    return None


def _absent_step(stage: Stage, code: ReasonCode, call: Call) -> Step:
    """The step that makes a tool absent for its agent."""
    return Step(stage, Verdict.ABSENT, make_reason(code, tool=call.tool))


def _parse_parts(call: Call, snapshot: Snapshot) -> tuple[Part, ...]:
    """The parts of a call; none if its tool is unknown."""
    tool = snapshot.tools.get(call.tool)
    return () if tool is None else parse_call(call, tool).all_parts


def _decide_call(call: Call, snapshot: Snapshot, facts: Facts) -> Decision:
    """Decide a call, with the cached decision of its line if possible."""
    absent = find_absence(call, snapshot)
    if absent is not None:
        return _build_decision([absent], attended=True)
    tool = snapshot.tools[call.tool]
    line = find_cached_line(call, tool)
    if line is None:
        return _decide_case(Case(call, tool, snapshot, facts))
    decision = line.find_decision(call, snapshot, facts)
    if decision is None:
        decision = _decide_case(Case(call, tool, snapshot, facts, line.parsed))
        line.store_decision(call, snapshot, facts, decision)
    return decision


def _decide_case(case: Case) -> Decision:
    """Collect the floors and eases of a case, and build the decision."""
    eased = _collect_eases(case)
    # The strictest floor decides; without a floor, the loosest ease decides.
    if len(eased) > 1:
        loosest = min([step.verdict for step in eased])
        eased = [step for step in eased if step.verdict is loosest]
    steps = _collect_floors(case) + eased
    return _build_decision(steps, attended=case.snapshot.attended, is_remembered=case.tool.is_remembered)


_verdict_of = attrgetter("verdict")


def _stage_position(step: Step) -> int:
    """The position of the stage of a step."""
    return STAGE_ORDER[step.stage]


def _build_decision(steps: list[Step], *, attended: bool, is_remembered: bool = True) -> Decision:
    """The decision of the strictest step; among equal verdicts, the earliest stage decides."""
    if len(steps) > 1:
        steps.sort(key=_stage_position)
    deciding = max(steps, key=_verdict_of)
    if deciding.verdict is Verdict.ASK and not attended:
        code, pairs = deciding.reason
        reason = Reason(ReasonCode.NOBODY_TO_ASK, (*pairs, ("cause", code.value)))
        deciding = Step(Stage.UNATTENDED, Verdict.DENY, reason)
        steps.append(deciding)
    return Decision(
        verdict=deciding.verdict,
        stage=deciding.stage,
        reason=deciding.reason,
        steps=tuple(steps),
        rule=deciding.rule,
        part=deciding.part,
        always_offered=deciding.verdict is Verdict.ASK and is_remembered and _can_be_remembered(steps),
    )


def _can_be_remembered(steps: list[Step]) -> bool:
    """Whether "always" would avoid this question: no stage is locked, and a pause is not the only reason."""
    asks = [step.stage for step in steps if step.verdict is Verdict.ASK]
    return asks != [Stage.PAUSED] and not any(step.stage.is_locked for step in steps)


def _collect_floors(case: Case) -> list[Step]:
    """All floors that apply to a call, including those of parent agents."""
    found: list[Step | None] = []
    for policy in case.lineage:
        found += (*_rule_floors(case, policy), _changed_floor(case, policy), _tier_floor(case, policy))
    found += (
        _plan_floor(case),
        _breaker_floor(case),
        _protected_floor(case),
        _gate_floor(case),
        _destructive_floor(case),
        _unreadable_floor(case),
    )
    found += (_paused_floor(case), _outside_floor(case))
    return [*filter(None, found)]


def _collect_eases(case: Case) -> list[Step]:
    """All eases of a call; never empty, because the mode or the fallback always gives one step."""
    found = [_READ_STEP] if case.effect is Effect.READ else []
    setting = case.snapshot.tier_of(case.call)
    always = setting is not None and setting.tier is Tier.ALWAYS_ALLOW
    if setting is not None and always and (setting.explicit or case.mode is None):
        found.append(Step(Stage.TIER, Verdict.RUN, tool_reason(ReasonCode.ALWAYS_ALLOWED, case)))
    granted = case.snapshot.grants.rule_sets_for_call(case.call)
    if granted and (rule := covering_rule(case, granted)) is not None:
        found.append(Step(Stage.GRANT, Verdict.RUN, rule_reason(ReasonCode.GRANT, rule), rule.text))
    if (
        case.snapshot.rules.has_allow_rules
        and (rule := covering_rule(case, (case.snapshot.rules,))) is not None
    ):
        found.append(Step(Stage.ALLOW_RULE, Verdict.RUN, rule_reason(ReasonCode.ALLOW_RULE, rule), rule.text))
    found.append(_mode_or_fallback_step(case, is_explained=not found))
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
    stage, verdict = _RULE_STAGES[which] if match.certain else (Stage.UNRESOLVED, Verdict.ASK)
    return Step(stage, verdict, match_reason(which, match), match.rule.text, match.part.text)


def _find_rule_match(case: Case, policy: Snapshot, which: RuleList) -> RuleMatch | None:
    """The deny or ask rule that matches a part, or a file that a part reads or writes."""
    found = policy.rules.match(which, case.tool, case.parts, case.facts)
    if found is not None and found.certain:
        return found
    return find_file_match(case, policy, which, found)


def _changed_floor(case: Case, policy: Snapshot) -> Step | None:
    """The floor of a tool whose definition changed, or that nobody declared and nobody has accepted."""
    if case.tool.name not in policy.changed_tools:
        return None
    is_undeclared = case.tool.origin.startswith(UNDECLARED_ORIGIN)
    code = ReasonCode.UNDECLARED_TOOL if is_undeclared else ReasonCode.CHANGED_TOOL
    return Step(Stage.CHANGED, Verdict.ASK, tool_reason(code, case))


def _plan_floor(case: Case) -> Step | None:
    """The floor of plan mode, which denies all calls that do more than read."""
    if case.mode is not Mode.PLAN or case.effect is Effect.READ:
        return None
    return Step(Stage.PLAN, Verdict.DENY, Reason(ReasonCode.PLAN_ONLY_READS))


def _breaker_floor(case: Case) -> Step | None:
    """The floor of a tripped breaker."""
    custom = [breaker for policy in case.lineage for breaker in policy.breakers]
    if not custom and not any(part.may_trip_breaker for part in case.parts):
        return None
    found = find_tripped_breaker(case.parts, case.effect, case.facts, custom)
    if found is None:
        return None
    reason = make_reason(ReasonCode.BREAKER, problem=found.reason)
    return Step(Stage.BREAKER, Verdict.ASK, reason, part=found.part.text)


def _protected_floor(case: Case) -> Step | None:
    """The floor of a change to a protected path."""
    changed = case.changed_paths()
    path = find_protected_path(changed, case.facts) if changed else None
    if path is None:
        return None
    return Step(Stage.PROTECTED_PATH, Verdict.ASK, protected_reason(case, path), part=path)


def _gate_floor(case: Case) -> Step | None:
    """The floor of a command that changes what Assent decides, such as an answer to a question."""
    part = next((part for part in case.parts if part.is_gate and not case.only_reads(part)), None)
    if part is None:
        return None
    reason = make_reason(ReasonCode.CHANGES_ASSENT, part=part.text)
    return Step(Stage.PROTECTED_PATH, Verdict.ASK, reason, part=part.text)


def _destructive_floor(case: Case) -> Step | None:
    """The floor of a tool that is declared destructive."""
    if Effect.DESTRUCTIVE not in case.declared_effects:
        return None
    return Step(Stage.DESTRUCTIVE, Verdict.ASK, tool_reason(ReasonCode.DESTRUCTIVE_TOOL, case))


def _unreadable_floor(case: Case) -> Step | None:
    """The floor of an unreadable call."""
    problem = case.parsed.unreadable
    if problem is None:
        return None
    return Step(Stage.UNREADABLE, Verdict.ASK, unreadable_reason(case, problem))


def _paused_floor(case: Case) -> Step | None:
    """The floor of a pause, during which every call that does more than read waits."""
    who = [policy.paused_by for policy in case.lineage if policy.paused_by]
    if not who or case.effect is Effect.READ:
        return None
    return Step(Stage.PAUSED, Verdict.ASK, make_reason(ReasonCode.PAUSED, person=who[0]))


def _outside_floor(case: Case) -> Step | None:
    """The floor of a read outside the workspace or of a secret, unless a person allowed it."""
    for part in case.parts:
        where = case.find_outside_read(part)
        if where is not None and not _is_allowed_outside(case, part):
            return Step(Stage.OUTSIDE, Verdict.ASK, outside_reason(case, part, where), part=part.text)
    return None


def _is_allowed_outside(case: Case, part: Part) -> bool:
    """Whether a grant for the call, or rules for the part, allow the reads of the part."""
    if covering_rule(case, case.snapshot.grants.rule_sets_for_call(case.call)) is not None:
        return True
    return all(_allows_reading(case, policy, part) for policy in case.lineage)


def _allows_reading(case: Case, policy: Snapshot, part: Part) -> bool:
    """Whether scoped rules allow the command, and path rules allow the files that it reads by redirection."""
    if covering_scoped_rule(case, (policy.rules,), (part,)) is None:
        return False
    rules = policy.rules.path_rules(RuleList.ALLOW, policy.tools, read=True)
    outside = [use for use in part.redirect_reads if not case.may_read_path(use)]
    return all(covering_path_rule(rules, use, case.facts) is not None for use in outside)


def _tier_floor(case: Case, policy: Snapshot) -> Step | None:
    """The floor of the tier `needs_approval`."""
    setting = policy.tier_of(case.call)
    if setting is None or setting.tier is not Tier.NEEDS_APPROVAL:
        return None
    if not setting.explicit and policy.mode is not None:
        return None
    if covering_rule(case, case.snapshot.grants.rule_sets_for_call(case.call)) is not None:
        return None
    return Step(Stage.TIER, Verdict.ASK, tool_reason(ReasonCode.NEEDS_APPROVAL, case))


def _mode_or_fallback_step(case: Case, *, is_explained: bool) -> Step:
    """The step of the mode or, for an agent without a mode, of the fallback.

    A question is explained only if it is asked: finding its reason takes time.
    """
    step = (
        _FALLBACK_STEPS[case.snapshot.fallback] if case.mode is None else _MODE_STEPS[case.mode, case.effect]
    )
    if step.verdict is Verdict.RUN or not is_explained or case.mode is Mode.PLAN:
        return step
    reason, part = question_reason(case)
    return step._replace(reason=reason, part=part or None)


def _mode_step(mode: Mode, effect: Effect) -> Step:
    """The step of a mode for an effect."""
    # In plan mode, the stage `plan` already denies every call that is not a read.
    verdict = min(MODE_VERDICTS[mode][effect], Verdict.ASK)
    code = ReasonCode.MODE_RUNS if verdict is Verdict.RUN else ReasonCode.MODE_ASKS
    return Step(Stage.MODE, verdict, make_reason(code, mode=mode.value, effect=effect.value))


_MODE_STEPS = {(mode, effect): _mode_step(mode, effect) for mode in MODE_VERDICTS for effect in Effect}
"""The steps of all modes and effects, built once."""
_FALLBACK_STEPS = {
    verdict: Step(
        Stage.FALLBACK,
        verdict,
        Reason(ReasonCode.PRESET_RUNS if verdict is Verdict.RUN else ReasonCode.PRESET_ASKS),
    )
    for verdict in Verdict
}
_READ_STEP = Step(Stage.READ, Verdict.RUN, Reason(ReasonCode.ONLY_READS))
"""The step of a call that only reads."""
