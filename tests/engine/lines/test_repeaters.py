"""Commands that run once for each of many names."""

import pytest

from assent.engine.lines import repeaters
from assent.engine.lines.command import Command, NestedCode
from assent.engine.lines.nested import find_nested
from assent.engine.lines.repeaters import MAX_ACTIONS, nested_in_fd, nested_in_find
from assent.engine.programs.catalog import find_program
from assent.engine.programs.word import UNKNOWN_MARK, Word
from tests.engine.bash.shell_words import join_word_texts, to_command, to_words


def nested_in_xargs(given: Command) -> NestedCode | None:
    return repeaters.nested_in_xargs(given, find_program("xargs").runs_options)


def nested_in_parallel(given: Command) -> NestedCode | None:
    return repeaters.nested_in_parallel(given, find_program("parallel").runs_options)


NAME = Word(UNKNOWN_MARK)
NAMES = Word(UNKNOWN_MARK, splits=True)
LISTED = Word(UNKNOWN_MARK, listed=True)
LISTED_NAMES = Word(UNKNOWN_MARK, listed=True, splits=True)
HERE = (Word("."),)


def nested_texts(found: NestedCode | None) -> list[str]:
    assert found is not None
    return [join_word_texts(vector) for vector in found.commands]


@pytest.mark.proves("T-20", "T-24")
@pytest.mark.parametrize(
    ("line", "run"),
    [
        ("xargs", "echo □"),
        ("xargs rm", "rm □"),
        ("xargs -0 rm -f", "rm -f □"),
        ("xargs -r -n 1 -P 4 rm", "rm □"),
        ("xargs -n1 -P4 rm", "rm □"),
        ("xargs -0rn1 rm", "rm □"),
        ("xargs --null --max-args=1 rm", "rm □"),
        ("xargs -L 1 rm", "rm □"),
        ("xargs -d ' ' rm", "rm □"),
        ("xargs -t -x -s 100 rm", "rm □"),
        ("xargs -a list rm", "rm □"),
        ("xargs --arg-file=list rm", "rm □"),
        ("xargs -- rm", "rm □"),
        ("xargs -I{} rm {}", "rm □"),
        ("xargs -I {} rm -f {} a", "rm -f □ a"),
        ("xargs -I% rm %", "rm □"),
        ("xargs -i rm {}", "rm □"),
        ("xargs --replace rm {}", "rm □"),
        ("xargs --replace=@ rm @", "rm □"),
        ("xargs -J % rm % a", "rm □ a"),
        ("xargs -I{} rm a", "rm a"),
        ("xargs -I{} -n1 rm {}", "rm □ □"),
        ("gxargs rm", "rm □"),
        ("/usr/bin/xargs sudo rm", "sudo rm □"),
    ],
)
def test_xargs_completes_a_command_with_names(line: str, run: str) -> None:
    found = nested_in_xargs(to_command(line))

    assert (nested_texts(found), found.certain) == ([run], True)


@pytest.mark.proves("T-20")
@pytest.mark.parametrize(
    ("line", "transparent"),
    [
        ("xargs ls", True),
        ("xargs -0 -n1 -P4 ls", True),
        ("xargs -I{} ls {}", True),
        ("xargs -p ls", False),
        ("xargs -o ls", False),
        ("xargs --process-slot-var=PATH ls", False),
        ("xargs --new ls", False),
        ("xargs $X ls", False),
        ("./xargs ls", False),
        ("xargs -I{} {} a", False),
        ("xargs -I{} sh -c 'ls {}'", True),
    ],
)
def test_xargs_is_transparent_for_readers_but_not_for_rules(line: str, transparent: bool) -> None:
    found = find_nested(to_command(line))

    assert found is not None
    assert (found.transparent, found.covers) == (transparent, False)


