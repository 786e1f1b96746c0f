"""The pieces of a command line for a person to read: where each begins, and its own verdict."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from assent.engine.case import Case
from assent.engine.coverage import covering_scoped_rule
from assent.engine.facts import Facts
from assent.engine.lines.part import ParsedCall, Part
from assent.engine.model import Call, Dialect
from assent.engine.policy.snapshot import Snapshot
from assent.engine.regex import regex
from assent.engine.template import render
from assent.engine.verdict import Decision, Piece, Step, Verdict

MOST_PIECES = 64
"""A line with more parts is shown as one piece."""


Span = tuple[int, int]

_NO_CONTENT = regex(
    r"[\s;&|(){}\[\]\"'`$@!]|\b(?:do|done|then|else|elif|fi|esac|in|if|while|until|for|case|foreach|switch|try|catch"
    r"|finally|process|begin|end)\b"
)
_REDIRECTION = regex(r"\s*(?:\d|&)?[<>]")
_LINE_END = "\\\n"


class Segment(NamedTuple):
    """A segment of the line up to the next one, and the part that it belongs to."""

    start: int
    """The index of its first character."""
    part: Part
    besides: tuple[Part, ...] = ()
    """Parts in it without a segment of their own, such as the variable of a loop."""


def call_pieces(call: Call, snapshot: Snapshot, facts: Facts, decision: Decision) -> tuple[Piece, ...]:
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


def _piece(segment: Segment, case: Case, decision: Decision) -> Piece:
    start, part, besides = segment
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


def segments(text: str, subject: ParsedCall) -> tuple[Segment, ...]:
    """The segments of a line in order; empty when the positions of its parts are not known."""
    source = subject.source or text
    placed = list(zip(subject.spans, subject.parts, strict=False))
    own = {span: part for span, part in placed if _has_own_place(span, part, subject.spans)}
    to_text = _places(source, text)
    if not own or to_text is None:
        return ()
    cuts = _cuts(own, source.encode())
    loose = [(span, part) for span, part in placed if span not in own]
    loose += [((0, 0), part) for part in subject.parts[len(placed) :]]
    homes = [(_cut_of(span, part, cuts, source), part) for span, part in loose]
    starts = [0, *(to_text[start] for start, _ in cuts[1:])]
    return tuple(
        Segment(start, own[span], tuple(part for home, part in homes if home == at))
        for at, (start, (_, span)) in enumerate(zip(starts, cuts, strict=True))
    )


def _has_own_place(span: Span, part: Part, spans: Sequence[Span]) -> bool:
    """Whether a part is a command with its own text: not a loop variable, not a compound around others."""
    command = part.command
    if command is None or not span[1]:
        return False
    if command.words:
        return True
    if part.text.isidentifier():
        return False
    return bool(command.assignments) or not any(_is_inside(one, span) for one in spans)


def _is_inside(span: Span, around: Span) -> bool:
    return span != around and around[0] <= span[0] and 0 < span[1] <= around[1]


def _cuts(spans: Mapping[Span, Part], source: bytes) -> list[tuple[int, Span]]:
    """Where each segment begins, in bytes, and the span of its command."""
    borders = sorted({border for span in spans for border in span} | {0})
    found: list[tuple[int, Span]] = []
    begun: set[Span] = set()
    for at, start in enumerate(borders):
        end = borders[at + 1] if at + 1 < len(borders) else len(source)
        owner = max(
            (span for span in spans if span[0] <= start < span[1]), default=None, key=lambda span: span[0]
        )
        if owner is None:
            # Text between commands belongs to the command before it, and at the start to the first one.
            continue
        if found and owner in begun and _goes_on(source[start:end].decode(errors="ignore")):
            continue
        begun.add(owner)
        found.append((start, owner))
    return found


def _goes_on(text: str) -> bool:
    """Whether the text after an inner command is its redirection, or only closes the outer command."""
    return _REDIRECTION.match(text) is not None or not _NO_CONTENT.sub("", text)


def _cut_of(span: Span, part: Part, cuts: Sequence[tuple[int, Span]], source: str) -> int:
    """The index of the segment that holds a part without a segment of its own."""
    place = span[1] - 1 if span[1] else len(source[: max(0, source.find(part.text))].encode())
    return max((at for at, (start, _) in enumerate(cuts) if start <= place), default=0)


def _places(source: str, text: str) -> Mapping[int, int] | None:
    """The index in the text of each character of the source, by its byte offset; None if they differ.

    A respelled line has no continued lines and no braces of a list, blanks in place of keywords and commas,
    and `$(…)` in place of backquotes.
    """
    found: dict[int, int] = {}
    at = byte = 0
    for character in source:
        while text.startswith(_LINE_END, at) and character != _LINE_END[0]:
            at += len(_LINE_END)
        while character != " " and text[at : at + 1] in ("{", "}") and text[at] != character:
            at += 1
        met = text[at : at + 1]
        if not met or (character not in (met, " ") and not (met == "`" and character in "$()")):
            return None
        found[byte] = at
        # A backquote was read as `$(`, which is two characters.
        at += not (met == "`" and character == "$")
        byte += len(character.encode())
    found[byte] = at
    return found
