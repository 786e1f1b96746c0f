"""A decision as text: its steps, the step that decided, and the rule that would have avoided it."""

from collections.abc import Iterator

from assent.cli.decider import CheckedCall
from assent.cli.terminal import Style, paint, paint_verdict, visible
from assent.engine.policy.verdict import Decision, Stage, Step, Verdict


def summary(text: str, decision: Decision) -> str:
    """One line: the verdict, the call and the reason."""
    because = paint(visible(decision.because), Style.FAINT)
    return f"{paint_verdict(decision.verdict)}  {visible(text)}  {because}"


def explanation(text: str, checked: CheckedCall) -> Iterator[str]:
    """The whole decision, line by line."""
    decision = checked.decision
    yield f"{paint_verdict(decision.verdict)}  {visible(text)}"
    yield f"     {visible(decision.because)}"
    yield from _irreversible(checked)
    yield ""
    deciding = _deciding_step(decision)
    width = max(len(step.stage) for step in decision.steps)
    for step in decision.steps:
        yield from _step(step, width, decides=step is deciding)
    if decision.verdict is Verdict.ASK:
        yield ""
        yield from _avoiding_rules(checked)


def _irreversible(checked: CheckedCall) -> Iterator[str]:
    """Warnings about what the call cannot undo."""
    from assent.cli.call_view import irreversible_lines
    from assent.config.check_records import with_irreversible_acts

    decision = with_irreversible_acts(checked.call, checked.snapshot, checked.decision)
    yield from (f"     {line}" for line in irreversible_lines(decision.irreversible))


def next_step(checked: CheckedCall) -> Iterator[str]:
    """A hint for an unknown tool."""
    if checked.decision.stage is not Stage.UNKNOWN:
        return
    from difflib import get_close_matches

    near = get_close_matches(checked.call.tool, checked.snapshot.tools, 1)
    suggestion = f"did you mean `{near[0]}`? " if near else ""
    yield f"        {suggestion}declare a tool of your own under [tools] in the policy file"


def _deciding_step(decision: Decision) -> Step | None:
    wanted = (decision.stage, decision.verdict)
    return next((step for step in decision.steps if (step.stage, step.verdict) == wanted), None)


def _step(step: Step, width: int, *, decides: bool) -> Iterator[str]:
    mark = paint(">", Style.STRONG) if decides else " "
    yield f"{mark} {step.verdict.word:<6}  {step.stage:<{width}}  {visible(step.reason)}"
    indent = " " * (width + 12)
    if step.part is not None:
        yield f"{indent}{paint(f'part: {visible(step.part)}', Style.FAINT)}"


def _avoiding_rules(checked: CheckedCall) -> Iterator[str]:
    """The narrowest rules that would have avoided the question, if there are any."""
    from assent.engine.suggestions import suggestions

    offered = suggestions(checked.call, checked.snapshot, checked.facts)
    if not offered:
        yield "no rule can avoid this question"
        return
    narrowest = offered[0]
    yield "this would have avoided the question:"
    yield from (
        f"  {'grant' if narrowest.as_grant else 'allow'} {visible(rule.text)}" for rule in narrowest.rules
    )