def test_names_that_the_line_lists_are_listed() -> None:
    fed = to_command("xargs cat")._replace(listing_roots=HERE)
    replaced = to_command("xargs -I{} cat {} {}/a {}/../a /etc/{}")._replace(listing_roots=HERE)

    assert nested_in_xargs(fed).commands == ((Word("cat"), LISTED_NAMES),)
    assert nested_in_xargs(to_command("xargs cat")).commands == ((Word("cat"), NAMES),)
    assert nested_in_xargs(replaced).commands == (
        (
            Word("cat"),
            LISTED,
            Word(f"{UNKNOWN_MARK}/a", listed=True),
            Word(f"{UNKNOWN_MARK}/../a"),
            Word(f"/etc/{UNKNOWN_MARK}"),
        ),
    )


@pytest.mark.proves("T-20")
@pytest.mark.parametrize(
    ("line", "listed"),
    [
        ("xargs -0 cat", True),
        ("xargs -d '\\n' cat", True),
        ("xargs -d / cat", False),
        ("xargs --delimiter=x cat", False),
        ("xargs -a other cat", False),
    ],
)
def test_names_from_a_file_or_with_another_delimiter_are_not_listed(line: str, listed: bool) -> None:
    found = nested_in_xargs(to_command(line)._replace(listing_roots=HERE))

    assert found.commands[0][-1].listed is listed


def test_a_file_of_names_is_read() -> None:
    assert nested_in_xargs(to_command("xargs -a list cat")).files == (Word("list"),)
    assert nested_in_xargs(to_command("xargs -a list --new cat")).files == (Word("list"),)


@pytest.mark.proves("T-24", "T-25")
@pytest.mark.parametrize(
    ("line", "run"),
    [
        ("| xargs rm -rf", ["rm -rf □", "rm -rf / a"]),
        ("| xargs -I{} rm -rf {}", ["rm -rf □", "rm -rf /", "rm -rf a"]),
        ("| xargs", ["echo □"]),
        ("| xargs -a list rm", ["rm □"]),
        ("| parallel rm -rf", ["rm -rf / a"]),
    ],
)
def test_names_that_another_command_prints_are_filled_in(line: str, run: list[str]) -> None:
    assert nested_texts(find_nested(to_command(line)._replace(input_words=to_words("/ a")))) == run


@pytest.mark.proves("T-20", "T-24")
@pytest.mark.parametrize(
    ("line", "run"),
    [
        ("find . -exec rm {} ;", ["rm □"]),
        ("find . -exec rm {} +", ["rm □"]),
        ("find . -type f -execdir rm -f {} ;", ["rm -f □"]),
        ("find . -ok rm {} ;", ["rm □"]),
        ("find . -okdir rm {} ;", ["rm □"]),
        ("find . -exec sh -c 'rm {}' ;", ["sh -c 'rm □'"]),
        ("find . -exec rm a ;", ["rm a"]),
        ("find . -exec echo + {} ;", ["echo + □"]),
        ("find . -exec ls {} + -o -exec rm {} ;", ["ls □", "rm □"]),
        ("find . -name a -exec ls {} ; -exec rm {} ;", ["ls □", "rm □"]),
        ("find . -new a -exec rm {} ;", ["rm □"]),
        ("find . -exec rm {}", ["rm □"]),
        ("find . -exec rm", ["rm"]),
        ("gfind . -exec rm {} ;", ["rm □"]),
        ("find $X -exec rm {} ;", ["rm □"]),
    ],
)
def test_find_runs_each_command_for_the_files_that_it_finds(line: str, run: list[str]) -> None:
    assert nested_texts(find_nested(to_command(line))) == run


def test_find_without_a_command_has_nothing_nested() -> None:
    assert nested_in_find(to_command("find . -name a")) is None
    assert nested_in_find(to_command("find . -exec")) is None
    assert nested_in_find(to_command("find . -exec ;")) is None


