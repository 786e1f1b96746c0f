"""The dashboard as a Textual app: one fixed layout, which plain functions draw."""

from collections.abc import Callable, Coroutine, Mapping
from datetime import UTC, datetime
from time import monotonic
from typing import Any

from textual import events
from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import TextArea

from assent.client.client import Client
from assent.engine.base import characters
from assent.surfaces.tui import bar, panels
from assent.surfaces.tui.actions import Actions
from assent.surfaces.tui.controller import Controller
from assent.surfaces.tui.dashboard import SMALLEST_HEIGHT, SMALLEST_WIDTH, Dashboard, Pane
from assent.surfaces.tui.look import THEMES, default_theme_name, textual_theme, theme_colours
from assent.surfaces.tui.middle import MiddlePart
from assent.surfaces.tui.overview import AgentUsage
from assent.surfaces.tui.server_connection import REQUEST_TIMEOUT, EventListener, News, RequestThread
from assent.surfaces.tui.text import clock_text, visible_text
from assent.surfaces.tui.words import EFFECTS

TICKS_PER_SECOND = 10
"""How often the screen looks at the clock."""
OVERVIEW_INTERVAL = 5.0
"""Seconds between two reads of agents and decisions."""
_TITLES = {
    Pane.TRACE: "Whole trace",
    Pane.HISTORY: "History",
    Pane.RULES: "Rules",
    Pane.HELP: "Help",
    Pane.QUEUE: "Queue",
}


class ServerNews(Message):
    """A message or a change of the connection, from the thread that reads the server's events."""

    def __init__(self, news: News) -> None:
        super().__init__()
        self.news = news


class Panel(Widget):
    """A part of the screen; a function of its width and height draws it."""

    def __init__(self, draw: Callable[[int, int], list[Content]], id: str) -> None:
        super().__init__(id=id)
        self._draw = draw
        self._shown = ""

    def render(self) -> Content:
        """Draw the lines that fit."""
        content = self._drawn_content()
        self._shown = content.plain
        return content

    def refresh_if_changed(self) -> None:
        """Draw again only if the text has changed; an unchanged screen writes nothing to the terminal."""
        if self._drawn_content().plain != self._shown:
            self.refresh()

    def _drawn_content(self) -> Content:
        width, height = self.content_size
        return Content("\n").join(self._draw(width, height)[: max(height, 0)])


class CallEditor(TextArea):
    """The editor for the arguments of a call; hidden characters of a pasted text become escapes."""

    async def _on_paste(self, event: events.Paste) -> None:
        clean = "\n".join(characters.to_visible(one) for one in event.text.splitlines())
        await super()._on_paste(events.Paste(clean))


