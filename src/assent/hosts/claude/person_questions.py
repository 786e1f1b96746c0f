"""The questions that a model asks the person: those of `AskUserQuestion`, and the plan of `ExitPlanMode`.

The person answers in words. Measured with client 2.1.325: the answers go back as `answers` of the input, by
the text of each question; `ExitPlanMode` has no input, and its plan is in a file of the client.
"""

import json
import os
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple, cast

from assent.client.client import Outcome, OutcomeKind
from assent.config.files import open_without_links
from assent.errors import InputError
from assent.hosts.claude.permission_reply import deny_reply
from assent.hosts.hook.claude import ASK_TOOL, PLAN_TOOL

PERSON_TOOLS = frozenset({ASK_TOOL, PLAN_TOOL})
"""The client's tools that need a person's words, not a permission."""
QUESTION_TOOL = "fleet.question"
"""Our tool for a question in words; no rule of a preset allows it, so it asks."""
_MAX_QUESTIONS = 4
_MAX_PLAN_BYTES = 50_000
_YES = frozenset({"", "y", "yes"})

AskInWords = Callable[[Mapping[str, object]], Awaitable[Outcome]]
"""Asks the person one question with `question`, `options` and an empty `answer`."""


class ModelQuestion(NamedTuple):
    """One question of the model."""

    text: str
    options: tuple[str, ...]

    @property
    def arguments(self) -> Mapping[str, object]:
        """The arguments of the call that asks the person."""
        return {"question": self.text, "options": list(self.options), "answer": ""}


async def answer_questions(args: Mapping[str, object], ask: AskInWords) -> str:
    """Ask the person each question, and return the reply of the prompt tool with all answers."""
    answers: dict[str, str] = {}
    for question in read_questions(args):
        words = _answer_words(await ask(question.arguments), otherwise="yes")
        if not words:
            return deny_reply("the person did not answer the question")
        answers[question.text] = words
    return json.dumps({"behavior": "allow", "updatedInput": {**args, "answers": answers}})


async def answer_plan(args: Mapping[str, object], plan: str, ask: AskInWords) -> str:
    """Show the plan to the person: a yes starts the work, and other words go back to the model."""
    text = f"Start the work with this plan?\n\n{plan}" if plan else "Leave plan mode and start the work?"
    outcome = await ask(ModelQuestion(text, ("yes", "no")).arguments)
    words = str(outcome.args.get("answer") or "") if outcome.kind is OutcomeKind.RUN else ""
    if outcome.kind is OutcomeKind.RUN and outcome.approval and words.strip().lower() in _YES:
        return json.dumps({"behavior": "allow", "updatedInput": dict(args)})
    said = words or outcome.reason
    return deny_reply(f"the person does not accept the plan{f': {said}' if said else ''}")


def read_questions(args: Mapping[str, object]) -> tuple[ModelQuestion, ...]:
    """The questions of a call; raises `InputError` if the call has none that can be shown."""
    found = args.get("questions")
    items = cast("list[object]", found) if isinstance(found, list) else []
    questions = tuple(_read_question(item) for item in items)
    if not 1 <= len(questions) <= _MAX_QUESTIONS or len({one.text for one in questions}) < len(questions):
        raise InputError(f"`{ASK_TOOL}` needs one to {_MAX_QUESTIONS} different `questions`")
    return questions


def read_plan(path: str) -> str:
    """The text of a plan file; empty if it cannot be read."""
    try:
        handle = open_without_links(path, os.O_RDONLY)
        with open(handle, "rb") as file:
            data = file.read(_MAX_PLAN_BYTES + 1)
    except OSError:
        return ""
    text = data[:_MAX_PLAN_BYTES].decode(errors="replace")
    return text if len(data) <= _MAX_PLAN_BYTES else f"{text}\n… (the rest of the plan is not shown)"


def _read_question(item: object) -> ModelQuestion:
    fields = cast("Mapping[str, object]", item) if isinstance(item, dict) else dict[str, object]()
    text, options = fields.get("question"), fields.get("options")
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"a question of `{ASK_TOOL}` has no text")
    shown = [_read_option(one) for one in cast("list[object]", options)] if isinstance(options, list) else []
    return ModelQuestion(text, tuple(one for one in shown if one))


def _read_option(option: object) -> str:
    fields = cast("Mapping[str, object]", option) if isinstance(option, dict) else dict[str, object]()
    return str(fields.get("label") or "")


def _answer_words(outcome: Outcome, *, otherwise: str) -> str:
    """The words of an answer, from the edited arguments or the message of a denial; may be empty."""
    if not outcome.approval:
        return ""
    if outcome.kind is OutcomeKind.RUN:
        return str(outcome.args.get("answer") or otherwise)
    return outcome.reason
