"""The function that decides: each floor and ease, which step wins, when "always" is offered, and its paths."""

import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from assent.engine.base.facts import Facts
from assent.engine.base.tool import UNREVIEWED_PAGE, Call, Effect, Tool
from assent.engine.decide import (
    decide,
    files_to_digest,
    find_absence,
    paths_to_resolve,
    searches_to_make,
    visible_tools,
)
from assent.engine.policy.modes import Mode
from assent.engine.policy.rule import Layer, parse_rule
from assent.engine.policy.rule_set import RuleSet
from assent.engine.policy.snapshot import PolicyOptions, Snapshot, Tier, TierSetting
from assent.engine.policy.verdict import STAGE_ORDER, Decision, Stage, Verdict
from tests.engine import given

WORLD = frozenset({"open", "os", "socket", "subprocess", "sqlite3", "shutil", "ctypes", "import"})


def test_a_decision_contains_its_verdict_and_all_steps() -> None:
    decision = given.decide_call(
        given.shell_call("rm x"), given.make_snapshot(deny=["terminal.exec(rm *)"], ask=["terminal.*"])
    )

    assert (decision.verdict, decision.stage, decision.rule) == (
        Verdict.DENY,
        Stage.DENY_RULE,
        "terminal.exec(rm *)",
    )
    assert [step.stage for step in decision.steps] == [Stage.DENY_RULE, Stage.ASK_RULE, Stage.MODE]
    assert decision.part == "rm x"


@pytest.mark.proves("R001-21")
@pytest.mark.supports("R003-9")
def test_an_undeclared_tool_is_absent_and_does_not_ask() -> None:
    decision = given.decide_call(
        Call(tool="nobody.knows", args={}), given.make_snapshot(allow=["*"], mode=Mode.AUTO)
    )

    assert (decision.verdict, decision.stage) == (Verdict.ABSENT, Stage.UNKNOWN)
    assert decision.because == "there is no tool `nobody.knows`"


@pytest.mark.proves("R001-41", "R004-49", "R000-54")
@pytest.mark.supports("R003-70")
def test_if_no_person_can_be_reached_a_question_becomes_a_denial() -> None:
    decision = given.decide_call(given.mail_call(), given.make_snapshot(attended=False))

    assert (decision.verdict, decision.stage) == (Verdict.DENY, Stage.UNATTENDED)
    assert (
        decision.because == "no person can be reached to approve it:"
        " `mail.send` may send or change data outside this machine"
    )
    assert not decision.always_offered


def test_if_no_person_can_be_reached_other_verdicts_stay_the_same() -> None:
    assert (
        given.decide_call(given.mail_call(), given.make_snapshot(attended=False, mode=Mode.AUTO)).verdict
        is Verdict.RUN
    )
    assert (
        given.decide_call(given.mail_call(), given.make_snapshot(attended=False, deny=["*"])).stage
        is Stage.DENY_RULE
    )


@pytest.mark.parametrize(
    ("more", "offered"),
    [
        ({}, True),
        ({"ask": ["mail.*"]}, False),
        ({"deny": ["mail.*"]}, False),
        ({"allow": ["mail.*"]}, False),
        ({"changed_tools": frozenset({"mail.send"})}, False),
        ({"tiers": {("", "mail.send"): TierSetting(Tier.NEEDS_APPROVAL)}}, True),
        ({"tiers": {("", "mail.send"): TierSetting(Tier.NEEDS_APPROVAL)}, "ask": ["mail.*"]}, False),
        ({"mode": None}, True),
        ({"attended": False}, False),
    ],
    ids=str,
)
@pytest.mark.proves("R003-22")
def test_always_is_offered_only_where_it_would_help(more: dict[str, object], offered: bool) -> None:
    assert given.decide_call(given.mail_call(), given.make_snapshot(**more)).always_offered is offered


