"""Whether a yes given before covers every part of a call."""

import pytest

from assent.engine.case import Case
from assent.engine.coverage import covering_rule, covering_scoped_rule, uncovered_parts
from assent.engine.facts import Place
from assent.engine.model import Call
from assent.engine.policy.snapshot import PolicyOptions
from assent.engine.verdict import Decision, Stage, Verdict
from tests.engine import given


def allowed(command: str, *allow: str, **more: object) -> Decision:
    """What becomes of a line when these commands are allowed."""
    rules = [text if "(" in text else f"terminal.exec({text})" for text in allow]
    return given.decided(given.run(command), given.policy(allow=rules, **more))


RUNS = [
    ("npm run build", ["npm run *"]),
    ("frob", ["frob *"]),
    ("npm run build && npm test", ["npm run *", "npm test"]),
    ("npm run build; ls src", ["npm run *"]),
    ("ls src | frob", ["frob *"]),
    ("npm run build > /dev/null 2>&1", ["npm run *"]),
    ("frob < src/a.txt", ["frob *"]),
    ("frob > out.txt", ["frob", "files.save(/out.txt)"]),
    ("ls > out.txt", ["files.save(/out.txt)"]),
    ("LANG=C frob a", ["frob *"]),
    ("timeout 5 frob a", ["frob *"]),
    ("timeout 5 frob a", ["timeout 5 frob *"]),
    ("nice -n 3 frob a", ["frob *"]),
    ("env LANG=C frob a", ["frob *"]),
    ("bash -c 'frob a'", ["bash -c 'frob a'"]),
    ("sudo frob a", ["sudo frob *"]),
    ("if true; then frob a; fi", ["frob *"]),
    ("for x in 1 2; do frob a; done", ["frob *"]),
    ("(frob a)", ["frob *"]),
    ("cd src && frob a", ["frob *"]),
    ("echo $(frob a)", ["frob *"]),
    ("FOO=1 frob a", ["FOO=1 frob *"]),
    ("frob '*'", ["frob '*'"]),
]
ASKS = [
    ("npm runner", ["npm run *"]),
    ("npm run build && rm x", ["npm run *"]),
    ("npm run build\nrm x", ["npm run *"]),
    ("npm run $(rm x)", ["npm run *"]),
    ("npm run `rm x`", ["npm run *"]),
    ("npm run <(rm x)", ["npm run *"]),
    ("npm run $X", ["npm run *"]),
    ('npm run "$X"', ["npm run *"]),
    ("npm run build > out.txt", ["npm run *"]),
    ("npm run build >> out.txt", ["npm run *"]),
    ("npm run build &> out.txt", ["npm run *"]),
    ("FOO=1 npm run build", ["npm run *"]),
    ("PATH=. npm run build", ["npm run *"]),
    ("env FOO=1 frob a", ["frob *"]),
    ("sudo frob a", ["frob *"]),
    ("sudo frob a", ["sudo *"]),
    ("xargs frob", ["frob *"]),
    ("bash -c 'frob a'", ["bash *"]),
    ("bash -c 'frob a'", ["frob *"]),
    ("./npm run build", ["npm run *"]),
    ("/tmp/npm run build", ["npm run *"]),
    ("cd /srv && frob a", ["frob *", "cd *"]),
    ("frob *", ["frob '*'"]),
    ("$X", ["*"]),
    ("git -c core.pager=x log", ["git log *"]),
]


@pytest.mark.parametrize(("command", "allow"), RUNS)
@pytest.mark.proves("R003-41", "R003-43", "R002-5", "R002-9")
def test_a_line_runs_when_every_part_is_covered(command: str, allow: list[str]) -> None:
    decision = allowed(command, *allow)

    assert (decision.verdict, decision.stage) == (Verdict.RUN, Stage.ALLOW_RULE), decision.because


@pytest.mark.parametrize(("command", "allow"), ASKS)
@pytest.mark.proves("R003-41", "R003-45", "R003-47", "R002-9", "T-20", "D-1", "D-2", "D-3", "D-7")
def test_a_line_asks_when_a_part_is_not(command: str, allow: list[str]) -> None:
    assert allowed(command, *allow).verdict is Verdict.ASK


