"""The card of a question: the call with its parts, why it asks, who asks, and what "always" would write."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

from textual.content import Content

from assent.engine.base.tool import UNDECLARED_ORIGIN
from assent.surfaces.tui.look import VERDICT_STYLES, padded_row, paragraph_lines, styled_line
from assent.surfaces.tui.question import CONFIRMATION, LONG_LINES, CommandPart, Question
from assent.surfaces.tui.rule_editor import new_rule_editor
from assent.surfaces.tui.text import STARTED, value_text, visible_lines, visible_text
from assent.surfaces.tui.words import (
    LOCKS,
    VERDICTS,
    act_sentence,
    command_input_sentence,
    file_sentence,
    mode_symbol_and_word,
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
    call_end: int = 0
    dangers: list[int] = field(default_factory=list[int])
    """The lines with marked words."""

    def add_lines(self, lines: Iterable[Content]) -> None:
        """Append lines."""
        self.lines.extend(lines)

    def add_empty_line(self, *, is_tiny: bool) -> None:
        """Append an empty line, unless the screen is tiny."""
        if not is_tiny:
            self.lines.append(Content(""))


def card_lines(question: Question, width: int) -> CardLines:
    """All lines of the card of a question, for a screen of this width."""
    is_tiny = width < TINY_WIDTH
    card = CardLines()
    card.add_empty_line(is_tiny=is_tiny)
    card.add_lines(_warning_lines(question, width))
    if question.needs_full_width:
        card.add_lines(_reason_lines(question, width))
        card.add_empty_line(is_tiny=is_tiny)
    _add_call(card, question, width, is_tiny=is_tiny)
    card.add_empty_line(is_tiny=is_tiny)
    if not question.needs_full_width:
        card.add_lines(_reason_lines(question, width))
        card.add_empty_line(is_tiny=is_tiny)
    card.add_lines(_origin_lines(question, width))
    card.add_empty_line(is_tiny=is_tiny)
    card.add_lines(_always_lines(question, width))
    if question.agent_comment:
        card.add_empty_line(is_tiny=is_tiny)
        # The agent's own words come last, quoted and named, so that they cannot pass for ours.
        card.add_lines(
            paragraph_lines(
                width, f"“{visible_text(question.agent_comment)}”", "$ink-3", lead=f"{question.agent} says: "
            )
        )
    for part in _parts_after_reason(question, is_tiny=is_tiny):
        _add_command_part(card, question, part, width, shows_reason=False)
    return card


def decision_trace_lines(question: Question, width: int) -> list[Content]:
    """Lines with every step of the decision, and the ids of the call."""
    decision, approval = question.approval.decision, question.approval
    shown = [Content(""), styled_line(("Every step of this decision", "bold $ink")), Content("")]
    for step in decision.steps:
        symbol, word = VERDICTS[step.verdict]
        decides = step.stage is decision.stage and step.verdict is decision.verdict
        style = VERDICT_STYLES[step.verdict]
        head = styled_line(
            ("▌" if decides else " ", "$ask"), (f"{symbol} {word:<7}", style), (step.stage, "bold $ink")
        )
        shown += [padded_row(width, head), *paragraph_lines(width, visible_text(step.because), indent=10)]
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
            shown += paragraph_lines(width, visible_text(value), "$ink-2", lead=f"{name}: ")
    return shown


def _warning_lines(question: Question, width: int) -> Iterator[Content]:
    approval = question.approval
    if not question.is_open:
        return
    for act in approval.decision.irreversible:
        text = f"▲ Cannot be undone: {visible_text(act_sentence(act))}"
        yield from _with_background(paragraph_lines(width - 2, text, "bold $deny"), width, "$deny-soft")
    if approval.file is not None and approval.file.changes:
        yield from paragraph_lines(
            width, "▲ The file changed after a person looked at it, so this asks again.", "$deny"
        )


def _with_background(lines: Sequence[Content], width: int, background: str) -> Iterator[Content]:
    for one in lines:
        yield padded_row(width, styled_line(("▌", "$deny"), one), "", background)


def _add_call(card: CardLines, question: Question, width: int, *, is_tiny: bool) -> None:
    if not question.is_loaded and question.is_open:
        card.add_lines([styled_line(("Loading the whole call …", "$ink-3"))])
        card.call_end = len(card.lines)
        return
    if question.words:
        card.add_lines(_words_lines(question, width))
        card.call_end = len(card.lines)
        return
    parts = _parts_before_reason(question, is_tiny=is_tiny)
    for at, part in enumerate(parts):
        follows_asking = at > 0 and parts[at - 1].needs_approval
        is_padded = not is_tiny and len(parts) > 1
        if is_padded and part.needs_approval and not follows_asking:
            card.add_lines([_empty_part_row(width)])
        _add_command_part(
            card, question, part, width, shows_reason=len(question.command_parts) > 1 and not is_tiny
        )
        if is_padded and part.needs_approval and not (at + 1 < len(parts) and parts[at + 1].needs_approval):
            card.add_lines([_empty_part_row(width)])
    card.add_lines(_argument_lines(question, width))
    card.add_lines(_file_change_lines(question, width))
    for fed in question.approval.decision.inputs:
        card.add_lines(paragraph_lines(width, f"▸ {command_input_sentence(fed)}", "$ink-2"))
    card.call_end = len(card.lines)
    count = len(_parts_after_reason(question, is_tiny=is_tiny))
    if count:
        word = "parts run" if count > 1 else "part runs"
        card.add_lines([styled_line((f"+ {count} more {word}  ↓", "$ink-3"))])


def _words_lines(question: Question, width: int) -> Iterator[Content]:
    """A question in words, and the answers that the agent suggests."""
    args = question.approval.call.args
    for line in visible_lines(str(args.get("question", ""))):
        yield from Content.styled(line, "bold $ink").fold(max(width, 8))
    for name, value in args.items():
        if name == "options" and isinstance(value, list):
            for one in cast("list[object]", value):
                yield from paragraph_lines(width, f"- {visible_text(value_text(one))}", "$ink-2", indent=2)
        elif name != "question" and value:
            yield from paragraph_lines(width, f"{visible_text(name)}: {visible_text(value_text(value))}")


def _parts_before_reason(question: Question, *, is_tiny: bool) -> list[CommandPart]:
    """The parts of the command before the reason; on a tiny screen, only those that need approval."""
    parts = question.command_parts if question.command_line is not None else ()
    return [part for part in parts if part.needs_approval or not is_tiny]


def _parts_after_reason(question: Question, *, is_tiny: bool) -> list[CommandPart]:
    parts = question.command_parts if question.command_line is not None else ()
    return [part for part in parts if is_tiny and not part.needs_approval]


def _empty_part_row(width: int) -> Content:
    return padded_row(width, styled_line(("▌", "$ask")), "", "$raised")


def _add_command_part(
    card: CardLines, question: Question, part: CommandPart, width: int, *, shows_reason: bool
) -> None:
    """Add a part of the command: the verdict at the left, and the reason at the right or below."""
    lines = visible_lines(part.text.strip("\n"))
    style = "bold $ask" if part.needs_approval else "$ink-3"
    right = ""
    if shows_reason:
        right = f"{visible_text(part.reason)} "
    elif len(lines) >= LONG_LINES:
        right, style = f"{len(part.text):,} characters, {len(lines)} lines ", "$ink-2"
    indent = _verdict_column(part, width).cell_length
    is_beside = len(lines) == 1 or not shows_reason
    is_beside &= Content(lines[0] + right).cell_length + indent + 2 <= width
    for number, text in enumerate(lines):
        note = styled_line((right, style)) if number == 0 and is_beside else Content("")
        _add_command_line(card, text, question, part, width, note, number)
    if right and not is_beside:
        for one in paragraph_lines(width - 1, right.rstrip(), style, "", indent - 1):
            card.add_lines(
                [padded_row(width, styled_line(_part_marker(part), one), "", _part_background(part))]
            )


def _part_background(part: CommandPart) -> str:
    return "$raised" if part.needs_approval else "$sunken"


def _part_marker(part: CommandPart) -> tuple[str, str]:
    return ("▌", "$ask") if part.needs_approval else (" ", "$ink-3")


def _verdict_column(part: CommandPart, width: int) -> Content:
    symbol, word = VERDICTS[part.verdict]
    shown = symbol if width < TINY_WIDTH else f"{symbol} {word:<6}"
    style = VERDICT_STYLES[part.verdict]
    return styled_line(_part_marker(part), (shown, f"bold {style}" if part.needs_approval else style), " ")


def _add_command_line(
    card: CardLines,
    text: str,
    question: Question,
    part: CommandPart,
    width: int,
    note: Content,
    number: int,
) -> None:
    """Add a line of a command with its dangerous words marked; a long line is wrapped, not cut."""
    gutter = _verdict_column(part, width)
    indent = gutter.cell_length
    has_numbers = part.text.count("\n") >= LONG_LINES and indent > 5
    style = "$ink" if has_numbers and number else "bold $ink"
    body = Content.styled(text, style if part.needs_approval else "$ink-2")
    is_marked = False
    for word in map(visible_text, question.dangerous_words):
        at = text.find(word) if part.needs_approval else -1
        if at >= 0:
            body, is_marked = body.stylize(_DANGER, at, at + len(word)), True
    if is_marked:
        card.dangers.append(len(card.lines))
    count = f"{number + 1:>{indent - 2}} " if has_numbers else " " * (indent - 1)
    numbered = styled_line(_part_marker(part), (count, "$ink-3"))
    plain = styled_line(_part_marker(part), " " * (indent - 1))
    for at, piece in enumerate(body.fold(max(width - indent, 8))):
        start = plain if at else gutter if number == 0 else numbered
        card.add_lines(
            [padded_row(width, styled_line(start, piece), "" if at else note, _part_background(part))]
        )


def _argument_lines(question: Question, width: int) -> Iterator[Content]:
    for name, text in question.other_arguments:
        lead = styled_line((" ", ""), (f"{visible_text(name)}: ", "$ink-3"))
        for number, text_line in enumerate(visible_lines(text)):
            indent = min(lead.cell_length, 12)
            for at, piece in enumerate(
                Content.styled(text_line, "bold $ink").fold(max(width - indent - 1, 8))
            ):
                is_first = number == 0 and at == 0
                start = lead if is_first else Content(" " * indent)
                if is_first and lead.cell_length > 12:
                    yield padded_row(width, lead, "", "$raised")
                    start = Content(" " * indent)
                yield padded_row(width, styled_line(start, piece), "", "$raised")


def _file_change_lines(question: Question, width: int) -> Iterator[Content]:
    file = question.approval.file
    if file is None:
        return
    yield from paragraph_lines(width, file_sentence(file), "bold $ink")
    for text in question.diff_lines:
        style = _DIFF_STYLES.get(text[:1], "$ink-2")
        for shown in visible_lines(text):
            for piece in Content.styled(shown, style).fold(max(width - 1, 8)):
                yield padded_row(width, styled_line(" ", piece), "", "$sunken")


def _reason_lines(question: Question, width: int) -> Iterator[Content]:
    approval = question.approval
    lead = "Needs your OK: " if question.is_open else "It asked because: "
    if question.words and question.is_open:
        # Why the gate asks says nothing about a question of the agent.
        yield from paragraph_lines(width, "m opens the field for your words.", lead="Needs your answer: ")
        return
    yield from paragraph_lines(width, f"{visible_text(approval.decision.because)}.", lead=lead)
    if not question.is_open:
        return
    if approval.decision.is_locked:
        reason = LOCKS.get(approval.decision.stage, "no rule or mode can avoid it")
        yield from paragraph_lines(width, f"{reason}. No rule can avoid this question.", lead="Locked: ")
    if question.needs_confirmation:
        yield from paragraph_lines(width, f"y asks you to type `{CONFIRMATION}`.", "$ink-3")


def _origin_lines(question: Question, width: int) -> Iterator[Content]:
    approval = question.approval
    symbol, word = mode_symbol_and_word(approval.mode)
    directory = f"   {visible_text(approval.cwd)}" if approval.cwd else ""
    if width >= NARROW_WIDTH:
        yield from paragraph_lines(width, f"{directory}   {symbol} {word}", lead=question.agent)
    else:
        yield from paragraph_lines(width, directory, lead=question.agent)
    if approval.lineage:
        parents = STARTED.join(map(visible_text, reversed(approval.lineage)))
        yield from paragraph_lines(width, f"a sub-agent that {parents} started", "$ink-3")
    if approval.tool.origin.startswith(UNDECLARED_ORIGIN):
        yield from paragraph_lines(width, "nobody declared this tool; only calls show its arguments", "$ask")
    if approval.sub_agents:
        named = STARTED.join(visible_text(f"{one.kind} {one.id}".strip()) for one in approval.sub_agents)
        yield from paragraph_lines(width, f"for its sub-agent {named}", "$ink-3")


def _always_lines(question: Question, width: int) -> Iterator[Content]:
    if not question.is_open or not question.is_loaded:
        return
    if question.words:
        yield from paragraph_lines(
            width, "Your words go to the agent as they are. They allow nothing.", "$ink-3"
        )
        return
    if not question.can_answer_always or question.needs_full_width:
        yield from paragraph_lines(
            width, "“always” is not offered: this yes is for exactly this call.", "$ink-3"
        )
        return
    editor = new_rule_editor(question)
    lead = styled_line(("[a]", "bold $ink"), (" would write  ", "$ink-3"))
    rules = [styled_line(("allow ", "$run"), (visible_text(text), "bold $ink")) for text in editor.rule_texts]
    scope = editor.scope_label(editor.scopes[0])
    note = f"for {scope}, {editor.lifetimes[0].label}; a opens it, enter writes it"
    indent = lead.cell_length if width >= NARROW_WIDTH else 2
    if width < NARROW_WIDTH:
        yield lead
    is_first = width >= NARROW_WIDTH
    for rule in rules:
        for piece in rule.fold(max(width - indent, 8)):
            yield styled_line(lead if is_first else " " * indent, piece)
            is_first = False
    yield from paragraph_lines(width, note, "$ink-3", indent=indent)
