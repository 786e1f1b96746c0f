"""Which commands print names of files below the workspace, for others to read."""

import pytest

from assent.engine.lines.listing import listed, named, printed, swept
from assent.engine.lines.reading import reading
from tests.engine.bash.reading import read


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
def test_a_lister_and_its_filters_print_names(text: str, below: list[str]) -> None:
    found = listed(list(read(text).commands))

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
def test_anything_else_prints_we_do_not_know_what(text: str) -> None:
    assert listed(list(read(text).commands)) is None


def test_nothing_prints_nothing() -> None:
    assert listed([]) is None
    assert printed([]) is None


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
def test_what_echo_prints_is_known_word_by_word(text: str, words: list[str]) -> None:
    found = printed(list(read(text).commands))

    assert found is not None
    assert [word.text for word in found] == words


def test_other_programs_print_we_do_not_know_what() -> None:
    assert printed(list(read("ls a").commands)) is None
    assert printed(list(read("echo a; echo b").commands)) is None


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
def test_names_that_go_on_to_other_commands_are_known(text: str, names: list[str]) -> None:
    commands = read(text).commands
    reads = [reading(command.words) if command.words else None for command in commands]

    assert [word.text for pair in zip(commands, reads, strict=True) for word in named(*pair)] == names


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
def test_a_lister_that_leaves_nothing_out_sweeps(text: str, all_of: list[str]) -> None:
    lister, taker = read(text).commands

    assert [word.text for word in swept(lister, taker)] == all_of
    assert [word.text for word in taker.swept] == all_of
