"""Commands in the values of variables, which some program will run."""

import pytest

from assent.engine.lines.command import Assignment, Command
from assent.engine.lines.nested import Carried
from assent.engine.lines.variable_commands import assigned, with_assigned, written_by_variables
from assent.engine.programs.word import HOLE, Word
from assent.engine.verdict import Stage, Verdict
from tests.engine import given
from tests.engine.bash.spelled import texts, words

DENIES_RM = {"allow": ["terminal.exec"], "deny": ["terminal.exec(rm *)"]}


def setting(name: str, value: str, line: str = "p") -> Command:
    return Command(words(line), (Assignment(name, Word(value)),))


@pytest.mark.proves("T-20", "T-24")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PAGER", "rm x"),
        ("GIT_EDITOR", "rm x"),
        ("GIT_SSH_COMMAND", "rm x"),
        ("SSH_ASKPASS", "rm x"),
        ("npm_config_script_shell", "rm x"),
        ("RUSTC_WRAPPER", "rm x"),
        ("CC", "rm x"),
        ("LESSOPEN", "|rm x"),
        ("LESSOPEN", "||-rm x"),
        ("EXINIT", ":!rm x"),
        ("LESS", "+!rm x"),
        ("GOFLAGS", "-v -toolexec='rm x'"),
        ("RUSTFLAGS", "-C linker='rm x'"),
        ("GIT_CONFIG_PARAMETERS", "'core.pager=rm x' 'user.name=a'"),
    ],
)
def test_what_a_variable_would_run_is_carried(name: str, value: str) -> None:
    found = with_assigned(None, setting(name, value))

    assert found is not None
    assert [texts(vector) for vector in found.commands] == ["rm x"]
    assert (found.at, found.transparent, found.covers) == (-1, False, False)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PAGER", "cat"),
        ("PAGER", ""),
        ("FOO", "rm x"),
        ("SHELL", "/bin/bash"),
        ("CC", HOLE),
        ("EXINIT", "set number"),
        ("PS1", "a"),
        ("GOFLAGS", "-mod=mod"),
        ("GOFLAGS", "-toolexec='a"),
        ("GIT_CONFIG_VALUE_0", "rm x"),
        ("LANG", "C"),
    ],
)
def test_a_value_that_nobody_runs_is_not(name: str, value: str) -> None:
    assert with_assigned(None, setting(name, value)) is None


@pytest.mark.proves("T-24")
def test_what_is_more_than_a_plain_command_is_shell_text() -> None:
    given = {"PROMPT_COMMAND": "a; rm x", "PS4": "$(rm x)", "EDITOR": "rm 'x"}
    found = [with_assigned(None, setting(name, value)) for name, value in given.items()]

    assert [text.text for one in found if one is not None for text in one.texts] == [
        "a; rm x",
        ": $(rm x)",
        "rm 'x",
    ]


def test_a_setting_of_git_is_known_by_its_key() -> None:
    key, value = (
        Assignment("GIT_CONFIG_KEY_1", Word("core.pager")),
        Assignment("GIT_CONFIG_VALUE_1", Word("rm x")),
    )

    found = with_assigned(None, Command(words("git log"), (key, value)))

    assert found is not None
    assert [texts(vector) for vector in found.commands] == ["rm x"]


def test_what_the_words_carry_stays() -> None:
    found = with_assigned(Carried((words("ls"),), at=1, transparent=True), setting("PAGER", "rm x"))

    assert found is not None
    assert ([texts(vector) for vector in found.commands], found.at, found.transparent) == (
        ["ls", "rm x"],
        1,
        False,
    )


def test_assignments_among_words_count_where_a_program_takes_them() -> None:
    assert assigned(Command(words("make -j2 CC=a all"))) == (Assignment("CC", Word("a")),)
    assert assigned(Command(words("cmake -DCMAKE_C_COMPILER:PATH=a ."))) == (
        Assignment("CMAKE_C_COMPILER", Word("a")),
    )
    assert assigned(Command(words("frob CC=a"))) == ()


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    "command",
    [
        "PAGER='rm x' man ls",
        "PAGER='rm x'; man ls",
        "export EDITOR='rm x'",
        "env GIT_PAGER='rm x' git log",
        "CC='rm x' make",
        "make CC='rm x'",
    ],
)
def test_a_deny_rule_holds_for_a_program_in_a_variable(command: str) -> None:
    decision = given.decided(given.run(command), given.policy(**DENIES_RM))

    assert (decision.verdict, decision.stage) == (Verdict.DENY, Stage.DENY_RULE)


@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        ("terminal.exec(CC=clang make *)", Verdict.RUN),
        ("terminal.exec(CC=* make *)", Verdict.ASK),
        ("terminal.exec(make *)", Verdict.ASK),
    ],
)
def test_an_allow_rule_covers_it_only_when_it_spells_it_out(rule: str, verdict: Verdict) -> None:
    assert given.decided(given.run("CC=clang make all"), given.policy(allow=[rule])).verdict is verdict


@pytest.mark.proves("T-20")
@pytest.mark.parametrize("command", ['EDITOR="$X" git commit', "BASH_CMDS[a]=/bin/rm; a x"])
def test_a_program_that_is_computed_cannot_be_read(command: str) -> None:
    assert given.decided(given.run(command), given.policy()).stage is Stage.UNREADABLE


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PERL5DB", "BEGIN{system('rm x')}"),
        ("NODE_OPTIONS", "--import data:text/javascript,execSync('rm x')"),
        ("FZF_DEFAULT_OPTS", "--bind start:execute(rm x)"),
    ],
)
def test_code_in_a_variable_is_looked_through(name: str, value: str) -> None:
    found = with_assigned(None, setting(name, value))

    assert found is not None
    assert "rm x" in [texts(vector) for vector in found.commands]


@pytest.mark.proves("T-24")
def test_a_function_of_another_shell_is_shell_text() -> None:
    found = with_assigned(None, Command((Word("env"), Word("BASH_FUNC_ls%%=() { rm x; }"), Word("bash"))))

    assert found is not None
    assert [word.text for word in found.texts] == [" { rm x; }"]


@pytest.mark.proves("T-20")
@pytest.mark.parametrize(
    ("name", "value", "computed"),
    [
        ("BASH_ENV", "/dev/fd/63", True),
        ("ENV", "/dev/stdin", True),
        ("BASH_ENV", "./env", False),
        ("OUT", "/dev/stdin", False),
    ],
)
def test_what_a_shell_reads_first_may_come_from_elsewhere(name: str, value: str, computed: bool) -> None:
    found = with_assigned(None, setting(name, value, "bash -c ls"))

    assert (found is not None and found.computed) is computed


@pytest.mark.proves("T-29")
@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("GIT_TRACE", ["x"]),
        ("GIT_TRACE2_PERF", ["x"]),
        ("sslkeylogfile", ["x"]),
        ("HISTFILE", ["x"]),
        ("A", []),
    ],
)
def test_a_variable_may_name_a_file_to_write(name: str, files: list[str]) -> None:
    assert [word.text for word in written_by_variables(setting(name, "x"))] == files


def test_a_command_that_sets_nothing_writes_nothing_by_that() -> None:
    assert written_by_variables(Command(words("ls GIT_TRACE=x"))) == ()
