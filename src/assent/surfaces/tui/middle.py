"""The middle of the screen: the card, the rule editor, a list, or the activity if there is no question."""

from collections.abc import Iterable

from textual.content import Content

from assent.surfaces.tui import panels
from assent.surfaces.tui.card import CardLines, card_lines, decision_trace_lines
from assent.surfaces.tui.dashboard import Dashboard, Pane, ScrollState
from assent.surfaces.tui.field import TextField
from assent.surfaces.tui.look import key_labels, padded_row, paragraph_lines, styled_line
from assent.surfaces.tui.overview import RulePreview
from assent.surfaces.tui.panels import decision_lines
from assent.surfaces.tui.question import Question
from assent.surfaces.tui.rule_editor import RuleEditor
from assent.surfaces.tui.text import clock_text, visible_text
from assent.wire.fields import moment_from_json


class MiddlePart:
    """Draws the middle of the screen, and records which lines the person has seen."""

    def __init__(self, dashboard: Dashboard) -> None:
        self._dashboard = dashboard
        self._drawn: object = None
        self._card: tuple[Question, int, CardLines] | None = None

    def draw_lines(self, width: int, height: int) -> list[Content]:
        """The lines of the middle: a card, the rule editor, a list, or the activity without a question."""
        dashboard, question = self._dashboard, self._dashboard.selected_question
        if dashboard.is_too_small:
            return [styled_line(("too small", "bold")), styled_line("make the terminal larger")]
        if dashboard.pane is Pane.CARD or (question is None and dashboard.pane is Pane.TRACE):
            return (
                panels.activity_lines(dashboard, width, height)
                if question is None
                else self._draw_card(width, height)
            )
        if dashboard.pane is Pane.QUEUE:
            return panels.queue_lines(dashboard, width, height)
        if dashboard.editor is not None:
            return rule_editor_lines(dashboard.editor, width, height)
        lines = self._pane_lines(width)
        if lines is None:
            return [] if question is None else self._draw_card(width, height)
        dashboard.list_scroll.fit_to_screen(len(lines), height)
        top = dashboard.list_scroll.top
        return lines[top : top + height]

    def _pane_lines(self, width: int) -> list[Content] | None:
        """The lines of an open list; None if the card stays visible."""
        dashboard = self._dashboard
        match dashboard.pane:
            case Pane.HISTORY:
                return history_lines(dashboard, width)
            case Pane.RULES:
                return rules_lines(dashboard, width)
            case Pane.HELP:
                return help_lines(width)
            case Pane.TRACE:
                return (
                    None
                    if dashboard.selected_question is None
                    else decision_trace_lines(dashboard.selected_question, width)
                )
            case (
                Pane.CARD
                | Pane.RULE
                | Pane.TOOL_NAME
                | Pane.MESSAGE
                | Pane.CONFIRM
                | Pane.EDIT
                | Pane.EDIT_CONFIRM
                | Pane.FILTER
                | Pane.PAUSE
                | Pane.QUEUE
            ):
                return None

    def _draw_card(self, width: int, height: int) -> list[Content]:
        """Draw the card, record its visible lines as seen, and start its arming."""
        question, scroll = self._dashboard.selected_question, self._dashboard.scroll
        if question is None or width <= 0 or height <= 0:
            return []
        # Two columns are for the rail, which a long card needs.
        card = self._cached_card_lines(question, width - 2)
        is_scrollable = len(card.lines) > height
        approval = question.approval
        drawn = (approval.id, approval.digest, question.is_loaded, width)
        if drawn != self._drawn:
            self._drawn = drawn
            scroll = self._dashboard.scroll = ScrollState()
        scroll.call_end, scroll.dangers = card.call_end, tuple(card.dangers)
        has_progress = is_scrollable and question.is_open and height > 6
        scroll.fit_to_screen(len(card.lines), height - 1 if has_progress else height)
        self._dashboard.arming.record_painted_card(question.card_identity)
        shown = card.lines[scroll.top : scroll.top + scroll.height]
        if self._dashboard.hint and not question.is_open:
            advice = "You have allowed this three times or more. To keep it, add to "
            shown = [
                *paragraph_lines(width - 2, visible_text(self._dashboard.hint), "bold $ink", lead=advice),
                *shown,
            ]
        if is_scrollable:
            shown = _with_scroll_bar(shown, scroll, width)
        return [*shown, _reading_progress_line(card, scroll, width)] if has_progress else shown

    def _cached_card_lines(self, question: Question, width: int) -> CardLines:
        """The lines of a card; cached, so that a long call is not wrapped again for every key press."""
        if self._card is None or self._card[0] is not question or self._card[1] != width:
            self._card = (question, width, card_lines(question, width))
        return self._card[2]


