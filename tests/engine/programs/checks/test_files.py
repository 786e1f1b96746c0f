"""The names that `find` searches for are known, and its nested commands can be separated."""

import pytest

from assent.engine.programs.checks.files import check_find, searched_names, split_exec_actions
from assent.engine.programs.word import UNKNOWN_MARK, Word
from tests.engine.programs.lines import files_read_by, find_line_reads, split_lines, to_words

READS = split_lines(r"""
    find
    find .
    find . -name '*.py'
    find src tests -type f -iname '*test*' -not -path '*/node_modules/*'
    find . -maxdepth 2 -type d -print
    find . '(' -name a -o -name b ')' -prune -o -print
    find . -mtime -7 -size +10k -perm -u+w
    find . -newermt '2024-01-01' ! -newer notes.txt
    find . -name -x
    find . -name "$X"
    find . -regextype posix-extended -regex '.*\.(c|h)' -print0
    find -L . -xdev -empty
    find -O3 . -printf '%f\n'
    find . -type f -ls -quit
    find ./"$X" -name a
""")

REFUSED = split_lines(r"""
    find . -delete
    find . -exec cat {} ;
    find . -exec cat {} +
    find . -execdir rm {} ;
    find . -ok rm {} ;
    find . -okdir rm {} ;
    find . -fprint out
    find . -fprint0 out
    find . -fprintf out %p
    find . -fls out
    find . -files0-from list
    find . -no-such-test
    find . -name
    find . -name a b
    find . -name -exec rm ;
    find . --name a
    find $X -name a
    find $* -name a
    find . $*
    find . -name $*
    find . $X
    find -D exec .
    find -f . -name a
""")


@pytest.mark.parametrize("line", READS)
def test_a_find_expression_that_only_prints_is_accepted(line: str) -> None:
    assert find_line_reads(line) is not None


@pytest.mark.proves("T-21")
@pytest.mark.parametrize("line", REFUSED)
def test_a_find_expression_that_may_do_more_is_refused(line: str) -> None:
    assert find_line_reads(line) is None


def test_the_start_directories_of_find_are_its_reads() -> None:
    assert files_read_by("find -L src ../other -name a -newer /etc/passwd") == ["src", "../other"]


def test_an_unquoted_glob_may_be_a_pattern_but_not_a_flag() -> None:
    assert check_find((Word("."), Word("-name"), Word("a*", glob=True))) == (Word("."),)
    assert check_find((Word("."), Word("-name"), Word("*", glob=True))) is None
    assert check_find((Word("."), Word("-name"), Word("-d*", glob=True))) is None
    assert check_find((Word("*", glob=True), Word("-name"), Word("a"))) is None


def test_the_commands_of_exec_actions_are_separated() -> None:
    line = to_words("src -name a -exec grep -l x {} ; -o -execdir cat {} + -print")

    assert split_exec_actions(line) == (
        to_words("src -name a -o -print"),
        [to_words("grep -l x {}"), to_words("cat {}")],
    )


def test_without_an_exec_action_all_words_are_kept() -> None:
    assert split_exec_actions(to_words(". -name a")) == (to_words(". -name a"), [])


@pytest.mark.proves("T-21")
@pytest.mark.parametrize(
    "line",
    [
        ". -exec cat {}",
        ". -exec",
        ". -exec ;",
        ". -exec cat {} + -delete",
        ". -exec cat {} ; -fprint out",
        ". -exec cat $* {} ;",
        ". -ok cat {} ;",
        ". -name -exec cat ; -delete",
    ],
)
def test_an_uncertain_exec_action_is_not_separated(line: str) -> None:
    assert split_exec_actions(to_words(line)) is None


def test_a_plus_ends_a_command_only_after_the_names() -> None:
    assert split_exec_actions(to_words(". -exec echo + {} +")) == (to_words("."), [to_words("echo + {}")])


def test_a_quoted_piece_cannot_end_a_command() -> None:
    assert split_exec_actions(to_words(". -exec grep $X {} ;")) == (
        to_words("."),
        [(Word("grep"), Word(UNKNOWN_MARK), Word("{}"))],
    )


@pytest.mark.proves("T-29")
@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("-name a -o -iname b", ["a", "b"]),
        ("-not -path a -name b", ["b"]),
        ("! ! -name a", ["a"]),
        ("! ( -name a -o -path b ) -name c", ["c"]),
        ("( ! -name a -o -name b ) )", ["b"]),
        ("-name a -prune -o -name b -print", ["b"]),
        ("( -name a -o -name b ) -prune -o -name c", ["c"]),
        ("( -name a -prune ) -o -name b", ["b"]),
        ("-name a -prune -exec rm {} +", ["a"]),
        ("-name a -delete -prune -o -name b", ["a", "b"]),
        ("! -name a -prune -o -delete", ["a"]),
        ("-name a -prune -or -name b -prune -o -name c", ["c"]),
        ("-type f -name", []),
    ],
)
def test_searched_names_are_separated_from_excluded_names(line: str, names: list[str]) -> None:
    assert [word.text for word in searched_names(to_words(line))] == names