def test_the_steps_are_in_the_order_of_the_stages() -> None:
    decision = given.decide_call(
        given.shell_call("$X > .git/config"), given.make_snapshot(ask=["terminal.exec"], mode=Mode.PLAN)
    )

    assert [STAGE_ORDER[step.stage] for step in decision.steps] == sorted(
        STAGE_ORDER[step.stage] for step in decision.steps
    )


class FailingMapping(dict[str, Any]):
    """A mapping that raises an error when it is read."""

    def get(self, key: object, default: object = None) -> Any:
        raise RuntimeError("on purpose")


@pytest.mark.proves("T-23", "R000-53", "R003-66")
def test_a_failure_asks_and_says_what_failed() -> None:
    broken = replace(given.make_snapshot(mode=Mode.AUTO), tools=FailingMapping())

    decision = decide(given.mail_call(), broken, Facts(directories=given.DIRECTORIES))

    assert (decision.verdict, decision.stage, decision.always_offered) == (
        Verdict.ASK,
        Stage.UNREADABLE,
        False,
    )
    assert decision.because == "the call could not be decided (RuntimeError: on purpose)"


@pytest.mark.proves("T-23")
def test_if_no_person_can_be_reached_a_failure_is_a_denial() -> None:
    broken = replace(given.make_snapshot(attended=False), tools=FailingMapping())

    assert decide(given.mail_call(), broken, Facts(directories=given.DIRECTORIES)).verdict is Verdict.DENY


def test_the_paths_to_resolve_are_those_of_the_call() -> None:
    assert paths_to_resolve(given.shell_call("cat a"), given.make_snapshot(), given.DIRECTORIES) == (
        "/project/a",
    )
    assert (
        paths_to_resolve(Call(tool="nobody.knows", args={}), given.make_snapshot(), given.DIRECTORIES) == ()
    )


@pytest.mark.proves("T-23")
def test_an_undecidable_call_has_no_paths_to_resolve() -> None:
    call = Call(tool="files.read", args=FailingMapping(path="a"))
    tool = Tool(name="files.read", effect=Effect.READ, template="{path}", dialect=given.READ_FILE.dialect)

    assert paths_to_resolve(call, given.make_snapshot(tool), given.DIRECTORIES) == ()
    assert searches_to_make(call, given.make_snapshot(tool), given.DIRECTORIES) == ()


@pytest.mark.proves("R004-26")
def test_deciding_opens_no_file_socket_process_or_database() -> None:
    needs_approval = {("", "mail.send"): TierSetting(Tier.NEEDS_APPROVAL)}
    snapshot = given.make_snapshot(tiers=needs_approval, deny=["files.read(/secrets/**)"], mode=Mode.AUTO)
    calls = [
        given.mail_call(to="ana"),
        given.shell_call("cat a | wc -l > b"),
        given.file_call(given.READ_FILE, "a"),
    ]
    prepared = [(call, given.make_facts(call, snapshot)) for call in calls]
    for call, facts in prepared:
        decide(call, snapshot, facts)  # a language is loaded when its first line comes

    with record_side_effects() as noticed:
        verdicts = [decide(call, snapshot, facts).verdict for call, facts in prepared]

    assert verdicts == [Verdict.ASK, Verdict.RUN, Verdict.RUN]
    assert noticed == []


@contextmanager
def record_side_effects() -> Iterator[list[str]]:
    """Record every file, socket, process or database that is opened, by the audit events of Python."""
    noticed: list[str] = []
    watching = True

    def record_event(event: str, _: tuple[object, ...]) -> None:
        if watching and event.partition(".")[0] in WORLD:
            noticed.append(event)

    sys.addaudithook(record_event)  # for good: a hook cannot be taken away, only told to be quiet
    yield noticed
    watching = False


def test_a_side_effect_would_be_recorded() -> None:
    with record_side_effects() as noticed:
        Path(__file__).read_bytes()
        list(Path(__file__).parent.iterdir())

    assert "open" in noticed
    assert any(event.startswith("os.") for event in noticed)


