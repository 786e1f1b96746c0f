"""Details of a decision for the person who answers: pieces, inputs, irreversible acts and the batch key.

The details explain a decision and never change it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from assent.engine.base.facts import CallDirectories, Facts, PathUse
from assent.engine.base.globs import UNKNOWN_MARK
from assent.engine.base.lazy import regex
from assent.engine.base.reason import Reason, ReasonCode
from assent.engine.base.tool import Call, Dialect, Tool, render_specifier
from assent.engine.case import Case, covering_scoped_rule
from assent.engine.irreversible.act import IrreversibleAct
from assent.engine.irreversible.commands import find_command_acts
from assent.engine.irreversible.powershell import find_powershell_acts
from assent.engine.irreversible.tools import find_tool_acts
from assent.engine.lines.command import Command
from assent.engine.lines.part import ParsedCall, Part
from assent.engine.lines.specifier import DisclosedInput, InputSource, StandardInput
from assent.engine.parsing import parse_call
from assent.engine.part_reasons import part_reason
from assent.engine.policy.snapshot import Snapshot
from assent.engine.policy.verdict import Decision, Piece, Step, Verdict
from assent.engine.reasons import rule_reason

ByteSpan = tuple[int, int]
"""Start and end of a command in the line, in bytes."""
MAX_PIECES = 64
"""The maximal number of parts that are shown as separate pieces; a line with more parts is one piece."""
MAX_ACTS = 8
"""The maximal number of irreversible acts that are shown."""
MAX_COMMAND_LENGTH = 120
"""The maximal length of a command that is shown with its input."""
MAX_BATCH_COMMAND_LENGTH = 120
"""The maximal length of a program and sub-command in a batch key."""
_CLOSING_TEXT = regex(
    r"[\s;&|(){}\[\]\"'`$@!]|\b(?:do|done|then|else|elif|fi|esac|in|if|while|until|for|case|foreach|switch|try|catch"
    r"|finally|process|begin|end)\b"
)
"""Text that only closes or separates commands: blanks, operators and keywords."""
_REDIRECTION = regex(r"\s*(?:\d|&)?[<>]")
_LINE_CONTINUATION = "\\\n"


class LineSegment(NamedTuple):
    """A segment of the line, up to the next segment, and the part to which it belongs."""

    start: int
    """The index of the first character."""
    part: Part
    other_parts: tuple[Part, ...] = ()
    """Parts without a segment of their own, such as the variable of a loop."""


def call_pieces(call: Call, snapshot: Snapshot, facts: Facts, decision: Decision) -> tuple[Piece, ...]:
    """The pieces of a command line in order, each with its verdict; empty if the whole line is one piece."""
    tool = snapshot.tools.get(call.tool)
    if tool is None or tool.dialect not in (Dialect.SHELL, Dialect.POWERSHELL):
        return ()
    case = Case(call, tool, snapshot, facts)
    parts, text = case.parsed.parts, render_specifier(tool, call.args) or ""
    if not 1 < len(parts) <= MAX_PIECES or case.parsed.unreadable is not None:
        return ()
    pieces = tuple(_build_piece(one, case, decision) for one in split_segments(text, case.parsed))
    shown = any(piece.verdict is not Verdict.RUN for piece in pieces) or decision.verdict is Verdict.RUN
    # If the line asks but none of its pieces asks, the line is shown as one piece.
    return pieces if len(pieces) > 1 and shown else ()


def disclosed_inputs(call: Call, snapshot: Snapshot, facts: Facts) -> tuple[DisclosedInput, ...]:
    """The standard inputs on which commands of a call may act, in order; a shared input is listed once."""
    tool = snapshot.tools.get(call.tool)
    fed = () if tool is None else tuple(part for part in parse_call(call, tool).distinct_parts if part.input)
    if tool is None or not fed:
        return ()
    case = Case(call, tool, snapshot, facts)
    found: dict[DisclosedInput, list[str]] = {}
    for part in fed:
        found.setdefault(_build_disclosed_input(part, case), []).append(_command_text(part))
    return tuple(one._replace(commands=tuple(dict.fromkeys(names))) for one, names in found.items())


def irreversible_acts(call: Call, tool: Tool) -> tuple[IrreversibleAct, ...]:
    """All irreversible acts of a call, each once, in order. No verdict depends on them."""
    found: dict[IrreversibleAct, None] = {}
    match tool.dialect:
        case Dialect.SHELL | Dialect.POWERSHELL:
            read = find_command_acts if tool.dialect is Dialect.SHELL else find_powershell_acts
            for part in parse_call(call, tool).all_parts:
                if part.command is not None:
                    found.update(dict.fromkeys(read(part.command)))
        case Dialect.PATH | Dialect.TEXT:
            found.update(dict.fromkeys(find_tool_acts(call, tool)))
    return tuple(one for one in found if _has_name(one) or not _is_named_elsewhere(one, found))[:MAX_ACTS]


def batch_key(call: Call, tool: Tool, decision: Decision, acts: tuple[IrreversibleAct, ...]) -> str:
    """The key of approvals that can be answered together; empty for an approval that must be answered alone.

    The key is empty for calls that are locked or cannot be undone, for lines with several commands or
    a wrapper, and for commands whose sub-command is not the second word.
    """
    if acts or decision.is_locked:
        return ""
    kind = f"{tool.name} {tool.effect.value}"
    if not tool.dialect.is_shell:
        return kind
    parsed = parse_call(call, tool)
    part = parsed.parts[0]
    if len(parsed.all_parts) > 1 or parsed.unreadable is not None or part.command is None:
        return ""
    command = _program_and_sub_command(part.command)
    return command and f"{kind} {command}"


def _build_piece(segment: LineSegment, case: Case, decision: Decision) -> Piece:
    """The piece of a segment, with the strictest verdict of its parts."""
    start, part, besides = segment
    texts = {text for one in (part, *besides) for text in _nested_texts(one)}
    spoken = [step for step in decision.steps if step.part is not None and step.part in texts]
    strict = max(
        (step for step in spoken if step.verdict is not Verdict.RUN), key=_step_verdict, default=None
    )
    if strict is not None:
        return Piece(start, strict.verdict, strict.reason, strict.rule)
    eased = next((step for step in decision.steps if step.verdict is Verdict.RUN), None)
    if eased is not None:
        # An ease applies to the whole call, and so to each of its parts.
        return Piece(start, Verdict.RUN, eased.reason, eased.rule)
    if all(case.only_reads(one) for one in (part, *besides)):
        return Piece(start, Verdict.RUN, Reason(ReasonCode.ONLY_READS))
    granted = case.snapshot.grants.rule_sets_for_call(case.call)
    if (rule := covering_scoped_rule(case, granted, (part, *besides))) is not None:
        return Piece(start, Verdict.RUN, rule_reason(ReasonCode.GRANT, rule), rule.text)
    if (rule := covering_scoped_rule(case, (case.snapshot.rules,), (part, *besides))) is not None:
        return Piece(start, Verdict.RUN, rule_reason(ReasonCode.ALLOW_RULE, rule), rule.text)
    asking = next((one for one in (part, *besides) if not case.only_reads(one)), part)
    return Piece(start, Verdict.ASK, part_reason(case, asking))


def _nested_texts(part: Part) -> Iterator[str]:
    """Yield the text of a part and of all its nested parts."""
    yield part.text
    for inner in part.nested:
        yield from _nested_texts(inner)


def _step_verdict(step: Step) -> Verdict:
    """The verdict of a step."""
    return step.verdict


def split_segments(text: str, parsed: ParsedCall) -> tuple[LineSegment, ...]:
    """The segments of a line in order; empty if the positions of its parts are unknown."""
    source = parsed.source or text
    placed = list(zip(parsed.spans, parsed.parts, strict=False))
    own = {span: part for span, part in placed if _has_own_text(span, part, parsed.spans)}
    to_text = _map_bytes_to_text(source, text)
    if not own or to_text is None:
        return ()
    cuts = _find_segment_starts(own, source.encode())
    loose = [(span, part) for span, part in placed if span not in own]
    loose += [((0, 0), part) for part in parsed.parts[len(placed) :]]
    homes = [(_find_segment(span, part, cuts, source), part) for span, part in loose]
    starts = [0, *(to_text[start] for start, _ in cuts[1:])]
    return tuple(
        LineSegment(start, own[span], tuple(part for home, part in homes if home == at))
        for at, (start, (_, span)) in enumerate(zip(starts, cuts, strict=True))
    )


def _has_own_text(span: ByteSpan, part: Part, spans: Sequence[ByteSpan]) -> bool:
    """Whether a part is a command with a text of its own.

    Loop variables and statements around other commands are not.
    """
    command = part.command
    if command is None or not span[1]:
        return False
    if command.words:
        return True
    if part.text.isidentifier():
        return False
    return bool(command.assignments) or not any(_is_inside(one, span) for one in spans)


def _is_inside(span: ByteSpan, around: ByteSpan) -> bool:
    """Whether a span is inside another span."""
    return span != around and around[0] <= span[0] and 0 < span[1] <= around[1]


def _find_segment_starts(spans: Mapping[ByteSpan, Part], source: bytes) -> list[tuple[int, ByteSpan]]:
    """The byte at which each segment begins, with the span of its command."""
    borders = sorted({border for span in spans for border in span} | {0})
    found: list[tuple[int, ByteSpan]] = []
    begun: set[ByteSpan] = set()
    for at, start in enumerate(borders):
        end = borders[at + 1] if at + 1 < len(borders) else len(source)
        owner = max(
            (span for span in spans if span[0] <= start < span[1]), default=None, key=lambda span: span[0]
        )
        if owner is None:
            # Text between commands belongs to the command before it; text at the start to the first command.
            continue
        if found and owner in begun and _continues_segment(source[start:end].decode(errors="ignore")):
            continue
        begun.add(owner)
        found.append((start, owner))
    return found


def _continues_segment(text: str) -> bool:
    """Whether the text after an inner command is its redirection, or only closes the outer command."""
    return _REDIRECTION.match(text) is not None or not _CLOSING_TEXT.sub("", text)


def _find_segment(span: ByteSpan, part: Part, cuts: Sequence[tuple[int, ByteSpan]], source: str) -> int:
    """The index of the segment that contains a part without a segment of its own."""
    offset = span[1] - 1 if span[1] else len(source[: max(0, source.find(part.text))].encode())
    return max((at for at, (start, _) in enumerate(cuts) if start <= offset), default=0)


def _map_bytes_to_text(source: str, text: str) -> Mapping[int, int] | None:
    """The index in the text of each character of the rewritten source, by byte offset; None if they differ.

    A rewritten line has no continued lines and no braces of a list, blanks instead of keywords and
    commas, and `$(…)` instead of backticks.
    """
    found: dict[int, int] = {}
    at = byte = 0
    for character in source:
        while text.startswith(_LINE_CONTINUATION, at) and character != _LINE_CONTINUATION[0]:
            at += len(_LINE_CONTINUATION)
        while character != " " and text[at : at + 1] in ("{", "}") and text[at] != character:
            at += 1
        met = text[at : at + 1]
        if not met or (character not in (met, " ") and not (met == "`" and character in "$()")):
            return None
        found[byte] = at
        # A backtick was rewritten as `$(`, which has two characters.
        at += not (met == "`" and character == "$")
        byte += len(character.encode())
    found[byte] = at
    return found


def _build_disclosed_input(part: Part, case: Case) -> DisclosedInput:
    """The input of a part, without its command."""
    fed = part.input or StandardInput()
    can_be_named = bool(case.input_names(part))
    if fed.text is not None:
        found = _disclose_text_input(fed.text, case.call)
    elif fed.file is None:
        found = DisclosedInput(source=fed.unnamed_source or InputSource.UNKNOWN_FILE)
    else:
        written = case.may_change_input(part)
        found = _disclose_file_input(
            fed.file, case.facts, InputSource.WRITTEN_FILE if written else InputSource.FILE
        )
    return found._replace(can_be_named=can_be_named, must_be_named=fed.must_be_named)


def _disclose_text_input(text: str, call: Call) -> DisclosedInput:
    """The position of an input text in an argument; the text itself if no argument contains it."""
    texts = {name: value for name, value in call.args.items() if isinstance(value, str)}
    # Prefer an argument that equals the text.
    for name in sorted(texts, key=lambda one: texts[one] != text):
        start = texts[name].find(text) if text else -1
        if start >= 0:
            return DisclosedInput(source=InputSource.TEXT, argument=name, start=start, end=start + len(text))
    return DisclosedInput(source=InputSource.TEXT, text=text)


def _disclose_file_input(use: PathUse, facts: Facts, source: InputSource) -> DisclosedInput:
    """The path and digest of an input file."""
    written = use.to_absolute_path(facts.directories)
    real = () if written is None else facts.real.get(written, ())
    path = _to_shown_path(real[0] if len(real) == 1 else written or use.text, facts.directories)
    return DisclosedInput(source=source, path=path, digest=facts.contents.get(written or "", ""))


def _to_shown_path(path: str, directories: CallDirectories) -> str:
    """A path relative to the workspace root if it is inside; otherwise unchanged."""
    root = directories.roots[0].rstrip("/") + "/" if directories.roots else ""
    return path[len(root) :] if root and path.startswith(root) else path


def _command_text(part: Part) -> str:
    """The words of a command, shortened to the maximum length."""
    words = () if part.command is None else part.command.words
    text = " ".join(word.text for word in words).replace(UNKNOWN_MARK, "…") or part.text
    return text if len(text) <= MAX_COMMAND_LENGTH else text[: MAX_COMMAND_LENGTH - 1] + "…"


def _has_name(act: IrreversibleAct) -> bool:
    """Whether an act has a known name."""
    return act.name.strip("… ") != ""


def _is_named_elsewhere(act: IrreversibleAct, others: Iterable[IrreversibleAct]) -> bool:
    """Whether another act with the same loss and kind has a name, as with the input of `xargs`."""
    return any(_has_name(one) and one[:2] == act[:2] for one in others)


def _program_and_sub_command(command: Command) -> str:
    """The first two words of a plain command; empty for other commands."""
    words = command.words[:2]
    if command.assignments or command.redirects or command.piped:
        return ""
    if not words or sum(len(word.text) for word in words) > MAX_BATCH_COMMAND_LENGTH:
        return ""
    if any(word.is_opaque or word.text[:1] in ("-", "") for word in words):
        return ""
    return " ".join(word.text for word in words)
