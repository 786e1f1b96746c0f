"""The laws of decisions, over every combination if they are few, and over random combinations otherwise."""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from assent.engine.base.reason import ReasonCode
from assent.engine.base.tool import Call, Dialect, Effect, Tool
from assent.engine.decide import decide, visible_tools
from assent.engine.policy.modes import Mode
from assent.engine.policy.rule import Rule, RuleList, parse_rule
from assent.engine.policy.rule_set import RuleSet
from assent.engine.policy.snapshot import GrantedRule, PolicyOptions, Snapshot, Tier, TierSetting
from assent.engine.policy.verdict import Decision, Stage, Verdict
from tests.conftest import IS_DEEP_RUN
from tests.engine import given
from tests.engine.random_cases import RandomCase, random_case
from tests.engine.samples import SAMPLES

CASES = 100_000 if IS_DEEP_RUN else 2_500

TIERS = (None, *(TierSetting(tier, explicit) for tier in Tier for explicit in (True, False)))
RULES = tuple(
    parse_rule(text)
    for text in dict.fromkeys(
        text
        for sample in SAMPLES
        for text in (
            *sample.rules_for_whole_tool,
            *sample.hits,
            *sample.perhaps,
            *sample.misses,
            *sample.strangers,
        )
    )
)


# ---- nothing lets a destructive call run unasked -------------------------------------------------

DESTROYERS = {
    Dialect.TEXT: {"table": "users"},
    Dialect.PATH: {"path": "src/a.py"},
    Dialect.SHELL: {"command": "ls src"},
}


@pytest.mark.parametrize("dialect", DESTROYERS)
@pytest.mark.parametrize("mode", [*Mode, None])
@pytest.mark.proves("T-26", "R001-6", "R001-8", "R001-38")
def test_a_destructive_call_never_runs_without_asking(mode: Mode | None, dialect: Dialect) -> None:
    tool = Tool(name="db.drop", effect=Effect.DESTRUCTIVE, dialect=dialect)
    call = Call(tool=tool.name, args=DESTROYERS[dialect], agent="clerk")
    facts = given.make_facts(call, given.make_snapshot(tool))
    decisions = (decide(call, snapshot, facts) for snapshot in _all_snapshots_without_deny_rules(tool, mode))
    running = [decision for decision in decisions if decision.verdict is Verdict.RUN]

    assert running == []


def _all_snapshots_without_deny_rules(tool: Tool, mode: Mode | None) -> Iterator[Snapshot]:
    """All policies about a tool without deny rules."""
    patterns = ((), ("*",), (tool.name,))
    for tier, allow, grants, ask, fallback, attended, bypass, parent in itertools.product(
        TIERS,
        patterns,
        patterns,
        ((), (tool.name,)),
        (Verdict.RUN, Verdict.ASK),
        (True, False),
        (True, False),
        (None, Mode.AUTO),
    ):
        yield given.make_snapshot(
            tool,
            ask=ask,
            allow=allow,
            grants=grants,
            mode=mode,
            tiers={} if tier is None else {("clerk", tool.name): tier},
            fallback=fallback,
            attended=attended,
            options=PolicyOptions(reads_bypass_rules=bypass),
            parent=None if parent is None else given.make_snapshot(tool, allow=("*",), mode=parent),
        )


# ---- nothing lifts a locked floor -----------------------------------------------------------------

LOCKED_CASES: dict[Stage, tuple[Call, Snapshot]] = {
    Stage.BREAKER: (given.shell_call("rm -rf /"), given.make_snapshot()),
    Stage.PROTECTED_PATH: (given.file_call(given.SAVE_FILE, ".git/config"), given.make_snapshot()),
    Stage.ASK_RULE: (given.mail_call(to="ana"), given.make_snapshot(ask=["mail.*"])),
    Stage.DESTRUCTIVE: (Call(tool="db.drop", args={}), given.make_snapshot()),
    Stage.UNREADABLE: (given.shell_call("$(cat plan)"), given.make_snapshot()),
    Stage.UNRESOLVED: (
        given.shell_call("frobnicate $X"),
        given.make_snapshot(ask=["terminal.exec(frobnicate --force)"]),
    ),
    Stage.CHANGED: (given.mail_call(to="ana"), given.make_snapshot(changed_tools=frozenset({"mail.send"}))),
}


def test_every_locked_stage_has_an_example() -> None:
    assert LOCKED_CASES.keys() == {stage for stage in Stage if stage.is_locked}


