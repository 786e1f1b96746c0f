"""Each floor: when it applies, and the reason that it gives."""

from dataclasses import replace

import pytest

from assent.engine.base.tool import Call, Effect, Tool
from assent.engine.policy.modes import Mode
from assent.engine.policy.rule import Layer, parse_rule
from assent.engine.policy.rule_set import RuleSet
from assent.engine.policy.snapshot import PolicyOptions
from assent.engine.policy.tiers import Tier, TierSetting
from assent.engine.policy.verdict import Decision, Stage, Verdict
from tests.engine import given

LINE = given.run("frobnicate all")


def stages_of(decision: Decision) -> list[Stage]:
    return [step.stage for step in decision.steps]


@pytest.mark.proves("R003-42")
def test_a_deny_rule_hits_any_part() -> None:
    decision = given.decided(
        given.run("ls; a; rm x"), given.policy(deny=["terminal.exec(rm *)"], mode=Mode.AUTO)
    )

    assert (decision.verdict, decision.stage, decision.part) == (Verdict.DENY, Stage.DENY_RULE, "rm x")


@pytest.mark.proves("R003-42")
def test_an_ask_rule_hits_any_part() -> None:
    decision = given.decided(
        given.run("ls; a; rm x"), given.policy(ask=["terminal.exec(rm *)"], mode=Mode.AUTO)
    )

    assert (decision.verdict, decision.stage, decision.part) == (Verdict.ASK, Stage.ASK_RULE, "rm x")


@pytest.mark.proves("R003-2")
def test_deny_and_ask_rules_bind_tools_that_only_read() -> None:
    call = given.on_path(given.READ_FILE, ".env")

    assert given.decided(call, given.policy(deny=["files.read(/.env)"])).verdict is Verdict.DENY
    assert given.decided(call, given.policy(ask=["files.read(/.env)"])).stage is Stage.ASK_RULE


@pytest.mark.proves("R003-2")
def test_a_switch_lets_tools_declared_to_read_pass_the_rules() -> None:
    bypass = PolicyOptions(reads_bypass_rules=True)
    read, line = given.on_path(given.READ_FILE, "a"), given.run("cat a")
    rules = {"deny": ["files.read(/a)", "terminal.exec(cat *)"], "ask": ["files.*"]}

    assert given.decided(read, given.policy(**rules, options=bypass)).verdict is Verdict.RUN
    assert given.decided(line, given.policy(**rules, options=bypass)).verdict is Verdict.DENY


def test_a_rule_says_where_it_comes_from_and_why() -> None:
    rule = parse_rule(
        "mail.send", layer=Layer.PROJECT, source="assent.toml, line 3", why="nobody writes letters"
    )
    plain = parse_rule("mail.send", layer=Layer.MANAGED)

    said = given.decided(given.mail(), replace(given.policy(), rules=RuleSet(deny=[rule]))).because
    plainly = given.decided(given.mail(), replace(given.policy(), rules=RuleSet(ask=[plain]))).because

    assert said == "deny rule `mail.send` (assent.toml, line 3): nobody writes letters"
    assert plainly == "ask rule `mail.send` (managed layer)"


@pytest.mark.parametrize("effect", [one for one in Effect if one is not Effect.READ])
@pytest.mark.proves("R003-31", "R000-3", "R000-41")
def test_plan_only_reads(effect: Effect) -> None:
    tool = Tool(name="t", effect=effect)
    snapshot = given.policy(
        tool, mode=Mode.PLAN, allow=["t"], grants=["t"], tiers={("", "t"): TierSetting(Tier.ALWAYS_ALLOW)}
    )

    decision = given.decided(Call(tool="t", args={}), snapshot)

    assert (decision.verdict, decision.stage) == (Verdict.DENY, Stage.PLAN)
    assert decision.because == "plan mode only reads"


@pytest.mark.proves("R003-31", "R003-34")
def test_in_plan_neither_a_breaker_nor_an_ask_rule_asks() -> None:
    snapshot = given.policy(mode=Mode.PLAN, ask=["terminal.exec"])

    assert given.decided(given.run("rm -rf /"), snapshot).verdict is Verdict.DENY


def test_a_changed_definition_asks_again() -> None:
    snapshot = given.policy(changed_tools=frozenset({"mail.send"}), allow=["*"], mode=Mode.AUTO)

    decision = given.decided(given.mail(), snapshot)

    assert (decision.verdict, decision.stage, decision.always_offered) == (Verdict.ASK, Stage.CHANGED, False)
    assert given.decided(LINE, snapshot).verdict is Verdict.RUN