@pytest.mark.proves("R-22")
def test_concurrent_decisions_agree_and_are_fast() -> None:
    snapshot = given.make_snapshot(deny=["terminal.exec(rm *)"], allow=["terminal.exec(npm run *)"])
    long_text = " 'x" + " y" * 5_000 + "'"
    lines = {"npm run": Verdict.RUN, "echo": Verdict.RUN, "make": Verdict.ASK, "rm": Verdict.DENY}
    expected = [(f"{line} {number}{long_text}", lines[line]) for number in range(25) for line in lines]

    def measure_decision(line: str) -> tuple[Verdict, float]:
        start = time.thread_time()
        verdict = given.decide_call(given.shell_call(line), snapshot).verdict
        return verdict, time.thread_time() - start

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(measure_decision, [line for line, _ in expected]))

    assert [verdict for verdict, _ in found] == [verdict for _, verdict in expected]
    assert median(seconds for _, seconds in found) < 0.2


def test_deciding_twice_gives_the_same_value() -> None:
    call, snapshot = (
        given.shell_call("npm run build && cat a"),
        given.make_snapshot(allow=["terminal.exec(npm run *)"]),
    )
    facts = given.make_facts(call, snapshot)

    assert decide(call, snapshot, facts) == decide(call, snapshot, facts)


def test_an_undecidable_call_has_no_files_to_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    def raise_error(*_: object) -> None:
        raise RuntimeError

    call, policy = given.shell_call("bash < deploy.sh"), given.make_snapshot()
    assert files_to_digest(call, policy, given.DIRECTORIES) == ("/project/deploy.sh",)

    monkeypatch.setattr("assent.engine.decide.parse_call", raise_error)

    assert files_to_digest(call, policy, given.DIRECTORIES) == ()


EVERYTHING = {tool.name for tool in given.TOOLS}
MAIL = Call(tool="mail.send", args={}, agent="clerk")
BLOCKED = {("clerk", "mail.send"): TierSetting(Tier.BLOCKED)}

ABSENT: dict[Stage, tuple[Call, Snapshot]] = {
    Stage.UNKNOWN: (replace(MAIL, tool="nobody.knows"), given.make_snapshot()),
    Stage.UNAUTHORIZED: (MAIL, given.make_snapshot(unauthorized_tools=frozenset({"mail.send"}))),
    Stage.BLOCKED: (MAIL, given.make_snapshot(tiers=BLOCKED)),
    Stage.UNATTENDED: (replace(MAIL, tool="db.drop"), given.make_snapshot(attended=False)),
}


def visible_tool_names(snapshot: Snapshot, agent: str = "clerk") -> set[str]:
    return {tool.name for tool in visible_tools(snapshot, agent)}


@pytest.mark.parametrize("stage", ABSENT)
@pytest.mark.proves("R001-20", "R001-40", "R004-4", "R004-5")
@pytest.mark.supports("R003-9")
def test_an_absent_tool_is_neither_visible_nor_run(stage: Stage) -> None:
    call, snapshot = ABSENT[stage]
    snapshot = replace(snapshot, mode=Mode.AUTO, rules=given.parse_rule_set(allow=("*",)))

    decision = given.decide_call(call, snapshot)

    assert (decision.verdict, decision.stage) == (Verdict.ABSENT, stage)
    assert call.tool not in visible_tool_names(snapshot)
    assert len(decision.steps) == 1


@pytest.mark.parametrize("stage", ABSENT)
@pytest.mark.proves("T-31", "R000-43")
def test_a_tool_absent_for_a_parent_is_absent_for_its_child(stage: Stage) -> None:
    call, parent = ABSENT[stage]
    child = given.make_snapshot(parent=parent, attended=parent.attended)

    found = find_absence(call, child)

    assert found is not None
    assert found.stage is stage
    assert call.tool not in visible_tool_names(child)


