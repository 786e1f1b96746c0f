"""Reading the permission rules and the default mode of Claude Code's settings files."""

import os
import re
from collections.abc import Iterator

from assent.config.files import Source
from assent.config.policy_file import PolicyFile
from assent.config.table import Table, read_table
from assent.engine.modes import parse_mode
from assent.engine.policy.rule import Layer, Rule, RuleList, parse_rule
from assent.errors import RuleSyntaxError, UnknownWordError

NAMES = ("settings.json", "settings.local.json", "managed-settings.json")

_EDITORS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
_READERS = ("Read", "NotebookRead", "Grep", "Glob", "LS")
_STARTERS = ("Agent", "Task")
_ARGUMENT = re.compile(r"([A-Za-z_]\w*):(.*)", re.DOTALL)
_SHELL_ARGUMENTS = ("run_in_background", "timeout", "description", "dangerouslyDisableSandbox")


def is_claude_settings(source: Source) -> bool:
    """Whether a file is a settings file of Claude Code, by its name."""
    return os.path.basename(source.path) in NAMES


def read_claude_settings(source: Source, layer: Layer) -> PolicyFile:
    """Read the `permissions` of a settings file; its other settings are ignored."""
    permissions = read_table(source).table("permissions")
    mode = permissions.text("defaultMode")
    never_asks = mode == "dontAsk"
    if mode is not None and not never_asks:
        _check_mode(permissions, mode)
    return PolicyFile(
        source=source,
        mode="default" if never_asks else mode,
        attended=False if never_asks else None,
        rules={kind: tuple(_rules(permissions, kind, layer)) for kind in RuleList},
        roots=permissions.texts("additionalDirectories") or None,
    )


def _check_mode(table: Table, word: str) -> None:
    try:
        parse_mode(word)
    except UnknownWordError as error:
        raise table.error(str(error), "defaultMode") from None


def _rules(table: Table, kind: RuleList, layer: Layer) -> Iterator[Rule]:
    for text in table.texts(kind):
        line = table.source.line_of(text)
        source = f"{table.source.path}, line {line}" if line else table.source.path
        rule = parse_rule(text, layer=layer, source=source)
        yield from _translate(rule, kind)


def _translate(rule: Rule, kind: RuleList) -> Iterator[Rule]:
    """Translate a rule of Claude Code into ours; where the two differ, the stricter meaning."""
    specifier = rule.specifier
    if specifier == "*":
        specifier = None
    if specifier is not None and rule.tool.startswith("mcp__"):
        specifier = _named_argument(rule, specifier)
    if specifier is not None and rule.tool in (*_STARTERS, "Bash", "PowerShell"):
        _refuse_arguments(rule, specifier)
    for tool in _tools(rule.tool, kind, scoped=specifier is not None):
        for spelled in _patterns(tool, specifier, kind):
            yield Rule(tool=tool, specifier=spelled, layer=rule.layer, source=rule.source)


def _tools(tool: str, kind: RuleList, *, scoped: bool) -> tuple[str, ...]:
    """All tools that a rule applies to: a path rule for `Edit` applies to every tool that edits."""
    if tool in _STARTERS:
        return _STARTERS
    strict = kind is not RuleList.ALLOW
    if tool == "Edit" and (scoped or strict):
        return _EDITORS
    if tool == "Read" and (scoped or strict):
        return (*_READERS, *_EDITORS) if kind is RuleList.DENY and scoped else _READERS
    return (tool,)


def _patterns(tool: str, specifier: str | None, kind: RuleList) -> tuple[str | None, ...]:
    """The patterns of a rule: a deny or ask rule for `dir/**` matches such a directory at any depth."""
    if specifier is None or tool not in (*_EDITORS, *_READERS) or kind is RuleList.ALLOW:
        return (specifier,)
    if specifier.startswith(("/", "~", "./", "**")) or "/" not in specifier.rstrip("/"):
        return (specifier,)
    return (specifier, f"**/{specifier}")


def _named_argument(rule: Rule, specifier: str) -> str:
    """Convert `argument:value` to our `argument=value`."""
    found = _ARGUMENT.fullmatch(specifier)
    if found is None:
        raise RuleSyntaxError(rule.text, "expected `argument:value` for an MCP tool", source=rule.source)
    return f"{found[1]}={found[2]}"


def _refuse_arguments(rule: Rule, specifier: str) -> None:
    """Refuse a rule about another argument: it would never match here, and a deny rule must not be lost."""
    found = _ARGUMENT.fullmatch(specifier)
    if found is None or found[2] == "*":
        return
    if rule.tool in _STARTERS or found[1] in _SHELL_ARGUMENTS:
        reason = f"rules about the argument `{found[1]}` are not supported for `{rule.tool}`"
        raise RuleSyntaxError(rule.text, reason, source=rule.source)
