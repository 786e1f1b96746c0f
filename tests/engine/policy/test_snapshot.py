"""A snapshot contains one policy and those of the parent agents, and is created in one place."""

import ast

from assent.engine.base.tool import Call, Tool
from assent.engine.policy.grants import NO_GRANTS, GrantedRule
from assent.engine.policy.modes import Mode
from assent.engine.policy.rule import Rule, RuleList
from assent.engine.policy.rule_set import NO_RULES, RuleSet
from assent.engine.policy.snapshot import Snapshot, build_snapshot
from assent.engine.policy.tiers import Tier, TierSetting
from tests.contracts.tree import parse_file, relative_name, source_files

TOOLS = {"create_page": Tool(name="create_page"), "look_up": Tool(name="look_up")}


def test_a_lineage_goes_from_a_policy_to_its_oldest_ancestor() -> None:
    oldest = Snapshot(tools={}, mode=None)
    parent = Snapshot(tools={}, mode=Mode.PLAN, parent=oldest)
    child = Snapshot(tools={}, mode=Mode.AUTO, parent=parent)

    assert list(child.lineage()) == [child, parent, oldest]
    assert (child.narrowest_mode, parent.narrowest_mode, oldest.narrowest_mode) == (
        Mode.PLAN,
        Mode.PLAN,
        None,
    )


def test_a_tier_is_looked_up_for_the_policys_agent_or_the_calls() -> None:
    blocked = TierSetting(Tier.BLOCKED)
    call = Call(tool="t", args={}, agent="clerk")

    assert Snapshot(tools={}, tiers={("clerk", "t"): blocked}).tier_of(call) == blocked
    assert Snapshot(tools={}, tiers={("clerk", "t"): blocked}, agent="other").tier_of(call) is None


def test_a_snapshot_compiles_its_rules_and_grants() -> None:
    deny, ask, allow = Rule(tool="create_page"), Rule(tool="look_up"), Rule(tool="look_up", specifier="x")
    lists = {RuleList.DENY: [deny], RuleList.ASK: [ask], RuleList.ALLOW: [allow]}

    snapshot = build_snapshot(TOOLS, rules=lists, grants=[GrantedRule(rule=allow)])

    assert snapshot.rules.lists == {RuleList.DENY: (deny,), RuleList.ASK: (ask,), RuleList.ALLOW: (allow,)}
    assert [rules.lists[RuleList.ALLOW] for rules in snapshot.grants.for_call(Call(tool="t", args={}))] == [
        (allow,)
    ]


def test_a_snapshot_keeps_what_is_compiled_already() -> None:
    rules = RuleSet(deny=[Rule(tool="create_page")])

    assert build_snapshot(TOOLS, rules=rules, grants=NO_GRANTS).rules is rules
    assert build_snapshot(TOOLS).rules is NO_RULES
    assert build_snapshot(TOOLS).grants is NO_GRANTS


def test_the_name_of_an_added_tool_gives_its_tier_where_there_is_no_mode() -> None:
    blocked = {("clerk", "look_up"): TierSetting(Tier.BLOCKED)}

    by_name = build_snapshot(TOOLS, agent="clerk", added_tools=TOOLS, mode=None, tiers=blocked)
    with_mode = build_snapshot(TOOLS, agent="clerk", added_tools=TOOLS, mode=Mode.AUTO, tiers=blocked)
    by_default = build_snapshot(TOOLS, agent="clerk", added_tools=TOOLS)

    assert by_name.tiers == {
        ("clerk", "create_page"): TierSetting(Tier.NEEDS_APPROVAL, explicit=False),
        ("clerk", "look_up"): TierSetting(Tier.BLOCKED),
    }
    assert with_mode.tiers == blocked
    assert (by_default.mode, by_default.tiers) == (Mode.DEFAULT, {})


def test_one_function_builds_every_snapshot() -> None:
    builders = [relative_name(module) for module in source_files() if _makes_snapshot(parse_file(module))]

    assert builders == ["src/assent/engine/policy/snapshot.py"]


def _makes_snapshot(tree: ast.Module) -> bool:
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return any(isinstance(func, ast.Name) and func.id == "Snapshot" for func in calls)