@pytest.mark.parametrize("stage", LOCKED_CASES)
@pytest.mark.proves("R001-8", "R003-22", "R003-33", "R003-34", "R004-12", "T-25")
def test_no_mode_tier_grant_or_rule_lifts_a_locked_floor(stage: Stage) -> None:
    call, locked = LOCKED_CASES[stage]
    call = replace(call, agent="clerk")
    facts = given.make_facts(call, locked)
    for mode, tier, allow, grants in itertools.product(
        [*Mode, None], TIERS, ((), ("*",), (call.tool,)), ((), ("*",), (call.tool,))
    ):
        eased = given.make_snapshot(allow=allow, grants=grants)
        snapshot = replace(
            locked,
            mode=mode,
            fallback=Verdict.RUN,
            tiers={} if tier is None else {("clerk", call.tool): tier},
            rules=RuleSet(ask=locked.rules.lists[RuleList.ASK], allow=eased.rules.lists[RuleList.ALLOW]),
            grants=eased.grants,
        )
        decision = decide(call, snapshot, facts)

        assert decision.verdict is not Verdict.RUN
        assert not decision.always_offered


# ---- adding to a policy ---------------------------------------------------------------------------


@pytest.mark.proves("R003-21", "R003-42")
def test_adding_a_deny_or_an_ask_rule_never_loosens() -> None:
    random = Random(1)
    for _ in range(CASES):
        one = random_case(random)
        which = random.choice((RuleList.DENY, RuleList.ASK))
        stricter = replace(
            one.snapshot, rules=_with_added_rule(one.snapshot.rules, which, random.choice(RULES))
        )

        assert _is_as_strict(one, one.snapshot, stricter)


@pytest.mark.proves("R001-8", "R003-21", "R003-22", "R003-34", "R003-35", "R004-12")
def test_adding_an_allow_rule_or_a_grant_never_changes_a_locked_verdict() -> None:
    random = Random(2)
    locked = 0
    for _ in range(CASES):
        one = random_case(random)
        before = decide(one.sample.call, one.snapshot, one.facts)
        rule = random.choice(RULES)
        looser = replace(
            one.snapshot,
            rules=one.snapshot.rules.with_allow_rule(rule),
            grants=one.snapshot.grants.with_grant(GrantedRule(rule=rule)),
        )
        if _is_locked(before):
            locked += 1

            assert _verdict_of_case(one, looser) is before.verdict, (
                f"{one.sample.name}: {before.stage} lifted by {rule.text}"
            )

    assert locked > CASES // 4


@pytest.mark.proves("R003-21")
def test_adding_an_allow_rule_or_a_grant_never_makes_it_stricter() -> None:
    random = Random(3)
    for _ in range(CASES):
        one = random_case(random)
        rule = random.choice(RULES)
        allowed = replace(one.snapshot, rules=one.snapshot.rules.with_allow_rule(rule))
        granted = replace(one.snapshot, grants=one.snapshot.grants.with_grant(GrantedRule(rule=rule)))

        assert _is_as_strict(one, allowed, one.snapshot)
        assert _is_as_strict(one, granted, one.snapshot)


STRICTER_CHANGES = {
    "a pause": lambda policy, tool: replace(policy, paused_by="ada"),
    "a changed definition": lambda policy, tool: replace(policy, changed_tools=policy.changed_tools | {tool}),
    "a right that is missing": lambda policy, tool: replace(
        policy, unauthorized_tools=policy.unauthorized_tools | {tool}
    ),
    "a breaker": lambda policy, tool: replace(policy, breakers=(*policy.breakers, lambda part, facts: "no")),
    "a block": lambda policy, tool: replace(
        policy, tiers={**policy.tiers, ("clerk", tool): TierSetting(Tier.BLOCKED)}
    ),
    "a tier that asks": lambda policy, tool: (
        replace(policy, tiers={**policy.tiers, ("clerk", tool): TierSetting(Tier.NEEDS_APPROVAL)})
        if policy.tier_of(Call(tool=tool, args={}, agent="clerk")) is None
        else policy
    ),
    "a parent": lambda policy, tool: replace(policy, parent=replace(policy, mode=Mode.PLAN)),
    "nobody to ask": lambda policy, tool: replace(policy, attended=False),
    "no such tool": lambda policy, tool: replace(policy, tools={}),
}


