"""A call as a terminal shows it: one line, nothing hidden, a cut that says so."""

import json

from assent.cli.terminal import visible
from assent.engine import characters
from assent.engine.model import Call, Dialect, Tool
from assent.engine.template import render

LONGEST = 300


def shown_call(call: Call, tool: Tool) -> str:
    """The call as `Tool(what it is about)`, drawn by us from its stored arguments."""
    text = characters.to_visible(_about(call, tool))
    shown = visible(text)
    if len(text) > LONGEST:
        half = LONGEST // 2
        shown = f"{visible(text[:half])} … {len(text) - LONGEST} more characters … {visible(text[-half:])}"
    return f"{visible(call.tool)}({shown})"


def whole_call(call: Call, tool: Tool) -> str:
    """The same without a cut."""
    return f"{visible(call.tool)}({visible(_about(call, tool))})"


def is_cut(call: Call, tool: Tool) -> bool:
    """Whether a list shows only a part of the call."""
    return len(characters.to_visible(_about(call, tool))) > LONGEST


def _about(call: Call, tool: Tool) -> str:
    args = call.args
    if tool.dialect is not Dialect.TEXT and len(args) == 1:
        (only,) = args.values()
        # A misspelled `comand` is not what the engine reads, so it does not pass for the command here.
        if isinstance(only, str) and render(tool, args) == only:
            return only
    return ", ".join(f"{name}={_value(value)}" for name, value in args.items())


def _value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=True)
