"""The function that decides: which step wins, when "always" is offered, and the paths that it needs."""

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
from assent.engine.base.tool import Call, Effect, Tool
from assent.engine.decide import decide, files_to_digest, find_absence, paths_to_resolve, visible_tools
from assent.engine.policy.modes import Mode
from assent.engine.policy.snapshot import Snapshot
from assent.engine.policy.tiers import Tier, TierSetting
from assent.engine.policy.verdict import STAGE_ORDER, Stage, Verdict
from tests.engine import given

WORLD = frozenset({"open", "os", "socket", "subprocess", "sqlite3", "shutil", "ctypes", "import"})


def test_a_decision_is_its_verdict_and_every_step() -> None:
    decision = given.decided(
        given.run("rm x"), given.policy(deny=["terminal.exec(rm *)"], ask=["terminal.*"])
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
def test_a_tool_nobody_declared_is_absent_and_not_asked_about() -> None:
    decision = given.decided(Call(tool="nobody.knows", args={}), given.policy(allow=["*"], mode=Mode.AUTO))

    assert (decision.verdict, decision.stage) == (Verdict.ABSENT, Stage.UNKNOWN)
    assert decision.because == "there is no tool `nobody.knows`"


@pytest.mark.proves("R001-41", "R004-49", "R000-54")
@pytest.mark.supports("R003-70")
def test_with_nobody_to_ask_a_question_is_a_denial() -> None:
    decision = given.decided(given.mail(), given.policy(attended=False))

    assert (decision.verdict, decision.stage) == (Verdict.DENY, Stage.UNATTENDED)
    assert (
        decision.because
        == "no person can be reached to approve it: default mode asks before calling external tools"
    )
    assert not decision.always_offered


def test_with_nobody_to_ask_what_runs_still_runs_and_what_is_denied_says_why() -> None:
    assert given.decided(given.mail(), given.policy(attended=False, mode=Mode.AUTO)).verdict is Verdict.RUN
    assert given.decided(given.mail(), given.policy(attended=False, deny=["*"])).stage is Stage.DENY_RULE


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
    assert given.decided(given.mail(), given.policy(**more)).always_offered is offered


def test_the_steps_stand_in_the_order_of_the_table() -> None:
    decision = given.decided(
        given.run("$X > .git/config"), given.policy(ask=["terminal.exec"], mode=Mode.PLAN)
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
    broken = replace(given.policy(mode=Mode.AUTO), tools=FailingMapping())

    decision = decide(given.mail(), broken, Facts(place=given.PLACE))

    assert (decision.verdict, decision.stage, decision.always_offered) == (
        Verdict.ASK,
        Stage.UNREADABLE,
        False,
    )
    assert decision.because == "the call could not be decided (RuntimeError: on purpose)"


@pytest.mark.proves("T-23")
def test_a_failure_with_nobody_to_ask_is_a_denial() -> None:
    broken = replace(given.policy(attended=False), tools=FailingMapping())

    assert decide(given.mail(), broken, Facts(place=given.PLACE)).verdict is Verdict.DENY


def test_the_wanted_paths_are_those_of_the_call() -> None:
    assert paths_to_resolve(given.run("cat a"), given.policy(), given.PLACE) == ("/project/a",)
    assert paths_to_resolve(Call(tool="nobody.knows", args={}), given.policy(), given.PLACE) == ()


@pytest.mark.proves("T-23")
def test_a_call_that_cannot_be_read_wants_nothing() -> None:
    call = Call(tool="files.read", args=FailingMapping(path="a"))
    tool = Tool(name="files.read", effect=Effect.READ, template="{path}", dialect=given.READ_FILE.dialect)

    assert paths_to_resolve(call, given.policy(tool), given.PLACE) == ()


@pytest.mark.proves("R004-26")
def test_deciding_asks_nothing_of_the_world() -> None:
    needs_approval = {("", "mail.send"): TierSetting(Tier.NEEDS_APPROVAL)}
    snapshot = given.policy(tiers=needs_approval, deny=["files.read(/secrets/**)"], mode=Mode.AUTO)
    calls = [given.mail(to="ana"), given.run("cat a | wc -l > b"), given.on_path(given.READ_FILE, "a")]
    prepared = [(call, given.facts(call, snapshot)) for call in calls]
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

    def notice(event: str, _: tuple[object, ...]) -> None:
        if watching and event.partition(".")[0] in WORLD:
            noticed.append(event)

    sys.addaudithook(notice)  # for good: a hook cannot be taken away, only told to be quiet
    yield noticed
    watching = False


def test_reaching_for_the_world_would_be_noticed() -> None:
    with record_side_effects() as noticed:
        Path(__file__).read_bytes()
        list(Path(__file__).parent.iterdir())

    assert "open" in noticed
    assert any(event.startswith("os.") for event in noticed)


@pytest.mark.proves("R-22")
def test_many_who_decide_at_once_agree_and_none_takes_long() -> None:
    snapshot = given.policy(deny=["terminal.exec(rm *)"], allow=["terminal.exec(npm run *)"])
    long_text = " 'x" + " y" * 5_000 + "'"
    lines = {"npm run": Verdict.RUN, "echo": Verdict.RUN, "make": Verdict.ASK, "rm": Verdict.DENY}
    expected = [(f"{line} {number}{long_text}", lines[line]) for number in range(25) for line in lines]

    def timed(line: str) -> tuple[Verdict, float]:
        start = time.thread_time()
        verdict = given.decided(given.run(line), snapshot).verdict
        return verdict, time.thread_time() - start

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(timed, [line for line, _ in expected]))

    assert [verdict for verdict, _ in found] == [verdict for _, verdict in expected]
    assert median(seconds for _, seconds in found) < 0.2


def test_deciding_twice_gives_the_same_value() -> None:
    call, snapshot = given.run("npm run build && cat a"), given.policy(allow=["terminal.exec(npm run *)"])
    facts = given.facts(call, snapshot)

    assert decide(call, snapshot, facts) == decide(call, snapshot, facts)


def test_a_call_that_cannot_be_read_has_no_fed_files(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError

    call, policy = given.run("bash < deploy.sh"), given.policy()
    assert files_to_digest(call, policy, given.PLACE) == ("/project/deploy.sh",)

    monkeypatch.setattr("assent.engine.decide.parse_call", fails)

    assert files_to_digest(call, policy, given.PLACE) == ()


EVERYTHING = {tool.name for tool in given.TOOLS}
MAIL = Call(tool="mail.send", args={}, agent="clerk")
BLOCKED = {("clerk", "mail.send"): TierSetting(Tier.BLOCKED)}

ABSENT: dict[Stage, tuple[Call, Snapshot]] = {
    Stage.UNKNOWN: (replace(MAIL, tool="nobody.knows"), given.policy()),
    Stage.UNAUTHORIZED: (MAIL, given.policy(unauthorized_tools=frozenset({"mail.send"}))),
    Stage.BLOCKED: (MAIL, given.policy(tiers=BLOCKED)),
    Stage.UNATTENDED: (replace(MAIL, tool="db.drop"), given.policy(attended=False)),
}


def names(snapshot: Snapshot, agent: str = "clerk") -> set[str]:
    return {tool.name for tool in visible_tools(snapshot, agent)}


@pytest.mark.parametrize("stage", ABSENT)
@pytest.mark.proves("R001-20", "R001-40", "R004-4", "R004-5")
@pytest.mark.supports("R003-9")
def test_what_is_not_there_is_neither_seen_nor_run(stage: Stage) -> None:
    call, snapshot = ABSENT[stage]
    snapshot = replace(snapshot, mode=Mode.AUTO, rules=given.rules(allow=("*",)))

    decision = given.decided(call, snapshot)

    assert (decision.verdict, decision.stage) == (Verdict.ABSENT, stage)
    assert call.tool not in names(snapshot)
    assert len(decision.steps) == 1


@pytest.mark.parametrize("stage", ABSENT)
@pytest.mark.proves("T-31", "R000-43")
def test_what_is_not_there_for_a_parent_is_not_there_for_its_child(stage: Stage) -> None:
    call, parent = ABSENT[stage]
    child = given.policy(parent=parent, attended=parent.attended)

    found = find_absence(call, child)

    assert found is not None
    assert found.stage is stage
    assert call.tool not in names(child)


@pytest.mark.proves("R000-12")
@pytest.mark.parametrize("mode", [*Mode, None])
def test_a_mode_hides_no_tool(mode: Mode | None) -> None:
    assert names(given.policy(mode=mode, deny=["mail.send(to=x)"])) == EVERYTHING


@pytest.mark.proves("R001-40")
def test_a_destructive_tool_is_offered_only_while_a_person_can_be_reached() -> None:
    assert names(given.policy(attended=True)) == EVERYTHING
    assert names(given.policy(attended=False)) == EVERYTHING - {"db.drop"}


@pytest.mark.proves("R004-1")
def test_a_block_is_for_one_agent() -> None:
    snapshot = given.policy(tiers=BLOCKED)

    assert names(snapshot, "other") == EVERYTHING
    assert names(snapshot, "clerk") == EVERYTHING - {"mail.send"}
