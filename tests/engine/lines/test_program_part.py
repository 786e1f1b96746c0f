"""A program that a line runs: what its words alone say of it."""

import subprocess
import sys

import pytest

from assent.engine.bash.language import BASH
from assent.engine.lines import program_part
from assent.engine.lines.command import Command
from assent.engine.lines.line import parse_line
from assent.engine.lines.nested import Carried
from assent.engine.lines.part import Part
from assent.engine.lines.program_part import (
    TOO_MUCH,
    Language,
    evaluated_value_reason,
    evaluated_word_reason,
    part_of_program,
)
from assent.engine.model import Dialect
from assent.engine.programs.word import Word
from tests.engine.bash.spelled import words


def part(
    text: str, *, left: bool = True, carried: Carried | None = None, inner: tuple[Part, ...] = ()
) -> Part:
    command = Command(tuple(map(Word, text.split())))
    return part_of_program(text, command, BASH, lambda _work: left, carried, inner)


@pytest.mark.parametrize(
    ("text", "reads", "writes"),
    [("cat a", ["a"], []), ("touch b", [], ["b"]), ("cp a b", ["a"], ["b", "b/a"]), ("frob c", [], ["c"])],
)
def test_a_program_reads_and_writes_what_its_words_say(
    text: str, reads: list[str], writes: list[str]
) -> None:
    found = part(text)

    assert [use.text for use in found.reads] == reads
    assert [use.text for use in found.writes] == writes


def test_a_program_that_runs_another_only_reads_if_that_does() -> None:
    carried = Carried(at=2, transparent=True, covers=True)
    found = [
        part("timeout 3 x", carried=carried, inner=(Part("x", only_reads=reads),)) for reads in (True, False)
    ]

    assert [(one.only_reads, one.passes_through, one.carried_at) for one in found] == [
        (True, True, 2),
        (False, True, 2),
    ]


def test_a_program_of_more_paths_than_may_be_read_is_left_to_a_person() -> None:
    assert part("cp a b c d", left=False).unreadable == TOO_MUCH


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
    assert evaluated_word_reason(Command(words(line))) == reason


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
def test_an_unknown_value_may_be_what_the_line_spells_out(line: str) -> None:
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
def test_an_unknown_value_alone_is_a_number_to_everybody(line: str) -> None:
    assert evaluated_value_reason(line, parse_line(line, BASH).all_parts) is None


@pytest.mark.parametrize("dialect", [Dialect.SHELL, Dialect.POWERSHELL])
def test_a_dialect_of_commands_has_a_language(dialect: Dialect) -> None:
    assert isinstance(program_part.language_of(dialect), Language)


def test_what_is_not_a_language_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(program_part._HOMES, Dialect.TEXT, ("model", "Dialect"))

    with pytest.raises(TypeError, match="is not a language"):
        program_part.language_of(Dialect.TEXT)


def test_a_bash_line_does_not_load_powershell() -> None:
    program = (
        "import sys; from assent.engine.lines.program_part import language_of; from assent.engine.model import Dialect;"
        "language_of(Dialect.SHELL); sys.exit('assent.engine.powershell.language' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