@pytest.mark.parametrize(
    ("more", "stage"),
    [
        ({}, Stage.OUTSIDE),
        ({"allow": ["files.read"]}, Stage.OUTSIDE),
        ({"allow": ["files.read(//srv/**)"]}, Stage.READ),
        ({"grants": ["files.read"]}, Stage.READ),
        ({"grants": ["files.read(//srv/x)"]}, Stage.READ),
        ({"mode": Mode.AUTO}, Stage.OUTSIDE),
        ({"mode": None, "fallback": Verdict.RUN}, Stage.OUTSIDE),
    ],
    ids=str,
)
@pytest.mark.proves("D-6")
def test_reading_outside_is_lifted_by_a_grant_or_a_scoped_rule_only(
    more: dict[str, object], stage: Stage
) -> None:
    assert given.decided(given.on_path(given.READ_FILE, "/srv/x"), given.policy(**more)).stage is stage


@pytest.mark.proves("D-6")
def test_each_path_outside_needs_its_own_rule() -> None:
    snapshot = given.policy(allow=["terminal.exec(cat /srv/a)"])

    assert given.decided(given.run("cat /srv/a"), snapshot).verdict is Verdict.RUN
    assert given.decided(given.run("cat /srv/a; cat /srv/b"), snapshot).part == "cat /srv/b"


def test_a_path_nobody_knows_is_said_to_be_that() -> None:
    decision = given.decided(given.on_path(given.READ_FILE, None), given.policy())

    assert "a path that is not known yet" in decision.because


@pytest.mark.proves("T-31")
def test_a_child_may_read_outside_only_where_its_parent_may() -> None:
    rules = ["files.read(//srv/**)"]
    call = given.on_path(given.READ_FILE, "/srv/x")

    assert given.decided(call, given.policy(allow=rules, parent=given.policy())).stage is Stage.OUTSIDE
    assert (
        given.decided(call, given.policy(allow=rules, parent=given.policy(allow=rules))).stage is Stage.READ
    )


@pytest.mark.proves("D-5")
def test_file_rules_hit_what_any_part_reads_or_writes() -> None:
    rules = given.policy(deny=["files.read(/a)", "files.save(/b)"], mode=Mode.AUTO)

    assert given.decided(given.run("ls; cat a"), rules).part == "cat a"
    assert given.decided(given.run("ls; cp x b"), rules).part == "cp x b"
    assert given.decided(given.run("frob > b"), rules).verdict is Verdict.DENY
    assert given.decided(given.run("cat b; cp x a"), rules).verdict is Verdict.RUN


def test_file_rules_speak_once_of_a_file_that_several_parts_read_and_write() -> None:
    policy = given.policy(deny=["files.read(/other)", "files.save(/b)"], mode=Mode.AUTO)
    decision = given.decided(given.run("cat a; head a; touch c; truncate -s 0 c; touch b"), policy)

    assert (decision.stage, decision.rule, decision.part) == (Stage.DENY_RULE, "files.save(/b)", "touch b")


def test_a_file_that_nobody_knows_could_be_a_denied_one() -> None:
    rules = given.policy(deny=["files.save(/b)"], mode=Mode.AUTO)

    assert given.decided(given.run("cp x $Y"), rules).stage is Stage.UNRESOLVED
    assert given.decided(given.run("cp x $Y; cp x b"), rules).stage is Stage.DENY_RULE


@pytest.mark.proves("T-31", "R004-3")
def test_a_parents_tier_asks_for_its_child_too() -> None:
    asks = {("clerk", "mail.send"): TierSetting(Tier.NEEDS_APPROVAL)}
    by_name = {("clerk", "mail.send"): TierSetting(Tier.NEEDS_APPROVAL, explicit=False)}
    call = replace(given.mail(), agent="clerk")

    assert (
        given.decided(call, given.policy(mode=Mode.AUTO, parent=given.policy(tiers=asks))).stage is Stage.TIER
    )
    assert (
        given.decided(call, given.policy(mode=Mode.AUTO, parent=given.policy(mode=None, tiers=by_name))).stage
        is Stage.TIER
    )


