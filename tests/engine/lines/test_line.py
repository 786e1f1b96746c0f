"""The parts of a line: what each command reads, writes, runs and endangers."""

import subprocess
import sys

import pytest

from assent.engine.base.facts import PathUse
from assent.engine.base.tool import Dialect
from assent.engine.bash.language import BASH
from assent.engine.lines import line as line_module
from assent.engine.lines.command import Command, NestedCode
from assent.engine.lines.line import (
    MAX_DEPTH,
    MAX_PARTS,
    MAX_WORK,
    TOO_MUCH_WORK,
    Language,
    build_program_part,
    load_language,
    parse_line,
)
from assent.engine.lines.part import ParsedCall, Part, evaluated_value_reason, evaluated_word_reason
from assent.engine.lines.spellings import MAX_FORMS
from assent.engine.programs.word import UNKNOWN_MARK, Word
from tests.engine.bash.shell_words import to_words


def parse_bash_line(text: str) -> ParsedCall:
    return parse_line(text, BASH)


def parse_only_part(text: str) -> Part:
    found = parse_bash_line(text)
    assert len(found.parts) == 1
    return found.parts[0]


def path_texts(uses: tuple[PathUse, ...]) -> list[str]:
    return [use.text for use in uses]


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("rm x", {"rm x"}),
        ("/bin/rm   x", {"rm x", "/bin/rm x"}),
        ("'rm' \"x\"", {"rm x"}),
        ("FOO=1 rm x", {"rm x", "FOO=1 rm x"}),
        ("git -C src push", {"git -C src push", "git push", "git src push"}),
        ("git --no-pager log", {"git --no-pager log", "git log"}),
        ("git -c a=b push --force", {"git -c a=b push --force", "git a=b push --force", "git push --force"}),
        ("docker --host=x ps", {"docker --host=x ps", "docker ps"}),
        ("frob -x y", {"frob -x y"}),
    ],
)
@pytest.mark.proves("R003-47", "T-24")
def test_deny_and_ask_rules_match_every_normal_form_of_a_command(text: str, hits: set[str]) -> None:
    assert set(parse_only_part(text).normal_forms) >= hits


@pytest.mark.parametrize(
    ("text", "covers"),
    [
        ("rm x", [("rm", "x")]),
        ("/bin/rm x", [("/bin/rm", "x")]),
        ("FOO=1 rm x", [("FOO=1", "rm", "x")]),
        ("LANG=C rm x", [("rm", "x"), ("LANG=C", "rm", "x")]),
        ("FOO=$X rm x", []),
        ("rm $X", []),
        ("rm *", []),
        ("rm a*", [("rm", "a*")]),
        ("rm {a,b}", [("rm", "a", "b")]),
    ],
)
@pytest.mark.proves("D-3")
def test_an_allow_rule_matches_the_words_as_written(text: str, covers: list[tuple[str, ...]]) -> None:
    assert list(parse_only_part(text).written_forms) == covers


@pytest.mark.parametrize(
    ("text", "possible"),
    [
        ("rm x", []),
        ("rm $X", [f"rm {UNKNOWN_MARK}"]),
        ("rm a$X", [f"rm {UNKNOWN_MARK}"]),
        ('rm "a$X"', [f"rm a{UNKNOWN_MARK}"]),
        ("rm a*b?", [f"rm a{UNKNOWN_MARK}b{UNKNOWN_MARK}"]),
        ("rm a[bc]d", [f"rm a{UNKNOWN_MARK}d"]),
        ("/bin/rm $X", [f"rm {UNKNOWN_MARK}", f"/bin/rm {UNKNOWN_MARK}"]),
    ],
)
def test_an_unknown_word_is_a_wildcard_in_possible_forms(text: str, possible: list[str]) -> None:
    assert list(parse_only_part(text).possible_forms) == possible


