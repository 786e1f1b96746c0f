"""A call as people write it: `Tool`, `Tool(specifier)`, or a tool and its arguments."""

import re
from collections.abc import Mapping

from assent.engine.model import Call, Dialect, Tool
from assent.engine.policy.arguments import named_arguments
from assent.engine.template import PLACEHOLDER
from assent.engine.value import replace
from assent.errors import InputError

_SHAPE = re.compile(r"([A-Za-z0-9_.:-]{1,128})(?:\((.*)\))?", re.DOTALL)
_USUAL = {Dialect.SHELL: "command", Dialect.POWERSHELL: "command", Dialect.PATH: "path"}
WHOLE = "specifier"
"""The argument that holds a specifier which no single argument of the tool could hold."""


def split_call(text: str) -> tuple[str, str | None]:
    """The tool's name and the specifier of a written call."""
    found = _SHAPE.fullmatch(text.strip())
    if found is None:
        raise InputError(
            f"`{text}` is not a call: expected `Tool` or `Tool(specifier)`, such as `Bash(git status)`"
        )
    return found[1], found[2]


def with_specifier(tool: Tool, specifier: str | None) -> tuple[Tool, Mapping[str, object]]:
    """A tool and arguments for which its specifier is this text.

    A template of several arguments cannot be undone, so such a tool is taken to have one argument.
    """
    if specifier is None:
        return tool, {}
    if tool.template is None:
        if tool.dialect in _USUAL:
            return tool, {_USUAL[tool.dialect]: specifier}
        named = named_arguments(specifier)
        if named is not None:
            return tool, {argument.name: argument.pattern for argument in named}
    elif (only := PLACEHOLDER.fullmatch(tool.template)) is not None and only[2] is None:
        return tool, {only[1]: specifier}
    return replace(tool, template=f"{{{WHOLE}}}"), {WHOLE: specifier}


def written_call(text: str, tools: Mapping[str, Tool]) -> tuple[Call, Mapping[str, Tool]]:
    """A written call and the tools under which it means what is written."""
    name, specifier = split_call(text)
    tool = tools.get(name)
    if tool is None:
        return Call(tool=name, args={} if specifier is None else {WHOLE: specifier}), tools
    meant, args = with_specifier(tool, specifier)
    return Call(tool=name, args=args), tools if meant is tool else {**tools, name: meant}