class DashboardApp(App[None]):
    """The terminal dashboard: a person reads questions, and answers them in the bar at the bottom."""

    ENABLE_COMMAND_PALETTE = False
    TITLE = "assent dashboard"
    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (50, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual's own type
    VERTICAL_BREAKPOINTS = [(0, "-short"), (34, "-tall")]  # noqa: RUF012
    CSS = """
    Screen { background: $canvas; color: $ink; layout: vertical; }
    Panel { text-wrap: nowrap; text-overflow: clip; }
    #head { height: 2; }
    #foot { height: 1; }
    #middle { height: 1fr; }
    #agents, #queue, #card, #edit, #bar {
        border: round $line-strong; border-title-color: $ink-2; border-subtitle-color: $ink-3;
        padding: 0 1; background: $surface;
    }
    #agents { height: 9; }
    #queue { width: 41; padding: 0; height: 1fr; }
    #card, #edit { width: 1fr; height: 1fr; }
    #edit { display: none; color: $ink; }
    #bar { height: 4; }
    .asks #card, .asks #edit { border: round $sel; border-title-color: $sel; }
    .asks #bar { border: round $ask; background: $ask-soft; border-title-color: $ask; }
    .off #card { border: round $line-strong; border-title-color: $ink-3; }
    .off #bar { border: round $deny; background: $surface; border-title-color: $ink-3; }
    .editing #card { display: none; }
    .editing #edit { display: block; }
    .quiet #queue, .listing #queue, .-narrow #queue, .-tiny #queue, .long #queue { display: none; }
    .-narrow #bar, .-tiny #bar { height: 5; }
    .-narrow #agents, .-tiny #agents, .-short #agents, .long #agents {
        height: 1; border: none; padding: 0 1; background: $canvas;
    }
    .-tiny #head { height: 1; }
    .-tiny #agents { display: none; }
    .-tiny #card, .-tiny #edit, .-tiny.asks #card { border: none; padding: 0 1; }
    .-tiny #bar, .-tiny.asks #bar, .-tiny.off #bar {
        border: none; border-top: solid $ask; height: 4; padding: 0 1;
    }
    .small #head, .small #agents, .small #bar, .small #foot, .small #queue { display: none; }
    .small #card { border: none; padding: 0; }
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        theme_name: str | None = None,
        clock: Callable[[], float] = monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        usage: Callable[[], Mapping[str, AgentUsage]] = dict[str, AgentUsage],
    ) -> None:
        self._initial_theme = theme_name or default_theme_name()
        # Without this, the filter of NO_COLOR paints the terminal's own colours black.
        super().__init__(ansi_color=True if self._initial_theme == "16" else None)
        self.dashboard = Dashboard(url=url, clock=clock, now=now, usage=usage)
        self._listener = EventListener(Client(url, token), lambda news: self.post_message(ServerNews(news)))
        self._requests = [
            RequestThread(Client(url, token, timeout=REQUEST_TIMEOUT, tries=2)) for _ in range(2)
        ]
        actions = Actions(self.dashboard, self, *self._requests)
        self._actions = actions
        self.controller = Controller(self.dashboard, self, actions)
        self._middle = MiddlePart(self.dashboard)
        self._titles: dict[str, tuple[str, str]] = {}
        self._ticks = 0

    # ---- layout ---------------------------------------------------------------------------------

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The colours that the style sheet uses, by name."""
        return theme_colours("dark")

    def compose(self) -> ComposeResult:
        """Create the parts of the screen."""
        dashboard = self.dashboard
        yield Panel(lambda width, _: panels.header_lines(dashboard, width), "head")
        yield Panel(lambda width, height: panels.agents_table_lines(dashboard, width, height), "agents")
        with Horizontal(id="middle"):
            yield Panel(lambda width, height: panels.queue_lines(dashboard, width, height), "queue")
            yield Panel(self._middle.draw_lines, "card")
            yield CallEditor(id="edit", tab_behavior="indent")
        yield Panel(lambda width, _: bar.answer_bar_lines(dashboard, width), "bar")
        yield Panel(lambda width, _: panels.footer_lines(dashboard, width), "foot")

    def on_mount(self) -> None:
        """Start the connection to the server and the timer."""
        for name in THEMES:
            self.register_theme(textual_theme(name))
        self.theme = self._initial_theme
        for requests in self._requests:
            requests.start()
        self._listener.start()
        self.set_interval(1 / TICKS_PER_SECOND, self._redraw_moving_parts)
        self.set_interval(OVERVIEW_INTERVAL, lambda: self.start_task(self._actions.refresh_overview()))
        self.redraw()

    def on_unmount(self) -> None:
        """Stop the threads."""
        self._listener.stop()
        for requests in self._requests:
            requests.stop()

    # ---- what controller and actions need ---------------------------------------------------------

    def redraw(self) -> None:
        """Draw everything again."""
        if not self.is_running or not self.is_attached:
            return
        self._set_css_classes()
        self._set_titles()
        for panel in self.query(Panel):
            panel.refresh()

    def ring_bell(self) -> None:
        """Ring the bell once."""
        self.bell()

    def start_task(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine in the background."""
        self.run_worker(work, exit_on_error=True)

    # ---- events -----------------------------------------------------------------------------------

    def on_server_news(self, message: ServerNews) -> None:
        """Apply a message of the server, or a change of the connection."""
        self.controller.apply_news(message.news)

    async def on_event(self, event: events.Event) -> None:
        """Handle every key here, because Textual's own keys would move an invisible focus."""
        if isinstance(event, events.Key) and self._handle_key(event):
            event.stop()
            return
        await super().on_event(event)

    def _handle_key(self, event: events.Key) -> bool:
        """Handle a key; return whether the key was handled."""
        key, is_text = event.key, self.dashboard.is_typing_text or self.dashboard.pane is Pane.RULE
        if key == "ctrl+c" or (key == "q" and not is_text):
            self.exit()
        elif key == "t" and not is_text:
            self.theme = THEMES[(THEMES.index(self.theme) + 1) % len(THEMES)]
        elif key == "r" and not is_text:
            self._listener.reconnect_now()
        elif self.dashboard.pane is Pane.EDIT and key not in ("escape", "f1"):
            if key != "ctrl+s":
                return False
            self.controller.submit_edited_call(self.query_one(CallEditor).text)
        else:
            was_editing = self.dashboard.pane is Pane.EDIT
            self.controller.press_key(key, event.character)
            if self.dashboard.pane is Pane.EDIT and not was_editing:
                self._open_call_editor()
        return True

    def _open_call_editor(self) -> None:
        area = self.query_one(CallEditor)
        area.load_text(self.controller.editable_text())
        self._set_css_classes()
        area.focus()

    def on_paste(self, event: events.Paste) -> None:
        """Insert a pasted text into the open field."""
        if self.dashboard.pane is not Pane.EDIT:
            self.controller.paste_text(event.text)

    def on_mouse_scroll_down(self) -> None:
        """Scroll down."""
        self.controller.scroll_lines(3)

    def on_mouse_scroll_up(self) -> None:
        """Scroll up."""
        self.controller.scroll_lines(-3)

    def on_app_focus(self) -> None:
        """Restart the arming: the key that activated this window may have been meant for another window."""
        self.dashboard.arming.record_key_press()

    def on_resize(self, event: events.Resize) -> None:
        """Record the new size; in a terminal that is too small, a person cannot answer."""
        size = event.size
        self.dashboard.is_too_small = size.width < SMALLEST_WIDTH or size.height < SMALLEST_HEIGHT
        self.dashboard.arming.restart_arming()
        self.redraw()

    def _redraw_moving_parts(self) -> None:
        """Redraw the parts that change with time: the arming every tenth of a second, clocks every second."""
        self._ticks += 1
        is_second = self._ticks % TICKS_PER_SECOND == 0
        if is_second:
            self._set_titles()
        for panel in self.query("#head, #queue, #agents, #bar" if is_second else "#bar").results(Panel):
            panel.refresh_if_changed()

    # ---- drawing ----------------------------------------------------------------------------------

    def _set_css_classes(self) -> None:
        question = self.dashboard.selected_question
        is_open = question is not None and question.is_open
        self.screen.set_class(is_open, "asks")
        self.screen.set_class(question is None, "quiet")
        self.screen.set_class(not self.dashboard.connection.is_up, "off")
        self.screen.set_class(question is not None and question.needs_full_width, "long")
        self.screen.set_class(self.dashboard.pane is Pane.EDIT, "editing")
        self.screen.set_class(self.dashboard.pane in (Pane.HISTORY, Pane.RULES, Pane.HELP), "listing")
        self.screen.set_class(self.dashboard.is_too_small, "small")
        if self.dashboard.pane is not Pane.EDIT and self.focused is not None:
            self.set_focus(None)

    def _set_titles(self) -> None:
        dashboard, question = self.dashboard, self.dashboard.selected_question
        since = dashboard.connection.since
        stale = f"   as of {clock_text(since)}" if since is not None and dashboard.connection.was_up else ""
        counts = dashboard.overview.counts
        self._set_frame_titles("#agents", f"Agents{stale}", panels.agents_title(dashboard))
        self._set_frame_titles("#queue", f"Waiting {dashboard.queue.open_question_count}", "")
        self._set_frame_titles(
            "#bar", bar.answer_bar_title(dashboard) if self.size.width >= panels.TINY else "", ""
        )
        if question is None or dashboard.pane in _TITLES:
            verdicts = f"{counts.run} ran · {counts.ask} asked · {counts.deny} denied"
            today = f"today {counts.decision_count} calls · {verdicts}"
            self._set_frame_titles(
                "#card", _TITLES.get(dashboard.pane, "Activity") + stale, today if question is None else ""
            )
            return
        symbol, word = EFFECTS[question.approval.tool.effect]
        title = f"{symbol} {word} · {visible_text(question.approval.call.tool)}{stale}"
        if question.words:
            title = f"? Question{stale}"
        if dashboard.pane in (Pane.RULE, Pane.TOOL_NAME):
            title = f"Always…  {question.calling_agent}"
        self._set_frame_titles(
            "#card", title, bar.waiting_time_text(dashboard, question) if question.is_open else ""
        )
        self._set_frame_titles("#edit", f"Edit  {question.agent}")

    def _set_frame_titles(self, name: str, title: str, subtitle: str = "") -> None:
        """Set the title and subtitle of a frame as plain text, not as markup."""
        if self._titles.get(name) == (title, subtitle):
            return
        # While the app ends, its parts may be gone already.
        for widget in self.query(name):
            self._titles[name] = (title, subtitle)
            widget.border_title = Content(title)
            widget.border_subtitle = Content(subtitle)
