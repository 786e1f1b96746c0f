"""What each key does, and what news of the server changes."""

from assent.errors import InputError
from assent.gate.answer import Answer, Say
from assent.surfaces.tui.actions import Actions, Display, edited_arguments
from assent.surfaces.tui.dashboard import Dashboard, Pane
from assent.surfaces.tui.question import CONFIRMATION, question_from_excerpt
from assent.surfaces.tui.rule_editor import rule_editor_of
from assent.surfaces.tui.server_connection import MessageReceived, News, ServerLost, ServerReached
from assent.surfaces.tui.text import editable_json

_ANSWER_KEYS = frozenset("yanmel")
_SCROLL_KEYS = frozenset({"j", "k", "down", "up", "space", "pagedown", "pageup", "home", "end", "w"})
_MOVE_KEYS = {"j": 1, "down": 1, "k": -1, "up": -1}


class Controller:
    """Changes the dashboard: by keys of the person, and by news of the server."""

    def __init__(self, dashboard: Dashboard, display: Display, actions: Actions) -> None:
        self._dashboard = dashboard
        self._display = display
        self._actions = actions
        self._listed: set[str] | None = None
        """The open questions of a list that is still incomplete; None while no list is being read."""

    # ---- news of the server ---------------------------------------------------------------------

    def apply(self, news: News) -> None:
        """Apply news of the server."""
        connection = self._dashboard.connection
        match news:
            case ServerReached(is_fresh=is_fresh):
                connection.is_up = connection.was_up = True
                connection.since = None
                self._listed = set() if is_fresh else None
                # What was loaded before may be old: nothing is allowed until it was loaded and painted again.
                self._dashboard.queue.forget_details()
                self._dashboard.arming.restart()
                self._display.start_task(self._actions.refresh_overview())
            case ServerLost(why=why, retry_in=retry_in):
                connection.is_up = False
                connection.since = connection.since or self._dashboard.now()
                connection.why, connection.retry_at = why, self._dashboard.clock() + retry_in
            case MessageReceived(message=message):
                self._apply_message(message)
        self._dashboard.close_outdated_pane()
        self._actions.load_selected()
        self._display.redraw()

    def _apply_message(self, message: dict[str, object]) -> None:
        match message.get("type"):
            case "reset":
                self._listed = set()
            case "ready":
                self._finish_list()
            case "paused" | "resumed":
                self._display.start_task(self._actions.refresh_overview())
            case kind if message.get("approval") is not None:
                self._apply_question(str(kind), message["approval"])
            case _:
                pass

    def _apply_question(self, kind: str, data: object) -> None:
        try:
            question = question_from_excerpt(data)
        except InputError as error:
            self._dashboard.notice = f"a question could not be read; answer it on the web page: {error}"
            return
        if self._listed is not None:
            self._listed.add(question.id)
        if self._dashboard.queue.update(question) and kind == "asked":
            self._display.ring_bell()

    def _finish_list(self) -> None:
        """All open questions were listed: the others are over."""
        if self._listed is None:
            return
        for id in self._dashboard.queue.keep_only(self._listed):
            self._actions.load(id)
        self._listed = None
        if self._dashboard.queue.open_count:
            self._display.ring_bell()

    # ---- keys -----------------------------------------------------------------------------------

    def press(self, key: str, character: str | None) -> None:
        """Do what a key means now. A key that answers counts only if the card was armed before it."""
        is_live = self._dashboard.is_live
        self._dashboard.arming.note_key()
        if not self._dashboard.is_too_small:
            self._press(key, character, is_live=is_live)
        self._actions.load_selected()
        self._display.redraw()

    def _press(self, key: str, character: str | None, *, is_live: bool) -> None:
        pane = self._dashboard.pane
        if key == "escape":
            self._dashboard.show(Pane.CARD)
        elif key == "f1" or (key == "question_mark" and not self._dashboard.is_text):
            self._dashboard.show(Pane.CARD if pane is Pane.HELP else Pane.HELP)
        elif pane is Pane.RULE:
            self._press_in_editor(key, character)
        elif pane.is_typing:
            self._press_in_field(key, character)
        elif pane is Pane.PAUSE:
            if key == "enter":
                self._actions.switch_pause()
        elif pane is not Pane.EDIT:
            is_letter = character is not None and len(character) == 1 and character.isalpha()
            self._press_on_card(key.lower() if is_letter else key, is_live=is_live)

    def paste(self, text: str) -> None:
        """Put a pasted text into the open field; anywhere else it does nothing."""
        self._dashboard.arming.note_key()
        if self._dashboard.pane is Pane.RULE and self._dashboard.editor is not None:
            self._dashboard.editor = self._dashboard.editor.paste(text)
            self._actions.preview_rules()
        elif self._dashboard.pane.is_typing:
            self._dashboard.entry = self._dashboard.entry.insert(text)
        self._display.redraw()

    def _press_on_card(self, key: str, *, is_live: bool) -> None:
        dashboard, pane = self._dashboard, self._dashboard.pane
        dashboard.notice = ""
        if key in _ANSWER_KEYS:
            if is_live and pane is Pane.CARD:
                self._press_answer(key)
        elif key in _MOVE_KEYS and pane in (Pane.CARD, Pane.QUEUE):
            dashboard.queue.move(_MOVE_KEYS[key])
            dashboard.hint = ""
            dashboard.arming.restart()
        elif key in _SCROLL_KEYS:
            self._scroll(key)
        elif key == "x" and dashboard.question is not None:
            dashboard.show(Pane.CARD if pane is Pane.TRACE else Pane.TRACE)
        elif key == "tab" or (key == "enter" and pane is Pane.QUEUE):
            dashboard.show(Pane.CARD if pane is Pane.QUEUE else Pane.QUEUE)
        else:
            self._open(key)

    def _open(self, key: str) -> None:
        """Open a list or a field."""
        match key:
            case "slash":
                self._dashboard.show(Pane.FILTER, self._dashboard.queue.filter)
            case "h":
                self._dashboard.show(Pane.HISTORY)
                self._actions.load_history()
            case "u":
                self._dashboard.show(Pane.RULES)
                self._actions.load_rules()
            case "p" if self._dashboard.connection.is_up:
                self._dashboard.show(Pane.PAUSE)
            case _:
                pass

    def _press_answer(self, key: str) -> None:
        dashboard, question = self._dashboard, self._dashboard.question
        if question is None:
            return
        match key:
            case "y" if dashboard.can_allow and question.needs_confirmation:
                dashboard.show(Pane.CONFIRM)
            case "y" if dashboard.can_allow:
                self._actions.send(question, Answer(say=Say.ONCE))
            case "a" if dashboard.can_remember:
                dashboard.show(Pane.RULE)
                dashboard.editor = rule_editor_of(question)
                self._actions.preview_rules()
            case "n":
                self._actions.send(question, Answer(say=Say.DENY))
            case "m":
                dashboard.show(Pane.MESSAGE)
            case "e" if dashboard.can_allow:
                dashboard.show(Pane.EDIT)
            case "l":
                self._actions.postpone(question)
            case _:
                pass

    def _press_in_editor(self, key: str, character: str | None) -> None:
        dashboard, editor = self._dashboard, self._dashboard.editor
        if editor is None:
            return
        if key != "enter":
            dashboard.editor = editor.press(key, character)
            self._actions.preview_rules()
        elif editor.objection == "" and dashboard.can_send:
            if editor.is_whole_tool:
                dashboard.show(Pane.TOOL_NAME)
            else:
                self._actions.send(editor.question, editor.answer(dashboard.now()))

    def _press_in_field(self, key: str, character: str | None) -> None:
        dashboard, pane = self._dashboard, self._dashboard.pane
        if key != "enter":
            dashboard.entry = dashboard.entry.press(key, character)
            dashboard.notice = ""
        elif pane is Pane.FILTER:
            dashboard.queue.set_filter(dashboard.entry.text)
            dashboard.show(Pane.CARD)
        elif dashboard.can_send:
            self._submit_field(dashboard.entry.text.strip())

    def _submit_field(self, typed: str) -> None:
        dashboard, question, editor = self._dashboard, self._dashboard.question, self._dashboard.editor
        if question is None:
            return
        match dashboard.pane:
            case Pane.MESSAGE if typed:
                self._actions.send(question, Answer(say=Say.DENY, reason=typed))
            case Pane.TOOL_NAME if editor is not None and typed == question.approval.call.tool:
                self._actions.send(question, editor.answer(dashboard.now()))
            case Pane.CONFIRM if typed == CONFIRMATION:
                self._actions.send(question, Answer(say=Say.ONCE))
            case Pane.EDIT_CONFIRM if typed == CONFIRMATION:
                self._actions.send(question, Answer(say=Say.ONCE, args=dashboard.edited))
            case _:
                dashboard.notice = "nothing was sent"

    def _scroll(self, key: str) -> None:
        scroll = self._dashboard.scroll if self._dashboard.pane is Pane.CARD else self._dashboard.list_scroll
        page = max(1, scroll.height - 1)
        steps = {"space": page, "pagedown": page, "pageup": -page, "home": -scroll.total, "end": scroll.total}
        if key == "w":
            scroll.move_to_danger()
        else:
            scroll.move(steps.get(key) or _MOVE_KEYS[key])

    def scroll_lines(self, lines: int) -> None:
        """Scroll what is shown, as the wheel of a mouse does."""
        (self._dashboard.scroll if self._dashboard.pane is Pane.CARD else self._dashboard.list_scroll).move(
            lines
        )
        self._display.redraw()

    # ---- editing a call -------------------------------------------------------------------------

    def edit_text(self) -> str:
        """What a person edits: the command, or all arguments as JSON."""
        question = self._dashboard.question
        if question is None:
            return ""
        if question.can_edit_command:
            return question.command or ""
        return editable_json(question.approval.call.args)

    def submit_edit(self, text: str) -> None:
        """Allow the call with changed arguments, once."""
        dashboard, question = self._dashboard, self._dashboard.question
        if question is None or not dashboard.can_send or not dashboard.can_allow:
            return
        try:
            args = edited_arguments(question, text)
        except ValueError:
            dashboard.notice = "this is not a JSON object"
            self._display.redraw()
            return
        changed = None if args == dict(question.approval.call.args) else args
        dashboard.edited = changed
        if question.needs_confirmation:
            dashboard.show(Pane.EDIT_CONFIRM)
        else:
            self._actions.send(question, Answer(say=Say.ONCE, args=changed))
        self._display.redraw()
