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
    always_rule_lines,
    question_count_text,
    question_lines,
    without_symbols,
)
from assent.surfaces.tui.overview import read_decisions, read_person, read_question_detail
from assent.surfaces.tui.question import CONFIRMATION, Question, question_from_detail, question_from_excerpt
from assent.surfaces.tui.queue import QuestionQueue
from assent.surfaces.tui.rule_editor import RuleEditor, new_rule_editor
from assent.surfaces.tui.server_connection import MessageReceived, News, ServerLost, ServerReached
from assent.surfaces.tui.text import clock_text, visible_text
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
    "If the agent asks in words, any other text is your answer, and an empty line sends nothing.",
)
_SAYS = {"y": "y", "yes": "y", "a": "a", "always": "a", "n": "n", "no": "n"}
_HISTORY_LINES = 20


class InputStep(Enum):
    """The meaning of the next line that the person types."""

    IDLE = auto()
    ANSWER = auto()
    CONFIRM = auto()
    RULE = auto()
    TOOL_NAME = auto()
    REASON = auto()


class LineMode:
    """Prints one question after another and reads the answers; each prompt names its question."""

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
        self._queue = QuestionQueue()
        self._numbers: dict[str, int] = {}
        self._step = InputStep.IDLE
        self._asked: Question | None = None
        self._editor: RuleEditor | None = None
        self._me = ""
        self._is_up = False
        self._is_lost = False
        self._is_listed = False
        """Whether all open questions are known."""
        self.is_done = False

    # ---- news of the server ---------------------------------------------------------------------

    def apply_news(self, news: News) -> None:
        """Apply a message of the server, or a change of the connection."""
        match news:
            case ServerReached():
                self._is_up, self._is_lost = True, False
                self._queue.require_reload()
            case ServerLost(why=why):
                if not self._is_lost:
                    at = clock_text(self._now())
                    self._print_text(
                        f"{at}  Cannot reach {self._client.url}: {visible_text(why)}. Answers are off."
                    )
                self._is_up, self._is_lost, self._is_listed = False, True, False
                self._step, self._asked = InputStep.IDLE, None
            case MessageReceived(message=message):
                self._apply_message(message)
        if self._step is InputStep.IDLE and self._is_up and self._is_listed:
            self._print_next_question()

    def _apply_message(self, message: dict[str, object]) -> None:
        if message.get("type") == "ready":
            self._print_greeting()
        elif message.get("approval") is not None:
            try:
                question = question_from_excerpt(message["approval"])
            except InputError as error:
                self._print_text(f"A question could not be read; answer it on the web page: {error}")
                return
            self._queue.update_question(question)
            if self._asked is not None and question.id == self._asked.id and not question.is_open:
                self._print_text("")
                self._print_outcome(question)
                self._finish_question()

    def _print_greeting(self) -> None:
        if not self._me:
            with suppress(AssentError):
                self._me = read_person(self._client).id
        waiting = self._queue.open_question_count
        self._print_text(
            f"Assent, line mode. Server {self._client.url}. {question_count_text(waiting)} waiting."
        )
        self._print_text(f"Words: {WORDS}. Each needs Enter.")
        self._is_listed = True

    # ---- questions ------------------------------------------------------------------------------

    def _print_next_question(self, *, with_later: bool = False) -> None:
        """Print the oldest question and the prompt; postponed questions are skipped unless requested."""
        waiting = [
            one for one in self._queue.questions if one.is_open and (with_later or not one.is_postponed)
        ]
        if not waiting:
            return
        question = waiting[0]
        try:
            question = question_from_detail(read_question_detail(self._client, question.id))
        except AssentError as error:
            self._print_text(f"The question could not be loaded: {visible_text(str(error))}")
            self._queue.remove_question(question.id)
            return
        self._queue.update_question(question)
        self._queue.select_question(question.id)
        if not question.is_open:
            self._queue.move_selection(1)
            self._print_next_question()
            return
        self._asked = question
        self._print_text("")
        for text in self._question_lines(question):
            self._print_text(text)
        self._print_prompt()

    def _print_prompt(self) -> None:
        question = self._asked
        if question is None:
            return
        self._step = InputStep.ANSWER
        self._forget_typed()
        always = ", a always" if question.can_answer_always else ""
        choices = "your answer, y yes, n no" if question.words else f"y once{always}, n no"
        self._write(f"{self._question_name(question).lower()}, {choices}: ")

    def _question_name(self, question: Question) -> str:
        return f"Question {self._numbers.setdefault(question.id, len(self._numbers) + 1)}"

    def _question_lines(self, question: Question) -> Iterator[str]:
        position = f"{self._queue.selected_index + 1} of {len(self._queue.questions)}"
        return question_lines(question, f"{self._question_name(question)}, {position}", self._now())

    # ---- words ----------------------------------------------------------------------------------

    def read_line(self, typed: str) -> None:
        """Handle a typed line, according to the current step."""
        text = typed.strip()
        match self._step:
            case InputStep.IDLE:
                self._read_idle_word(text.lower())
            case InputStep.ANSWER:
                self._read_answer_word(text)
            case InputStep.CONFIRM:
                if text == CONFIRMATION:
                    self._send_answer(Answer(say=Say.ONCE))
                else:
                    self._return_to_question()
            case InputStep.RULE:
                self._read_rule_word(text.lower())
            case InputStep.TOOL_NAME:
                if (
                    self._asked is not None
                    and self._editor is not None
                    and text == self._asked.approval.call.tool
                ):
                    self._send_answer(self._editor.to_answer(self._now()))
                else:
                    self._return_to_question()
            case InputStep.REASON:
                self._send_answer(Answer(say=Say.DENY, reason=text))

    def _read_idle_word(self, word: str) -> None:
        if not word and self._is_up and self._queue.open_question_count:
            self._print_next_question(with_later=True)
        elif not self._read_common_word(word):
            self._print_text("Nothing needs you." if self._is_up else "No server: nothing was sent.")

    def _read_answer_word(self, text: str) -> None:
        question, word = self._asked, text.lower()
        if question is None:
            return
        match _SAYS.get(word, word):
            case "y":
                self._allow_once(question)
            case "a":
                self._begin_always(question)
            case "n":
                self._send_answer(Answer(say=Say.DENY))
            case "m":
                self._step = InputStep.REASON
                self._write("your answer: " if question.words else "no, because: ")
            case "later":
                self._postpone_question(question)
            case "why" | "text":
                self._print_details(question, word)
            case other if self._read_common_word(other):
                if not self.is_done:
                    self._print_prompt()
            case "" if question.words:
                self._print_prompt()
            case _:
                self._send_answer(Answer(say=Say.DENY, reason=text if question.words else ""))

    def _allow_once(self, question: Question) -> None:
        if not question.can_allow:
            self._print_text("It cannot be allowed here: a proposal is applied in its conversation.")
            self._print_prompt()
        elif question.needs_confirmation:
            self._step = InputStep.CONFIRM
            self._write(f"type {CONFIRMATION} to allow it, anything else goes back: ")
        else:
            self._send_answer(Answer(say=Say.ONCE))

    def _begin_always(self, question: Question) -> None:
        if question.can_answer_always:
            self._editor = new_rule_editor(question)
            self._print_rule_prompt()
        else:
            self._print_text("Always is not offered for this call.")
            self._print_prompt()

    def _print_details(self, question: Question, word: str) -> None:
        if word == "text":
            for text in self._question_lines(question):
                self._print_text(text)
        else:
            for step in question.approval.decision.steps:
                self._print_text(
                    f"  {VERDICTS[step.verdict][1]}, stage {step.stage}: {visible_text(step.because)}"
                )
        self._print_prompt()

    def _read_common_word(self, word: str) -> bool:
        """Handle a word that works at every step; return whether the word was handled."""
        match word:
            case "quit":
                self.is_done = True
            case "help":
                for text in HELP:
                    self._print_text(f"  {text}")
            case "list":
                self._print_text(f"{question_count_text(self._queue.open_question_count)} waiting.")
                for one in self._queue.questions:
                    self._print_text(
                        f"  {self._question_name(one)}: {agent_name(one)} wants to use {one.call_text}"
                    )
            case "history":
                self._print_history()
            case _:
                return False
        return True

    def _read_rule_word(self, word: str) -> None:
        editor = self._editor
        if editor is None:
            return
        match word:
            case "write" if editor.allows_whole_tool:
                self._step = InputStep.TOOL_NAME
                self._write(f"every call of it: type {visible_text(editor.question.approval.call.tool)}: ")
            case "write":
                self._send_answer(editor.to_answer(self._now()))
            case "wider" | "narrower":
                self._editor = replace(editor, focus=0).after_key(
                    "right" if word == "wider" else "left", None
                )
                self._print_rule_prompt()
            case "scope":
                self._editor = replace(editor, scope=(editor.scope + 1) % len(editor.scopes))
                self._print_rule_prompt()
            case "lifetime":
                self._editor = replace(editor, lifetime=(editor.lifetime + 1) % len(editor.lifetimes))
                self._print_rule_prompt()
            case _:
                self._return_to_question()

    def _print_rule_prompt(self) -> None:
        if self._editor is None:
            return
        self._step = InputStep.RULE
        for text in always_rule_lines(self._editor, "Rule"):
            self._print_text(text)
        self._write("write, wider, narrower, scope, lifetime; anything else goes back: ")

    def _return_to_question(self) -> None:
        self._print_text("Nothing was sent.")
        self._editor = None
        self._print_prompt()

    def _send_answer(self, answer: Answer) -> None:
        question = self._asked
        if question is None:
            return
        try:
            answered = self._client.answer(question.id, question.approval.digest, answer)
        except AssentError as error:
            self._print_text(f"{self._question_name(question)}: not answered: {visible_text(str(error))}")
            self._finish_question()
            return
        self._queue.update_question(Question(approval=answered))
        self._print_outcome(Question(approval=answered))
        self._finish_question()

    def _postpone_question(self, question: Question) -> None:
        try:
            self._queue.update_question(Question(approval=self._client.postpone(question.id)))
        except AssentError as error:
            self._print_text(f"{self._question_name(question)}: not put off: {visible_text(str(error))}")
        else:
            self._print_text(f"{self._question_name(question)}: put off. It stays open.")
        self._finish_question()

    def _finish_question(self) -> None:
        """End the current question, and print the next question."""
        self._asked, self._editor, self._step = None, None, InputStep.IDLE
        self._queue.move_selection(1)
        waiting = [one for one in self._queue.questions if one.is_open]
        if any(not one.is_postponed for one in waiting):
            self._print_next_question()
        elif waiting:
            self._print_text(f"{question_count_text(len(waiting))} put off. Press Enter to see the oldest.")
        else:
            self._print_text("Nothing needs you.")

    def _print_outcome(self, question: Question) -> None:
        sentence = outcome_sentence(question.approval, self._me)
        self._print_text(f"{self._question_name(question)}: {without_symbols(sentence)}")

    def _print_history(self) -> None:
        try:
            rows = list(read_decisions(self._client, "approvals"))[:_HISTORY_LINES]
        except AssentError as error:
            self._print_text(visible_text(str(error)))
            return
        for one in rows:
            self._print_text(
                f"  {clock_text(one.at)}  {visible_text(one.agent)}, {one.call}: {one.verdict}, {one.why}"
            )

    def _print_text(self, text: str) -> None:
        self._write(f"{text}\n")
