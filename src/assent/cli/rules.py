"""`assent rules` and `assent modes`: test and explain rules; print what each mode does."""

import json
from collections.abc import Iterator, Mapping

import click

from assent.cli.base.command import CommandGroup
from assent.cli.base.rule_text import example_specifiers, rule_sentences
from assent.cli.base.terminal import Style, styled_verdict, visible_text, with_style
from assent.cli.packs import add_pack, list_packs, remove_pack
from assent.config.files import read_source
from assent.config.policy_file import (
    PolicyFile,
    apply_declaration,
    check_tools_are_known,
    is_claude_settings,
    read_claude_settings,
    read_policy_file,
)
from assent.config.tools import KNOWN_TOOLS
from assent.config.written_calls import does_rule_match, failed_examples
from assent.engine.base.tool import Effect, Tool
from assent.engine.policy.modes import MODE_ALIASES, MODE_VERDICTS, Mode
from assent.engine.policy.rule import Layer, Rule, RuleList, parse_rule


@click.group(name="rules", cls=CommandGroup)
def rule_commands() -> None:
    """Test the rules of a file; explain a rule."""


@rule_commands.command(name="test")
@click.argument("file")
def run_rule_examples(file: str) -> int:
    """Run the examples of every rule in FILE; exit status 1 if one fails."""
    policy = _read_rule_file(file)
    tools = _merge_declared_tools(policy)
    check_tools_are_known(policy, tools)
    counts = {"pass": 0, "fail": 0, "none": 0}
    for kind, rule in ((kind, rule) for kind, found in policy.rules.items() for rule in found):
        result, lines = _run_examples_of_rule(kind, rule, tools)
        counts[result] += 1
        for line in lines:
            click.echo(line)
    click.echo(f"{counts['pass']} passed, {counts['fail']} failed, {counts['none']} without examples")
    return 1 if counts["fail"] else 0


@rule_commands.command(name="explain")
@click.argument("rule")
def explain_rule(rule: str) -> None:
    """Explain what RULE matches and what it does not match, in words and with examples."""
    parsed = parse_rule(rule)
    tool = _find_tool(parsed)
    click.echo(with_style(visible_text(parsed.text), Style.STRONG))
    for line in rule_sentences(parsed, tool):
        click.echo(f"  {visible_text(line)}")
    rows = list(_examples_with_matches(parsed, tool))
    if not rows:
        return
    width = max(len(visible_text(text)) for text, _, _ in rows) + 2
    click.echo(f"\n  {'example':<{width}}{'deny, ask':<11}allow")
    for text, hits, covers in rows:
        line = f"{visible_text(text):<{width}}{'hits' if hits else '-':<11}{'covers' if covers else '-'}"
        click.echo(f"  {line}")


rule_commands.add_command(list_packs)
rule_commands.add_command(add_pack)
rule_commands.add_command(remove_pack)


@click.command(name="modes")
@click.option("--json", "as_json", is_flag=True, help="print JSON")
def print_modes(*, as_json: bool) -> None:
    """Print what each mode does with each effect."""
    if as_json:
        click.echo(json.dumps(_modes_to_json()))
        return
    widths = [max(len(effect), len("deny")) + 2 for effect in Effect]
    name_width = max(len(mode) for mode in Mode) + 2
    heads = "".join(f"{effect:<{width}}" for effect, width in zip(Effect, widths, strict=True))
    click.echo(f"{'mode':<{name_width}}{heads}".rstrip())
    for mode, row in MODE_VERDICTS.items():
        cells = [
            styled_verdict(verdict) + " " * (width - len(verdict.word))
            for verdict, width in zip(row.values(), widths, strict=True)
        ]
        click.echo(f"{mode:<{name_width}}{''.join(cells)}".rstrip())
    click.echo()
    for mode in Mode:
        if aliases := [word for word, meant in MODE_ALIASES.items() if meant is mode]:
            click.echo(f"{', '.join(aliases)} mean{'s' if len(aliases) == 1 else ''} {mode}")


def _read_rule_file(path: str) -> PolicyFile:
    source = read_source(path)
    return (read_claude_settings if is_claude_settings(source) else read_policy_file)(source, Layer.USER)


def _merge_declared_tools(policy: PolicyFile) -> Mapping[str, Tool]:
    tools = dict(KNOWN_TOOLS)
    for name, declaration in policy.tools.items():
        tools[name] = apply_declaration(name, declaration, tools)
    return tools


def _run_examples_of_rule(kind: RuleList, rule: Rule, tools: Mapping[str, Tool]) -> tuple[str, list[str]]:
    """Run the examples of a rule; return the result and the lines to print."""
    title = f"{kind:<5}  {visible_text(rule.text)}"
    if not rule.match and not rule.never:
        return "none", [f"{with_style('  - ', Style.FAINT)}  {title}"]
    failed = list(failed_examples(rule, kind, tools))
    if not failed:
        return "pass", [f"{with_style('  ok', Style.GOOD)}  {title}"]
    details = [f"        {visible_text(str(failure))}" for failure in failed]
    return "fail", [f"{with_style('FAIL', Style.BAD)}  {title}", *details]


def _find_tool(rule: Rule) -> Tool | None:
    """Find the tool of a rule; a tool of an MCP server needs no declaration."""
    is_mcp_tool = rule.tool.startswith("mcp__") and rule.tool.count("__") > 1 and "*" not in rule.tool
    return KNOWN_TOOLS.get(rule.tool) or (Tool(name=rule.tool) if is_mcp_tool else None)


def _examples_with_matches(rule: Rule, tool: Tool | None) -> Iterator[tuple[str, bool, bool]]:
    """Yield each example, whether a deny rule would match it, and whether an allow rule would cover it."""
    if tool is None:
        return
    for example in example_specifiers(rule, tool):
        hits = does_rule_match(rule, RuleList.DENY, example, KNOWN_TOOLS)
        yield example, hits, does_rule_match(rule, RuleList.ALLOW, example, KNOWN_TOOLS)


def _modes_to_json() -> dict[str, object]:
    table = {
        mode: {effect: verdict.word for effect, verdict in row.items()} for mode, row in MODE_VERDICTS.items()
    }
    return {"modes": table, "aliases": dict(MODE_ALIASES)}
