"""The values that every stage uses: the effect of a call, its directories, its reads and changes."""

from dataclasses import replace

import pytest

from assent.engine.base.facts import CallDirectories, Facts, PathUse
from assent.engine.base.tool import Call, Dialect, Effect, Tool
from assent.engine.case import Case, covering_rule, covering_scoped_rule, paths_in_parts, uncovered_parts
from assent.engine.parsing import parse_call
from assent.engine.policy.modes import Mode
from assent.engine.policy.snapshot import PolicyOptions, Snapshot
from assent.engine.policy.verdict import Decision, Stage, Verdict
from tests.engine import given


def build_case(call: Call, snapshot: Snapshot | None = None, **world: object) -> Case:
    snapshot = snapshot or given.make_snapshot()
    return Case(call, snapshot.tools[call.tool], snapshot, given.make_facts(call, snapshot, **world))


@pytest.mark.parametrize("effect", [one for one in Effect if one is not Effect.DESTRUCTIVE])
@pytest.mark.proves("R003-44")
def test_a_shell_line_that_only_reads_is_a_read_whatever_the_tool_declares(effect: Effect) -> None:
    tool = Tool(name="t", effect=effect, dialect=Dialect.SHELL)
    reads, changes = (Call(tool="t", args={"command": text}) for text in ("ls src", "frob"))

    assert build_case(reads, given.make_snapshot(tool)).effect is Effect.READ
    assert build_case(changes, given.make_snapshot(tool)).effect is effect


def test_a_destructive_shell_stays_destructive() -> None:
    tool = Tool(name="t", effect=Effect.DESTRUCTIVE, dialect=Dialect.SHELL)

    assert (
        build_case(Call(tool="t", args={"command": "ls"}), given.make_snapshot(tool)).effect
        is Effect.DESTRUCTIVE
    )


@pytest.mark.parametrize(
    ("path", "effect"),
    [("src/a", Effect.EDIT), ("/srv/a", Effect.WRITE), (None, Effect.WRITE), ("../a", Effect.WRITE)],
)
def test_an_edit_outside_the_workspace_is_a_write(path: str | None, effect: Effect) -> None:
    assert build_case(given.file_call(given.SAVE_FILE, path)).effect is effect


def test_an_edit_of_a_path_without_facts_is_a_write() -> None:
    call = given.file_call(given.SAVE_FILE, "src/a")

    assert (
        Case(call, given.SAVE_FILE, given.make_snapshot(), Facts(directories=given.DIRECTORIES)).effect
        is Effect.WRITE
    )


def test_an_edit_through_a_link_that_leaves_is_a_write() -> None:
    assert (
        build_case(given.file_call(given.SAVE_FILE, "a"), links={"/project/a": "/srv/a"}).effect
        is Effect.WRITE
    )


def test_an_edit_of_one_path_inside_and_one_outside_is_a_write() -> None:
    assert build_case(given.file_call(given.SAVE_FILE, ["a", "/srv/a"])).effect is Effect.WRITE


@pytest.mark.proves("D-8", "T-32")
def test_a_repository_is_read_without_asking_only_if_trusted() -> None:
    assert build_case(given.shell_call("git status"), trusted=True).effect is Effect.READ
    assert build_case(given.shell_call("git status"), trusted=False).effect is Effect.EXECUTE


@pytest.mark.parametrize(
    ("command", "effect"),
    [
        ("cd src && ls", Effect.READ),
        ("cd /srv && ls", Effect.EXECUTE),
        ("cd ~ && ls", Effect.EXECUTE),
        ("cd $X && ls", Effect.EXECUTE),
        ("cd src && cd ../.. && ls", Effect.EXECUTE),
    ],
)
@pytest.mark.proves("D-7")
def test_a_reader_that_runs_outside_the_workspace_is_no_read(command: str, effect: Effect) -> None:
    assert build_case(given.shell_call(command)).effect is effect


def test_a_directory_that_is_a_link_to_outside_is_outside() -> None:
    assert (
        build_case(given.shell_call("cd src && ls"), links={"/project/src": "/srv"}).effect is Effect.EXECUTE
    )


