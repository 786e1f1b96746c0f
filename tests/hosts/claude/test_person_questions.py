"""Questions of the model: the person's words go back as answers, and silence is never a yes."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from assent.client.client import Outcome, OutcomeKind
from assent.errors import InputError
from assent.hosts.claude.person_questions import answer_plan, answer_questions, read_plan, read_questions

COLOR = {
    "question": "Which color?",
    "header": "Color",
    "options": [{"label": "red", "description": "x"}, {"label": "blue", "description": "y"}],
    "multiSelect": False,
}
SIZE = {**COLOR, "question": "Which size?", "options": [{"label": "big"}, "odd"]}
DENIED = Outcome(kind=OutcomeKind.REFUSE, approval="a")


def allowed_outcome(answer: str) -> Outcome:
    return Outcome(kind=OutcomeKind.RUN, approval="a", args={"answer": answer})


class Person:
    """Answers each question with the next outcome."""

    def __init__(self, *outcomes: Outcome) -> None:
        self.outcomes = list(outcomes)
        self.asked: list[Mapping[str, object]] = []

    async def ask(self, arguments: Mapping[str, object]) -> Outcome:
        self.asked.append(arguments)
        return self.outcomes.pop(0)


async def test_each_question_is_asked_and_its_words_go_back() -> None:
    said = Outcome(kind=OutcomeKind.REFUSE, approval="b", reason="small, please")
    person = Person(allowed_outcome("blue"), said)

    reply = await answer_questions({"questions": [COLOR, SIZE]}, person.ask)

    assert person.asked == [
        {"question": "Which color?", "options": ["red", "blue"], "answer": ""},
        {"question": "Which size?", "options": ["big"], "answer": ""},
    ]
    assert json.loads(reply) == {
        "behavior": "allow",
        "updatedInput": {
            "questions": [COLOR, SIZE],
            "answers": {"Which color?": "blue", "Which size?": "small, please"},
        },
    }


@pytest.mark.parametrize(
    "outcome", [DENIED, Outcome(kind=OutcomeKind.RUN, args={"answer": "blue"})], ids=["no", "nobody asked"]
)
async def test_without_words_of_a_person_the_call_is_denied(outcome: Outcome) -> None:
    reply = await answer_questions({"questions": [COLOR]}, Person(outcome).ask)

    assert json.loads(reply) == {"behavior": "deny", "message": "the person did not answer the question"}


@pytest.mark.parametrize(
    "questions",
    [None, [], [COLOR] * 5, [COLOR, COLOR], ["x"], [{"question": " "}], [{"question": 3}]],
)
def test_questions_that_cannot_be_shown_are_an_error(questions: object) -> None:
    with pytest.raises(InputError, match="AskUserQuestion"):
        read_questions({"questions": questions})


@pytest.mark.parametrize(
    ("outcome", "behavior", "message"),
    [
        (allowed_outcome(""), "allow", None),
        (allowed_outcome("Yes"), "allow", None),
        (allowed_outcome("first the tests"), "deny", "the person does not accept the plan: first the tests"),
        (DENIED, "deny", "the person does not accept the plan"),
        (
            Outcome(kind=OutcomeKind.REFUSE, approval="a", reason="too long"),
            "deny",
            "the person does not accept the plan: too long",
        ),
        (Outcome(kind=OutcomeKind.RUN), "deny", "the person does not accept the plan"),
    ],
    ids=["yes", "typed yes", "words", "no", "no with words", "nobody asked"],
)
async def test_only_a_yes_starts_the_plan(outcome: Outcome, behavior: str, message: str | None) -> None:
    person = Person(outcome)

    reply = json.loads(await answer_plan({}, "# Plan\n1. mkdir", person.ask))

    assert (reply["behavior"], reply.get("message")) == (behavior, message)
    assert person.asked[0]["question"] == "Start the work with this plan?\n\n# Plan\n1. mkdir"


async def test_a_plan_that_is_unknown_is_asked_about_all_the_same() -> None:
    person = Person(DENIED)
    await answer_plan({}, "", person.ask)

    assert person.asked[0]["question"] == "Leave plan mode and start the work?"


def test_a_plan_file_is_read_up_to_a_limit_and_never_through_a_link(tmp_path: Path) -> None:
    directory = Path(os.path.realpath(tmp_path))
    plan, long = directory / "plan.md", directory / "long.md"
    plan.write_text("# Plan")
    long.write_text("x" * 60_000)
    (directory / "link.md").symlink_to(plan)

    assert read_plan(str(plan)) == "# Plan"
    assert read_plan(str(long)).endswith("x\n… (the rest of the plan is not shown)")
    assert read_plan(str(directory / "link.md")) == read_plan("") == ""
