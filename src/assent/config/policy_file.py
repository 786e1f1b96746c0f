"""Reads one policy file, of Assent or of Claude Code; any mistake in the file is an error."""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from assent.config.files import Source
from assent.config.table import Table, read_table
from assent.engine.base.tool import Dialect, Effect, PathKind, Tool, parse_dialect, parse_effect
from assent.engine.policy.modes import parse_mode
from assent.engine.policy.packs import PACK_SIGN
from assent.engine.policy.rule import Layer, Rule, RuleList, parse_rule
from assent.engine.policy.snapshot import Tier, parse_tier
from assent.engine.policy.verdict import Verdict
from assent.engine.programs.packs import PACKS
from assent.errors import RuleSyntaxError, UnknownWordError
from assent.gate.catalog import is_declared, unknown_tool_message
from assent.gate.preset import Budget

POLICY_KEYS = (
    "sealed", "mode", "preset", "fallback", "claude_settings", "keep_arguments_days",
    "deny", "ask", "allow", "options", "tools", "tiers", "workspace", "budget", "chat", "server",
)  # fmt: skip
RULE_KEYS = ("rule", "why", "match", "never")
OPTION_KEYS = ("reads_bypass_rules", "privilege_wrappers", "shell_edits")
TOOL_KEYS = ("effect", "dialect", "template", "paths", "group", "description")
BUDGET_KEYS = ("calls", "seconds")
MAX_KEEP_DAYS = 36500
"""One hundred years."""
MAX_BUDGET_CALLS = 1_000_000
MAX_BUDGET_SECONDS = 86_400
"""One day; calls are not counted over a longer period."""
SEAL_LINE = "# end"
"""The required last line of a file with `sealed = true`; if it is missing, the file was truncated."""
CLAUDE_FILE_NAMES = ("settings.json", "settings.local.json", "managed-settings.json")
_TOOL_NAME = re.compile(r"[A-Za-z0-9_.:-]{1,128}")
_EFFECT_ORDER = {effect: position for position, effect in enumerate(Effect)}
_EDIT_TOOLS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
_READ_TOOLS = ("Read", "NotebookRead", "Grep", "Glob", "LS")
_AGENT_TOOLS = ("Agent", "Task")
SHELL_TOOLS = ("Bash", "Monitor", "terminal.exec", "run_command")
"""The known tools whose rules may name a pack."""
_ARGUMENT_RULE = re.compile(r"([A-Za-z_]\w*):(.*)", re.DOTALL)
_UNSUPPORTED_SHELL_ARGUMENTS = ("run_in_background", "timeout", "description", "dangerouslyDisableSandbox")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDeclaration:
    """The settings of one tool in a policy file; missing settings are None."""

    table: Table
    effect: Effect | None = None
    dialect: Dialect | None = None
    template: str | None = None
    paths: PathKind | None = None
    group: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyFile:
    """The content of one policy file; missing settings are None or empty."""

    source: Source
    mode: str | None = None
    preset: str | None = None
    fallback: Verdict | None = None
    attended: bool | None = None
    claude_settings: bool | None = None
    reads_bypass_rules: bool | None = None
    strip_privilege_wrappers: bool | None = None
    shell_edits: bool | None = None
    rules: Mapping[RuleList, tuple[Rule, ...]] = field(default_factory=dict[RuleList, tuple[Rule, ...]])
    tools: Mapping[str, ToolDeclaration] = field(default_factory=dict[str, ToolDeclaration])
    tiers: Mapping[tuple[str, str], Tier] = field(default_factory=dict[tuple[str, str], Tier])
    roots: tuple[str, ...] | None = None
    keep_arguments_days: int | None = None
    budget: Budget | None = None


