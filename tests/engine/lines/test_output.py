"""Texts, words and file names that commands print for other commands."""

import pytest

from assent.engine.lines.command import KnownContent
from assent.engine.lines.output import (
    EMPTY,
    UNKNOWN,
    find_complete_listing,
    find_input_content,
    find_listed_paths,
    find_listing_roots,
    find_output,
    find_printed_words,
    join_contents,
)
from assent.engine.lines.reading import find_reads
from assent.engine.programs.word import UNKNOWN_MARK
from tests.engine.bash.line_texts import parse_readable_line


def output_of_last_command(text: str) -> KnownContent:
    return find_output(parse_readable_line(text).commands[-1])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("echo a  b", "a b\n"),
        ("echo -ne 'a\\tb'", "a\tb"),
        ("echo -e '\\x72\\155 \\0101'", "rm A\n"),
        ("printf '%s-%s\\n' a b c d", "a-b\nc-d\n"),
        ("printf '%5d' 1", "1"),
        ("printf a%sb", f"a{UNKNOWN_MARK}b"),
        ("cat <<< a", "a\n"),
        ("echo a | cat", "a\n"),
        ("echo a | head -1 | tee b", "a\n"),
    ],
)
def test_output_that_the_line_spells_out_is_known(text: str, said: str) -> None:
    assert output_of_last_command(text) == KnownContent(said)


@pytest.mark.parametrize("text", ["date", "cat a", "base64 -d <<< YQ==", "ls | cat"])
def test_other_output_is_unknown(text: str) -> None:
    assert output_of_last_command(text).unknown


def test_changed_output_may_still_contain_the_original() -> None:
    assert output_of_last_command("echo a | sed s/b/c/") == KnownContent("a\n", unknown=True)


def test_some_programs_print_nothing() -> None:
    assert output_of_last_command("mkdir a") == EMPTY


def test_the_content_of_a_file_that_the_line_did_not_write_is_unknown() -> None:
    assert find_input_content(parse_readable_line("sh < a").commands[0]) == UNKNOWN


def test_contents_joined_with_an_unknown_one_are_unknown() -> None:
    assert join_contents([KnownContent("a"), UNKNOWN, KnownContent("b", possible_lines="c")]) == KnownContent(
        "ab", True, "c"
    )


@pytest.mark.parametrize(
    ("text", "below"),
    [
        ("find src -name '*.py'", ["src"]),
        ("git ls-files", []),
        ("rg -l x src", ["src"]),
        ("find src | grep x | sort -u | head -5", ["src"]),
        ("find src | head -n 3", ["src"]),
    ],
)
def test_a_listing_command_and_its_filters_print_names(text: str, below: list[str]) -> None:
    found = find_listing_roots(list(parse_readable_line(text).commands))

    assert found is not None
    assert [word.text for word in found] == below


@pytest.mark.parametrize(
    "text",
    [
        "cat names.txt",
        "find src | sed s/a/b/",
        "find src | awk '{print $2}'",
        "find src | frob",
        "find src | grep -o x",
        "find src | head -c 5",
        "find src | LANG=C grep x",
        "find src | grep x names.txt",
        "find src | grep x < names.txt",
        "find src | sort <<< /etc/passwd",
        "find src -printf '/etc/%f'",
        "find src -delete",
        "LANG=C find src",
        "find . -name .env",
        "find . -name '.en*'",
        "find -L .",
        "find . -follow",
        "find . -type l",
        "find . -type f,l",
        "find . -lname '*'",
        "fd -L x",
        "fd --follow x",
        "fd -t l",
        "fd -tl",
        "fd --type=symlink",
        "ls -L",
        "ls --dereference",
        "find src | grep '[.]env'",
        "find . | grep id_rsa",
        "a=1",
    ],
)
@pytest.mark.proves("T-20")
def test_other_pipelines_print_no_known_names(text: str) -> None:
    assert find_listing_roots(list(parse_readable_line(text).commands)) is None


def test_an_empty_pipeline_lists_nothing() -> None:
    assert find_listing_roots([]) is None
    assert find_printed_words([]) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("echo a b", ["a", "b"]),
        ("echo 'a b'", ["a", "b"]),
        ("echo -n /", ["/"]),
        ("printf '%s' /", ["/"]),
        ("printf 'a\\nb'", ["a", "b"]),
    ],
)
@pytest.mark.proves("T-25")
def test_the_words_that_echo_prints_are_known(text: str, words: list[str]) -> None:
    found = find_printed_words(list(parse_readable_line(text).commands))

    assert found is not None
    assert [word.text for word in found] == words


def test_the_words_that_other_programs_print_are_unknown() -> None:
    assert find_printed_words(list(parse_readable_line("ls a").commands)) is None
    assert find_printed_words(list(parse_readable_line("echo a; echo b").commands)) is None


@pytest.mark.proves("T-29")
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("find a b -name c | xargs rm", ["a", "b", "c"]),
        ("rm $(find a -not -name c)", ["a"]),
        ("rm $(rg -l x a)", ["a"]),
        ("rm $(ls -d a b)", ["-d", "a", "b"]),
        ("rm `echo a`", ["a"]),
        ("rm $(git ls-files a)", ["a"]),
        ("rm $(git rev-parse --git-dir)", [".git"]),
        ("rm $(git rev-parse HEAD)", []),
        ("rm $(git log -- a)", []),
        ("rm $(git push a)", []),
        ("rm $(cat a)", []),
        ("rm $(frob a)", []),
        ("while read f; do rm $f; done < <(find a)", ["a"]),
        ("read f <<< 'a b'; rm $f", ["a", "b"]),
        ("while read f; do rm $f; done <<< a", ["a"]),
        ("ls a; rm $f", []),
        ("cat <<< a", []),
    ],
)
def test_names_listed_for_other_commands_are_known(text: str, names: list[str]) -> None:
    commands = parse_readable_line(text).commands
    reads = [find_reads(command.words) if command.words else None for command in commands]

    assert [
        word.text for pair in zip(commands, reads, strict=True) for word in find_listed_paths(*pair)
    ] == names


@pytest.mark.proves("T-25")
@pytest.mark.parametrize(
    ("text", "all_of"),
    [
        ("ls | xargs rm -r", ["./*"]),
        ("ls -A src | xargs rm -r", ["src/*"]),
        ("find . -type f | sudo xargs rm", ["./**"]),
        ("find a b | parallel rm", ["a/**", "b/**"]),
        ("find . -name x | xargs rm", []),
        ("ls *.log | xargs rm", []),
        ("ls | head", []),
        ("git ls-files | xargs rm", []),
    ],
)
def test_a_listing_without_omissions_is_complete(text: str, all_of: list[str]) -> None:
    lister, taker = parse_readable_line(text).commands

    assert [word.text for word in find_complete_listing(lister, taker)] == all_of
    assert [word.text for word in taker.complete_listing] == all_of
