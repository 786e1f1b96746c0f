"""The anatomy of a call: where its pieces begin, and what is to be said of each by itself."""

from collections.abc import Iterator

from assent.engine.case import Case
from assent.engine.coverage import covering_scoped_rule
from assent.engine.facts import Facts
from assent.engine.lines.part import Part
from assent.engine.lines.segments import Segment, segments
from assent.engine.model import Call, Dialect
from assent.engine.policy.snapshot import Snapshot
from assent.engine.template import render
from assent.engine.verdict import Decision, Piece, Step, Verdict

MOST_PIECES = 64
"""A line of more is shown as one, and read as a whole."""


def anatomy(call: Call, snapshot: Snapshot, facts: Facts, decision: Decision) -> tuple[Piece, ...]:
    """The pieces of a command line in order, each up to where the next begins; none for what is one piece.

    It explains a decision that was made and decides nothing.
    """
    tool = snapshot.tools.get(call.tool)
    if tool is None or tool.dialect not in (Dialect.SHELL, Dialect.POWERSHELL):
        return ()
    case = Case(call, tool, snapshot, facts)
    parts, text = case.parsed.parts, render(tool, call.args) or ""
    if not 1 < len(parts) <= MOST_PIECES or case.parsed.unreadable is not None:
        return ()
    pieces = tuple(_piece(one, case, decision) for one in segments(text, case.parsed))
    shown = any(piece.verdict is not Verdict.RUN for piece in pieces) or decision.verdict is Verdict.RUN
    # A line that asks, and none of whose pieces does, is shown as one.
    return pieces if len(pieces) > 1 and shown else ()


def _piece(stretch: Segment, case: Case, decision: Decision) -> Piece:
    start, part, besides = stretch
    texts = {text for one in (part, *besides) for text in _texts(one)}
    spoken = [step for step in decision.steps if step.part is not None and step.part in texts]
    strict = max((step for step in spoken if step.verdict is not Verdict.RUN), key=_gravity, default=None)
    if strict is not None:
        return Piece(start, strict.verdict, strict.reason, strict.rule)
    eased = next((step for step in decision.steps if step.verdict is Verdict.RUN), None)
    if eased is not None:
        # An ease is about the call as a whole, so about each of its parts.
        return Piece(start, Verdict.RUN, eased.reason, eased.rule)
    if all(case.only_reads(one) for one in (part, *besides)):
        return Piece(start, Verdict.RUN, "it only reads")
    granted = case.snapshot.grants.for_call(case.call)
    if (rule := covering_scoped_rule(case, granted, (part, *besides))) is not None:
        return Piece(start, Verdict.RUN, f"granted before: `{rule.text}`", rule.text)
    if (rule := covering_scoped_rule(case, (case.snapshot.rules,), (part, *besides))) is not None:
        return Piece(start, Verdict.RUN, f"allow rule `{rule.text}`", rule.text)
    return Piece(start, Verdict.ASK, "nothing covers this")


def _texts(part: Part) -> Iterator[str]:
    """Its own text and those of all that it carries."""
    yield part.text
    for inner in part.carried:
        yield from _texts(inner)


def _gravity(step: Step) -> Verdict:
    return step.verdict