@pytest.mark.proves("T-20", "T-21")
@pytest.mark.parametrize(
    ("line", "transparent"),
    [
        ("find . -name a -exec cat {} ;", True),
        ("find . -type f -exec grep -l a {} +", True),
        ("find src tests -execdir cat {} ;", True),
        ("find . -exec cat {} ; -delete", False),
        ("find . -fprint out -exec cat {} ;", False),
        ("find . -ok cat {} ;", False),
        ("find . -new a -exec cat {} ;", False),
        ("find . -exec cat {}", False),
        ("find . -exec ${X} {} ;", False),
        ("./find . -exec cat {} ;", False),
    ],
)
def test_find_is_transparent_when_its_expression_only_looks(line: str, transparent: bool) -> None:
    found = find_nested(to_command(line))

    assert found is not None
    assert (found.transparent, found.covers) == (transparent, False)


@pytest.mark.proves("D-6")
@pytest.mark.parametrize(
    ("roots", "listed"),
    [
        ("", True),
        (".", True),
        ("src ./tests", True),
        ("-P src", True),
        ("/", False),
        ("src /etc", False),
        ("~", False),
        ("..", False),
        ("a/../..", False),
        ("${X}", False),
        ("-L .", False),
        (". -follow", False),
        (". -files0-from list", False),
    ],
)
def test_files_that_find_finds_are_listed_only_below_plain_roots(roots: str, listed: bool) -> None:
    found = nested_in_find(to_command(f"find {roots} -exec cat {{}} ;"))

    assert found is not None
    assert found.commands == ((Word("cat"), Word(UNKNOWN_MARK, listed=listed, operand=listed)),)


def test_many_names_at_once_may_split() -> None:
    found = nested_in_find(to_command("find . -exec cat {} +"))

    assert found is not None
    assert found == NestedCode(
        ((Word("cat"), LISTED_NAMES._replace(operand=True)),), at=3, transparent=True, files=(Word("."),)
    )  # fmt: skip


@pytest.mark.proves("T-20", "T-24")
@pytest.mark.parametrize(
    ("line", "run"),
    [
        ("fd -x rm", "rm □"),
        ("fd -X rm", "rm □"),
        ("fd --exec rm", "rm □"),
        ("fd --exec-batch rm", "rm □"),
        ("fd --exec=rm", "rm □"),
        ("fd -xrm", "rm □"),
        ("fd -Hx rm", "rm □"),
        ("fd -HIX rm -f", "rm -f □"),
        ("fd a src -x rm {}", "rm □"),
        ("fd -e py -x mv {} {.}.bak", "mv □ □.bak"),
        ("fd -x rm {/} ; -H", "rm □"),
        ("fdfind -x rm", "rm □"),
        ("fdfind -x chmod 777", "chmod 777 □"),
    ],
)
def test_fd_runs_a_command_for_the_files_that_it_finds(line: str, run: str) -> None:
    assert nested_texts(find_nested(to_command(line))) == [run]


@pytest.mark.parametrize("line", ["fd a", "fd -t x", "fd -tx a", "fd -e x", "fd -x", "fd --exec"])
def test_fd_without_a_command_has_nothing_nested(line: str) -> None:
    assert nested_in_fd(to_command(line)) is None


@pytest.mark.proves("T-20", "D-6")
@pytest.mark.parametrize(
    ("line", "listed", "transparent"),
    [
        ("fd a -x cat", True, True),
        ("fd -e py -x cat", True, True),
        ("fd a /etc -x cat", False, True),
        ("fd -L a -x cat", False, True),
        ("fd -HL a -x cat", False, True),
        ("fd --follow a -x cat", False, True),
        ("fd --new a -x cat", True, False),
    ],
)
def test_fd_is_judged_as_find_is(line: str, listed: bool, transparent: bool) -> None:
    found = nested_in_fd(to_command(line))

    assert found is not None
    assert (found.commands[0][-1].listed, found.transparent) == (listed, transparent)