def test_a_grant_lifts_a_tier() -> None:
    asks = {("clerk", "mail.send"): TierSetting(Tier.NEEDS_APPROVAL)}
    call = replace(given.mail(), agent="clerk")

    assert given.decided(call, given.policy(tiers=asks, grants=["mail.send"])).verdict is Verdict.RUN


@pytest.mark.proves("T-31")
@pytest.mark.parametrize("mode", [None, Mode.PLAN, Mode.DEFAULT, Mode.AUTO])
def test_a_parents_mode_does_not_loosen_a_tier_by_pattern(mode: Mode | None) -> None:
    by_name = {("clerk", "wiki.look_up"): TierSetting(Tier.NEEDS_APPROVAL, explicit=False)}
    call = Call(tool="wiki.look_up", args={}, agent="clerk")

    decision = given.decided(call, given.policy(mode=None, tiers=by_name, parent=given.policy(mode=mode)))

    assert (decision.verdict, decision.stage) == (Verdict.ASK, Stage.TIER)


@pytest.mark.proves("D-6")
@pytest.mark.parametrize("effect", [Effect.READ, Effect.EDIT, Effect.WRITE, Effect.EXTERNAL])
def test_a_reader_that_policy_raised_still_asks_outside(effect: Effect) -> None:
    raised = replace(given.READ_FILE, effect=effect, reads=True)
    snapshot = given.policy(raised, mode=Mode.AUTO)

    assert given.decided(given.on_path(raised, "/etc/shadow"), snapshot).stage is Stage.OUTSIDE


@pytest.mark.proves("D-5")
def test_the_path_rules_of_a_reader_that_policy_raised_still_bind_what_a_command_reads() -> None:
    raised = replace(given.READ_FILE, effect=Effect.WRITE, reads=True)
    snapshot = given.policy(raised, given.SHELL, deny=["files.read(/secret/**)"])

    assert given.decided(given.run("cat secret/a"), snapshot).stage is Stage.DENY_RULE


def test_every_floor_that_speaks_is_among_the_steps() -> None:
    snapshot = given.policy(
        deny=["terminal.exec(rm *)"],
        ask=["terminal.exec"],
        mode=Mode.PLAN,
        changed_tools=frozenset({"terminal.exec"}),
    )

    found = given.decided(given.run("rm -rf / $X; $Y > .git/config"), snapshot)

    assert set(stages_of(found)) >= {
        Stage.DENY_RULE,
        Stage.PLAN,
        Stage.BREAKER,
        Stage.PROTECTED_PATH,
        Stage.ASK_RULE,
        Stage.UNREADABLE,
        Stage.CHANGED,
    }


def test_a_rule_about_the_command_is_named_before_one_about_its_files() -> None:
    snapshot = given.policy(deny=["files.read(/secrets/**)", "terminal.exec(cat *)"])

    assert given.decided(given.run("cat secrets/key"), snapshot).rule == "terminal.exec(cat *)"


@pytest.mark.parametrize("line", ["grep -r x secrets", "cp -r secrets elsewhere", "tar cf out.tar secrets"])
@pytest.mark.proves("T-24")
def test_a_command_that_takes_a_whole_directory_takes_what_is_denied_in_it(line: str) -> None:
    decision = given.decided(given.run(line), given.policy(deny=["files.read(/secrets/**)"], mode=Mode.AUTO))

    assert (decision.verdict, decision.rule) == (Verdict.DENY, "files.read(/secrets/**)")


def test_a_question_about_a_read_outside_names_the_path() -> None:
    known = given.decided(given.run("cat /data/a"), given.policy())
    unknown = given.decided(given.run("cat $X"), given.policy())

    assert known.because == "it reads `/data/a`, which is outside the workspace or holds secrets"
    assert (
        unknown.because
        == "it reads `a path that is not known yet`, which is outside the workspace or holds secrets"
    )


def test_what_a_command_is_fed_needs_a_rule_only_if_it_may_not_be_read_anyway() -> None:
    snapshot = given.policy(allow=["terminal.exec(grep *)"])

    assert given.decided(given.run("grep x /data/a < notes.txt"), snapshot).verdict is Verdict.RUN
    assert given.decided(given.run("grep x /data/a < /data/b"), snapshot).stage is Stage.OUTSIDE


