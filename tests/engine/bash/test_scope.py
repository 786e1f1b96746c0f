"""The known variables, directories and standard input at one point of a line."""

import pytest

from assent.engine.bash.scope import (
    MAX_DIRECTORIES,
    MAX_ITERATIONS,
    MAX_VALUE_LENGTH,
    builtin_problem,
    without_wrappers,
)
from assent.engine.programs.word import UNKNOWN_MARK, Word
from tests.engine.bash.line_texts import describe_commands, parse_readable_line, unreadable_reason


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("a=x; ls $a", "ls x"),
        ("a=x; ls ${a}", "ls x"),
        ("a=x && ls $a/y", "ls x/y"),
        ("a='x y'; ls $a", "ls x y"),
        ("a='x y'; ls \"$a\"", "ls 'x y'"),
        ("a=x; b=$a; ls $b", "ls x"),
        ("a=x; a=y; ls $a", "ls y"),
        ("a=*; ls $a", "ls *"),
        ("a='{x,y}'; ls $a", "ls {x,y}"),
        ("a=; ls x$a", "ls x"),
        ("a=$(b); ls $a", "ls ?"),
        ("a=$x; ls $a", "ls ?"),
        ("if b; then a=x; fi; ls $a", "ls ?"),
        ("b && a=x; ls $a", "ls ?"),
        ("a+=x; ls $a", "ls ?"),
        ("(a=x); ls $a", "ls ?"),
        ("a=x | b; ls $a", "ls ?"),
        ("a=x; read a; ls $a", "ls ?"),
        ("REPLY=x; read -r; ls $REPLY", "ls ?"),
        ("MAPFILE=1; mapfile; ls $MAPFILE", "ls ?"),
        ("a=; : ${a[0]:=x}; ls $a", "ls ?"),
        ("a=x; IFS=,; ls $a", "ls ?"),
        ("a=x; IFS=, read -r b; ls $a", "ls x"),
        ("a=x; IFS=$'\\t' read -r b; ls $a", "ls x"),
        ("a=x; IFS=', ' read -r b; IFS=x; ls $a", "ls ?"),
        ("ls $HOME", "ls ~"),
        ("ls $HOME/x", "ls ~/x"),
        ("HOME=/x; ls $HOME", "ls /x"),
        ("a=x & ls $a", "ls ?"),
        ("b && a=x && ls $a", "ls x"),
        ("ls $PWD/x", "ls ./x"),
        ("ls x$HOME", "ls x?"),
        ("for f in a b; do :; done; ls $f", "ls ?"),
    ],
)
@pytest.mark.proves("T-22", "T-24", "T-25")
def test_a_constant_is_used_only_where_it_is_certain(text: str, last: str) -> None:
    assert describe_commands(text)[-1] in (last, last.replace("?", "")), describe_commands(text)


@pytest.mark.proves("T-24")
def test_a_program_joined_from_constants_is_known() -> None:
    assert describe_commands("a=r; b=m; $a$b x")[-1] == "rm x"


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        ("for f in a b; do ls $f; done", ["ls a", "ls b"]),
        ("for f in {1..3}; do ls $f; done", ["ls 1", "ls 2", "ls 3"]),
        ("for f in *.py; do ls $f; done", ["ls *.py"]),
        ("for f in $x; do ls $f; done", ["ls ?"]),
        ("for f; do ls $f; done", ["ls ?"]),
        ("for f in $(ls); do cat $f; done", ["cat ?"]),
    ],
)
def test_a_loop_is_read_once_for_each_value(text: str, turns: list[str]) -> None:
    assert describe_commands(text)[-len(turns) :] == turns


def test_a_loop_with_too_many_values_is_read_once() -> None:
    many = " ".join(f"x{number}" for number in range(MAX_ITERATIONS + 1))

    assert describe_commands(f"for f in {many}; do ls $f; done")[-1] == "ls ?"
    assert len(describe_commands(f"for f in {many}; do ls $f; done")) == 2


def test_names_that_a_command_lists_are_below_the_workspace() -> None:
    found = parse_readable_line("for f in $(ls src); do cat $f; done").commands[-1]

    assert found.words[1].listed


@pytest.mark.parametrize(
    ("text", "directories"),
    [
        ("cd a && ls", ("a",)),
        ("cd a; ls", ("a/.",)),
        ("cd a && cd b && ls", ("a/b",)),
        ("cd /x && ls", ("/x",)),
        ("cd && ls", ("~",)),
        ("cd ~/x && ls", ("~/x",)),
        ("cd -- a && ls", ("a",)),
        ("cd -P a && ls", ("a",)),
        ("cd - && ls", (UNKNOWN_MARK,)),
        ("cd $x && ls", (UNKNOWN_MARK,)),
        ("cd a* && ls", (UNKNOWN_MARK,)),
        ("cd a b && ls", (UNKNOWN_MARK,)),
        ("CDPATH=/ cd a && ls", (UNKNOWN_MARK,)),
        ("cd a & ls", ("",)),
        ("popd && ls", (UNKNOWN_MARK,)),
        ("(cd a); ls", ("",)),
        ("cd a | b; ls", ("",)),
        ("command cd a && ls", ("a",)),
        ("builtin cd a && ls", ("a",)),
        ("cd a > /dev/null && ls", ("a",)),
    ],
)
@pytest.mark.proves("D-7")
def test_a_change_of_directory_applies_to_later_commands(text: str, directories: tuple[str, ...]) -> None:
    assert parse_readable_line(text).commands[-1].directories == directories


