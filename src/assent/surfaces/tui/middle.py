"""The middle of the screen: the card, the rule editor, a list, or the activity where nothing is asked."""

from textual.content import Content

from assent.surfaces.tui import panels
from assent.surfaces.tui.card import CardLines, card_lines, trace_lines
from assent.surfaces.tui.dashboard import Dashboard, Pane, Scroll
from assent.surfaces.tui.look import keys, line, paragraph, row
from assent.surfaces.tui.question import Question
from assent.surfaces.tui.text import visible
from assent.surfaces.tui.views import editor_lines, help_lines, history_lines, rules_lines


class MiddlePart:
    """Draws the middle, and records what the person has seen: a card arms when it is drawn."""

    def __init__(self, dashboard: Dashboard) -> None:
        self._dashboard = dashboard
        self._drawn: object = None
        self._card: tuple[Question, int, CardLines] | None = None

    def draw(self, width: int, height: int) -> list[Content]:
        """The middle: the card, the editor, a list, or the activity where nothing is asked."""
        dashboard, question = self._dashboard, self._dashboard.question
        if dashboard.is_too_small:
            return [line(("too small", "bold")), line("make the terminal larger")]
        if dashboard.pane is Pane.CARD or (question is None and dashboard.pane is Pane.TRACE):
            return (
                panels.activity(dashboard, width, height)
                if question is None
                else self._draw_card(width, height)
            )
        if dashboard.pane is Pane.QUEUE:
            return panels.queue_list(dashboard, width, height)
        if dashboard.editor is not None:
            return editor_lines(dashboard.editor, width, height)
        lines = self._pane_lines(width)
        if lines is None:
            return [] if question is None else self._draw_card(width, height)
        dashboard.list_scroll.fit(len(lines), height)
        top = dashboard.list_scroll.top
        return lines[top : top + height]

    def _pane_lines(self, width: int) -> list[Content] | None:
        """The lines of a list; None where the card stays visible."""
        dashboard = self._dashboard
        match dashboard.pane:
            case Pane.HISTORY:
                return history_lines(dashboard, width)
            case Pane.RULES:
                return rules_lines(dashboard, width)
            case Pane.HELP:
                return help_lines(width)
            case Pane.TRACE:
                return None if dashboard.question is None else trace_lines(dashboard.question, width)
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
        """The card; what is drawn here was seen, and the card arms from now on."""
        question, scroll = self._dashboard.question, self._dashboard.scroll
        if question is None or width <= 0 or height <= 0:
            return []
        # Two columns are for the rail, which a long card needs.
        card = self._lines_of(question, width - 2)
        is_scrollable = len(card.lines) > height
        approval = question.approval
        drawn = (approval.id, approval.digest, question.is_loaded, width)
        if drawn != self._drawn:
            self._drawn = drawn
            scroll = self._dashboard.scroll = Scroll()
        scroll.act_end, scroll.dangers = card.act_end, tuple(card.dangers)
        has_progress = is_scrollable and question.is_open and height > 6
        scroll.fit(len(card.lines), height - 1 if has_progress else height)
        self._dashboard.arming.note_painted(question.card_key)
        shown = card.lines[scroll.top : scroll.top + scroll.height]
        if self._dashboard.hint and not question.is_open:
            advice = "This is the third time. To stop being asked, add to your policy file: "
            shown = [*paragraph(width - 2, visible(self._dashboard.hint), "bold $ink", lead=advice), *shown]
        if is_scrollable:
            shown = _with_rail(shown, scroll, width)
        return [*shown, _progress(card, scroll, width)] if has_progress else shown

    def _lines_of(self, question: Question, width: int) -> CardLines:
        """The lines of a card; those of a long call are not folded again for every key."""
        if self._card is None or self._card[0] is not question or self._card[1] != width:
            self._card = (question, width, card_lines(question, width))
        return self._card[2]


def _with_rail(lines: list[Content], scroll: Scroll, width: int) -> list[Content]:
    """Lines with a rail at the right that shows the place, and the marked lines."""
    height = max(1, len(lines))
    first = scroll.top * height // max(1, scroll.total)
    last = min(height - 1, (scroll.top + scroll.height) * height // max(1, scroll.total))
    marks = {at * height // max(1, scroll.total) for at in scroll.dangers}
    drawn: list[Content] = []
    for number, one in enumerate(lines):
        rail = ("█", "$ink-3") if first <= number <= last else ("│", "$line-strong")
        rail = ("▲", "bold $deny") if number in marks else rail
        drawn.append(row(width, one, line(rail)))
    return drawn


def _progress(card: CardLines, scroll: Scroll, width: int) -> Content:
    """How much of the call was on the screen."""
    part = min(1.0, scroll.seen / max(1, card.act_end))
    size = 20 if width >= 70 else 6
    done = int(part * size)
    word = ", the end was seen" if scroll.is_read else ", yes opens at the end"
    left = line(
        ("━" * done, "$sel"),
        ("╌" * (size - done), "$line-strong"),
        (f" {part:.0%} seen", "$ink-2"),
        (word if width >= 50 else "", "$run" if scroll.is_read else "$ink"),
    )
    pairs = [("space", " page"), *([("w", " next ▲")] if card.dangers else []), ("end", " to the end")]
    return row(width, left, keys(pairs) if width >= 90 else keys(pairs[:1]))
