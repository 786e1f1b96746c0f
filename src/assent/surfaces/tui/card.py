"""The card of a question: the call with its parts, why it asks, who asks, and what "always" would write."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from textual.content import Content

from assent.surfaces.tui.look import VERDICT_STYLES, line, paragraph, row
from assent.surfaces.tui.loss_sentences import act_sentence
from assent.surfaces.tui.question import CONFIRMATION, LONG_LINES, Part, Question
from assent.surfaces.tui.rule_editor import rule_editor_of
from assent.surfaces.tui.text import STARTED, visible, visible_lines
from assent.surfaces.tui.words import (
    LOCKS,
    VERDICTS,
    file_sentence,
    input_sentence,
    mode_words,
)

TINY_WIDTH = 50
"""Below this width only the part that asks comes before the reason."""
NARROW_WIDTH = 70
_DANGER = "bold underline $deny on $deny-soft"
_DIFF_STYLES = {"+": "$run", "-": "$deny", "@": "$ink-3"}


@dataclass(slots=True)
class CardLines:
    """The lines of a card. A person must have seen all lines before `act_end` to allow the call."""

    lines: list[Content] = field(default_factory=list[Content])
    act_end: int = 0
    dangers: list[int] = field(default_factory=list[int])
    """The lines with marked words."""

    def add(self, lines: Iterable[Content]) -> None:
        """Append lines."""
        self.lines.extend(lines)

    def add_gap(self, *, is_tiny: bool) -> None:
        """Append an empty line where there is room."""
        if not is_tiny:
            self.lines.append(Content(""))


def card_lines(question: Question, width: int) -> CardLines:
    """All lines of the card at a width."""
    is_tiny = width < TINY_WIDTH
    card = CardLines()
    card.add_gap(is_tiny=is_tiny)
    card.add(_warnings(question, width))
    if question.is_long:
        card.add(_why(question, width))
        card.add_gap(is_tiny=is_tiny)
    _add_act(card, question, width, is_tiny=is_tiny)
    card.add_gap(is_tiny=is_tiny)
    if not question.is_long:
        card.add(_why(question, width))
        card.add_gap(is_tiny=is_tiny)
    card.add(_origin(question, width))
    card.add_gap(is_tiny=is_tiny)
    card.add(_always(question, width))
    if question.comment:
        card.add_gap(is_tiny=is_tiny)
        # The agent's own words come last, quoted and named, so that they cannot pass for ours.
        card.add(
            paragraph(width, f"“{visible(question.comment)}”", "$ink-3", lead=f"{question.agent} says: ")
        )
    for part in _other_parts(question, is_tiny=is_tiny):
        _add_part(card, question, part, width, shows_reason=False)
    return card


def trace_lines(question: Question, width: int) -> list[Content]:
    """Every step of the decision, and all facts of the call."""
    decision, approval = question.approval.decision, question.approval
    shown = [Content(""), line(("Every step of this decision", "bold $ink")), Content("")]
    for step in decision.steps:
        symbol, word = VERDICTS[step.verdict]
        decides = step.stage is decision.stage and step.verdict is decision.verdict
        style = VERDICT_STYLES[step.verdict]
        head = line(
            ("▌" if decides else " ", "$ask"), (f"{symbol} {word:<7}", style), (step.stage, "bold $ink")
        )
        shown += [row(width, head), *paragraph(width, visible(step.reason), indent=10)]
    shown.append(Content(""))
    facts = {
        "Conversation": approval.call.conversation,
        "Turn": approval.turn,
        "Preset": approval.preset,
        "Call id": approval.call.id,
        "Question": approval.id,
        "Digest": approval.digest if question.is_loaded else "",
    }
    for name, value in facts.items():
        if value:
            shown += paragraph(width, visible(value), "$ink-2", lead=f"{name}: ")
    return shown


def _warnings(question: Question, width: int) -> Iterator[Content]:
    approval = question.approval
    if not question.is_open:
        return
    for act in approval.decision.irreversible:
        text = f"▲ Cannot be undone: {visible(act_sentence(act))}"
        yield from _on_ground(paragraph(width - 2, text, "bold $deny"), width, "$deny-soft")
    if approval.file is not None and approval.file.changes:
        yield from paragraph(
            width, "▲ The file changed after a person looked at it, so this asks again.", "$deny"
        )


def _on_ground(lines: Sequence[Content], width: int, ground: str) -> Iterator[Content]:
    for one in lines:
        yield row(width, line(("▌", "$deny"), one), "", ground)


def _add_act(card: CardLines, question: Question, width: int, *, is_tiny: bool) -> None:
    if not question.is_loaded and question.is_open:
        card.add([line(("Loading the whole call …", "$ink-3"))])
        card.act_end = len(card.lines)
        return
    parts = _first_parts(question, is_tiny=is_tiny)
    for at, part in enumerate(parts):
        follows_asking = at > 0 and parts[at - 1].asks
        is_padded = not is_tiny and len(parts) > 1
        if is_padded and part.asks and not follows_asking:
            card.add([_pad(width)])
        _add_part(card, question, part, width, shows_reason=len(question.parts) > 1 and not is_tiny)
        if is_padded and part.asks and not (at + 1 < len(parts) and parts[at + 1].asks):
            card.add([_pad(width)])
    card.add(_arguments(question, width))
    card.add(_file(question, width))
    for fed in question.approval.decision.inputs:
        card.add(paragraph(width, f"▸ {input_sentence(fed)}", "$ink-2"))
    card.act_end = len(card.lines)
    count = len(_other_parts(question, is_tiny=is_tiny))
    if count:
        word = "parts run" if count > 1 else "part runs"
        card.add([line((f"+ {count} more {word}  ↓", "$ink-3"))])


def _first_parts(question: Question, *, is_tiny: bool) -> list[Part]:
    """The parts of the command before the reason: where there is little room, only those that ask."""
    parts = question.parts if question.command is not None else ()
    return [part for part in parts if part.asks or not is_tiny]


def _other_parts(question: Question, *, is_tiny: bool) -> list[Part]:
    parts = question.parts if question.command is not None else ()
    return [part for part in parts if is_tiny and not part.asks]


def _pad(width: int) -> Content:
    return row(width, line(("▌", "$ask")), "", "$raised")


def _add_part(card: CardLines, question: Question, part: Part, width: int, *, shows_reason: bool) -> None:
    """A part: the verdict at the left, the reason at the right, or below where it does not fit."""
    lines = visible_lines(part.text.strip("\n"))
    style = "bold $ask" if part.asks else "$ink-3"
    right = ""
    if shows_reason:
        right = f"{visible(part.reason)} "
    elif len(lines) >= LONG_LINES:
        right, style = f"{len(part.text):,} characters, {len(lines)} lines ", "$ink-2"
    indent = _gutter(part, width).cell_length
    is_beside = len(lines) == 1 or not shows_reason
    is_beside &= Content(lines[0] + right).cell_length + indent + 2 <= width
    for number, text in enumerate(lines):
        note = line((right, style)) if number == 0 and is_beside else Content("")
        _add_text_line(card, text, question, part, width, note, number)
    if right and not is_beside:
        for one in paragraph(width - 1, right.rstrip(), style, "", indent - 1):
            card.add([row(width, line(_bar(part), one), "", _ground(part))])


def _ground(part: Part) -> str:
    return "$raised" if part.asks else "$sunken"


def _bar(part: Part) -> tuple[str, str]:
    return ("▌", "$ask") if part.asks else (" ", "$ink-3")


def _gutter(part: Part, width: int) -> Content:
    symbol, word = VERDICTS[part.verdict]
    shown = symbol if width < TINY_WIDTH else f"{symbol} {word:<6}"
    style = VERDICT_STYLES[part.verdict]
    return line(_bar(part), (shown, f"bold {style}" if part.asks else style), " ")


def _add_text_line(
    card: CardLines,
    text: str,
    question: Question,
    part: Part,
    width: int,
    note: Content,
    number: int,
) -> None:
    """A line of a command, folded and never cut, with the dangerous words marked."""
    gutter = _gutter(part, width)
    indent = gutter.cell_length
    has_numbers = part.text.count("\n") >= LONG_LINES and indent > 5
    style = "$ink" if has_numbers and number else "bold $ink"
    body = Content.styled(text, style if part.asks else "$ink-2")
    is_marked = False
    for word in map(visible, question.dangers):
        at = text.find(word) if part.asks else -1
        if at >= 0:
            body, is_marked = body.stylize(_DANGER, at, at + len(word)), True
    if is_marked:
        card.dangers.append(len(card.lines))
    count = f"{number + 1:>{indent - 2}} " if has_numbers else " " * (indent - 1)
    numbered = line(_bar(part), (count, "$ink-3"))
    plain = line(_bar(part), " " * (indent - 1))
    for at, piece in enumerate(body.fold(max(width - indent, 8))):
        start = plain if at else gutter if number == 0 else numbered
        card.add([row(width, line(start, piece), "" if at else note, _ground(part))])


def _arguments(question: Question, width: int) -> Iterator[Content]:
    for name, text in question.arguments:
        lead = line((" ", ""), (f"{visible(name)}: ", "$ink-3"))
        for number, text_line in enumerate(visible_lines(text)):
            indent = min(lead.cell_length, 12)
            for at, piece in enumerate(
                Content.styled(text_line, "bold $ink").fold(max(width - indent - 1, 8))
            ):
                is_first = number == 0 and at == 0
                start = lead if is_first else Content(" " * indent)
                if is_first and lead.cell_length > 12:
                    yield row(width, lead, "", "$raised")
                    start = Content(" " * indent)
                yield row(width, line(start, piece), "", "$raised")


def _file(question: Question, width: int) -> Iterator[Content]:
    file = question.approval.file
    if file is None:
        return
    yield from paragraph(width, file_sentence(file), "bold $ink")
    for text in question.diff:
        style = _DIFF_STYLES.get(text[:1], "$ink-2")
        for shown in visible_lines(text):
            for piece in Content.styled(shown, style).fold(max(width - 1, 8)):
                yield row(width, line(" ", piece), "", "$sunken")


def _why(question: Question, width: int) -> Iterator[Content]:
    approval = question.approval
    lead = "Needs your OK: " if question.is_open else "It asked because: "
    yield from paragraph(width, f"{visible(approval.decision.because)}.", lead=lead)
    if not question.is_open:
        return
    if approval.decision.is_locked:
        reason = LOCKS.get(approval.decision.stage, "no rule or mode can avoid it")
        yield from paragraph(width, f"{reason}. No rule can avoid this question.", lead="Locked: ")
    if question.needs_confirmation:
        yield from paragraph(width, f"y asks you to type `{CONFIRMATION}`.", "$ink-3")


def _origin(question: Question, width: int) -> Iterator[Content]:
    approval = question.approval
    symbol, word = mode_words(approval.mode)
    place = f"   {visible(approval.cwd)}" if approval.cwd else ""
    if width >= NARROW_WIDTH:
        yield from paragraph(width, f"{place}   {symbol} {word}", lead=question.agent)
    else:
        yield from paragraph(width, place, lead=question.agent)
    if approval.lineage:
        parents = STARTED.join(map(visible, reversed(approval.lineage)))
        yield from paragraph(width, f"a sub-agent that {parents} started", "$ink-3")


def _always(question: Question, width: int) -> Iterator[Content]:
    if not question.is_open or not question.is_loaded:
        return
    if not question.can_remember or question.is_long:
        yield from paragraph(width, "“always” is not offered: this yes is for exactly this call.", "$ink-3")
        return
    editor = rule_editor_of(question)
    lead = line(("[a]", "bold $ink"), (" would write  ", "$ink-3"))
    rules = [line(("allow ", "$run"), (visible(text), "bold $ink")) for text in editor.texts]
    scope = editor.scope_label(editor.scopes[0])
    note = f"for {scope}, {editor.lifetimes[0].label}; a opens it, enter writes it"
    indent = lead.cell_length if width >= NARROW_WIDTH else 2
    if width < NARROW_WIDTH:
        yield lead
    is_first = width >= NARROW_WIDTH
    for rule in rules:
        for piece in rule.fold(max(width - indent, 8)):
            yield line(lead if is_first else " " * indent, piece)
            is_first = False
    yield from paragraph(width, note, "$ink-3", indent=indent)