def read_policy_file(source: Source, layer: Layer) -> PolicyFile:
    """Read a policy file; raises an error for the first mistake in it."""
    table = read_table(source)
    table.check_keys(*POLICY_KEYS)
    _check_seal_line(table)
    if not table.values:
        raise source.error("it is empty; remove it, or write at least `sealed = true`")
    options = table.table("options")
    options.check_keys(*OPTION_KEYS)
    workspace = table.table("workspace")
    workspace.check_keys("roots")
    _refuse_server_settings(table, layer)
    table.word("mode", parse_mode)
    return PolicyFile(
        source=source,
        mode=table.text("mode"),
        preset=table.text("preset"),
        fallback=table.word("fallback", parse_fallback),
        claude_settings=table.flag("claude_settings"),
        reads_bypass_rules=options.flag("reads_bypass_rules"),
        strip_privilege_wrappers=options.word("privilege_wrappers", _parse_strip_wrappers),
        shell_edits=options.flag("shell_edits"),
        rules={kind: tuple(read_rules(table, kind, layer)) for kind in RuleList},
        tools=read_declarations(table.table("tools")),
        tiers=dict(_read_tiers(table.table("tiers"))),
        roots=workspace.texts("roots") if "roots" in workspace.values else None,
        keep_arguments_days=_read_keep_days(table),
        budget=read_budget(table.table("budget")),
    )


def read_rules(table: Table, kind: RuleList, layer: Layer) -> Iterator[Rule]:
    """Read the rules of one list; each is a string, or a table with a reason and examples."""
    for number, item in enumerate(table.items(kind), start=1):
        match item:
            case str():
                yield _make_rule(table, layer, item)
            case dict():
                inner = Table(table.source, cast("dict[str, object]", item), (*table.key_path, f"[[{kind}]]"))
                yield _read_rule_table(inner, kind, number, layer)
            case _:
                raise table.error(f"entry {number} of `{kind}` must be a rule in quotes or a table", kind)


def check_tools_are_known(policy: PolicyFile, known: Mapping[str, object]) -> None:
    """Raise an error for a rule or a tier of an unknown tool, because a misspelled name never matches."""
    for agent, tool in policy.tiers:
        if not is_declared(tool, known):
            raise policy.source.error(unknown_tool_message(tool, known), "tiers", agent, tool)
    for rule in (rule for rules in policy.rules.values() for rule in rules):
        if not is_declared(rule.tool, known):
            raise RuleSyntaxError(rule.text, unknown_tool_message(rule.tool, known), source=rule.source)
    for rule in policy.rules.get(RuleList.ALLOW, ()):
        name = (rule.specifier or "").removeprefix(PACK_SIGN)
        if name != (rule.specifier or "") and rule.tool in SHELL_TOOLS and name not in PACKS:
            reason = f"there is no pack `{name}`; the packs are {', '.join(PACKS)}"
            raise RuleSyntaxError(rule.text, reason, source=rule.source)


def parse_fallback(word: str) -> Verdict:
    """Parse the verdict for calls of an agent without a mode."""
    known = {verdict.word: verdict for verdict in (Verdict.RUN, Verdict.ASK)}
    if word not in known:
        raise UnknownWordError("fallback", word, tuple(known))
    return known[word]


def read_declarations(tools: Table) -> dict[str, ToolDeclaration]:
    """Read all tools that a file declares."""
    return {name: _read_declaration(name, table) for name, table in tools.tables()}


def apply_declaration(name: str, declaration: ToolDeclaration, known: Mapping[str, Tool]) -> Tool:
    """Build the declared tool; a known tool can get a stricter effect, but not a less strict one."""
    tool = known.get(name)
    if tool is None:
        return Tool(
            name=name,
            effect=declaration.effect or Effect.EXTERNAL,
            dialect=declaration.dialect or Dialect.TEXT,
            template=declaration.template,
            paths=declaration.paths or PathKind.OS,
            description=declaration.description or "",
            group=declaration.group or "",
        )
    _refuse_changed_parsing(declaration, tool)
    if declaration.effect is not None and _EFFECT_ORDER[declaration.effect] < _EFFECT_ORDER[tool.effect]:
        reason = f"`{name}` is `{tool.effect}`, which can be raised but not lowered to `{declaration.effect}`"
        raise declaration.table.error(reason, "effect")
    return replace(
        tool,
        effect=declaration.effect or tool.effect,
        description=declaration.description or tool.description,
        group=declaration.group or tool.group,
        reads=tool.reads or tool.effect is Effect.READ,
    )