@pytest.mark.proves("R000-12")
@pytest.mark.parametrize("mode", [*Mode, None])
def test_a_mode_hides_no_tool(mode: Mode | None) -> None:
    assert visible_tool_names(given.make_snapshot(mode=mode, deny=["mail.send(to=x)"])) == EVERYTHING


@pytest.mark.proves("R001-40")
def test_a_destructive_tool_is_offered_only_while_a_person_can_be_reached() -> None:
    assert visible_tool_names(given.make_snapshot(attended=True)) == EVERYTHING
    assert visible_tool_names(given.make_snapshot(attended=False)) == EVERYTHING - {"db.drop"}


@pytest.mark.proves("R004-1")
def test_a_block_applies_to_one_agent() -> None:
    snapshot = given.make_snapshot(tiers=BLOCKED)

    assert visible_tool_names(snapshot, "other") == EVERYTHING
    assert visible_tool_names(snapshot, "clerk") == EVERYTHING - {"mail.send"}


LINE = given.shell_call("frobnicate all")


def stages_of(decision: Decision) -> list[Stage]:
    return [step.stage for step in decision.steps]


@pytest.mark.proves("R003-42")
def test_a_deny_rule_hits_any_part() -> None:
    decision = given.decide_call(
        given.shell_call("ls; a; rm x"), given.make_snapshot(deny=["terminal.exec(rm *)"], mode=Mode.AUTO)
    )

    assert (decision.verdict, decision.stage, decision.part) == (Verdict.DENY, Stage.DENY_RULE, "rm x")


@pytest.mark.proves("R003-42")
def test_an_ask_rule_hits_any_part() -> None:
    decision = given.decide_call(
        given.shell_call("ls; a; rm x"), given.make_snapshot(ask=["terminal.exec(rm *)"], mode=Mode.AUTO)
    )

    assert (decision.verdict, decision.stage, decision.part) == (Verdict.ASK, Stage.ASK_RULE, "rm x")


@pytest.mark.proves("R003-2")
def test_deny_and_ask_rules_bind_tools_that_only_read() -> None:
    call = given.file_call(given.READ_FILE, ".env")

    assert given.decide_call(call, given.make_snapshot(deny=["files.read(/.env)"])).verdict is Verdict.DENY
    assert given.decide_call(call, given.make_snapshot(ask=["files.read(/.env)"])).stage is Stage.ASK_RULE


@pytest.mark.proves("R003-2")
def test_a_switch_lets_tools_declared_to_read_pass_the_rules() -> None:
    bypass = PolicyOptions(reads_bypass_rules=True)
    read, line = given.file_call(given.READ_FILE, "a"), given.shell_call("cat a")
    rules = {"deny": ["files.read(/a)", "terminal.exec(cat *)"], "ask": ["files.*"]}

    assert given.decide_call(read, given.make_snapshot(**rules, options=bypass)).verdict is Verdict.RUN
    assert given.decide_call(line, given.make_snapshot(**rules, options=bypass)).verdict is Verdict.DENY


def test_a_rule_says_where_it_comes_from_and_why() -> None:
    rule = parse_rule(
        "mail.send", layer=Layer.PROJECT, source="assent.toml, line 3", why="nobody writes letters"
    )
    plain = parse_rule("mail.send", layer=Layer.MANAGED)

    said = given.decide_call(
        given.mail_call(), replace(given.make_snapshot(), rules=RuleSet(deny=[rule]))
    ).because
    plainly = given.decide_call(
        given.mail_call(), replace(given.make_snapshot(), rules=RuleSet(ask=[plain]))
    ).because

    assert said == "deny rule `mail.send` (assent.toml, line 3): nobody writes letters"
    assert plainly == "ask rule `mail.send` (managed layer)"


