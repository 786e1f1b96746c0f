"""Eases: reasons why a call can run without asking."""

from assent.engine.case import Case
from assent.engine.coverage import covering_rule
from assent.engine.model import Effect
from assent.engine.modes import MODE_VERDICTS, Mode
from assent.engine.policy.tiers import Tier
from assent.engine.verdict import Stage, Step, Verdict


def eases(case: Case) -> list[Step]:
    """Every ease of this call; the mode or the fallback always gives one, so the list is never empty."""
    found = [_ONLY_READS] if case.effect is Effect.READ else []
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
    found.append(_mode_or_fallback(case))
    return found


def _mode_or_fallback(case: Case) -> Step:
    if case.mode is None:
        fallback = case.snapshot.fallback
        answer = "allows calls" if fallback is Verdict.RUN else "asks"
        return Step(Stage.FALLBACK, fallback, f"this agent has no mode, and its preset {answer} by default")
    step = _MODE_STEPS[case.mode, case.effect]
    hint = _trust_hint(case)
    return step._replace(reason=step.reason + hint) if hint else step


def _mode_step(mode: Mode, effect: Effect) -> Step:
    # The stage `plan` denies every call that is not a read; this row would repeat it.
    verdict = min(MODE_VERDICTS[mode][effect], Verdict.ASK)
    answer = "allows" if verdict is Verdict.RUN else "asks before"
    return Step(Stage.MODE, verdict, f"{mode} mode {answer} {effect.action}")


_MODE_STEPS = {(mode, effect): _mode_step(mode, effect) for mode in MODE_VERDICTS for effect in Effect}
_ONLY_READS = Step(Stage.READ, Verdict.RUN, "it only reads")


def _trust_hint(case: Case) -> str:
    """How a person could avoid this question: by trusting the repository."""
    if case.effect in (Effect.READ, Effect.DESTRUCTIVE) or case.facts.trusted_repository:
        return ""
    would_read = all(part.only_reads and case.runs_in_workspace(part) for part in case.parts)
    return "; in a trusted repository it would count as reading" if would_read else ""
