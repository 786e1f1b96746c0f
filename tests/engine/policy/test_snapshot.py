"""Only one function creates snapshots; its grants and tiers decide only the calls for which they were set."""

import ast
from dataclasses import replace

import pytest

from assent.engine.base.tool import Call, Tool
from assent.engine.policy.modes import Mode
from assent.engine.policy.rule import Rule, RuleList, parse_rule
from assent.engine.policy.rule_set import NO_RULES, RuleSet
from assent.engine.policy.snapshot import (
    NO_GRANTS,
    GrantedRule,
    GrantSet,
    Snapshot,
    Tier,
    TierSetting,
    build_snapshot,
    default_tier,
    parse_tier,
)
from assent.engine.policy.verdict import Stage, Verdict
from assent.errors import UnknownWordError
from tests.contracts.tree import parse_file, relative_name, source_files
from tests.engine import given

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
    assert [
        rules.lists[RuleList.ALLOW] for rules in snapshot.grants.rule_sets_for_call(Call(tool="t", args={}))
    ] == [(allow,)]


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


MAIL_TO_ANA = Call(tool="mail.send", args={"to": "ana"}, agent="clerk", conversation="c1", user="ana")


def granted_rule(pattern: str = "mail.send", **scope: str) -> GrantedRule:
    return GrantedRule(rule=parse_rule(pattern), **scope)


@pytest.mark.parametrize(
    ("scope", "counts"),
    [
        ({}, True),
        ({"conversation": "c1"}, True),
        ({"conversation": "c2"}, False),
        ({"agent": "clerk"}, True),
        ({"agent": "other"}, False),
        ({"user": "ana", "agent": "clerk"}, True),
        ({"user": "bob", "agent": "clerk"}, False),
        ({"user": "ana", "agent": "other"}, False),
        ({"user": "ana", "agent": "clerk", "conversation": "c2"}, False),
    ],
    ids=str,
)
@pytest.mark.proves("R000-26", "R002-21", "R002-22", "R004-10", "R004-11", "T-9")
def test_a_grant_applies_only_in_its_scope(scope: dict[str, str], counts: bool) -> None:
    snapshot = replace(given.make_snapshot(), grants=GrantSet([granted_rule(**scope)]))

    decision = given.decide_call(MAIL_TO_ANA, snapshot)

    assert (decision.verdict is Verdict.RUN) is counts
    assert (decision.stage is Stage.GRANT) is counts


@pytest.mark.proves("R000-27", "R003-31")
def test_a_granted_tool_is_still_refused_in_plan() -> None:
    snapshot = replace(given.make_snapshot(mode=Mode.PLAN), grants=GrantSet([granted_rule()]))

    assert given.decide_call(MAIL_TO_ANA, snapshot).stage is Stage.PLAN


@pytest.mark.proves("R004-10", "R004-12")
def test_a_grant_lifts_a_tier_that_asks_but_never_one_that_blocks() -> None:
    granted = replace(given.make_snapshot(), grants=GrantSet([granted_rule(user="ana", agent="clerk")]))
    asks, blocks = (
        replace(granted, tiers={("clerk", "mail.send"): TierSetting(tier)})
        for tier in (Tier.NEEDS_APPROVAL, Tier.BLOCKED)
    )

    assert given.decide_call(MAIL_TO_ANA, asks).stage is Stage.GRANT
    assert given.decide_call(MAIL_TO_ANA, blocks).stage is Stage.BLOCKED


def test_an_added_grant_applies_in_a_known_and_in_a_new_scope() -> None:
    first = GrantSet([granted_rule("wiki.*", conversation="c1")])
    more = first.with_grant(granted_rule("mail.send(to=bob)", conversation="c1")).with_grant(
        granted_rule(user="ana")
    )

    assert len(first.rule_sets_for_call(MAIL_TO_ANA)) == 1
    assert len(more.rule_sets_for_call(MAIL_TO_ANA)) == 2
    assert given.decide_call(MAIL_TO_ANA, replace(given.make_snapshot(), grants=first)).verdict is Verdict.ASK
    assert given.decide_call(MAIL_TO_ANA, replace(given.make_snapshot(), grants=more)).verdict is Verdict.RUN
    assert NO_GRANTS.rule_sets_for_call(MAIL_TO_ANA) == ()


@pytest.mark.proves("R000-20", "R002-20")
def test_a_grant_on_a_tool_covers_it_with_any_arguments_and_no_other_tool() -> None:
    snapshot = replace(given.make_snapshot(), grants=GrantSet([granted_rule()]))

    assert given.decide_call(given.mail_call(to="somebody else"), snapshot).verdict is Verdict.RUN
    assert given.decide_call(given.shell_call("make"), snapshot).verdict is Verdict.ASK


@pytest.mark.proves("R004-14")
def test_after_the_grant_is_removed_the_call_asks_again() -> None:
    tiers = {("clerk", "mail.send"): TierSetting(Tier.NEEDS_APPROVAL)}
    granted = replace(given.make_snapshot(tiers=tiers), grants=GrantSet([granted_rule()]))

    assert given.decide_call(MAIL_TO_ANA, granted).verdict is Verdict.RUN
    assert given.decide_call(MAIL_TO_ANA, replace(granted, grants=NO_GRANTS)).stage is Stage.TIER


MAIL = Call(tool="mail.send", args={}, agent="clerk")
LOOK_UP = Call(tool="wiki.look_up", args={}, agent="clerk")