@pytest.mark.parametrize("effect", [one for one in Effect if one is not Effect.READ])
@pytest.mark.proves("R003-31", "R000-3", "R000-41")
def test_plan_only_reads(effect: Effect) -> None:
    tool = Tool(name="t", effect=effect)
    snapshot = given.make_snapshot(
        tool, mode=Mode.PLAN, allow=["t"], grants=["t"], tiers={("", "t"): TierSetting(Tier.ALWAYS_ALLOW)}
    )

    decision = given.decide_call(Call(tool="t", args={}), snapshot)

    assert (decision.verdict, decision.stage) == (Verdict.DENY, Stage.PLAN)
    assert decision.because == "plan mode only reads"


@pytest.mark.proves("R003-31", "R003-34")
def test_in_plan_neither_a_breaker_nor_an_ask_rule_asks() -> None:
    snapshot = given.make_snapshot(mode=Mode.PLAN, ask=["terminal.exec"])

    assert given.decide_call(given.shell_call("rm -rf /"), snapshot).verdict is Verdict.DENY


def test_a_changed_definition_asks_again() -> None:
    snapshot = given.make_snapshot(changed_tools=frozenset({"mail.send"}), allow=["*"], mode=Mode.AUTO)

    decision = given.decide_call(given.mail_call(), snapshot)

    assert (decision.verdict, decision.stage, decision.always_offered) == (Verdict.ASK, Stage.CHANGED, False)
    assert given.decide_call(LINE, snapshot).verdict is Verdict.RUN


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
    assert (
        given.decide_call(given.file_call(given.READ_FILE, "/srv/x"), given.make_snapshot(**more)).stage
        is stage
    )


@pytest.mark.proves("D-6")
def test_each_path_outside_needs_its_own_rule() -> None:
    snapshot = given.make_snapshot(allow=["terminal.exec(cat /srv/a)"])

    assert given.decide_call(given.shell_call("cat /srv/a"), snapshot).verdict is Verdict.RUN
    assert given.decide_call(given.shell_call("cat /srv/a; cat /srv/b"), snapshot).part == "cat /srv/b"


def test_a_question_about_an_unknown_path_states_that_it_is_unknown() -> None:
    decision = given.decide_call(given.file_call(given.READ_FILE, None), given.make_snapshot())

    assert decision.because == "`files.read` reads a path that is not known"


@pytest.mark.proves("T-31")
def test_a_child_may_read_outside_only_where_its_parent_may() -> None:
    rules = ["files.read(//srv/**)"]
    call = given.file_call(given.READ_FILE, "/srv/x")

    assert (
        given.decide_call(call, given.make_snapshot(allow=rules, parent=given.make_snapshot())).stage
        is Stage.OUTSIDE
    )
    assert (
        given.decide_call(
            call, given.make_snapshot(allow=rules, parent=given.make_snapshot(allow=rules))
        ).stage
        is Stage.READ
    )


@pytest.mark.proves("D-5")
def test_file_rules_hit_what_any_part_reads_or_writes() -> None:
    rules = given.make_snapshot(deny=["files.read(/a)", "files.save(/b)"], mode=Mode.AUTO)

    assert given.decide_call(given.shell_call("ls; cat a"), rules).part == "cat a"
    assert given.decide_call(given.shell_call("ls; cp x b"), rules).part == "cp x b"
    assert given.decide_call(given.shell_call("frob > b"), rules).verdict is Verdict.DENY
    assert given.decide_call(given.shell_call("cat b; cp x a"), rules).verdict is Verdict.RUN


def test_a_file_of_several_parts_is_matched_once() -> None:
    policy = given.make_snapshot(deny=["files.read(/other)", "files.save(/b)"], mode=Mode.AUTO)
    decision = given.decide_call(given.shell_call("cat a; head a; touch c; truncate -s 0 c; touch b"), policy)

    assert (decision.stage, decision.rule, decision.part) == (Stage.DENY_RULE, "files.save(/b)", "touch b")


