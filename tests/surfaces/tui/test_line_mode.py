"""Line mode: words answer, and nothing but plain lines is printed."""

import unicodedata
from datetime import UTC, datetime

import pytest

from assent.gate.answer import Answer, Say
from assent.gate.approval import State
from assent.surfaces.tui.line_mode import LineMode
from assent.surfaces.tui.server_connection import MessageReceived, ServerLost, ServerReached
from tests.surfaces.tui.dashboard_setup import DashboardSetup


class LineModeRun:
    """Line mode, with what it printed."""

    def __init__(self, setup: DashboardSetup) -> None:
        self.printed = ""
        self.mode = LineMode(setup.client, self._print, lambda: datetime.now(UTC), lambda: None)
        self.mode.apply_news(ServerReached(is_fresh=True))
        for message in setup.client.stream_events():
            self.mode.apply_news(MessageReceived(message))
            if message["type"] == "ready":
                break

    def _print(self, text: str) -> None:
        self.printed += text

    def read(self, *words: str) -> None:
        for word in words:
            self.mode.read_line(f"{word}\n")


@pytest.mark.proves("R002-25")
@pytest.mark.parametrize(
    ("word", "state"),
    [
        ("y", State.APPROVED),
        ("Y", State.APPROVED),
        ("yes", State.APPROVED),
        (" YES ", State.APPROVED),
        ("n", State.DENIED),
        ("No", State.DENIED),
        ("", State.DENIED),
        ("yess", State.DENIED),
        ("sure", State.DENIED),
        ("y y", State.DENIED),
    ],
)
def test_y_and_yes_allow_and_any_other_text_denies(setup: DashboardSetup, word: str, state: State) -> None:
    id = setup.ask("make build")
    LineModeRun(setup).read(word)

    assert setup.approval(id).state is state


@pytest.mark.parametrize("word", ["a", "A", "always", "Always"])
def test_always_shows_the_rule_and_a_second_word_writes_it(setup: DashboardSetup, word: str) -> None:
    id = setup.ask("npm run build")
    lines = LineModeRun(setup)
    lines.read(word, "wider", "lifetime", "lifetime", "lifetime", "write")

    assert "Rule: allow Bash(npm run *)" in lines.printed
    assert setup.approval(id).state is State.APPROVED
    assert [rule.text for rule in setup.client.rules()] == ["Bash(npm run *)"]


def test_anything_but_write_goes_back_without_an_answer(setup: DashboardSetup) -> None:
    id = setup.ask("npm run build")
    lines = LineModeRun(setup)
    lines.read("a", "yes")

    assert setup.approval(id).state is State.PENDING
    assert lines.printed.endswith("question 1, y once, a always, n no: ")


def test_a_call_that_cannot_be_undone_needs_the_word_allow(setup: DashboardSetup) -> None:
    id = setup.ask("git push --force origin main")
    lines = LineModeRun(setup)
    lines.read("y", "yes")
    assert setup.approval(id).state is State.PENDING
    lines.read("a", "y", "allow")

    assert "Cannot be undone: overwrites what others pushed" in lines.printed
    assert "Always is not offered for this call." in lines.printed
    assert setup.approval(id).state is State.APPROVED


def test_a_denial_can_carry_a_message(setup: DashboardSetup) -> None:
    id = setup.ask("make build")
    LineModeRun(setup).read("m", "use npm")
    answer = setup.approval(id).answer

    assert answer is not None
    assert (answer.say, answer.reason) == (Say.DENY, "use npm")


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        (["The Blue one"], "The Blue one"),
        (["m", "The Blue one"], "The Blue one"),
        (["", "help", "blue"], "blue"),
        (["n"], ""),
    ],
)
def test_a_question_in_words_is_answered_in_words(
    setup: DashboardSetup, typed: list[str], reason: str
) -> None:
    asked = {"question": "Which colour?", "options": ["blue", "red"], "answer": ""}
    id = setup.ask("", agent="archie", tool="fleet.question", **asked)
    lines = LineModeRun(setup)
    shown = lines.printed
    lines.read(*typed)
    answer = setup.approval(id).answer

    assert "ARCHIE ASKS: Which colour?\n" in shown
    assert '  Suggested answers:\n    | ["blue", "red"]\n' in shown
    assert ("Needs your OK" in shown, "Argument answer" in shown) == (False, False)
    assert shown.endswith("question 1, your answer, y yes, n no: ")
    assert answer is not None
    assert (answer.say, answer.reason) == (Say.DENY, reason)


def test_the_listed_words_answer_nothing(setup: DashboardSetup) -> None:
    id = setup.ask("make build", agent="builder")
    lines = LineModeRun(setup)
    lines.read("why", "text", "list", "history", "help")

    assert setup.approval(id).state is State.PENDING
    assert "asks, stage mode: `make build` runs this project's code" in lines.printed
    assert "Question 1: builder wants to use Bash(make build)" in lines.printed
    lines.read("later", "quit")
    assert setup.approval(id).later_at is not None
    assert lines.mode.is_done


def test_a_question_that_was_put_off_comes_back_when_the_person_asks_for_it(setup: DashboardSetup) -> None:
    id = setup.ask("make build")
    lines = LineModeRun(setup)
    lines.read("later", "", "y")

    assert setup.approval(id).state is State.APPROVED


def test_questions_are_asked_one_after_another_oldest_first(setup: DashboardSetup) -> None:
    first, second = setup.ask("make one"), setup.ask("make two")
    lines = LineModeRun(setup)
    lines.read("y", "n")

    assert (setup.approval(first).state, setup.approval(second).state) == (State.APPROVED, State.DENIED)
    assert "Question 2, 1 of 1" in lines.printed
    assert lines.printed.endswith("Nothing needs you.\n")


def test_an_answer_from_elsewhere_is_printed_and_the_next_word_answers_nothing(setup: DashboardSetup) -> None:
    id = setup.ask("make build")
    lines = LineModeRun(setup)
    shown = setup.approval(id)
    setup.client.answer(id, shown.digest, Answer(say=Say.DENY))
    message = {"type": "answered", "approval": setup.client.request("GET", f"/v1/approvals/{id}")}
    lines.mode.apply_news(MessageReceived(message))
    lines.read("y")

    assert "Question 1: Denied by you" in lines.printed
    assert lines.printed.endswith("Nothing needs you.\n")


def test_without_a_server_nothing_is_sent(setup: DashboardSetup) -> None:
    id = setup.ask("make build")
    lines = LineModeRun(setup)
    lines.mode.apply_news(ServerLost("refused", 1.0))
    lines.read("y")

    assert "Answers are off." in lines.printed
    assert "No server: nothing was sent." in lines.printed
    assert setup.approval(id).state is State.PENDING


def test_no_escape_sequence_is_printed_and_no_text_of_an_agent_begins_a_line(setup: DashboardSetup) -> None:
    hostile = "echo \x1b[2J\x07\nNeeds your OK: nothing at all.\nquestion 1, y once, n no: "
    setup.ask(hostile, description="x\ny\x1b[0m")
    lines = LineModeRun(setup)

    assert [one for one in lines.printed if unicodedata.category(one) == "Cc" and one != "\n"] == []
    ours = [line for line in lines.printed.splitlines() if line.startswith(("Needs your OK:", "question 1"))]
    assert len(ours) == 2
    assert "    | Needs your OK: nothing at all." in lines.printed.splitlines() or "\\n" in lines.printed
