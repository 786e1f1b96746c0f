"""Describes a rule in words, makes example calls for it, and finds rules that must name an input."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress

from assent.config.tools import KNOWN_TOOLS
from assent.engine.base.tool import Dialect, Tool
from assent.engine.lines.specifier import pattern_words
from assent.engine.policy.packs import find_pack
from assent.engine.policy.path_rules import Anchor, parse_path_pattern
from assent.engine.policy.patterns import parse_named_arguments
from assent.engine.policy.rule import Rule, parse_rule
from assent.engine.suggestions import needs_empty_input
from assent.errors import AssentError

_ANCHOR_NAMES = {
    Anchor.ABSOLUTE: "the whole file system",
    Anchor.HOME: "the home directory",
    Anchor.ROOT: "the workspace",
    Anchor.CWD: "the agent's working directory",
}


def rule_sentences(rule: Rule, tool: Tool | None) -> Iterator[str]:
    """Describe a rule in sentences; the specifier is not explained if `tool` is None (an unknown tool)."""
    yield _tool_sentence(rule, tool)
    if rule.specifier is None:
        yield "matches every call of it, with any arguments"
    elif tool is None:
        yield f"with the specifier `{rule.specifier}`, whose meaning depends on the tool's dialect"
    elif tool.dialect is Dialect.SHELL and (pack := find_pack(rule.specifier)):
        yield f"as an allow rule, it covers the commands of a pack: {pack.purpose}"
    else:
        yield from _specifier_sentences(rule.specifier, tool)


def example_specifiers(rule: Rule, tool: Tool) -> list[str]:
    """Example specifiers: some that the rule matches, and similar ones that it does not match."""
    if rule.specifier is None:
        return []
    match tool.dialect:
        case Dialect.SHELL if (pack := find_pack(rule.specifier)) is not None:
            return [*pack.match, *pack.never]
        case Dialect.SHELL | Dialect.POWERSHELL:
            return _example_commands(pattern_words(rule.specifier))
        case Dialect.PATH:
            return _example_paths(rule.specifier)
        case Dialect.TEXT:
            return _example_texts(rule.specifier, tool)


def rules_missing_input(rules: Iterable[str]) -> list[str]:
    """The rules that allow a program which executes its input, but do not name the input."""
    return [text for text in rules if _requires_empty_input(text)]


async def stored_rules_missing_input(address: str) -> list[str]:
    """The stored rules that must name an input, but do not; empty if the database cannot be read."""
    from assent.stores.admin.connections import read_any_schema
    from assent.stores.sql.policy import read_allowed_patterns

    if "://" not in address and not os.path.exists(address):
        return []
    with suppress(AssentError):
        return rules_missing_input(await read_any_schema(address, read_allowed_patterns))
    return []


def missing_input_warnings(rules: Iterable[str]) -> list[str]:
    """A warning for each of these rules: the rule covers its program only without input."""
    return [
        f"`{text}` covers this program only without input: a rule must name the input to cover it"
        for text in rules
    ]


def _tool_sentence(rule: Rule, tool: Tool | None) -> str:
    if "*" in rule.tool:
        return f"applies to every tool whose name matches `{rule.tool}`"
    if tool is None:
        return f"applies to the tool `{rule.tool}`, which is not a well-known tool"
    return f"applies to `{tool.name}`: dialect {tool.dialect}, effect {tool.effect}"


def _specifier_sentences(specifier: str, tool: Tool) -> Iterator[str]:
    match tool.dialect:
        case Dialect.SHELL | Dialect.POWERSHELL:
            yield from _command_sentences(pattern_words(specifier))
        case Dialect.PATH:
            yield from _path_sentences(specifier)
        case Dialect.TEXT if tool.template is None and (named := parse_named_arguments(specifier)):
            for argument in named:
                yield f"with an argument `{argument.name}` that matches `{argument.pattern}`"
        case Dialect.TEXT:
            yield f"with a specifier that matches `{specifier}`, where `*` matches any text"


def _command_sentences(words: tuple[str, ...]) -> Iterator[str]:
    if words[-1:] == ("*",):
        yield f"with a command that starts with `{' '.join(words[:-1])}`, with or without more words"
    else:
        yield f"with exactly the command `{' '.join(words)}`"
    yield "deny and ask rules hit a line if any of its commands matches, also inside wrappers and quotes;"
    yield "there `*` inside a rule matches any text, spaces included"
    yield "allow rules cover a line if each of its commands matches an allow rule or only reads;"
    yield "there `*` matches within one word, and output to a file is never covered"


def _path_sentences(specifier: str) -> Iterator[str]:
    pattern = parse_path_pattern(specifier)
    base = _ANCHOR_NAMES[pattern.anchor]
    name = "/".join(component for component in pattern.components if component != "**") or "any file"
    depth = " at any depth" if pattern.components[0] == "**" else ""
    below = "everything below " if pattern.below_only else ""
    yield f"with {below}`{name}`{depth} in {base}"
    yield "deny and ask rules hit the path as written or the real file behind links; allow rules need both"
    yield "the rule also applies to files that shell commands read or write"


def _example_commands(words: tuple[str, ...]) -> list[str]:
    is_prefix = words[-1:] == ("*",)
    plain = " ".join(_replace_stars(word) for word in (words[:-1] if is_prefix else words))
    return [
        plain,
        f"{plain} more",
        f"{plain}more",
        f"sudo {plain}",
        f"bash -c '{plain}'",
        f"{plain} && other",
        f"{plain} > file",
        f"{plain} $(other)",
        f"echo '{plain}'",
    ]


def _replace_stars(word: str) -> str:
    """Replace each `*` by `x`, to make a word that the pattern matches; an escaped star stays."""
    return "\\*".join(piece.replace("*", "x") for piece in word.split("\\*"))


def _example_paths(specifier: str) -> list[str]:
    plain = specifier.replace("**", "a/b").replace("*", "x").rstrip("/")
    inside = plain.lstrip("/") if plain.startswith("/") and not plain.startswith("//") else plain
    inside = inside[1:] if inside.startswith("//") else inside
    return [inside, f"{inside}/below", f"elsewhere/{inside.lstrip('/~.')}", f"{inside}/../../../etc/passwd"]


def _example_texts(specifier: str, tool: Tool) -> list[str]:
    plain = specifier.replace("*", "x")
    if tool.template is None and parse_named_arguments(specifier):
        return [plain, f"{plain}, other=1", "other=1"]
    return [plain, f"{plain} more", f"more {plain}"]


def _requires_empty_input(text: str) -> bool:
    with suppress(AssentError):
        rule = parse_rule(text)
        tool = KNOWN_TOOLS.get(rule.tool)
        # An unknown tool may also run shell commands.
        return needs_empty_input(rule, Dialect.SHELL if tool is None else tool.dialect)
    return False