@pytest.mark.parametrize("tighter", STRICTER_CHANGES)
@pytest.mark.proves("R001-41", "R004-49")
def test_adding_a_floor_never_loosens(tighter: str) -> None:
    random = Random(tighter)
    for _ in range(CASES // len(STRICTER_CHANGES)):
        one = random_case(random)
        stricter = STRICTER_CHANGES[tighter](one.snapshot, one.sample.tool)

        assert _is_as_strict(one, one.snapshot, stricter)


# ---- blocked, explained, and never failing open -----------------------------------------------------


@pytest.mark.parametrize("mode", [*Mode, None])
@pytest.mark.proves("R004-4", "R004-5", "R004-12")
def test_a_blocked_tool_is_neither_seen_nor_run(mode: Mode | None) -> None:
    blocked = given.make_snapshot(
        tiers={("clerk", "mail.send"): TierSetting(Tier.BLOCKED)}, allow=["*"], grants=["*"], mode=mode
    )
    call = replace(given.mail_call(to="ana"), agent="clerk")

    assert given.decide_call(call, blocked).verdict is Verdict.ABSENT
    assert "mail.send" not in [tool.name for tool in visible_tools(blocked, "clerk")]
    assert "mail.send" in [tool.name for tool in visible_tools(blocked, "other")]


def test_a_decision_names_its_stage_and_its_reason() -> None:
    random = Random(4)
    for _ in range(CASES):
        one = random_case(random)
        decision = decide(one.sample.call, one.snapshot, one.facts)

        assert _steps_explain_verdict(decision, one.snapshot), decision


def _steps_explain_verdict(decision: Decision, snapshot: Snapshot) -> bool:
    deciding = [
        step for step in decision.steps if step.stage is decision.stage and step.verdict is decision.verdict
    ]
    if not deciding or deciding[0].reason != decision.reason or deciding[0].rule != decision.rule:
        return False
    match decision.stage:
        case Stage.DENY_RULE | Stage.ASK_RULE | Stage.UNRESOLVED | Stage.GRANT | Stage.ALLOW_RULE:
            return decision.rule is not None and decision.rule in decision.because
        case Stage.MODE if decision.verdict is Verdict.RUN:
            return str(snapshot.narrowest_mode) in decision.because
        case Stage.MODE | Stage.FALLBACK if decision.verdict is Verdict.ASK:
            # A question names what the call would do, and not only the setting that asks.
            return decision.reason.code not in (ReasonCode.MODE_ASKS, ReasonCode.PRESET_ASKS)
        case _:
            return bool(decision.because)


# ---- sub-agents ---------------------------------------------------------------------------------------


@pytest.mark.proves("T-31", "R000-43")
def test_a_child_is_bound_by_every_absence_and_floor_of_its_parent() -> None:
    random = Random(5)
    for _ in range(CASES):
        one = random_case(random)
        child = replace(
            random_case(random).snapshot,
            tools=one.snapshot.tools,
            attended=one.snapshot.attended,
            parent=None,
        )
        parent = replace(one.snapshot, grants=child.grants)
        # Whatever can ease a call eases the parent's, so that only its absences and floors are left.
        bound = replace(parent, rules=parent.rules.with_allow_rule(parse_rule("*")))

        assert _is_as_strict(one, bound, replace(child, parent=parent))


@pytest.mark.proves("T-31", "R000-43")
def test_a_child_with_a_mode_never_gains_from_having_a_parent() -> None:
    random = Random(6)
    for _ in range(CASES):
        one = random_case(random)
        child = replace(
            random_case(random).snapshot,
            tools=one.snapshot.tools,
            parent=None,
            mode=random.choice(list(Mode)),
        )
        with_parent = replace(child, parent=one.snapshot)

        assert _is_as_strict(one, child, with_parent)


@pytest.mark.proves("T-31", "R000-43")
def test_a_child_with_no_eases_of_its_own_can_do_no_more_than_its_parent() -> None:
    random = Random(7)
    for _ in range(CASES):
        one = random_case(random)
        parent = one.snapshot
        if parent.narrowest_mode is None:
            continue
        mode = random.choice((*Mode, None))
        child = replace(parent, parent=parent, mode=mode, tiers={}, rules=RuleSet())

        assert _is_as_strict(one, parent, child)


# ---- helpers ------------------------------------------------------------------------------------------


def _verdict_of_case(one: RandomCase, snapshot: Snapshot) -> Verdict:
    return decide(one.sample.call, snapshot, one.facts).verdict


def _is_as_strict(one: RandomCase, looser: Snapshot, stricter: Snapshot) -> bool:
    """Whether the second policy is at least as strict for a call as the first."""
    before, after = (decide(one.sample.call, policy, one.facts) for policy in (looser, stricter))
    if after.verdict >= before.verdict:
        return True
    print(f"{one.sample.name}: {before.verdict.word}, {before.because}")
    print(f"but only {after.verdict.word}, {after.because}, under {stricter}")
    return False


def _with_added_rule(rules: RuleSet, which: RuleList, rule: Rule) -> RuleSet:
    return RuleSet(*((*rules.lists[kind], rule) if kind is which else rules.lists[kind] for kind in RuleList))


def _is_locked(decision: Decision) -> bool:
    if decision.is_locked:
        return True
    return decision.verdict >= Verdict.DENY and decision.stage is not Stage.UNATTENDED