@pytest.mark.proves("D-1", "R003-43", "R003-46")
def test_a_privilege_wrapper_is_seen_through_only_where_the_policy_says_so() -> None:
    strip = PolicyOptions(strip_privilege_wrappers=True)

    assert allowed("sudo frob a", "frob *").verdict is Verdict.ASK
    assert allowed("sudo frob a", "frob *", options=strip).verdict is Verdict.RUN
    assert allowed("sudo rm -rf /", "rm *", options=strip).stage is Stage.BREAKER


def test_a_bare_rule_covers_words_nobody_knows_and_redirections() -> None:
    assert allowed("frob $X > out.txt", "terminal.exec").verdict is Verdict.ASK
    assert (
        given.decided(given.run("frob $X > out.txt"), given.policy(allow=["terminal.exec"])).verdict
        is Verdict.RUN
    )


@pytest.mark.proves("D-8", "T-32")
def test_a_reader_in_a_repository_nobody_trusts_needs_a_rule() -> None:
    call, rules = given.run("git log > log.txt"), ["files.save(/log.txt)"]

    assert given.decided(call, given.policy(allow=rules), trusted=True).verdict is Verdict.RUN
    assert given.decided(call, given.policy(allow=rules), trusted=False).verdict is Verdict.ASK


def test_rules_and_grants_do_not_add_up() -> None:
    snapshot = given.policy(allow=["terminal.exec(a)"], grants=["terminal.exec(b)"])

    assert given.decided(given.run("a; b"), snapshot).verdict is Verdict.ASK


def test_what_is_not_covered_is_named() -> None:
    snapshot = given.policy(allow=["terminal.exec(a)"])
    call = given.run("a; b 1; ls; c")
    case = Case(call, given.SHELL, snapshot, given.facts(call, snapshot))

    assert [part.text for part in uncovered_parts(case, (snapshot.rules,))] == ["b 1", "c"]
    assert covering_rule(case, (snapshot.rules,)) is None
    assert covering_scoped_rule(case, (snapshot.rules,), case.parts[:1]) == snapshot.rules.lists["allow"][0]


def test_a_line_that_only_reads_needs_no_rule_and_names_none() -> None:
    snapshot = given.policy(allow=["terminal.exec(a)"])
    call = given.run("ls")
    case = Case(call, given.SHELL, snapshot, given.facts(call, snapshot))

    assert covering_rule(case, (snapshot.rules,)) is None
    assert uncovered_parts(case, (snapshot.rules,)) == ()


def test_a_bare_grant_covers_a_call_of_any_dialect() -> None:
    for call in (
        given.mail(),
        given.on_path(given.SAVE_FILE, "/srv/x"),
        given.run("$X"),
        Call(tool="pwsh.exec", args={}),
    ):
        case = Case(call, given.policy().tools[call.tool], given.policy(), given.facts(call, given.policy()))

        assert covering_rule(case, given.policy(grants=["*"]).grants.for_call(call)) is not None


@pytest.mark.proves("D-7", "T-20")
@pytest.mark.parametrize(
    ("cwd", "line", "verdict"),
    [
        ("/project", "make all", Verdict.RUN),
        ("/project/src", "make all", Verdict.RUN),
        ("/srv", "make all", Verdict.ASK),
        ("/project/link", "make all", Verdict.ASK),
        ("/srv", "echo hi", Verdict.ASK),
        ("/srv", "cd ../project && make all", Verdict.ASK),
    ],
)
def test_a_call_that_starts_outside_the_workspace_is_not_covered(
    cwd: str, line: str, verdict: Verdict
) -> None:
    policy = given.policy(allow=["terminal.exec(make *)"])
    place = Place(roots=("/project",), cwd=cwd)

    decision = given.decided(given.run(line), policy, place=place, links={"/project/link": "/srv"})

    assert decision.verdict is verdict