@pytest.mark.parametrize(
    ("tool", "tier"),
    [
        ("create_invoice", Tier.NEEDS_APPROVAL),
        ("update_invoice", Tier.NEEDS_APPROVAL),
        ("delete_invoice", Tier.NEEDS_APPROVAL),
        ("mcp__github__list_issues", Tier.NEEDS_APPROVAL),
        ("list_invoices", Tier.ALWAYS_ALLOW),
        ("search_invoices", Tier.ALWAYS_ALLOW),
        ("send_mail", Tier.ALWAYS_ALLOW),
        ("Create_invoice", Tier.ALWAYS_ALLOW),
        ("recreate_invoice", Tier.ALWAYS_ALLOW),
    ],
)
@pytest.mark.proves("R004-6", "R004-7")
def test_a_tool_starts_with_the_tier_its_name_suggests(tool: str, tier: Tier) -> None:
    assert default_tier(tool) is tier


@pytest.mark.parametrize("tier", Tier)
@pytest.mark.proves("R004-1")
def test_a_tier_is_parsed_from_its_name(tier: Tier) -> None:
    assert parse_tier(tier.value) is tier


@pytest.mark.parametrize("word", ["allow", "", None, 1])
@pytest.mark.proves("R004-1")
def test_any_other_tier_name_is_an_error(word: object) -> None:
    with pytest.raises(UnknownWordError, match="expected one of always_allow, needs_approval, blocked"):
        parse_tier(word)


def decide_with_tier(
    tier: Tier, call: Call = MAIL, *, explicit: bool = True, **more: object
) -> tuple[Verdict, Stage]:
    assigned = {("clerk", call.tool): TierSetting(tier, explicit)}
    decision = given.decide_call(call, given.make_snapshot(tiers=assigned, **more))
    return decision.verdict, decision.stage


@pytest.mark.proves("R004-2")
def test_always_allow_runs_at_once() -> None:
    assert decide_with_tier(Tier.ALWAYS_ALLOW) == (Verdict.RUN, Stage.TIER)


@pytest.mark.parametrize("mode", [Mode.DEFAULT, Mode.AUTO, None])
@pytest.mark.proves("R004-3")
def test_needs_approval_asks_in_any_mode_and_before_reads_too(mode: Mode | None) -> None:
    assert decide_with_tier(Tier.NEEDS_APPROVAL, mode=mode) == (Verdict.ASK, Stage.TIER)
    assert decide_with_tier(Tier.NEEDS_APPROVAL, LOOK_UP, mode=mode) == (Verdict.ASK, Stage.TIER)


@pytest.mark.proves("R004-3")
def test_an_allow_rule_does_not_lift_needs_approval() -> None:
    assert decide_with_tier(Tier.NEEDS_APPROVAL, allow=["mail.send"]) == (Verdict.ASK, Stage.TIER)


@pytest.mark.proves("R004-4", "R004-5")
def test_a_blocked_tool_is_absent() -> None:
    assert decide_with_tier(Tier.BLOCKED, mode=Mode.AUTO) == (Verdict.ABSENT, Stage.BLOCKED)
    assert decide_with_tier(Tier.BLOCKED, LOOK_UP) == (Verdict.ABSENT, Stage.BLOCKED)


@pytest.mark.proves("R004-6", "R004-8")
def test_a_tier_from_the_tool_name_applies_only_without_a_mode() -> None:
    asks, runs = Tier.NEEDS_APPROVAL, Tier.ALWAYS_ALLOW

    assert decide_with_tier(asks, explicit=False, mode=None, fallback=Verdict.RUN) == (
        Verdict.ASK,
        Stage.TIER,
    )
    assert decide_with_tier(runs, explicit=False, mode=None) == (Verdict.RUN, Stage.TIER)
    assert decide_with_tier(asks, explicit=False, mode=Mode.AUTO) == (Verdict.RUN, Stage.MODE)
    assert decide_with_tier(runs, explicit=False, mode=Mode.DEFAULT) == (Verdict.ASK, Stage.MODE)


@pytest.mark.proves("R004-13")
def test_without_a_mode_and_a_tier_the_fallback_decides() -> None:
    run = given.make_snapshot(mode=None, fallback=Verdict.RUN)

    assert given.decide_call(MAIL, run).stage is Stage.FALLBACK
    assert given.decide_call(MAIL, run).verdict is Verdict.RUN
    assert given.decide_call(MAIL, given.make_snapshot(mode=None)).verdict is Verdict.ASK


@pytest.mark.proves("R004-1", "R004-11")
def test_a_tier_applies_to_one_agent_and_one_tool() -> None:
    snapshot = given.make_snapshot(
        tiers={("other", "mail.send"): TierSetting(Tier.BLOCKED), ("clerk", "x"): TierSetting(Tier.BLOCKED)}
    )

    assert given.decide_call(MAIL, snapshot).verdict is Verdict.ASK


@pytest.mark.supports("R004-1")
def test_a_policy_that_names_its_agent_needs_no_name_in_the_call() -> None:
    snapshot = given.make_snapshot(agent="clerk", tiers={("clerk", "mail.send"): TierSetting(Tier.BLOCKED)})

    assert given.decide_call(Call(tool="mail.send", args={}), snapshot).verdict is Verdict.ABSENT


def test_a_name_never_makes_a_tool_destructive() -> None:
    tool = Tool(name="delete_everything")

    assert (
        given.decide_call(Call(tool=tool.name, args={}), given.make_snapshot(tool, mode=Mode.AUTO)).verdict
        is Verdict.RUN
    )
