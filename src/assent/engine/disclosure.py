"""Disclosure: which of the visible tools the model is shown now; it never changes a verdict."""

from collections.abc import Iterable
from dataclasses import dataclass

from assent.engine.model import Tool

MOST_SHOWN = 38
"""How many tools a model is shown at once before the last loaded groups give way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disclosure:
    """What the model is shown, what was left out for room, and the groups it may load."""

    shown: tuple[Tool, ...]
    dropped: tuple[str, ...]
    groups: tuple[str, ...]


def group_of(tool: Tool) -> str:
    """The group a tool belongs to: the one it declares, or the first word of its name."""
    if tool.group:
        return tool.group
    if tool.name.startswith("mcp__"):
        return "__".join(tool.name.split("__")[:2])
    head, dot, _ = tool.name.partition(".")
    return head if dot else ""


def disclose(
    tools: Iterable[Tool],
    *,
    core: frozenset[str] = frozenset(),
    loaded: Iterable[str] = (),
    scope: frozenset[str] | None = None,
    most: int = MOST_SHOWN,
) -> Disclosure:
    """Show the core and the loaded groups; an agent scoped to groups is shown no others.

    A tool without a group, or named as core, is core. The core is shown whole, whatever the limit.
    """
    allowed = [tool for tool in tools if scope is None or group_of(tool) in scope or not group_of(tool)]
    first = [tool for tool in allowed if tool.name in core or not group_of(tool)]
    named = {tool.name for tool in first}
    more = [
        tool
        for group in dict.fromkeys(loaded)
        for tool in allowed
        if group_of(tool) == group and tool.name not in named
    ]
    room = max(0, most - len(first))
    return Disclosure(
        shown=(*first, *more[:room]),
        dropped=tuple(tool.name for tool in more[room:]),
        groups=tuple(sorted({group_of(tool) for tool in allowed} - {""})),
    )
