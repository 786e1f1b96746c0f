"""Which questions may be answered together: calls of one tool and effect, and commands of one kind."""

from assent.engine.irreversible.act import Irreversible
from assent.engine.model import Call, Dialect, Tool
from assent.engine.parsing import subject_of
from assent.engine.shell.command import Command
from assent.engine.verdict import Decision, is_locked

LONGEST_COMMAND = 120
"""Characters of a program and its sub-command; a longer one is no kind of command."""


def batch_key(call: Call, tool: Tool, decision: Decision, acts: tuple[Irreversible, ...]) -> str:
    """Questions with the same key may be answered in one go; one without a key is answered by itself.

    What is locked or cannot be undone has none, and so has a line of several commands, one that wraps
    another, and one whose sub-command is not its second word.
    """
    if acts or is_locked(decision):
        return ""
    kind = f"{tool.name} {tool.effect.value}"
    if tool.dialect not in (Dialect.SHELL, Dialect.POWERSHELL):
        return kind
    subject = subject_of(call, tool)
    part = subject.parts[0]
    if len(subject.every) > 1 or subject.unreadable is not None or part.command is None:
        return ""
    command = _program_and_sub_command(part.command)
    return command and f"{kind} {command}"


def _program_and_sub_command(command: Command) -> str:
    words = command.words[:2]
    if command.assignments or command.redirects or command.piped:
        return ""
    if not words or sum(len(word.text) for word in words) > LONGEST_COMMAND:
        return ""
    if any(word.opaque or word.text[:1] in ("-", "") for word in words):
        return ""
    return " ".join(word.text for word in words)
