"""Select the tools that a model sees, and describe them in a prompt section; no verdict depends on this."""

from collections.abc import Iterable
from dataclasses import dataclass

from assent.engine.base.tool import Tool
from assent.engine.policy.modes import MODE_VERDICTS, Mode
from assent.engine.policy.verdict import Verdict

MAX_SHOWN_TOOLS = 38
"""The maximal number of tools that a model sees. Tools of the groups loaded last are omitted first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disclosure:
    """The tools that a model sees, the tools that are omitted, and the groups that it can load."""

    shown: tuple[Tool, ...]
    dropped: tuple[str, ...]
    """The names of loaded tools that are omitted because of the limit."""
    groups: tuple[str, ...]


def tool_group(tool: Tool) -> str:
    """The group of a tool: its declared group, or the first word of its name."""
    if tool.group:
        return tool.group
    if tool.name.startswith("mcp__"):
        return "__".join(tool.name.split("__")[:2])
    head, dot, _ = tool.name.partition(".")
    return head if dot else ""


def disclose_tools(
    tools: Iterable[Tool],
    *,
    core: frozenset[str] = frozenset(),
    loaded: Iterable[str] = (),
    scope: frozenset[str] | None = None,
    max_tools: int = MAX_SHOWN_TOOLS,
) -> Disclosure:
    """Select the core tools and the loaded groups. `scope` limits an agent to some groups.

    A tool without a group, or named in `core`, is a core tool. Core tools are shown whatever the
    limit.
    """
    allowed = [tool for tool in tools if scope is None or tool_group(tool) in scope or not tool_group(tool)]
    first = [tool for tool in allowed if tool.name in core or not tool_group(tool)]
    named = {tool.name for tool in first}
    more = [
        tool
        for group in dict.fromkeys(loaded)
        for tool in allowed
        if tool_group(tool) == group and tool.name not in named
    ]
    room = max(0, max_tools - len(first))
    return Disclosure(
        shown=(*first, *more[:room]),
        dropped=tuple(tool.name for tool in more[room:]),
        groups=tuple(sorted({tool_group(tool) for tool in allowed} - {""})),
    )


_CALL_RESULTS = {
    Verdict.RUN: "runs at once",
    Verdict.ASK: "asks a person first",
    Verdict.DENY: "is refused",
}
"""What happens to a call with each verdict, in the words of the prompt."""
_MODE_ADVICE = {
    Mode.PLAN: (
        "Do not call tools that change anything: they are refused. "
        "Explore with tools that read, then answer with a plan."
    ),
    Mode.DEFAULT: "A call that asks pauses until a person answers; a refusal is final, so do not repeat it.",
    Mode.ACCEPT_EDITS: "Edits of files in the workspace run; other changes pause until a person answers.",
    Mode.AUTO: "Most calls run at once; those that still ask pause until a person answers.",
}
"""Advice to the model for each mode."""


def prompt_section(mode: Mode | None, tools: Iterable[Tool]) -> str:
    """The section of a system prompt about the mode and the tools."""
    lines = ["# Tools and permissions", "", _mode_prompt_line(mode), "", "Your tools:"]
    lines.extend(_tool_prompt_line(tool, mode) for tool in tools)
    return "\n".join(lines)


def _mode_prompt_line(mode: Mode | None) -> str:
    """The line of the prompt about the mode."""
    if mode is None:
        return "An administrator decides tool by tool which calls run and which ask a person first."
    return f"The permission mode is `{mode}`. {_MODE_ADVICE[mode]}"


def _tool_prompt_line(tool: Tool, mode: Mode | None) -> str:
    """The line of the prompt about one tool."""
    result = "" if mode is None else f", {_CALL_RESULTS[MODE_VERDICTS[mode][tool.effect]]}"
    described = f": {tool.description}" if tool.description else ""
    return f"- `{tool.name}` ({tool.effect}{result}){described}"
