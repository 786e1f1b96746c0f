"""Handles the keys of the person and the messages of the server."""

from assent.errors import InputError
from assent.gate.answer import Answer, Say
from assent.surfaces.tui.actions import Actions, Display, edited_arguments
from assent.surfaces.tui.dashboard import Dashboard, Pane
from assent.surfaces.tui.question import CONFIRMATION, question_from_excerpt
from assent.surfaces.tui.rule_editor import new_rule_editor
from assent.surfaces.tui.server_connection import MessageReceived, News, ServerLost, ServerReached
from assent.surfaces.tui.text import editable_json

_ANSWER_KEYS = frozenset("yanmel")
_SCROLL_KEYS = frozenset({"j", "k", "down", "up", "space", "pagedown", "pageup", "home", "end", "w"})
_MOVE_KEYS = {"j": 1, "down": 1, "k": -1, "up": -1}


class Controller:
    """Changes the dashboard when the person presses a key and when the server sends a message."""

    def __init__(self, dashboard: Dashboard, display: Display, actions: Actions) -> None:
        self._dashboard = dashboard
        self._display = display
        self._actions = actions
        self._listed: set[str] | None = None
        """The open questions of a list that is still incomplete; None while no list is being read."""

    # ---- news of the server ---------------------------------------------------------------------

    def apply_news(self, news: News) -> None:
        """Apply a message of the server, or a change of the connection."""
        connection = self._dashboard.connection
        match news:
            case ServerReached(is_fresh=is_fresh):
                connection.is_up = connection.was_up = True
                connection.since = None
                self._listed = set() if is_fresh else None
                # What was loaded before may be old: nothing is allowed until it was loaded and painted again.
                self._dashboard.queue.require_reload()
                self._dashboard.arming.restart_arming()
                self._display.start_task(self._actions.refresh_overview())
            case ServerLost(why=why, retry_in=retry_in):
                connection.is_up = False
                connection.since = connection.since or self._dashboard.now()
                connection.why, connection.retry_at = why, self._dashboard.clock() + retry_in
            case MessageReceived(message=message):
                self._apply_message(message)
        self._dashboard.close_outdated_pane()
        self._actions.load_selected_question()
        self._display.redraw()

    def _apply_message(self, message: dict[str, object]) -> None:
        match message.get("type"):
            case "reset":
                self._listed = set()
            case "ready":
                self._remove_ended_questions()
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
        if self._dashboard.queue.update_question(question) and kind == "asked":
            self._display.ring_bell()

    def _remove_ended_questions(self) -> None:
        """Remove the questions that the server did not list as open."""
        if self._listed is None:
            return
        for id in self._dashboard.queue.keep_only_questions(self._listed):
            self._actions.load_question(id)
        self._listed = None
        if self._dashboard.queue.open_question_count:
            self._display.ring_bell()

    # ---- keys -----------------------------------------------------------------------------------

    def press_key(self, key: str, character: str | None) -> None:
        """Handle a key press; a key that answers is ignored unless the card was armed before."""
        is_live = self._dashboard.can_answer_by_key
        self._dashboard.arming.record_key_press()
        if not self._dashboard.is_too_small:
            self._dispatch_key(key, character, is_live=is_live)
        self._actions.load_selected_question()
        self._display.redraw()

    def _dispatch_key(self, key: str, character: str | None, *, is_live: bool) -> None:
        pane = self._dashboard.pane
        if key == "escape":
            self._dashboard.open_pane(Pane.CARD)
        elif key == "f1" or (key == "question_mark" and not self._dashboard.is_typing_text):
            self._dashboard.open_pane(Pane.CARD if pane is Pane.HELP else Pane.HELP)
        elif pane is Pane.RULE:
            self._press_in_editor(key, character)
        elif pane.takes_text:
            self._press_in_field(key, character)
        elif pane is Pane.PAUSE:
            if key == "enter":
                self._actions.toggle_pause()
        elif pane is not Pane.EDIT:
            is_letter = character is not None and len(character) == 1 and character.isalpha()
            self._press_on_card(key.lower() if is_letter else key, is_live=is_live)

    def paste_text(self, text: str) -> None:
        """Insert a pasted text into the open field; without an open field, ignore it."""
        self._dashboard.arming.record_key_press()
        if self._dashboard.pane is Pane.RULE and self._dashboard.editor is not None:
            self._dashboard.editor = self._dashboard.editor.with_pasted_text(text)
            self._actions.preview_rules()
        elif self._dashboard.pane.takes_text:
            self._dashboard.entry = self._dashboard.entry.with_inserted_text(text)
        self._display.redraw()

    def _press_on_card(self, key: str, *, is_live: bool) -> None:
        dashboard, pane = self._dashboard, self._dashboard.pane
        dashboard.notice = ""
        if key in _ANSWER_KEYS:
            if is_live and pane is Pane.CARD:
                self._press_answer_key(key)
        elif key in _MOVE_KEYS and pane in (Pane.CARD, Pane.QUEUE):
            dashboard.queue.move_selection(_MOVE_KEYS[key])
            dashboard.hint = ""
            dashboard.arming.restart_arming()
        elif key in _SCROLL_KEYS:
            self._press_scroll_key(key)
        elif key == "x" and dashboard.selected_question is not None:
            dashboard.open_pane(Pane.CARD if pane is Pane.TRACE else Pane.TRACE)
        elif key == "tab" or (key == "enter" and pane is Pane.QUEUE):
            dashboard.open_pane(Pane.CARD if pane is Pane.QUEUE else Pane.QUEUE)
        else:
            self._open_pane(key)

    def _open_pane(self, key: str) -> None:
        """Open a list or a field."""
        match key:
            case "slash":
                self._dashboard.open_pane(Pane.FILTER, self._dashboard.queue.filter)
            case "h":
                self._dashboard.open_pane(Pane.HISTORY)
                self._actions.load_history()
            case "u":
                self._dashboard.open_pane(Pane.RULES)
                self._actions.load_rules()
            case "p" if self._dashboard.connection.is_up:
                self._dashboard.open_pane(Pane.PAUSE)
            case _:
                pass

    def _press_answer_key(self, key: str) -> None:
        dashboard, question = self._dashboard, self._dashboard.selected_question
        if question is None:
            return
        match key:
            case "y" if dashboard.can_allow and question.needs_confirmation:
                dashboard.open_pane(Pane.CONFIRM)
            case "y" if dashboard.can_allow:
                self._actions.send_answer(question, Answer(say=Say.ONCE))
            case "a" if dashboard.can_answer_always:
                dashboard.open_pane(Pane.RULE)
                dashboard.editor = new_rule_editor(question)
                self._actions.preview_rules()
            case "n":
                self._actions.send_answer(question, Answer(say=Say.DENY))
            case "m":
                dashboard.open_pane(Pane.MESSAGE)
            case "e" if dashboard.can_allow:
                dashboard.open_pane(Pane.EDIT)
            case "l":
                self._actions.postpone_question(question)
            case _:
                pass

    def _press_in_editor(self, key: str, character: str | None) -> None:
        dashboard, editor = self._dashboard, self._dashboard.editor
        if editor is None:
            return
        if key != "enter":
            dashboard.editor = editor.after_key(key, character)
            self._actions.preview_rules()
        elif editor.rule_objection == "" and dashboard.can_send_answer:
            if editor.allows_whole_tool:
                dashboard.open_pane(Pane.TOOL_NAME)
            else:
                self._actions.send_answer(editor.question, editor.to_answer(dashboard.now()))

    def _press_in_field(self, key: str, character: str | None) -> None:
        dashboard, pane = self._dashboard, self._dashboard.pane
        if key != "enter":
            dashboard.entry = dashboard.entry.after_key(key, character)
            dashboard.notice = ""
        elif pane is Pane.FILTER:
            dashboard.queue.set_filter(dashboard.entry.text)
            dashboard.open_pane(Pane.CARD)
        elif dashboard.can_send_answer:
            self._submit_field(dashboard.entry.text.strip())

    def _submit_field(self, typed: str) -> None:
        dashboard, question, editor = (
            self._dashboard,
            self._dashboard.selected_question,
            self._dashboard.editor,
        )
        if question is None:
            return
        match dashboard.pane:
            case Pane.MESSAGE if typed:
                self._actions.send_answer(question, Answer(say=Say.DENY, reason=typed))
            case Pane.TOOL_NAME if editor is not None and typed == question.approval.call.tool:
                self._actions.send_answer(question, editor.to_answer(dashboard.now()))
            case Pane.CONFIRM if typed == CONFIRMATION:
                self._actions.send_answer(question, Answer(say=Say.ONCE))
            case Pane.EDIT_CONFIRM if typed == CONFIRMATION:
                self._actions.send_answer(question, Answer(say=Say.ONCE, args=dashboard.edited))
            case _:
                dashboard.notice = "nothing was sent"

    def _press_scroll_key(self, key: str) -> None:
        scroll = self._dashboard.scroll if self._dashboard.pane is Pane.CARD else self._dashboard.list_scroll
        page = max(1, scroll.height - 1)
        steps = {"space": page, "pagedown": page, "pageup": -page, "home": -scroll.total, "end": scroll.total}
        if key == "w":
            scroll.scroll_to_next_danger()
        else:
            scroll.scroll_by(steps.get(key) or _MOVE_KEYS[key])

    def scroll_lines(self, lines: int) -> None:
        """Scroll the card or the list, as a mouse wheel does."""
        (
            self._dashboard.scroll if self._dashboard.pane is Pane.CARD else self._dashboard.list_scroll
        ).scroll_by(lines)
        self._display.redraw()

    # ---- editing a call -------------------------------------------------------------------------

    def editable_text(self) -> str:
        """The text that a person edits: the command, or all arguments as JSON."""
        question = self._dashboard.selected_question
        if question is None:
            return ""
        if question.can_edit_command:
            return question.command_line or ""
        return editable_json(question.approval.call.args)

    def submit_edited_call(self, text: str) -> None:
        """Allow the call once with the edited arguments."""
        dashboard, question = self._dashboard, self._dashboard.selected_question
        if question is None or not dashboard.can_send_answer or not dashboard.can_allow:
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
            dashboard.open_pane(Pane.EDIT_CONFIRM)
        else:
            self._actions.send_answer(question, Answer(say=Say.ONCE, args=changed))
        self._display.redraw()