def _with_scroll_bar(lines: list[Content], scroll: ScrollState, width: int) -> list[Content]:
    """Lines with a scroll bar at the right that shows the position and the dangerous lines."""
    height = max(1, len(lines))
    first = scroll.top * height // max(1, scroll.total)
    last = min(height - 1, (scroll.top + scroll.height) * height // max(1, scroll.total))
    marks = {at * height // max(1, scroll.total) for at in scroll.dangers}
    drawn: list[Content] = []
    for number, one in enumerate(lines):
        rail = ("█", "$ink-3") if first <= number <= last else ("│", "$line-strong")
        rail = ("▲", "bold $deny") if number in marks else rail
        drawn.append(padded_row(width, one, styled_line(rail)))
    return drawn


def _reading_progress_line(card: CardLines, scroll: ScrollState, width: int) -> Content:
    """A line that shows how much of the call the person has seen."""
    part = min(1.0, scroll.seen / max(1, card.call_end))
    size = 20 if width >= 70 else 6
    done = int(part * size)
    share, rest = (
        (" seen to the end", "")
        if scroll.is_call_read
        else (f" {part:.0%} seen", ", y works at the end" if width >= 50 else "")
    )
    left = styled_line(
        ("━" * done, "$sel"),
        ("╌" * (size - done), "$line-strong"),
        (share, "$run" if scroll.is_call_read else "$ink-2"),
        (rest, "$ink"),
    )
    pairs = [("space", " page"), *([("w", " next ▲")] if card.dangers else []), ("end", " to the end")]
    return padded_row(width, left, key_labels(pairs) if width >= 90 else key_labels(pairs[:1]))


MOST_COVERED = 4
"""Covered questions that a preview lists."""
HELP = (
    ("y", "allow this call once"),
    ("a", "always: open the rule that would be written; enter writes it"),
    ("n", "no: deny the call"),
    ("m", "no, with a message for the agent"),
    ("e", "edit the call; the changed call is decided again"),
    ("l", "later: the question stays open and moves to the end"),
    ("x", "show every step of the decision"),
    ("j k ↑ ↓", "move to the next or previous question"),
    ("space", "next page of a long call; w: next marked line; end, home"),
    ("tab", "the queue on a narrow terminal; the next field of the rule editor"),
    ("/", "filter the questions by agent, tool or command"),
    ("h", "history: what people answered"),
    ("u", "rules and grants of the store"),
    ("p", "pause all agents, or resume them"),
    ("t", "theme: dark, light, 16 colours"),
    ("r", "try to reach the server now"),
    ("? F1", "these keys"),
    ("esc", "back"),
    ("q", "quit; open questions stay open"),
)


def rule_editor_lines(editor: RuleEditor, width: int, height: int) -> list[Content]:
    """The lines of the rule editor: width, rules, scope, lifetime, and the preview of the rules.

    Where not all of it fits, the field that has the focus stays on the screen.
    """
    sections = _rule_editor_sections(editor, width)
    gap = [Content("")]
    spaced = [*gap, *(one for section in sections for one in [*section, *gap])]
    if len(spaced) <= height:
        return spaced
    lines = [one for section in sections for one in section]
    # The sections of the fields come after the question, one for each number of the focus.
    focus = sum(len(section) for section in sections[: editor.focus + 1])
    first = max(0, min(focus - 1, len(lines) - height))
    return lines[first : first + height]


def _rule_editor_sections(editor: RuleEditor, width: int) -> list[list[Content]]:
    """The question, one section for each field, and the preview."""
    rules = [
        list(_rule_field_lines(rule, width, is_on=editor.focus == at + 1, is_first=at == 0))
        for at, rule in enumerate(editor.rules)
    ]
    if rules:
        rules[-1] += _objection_lines(editor, width)
    count = len(rules)
    scopes = [editor.scope_label(one) for one in editor.scopes]
    lifetimes = [one.label for one in editor.lifetimes]
    note = "Denied stays denied: deny rules and breakers hold above this rule."
    preview = [] if editor.current_preview is None else _preview_lines(editor.current_preview, width)
    return [
        paragraph_lines(
            width, f"What may {editor.question.calling_agent} do from now on without asking?", "bold $ink"
        ),
        _rule_width_lines(editor, width),
        *rules,
        _choice_lines("Scope", scopes, editor.scope, width, is_on=editor.focus == count + 1),
        _choice_lines("Lifetime", lifetimes, editor.lifetime, width, is_on=editor.focus == count + 2),
        [*preview, *paragraph_lines(width, note, "$ink-3", indent=2)],
    ]


def _rule_width_lines(editor: RuleEditor, width: int) -> list[Content]:
    lines = [styled_line(("Width", "$sel bold" if editor.focus == 0 else "$ink-3"))]
    for at, offer in enumerate(editor.question.offers):
        is_on = at == editor.width
        mark = styled_line(
            ("▌" if is_on else " ", "$sel"), ("◉ " if is_on else "○ ", "$sel" if is_on else "$ink-3")
        )
        style = "bold $ink" if is_on else "$ink-2"
        text = styled_line(mark, (f"{offer.width:<13}", style), (visible_text(", ".join(offer.rules)), style))
        lines.append(padded_row(width, text, "", "$sel-soft" if is_on else ""))
        if offer.irreversible and is_on:
            lost = f"▲ also allows what cannot be undone: {visible_text(', '.join(offer.irreversible))}"
            lines += paragraph_lines(width, lost, "$deny", indent=3)
    return lines


def history_lines(dashboard: Dashboard, width: int) -> list[Content]:
    """The lines of the history: the answers of people."""
    lines = [Content(""), styled_line(("What people answered, newest first", "bold $ink")), Content("")]
    wanted = dashboard.queue.filter
    found = tuple(
        one for one in dashboard.history if not wanted or wanted in f"{one.agent} {one.call}".lower()
    )
    lines += decision_lines(found, width)
    return lines if found else [*lines, styled_line(("Nobody has answered a question yet.", "$ink-3"))]


def rules_lines(dashboard: Dashboard, width: int) -> list[Content]:
    """The rules and grants of the store."""
    lines = [Content(""), styled_line(("Rules and grants of the store", "bold $ink")), Content("")]
    for one in dashboard.rules:
        style = "$run" if one.list == "allow" else "$deny" if one.list == "deny" else "$ask"
        rule = styled_line((f"{one.list:<6}", style), (visible_text(one.text), "bold $ink"))
        lines += rule.fold(width)
        lines += paragraph_lines(
            width, f"for {one.applies_to}, written by {visible_text(one.by) or 'nobody'}", "$ink-3", indent=6
        )
    if not dashboard.rules:
        lines.append(styled_line(("The store has no rules. Policy files may have some.", "$ink-3")))
    note = "`assent grants revoke ID` revokes one; `assent grants list` shows the ids."
    return [*lines, Content(""), *paragraph_lines(width, note, "$ink-3")]


def help_lines(width: int) -> list[Content]:
    """The lines of the help: the action of each key, and when the key works."""
    lines = [Content(""), styled_line(("Keys", "bold $ink")), Content("")]
    for name, meaning in HELP:
        lines += _key_help_lines(name, meaning, width)
    notes = (
        "The keys that answer work half a second after the card was painted and after your last key.",
        "A call that cannot be undone, or that always asks, needs a typed word.",
        "y works after you have seen the whole call; n always works.",
        "A working agent made a call within the last minute.",
    )
    return [
        *lines,
        Content(""),
        *(piece for note in notes for piece in paragraph_lines(width, note, "$ink-3")),
    ]


def _key_help_lines(name: str, meaning: str, width: int) -> Iterable[Content]:
    indent = 10
    for number, piece in enumerate(paragraph_lines(max(width - indent, 12), meaning)):
        yield styled_line((f"{name:<{indent}}" if number == 0 else " " * indent, "bold $ink"), piece)


def _rule_field_lines(rule: TextField, width: int, *, is_on: bool, is_first: bool) -> Iterable[Content]:
    label = styled_line(
        (f"{'Rule' if is_first else '':<11}", "$sel bold" if is_on else "$ink-3"), ("allow ", "$run")
    )
    before, after = visible_text(rule.text[: rule.cursor]), visible_text(rule.text[rule.cursor :])
    style = "bold underline $ink" if is_on else "bold $ink"
    text = styled_line((before, style), ("▏" if is_on else "", "$sel"), (after, style))
    for number, piece in enumerate(text.fold(max(width - 17, 8)) or [Content("")]):
        yield styled_line(label if number == 0 else " " * 17, piece)


def _objection_lines(editor: RuleEditor, width: int) -> list[Content]:
    """Whether the server accepts the rules."""
    match editor.rule_objection:
        case None:
            return [styled_line((f"{'':<11}asking the server …", "$ink-3"))]
        case "":
            return [styled_line((f"{'':<11}✓ covers this call", "$run"))]
        case problem:
            return paragraph_lines(width, f"✗ {visible_text(problem)}", "$deny", indent=11)


def _choice_lines(label: str, options: list[str], chosen: int, width: int, *, is_on: bool) -> list[Content]:
    """The options of a choice, on as many lines as needed."""
    head = (f"{label:<11}", "$sel bold" if is_on else "$ink-3")
    lines: list[Content] = []
    now = styled_line(head)
    for at, option in enumerate(options):
        mark, style = ("◉ ", "$sel") if at == chosen else ("○ ", "$ink-3")
        piece = styled_line((mark, style), (f"{option}   ", "bold $ink" if at == chosen else "$ink-2"))
        if now.cell_length + piece.cell_length > width and now.cell_length > 11:
            lines.append(now)
            now = Content(" " * 11)
        now = styled_line(now, piece)
    return [*lines, now]


def _preview_lines(preview: RulePreview, width: int) -> list[Content]:
    covered = len(preview.covered)
    head = styled_line(
        ("Preview    ", "$ink-3"),
        (f"covers {covered} of {preview.looked_at} recent questions", "bold $ink"),
        (f", {preview.denied} of them denied by a person" if preview.denied else "", "bold $deny"),
    )
    lines = [padded_row(width, head)]
    for one in preview.covered[:MOST_COVERED]:
        at = clock_text(moment_from_json(one.raw("asked_at")), seconds=False)
        left = styled_line(
            f"  {at}  ", (f"{visible_text(one.text('tool'))}  {visible_text(one.text('agent'))}", "$ink-2")
        )
        lines.append(padded_row(width, left, styled_line((f"{one.text('state')} ", "$ink-3"))))
    if covered > MOST_COVERED:
        lines.append(styled_line((f"  and {covered - MOST_COVERED} more", "$ink-3")))
    return [
        *lines,
        *(
            piece
            for one in preview.warnings
            for piece in paragraph_lines(width, visible_text(one), "$ask", indent=2)
        ),
    ]
