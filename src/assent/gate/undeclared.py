"""Rules about tools that nobody declared, and the name that was probably meant."""

import difflib
from collections.abc import Collection, Iterable

from assent.engine.policy.rule import parse_rule
from assent.errors import RuleSyntaxError

ALIKE = 0.6


def is_declared(tool: str, known: Collection[str]) -> bool:
    """Whether a rule may name a tool; those of MCP servers are declared when a server is reached."""
    return tool in known or "*" in tool or tool.startswith("mcp__")


def no_such_tool(tool: str, known: Iterable[str]) -> str:
    """What is said of a tool that nobody declared, wherever a rule names it."""
    # Tools behind MCP servers are named in full or not at all, and those of presets are nobody's own words.
    meant = difflib.get_close_matches(
        tool, [name for name in known if not name.startswith("mcp__")], n=1, cutoff=ALIKE
    )
    return f"no tool is called `{tool}`" + (f"; did you mean `{meant[0]}`?" if meant else "")


def warnings_of(texts: Iterable[str], known: Collection[str]) -> list[str]:
    """What is to be said of rules, each once; one that cannot be read is refused elsewhere."""
    found: dict[str, None] = {}
    for text in texts:
        try:
            tool = parse_rule(text).tool
        except RuleSyntaxError:
            continue
        if not is_declared(tool, known):
            found[f"rule `{text}`: {no_such_tool(tool, known)}"] = None
    return list(found)
