"""A decision as text: its steps, the deciding step, and the rules that would have avoided a question."""

from collections.abc import Iterator

from assent.cli.base.decider import CheckedCall
from assent.cli.base.terminal import Style, styled_verdict, visible_text, with_style
from assent.engine.policy.verdict import Decision, Stage, Step, Verdict


def decision_summary(text: str, decision: Decision) -> str:
    """One line with the verdict, the call and the reason."""
    because = with_style(visible_text(decision.because), Style.FAINT)
    return f"{styled_verdict(decision.verdict)}  {visible_text(text)}  {because}"


def decision_explanation(text: str, checked: CheckedCall) -> Iterator[str]:
    """The lines that explain a decision: verdict, reason, all steps, and a rule that avoids the question."""
    decision = checked.decision
    yield f"{styled_verdict(decision.verdict)}  {visible_text(text)}"
    yield f"     {visible_text(decision.because)}"
    yield from _irreversible_warnings(checked)
    yield ""
    deciding = _find_deciding_step(decision)
    width = max(len(step.stage) for step in decision.steps)
    for step in decision.steps:
        yield from _step_lines(step, width, decides=step is deciding)
    if decision.verdict is Verdict.ASK:
        yield ""
        yield from _rules_that_avoid_asking(checked)


def _irreversible_warnings(checked: CheckedCall) -> Iterator[str]:
    """A warning for each irreversible act of the call."""
    from assent.cli.base.call_view import irreversible_lines
    from assent.config.check_records import with_irreversible_acts

    decision = with_irreversible_acts(checked.call, checked.snapshot, checked.decision)
    yield from (f"     {line}" for line in irreversible_lines(decision.irreversible))


def unknown_tool_hint(checked: CheckedCall) -> Iterator[str]:
    """A hint how to declare the tool, if the tool of the call is unknown."""
    if checked.decision.stage is not Stage.UNKNOWN:
        return
    from difflib import get_close_matches

    near = get_close_matches(checked.call.tool, checked.snapshot.tools, 1)
    suggestion = f"did you mean `{near[0]}`? " if near else ""
    yield f"        {suggestion}declare a tool of your own under [tools] in the policy file"


def _find_deciding_step(decision: Decision) -> Step | None:
    wanted = (decision.stage, decision.verdict)
    return next((step for step in decision.steps if (step.stage, step.verdict) == wanted), None)


def _step_lines(step: Step, width: int, *, decides: bool) -> Iterator[str]:
    mark = with_style(">", Style.STRONG) if decides else " "
    yield f"{mark} {step.verdict.word:<6}  {step.stage:<{width}}  {visible_text(step.because)}"
    indent = " " * (width + 12)
    if step.part is not None:
        yield f"{indent}{with_style(f'part: {visible_text(step.part)}', Style.FAINT)}"


def _rules_that_avoid_asking(checked: CheckedCall) -> Iterator[str]:
    """The narrowest rules that would have avoided the question, as lines of text."""
    from assent.engine.suggestions import suggestions

    offered = suggestions(checked.call, checked.snapshot, checked.facts)
    if not offered:
        always = checked.decision.always_offered
        yield "Assent suggests no rule for this call" if always else "no rule can avoid this question"
        return
    narrowest = offered[0]
    yield "this would have avoided the question:"
    yield from (
        f"  {'grant' if narrowest.as_grant else 'allow'} {visible_text(rule.text)}"
        for rule in narrowest.rules
    )
