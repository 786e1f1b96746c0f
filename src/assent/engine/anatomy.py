"""The anatomy of a call: where its pieces begin, and what is to be said of each by itself."""

from collections.abc import Iterator, Sequence

from assent.engine.case import Case
from assent.engine.coverage import scoped_covering
from assent.engine.facts import Facts
from assent.engine.model import Call, Dialect
from assent.engine.part import Part
from assent.engine.snapshot import Snapshot
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
    parts = case.subject.parts
    if not 1 < len(parts) <= MOST_PIECES or case.subject.unreadable is not None:
        return ()
    starts = _starts(parts, render(tool, call.args) or "")
    if starts is None:
        return ()
    return tuple(_piece(start, part, case, decision) for start, part in zip(starts, parts, strict=True))


def _starts(parts: Sequence[Part], text: str) -> list[int] | None:
    """Where each part stands in the line; None if one is not spelled there, or the order is another."""
    found: list[int] = []
    at = 0
    for part in parts:
        start = text.find(part.text, at)
        if start < 0:
            return None
        found.append(start)
        at = start + 1
    return found


def _piece(start: int, part: Part, case: Case, decision: Decision) -> Piece:
    spoken = [step for step in decision.steps if step.part is not None and step.part in _texts(part)]
    strict = max((step for step in spoken if step.verdict is not Verdict.RUN), key=_gravity, default=None)
    if strict is not None:
        return Piece(start, strict.verdict, strict.reason, strict.rule)
    eased = next((step for step in decision.steps if step.verdict is Verdict.RUN), None)
    if eased is not None:
        # An ease is about the call as a whole, so about each of its parts.
        return Piece(start, Verdict.RUN, eased.reason, eased.rule)
    if case.only_reads(part):
        return Piece(start, Verdict.RUN, "it only reads")
    granted = case.snapshot.grants.for_call(case.call)
    if (rule := scoped_covering(case, granted, (part,))) is not None:
        return Piece(start, Verdict.RUN, f"granted before: `{rule.text}`", rule.text)
    if (rule := scoped_covering(case, (case.snapshot.rules,), (part,))) is not None:
        return Piece(start, Verdict.RUN, f"allow rule `{rule.text}`", rule.text)
    return Piece(start, Verdict.ASK, "nothing covers this")


def _texts(part: Part) -> Iterator[str]:
    """Its own text and those of all that it carries."""
    yield part.text
    for inner in part.carried:
        yield from _texts(inner)


def _gravity(step: Step) -> Verdict:
    return step.verdict
