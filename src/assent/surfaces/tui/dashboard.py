"""The state of the dashboard, which every part of the screen is drawn from."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum, auto

from assent.surfaces.tui.arming import Arming
from assent.surfaces.tui.field import TextField
from assent.surfaces.tui.overview import DecisionRow, Overview, Person, StandingRule
from assent.surfaces.tui.question import Question
from assent.surfaces.tui.queue import Queue
from assent.surfaces.tui.rule_editor import RuleEditor

SMALLEST_WIDTH = 20
SMALLEST_HEIGHT = 8
"""Below this size the dashboard draws nothing but a sentence, and takes no answers."""


class Pane(Enum):
    """What the middle of the screen shows, and what keys mean there."""

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
    def is_typing(self) -> bool:
        """Whether letters are text."""
        return self in _TYPING


_TYPING = frozenset({Pane.TOOL_NAME, Pane.MESSAGE, Pane.CONFIRM, Pane.EDIT_CONFIRM, Pane.FILTER})

_ANSWERING = frozenset({Pane.RULE, Pane.TOOL_NAME, Pane.MESSAGE, Pane.CONFIRM, Pane.EDIT, Pane.EDIT_CONFIRM})
"""Panes about the answer to one question."""


@dataclass(slots=True)
class ConnectionStatus:
    """Whether the server answers."""

    is_up: bool = False
    was_up: bool = False
    """Whether it has ever answered."""
    since: datetime | None = None
    """When it was lost."""
    why: str = ""
    retry_at: float = 0.0
    """When the next attempt begins, by the clock of the dashboard."""


@dataclass(slots=True)
class Scroll:
    """Which lines of a long text are on the screen, and how far the person has read."""

    top: int = 0
    """The first line on the screen."""
    height: int = 1
    total: int = 0
    seen: int = 0
    """How many lines, from the first, were on the screen."""
    act_end: int = 0
    """How many lines a person must have seen to allow the call."""
    dangers: tuple[int, ...] = ()
    """The lines with marked words."""

    def fit(self, total: int, height: int) -> None:
        """Take the size of the text and of the screen; the lines on the screen count as seen."""
        self.total, self.height = total, max(1, height)
        self.top = max(0, min(self.top, total - self.height))
        self.seen = max(self.seen, self.top + self.height)

    def move(self, lines: int) -> None:
        """Scroll by some lines."""
        self.top = max(0, min(self.top + lines, self.total - self.height))

    def move_to_danger(self) -> None:
        """Scroll to the next line with marked words."""
        following = next((at for at in self.dangers if at > self.top + self.height // 2), None)
        if following is not None:
            self.move(following - self.top - self.height // 2)

    @property
    def is_read(self) -> bool:
        """Whether the end of the call was on the screen."""
        return self.total > 0 and self.seen >= self.act_end


@dataclass(slots=True, kw_only=True)
class Dashboard:
    """Everything that the screen shows; only the controller, the actions and the drawing change it."""

    url: str
    clock: Callable[[], float] = time.monotonic
    """Seconds, for arming; tests own it."""
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    queue: Queue = field(default_factory=Queue)
    connection: ConnectionStatus = field(default_factory=ConnectionStatus)
    person: Person | None = None
    overview: Overview = field(default_factory=Overview)
    pane: Pane = Pane.CARD
    pane_card: tuple[str, ...] = ()
    """The card that was on the screen when the pane was opened."""
    entry: TextField = field(default_factory=TextField)
    """The field of a pane in which a person types."""
    editor: RuleEditor | None = None
    edited: dict[str, object] | None = None
    """Changed arguments that wait for a confirmation."""
    scroll: Scroll = field(default_factory=Scroll)
    list_scroll: Scroll = field(default_factory=Scroll)
    history: tuple[DecisionRow, ...] = ()
    rules: tuple[StandingRule, ...] = ()
    notice: str = ""
    """What the last key did, if the card does not show it."""
    hint: str = ""
    """The line to add to a policy file after the third "always" for the same rule."""
    is_busy: bool = False
    """An answer is on its way."""
    is_too_small: bool = False
    arming: Arming = field(init=False)

    def __post_init__(self) -> None:
        self.arming = Arming(self.clock)

    @property
    def question(self) -> Question | None:
        """The selected question."""
        return self.queue.selected

    @property
    def me(self) -> str:
        """The id of the person."""
        return "" if self.person is None else self.person.id

    @property
    def is_text(self) -> bool:
        """Whether letters are text now."""
        is_rule = self.pane is Pane.RULE and self.editor is not None and self.editor.is_on_rule
        return is_rule or self.pane.is_typing or self.pane is Pane.EDIT

    @property
    def can_send(self) -> bool:
        """Whether an answer that a person has typed can be sent."""
        question = self.question
        is_same = question is not None and question.is_open and question.card_key == self.pane_card
        return is_same and self.connection.is_up and not self.is_busy

    @property
    def is_live(self) -> bool:
        """Whether keys may answer now."""
        question = self.question
        if question is None or not question.is_open or self.is_busy or self.is_too_small:
            return False
        return self.connection.is_up and self.arming.is_armed_for(question.card_key)

    @property
    def can_allow(self) -> bool:
        """Whether the selected question may be allowed: all of its call was on the screen."""
        return self.question is not None and self.question.can_allow and self.scroll.is_read

    @property
    def can_remember(self) -> bool:
        """Whether "always" is offered: never for a call that is too long for one look."""
        question = self.question
        return self.can_allow and question is not None and question.can_remember and not question.is_long

    def show(self, pane: Pane, text: str = "") -> None:
        """Show something else in the middle of the screen; a field begins with a text."""
        if pane not in (Pane.TOOL_NAME, Pane.EDIT_CONFIRM):
            self.pane_card = () if self.question is None else self.question.card_key
        self.pane = pane
        self.entry = TextField.of(text)
        self.list_scroll = Scroll()
        if pane is not Pane.TOOL_NAME:
            self.editor = None

    def close_outdated_pane(self) -> None:
        """Close a pane about an answer when its question is over, or is not the one that was shown."""
        card = () if self.question is None else self.question.card_key
        if self.pane in _ANSWERING and card != self.pane_card:
            self.show(Pane.CARD)
