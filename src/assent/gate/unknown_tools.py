"""Rules that name an unknown tool, and the name that was probably meant."""

import difflib
from collections.abc import Collection, Iterable

from assent.engine.policy.rule import parse_rule
from assent.errors import RuleSyntaxError

ALIKE = 0.6


def is_declared(tool: str, known: Collection[str]) -> bool:
    """Whether a tool is known; tools of MCP servers become known when a server connects."""
    return tool in known or "*" in tool or tool.startswith("mcp__")


def unknown_tool_message(tool: str, known: Iterable[str]) -> str:
    """The warning for an unknown tool."""
    # Names of MCP tools are long and generated, so they are no useful suggestion.
    meant = difflib.get_close_matches(
        tool, [name for name in known if not name.startswith("mcp__")], n=1, cutoff=ALIKE
    )
    return f"no tool is called `{tool}`" + (f"; did you mean `{meant[0]}`?" if meant else "")


def unknown_tool_warnings(texts: Iterable[str], known: Collection[str]) -> list[str]:
    """The warnings for some rules, without duplicates; invalid rules are refused elsewhere."""
    found: dict[str, None] = {}
    for text in texts:
        try:
            tool = parse_rule(text).tool
        except RuleSyntaxError:
            continue
        if not is_declared(tool, known):
            found[f"rule `{text}`: {unknown_tool_message(tool, known)}"] = None
    return list(found)
