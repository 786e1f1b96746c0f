"""Rules carry their own tests: what they must match, and what they never may."""

from collections.abc import Iterator, Mapping

from assent.config.file import PolicyFile
from assent.config.workspace import imagine, imagined_place
from assent.config.written import split_call, written_call
from assent.engine.decide import decide, paths_to_resolve
from assent.engine.model import Tool
from assent.engine.policy.rule import Rule, RuleList, covers_tool
from assent.engine.policy.snapshot import build_snapshot
from assent.engine.verdict import Stage, Verdict
from assent.errors import InputError, RuleExampleError, RuleSyntaxError

PLACE = imagined_place("/project", "/home/user")
"""Where examples happen: a workspace that exists nowhere."""

_STAGES = {
    RuleList.DENY: (Stage.DENY_RULE, Verdict.DENY),
    RuleList.ASK: (Stage.ASK_RULE, Verdict.ASK),
    RuleList.ALLOW: (Stage.ALLOW_RULE, Verdict.RUN),
}


def check_examples(file: PolicyFile, tools: Mapping[str, Tool]) -> None:
    """Stop at the first rule of a file that contradicts its own examples."""
    for kind, rules in file.rules.items():
        for rule in rules:
            for failure in failures(rule, kind, tools):
                raise failure


def failures(rule: Rule, kind: RuleList, tools: Mapping[str, Tool]) -> Iterator[RuleExampleError]:
    """Every example that a rule fails."""
    verb = "cover" if kind is RuleList.ALLOW else "hit"
    for examples, expected in ((rule.match, True), (rule.never, False)):
        for example in examples:
            if applies(rule, kind, example, tools) is not expected:
                yield RuleExampleError(rule.text, example, verb, expected=expected, source=rule.source)


def applies(rule: Rule, kind: RuleList, example: str, tools: Mapping[str, Tool]) -> bool:
    """Whether a rule hits (deny, ask) or covers (allow) a call, found out by deciding the call."""
    written = _as_call(rule, example)
    name, _ = split_call(written)
    call, known = written_call(written, tools if name in tools else {**tools, name: Tool(name=name)})
    snapshot = build_snapshot(known, rules={kind: (rule,)})
    facts = imagine(PLACE, paths_to_resolve(call, snapshot, PLACE), trusted_repository=True)
    decision = decide(call, snapshot, facts)
    return any((step.stage, step.verdict) == _STAGES[kind] for step in decision.steps)


def _as_call(rule: Rule, example: str) -> str:
    """An example is a specifier of the rule's tool, or a whole call when it begins with such a tool."""
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