@pytest.mark.parametrize("mode", [Mode.DEFAULT, Mode.ACCEPT_EDITS, Mode.AUTO, None])
def test_a_pause_asks_about_all_but_reads_whatever_allows_them(mode: Mode | None) -> None:
    snapshot = given.policy(paused_by="ada", allow=["*"], grants=["*"], mode=mode, fallback=Verdict.RUN)

    mailed = given.decided(given.mail(to="ana"), snapshot)
    read = given.decided(given.run("ls"), snapshot)

    assert (mailed.verdict, mailed.stage, mailed.always_offered) == (Verdict.ASK, Stage.PAUSED, False)
    assert mailed.because == "ada paused all agents: only reads continue"
    assert read.verdict is Verdict.RUN


ALWAYS = {("clerk", "mail.send"): TierSetting(Tier.ALWAYS_ALLOW)}
MAIL = replace(given.mail(to="ana"), agent="clerk")


@pytest.mark.parametrize(
    ("more", "verdict", "stage", "because"),
    [
        ({}, Verdict.ASK, Stage.MODE, "default mode asks before calling external tools"),
        ({"mode": Mode.AUTO}, Verdict.RUN, Stage.MODE, "auto mode allows calling external tools"),
        (
            {"mode": None},
            Verdict.ASK,
            Stage.FALLBACK,
            "this agent has no mode, and its preset asks by default",
        ),
        (
            {"mode": None, "fallback": Verdict.RUN},
            Verdict.RUN,
            Stage.FALLBACK,
            "this agent has no mode, and its preset allows calls by default",
        ),
        ({"allow": ["mail.send"]}, Verdict.RUN, Stage.ALLOW_RULE, "allow rule `mail.send`"),
        ({"grants": ["mail.*"]}, Verdict.RUN, Stage.GRANT, "granted before: `mail.*`"),
        ({"tiers": ALWAYS}, Verdict.RUN, Stage.TIER, "`mail.send` is always allowed for this agent"),
    ],
    ids=str,
)
def test_each_ease_says_what_it_is(
    more: dict[str, object], verdict: Verdict, stage: Stage, because: str
) -> None:
    decision = given.decided(MAIL, given.policy(**more))

    assert (decision.verdict, decision.stage, decision.because) == (verdict, stage, because)


def test_among_eases_the_first_of_the_table_decides() -> None:
    everything = given.policy(tiers=ALWAYS, grants=["mail.send"], allow=["mail.send"], mode=Mode.AUTO)

    decision = given.decided(MAIL, everything)

    assert decision.stage is Stage.TIER
    assert [step.stage for step in decision.steps] == [Stage.TIER, Stage.GRANT, Stage.ALLOW_RULE, Stage.MODE]


def test_an_ease_that_only_asks_is_silent_when_another_runs() -> None:
    decision = given.decided(MAIL, given.policy(allow=["mail.send"]))

    assert [step.stage for step in decision.steps] == [Stage.ALLOW_RULE]


@pytest.mark.parametrize("mode", [*Mode, None])
@pytest.mark.proves("R000-2", "R001-3")
@pytest.mark.supports("R003-1")
def test_a_read_runs_in_every_mode_and_without_one(mode: Mode | None) -> None:
    call = given.on_path(given.READ_FILE, "a")

    assert given.decided(call, given.policy(mode=mode)).stage is Stage.READ


@pytest.mark.proves("T-32", "D-8")
def test_the_question_about_a_repository_says_what_trust_would_change() -> None:
    call = given.run("git status")

    assert given.decided(call, given.policy(), trusted=False).because.endswith(
        "in a trusted repository it would count as reading"
    )
    assert "trusted" not in given.decided(given.run("frob"), given.policy(), trusted=False).because


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("git status | wc -l", True),
        ("cd src && git log -3", True),
        ("git status && make", False),
        ("git push", False),
        ("cd /tmp && git status", False),
    ],
)
@pytest.mark.proves("D-8")
def test_trust_is_offered_only_where_it_would_spare_the_question(line: str, told: bool) -> None:
    untrusted = given.decided(given.run(line), given.policy(), trusted=False)
    trusted = given.decided(given.run(line), given.policy(), trusted=True)

    assert untrusted.verdict is Verdict.ASK
    assert ("in a trusted repository" in untrusted.because) is told
    assert (trusted.verdict is Verdict.RUN) is told


def test_trust_is_not_offered_for_what_asks_anyway() -> None:
    shell = replace(given.SHELL, effect=Effect.DESTRUCTIVE)

    decision = given.decided(given.run("git status"), given.policy(shell), trusted=False)

    assert not any("trusted" in step.reason for step in decision.steps)
