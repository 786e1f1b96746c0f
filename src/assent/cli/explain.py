"""A decision in words: every step in order, the one that decided, and what would have avoided it."""

from collections.abc import Iterator

from assent.cli.standpoint import Decided
from assent.cli.terminal import Style, paint, painted_verdict, visible
from assent.engine.verdict import Decision, Stage, Step, Verdict


def summary(written: str, decision: Decision) -> str:
    """One line: what happens to the call, and why."""
    because = paint(visible(decision.because), Style.FAINT)
    return f"{painted_verdict(decision.verdict)}  {visible(written)}  {because}"


def explanation(written: str, decided: Decided) -> Iterator[str]:
    """All of a decision, line by line."""
    decision = decided.decision
    yield f"{painted_verdict(decision.verdict)}  {visible(written)}"
    yield f"     {visible(decision.because)}"
    yield from _irreversible(decided)
    yield ""
    deciding = _deciding(decision)
    width = max(len(step.stage) for step in decision.steps)
    for step in decision.steps:
        yield from _step(step, width, decides=step is deciding)
    if decision.verdict is Verdict.ASK:
        yield ""
        yield from _way_out(decided)


def _irreversible(decided: Decided) -> Iterator[str]:
    """What the call would do that cannot be undone."""
    from assent.cli.irreversible import warnings
    from assent.config.checkfile import with_acts

    told = with_acts(decided.call, decided.snapshot, decided.decision)
    yield from (f"     {line}" for line in warnings(told.irreversible))


def next_step(decided: Decided) -> Iterator[str]:
    """What somebody can do about a tool that is not there."""
    if decided.decision.stage is not Stage.UNKNOWN:
        return
    from difflib import get_close_matches

    near = get_close_matches(decided.call.tool, decided.snapshot.tools, 1)
    meant = f"did you mean `{near[0]}`? " if near else ""
    yield f"        {meant}a tool of your own is declared under [tools] in the policy file"


def _deciding(decision: Decision) -> Step | None:
    wanted = (decision.stage, decision.verdict)
    return next((step for step in decision.steps if (step.stage, step.verdict) == wanted), None)


def _step(step: Step, width: int, *, decides: bool) -> Iterator[str]:
    mark = paint(">", Style.STRONG) if decides else " "
    yield f"{mark} {step.verdict.word:<6}  {step.stage:<{width}}  {visible(step.reason)}"
    indent = " " * (width + 12)
    if step.part is not None:
        yield f"{indent}{paint(f'part: {visible(step.part)}', Style.FAINT)}"


def _way_out(decided: Decided) -> Iterator[str]:
    """The smallest rules that would have avoided the question, if any could."""
    from assent.engine.suggestions import suggestions

    offered = suggestions(decided.call, decided.snapshot, decided.facts)
    if not offered:
        yield "no rule avoids this question"
        return
    smallest = offered[0]
    yield "this would have avoided the question:"
    yield from (
        f"  {'grant' if smallest.as_grant else 'allow'} {visible(rule.text)}" for rule in smallest.rules
    )