def test_an_unknown_file_could_match_a_deny_rule() -> None:
    rules = given.make_snapshot(deny=["files.save(/b)"], mode=Mode.AUTO)

    assert given.decide_call(given.shell_call("cp x $Y"), rules).stage is Stage.UNRESOLVED
    assert given.decide_call(given.shell_call("cp x $Y; cp x b"), rules).stage is Stage.DENY_RULE


@pytest.mark.proves("T-31", "R004-3")
def test_a_parents_tier_asks_for_its_child_too() -> None:
    asks = {("clerk", "mail.send"): TierSetting(Tier.NEEDS_APPROVAL)}
    by_name = {("clerk", "mail.send"): TierSetting(Tier.NEEDS_APPROVAL, explicit=False)}
    call = replace(given.mail_call(), agent="clerk")

    assert (
        given.decide_call(
            call, given.make_snapshot(mode=Mode.AUTO, parent=given.make_snapshot(tiers=asks))
        ).stage
        is Stage.TIER
    )
    assert (
        given.decide_call(
            call, given.make_snapshot(mode=Mode.AUTO, parent=given.make_snapshot(mode=None, tiers=by_name))
        ).stage
        is Stage.TIER
    )


def test_a_grant_lifts_a_tier() -> None:
    asks = {("clerk", "mail.send"): TierSetting(Tier.NEEDS_APPROVAL)}
    call = replace(given.mail_call(), agent="clerk")

    assert (
        given.decide_call(call, given.make_snapshot(tiers=asks, grants=["mail.send"])).verdict is Verdict.RUN
    )


@pytest.mark.proves("T-31")
@pytest.mark.parametrize("mode", [None, Mode.PLAN, Mode.DEFAULT, Mode.AUTO])
def test_a_parents_mode_does_not_loosen_a_tier_by_pattern(mode: Mode | None) -> None:
    by_name = {("clerk", "wiki.look_up"): TierSetting(Tier.NEEDS_APPROVAL, explicit=False)}
    call = Call(tool="wiki.look_up", args={}, agent="clerk")

    decision = given.decide_call(
        call, given.make_snapshot(mode=None, tiers=by_name, parent=given.make_snapshot(mode=mode))
    )

    assert (decision.verdict, decision.stage) == (Verdict.ASK, Stage.TIER)


@pytest.mark.proves("D-6")
@pytest.mark.parametrize("effect", [Effect.READ, Effect.EDIT, Effect.WRITE, Effect.EXTERNAL])
def test_a_reader_that_policy_raised_still_asks_outside(effect: Effect) -> None:
    raised = replace(given.READ_FILE, effect=effect, reads=True)
    snapshot = given.make_snapshot(raised, mode=Mode.AUTO)

    assert given.decide_call(given.file_call(raised, "/etc/shadow"), snapshot).stage is Stage.OUTSIDE


@pytest.mark.proves("D-5")
def test_the_path_rules_of_a_reader_that_policy_raised_still_bind_what_a_command_reads() -> None:
    raised = replace(given.READ_FILE, effect=Effect.WRITE, reads=True)
    snapshot = given.make_snapshot(raised, given.SHELL, deny=["files.read(/secret/**)"])

    assert given.decide_call(given.shell_call("cat secret/a"), snapshot).stage is Stage.DENY_RULE


def test_every_floor_that_applies_is_among_the_steps() -> None:
    snapshot = given.make_snapshot(
        deny=["terminal.exec(rm *)"],
        ask=["terminal.exec"],
        mode=Mode.PLAN,
        changed_tools=frozenset({"terminal.exec"}),
    )

    found = given.decide_call(given.shell_call("rm -rf / $X; $Y > .git/config"), snapshot)

    assert set(stages_of(found)) >= {
        Stage.DENY_RULE,
        Stage.PLAN,
        Stage.BREAKER,
        Stage.PROTECTED_PATH,
        Stage.ASK_RULE,
        Stage.UNREADABLE,
        Stage.CHANGED,
    }