def test_after_a_branch_both_directories_are_possible() -> None:
    assert set(parse_readable_line("if a; then cd b; fi; ls").commands[-1].directories) == {"", "b/."}
    assert UNKNOWN_MARK in parse_readable_line("while a; do cd b; done; ls").commands[-1].directories
    assert set(parse_readable_line("cd a && b; ls").commands[-1].directories) == {"", "a"}


def test_too_many_directories_mean_any_directory() -> None:
    text = (
        "case x in "
        + " ".join(f"{name}) cd {name} ;;" for name in "abcdefg"[: MAX_DIRECTORIES + 1])
        + " esac; ls"
    )

    assert UNKNOWN_MARK in parse_readable_line(text).commands[-1].directories


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("f() { ls; }; f", True),
        ("f() { ls; } && f", True),
        ("{ f() { ls; }; }; f", True),
        ("a && f() { ls; }; f", False),
        ("a || f() { ls; }; f", False),
        ("f() { ls; } & f", False),
        ("(f() { ls; }); f", False),
        ("f() { ls; } | a; f", False),
        ("if a; then f() { ls; }; fi; f", False),
        ("case a in a) f() { ls; } & f ;; esac", False),
        ("g() { f() { ls; }; }; g; f", False),
    ],
)
@pytest.mark.proves("T-20", "T-22")
def test_a_function_is_known_only_where_it_is_certainly_defined(text: str, known: bool) -> None:
    assert parse_readable_line(text).commands[-1].is_function_call is known


def test_a_function_may_be_called_from_anywhere() -> None:
    assert parse_readable_line("f() { ls; }; cd a && f").commands[0].directories == (UNKNOWN_MARK,)
    assert parse_readable_line("f() { ls; }; f").commands[0].directories == ("",)


def test_a_pipe_and_a_redirection_give_an_input() -> None:
    assert [command.piped for command in parse_readable_line("a | b; c").commands] == [False, True, False]
    assert [command.piped for command in parse_readable_line("{ a; } < b").commands if command.words] == [
        True
    ]
    assert [command.piped for command in parse_readable_line("{ a; } > b").commands if command.words] == [
        False
    ]


@pytest.mark.proves("T-23")
def test_a_value_that_is_too_long_is_not_tracked() -> None:
    assert describe_commands(f"a={'x' * (MAX_VALUE_LENGTH + 1)}; ls $a")[-1] == "ls ?"


@pytest.mark.parametrize(
    "text",
    [
        'c""d ..; ls',
        "c\\d ..; ls",
        "x=c; ${x}d ..",
        'command c""d ..',
        'push""d a; pushd b; popd; popd',
        'ab=0; read a""b < f; echo $((ab))',
        "ab=0; read a\\b < f",
        "ab=0; read $'\\x61b' < f",
        "p=a; read ${p}b < f",
        "read a{b,c} < f",
        'mapfile a""b < f',
        'builtin read a""b < f',
        "x=0; read -ax < f",
        "x=0; read -rax < f",
        "x=a; command declare x=/etc; ls $x",
        "\\declare x=/etc",
        'decl""are x=/etc',
        'f() { ls "$1"; }; f a; f"" /etc',
        'f() { ls "$1"; }; x=f; $x /etc; f a',
    ],
)
@pytest.mark.proves("T-20", "T-22")
def test_a_builtin_that_changes_later_commands_must_be_spelled_out(text: str) -> None:
    assert unreadable_reason(text)


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("\\cd a; ls", ["cd a", "ls"]),
        ("'cd' a; ls", ["cd a", "ls"]),
        ("command -p cd a", ["command -p cd a"]),
        ("command -v declare", ["command -v declare"]),
        ("builtin", ["builtin"]),
        ('grep c""d f', ["grep cd f"]),
        ('read -r -p "go on" answer', ["read -r -p 'go on' answer"]),
        ('read -p "name" "answer"', ["read -p name answer"]),
        ("declare x=1", ["declare x=1"]),
        ('x=./bin; "$x"/ls a', ["x=./bin", "./bin/ls a"]),
    ],
)
def test_builtins_that_are_spelled_out_are_read(text: str, commands: list[str]) -> None:
    assert describe_commands(text) == commands


@pytest.mark.parametrize(
    ("line", "inner"),
    [("cd a", "cd a"), ("time -p command -- cd a", "cd a"), ("command", ""), ("nice cd a", "nice cd a")],
)
def test_some_wrappers_run_a_builtin_in_the_same_shell(line: str, inner: str) -> None:
    assert without_wrappers(tuple(map(Word, line.split()))) == tuple(map(Word, inner.split()))


def test_a_command_without_words_has_no_problem() -> None:
    assert builtin_problem((), (), frozenset()) is None