@pytest.mark.proves("T-20", "T-24", "T-25")
@pytest.mark.parametrize(
    ("line", "run"),
    [
        ("parallel rm ::: x", ["rm x"]),
        ("parallel rm -rf ::: / a", ["rm -rf / a"]),
        ("parallel -j4 --bar rm {} ::: x", ["rm x"]),
        ("parallel rm {}/a ::: x", ["rm x/a"]),
        ("parallel rm {}/a ::: x y", ["rm □/a"]),
        ("parallel -I@ rm @ ::: x", ["rm x"]),
        ("parallel rm :::: list", ["rm □"]),
        ("parallel rm ::: a ::: b", ["rm □"]),
        ("parallel rm", ["rm □"]),
        ("parallel rm {.}", ["rm □"]),
        ("sem -j4 rm", ["rm □"]),
    ],
)
def test_parallel_fills_in_its_arguments(line: str, run: list[str]) -> None:
    assert nested_texts(find_nested(to_command(line))) == run


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    ("line", "run"),
    [
        ("parallel 'rm {}; ls' ::: x", ["rm x; ls"]),
        ("parallel 'rm {}; ls' ::: 'a b'", ["rm 'a b'; ls"]),
        ("parallel 'rm $(cat)' ::: x", ["rm $(cat) x"]),
        ("parallel ::: 'rm x' ls", ["rm x", "ls"]),
    ],
)
def test_words_that_parallel_passes_to_a_shell_are_text(line: str, run: list[str]) -> None:
    found = nested_in_parallel(to_command(line))

    assert found is not None
    assert [text.text for text in found.texts] == run


@pytest.mark.proves("T-20")
@pytest.mark.parametrize(
    "line", ["parallel 'rm {}; ls'", "xargs -I{} sh -c 'ls {}'", "find . -exec sh -c 'ls {}' ;"]
)
def test_a_name_inside_a_text_may_be_any_code(line: str) -> None:
    found = find_nested(to_command(line))
    inner = found if found is None or found.texts else find_nested(Command(found.commands[0]))

    assert inner is not None
    assert (UNKNOWN_MARK in inner.texts[0].text, inner.transparent) == (True, False)


def test_an_option_of_parallel_that_is_not_known_makes_guesses() -> None:
    found = nested_in_parallel(to_command("parallel --new rm ::: x"))

    assert found is not None
    assert ("rm ::: x" in nested_texts(found), found.certain) == (True, False)


def test_parallel_alone_runs_its_input() -> None:
    assert nested_in_parallel(to_command("parallel")) is None
    assert nested_in_parallel(to_command("| parallel -j4")) == NestedCode(at=2, computed=True)
    assert nested_in_parallel(Command(to_words("parallel :::"))) is None


@pytest.mark.parametrize("line", ["xargs --help", "xargs --version"])
def test_the_help_of_xargs_has_nothing_nested(line: str) -> None:
    assert nested_in_xargs(to_command(line)) is None


@pytest.mark.parametrize(
    "line",
    [
        "find . -name .env -exec cat {} +",
        "find . -name '.en*' -exec cat {} ;",
        "find . -name id_rsa -exec cat {} ;",
        "find . -path '*/.ssh/*' -exec cat {} ;",
        "find . -type l -exec cat {} ;",
        "find . -frob -name .env -exec cat {} ;",
        "fd -H .env -x cat",
        "fd -H '^[.]env$' -x cat",
        "fd -t l -x cat",
    ],
)
@pytest.mark.proves("T-20", "T-27")
def test_a_search_for_secrets_or_links_lists_no_harmless_names(line: str) -> None:
    found = find_nested(to_command(line))

    assert found is not None
    assert found.commands[0][-1].listed is False


@pytest.mark.proves("T-23")
def test_too_many_actions_of_one_find_are_not_read() -> None:
    line = "find . " + "-exec true ; " * (MAX_ACTIONS + 1)

    assert nested_in_find(to_command(line)) == NestedCode(at=1, computed=True)
