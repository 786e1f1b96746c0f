"""A call as rules see it: it always has parts, whatever its arguments are."""

from dataclasses import replace

import pytest
from hypothesis import given as any_of
from hypothesis import strategies as st

from assent.engine import parsing
from assent.engine.base.facts import Facts, PathUse
from assent.engine.base.globs import UNKNOWN_MARK
from assent.engine.base.tool import Call, Dialect, Effect, PathKind, Tool
from assent.engine.decide import decide
from assent.engine.parsing import parse_call
from assent.engine.policy.breakers import Breaker
from assent.engine.policy.modes import Mode
from assent.engine.policy.rule import parse_rule
from assent.engine.policy.rule_set import RuleSet
from assent.engine.policy.snapshot import Snapshot, Tier, TierSetting
from assent.engine.policy.verdict import Decision, Stage, Verdict
from tests.engine import given

json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
arguments = st.dictionaries(st.sampled_from(["command", "path", "file_path", "x"]), json, max_size=3)
tools = st.builds(
    Tool,
    name=st.just("t"),
    dialect=st.sampled_from(list(Dialect)),
    template=st.sampled_from([None, "{command}", "{path}", "{x} {y}", "constant"]),
    paths=st.sampled_from(list(PathKind)),
)


@any_of(tools, arguments)
@pytest.mark.proves("T-35", "R-18")
def test_a_call_always_has_a_part(tool: Tool, args: dict[str, object]) -> None:
    assert parse_call(Call(tool="t", args=args), tool).parts


@any_of(tools, arguments)
@pytest.mark.proves("T-23", "R-18")
def test_a_deny_on_the_tool_denies_whatever_the_arguments_are(tool: Tool, args: dict[str, object]) -> None:
    decision = given.decide_call(
        Call(tool="t", args=args), given.make_snapshot(tool, deny=["t"], mode=Mode.AUTO)
    )

    assert (decision.verdict, decision.stage) == (Verdict.DENY, Stage.DENY_RULE)


@pytest.mark.parametrize(
    "args", [{}, {"command": None}, {"command": ["ls"]}, {"command": 3}, {"cmd": "ls"}], ids=str
)
@pytest.mark.proves("R003-17")
def test_a_shell_call_without_a_command_cannot_be_read(args: dict[str, object]) -> None:
    decision = given.decide_call(
        Call(tool="terminal.exec", args=args), given.make_snapshot(mode=Mode.AUTO, allow=["*"])
    )

    assert (decision.verdict, decision.stage) == (Verdict.ASK, Stage.UNREADABLE)
    assert "has no command" in decision.because


@pytest.mark.parametrize("command", ["", " ", "\n", "# only a comment", "  # x\n"])
@pytest.mark.proves("R003-45", "T-23")
def test_an_empty_command_never_runs_without_asking(command: str) -> None:
    decision = given.decide_call(
        given.shell_call(command), given.make_snapshot(mode=Mode.AUTO, allow=["terminal.exec(*)"])
    )

    assert decision.stage is Stage.UNREADABLE


def test_a_file_tool_may_have_several_paths() -> None:
    tool = Tool(name="files.move", dialect=Dialect.PATH, template="{source} {target}")
    subject = parse_call(Call(tool=tool.name, args={"source": ["a", "b"], "target": "c"}), tool)

    assert [part.text for part in subject.parts] == ["a", "b", "c"]


@pytest.mark.parametrize("path", [None, "", [], 3, [None], {"a": 1}], ids=str)
def test_a_path_that_is_no_text_cannot_be_known(path: object) -> None:
    subject = parse_call(given.file_call(given.READ_FILE, path), given.READ_FILE)

    assert [part.path for part in subject.parts] == [PathUse(UNKNOWN_MARK)]


def test_paths_of_a_workspace_tool_start_at_the_workspace_root() -> None:
    page = Tool(name="files.read", dialect=Dialect.PATH, paths=PathKind.ANCHORED)
    system = Tool(name="files.read", dialect=Dialect.PATH)
    call = given.file_call(system, "~/x")

    assert parse_call(call, page).parts[0].path == PathUse("~/x", anchored=True)
    assert parse_call(call, system).parts[0].path == PathUse("~/x", tilde=True)


def test_a_path_with_an_invisible_character_cannot_be_read() -> None:
    subject = parse_call(given.file_call(given.READ_FILE, ["a", "b\u200b"]), given.READ_FILE)

    assert subject.unreadable is not None


def test_a_template_without_arguments_is_a_text_of_its_own() -> None:
    tool = Tool(name="t", template="constant")

    assert (
        given.decide_call(Call(tool="t", args={}), given.make_snapshot(tool, allow=["t(constant)"])).verdict
        is Verdict.RUN
    )


def test_a_long_line_is_read_like_a_short_one() -> None:
    long = "ls " + " ".join(f"file{number}" for number in range(200))

    assert len(long) > 1024
    assert given.decide_call(given.shell_call(long), given.make_snapshot()).verdict is Verdict.RUN


WHO = {"agent": "clerk", "conversation": "c1", "user": "ana"}
LINE = "frob src/a.py && cat src/b.py"
POLICY = given.make_snapshot(allow=["terminal.exec(frob *)"])


def shell_line_call(text: str = LINE, **who: str) -> Call:
    return Call(tool=given.SHELL.name, args={"command": text}, **{**WHO, **who})


FACTS = given.make_facts(shell_line_call(), POLICY)


def cached_decision(asked: Call, snapshot: Snapshot, facts: Facts) -> Decision | None:
    line = parsing.find_cached_line(asked, given.SHELL)
    return None if line is None else line.find_decision(asked, snapshot, facts)