@pytest.mark.parametrize(
    ("call", "where"),
    [
        (given.shell_call("cat a"), None),
        (given.shell_call("cat /etc/passwd"), "/etc/passwd"),
        (given.shell_call("cat /etc/hosts"), None),
        (given.shell_call("cat <(ls)"), None),
        (given.shell_call("cat .env"), ".env"),
        (given.shell_call("cat .env.example"), None),
        (given.shell_call("cat .env*"), ".env*"),
        (given.shell_call("cat < /srv/x"), "/srv/x"),
        (given.file_call(given.READ_FILE, "../x"), "../x"),
        (given.file_call(given.SAVE_FILE, "../x"), None),
        (given.mail_call(to="/etc/passwd"), None),
    ],
    ids=str,
)
@pytest.mark.proves("D-6")
def test_the_path_that_a_call_reads_outside_is_found(call: Call, where: str | None) -> None:
    found = build_case(call)

    assert next((one for part in found.parts if (one := found.find_outside_read(part))), None) == where


@pytest.mark.proves("D-6")
def test_a_secret_variable_counts_as_read_outside() -> None:
    found = build_case(given.shell_call('echo "$GITHUB_TOKEN"'))

    assert [where for part in found.parts if (where := found.find_outside_read(part))] == ["$GITHUB_TOKEN"]


@pytest.mark.parametrize(
    ("call", "paths"),
    [
        (given.shell_call("ls src"), []),
        (given.shell_call("frob a > b"), ["a", "b"]),
        (given.shell_call("touch a b"), ["a", "b"]),
        (given.file_call(given.SAVE_FILE, ["a", "b"]), ["a", "b"]),
        (given.file_call(given.READ_FILE, "a"), []),
    ],
    ids=str,
)
def test_the_paths_that_a_call_may_change_are_listed(call: Call, paths: list[str]) -> None:
    assert [use.text for use in build_case(call).changed_paths()] == paths


def test_the_mode_is_the_narrowest_of_the_lineage() -> None:
    parent = given.make_snapshot(mode=Mode.ACCEPT_EDITS, parent=given.make_snapshot(mode=None))
    child = given.make_snapshot(mode=Mode.AUTO, parent=parent)

    assert build_case(given.mail_call(), child).mode is Mode.ACCEPT_EDITS
    assert child.narrowest_mode is Mode.ACCEPT_EDITS


@pytest.mark.proves("T-31")
def test_an_ancestor_may_raise_what_a_tool_is_declared_to_do() -> None:
    look_up = Tool(name="t", effect=Effect.READ)
    raised = given.make_snapshot(replace(look_up, effect=Effect.DESTRUCTIVE))
    found = build_case(Call(tool="t", args={}), given.make_snapshot(look_up, parent=raised))

    assert found.effect is Effect.DESTRUCTIVE
    assert found.declared_effects == {Effect.READ, Effect.DESTRUCTIVE}


@pytest.mark.parametrize(
    ("call", "paths"),
    [
        (given.shell_call("cat a ~/b > c"), ["/project/a", "/home/ana/b", "/project/c"]),
        (given.shell_call("cd src && cat a"), ["/project/src/a", "/project/src"]),
        (given.shell_call("cat $X"), []),
        (given.shell_call("rm -rf build"), ["/project/build"]),
        (given.shell_call("timeout 3 cat a"), ["/project/a"]),
        (given.file_call(given.READ_FILE, ["a", None]), ["/project/a"]),
        (given.mail_call(to="a"), []),
    ],
    ids=str,
)
def test_a_decision_lists_the_paths_that_it_needs(call: Call, paths: list[str]) -> None:
    tool = given.make_snapshot().tools[call.tool]

    assert set(paths_in_parts(parse_call(call, tool).all_parts, given.DIRECTORIES)) == set(paths)


def test_a_path_in_an_unknown_directory_is_outside_the_workspace() -> None:
    assert not build_case(given.shell_call("ls")).is_in_workspace(PathUse("a", "\0"))


def decide_with_allow_rules(command: str, *allow: str, **more: object) -> Decision:
    """The decision about a line if these commands are allowed."""
    rules = [text if "(" in text else f"terminal.exec({text})" for text in allow]
    return given.decide_call(given.shell_call(command), given.make_snapshot(allow=rules, **more))


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
    decision = decide_with_allow_rules(command, *allow)

    assert (decision.verdict, decision.stage) == (Verdict.RUN, Stage.ALLOW_RULE), decision.because


