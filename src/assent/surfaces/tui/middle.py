"""The middle of the screen: the card, the rule editor, a list, or the activity if there is no question."""

from textual.content import Content

from assent.surfaces.tui import panels
from assent.surfaces.tui.card import CardLines, card_lines, decision_trace_lines
from assent.surfaces.tui.dashboard import Dashboard, Pane, ScrollState
from assent.surfaces.tui.look import key_labels, padded_row, paragraph_lines, styled_line
from assent.surfaces.tui.question import Question
from assent.surfaces.tui.text import visible_text
from assent.surfaces.tui.views import help_lines, history_lines, rule_editor_lines, rules_lines


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
    word = ", seen to the end" if scroll.is_call_read else ", y works at the end"
    left = styled_line(
        ("━" * done, "$sel"),
        ("╌" * (size - done), "$line-strong"),
        (f" {part:.0%} seen", "$ink-2"),
        (word if width >= 50 else "", "$run" if scroll.is_call_read else "$ink"),
    )
    pairs = [("space", " page"), *([("w", " next ▲")] if card.dangers else []), ("end", " to the end")]
    return padded_row(width, left, key_labels(pairs) if width >= 90 else key_labels(pairs[:1]))