def read_budget(table: Table) -> Budget | None:
    """Read a budget; None if the table is empty, an error if one of its two keys is missing."""
    table.check_keys(*BUDGET_KEYS)
    if not table.values:
        return None
    calls, seconds = table.number("calls"), table.number("seconds")
    if calls is None or seconds is None:
        raise table.error("`budget` requires both `calls` and `seconds`")
    if calls > MAX_BUDGET_CALLS:
        raise table.error(f"`budget.calls` must be at most {MAX_BUDGET_CALLS}", "calls")
    if seconds > MAX_BUDGET_SECONDS:
        raise table.error(f"`budget.seconds` must be at most {MAX_BUDGET_SECONDS}", "seconds")
    return Budget(calls, seconds)


def is_stricter_budget(budget: Budget, known: Budget | None) -> bool:
    """Whether a budget never allows more calls than the known budget."""
    return known is None or (budget.calls <= known.calls and budget.seconds >= known.seconds)


def is_claude_settings(source: Source) -> bool:
    """Whether the name of a file is that of a Claude Code settings file."""
    return os.path.basename(source.path) in CLAUDE_FILE_NAMES


def read_claude_settings(source: Source, layer: Layer) -> PolicyFile:
    """Read the `permissions` of a Claude Code settings file; other settings are ignored."""
    permissions = read_table(source).table("permissions")
    mode = permissions.text("defaultMode")
    never_asks = mode == "dontAsk"
    if mode is not None and not never_asks:
        _check_mode(permissions, mode)
    return PolicyFile(
        source=source,
        mode="default" if never_asks else mode,
        attended=False if never_asks else None,
        rules={kind: tuple(_read_claude_rules(permissions, kind, layer)) for kind in RuleList},
        roots=permissions.texts("additionalDirectories") or None,
    )


def _check_seal_line(table: Table) -> None:
    last = table.source.text.rstrip().rpartition("\n")[2]
    # A truncated JSON file does not parse, so it needs no end line.
    if table.flag("sealed") and last != SEAL_LINE and not table.source.path.endswith(".json"):
        raise table.source.error(
            f"it is sealed, but its last line is not `{SEAL_LINE}`: is the file truncated?", last
        )


def _refuse_server_settings(table: Table, layer: Layer) -> None:
    """Raise an error for server settings in a repository's file: a clone must not change the server."""
    for name in ("server", "chat"):
        if table.table(name).values and layer not in (Layer.MANAGED, Layer.USER):
            raise table.error(f"`{name}` is only allowed in the user's or the administrator's file", name)


def _parse_strip_wrappers(word: str) -> bool:
    known = ("ask", "strip")
    if word not in known:
        raise UnknownWordError("value of `privilege_wrappers`", word, known)
    return word == "strip"


def _read_tiers(tiers: Table) -> Iterator[tuple[tuple[str, str], Tier]]:
    for agent, table in tiers.tables():
        for tool in table.values:
            tier = table.word(tool, parse_tier)
            if tier is not None:
                yield (agent, tool), tier


def _read_keep_days(table: Table) -> int | None:
    days = table.number("keep_arguments_days")
    if days is not None and days > MAX_KEEP_DAYS:
        raise table.error(f"`keep_arguments_days` must be at most {MAX_KEEP_DAYS}", "keep_arguments_days")
    return days


def _make_rule(
    table: Table,
    layer: Layer,
    text: str,
    *,
    why: str = "",
    match: tuple[str, ...] = (),
    never: tuple[str, ...] = (),
) -> Rule:
    line = table.source.find_line(text)
    source = f"{table.source.path}, line {line}" if line else table.source.path
    return parse_rule(text, layer=layer, source=source, why=why, match=match, never=never)


def _read_rule_table(table: Table, kind: RuleList, number: int, layer: Layer) -> Rule:
    table.check_keys(*RULE_KEYS)
    text = table.text("rule")
    if text is None:
        raise table.error(f"entry {number} of `{kind}` has no `rule`")
    why = table.text("why") or ""
    return _make_rule(table, layer, text, why=why, match=table.texts("match"), never=table.texts("never"))


def _read_declaration(name: str, table: Table) -> ToolDeclaration:
    table.check_keys(*TOOL_KEYS)
    if not _TOOL_NAME.fullmatch(name):
        raise table.error(f"invalid tool name `{name}`: use at most 128 letters, digits and `_.:-`")
    return ToolDeclaration(
        table=table,
        effect=table.word("effect", parse_effect),
        dialect=table.word("dialect", parse_dialect),
        template=table.text("template"),
        paths=table.word("paths", _parse_path_kind),
        group=table.text("group"),
        description=table.text("description"),
    )