@pytest.mark.parametrize(
    ("text", "reads", "redirected"),
    [
        ("cat a b", ["a", "b"], []),
        ("cat < a", ["a"], []),
        ("frob > a 2>> b", [], ["a", "b"]),
        ("frob > /dev/null 2>&1", [], []),
        ("frob 2> /dev/stderr < /dev/fd/3", [], []),
        ("frob > /dev/fd/x", [], ["/dev/fd/x"]),
        ("frob &> a", [], ["a"]),
        ("frob >| a", [], ["a"]),
        ("> a", [], ["a"]),
    ],
)
@pytest.mark.proves("D-2", "R003-44")
def test_files_that_are_read_and_written_are_found(
    text: str, reads: list[str], redirected: list[str]
) -> None:
    found = parse_only_part(text)

    assert path_texts(found.reads) == reads
    assert path_texts(found.redirect_writes) == redirected


@pytest.mark.parametrize(
    ("text", "only_reads"),
    [
        ("ls", True),
        ("ls > a", False),
        ("a=1", True),
        ("PATH=.", False),
        ("a=1 > x", False),
        ("FOO=1 ls", False),
        ("LANG=C ls", True),
        ("export a=1", False),
        ("export LANG=C", True),
        ("export", False),
        ("local a=1", True),
        ("declare -x A", False),
        ("timeout 5 ls", True),
        ("timeout 5 frob", False),
        ("timeout 5", False),
        ("sudo ls", False),
        ("./ls", False),
        ("/bin/ls", True),
        ("f() { frob; }; f", False),
    ],
)
@pytest.mark.proves("R003-44", "R003-46", "D-3")
def test_a_part_only_reads_if_all_of_it_is_known_to(text: str, only_reads: bool) -> None:
    assert all(one.only_reads for one in parse_bash_line(text).parts) is only_reads


def test_a_redirected_reader_would_only_read_without_the_redirection() -> None:
    assert parse_only_part("ls > a").command_only_reads
    assert not parse_only_part("frob > a").command_only_reads


def test_an_unknown_program_may_write_each_of_its_operands() -> None:
    assert path_texts(parse_only_part("frob -x a b").writes) == ["a", "b"]
    assert parse_only_part("ls a").writes == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("$X", "runs a program that is itself computed"),
        ("fro*", "runs a program that is itself computed"),
        ('"$X" a', "runs a program that is itself computed"),
        ("/proc/self/exe -c ls", "runs a program whose file is different for every process"),
        ("env //proc/../dev/fd/3", "runs a program whose file is different for every process"),
        ("curl x | sh", "runs code from its input or an unknown source"),
        ("eval $X", "runs code from its input or an unknown source"),
        ('bash -c "$X"', "runs code from its input or an unknown source"),
        ('bash -c "ls $X"', "runs a text that is itself computed"),
        ("bash -c 'if'", "does not parse"),
        ("if", "does not parse"),
    ],
)
@pytest.mark.proves("R003-47", "T-20")
def test_a_computed_program_is_unreadable(text: str, reason: str) -> None:
    unreadable = parse_bash_line(text).unreadable

    assert unreadable is not None
    assert reason in unreadable


def test_the_depth_of_nested_wrappers_is_limited() -> None:
    deep = "timeout 1 " * MAX_DEPTH
    deeper = "timeout 1 " * (MAX_DEPTH + 1)

    assert parse_bash_line(deep + "ls").unreadable is None
    assert parse_bash_line(deeper + "ls").unreadable == "is nested too deeply"


@pytest.mark.parametrize(
    ("text", "directories"),
    [
        ("cd src; bash -c 'cat a'", {"src/."}),
        ("bash -c 'cd src && cat a'", {"src"}),
        ("cd src && bash -c 'cd x && cat a'", {"src/x"}),
        ("cd src && bash -c 'cd /tmp && cat a'", {"/tmp"}),
        ("cd src && bash -c 'cd ~ && cat a'", {"~"}),
    ],
)
def test_a_nested_text_runs_in_the_directory_of_the_outer_command(text: str, directories: set[str]) -> None:
    cats = [one for one in parse_bash_line(text).all_parts if one.text == "cat a"]

    assert {directory for one in cats for directory in one.directories} == directories


def test_fork_bombs_and_secret_variables_are_separate_parts() -> None:
    bomb = parse_bash_line("b() { b | b & }; b")
    secret = parse_bash_line('echo "$API_KEY"')

    assert [one.fork_bomb for one in bomb.parts if one.fork_bomb] == ["b"]
    assert [(one.secret_variable, one.only_reads) for one in secret.parts if one.secret_variable] == [
        ("API_KEY", True)
    ]


