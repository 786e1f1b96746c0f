"""Parses calls that people write as `Tool` or `Tool(specifier)`, and checks the examples of rules."""

import re
from collections.abc import Iterator, Mapping

from assent.config.workspace import directories_without_disk, facts_without_disk
from assent.engine.base.tool import PLACEHOLDER, Call, Dialect, Tool
from assent.engine.base.value import replace
from assent.engine.decide import decide, paths_to_resolve
from assent.engine.policy.patterns import parse_named_arguments
from assent.engine.policy.rule import Rule, RuleList, covers_tool
from assent.engine.policy.snapshot import build_snapshot
from assent.engine.policy.task_files import ASSUMED_PINS
from assent.engine.policy.verdict import Stage, Verdict
from assent.errors import InputError, RuleExampleError, RuleSyntaxError

SPECIFIER_ARGUMENT = "specifier"
"""The name of an artificial argument, for tools whose own arguments cannot contain the whole specifier."""
EXAMPLE_DIRECTORIES = directories_without_disk("/project", "/home/user")
"""The workspace in which examples are decided; it does not exist on disk."""

_CALL_PATTERN = re.compile(r"([A-Za-z0-9_.:-]{1,128})(?:\((.*)\))?", re.DOTALL)
_ARGUMENT_NAMES = {Dialect.SHELL: "command", Dialect.POWERSHELL: "command", Dialect.PATH: "path"}
_RULE_STAGES = {
    RuleList.DENY: (Stage.DENY_RULE, Verdict.DENY),
    RuleList.ASK: (Stage.ASK_RULE, Verdict.ASK),
    RuleList.ALLOW: (Stage.ALLOW_RULE, Verdict.RUN),
}


def split_call(text: str) -> tuple[str, str | None]:
    """Split a written call into the name of the tool and the specifier."""
    found = _CALL_PATTERN.fullmatch(text.strip())
    if found is None:
        raise InputError(
            f"`{text}` is not a call: expected `Tool` or `Tool(specifier)`, such as `Bash(git status)`"
        )
    return found[1], found[2]


def parse_call(text: str, tools: Mapping[str, Tool]) -> tuple[Call, Mapping[str, Tool]]:
    """Parse a written call; return it with the tools to decide it with, which may differ from `tools`."""
    name, specifier = split_call(text)
    tool = tools.get(name)
    if tool is None:
        return Call(tool=name, args={} if specifier is None else {SPECIFIER_ARGUMENT: specifier}), tools
    used, args = fit_specifier_to_tool(tool, specifier)
    return Call(tool=name, args=args), tools if used is tool else {**tools, name: used}


def fit_specifier_to_tool(tool: Tool, specifier: str | None) -> tuple[Tool, Mapping[str, object]]:
    """Return a tool and arguments for which the specifier is the given text.

    If the template of the tool has several arguments, the returned tool has one artificial argument instead.
    """
    if specifier is None:
        return tool, {}
    if tool.template is None:
        if tool.dialect in _ARGUMENT_NAMES:
            return tool, {_ARGUMENT_NAMES[tool.dialect]: specifier}
        named = parse_named_arguments(specifier)
        if named is not None:
            return tool, {argument.name: argument.pattern for argument in named}
    elif (only := PLACEHOLDER.fullmatch(tool.template)) is not None and only[2] is None:
        return tool, {only[1]: specifier}
    return replace(tool, template=f"{{{SPECIFIER_ARGUMENT}}}"), {SPECIFIER_ARGUMENT: specifier}


def check_examples(rules: Mapping[RuleList, tuple[Rule, ...]], tools: Mapping[str, Tool]) -> None:
    """Raise an error if a rule contradicts one of its own examples."""
    for kind, found in rules.items():
        for rule in found:
            for failure in failed_examples(rule, kind, tools):
                raise failure


def failed_examples(rule: Rule, kind: RuleList, tools: Mapping[str, Tool]) -> Iterator[RuleExampleError]:
    """Yield an error for each example that the rule contradicts."""
    verb = "cover" if kind is RuleList.ALLOW else "hit"
    for examples, expected in ((rule.match, True), (rule.never, False)):
        for example in examples:
            if does_rule_match(rule, kind, example, tools) is not expected:
                yield RuleExampleError(rule.text, example, verb, expected=expected, source=rule.source)


def does_rule_match(rule: Rule, kind: RuleList, example: str, tools: Mapping[str, Tool]) -> bool:
    """Whether a rule in the given list matches an example call; the call is decided to find out."""
    text = _to_call_text(rule, example)
    name, _ = split_call(text)
    call, known = parse_call(text, tools if name in tools else {**tools, name: Tool(name=name)})
    snapshot = build_snapshot(known, rules={kind: (rule,)})
    wanted = paths_to_resolve(call, snapshot, EXAMPLE_DIRECTORIES)
    facts = facts_without_disk(EXAMPLE_DIRECTORIES, wanted, trusted_repository=True, findings=ASSUMED_PINS)
    decision = decide(call, snapshot, facts)
    return any((step.stage, step.verdict) == _RULE_STAGES[kind] for step in decision.steps)


def _to_call_text(rule: Rule, example: str) -> str:
    """Convert an example to a call: it is a specifier for the rule's tool, or already a whole call."""
    try:
        name, specifier = split_call(example)
    except InputError:
        name, specifier = "", None
    if name and covers_tool(rule.tool, name) and (specifier is not None or name == rule.tool):
        return example
    if "*" in rule.tool or rule.tool.count("__") == 1:
        reason = f"its example `{example}` must name the tool: `Tool(specifier)`"
        raise RuleSyntaxError(rule.text, reason, source=rule.source)
    return f"{rule.tool}({example})"
