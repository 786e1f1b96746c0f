"""What line mode prints: plain lines, in which no text of an agent can pass for one of ours."""

from collections.abc import Iterator
from datetime import datetime

from assent.surfaces.tui.question import Question
from assent.surfaces.tui.rule_editor import RuleEditor, new_rule_editor
from assent.surfaces.tui.text import STARTED, clock_text, duration_text, visible_text
from assent.surfaces.tui.words import (
    LOCKS,
    VERDICTS,
    act_sentence,
    command_input_sentence,
    file_sentence,
    mode_symbol_and_word,
)


def question_lines(question: Question, name: str, now: datetime) -> Iterator[str]:
    """All lines of a question: the agent, the reason, the call, and the rule that "always" would write."""
    approval = question.approval
    waiting = duration_text((now - approval.asked_at).total_seconds())
    until = approval.expires_at
    expires = "" if until is None else f", expires in {duration_text((until - now).total_seconds())}"
    agent = agent_name(question)
    yield f"{clock_text(now)}  {name}, waiting {waiting}{expires}."
    first, wants, asked = question.heading
    shown = f"{agent} wants to use {visible_text(approval.call.tool)}" if wants else asked
    yield f"{first}{shown}"
    if not question.words:
        yield f"Effect: {approval.tool.effect.value}. Mode: {mode_symbol_and_word(approval.mode)[1].lower()}."
        yield f"Needs your OK: {visible_text(approval.decision.because)}."
    if approval.decision.is_locked:
        reason = LOCKS.get(approval.decision.stage, "no rule or mode can avoid it")
        yield f"Locked: {reason}. No rule can avoid this question."
    for act in approval.decision.irreversible:
        yield f"Cannot be undone: {visible_text(act_sentence(act))}."
    yield from _call_lines(question)
    yield f"Where: {visible_text(approval.cwd) or 'unknown'}."
    if question.words:
        yield "Your words go to the agent as they are. They allow nothing."
    elif question.can_answer_always:
        yield from always_rule_lines(new_rule_editor(question), "Always would write")
    else:
        yield "Always is not offered: a yes is for exactly this call."
    if question.agent_comment:
        yield f'{agent} says: "{visible_text(question.agent_comment)}"'


def always_rule_lines(editor: RuleEditor, lead: str) -> Iterator[str]:
    """The rules that "always" would write."""
    for text in editor.rule_texts:
        yield f"{lead}: allow {visible_text(text)}"
    scope = editor.scope_label(editor.scopes[editor.scope]).replace(STARTED, " / ")
    yield f"  for {scope}, {editor.lifetimes[editor.lifetime].label}."
    lost = editor.question.offers[editor.width].irreversible
    if lost:
        yield f"  It also allows what cannot be undone: {visible_text(', '.join(lost))}."


def agent_name(question: Question) -> str:
    """The name of the agent, after the names of the agents that started it."""
    return question.agent.replace(STARTED, " / ")


def without_symbols(sentence: str) -> str:
    """A sentence without its leading symbol."""
    return sentence.lstrip("✓✗◌? ").replace("“", '"').replace("”", '"')


def question_count_text(number: int) -> str:
    """The number of questions as text, such as `2 questions`."""
    return "1 question" if number == 1 else f"{number} questions"


def _call_lines(question: Question) -> Iterator[str]:
    """All lines of the call; each line of the agent's text starts with a bar, to mark it as quoted."""
    if question.words:
        yield from _words_lines(question)
        return
    if question.command_line is not None:
        parts = question.command_parts
        asking = sum(part.needs_approval for part in parts)
        if len(parts) > 1:
            yield f"The command has {len(parts)} parts, {asking} ask{'s' if asking == 1 else ''}."
        for number, part in enumerate(parts, 1):
            verdict = "ASKS" if part.needs_approval else VERDICTS[part.verdict][1]
            yield (
                f"  Part {number} {verdict}, {visible_text(part.reason)}:" if len(parts) > 1 else "  Command:"
            )
            yield from _quoted_lines(part.text.strip("\n"))
    for name, text in question.other_arguments:
        yield f"  Argument {visible_text(name)}:"
        yield from _quoted_lines(text)
    if question.approval.file is not None:
        yield f"  File {file_sentence(question.approval.file)}"
        yield from (f"    | {visible_text(text)}" for text in question.diff_lines)
    for fed in question.approval.decision.inputs:
        yield f"  {command_input_sentence(fed)}"


def _words_lines(question: Question) -> Iterator[str]:
    """A question in words, and the answers that the agent suggests."""
    for name, text in question.other_arguments:
        if name == "question":
            yield "  Question:"
            yield from _quoted_lines(text)
        elif text not in ("", "[]"):
            yield f"  {'Suggested answers' if name == 'options' else f'Argument {visible_text(name)}'}:"
            yield from _quoted_lines(text)


def _quoted_lines(text: str) -> Iterator[str]:
    return (f"    | {visible_text(line)}" for line in text.split("\n"))