def _parse_path_kind(word: str) -> PathKind:
    try:
        return PathKind(word)
    except ValueError:
        raise UnknownWordError("kind of paths", word, tuple(PathKind)) from None


def _refuse_changed_parsing(declaration: ToolDeclaration, tool: Tool) -> None:
    """Raise an error if a file changes how calls of a known tool are read: deny rules might not match."""
    for key in ("dialect", "template", "paths"):
        said = getattr(declaration, key)
        if said is not None and said != getattr(tool, key):
            reason = f"the `{key}` of the known tool `{tool.name}` cannot be changed"
            raise declaration.table.error(reason, key)


def _check_mode(table: Table, word: str) -> None:
    try:
        parse_mode(word)
    except UnknownWordError as error:
        raise table.error(str(error), "defaultMode") from None


def _read_claude_rules(table: Table, kind: RuleList, layer: Layer) -> Iterator[Rule]:
    for text in table.texts(kind):
        line = table.source.find_line(text)
        source = f"{table.source.path}, line {line}" if line else table.source.path
        rule = parse_rule(text, layer=layer, source=source)
        yield from _translate_rule(rule, kind)


def _translate_rule(rule: Rule, kind: RuleList) -> Iterator[Rule]:
    """Translate a rule of Claude Code into rules of Assent; if the meanings differ, use the stricter one."""
    specifier = rule.specifier
    if specifier == "*":
        specifier = None
    if specifier is not None and rule.tool.startswith("mcp__"):
        specifier = _convert_argument_rule(rule, specifier)
    if specifier is not None and rule.tool in (*_AGENT_TOOLS, "Bash", "PowerShell"):
        _refuse_argument_rule(rule, specifier)
    for tool in _translated_tools(rule.tool, kind, scoped=specifier is not None):
        for spelled in _translated_patterns(tool, specifier, kind):
            yield Rule(tool=tool, specifier=spelled, layer=rule.layer, source=rule.source)


def _convert_argument_rule(rule: Rule, specifier: str) -> str:
    """Convert the specifier `argument:value` of Claude Code to `argument=value`."""
    found = _ARGUMENT_RULE.fullmatch(specifier)
    if found is None:
        raise RuleSyntaxError(rule.text, "expected `argument:value` for an MCP tool", source=rule.source)
    return f"{found[1]}={found[2]}"


def _refuse_argument_rule(rule: Rule, specifier: str) -> None:
    """Raise an error for a rule about an unsupported argument, because it would never match."""
    found = _ARGUMENT_RULE.fullmatch(specifier)
    if found is None or found[2] == "*":
        return
    if rule.tool in _AGENT_TOOLS or found[1] in _UNSUPPORTED_SHELL_ARGUMENTS:
        reason = f"rules about the argument `{found[1]}` are not supported for `{rule.tool}`"
        raise RuleSyntaxError(rule.text, reason, source=rule.source)


def _translated_tools(tool: str, kind: RuleList, *, scoped: bool) -> tuple[str, ...]:
    """The tools that a Claude Code rule applies to: a path rule for `Edit` applies to every editing tool."""
    if tool in _AGENT_TOOLS:
        return _AGENT_TOOLS
    strict = kind is not RuleList.ALLOW
    if tool == "Edit" and (scoped or strict):
        return _EDIT_TOOLS
    if tool == "Read" and (scoped or strict):
        return (*_READ_TOOLS, *_EDIT_TOOLS) if kind is RuleList.DENY and scoped else _READ_TOOLS
    return (tool,)


def _translated_patterns(tool: str, specifier: str | None, kind: RuleList) -> tuple[str | None, ...]:
    """The patterns of a Claude Code rule; a deny or ask rule for `dir/**` also matches at any depth."""
    if specifier is None or tool not in (*_EDIT_TOOLS, *_READ_TOOLS) or kind is RuleList.ALLOW:
        return (specifier,)
    if specifier.startswith(("/", "~", "./", "**")) or "/" not in specifier.rstrip("/"):
        return (specifier,)
    return (specifier, f"**/{specifier}")
