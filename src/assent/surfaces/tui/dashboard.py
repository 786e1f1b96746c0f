"""The state of the dashboard, which every part of the screen is drawn from, and when a key may answer."""

import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum, auto

from assent.surfaces.tui.field import TextField
from assent.surfaces.tui.overview import AgentUsage, DecisionRow, Person, ServerOverview, StandingRule
from assent.surfaces.tui.question import Question
from assent.surfaces.tui.queue import QuestionQueue
from assent.surfaces.tui.rule_editor import RuleEditor

QUIET_SECONDS = 0.5
"""Seconds without a key that a painted card needs before it can be answered."""


class Arming:
    """Measures the time since the card appeared and since the last key press; the caller passes the clock."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._card: Hashable = None
        self._quiet_since: float | None = None

    def record_painted_card(self, card: Hashable) -> None:
        """Record that a card is on the screen; a different or changed card restarts the delay."""
        if card != self._card:
            self._card = card
            self._quiet_since = self._clock()

    def record_key_press(self) -> None:
        """Record a key press, which restarts the delay."""
        if self._quiet_since is not None:
            self._quiet_since = self._clock()

    def restart_arming(self) -> None:
        """Restart the delay: wait until the card is painted again."""
        self._card = self._quiet_since = None

    @property
    def arming_progress(self) -> float:
        """The part of the delay that has passed, from 0 to 1."""
        if self._quiet_since is None:
            return 0.0
        return min(1.0, (self._clock() - self._quiet_since) / QUIET_SECONDS)

    @property
    def is_armed(self) -> bool:
        """Whether a key may answer the card on the screen."""
        return self.arming_progress >= 1.0

    def is_armed_for(self, card: Hashable) -> bool:
        """Whether a key may answer this card: it is on the screen and the delay has passed."""
        return self.is_armed and card == self._card


SMALLEST_WIDTH = 20
SMALLEST_HEIGHT = 8
"""Below this size the dashboard draws nothing but a sentence, and takes no answers."""


class Pane(Enum):
    """The content of the middle of the screen; it determines the meaning of keys."""

    CARD = auto()
    TRACE = auto()
    RULE = auto()
    TOOL_NAME = auto()
    """The person types the name of the tool, to allow all its calls."""
    MESSAGE = auto()
    CONFIRM = auto()
    EDIT = auto()
    EDIT_CONFIRM = auto()
    FILTER = auto()
    PAUSE = auto()
    QUEUE = auto()
    HISTORY = auto()
    RULES = auto()
    HELP = auto()

    @property
    def takes_text(self) -> bool:
        """Whether typed letters are text, not commands."""
        return self in _TYPING


_TYPING = frozenset({Pane.TOOL_NAME, Pane.MESSAGE, Pane.CONFIRM, Pane.EDIT_CONFIRM, Pane.FILTER})

_ANSWERING = frozenset({Pane.RULE, Pane.TOOL_NAME, Pane.MESSAGE, Pane.CONFIRM, Pane.EDIT, Pane.EDIT_CONFIRM})
"""Panes about the answer to one question."""


@dataclass(slots=True)
class ConnectionStatus:
    """Whether the server can be reached, and since when."""

    is_up: bool = False
    was_up: bool = False
    """Whether it has ever answered."""
    since: datetime | None = None
    """When it was lost."""
    why: str = ""
    retry_at: float = 0.0
    """When the next attempt begins, by the clock of the dashboard."""


@dataclass(slots=True)
class ScrollState:
    """The visible lines of a long text, and the last line that the person has seen."""

    top: int = 0
    """The first line on the screen."""
    height: int = 1
    total: int = 0
    seen: int = 0
    """How many lines, from the first, were on the screen."""
    call_end: int = 0
    """How many lines a person must have seen to allow the call."""
    dangers: tuple[int, ...] = ()
    """The lines with marked words."""

    def fit_to_screen(self, total: int, height: int) -> None:
        """Record the size of the text and of the screen, and mark the lines on the screen as seen."""
        self.total, self.height = total, max(1, height)
        self.top = max(0, min(self.top, total - self.height))
        self.seen = max(self.seen, self.top + self.height)

    def scroll_by(self, lines: int) -> None:
        """Scroll by some lines."""
        self.top = max(0, min(self.top + lines, self.total - self.height))

    def scroll_to_next_danger(self) -> None:
        """Scroll to the next line that contains dangerous words."""
        following = next((at for at in self.dangers if at > self.top + self.height // 2), None)
        if following is not None:
            self.scroll_by(following - self.top - self.height // 2)

    @property
    def is_call_read(self) -> bool:
        """Whether the person has seen the call to its end."""
        return self.total > 0 and self.seen >= self.call_end


@dataclass(slots=True, kw_only=True)
class Dashboard:
    """The state of the dashboard; only the controller, the actions and the drawing code change it."""

    url: str
    clock: Callable[[], float] = time.monotonic
    """Seconds, for arming; tests own it."""
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    queue: QuestionQueue = field(default_factory=QuestionQueue)
    connection: ConnectionStatus = field(default_factory=ConnectionStatus)
    person: Person | None = None
    overview: ServerOverview = field(default_factory=ServerOverview)
    usage: Callable[[], Mapping[str, AgentUsage]] = dict[str, AgentUsage]
    """What is known about the agents of a fleet that runs in this process."""
    pane: Pane = Pane.CARD
    pane_card: tuple[str, ...] = ()
    """The card that was on the screen when the pane was opened."""
    entry: TextField = field(default_factory=TextField)
    """The field of a pane in which a person types."""
    editor: RuleEditor | None = None
    edited: dict[str, object] | None = None
    """Changed arguments that wait for a confirmation."""
    scroll: ScrollState = field(default_factory=ScrollState)
    list_scroll: ScrollState = field(default_factory=ScrollState)
    history: tuple[DecisionRow, ...] = ()
    rules: tuple[StandingRule, ...] = ()
    notice: str = ""
    """What the last key did, if the card does not show it."""
    hint: str = ""
    """What to add to which file after the third "always" for the same rule."""
    is_busy: bool = False
    """An answer is on its way."""
    is_too_small: bool = False
    arming: Arming = field(init=False)

    def __post_init__(self) -> None:
        self.arming = Arming(self.clock)

    @property
    def selected_question(self) -> Question | None:
        """The selected question."""
        return self.queue.selected_question

    @property
    def person_id(self) -> str:
        """The id of the person."""
        return "" if self.person is None else self.person.id

    @property
    def is_typing_text(self) -> bool:
        """Whether typed letters are text, not commands, at this moment."""
        is_rule = self.pane is Pane.RULE and self.editor is not None and self.editor.is_editing_rule
        return is_rule or self.pane.takes_text or self.pane is Pane.EDIT

    @property
    def can_send_answer(self) -> bool:
        """Whether a typed answer can be sent: the server is reachable and no request is in progress."""
        question = self.selected_question
        is_same = question is not None and question.is_open and question.card_identity == self.pane_card
        return is_same and self.connection.is_up and not self.is_busy

    @property
    def can_answer_by_key(self) -> bool:
        """Whether a key may answer the selected question now."""
        question = self.selected_question
        if question is None or not question.is_open or self.is_busy or self.is_too_small:
            return False
        return self.connection.is_up and self.arming.is_armed_for(question.card_identity)

    @property
    def can_allow(self) -> bool:
        """Whether the selected question may be allowed: the person has seen the whole call."""
        return (
            self.selected_question is not None
            and self.selected_question.can_allow
            and self.scroll.is_call_read
        )

    @property
    def can_answer_always(self) -> bool:
        """Whether "always" is offered; it is not offered for a call that does not fit on the screen."""
        question = self.selected_question
        return (
            self.can_allow
            and question is not None
            and question.can_answer_always
            and not question.needs_full_width
        )

    def open_pane(self, pane: Pane, text: str = "") -> None:
        """Open a pane in the middle of the screen; a text field starts with this text."""
        if pane not in (Pane.TOOL_NAME, Pane.EDIT_CONFIRM):
            self.pane_card = () if self.selected_question is None else self.selected_question.card_identity
        self.pane = pane
        self.entry = TextField.with_cursor_at_end(text)
        self.list_scroll = ScrollState()
        if pane is not Pane.TOOL_NAME:
            self.editor = None

    def close_outdated_pane(self) -> None:
        """Close a pane for an answer if its question has ended or is no longer selected."""
        card = () if self.selected_question is None else self.selected_question.card_identity
        if self.pane in _ANSWERING and card != self.pane_card:
            self.open_pane(Pane.CARD)
