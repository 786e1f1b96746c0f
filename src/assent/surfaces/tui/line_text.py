"""What line mode prints: plain lines, in which no text of an agent can pass for one of ours."""

from collections.abc import Iterator
from datetime import datetime

from assent.surfaces.tui.loss_sentences import act_sentence
from assent.surfaces.tui.question import Question
from assent.surfaces.tui.rule_editor import RuleEditor, rule_editor_of
from assent.surfaces.tui.text import STARTED, clock_text, duration_text, visible
from assent.surfaces.tui.words import (
    LOCKS,
    VERDICTS,
    file_sentence,
    input_sentence,
    mode_words,
)


def question_lines(question: Question, name: str, now: datetime) -> Iterator[str]:
    """The whole question: who asks and why, then the call, then what "always" would write."""
    approval = question.approval
    waiting = duration_text((now - approval.asked_at).total_seconds())
    until = approval.expires_at
    expires = "" if until is None else f", expires in {duration_text((until - now).total_seconds())}"
    agent = agent_name(question)
    yield f"{clock_text(now)}  {name}, waiting {waiting}{expires}."
    yield f"PERMISSION: {agent} wants to use {visible(approval.call.tool)}"
    yield f"Effect: {approval.tool.effect.value}. Mode: {mode_words(approval.mode)[1].lower()}."
    yield f"Needs your OK: {visible(approval.decision.because)}."
    if approval.decision.is_locked:
        reason = LOCKS.get(approval.decision.stage, "no rule or mode can avoid it")
        yield f"Locked: {reason}. No rule can avoid this question."
    for act in approval.decision.irreversible:
        yield f"Cannot be undone: {visible(act_sentence(act))}."
    yield from _call_lines(question)
    yield f"Where: {visible(approval.cwd) or 'unknown'}."
    if question.can_remember:
        yield from rule_lines(rule_editor_of(question), "Always would write")
    else:
        yield "Always is not offered: a yes is for exactly this call."
    if question.comment:
        yield f'{agent} says: "{visible(question.comment)}"'


def rule_lines(editor: RuleEditor, lead: str) -> Iterator[str]:
    """The rules that "always" would write."""
    for text in editor.texts:
        yield f"{lead}: allow {visible(text)}"
    scope = editor.scope_label(editor.scopes[editor.scope]).replace(STARTED, " / ")
    yield f"  for {scope}, {editor.lifetimes[editor.lifetime].label}."
    lost = editor.question.offers[editor.width].irreversible
    if lost:
        yield f"  It also allows what cannot be undone: {visible(', '.join(lost))}."


def agent_name(question: Question) -> str:
    """The agent, after the agents that started it."""
    return question.agent.replace(STARTED, " / ")


def without_symbols(sentence: str) -> str:
    """One of our sentences without its symbol."""
    return sentence.lstrip("✓✗◌? ").replace("“", '"').replace("”", '"')


def count_text(number: int) -> str:
    """A number of questions."""
    return "1 question" if number == 1 else f"{number} questions"


def _call_lines(question: Question) -> Iterator[str]:
    """The whole call; lines of an agent's text begin with a bar, so that they cannot pass for ours."""
    if question.command is not None:
        parts = question.parts
        asking = sum(part.asks for part in parts)
        if len(parts) > 1:
            yield f"The command has {len(parts)} parts, {asking} ask{'s' if asking == 1 else ''}."
        for number, part in enumerate(parts, 1):
            verdict = "ASKS" if part.asks else VERDICTS[part.verdict][1]
            yield f"  Part {number} {verdict}, {visible(part.reason)}:" if len(parts) > 1 else "  Command:"
            yield from _quoted(part.text.strip("\n"))
    for name, text in question.arguments:
        yield f"  Argument {visible(name)}:"
        yield from _quoted(text)
    if question.approval.file is not None:
        yield f"  File {file_sentence(question.approval.file)}"
        yield from (f"    | {visible(text)}" for text in question.diff)
    for fed in question.approval.decision.inputs:
        yield f"  {input_sentence(fed)}"


def _quoted(text: str) -> Iterator[str]:
    return (f"    | {visible(line)}" for line in text.split("\n"))