def test_a_rule_about_the_command_is_reported_before_one_about_its_files() -> None:
    snapshot = given.make_snapshot(deny=["files.read(/secrets/**)", "terminal.exec(cat *)"])

    assert given.decide_call(given.shell_call("cat secrets/key"), snapshot).rule == "terminal.exec(cat *)"


@pytest.mark.parametrize("line", ["grep -r x secrets", "cp -r secrets elsewhere", "tar cf out.tar secrets"])
@pytest.mark.proves("T-24")
def test_a_command_that_reads_a_whole_directory_reads_the_denied_files_in_it(line: str) -> None:
    decision = given.decide_call(
        given.shell_call(line), given.make_snapshot(deny=["files.read(/secrets/**)"], mode=Mode.AUTO)
    )

    assert (decision.verdict, decision.rule) == (Verdict.DENY, "files.read(/secrets/**)")


def test_a_question_about_a_read_outside_names_the_path() -> None:
    known = given.decide_call(given.shell_call("cat /data/a"), given.make_snapshot())
    unknown = given.decide_call(given.shell_call("cat $X"), given.make_snapshot())

    assert known.because == "`cat` reads `/data/a`, which is outside the workspace"
    assert unknown.because == "`cat` reads a path that is not known: the value of `$X` is unknown"


def test_redirected_input_needs_a_rule_only_if_reading_it_would_ask() -> None:
    snapshot = given.make_snapshot(allow=["terminal.exec(grep *)"])

    assert given.decide_call(given.shell_call("grep x /data/a < notes.txt"), snapshot).verdict is Verdict.RUN
    assert given.decide_call(given.shell_call("grep x /data/a < /data/b"), snapshot).stage is Stage.OUTSIDE


@pytest.mark.parametrize("mode", [Mode.DEFAULT, Mode.ACCEPT_EDITS, Mode.AUTO, None])
def test_a_pause_asks_about_all_but_reads_whatever_allows_them(mode: Mode | None) -> None:
    snapshot = given.make_snapshot(
        paused_by="ada", allow=["*"], grants=["*"], mode=mode, fallback=Verdict.RUN
    )

    mailed = given.decide_call(given.mail_call(to="ana"), snapshot)
    read = given.decide_call(given.shell_call("ls"), snapshot)

    assert (mailed.verdict, mailed.stage, mailed.always_offered) == (Verdict.ASK, Stage.PAUSED, False)
    assert mailed.because == "ada paused all agents: only reads continue"
    assert read.verdict is Verdict.RUN


ALWAYS = {("clerk", "mail.send"): TierSetting(Tier.ALWAYS_ALLOW)}
MAIL_IS_SENT = "`mail.send` may send or change data outside this machine"
MAIL_TO_ANA = replace(given.mail_call(to="ana"), agent="clerk")


