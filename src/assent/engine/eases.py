"""Eases: reasons why a call need not ask."""

from assent.engine.case import Case
from assent.engine.model import Effect
from assent.engine.modes import TABLE, Mode
from assent.engine.policy.coverage import covering
from assent.engine.policy.tiers import Tier
from assent.engine.verdict import Stage, Step, Verdict


def eases(case: Case) -> list[Step]:
    """Every ease this call has; the last one always speaks, so there is at least one."""
    found = [_ONLY_READS] if case.effect is Effect.READ else []
    tier = case.snapshot.tier_of(case.call)
    if tier is not None and tier.tier is Tier.ALWAYS_ALLOW and (tier.explicit or case.mode is None):
        reason = f"`{case.tool.name}` is always allowed for this agent"
        found.append(Step(Stage.TIER, Verdict.RUN, reason))
    granted = case.snapshot.grants.for_call(case.call)
    if granted and (rule := covering(case, granted)) is not None:
        found.append(Step(Stage.GRANT, Verdict.RUN, f"granted before: `{rule.text}`", rule.text))
    if case.snapshot.rules.allows and (rule := covering(case, (case.snapshot.rules,))) is not None:
        found.append(Step(Stage.ALLOW_RULE, Verdict.RUN, f"allow rule `{rule.text}`", rule.text))
    found.append(_last(case))
    return found


def _last(case: Case) -> Step:
    if case.mode is None:
        fallback = case.snapshot.fallback
        says = "runs" if fallback is Verdict.RUN else "asks about"
        return Step(Stage.FALLBACK, fallback, f"an agent without a mode {says} what nothing else decides")
    step = _BY_MODE[case.mode, case.effect]
    distrust = _distrust(case)
    return step._replace(reason=step.reason + distrust) if distrust else step


def _by_mode(mode: Mode, effect: Effect) -> Step:
    # Plan has denied whatever is not a read by now; its own row would say so a second time.
    verdict = min(TABLE[mode][effect], Verdict.ASK)
    says = "runs" if verdict is Verdict.RUN else "asks before"
    return Step(Stage.MODE, verdict, f"{mode} mode {says} {effect} calls")


_BY_MODE = {(mode, effect): _by_mode(mode, effect) for mode in TABLE for effect in Effect}
_ONLY_READS = Step(Stage.READ, Verdict.RUN, "it only reads")


def _distrust(case: Case) -> str:
    """What a person could do so that this would not be asked."""
    if case.effect in (Effect.READ, Effect.DESTRUCTIVE) or case.facts.trusted_repository:
        return ""
    would_read = all(part.only_reads and case.at_home(part) for part in case.parts)
    return "; in a trusted repository this would only read" if would_read else ""
