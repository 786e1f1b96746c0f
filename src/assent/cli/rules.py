"""`assent rules`: run the tests that rules carry, and say what a rule means."""

from collections.abc import Iterator, Mapping

import click

from assent.cli.group import Group
from assent.cli.meaning import examples_of, in_words
from assent.cli.terminal import Style, paint, visible
from assent.config.claude import is_claude_settings, read_claude_settings
from assent.config.declaration import declared
from assent.config.examples import applies, failures
from assent.config.file import PolicyFile, check_tools, read_policy
from assent.config.source import read_source
from assent.config.tools import KNOWN
from assent.engine.model import Tool
from assent.engine.policy.rule import Layer, Rule, RuleList, parse_rule


@click.group(cls=Group)
def rules() -> None:
    """Test the rules of a file; explain a rule."""


@rules.command()
@click.argument("file")
def test(file: str) -> int:
    """Run every rule's examples; exit status 1 when one fails."""
    policy = _read(file)
    tools = _tools(policy)
    check_tools(policy, tools)
    counts = {"hold": 0, "fail": 0, "silent": 0}
    for kind, rule in ((kind, rule) for kind, found in policy.rules.items() for rule in found):
        outcome, lines = _report(kind, rule, tools)
        counts[outcome] += 1
        for line in lines:
            click.echo(line)
    click.echo(f"{counts['hold']} hold, {counts['fail']} fail, {counts['silent']} have no examples")
    return 1 if counts["fail"] else 0


@rules.command()
@click.argument("rule")
def explain(rule: str) -> None:
    """Say what RULE matches and what it does not, in words and by examples."""
    parsed = parse_rule(rule)
    tool = _tool_of(parsed)
    click.echo(paint(visible(parsed.text), Style.STRONG))
    for line in in_words(parsed, tool):
        click.echo(f"  {visible(line)}")
    rows = list(_judged(parsed, tool))
    if not rows:
        return
    width = max(len(visible(text)) for text, _, _ in rows) + 2
    click.echo(f"\n  {'for example':<{width}}{'deny, ask':<11}allow")
    for text, hits, covers in rows:
        line = f"{visible(text):<{width}}{'hits' if hits else '-':<11}{'covers' if covers else '-'}"
        click.echo(f"  {line}")


def _tool_of(rule: Rule) -> Tool | None:
    """The tool that a rule is about; one behind an MCP server has named arguments and no other dialect."""
    is_one = rule.tool.startswith("mcp__") and rule.tool.count("__") > 1 and "*" not in rule.tool
    return KNOWN.get(rule.tool) or (Tool(name=rule.tool) if is_one else None)


def _read(path: str) -> PolicyFile:
    source = read_source(path)
    return (read_claude_settings if is_claude_settings(source) else read_policy)(source, Layer.USER)


def _tools(policy: PolicyFile) -> Mapping[str, Tool]:
    tools = dict(KNOWN)
    for name, declaration in policy.tools.items():
        tools[name] = declared(name, declaration, tools)
    return tools


def _report(kind: RuleList, rule: Rule, tools: Mapping[str, Tool]) -> tuple[str, list[str]]:
    """How a rule did, and the lines that say so."""
    title = f"{kind:<5}  {visible(rule.text)}"
    count = len(rule.match) + len(rule.never)
    if not count:
        return "silent", [f"{paint('  - ', Style.FAINT)}  {title}"]
    failed = list(failures(rule, kind, tools))
    if not failed:
        return "hold", [f"{paint('  ok', Style.GOOD)}  {title}"]
    found = [f"        {visible(str(failure))}" for failure in failed]
    return "fail", [f"{paint('FAIL', Style.BAD)}  {title}", *found]


def _judged(rule: Rule, tool: Tool | None) -> Iterator[tuple[str, bool, bool]]:
    """Examples, each put to the engine as a deny rule and as an allow rule would be."""
    if tool is None:
        return
    for example in examples_of(rule, tool):
        hits = applies(rule, RuleList.DENY, example, KNOWN)
        yield example, hits, applies(rule, RuleList.ALLOW, example, KNOWN)