def test_a_repeated_call_gets_the_cached_decision() -> None:
    decision = decide(shell_line_call(), POLICY, FACTS)

    assert cached_decision(shell_line_call(), POLICY, FACTS) is decision
    assert decide(shell_line_call(), POLICY, FACTS) is decision


def test_equal_policy_and_facts_get_the_cached_decision() -> None:
    decision = decide(shell_line_call(), POLICY, FACTS)
    again = replace(POLICY, tools={**POLICY.tools}), replace(FACTS, real={**FACTS.real})

    assert decide(shell_line_call(), *again) is decision


@pytest.mark.parametrize("who", [{"agent": "other"}, {"conversation": "c2"}, {"user": "bob"}], ids=str)
@pytest.mark.proves("T-14")
def test_another_caller_does_not_get_the_cached_decision(who: dict[str, str]) -> None:
    decide(shell_line_call(), POLICY, FACTS)

    assert cached_decision(shell_line_call(**who), POLICY, FACTS) is None


DESTRUCTIVE = replace(given.SHELL, effect=Effect.DESTRUCTIVE)
BLOCKED = {("clerk", given.SHELL.name): TierSetting(Tier.BLOCKED)}
CHANGES: dict[str, tuple[Verdict, dict[str, object]]] = {
    "a deny rule": (Verdict.DENY, {"rules": given.parse_rule_set(deny=("terminal.exec(frob *)",))}),
    "a rule taken back": (Verdict.ASK, {"rules": RuleSet()}),
    "a rule compiled anew": (Verdict.RUN, {"rules": RuleSet(allow=[parse_rule("terminal.exec(frob *)")])}),
    "a mode": (Verdict.DENY, {"mode": Mode.PLAN}),
    "a tier": (Verdict.ABSENT, {"tiers": BLOCKED}),
    "a pause": (Verdict.ASK, {"paused_by": "ana"}),
    "a definition": (Verdict.ASK, {"changed_tools": frozenset({given.SHELL.name})}),
    "a right": (Verdict.ABSENT, {"unauthorized_tools": frozenset({given.SHELL.name})}),
    "a tool": (Verdict.ASK, {"tools": {**POLICY.tools, given.SHELL.name: DESTRUCTIVE}}),
    "an ancestor": (Verdict.DENY, {"parent": given.make_snapshot(deny=["terminal.exec(frob *)"])}),
    "nobody to ask": (Verdict.DENY, {"attended": False, "rules": RuleSet()}),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.proves("T-14")
def test_after_a_change_of_policy_the_call_is_decided_again(change: str) -> None:
    verdict, fields = CHANGES[change]
    changed = replace(POLICY, **fields)
    assert decide(shell_line_call(), POLICY, FACTS).verdict is Verdict.RUN

    assert cached_decision(shell_line_call(), changed, FACTS) is None
    assert decide(shell_line_call(), changed, FACTS).verdict is verdict


@pytest.mark.proves("T-27")
def test_after_a_change_of_a_link_the_call_is_decided_again() -> None:
    assert decide(shell_line_call(), POLICY, FACTS).verdict is Verdict.RUN
    moved = replace(FACTS, real={**FACTS.real, "/project/src/b.py": ("/etc/shadow",)})

    assert decide(shell_line_call(), POLICY, moved).verdict is Verdict.ASK
    assert decide(shell_line_call(), POLICY, FACTS).verdict is Verdict.RUN


def test_after_trust_is_revoked_the_call_is_decided_again() -> None:
    text = "git log --oneline"
    facts = given.make_facts(shell_line_call(text), POLICY)

    assert decide(shell_line_call(text), POLICY, facts).verdict is Verdict.RUN
    assert (
        decide(shell_line_call(text), POLICY, replace(facts, trusted_repository=False)).verdict is Verdict.ASK
    )


@pytest.mark.parametrize("inherited", [False, True])
def test_a_custom_breaker_is_called_each_time(*, inherited: bool) -> None:
    reasons = [None, "it changed its mind"]
    breaker: Breaker = lambda part, _facts: reasons[0] if part.text.startswith("frob") else None  # noqa: E731
    own = replace(POLICY, breakers=(breaker,))
    policy = replace(POLICY, parent=own) if inherited else own

    assert decide(shell_line_call(), policy, FACTS).verdict is Verdict.RUN
    reasons.reverse()
    assert decide(shell_line_call(), policy, FACTS).verdict is Verdict.ASK


def test_a_decision_with_very_many_paths_is_not_cached() -> None:
    many = tuple(f"/project/src/{number}" for number in range(parsing.MAX_CACHED_PATHS + 1))
    facts = replace(FACTS, real={**FACTS.real, "/project/src/b.py": many})
    decide(shell_line_call("frob few"), POLICY, FACTS)
    decide(shell_line_call("frob many"), POLICY, facts)

    assert cached_decision(shell_line_call("frob few"), POLICY, FACTS) is not None
    assert cached_decision(shell_line_call("frob many"), POLICY, facts) is None


def test_the_cache_does_not_keep_old_rules_alive() -> None:
    decide(shell_line_call("frob old"), POLICY, FACTS)
    policies = [replace(POLICY, rules=RuleSet()) for _ in range(parsing.MAX_CACHED_RULE_SETS + 1)]
    for policy in policies:
        decide(shell_line_call("frob new"), policy, FACTS)

    assert cached_decision(shell_line_call("frob old"), POLICY, FACTS) is None


def test_a_long_line_is_cached_until_it_is_decided() -> None:
    text = "frob " + "a" * parsing.MAX_SHORT_LINE_LENGTH

    assert decide(shell_line_call(text), POLICY, FACTS) is decide(shell_line_call(text), POLICY, FACTS)