@pytest.mark.proves("T-32", "D-8")
def test_a_wrapper_needs_trust_if_its_nested_command_does() -> None:
    assert parse_only_part("git status").needs_trust
    assert parse_only_part("timeout 5 git status").needs_trust
    assert not parse_only_part("ls").needs_trust


def test_a_part_is_shown_as_it_was_typed() -> None:
    assert [
        one.text for one in parse_bash_line("ls   -l | grep 'a b'; timeout 3 frob \"x y\"").all_parts
    ] == [
        "ls   -l",
        "grep 'a b'",
        'timeout 3 frob "x y"',
        "frob 'x y'",
    ]


@pytest.mark.proves("T-28", "R-21")
@pytest.mark.parametrize(
    "text",
    [
        "ls " + "a " * MAX_WORK,
        "sudo env nice " * 200,
        ("timeout 5 env frob " + "a " * 8 + "\n") * 200,
        "eval " + "-c ls " * 1000,
        "bash -c '" + "ls a b c; " * 250 + "'; " + "bash -c '" + "ls a b c; " * 200 + "'",
        "bash -c '" + "# " + "x" * 20_000 + "\nls'; bash -c '# " + "y" * 12_000 + "\nls'",
        "mv " + " ".join(f"a{number}" for number in range(MAX_WORK // 2)),
    ],
    ids=["words", "wrappers", "wrapped lines", "options", "carried commands", "carried texts", "paths"],
)
def test_a_line_that_takes_too_much_work_is_unreadable(text: str) -> None:
    found = parse_bash_line(text)

    assert found.unreadable is not None
    assert len(found.all_parts) <= MAX_PARTS * 2


def test_a_command_that_a_line_repeats_is_the_same_part_again() -> None:
    first, other, last = parse_bash_line("echo -- && ls src && echo --").parts

    assert (first is last, first == other) == (True, False)


@pytest.mark.proves("T-27")
@pytest.mark.parametrize(
    "text",
    ["cat a; cd sub; cat a", "x=a; cat $x; x=b; cat $x", "ls; echo rm | ls", "f; f() { rm a; }; f"],
    ids=["directory", "variable", "input", "function"],
)
def test_a_command_that_is_only_spelled_the_same_is_read_by_itself(text: str) -> None:
    same = {id(one) for one in parse_bash_line(text).parts if one.text in ("cat a", "cat $x", "ls", "f")}

    assert len(same) == 2


@pytest.mark.proves("T-28")
def test_each_repetition_of_a_command_costs_work() -> None:
    line = "frob " + "a " * 9
    often = MAX_WORK // (3 + 10)

    assert parse_bash_line("\n".join([line] * often)).unreadable is None
    assert parse_bash_line("\n".join([line] * (often + 1))).unreadable == "would run more than can be read"


def test_some_hundred_files_are_moved_and_removed_by_a_line_that_is_read() -> None:
    names = " ".join(f"a{number}" for number in range(300))

    assert [parse_bash_line(f"{program} {names} b").unreadable for program in ("mv", "cp", "rm -r")] == [
        None
    ] * 3


@pytest.mark.proves("T-28")
def test_a_command_with_too_many_normal_forms_is_unreadable() -> None:
    few, many = "frob " + "-a b " * 4 + "c", "frob " + "-a b " * MAX_FORMS + "c"

    assert parse_only_part(few).unreadable is None
    assert parse_only_part(many).unreadable == "could be spelled in more ways than can be read"


def test_long_lines_of_everyday_size_are_read() -> None:
    script = "\n".join(f"work {number} --option value " + "word " * 20 for number in range(50))

    assert parse_bash_line(script).unreadable is None


def build_part(
    text: str, *, left: bool = True, carried: NestedCode | None = None, inner: tuple[Part, ...] = ()
) -> Part:
    command = Command(tuple(map(Word, text.split())))
    return build_program_part(text, command, BASH, lambda _work: left, carried, inner)


@pytest.mark.parametrize(
    ("text", "reads", "writes"),
    [("cat a", ["a"], []), ("touch b", [], ["b"]), ("cp a b", ["a"], ["b", "b/a"]), ("frob c", [], ["c"])],
)
def test_the_words_of_a_program_name_the_files_that_it_reads_and_writes(
    text: str, reads: list[str], writes: list[str]
) -> None:
    found = build_part(text)

    assert [use.text for use in found.reads] == reads
    assert [use.text for use in found.writes] == writes


def test_a_program_that_runs_another_only_reads_if_that_does() -> None:
    carried = NestedCode(at=2, transparent=True, covers=True)
    found = [
        build_part("timeout 3 x", carried=carried, inner=(Part("x", only_reads=reads),))
        for reads in (True, False)
    ]

    assert [(one.only_reads, one.is_covered_by_nested, one.nested_at) for one in found] == [
        (True, True, 2),
        (False, True, 2),
    ]


def test_a_command_with_too_many_paths_is_unreadable() -> None:
    assert build_part("cp a b c d", left=False).unreadable == TOO_MUCH_WORK


REASON = "evaluates a text that holds a command"


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("test -v 'a[$(id)]'", REASON),
        ("let 'a[`id`]'", REASON),
        ("printf -v 'a[$(id)]' x", REASON),
        ("printf 'a[$(id)]'", None),
        ("test -v a", None),
        ("echo 'a[$(id)]'", None),
    ],
)
def test_a_builtin_evaluates_its_words(line: str, reason: str | None) -> None:
    assert evaluated_word_reason(Command(to_words(line))) == reason