@pytest.mark.parametrize(("command", "allow"), ASKS)
@pytest.mark.proves("R003-41", "R003-45", "R003-47", "R002-9", "T-20", "D-1", "D-2", "D-3", "D-7")
def test_a_line_asks_when_a_part_is_not(command: str, allow: list[str]) -> None:
    assert decide_with_allow_rules(command, *allow).verdict is Verdict.ASK


@pytest.mark.proves("D-1", "R003-43", "R003-46")
def test_a_privilege_wrapper_is_seen_through_only_where_the_policy_says_so() -> None:
    strip = PolicyOptions(strip_privilege_wrappers=True)

    assert decide_with_allow_rules("sudo frob a", "frob *").verdict is Verdict.ASK
    assert decide_with_allow_rules("sudo frob a", "frob *", options=strip).verdict is Verdict.RUN
    assert decide_with_allow_rules("sudo rm -rf /", "rm *", options=strip).stage is Stage.BREAKER


def test_a_rule_for_the_whole_tool_covers_unknown_words_and_redirections() -> None:
    assert decide_with_allow_rules("frob $X > out.txt", "terminal.exec").verdict is Verdict.ASK
    assert (
        given.decide_call(
            given.shell_call("frob $X > out.txt"), given.make_snapshot(allow=["terminal.exec"])
        ).verdict
        is Verdict.RUN
    )


@pytest.mark.proves("D-8", "T-32")
def test_a_reader_in_an_untrusted_repository_needs_a_rule() -> None:
    call, rules = given.shell_call("git log > log.txt"), ["files.save(/log.txt)"]

    assert given.decide_call(call, given.make_snapshot(allow=rules), trusted=True).verdict is Verdict.RUN
    assert given.decide_call(call, given.make_snapshot(allow=rules), trusted=False).verdict is Verdict.ASK


def test_rules_and_grants_do_not_add_up() -> None:
    snapshot = given.make_snapshot(allow=["terminal.exec(a)"], grants=["terminal.exec(b)"])

    assert given.decide_call(given.shell_call("a; b"), snapshot).verdict is Verdict.ASK


def test_the_uncovered_parts_are_listed() -> None:
    snapshot = given.make_snapshot(allow=["terminal.exec(a)"])
    call = given.shell_call("a; b 1; ls; c")
    case = Case(call, given.SHELL, snapshot, given.make_facts(call, snapshot))

    assert [part.text for part in uncovered_parts(case, (snapshot.rules,))] == ["b 1", "c"]
    assert covering_rule(case, (snapshot.rules,)) is None
    assert covering_scoped_rule(case, (snapshot.rules,), case.parts[:1]) == snapshot.rules.lists["allow"][0]


def test_a_line_that_only_reads_needs_no_rule_and_names_none() -> None:
    snapshot = given.make_snapshot(allow=["terminal.exec(a)"])
    call = given.shell_call("ls")
    case = Case(call, given.SHELL, snapshot, given.make_facts(call, snapshot))

    assert covering_rule(case, (snapshot.rules,)) is None
    assert uncovered_parts(case, (snapshot.rules,)) == ()


def test_a_grant_for_the_whole_tool_covers_a_call_of_any_dialect() -> None:
    for call in (
        given.mail_call(),
        given.file_call(given.SAVE_FILE, "/srv/x"),
        given.shell_call("$X"),
        Call(tool="pwsh.exec", args={}),
    ):
        case = Case(
            call,
            given.make_snapshot().tools[call.tool],
            given.make_snapshot(),
            given.make_facts(call, given.make_snapshot()),
        )

        assert (
            covering_rule(case, given.make_snapshot(grants=["*"]).grants.rule_sets_for_call(call)) is not None
        )


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
    policy = given.make_snapshot(allow=["terminal.exec(make *)"])
    directories = CallDirectories(roots=("/project",), cwd=cwd)

    decision = given.decide_call(
        given.shell_call(line), policy, directories=directories, links={"/project/link": "/srv"}
    )

    assert decision.verdict is verdict
