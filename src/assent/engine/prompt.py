"""The part of a system prompt that states the tools, the mode, and what the mode means."""

from collections.abc import Iterable

from assent.engine.model import Effect, Tool
from assent.engine.modes import TABLE, Mode
from assent.engine.verdict import Verdict

_MANNERS = {
    Verdict.RUN: "runs at once",
    Verdict.ASK: "asks a person first",
    Verdict.DENY: "is refused",
}
_ADVICE = {
    Mode.PLAN: (
        "Do not call tools that change anything: they are refused. "
        "Explore with tools that read, then answer with a plan."
    ),
    Mode.DEFAULT: "A call that asks pauses until a person answers; a refusal is final, so do not repeat it.",
    Mode.ACCEPT_EDITS: "Edits of files in the workspace run; other changes pause until a person answers.",
    Mode.AUTO: "Most calls run at once; those that still ask pause until a person answers.",
}


def prompt_section(mode: Mode | None, tools: Iterable[Tool]) -> str:
    """What a model should know of the gate in front of its tools."""
    lines = ["# Tools and permissions", "", _mode_line(mode), "", "Your tools:"]
    lines.extend(_tool_line(tool, mode) for tool in tools)
    return "\n".join(lines)


def _mode_line(mode: Mode | None) -> str:
    if mode is None:
        return "An administrator decides tool by tool which calls run and which ask a person first."
    return f"The permission mode is `{mode}`. {_ADVICE[mode]}"


def _tool_line(tool: Tool, mode: Mode | None) -> str:
    manner = "" if mode is None else f", {_MANNERS[_manner(tool.effect, mode)]}"
    described = f": {tool.description}" if tool.description else ""
    return f"- `{tool.name}` ({tool.effect}{manner}){described}"


def _manner(effect: Effect, mode: Mode) -> Verdict:
    return TABLE[mode][effect]