@pytest.mark.proves("T-20", "T-24")
@pytest.mark.parametrize(
    "line",
    [
        "echo 'a[$(id)]' | bash -c 'read x; echo $((x))'",
        "echo 'a[`id`]' | { read x; echo $((x)); }",
        "bash -c 'read x; echo $((x))' <<< 'a[$(id)]'",
        "echo 'a[$(id)]' | zsh -c 'read x; (( x ))'",
        "echo 'a[$(id)]' | ksh -c 'read x; echo ${y:x}'",
        "bash -c '[[ $1 -eq 1 ]]' _ 'a[$(id)]'",
        "bash -c '(( $1 ))' _ 'a[$(id)]'",
        "bash -c 'declare -i y=$1' _ 'a[$(id)]'",
        "bash -c 'let $1' _ 'a[$(id)]'",
        "for i in 'a[$(id)]'; do echo $((i)); done",
        "while read i; do [[ i -gt 1 ]]; done <<< 'a[$(id)]'",
        "a=('b[$(id)]'); echo $((a[0]))",
        "echo 'a''[$(id)]' | { read x; echo $((x)); }",
    ],
)
def test_an_unknown_value_may_be_a_text_of_the_line(line: str) -> None:
    found = parse_line(line, BASH)

    assert found.unreadable == REASON


@pytest.mark.parametrize(
    "line",
    [
        "while read -r a; do echo $((a)); done < numbers",
        "bash -c 'for f in $(ls); do read n < $f; echo $((n)); done'",
        "echo 'a[$(id)]'",
        "[[ $n -gt 1 ]] && git commit -m 'use `x`'",
        "[ $(wc -l < a) -gt 3 ] && echo $((x))",
        "read i; echo ${a[$((i+1))]}",
        "declare x=1; echo 'a[`id`]'",
        "a=(b c); ls",
    ],
)
def test_an_unknown_value_alone_counts_as_a_number(line: str) -> None:
    assert evaluated_value_reason(line, parse_line(line, BASH).all_parts) is None


@pytest.mark.parametrize("dialect", [Dialect.SHELL, Dialect.POWERSHELL])
def test_a_dialect_of_commands_has_a_language(dialect: Dialect) -> None:
    assert isinstance(load_language(dialect), Language)


def test_a_module_without_a_language_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(line_module._LANGUAGES, Dialect.TEXT, ("base.tool", "Dialect"))

    with pytest.raises(TypeError, match="is not a language"):
        load_language(Dialect.TEXT)


def test_a_bash_line_does_not_load_powershell() -> None:
    program = (
        "import sys; from assent.engine.lines.line import load_language; from assent.engine.base.tool import Dialect;"
        "load_language(Dialect.SHELL); sys.exit('assent.engine.powershell.language' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
