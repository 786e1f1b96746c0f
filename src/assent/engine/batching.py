"""Which approvals can be answered together: calls of one tool and effect, or of one sub-command."""

from assent.engine.irreversible.act import Irreversible
from assent.engine.lines.command import Command
from assent.engine.model import Call, Tool
from assent.engine.parsing import parse_call
from assent.engine.verdict import Decision

LONGEST_COMMAND = 120
"""Longest program and sub-command, in characters, that makes a batch key."""


def batch_key(call: Call, tool: Tool, decision: Decision, acts: tuple[Irreversible, ...]) -> str:
    """Approvals with the same key can be answered together; an approval with an empty key cannot.

    The key is empty for calls that are locked or cannot be undone, for lines with several commands or a
    wrapper, and for commands whose sub-command is not the second word.
    """
    if acts or decision.is_locked:
        return ""
    kind = f"{tool.name} {tool.effect.value}"
    if not tool.dialect.is_shell:
        return kind
    parsed = parse_call(call, tool)
    part = parsed.parts[0]
    if len(parsed.all_parts) > 1 or parsed.unreadable is not None or part.command is None:
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
