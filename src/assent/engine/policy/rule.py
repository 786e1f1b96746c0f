"""A rule: `Tool` or `Tool(specifier)`, in a list, from a layer."""

import re
from enum import StrEnum

from assent.engine.base.characters import hidden_character
from assent.engine.base.lazy import regex
from assent.engine.base.value import Value
from assent.engine.lines.specifier import has_malformed_input
from assent.errors import RuleSyntaxError


class RuleList(StrEnum):
    """The three lists, in the order in which they apply."""

    __hash__ = str.__hash__  # the hash of an enum is slow, and every decision needs many

    DENY = "deny"
    ASK = "ask"
    ALLOW = "allow"


class Layer(StrEnum):
    """Where a rule comes from, from the lowest precedence to the highest."""

    SHIPPED = "shipped"
    MANAGED = "managed"
    USER = "user"
    PROJECT = "project"
    LOCAL = "local"
    STORE = "store"
    AGENT = "agent"
    CONVERSATION = "conversation"


class Rule(Value):
    """One rule; its text is what a person wrote and what explanations show."""

    tool: str
    specifier: str | None = None
    layer: Layer = Layer.USER
    source: str = ""
    why: str = ""
    match: tuple[str, ...] = ()
    never: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The rule as a person writes it."""
        return self.tool if self.specifier is None else f"{self.tool}({self.specifier})"


LONGEST_RULE = 4096
MOST_STARS = 64

_SHAPE = regex(r"([A-Za-z0-9_.:*-]{1,128})(?:\((.*)\))?", re.DOTALL)


def parse_rule(
    text: str,
    *,
    layer: Layer = Layer.USER,
    source: str = "",
    why: str = "",
    match: tuple[str, ...] = (),
    never: tuple[str, ...] = (),
) -> Rule:
    """Parse a rule; a text that is not clearly a rule is an error, never a rule that matches nothing."""
    shape = _SHAPE.fullmatch(text.strip())
    problem = _find_problem(text, shape)
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


def _find_problem(text: str, shape: re.Match[str] | None) -> str:
    if len(text) > LONGEST_RULE:
        return f"longer than {LONGEST_RULE} characters"
    if (character := hidden_character(text)) is not None:
        return f"holds {character}"
    if shape is None:
        return ""
    if text.count("*") > MOST_STARS:
        return f"more than {MOST_STARS} stars"
    if shape[2] is not None and not shape[2].strip():
        return "nothing between the parentheses; leave them out to mean every call"
    if shape[2] is not None and shape[2].startswith("!"):
        return "negation is not part of the language; write a deny or an ask rule"
    if shape[2] is not None and has_malformed_input(shape[2]):
        return "name an input with `<< sha256:` or `< /path sha256:` and 64 hexadecimal digits at the end"
    return ""


def covers_tool(pattern: str, tool: str) -> bool:
    """Whether the tool name of a rule means this tool; a bare `mcp__server` means all its tools."""
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
