"""A rule: `Tool` or `Tool(specifier)`, in a list, from a layer."""

import re
from enum import StrEnum

from assent.engine.base.characters import describe_hidden_character
from assent.engine.base.lazy import regex
from assent.engine.base.value import Value
from assent.engine.lines.specifier import has_malformed_input
from assent.errors import RuleSyntaxError


class RuleList(StrEnum):
    """The three lists of rules, in the order in which they apply."""

    __hash__ = str.__hash__  # The hash of an enum is slow, and each decision needs many hashes.

    DENY = "deny"
    ASK = "ask"
    ALLOW = "allow"


class Layer(StrEnum):
    """The origin of a rule, from the lowest precedence to the highest."""

    SHIPPED = "shipped"
    MANAGED = "managed"
    USER = "user"
    PROJECT = "project"
    LOCAL = "local"
    STORE = "store"
    AGENT = "agent"
    CONVERSATION = "conversation"


class Rule(Value):
    """One rule, with its origin and the examples that check it."""

    tool: str
    specifier: str | None = None
    layer: Layer = Layer.USER
    source: str = ""
    why: str = ""
    match: tuple[str, ...] = ()
    """Calls that the rule must match, as examples."""
    never: tuple[str, ...] = ()
    """Calls that the rule must not match, as examples."""

    @property
    def text(self) -> str:
        """The rule as a person writes it."""
        return self.tool if self.specifier is None else f"{self.tool}({self.specifier})"


MAX_RULE_LENGTH = 4096
"""The maximal length of a rule."""
MAX_STARS = 64
"""The maximal number of stars in a rule."""

_RULE_SYNTAX = regex(r"([A-Za-z0-9_.:*-]{1,128})(?:\((.*)\))?", re.DOTALL)


def parse_rule(
    text: str,
    *,
    layer: Layer = Layer.USER,
    source: str = "",
    why: str = "",
    match: tuple[str, ...] = (),
    never: tuple[str, ...] = (),
) -> Rule:
    """Parse a rule.

    A text that is not clearly a rule raises an error, and never becomes a rule that matches nothing.
    """
    shape = _RULE_SYNTAX.fullmatch(text.strip())
    problem = _find_syntax_problem(text, shape)
    if problem or shape is None:
        raise RuleSyntaxError(text, problem or "expected `Tool` or `Tool(specifier)`", source=source)
    return Rule(
        tool=shape[1],
        specifier=shape[2],
        layer=layer,
        source=source,
        why=why,
        match=match,
        never=never,
    )


def _find_syntax_problem(text: str, shape: re.Match[str] | None) -> str:
    """Why a text is no valid rule; empty if it is valid or has a wrong shape."""
    if len(text) > MAX_RULE_LENGTH:
        return f"longer than {MAX_RULE_LENGTH} characters"
    if (character := describe_hidden_character(text)) is not None:
        return f"holds {character}"
    if shape is None:
        return ""
    if text.count("*") > MAX_STARS:
        return f"more than {MAX_STARS} stars"
    if shape[2] is not None and not shape[2].strip():
        return "nothing between the parentheses; leave them out to mean every call"
    if shape[2] is not None and shape[2].startswith("!"):
        return "negation is not part of the language; write a deny or an ask rule"
    if shape[2] is not None and has_malformed_input(shape[2]):
        return "name an input with `<< sha256:` or `< /path sha256:` and 64 hexadecimal digits at the end"
    return ""


def covers_tool(pattern: str, tool: str) -> bool:
    """Whether the tool name of a rule means this tool; `mcp__server` means all tools of that server."""
    if pattern == tool:
        return True
    if "*" not in pattern:
        return pattern.startswith("mcp__") and pattern.count("__") == 1 and tool.startswith(pattern + "__")
    head, *middle, tail = pattern.split("*")
    if len(tool) < len(head) + len(tail) or not tool.startswith(head) or not tool.endswith(tail):
        return False
    at, end = len(head), len(tool) - len(tail)
    for piece in middle:
        at = tool.find(piece, at, end)
        if at < 0:
            return False
        at += len(piece)
    return True
