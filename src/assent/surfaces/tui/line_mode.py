"""Line mode: the dashboard as plain lines and words, without colours, symbols or escape sequences."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from enum import Enum, auto

from assent.client.client import Client
from assent.errors import AssentError, InputError
from assent.gate.answer import Answer, Say
from assent.surfaces.tui.line_text import (
    agent_name,
    count_text,
    question_lines,
    rule_lines,
    without_symbols,
)
from assent.surfaces.tui.overview import read_decisions, read_detail, read_person
from assent.surfaces.tui.question import CONFIRMATION, Question, question_from_detail, question_from_excerpt
from assent.surfaces.tui.queue import Queue
from assent.surfaces.tui.rule_editor import RuleEditor, rule_editor_of
from assent.surfaces.tui.server_connection import MessageReceived, News, ServerLost, ServerReached
from assent.surfaces.tui.text import clock_text, visible
from assent.surfaces.tui.words import VERDICTS, outcome_sentence

WORDS = "y, a, n, m, why, text, later, list, history, help, quit"
HELP = (
    "y or yes: allow this call once",
    "a or always: show the rule that would be written; a second word writes it",
    "n or no: deny the call",
    "m: deny the call with a message for the agent",
    "why: print every step of the decision",
    "text: print the question again",
    "later: the question stays open and moves to the end",
    "list: print the open questions",
    "history: print the last answers",
    "quit: leave; open questions stay open",
    "Any other text, and an empty line, denies the call.",
)
_SAYS = {"y": "y", "yes": "y", "a": "a", "always": "a", "n": "n", "no": "n"}
_HISTORY_LINES = 20


class Step(Enum):
    """What the next line of the person means."""

    IDLE = auto()
    ANSWER = auto()
    CONFIRM = auto()
    RULE = auto()
    TOOL_NAME = auto()
    REASON = auto()


class LineMode:
    """Asks one question after another; a prompt names the question that its answer is for."""

    def __init__(
        self,
        client: Client,
        write: Callable[[str], object],
        now: Callable[[], datetime],
        forget_typed: Callable[[], object],
    ) -> None:
        self._client = client
        self._write = write
        self._now = now
        self._forget_typed = forget_typed
        self._queue = Queue()
        self._numbers: dict[str, int] = {}
        self._step = Step.IDLE
        self._asked: Question | None = None
        self._editor: RuleEditor | None = None
        self._me = ""
        self._is_up = False
        self._is_lost = False
        self._is_listed = False
        """Whether all open questions are known."""
        self.is_done = False

    # ---- news of the server ---------------------------------------------------------------------

    def apply(self, news: News) -> None:
        """Apply news of the server."""
        match news:
            case ServerReached():
                self._is_up, self._is_lost = True, False
                self._queue.forget_details()
            case ServerLost(why=why):
                if not self._is_lost:
                    at = clock_text(self._now())
                    self._say(f"{at}  Cannot reach {self._client.url}: {visible(why)}. Answers are off.")
                self._is_up, self._is_lost, self._is_listed = False, True, False
                self._step, self._asked = Step.IDLE, None
            case MessageReceived(message=message):
                self._apply_message(message)
        if self._step is Step.IDLE and self._is_up and self._is_listed:
            self._ask_next()

    def _apply_message(self, message: dict[str, object]) -> None:
        if message.get("type") == "ready":
            self._greet()
        elif message.get("approval") is not None:
            try:
                question = question_from_excerpt(message["approval"])
            except InputError as error:
                self._say(f"A question could not be read; answer it on the web page: {error}")
                return
            self._queue.update(question)
            if self._asked is not None and question.id == self._asked.id and not question.is_open:
                self._say("")
                self._print_outcome(question)
                self._close()

    def _greet(self) -> None:
        if not self._me:
            with suppress(AssentError):
                self._me = read_person(self._client).id
        waiting = self._queue.open_count
        self._say(f"Assent, line mode. Server {self._client.url}. {count_text(waiting)} waiting.")
        self._say(f"Words: {WORDS}. Each needs Enter.")
        self._is_listed = True

    # ---- questions ------------------------------------------------------------------------------

    def _ask_next(self, *, with_later: bool = False) -> None:
        """Print the oldest question and the prompt; one that was put off only if the person asks for it."""
        waiting = [one for one in self._queue.questions if one.is_open and (with_later or not one.is_later)]
        if not waiting:
            return
        question = waiting[0]
        try:
            question = question_from_detail(read_detail(self._client, question.id))
        except AssentError as error:
            self._say(f"The question could not be loaded: {visible(str(error))}")
            self._queue.remove(question.id)
            return
        self._queue.update(question)
        self._queue.select(question.id)
        if not question.is_open:
            self._queue.move(1)
            self._ask_next()
            return
        self._asked = question
        self._say("")
        for text in self._lines(question):
            self._say(text)
        self._prompt()

    def _prompt(self) -> None:
        question = self._asked
        if question is None:
            return
        self._step = Step.ANSWER
        self._forget_typed()
        always = ", a always" if question.can_remember else ""
        self._write(f"{self._name(question).lower()}, y once{always}, n no: ")

    def _name(self, question: Question) -> str:
        return f"Question {self._numbers.setdefault(question.id, len(self._numbers) + 1)}"

    def _lines(self, question: Question) -> Iterator[str]:
        place = f"{self._queue.position + 1} of {len(self._queue.questions)}"
        return question_lines(question, f"{self._name(question)}, {place}", self._now())

    # ---- words ----------------------------------------------------------------------------------

    def read(self, typed: str) -> None:
        """Do what a line means now."""
        text = typed.strip()
        match self._step:
            case Step.IDLE:
                self._read_idle(text.lower())
            case Step.ANSWER:
                self._read_answer(text.lower())
            case Step.CONFIRM:
                if text == CONFIRMATION:
                    self._send(Answer(say=Say.ONCE))
                else:
                    self._go_back()
            case Step.RULE:
                self._read_rule(text.lower())
            case Step.TOOL_NAME:
                if (
                    self._asked is not None
                    and self._editor is not None
                    and text == self._asked.approval.call.tool
                ):
                    self._send(self._editor.answer(self._now()))
                else:
                    self._go_back()
            case Step.REASON:
                self._send(Answer(say=Say.DENY, reason=text))

    def _read_idle(self, word: str) -> None:
        if not word and self._is_up and self._queue.open_count:
            self._ask_next(with_later=True)
        elif not self._read_common(word):
            self._say("Nothing needs you." if self._is_up else "No server: nothing was sent.")

    def _read_answer(self, word: str) -> None:
        question = self._asked
        if question is None:
            return
        match _SAYS.get(word, word):
            case "y":
                self._allow(question)
            case "a":
                self._remember(question)
            case "n":
                self._send(Answer(say=Say.DENY))
            case "m":
                self._step = Step.REASON
                self._write("no, because: ")
            case "later":
                self._postpone(question)
            case "why" | "text":
                self._print_more(question, word)
            case other if self._read_common(other):
                if not self.is_done:
                    self._prompt()
            case _:
                self._send(Answer(say=Say.DENY))

    def _allow(self, question: Question) -> None:
        if not question.can_allow:
            self._say("It cannot be allowed here: a proposal is applied in its conversation.")
            self._prompt()
        elif question.needs_confirmation:
            self._step = Step.CONFIRM
            self._write(f"type {CONFIRMATION} to allow it, anything else goes back: ")
        else:
            self._send(Answer(say=Say.ONCE))

    def _remember(self, question: Question) -> None:
        if question.can_remember:
            self._editor = rule_editor_of(question)
            self._prompt_rule()
        else:
            self._say("Always is not offered for this call.")
            self._prompt()

    def _print_more(self, question: Question, word: str) -> None:
        if word == "text":
            for text in self._lines(question):
                self._say(text)
        else:
            for step in question.approval.decision.steps:
                self._say(f"  {VERDICTS[step.verdict][1]}, stage {step.stage}: {visible(step.reason)}")
        self._prompt()

    def _read_common(self, word: str) -> bool:
        """Words that work at any time; return whether this is one of them."""
        match word:
            case "quit":
                self.is_done = True
            case "help":
                for text in HELP:
                    self._say(f"  {text}")
            case "list":
                self._say(f"{count_text(self._queue.open_count)} waiting.")
                for one in self._queue.questions:
                    self._say(f"  {self._name(one)}: {agent_name(one)} wants to use {one.call_text}")
            case "history":
                self._print_history()
            case _:
                return False
        return True

    def _read_rule(self, word: str) -> None:
        editor = self._editor
        if editor is None:
            return
        match word:
            case "write" if editor.is_whole_tool:
                self._step = Step.TOOL_NAME
                self._write(f"every call of it: type {visible(editor.question.approval.call.tool)}: ")
            case "write":
                self._send(editor.answer(self._now()))
            case "wider" | "narrower":
                self._editor = replace(editor, focus=0).press("right" if word == "wider" else "left", None)
                self._prompt_rule()
            case "scope":
                self._editor = replace(editor, scope=(editor.scope + 1) % len(editor.scopes))
                self._prompt_rule()
            case "lifetime":
                self._editor = replace(editor, lifetime=(editor.lifetime + 1) % len(editor.lifetimes))
                self._prompt_rule()
            case _:
                self._go_back()

    def _prompt_rule(self) -> None:
        if self._editor is None:
            return
        self._step = Step.RULE
        for text in rule_lines(self._editor, "Rule"):
            self._say(text)
        self._write("write, wider, narrower, scope, lifetime; anything else goes back: ")

    def _go_back(self) -> None:
        self._say("Nothing was sent.")
        self._editor = None
        self._prompt()

    def _send(self, answer: Answer) -> None:
        question = self._asked
        if question is None:
            return
        try:
            answered = self._client.answer(question.id, question.approval.digest, answer)
        except AssentError as error:
            self._say(f"{self._name(question)}: not answered: {visible(str(error))}")
            self._close()
            return
        self._queue.update(Question(approval=answered))
        self._print_outcome(Question(approval=answered))
        self._close()

    def _postpone(self, question: Question) -> None:
        try:
            self._queue.update(Question(approval=self._client.postpone(question.id)))
        except AssentError as error:
            self._say(f"{self._name(question)}: not put off: {visible(str(error))}")
        else:
            self._say(f"{self._name(question)}: put off. It stays open.")
        self._close()

    def _close(self) -> None:
        """Finish with the question, and go on with the next."""
        self._asked, self._editor, self._step = None, None, Step.IDLE
        self._queue.move(1)
        waiting = [one for one in self._queue.questions if one.is_open]
        if any(not one.is_later for one in waiting):
            self._ask_next()
        elif waiting:
            self._say(f"{count_text(len(waiting))} put off. Press Enter to see the oldest.")
        else:
            self._say("Nothing needs you.")

    def _print_outcome(self, question: Question) -> None:
        sentence = outcome_sentence(question.approval, self._me)
        self._say(f"{self._name(question)}: {without_symbols(sentence)}")

    def _print_history(self) -> None:
        try:
            rows = list(read_decisions(self._client, "approvals"))[:_HISTORY_LINES]
        except AssentError as error:
            self._say(visible(str(error)))
            return
        for one in rows:
            self._say(f"  {clock_text(one.at)}  {visible(one.agent)}, {one.call}: {one.verdict}, {one.why}")

    def _say(self, text: str) -> None:
        self._write(f"{text}\n")