@pytest.mark.parametrize(
    ("more", "verdict", "stage", "because"),
    [
        ({}, Verdict.ASK, Stage.MODE, MAIL_IS_SENT),
        ({"mode": Mode.AUTO}, Verdict.RUN, Stage.MODE, "auto mode allows calling external tools"),
        (
            {"mode": None},
            Verdict.ASK,
            Stage.FALLBACK,
            MAIL_IS_SENT,
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
def test_each_ease_gives_its_reason(
    more: dict[str, object], verdict: Verdict, stage: Stage, because: str
) -> None:
    decision = given.decide_call(MAIL_TO_ANA, given.make_snapshot(**more))

    assert (decision.verdict, decision.stage, decision.because) == (verdict, stage, because)


def test_among_eases_the_first_stage_decides() -> None:
    everything = given.make_snapshot(tiers=ALWAYS, grants=["mail.send"], allow=["mail.send"], mode=Mode.AUTO)

    decision = given.decide_call(MAIL_TO_ANA, everything)

    assert decision.stage is Stage.TIER
    assert [step.stage for step in decision.steps] == [Stage.TIER, Stage.GRANT, Stage.ALLOW_RULE, Stage.MODE]


def test_an_ease_that_asks_is_omitted_if_another_runs() -> None:
    decision = given.decide_call(MAIL_TO_ANA, given.make_snapshot(allow=["mail.send"]))

    assert [step.stage for step in decision.steps] == [Stage.ALLOW_RULE]


@pytest.mark.parametrize("mode", [*Mode, None])
@pytest.mark.proves("R000-2", "R001-3")
@pytest.mark.supports("R003-1")
def test_a_read_runs_in_every_mode_and_without_one(mode: Mode | None) -> None:
    call = given.file_call(given.READ_FILE, "a")

    assert given.decide_call(call, given.make_snapshot(mode=mode)).stage is Stage.READ


@pytest.mark.proves("T-32", "D-8")
def test_the_question_about_a_repository_says_what_trust_would_change() -> None:
    call = given.shell_call("git status")

    assert given.decide_call(call, given.make_snapshot(), trusted=False).because == (
        "`git status` only reads in a trusted repository: files of this one could make it run code"
    )
    assert (
        "trusted"
        not in given.decide_call(given.shell_call("frob"), given.make_snapshot(), trusted=False).because
    )


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
def test_trust_is_suggested_only_if_it_would_avoid_the_question(line: str, told: bool) -> None:
    untrusted = given.decide_call(given.shell_call(line), given.make_snapshot(), trusted=False)
    trusted = given.decide_call(given.shell_call(line), given.make_snapshot(), trusted=True)

    assert untrusted.verdict is Verdict.ASK
    assert ("in a trusted repository" in untrusted.because) is told
    assert (trusted.verdict is Verdict.RUN) is told


def test_trust_is_not_suggested_for_a_call_that_asks_anyway() -> None:
    shell = replace(given.SHELL, effect=Effect.DESTRUCTIVE)

    decision = given.decide_call(given.shell_call("git status"), given.make_snapshot(shell), trusted=False)

    assert not any("trusted" in step.because for step in decision.steps)


def test_an_undeclared_tool_asks_because_nobody_declared_it() -> None:
    tool = replace(given.SEND_MAIL, origin="undeclared/clerk/mail.send")
    decision = given.decide_call(
        given.mail_call(), given.make_snapshot(tool, changed_tools=frozenset({tool.name}))
    )

    assert (decision.stage, decision.verdict) == (Stage.CHANGED, Verdict.ASK)
    assert decision.because == (
        "nobody declared the tool `mail.send`, and no administrator has accepted it with its arguments"
    )


@pytest.mark.parametrize(
    ("origin", "declared_by"),
    [("own c1 page1", "this server"), ("https://shop.example c1 page1", "https://shop.example")],
)
def test_the_question_about_an_unreviewed_tool_of_a_page_names_the_page(
    origin: str, declared_by: str
) -> None:
    tool = replace(given.SEND_MAIL, origin=UNREVIEWED_PAGE + origin)
    decision = given.decide_call(given.mail_call(), given.make_snapshot(tool))

    assert (decision.stage, decision.verdict) == (Stage.MODE, Verdict.ASK)
    assert decision.because == (
        f"a page of {declared_by} declared the tool `mail.send`, and nobody reviewed it"
    )


@pytest.mark.parametrize(
    "line", ["assent approve 1", "/usr/bin/Assent.exe approve 1", "uvx assent@1 approve 1"]
)
def test_a_command_that_changes_what_assent_decides_asks_although_everything_is_allowed(line: str) -> None:
    decision = given.decide_call(given.shell_call(line), given.make_snapshot(allow=["terminal.exec"]))

    assert (decision.verdict, decision.stage) == (Verdict.ASK, Stage.PROTECTED_PATH)
