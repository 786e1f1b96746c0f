"""A line of plain words is its own parse, and reads as the tree reads it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assent.engine.bash.language import read_bash
from assent.engine.bash.plain import MOST_PLAIN, read_plain


@pytest.mark.parametrize("text", ["ls", "git log --oneline -n 5 src/app.py", "npm run build:all", "x y=z"])
def test_plain_words_are_split_at_their_blanks(text: str) -> None:
    line = read_plain(text)

    assert line is not None
    assert [word.text for word in line.commands[0].words] == text.split(" ")


@pytest.mark.proves("T-22")
@pytest.mark.parametrize(
    "text",
    [
        "",
        " ls",
        "ls ",
        "ls  a",
        "a=b ls",
        "if x",
        "time ls",
        "ls *",
        "ls ~",
        "ls 'a'",
        "ls a;b",
        "ls $x",
        "ls #a",
        "ls\ta",
        "é",
    ],
)
def test_whatever_could_mean_more_is_left_to_the_tree(text: str) -> None:
    assert read_plain(text) is None


@pytest.mark.proves("T-22")
@pytest.mark.parametrize("text", ["ls", "git log -n 5 src/app.py", "x y=z", "cd src", "echo a:b %s +x ,y @z"])
def test_the_tree_reads_plain_words_the_same(text: str) -> None:
    plain = read_plain(text)
    # A comment makes the line one that is not plain, and changes nothing else.
    whole = read_bash(f"{text} # so")

    assert plain is not None
    assert [command.words for command in plain.commands] == [command.words for command in whole.commands]


CHAINS = [
    "ls && git log -n 5",
    "a || b; c\nd",
    "find src -name x | xargs rm -f",
    "git ls-files | grep -v x | xargs wc",
    "echo a b | xargs rm",
    "npm run build && npm test -- --flag=value || exit 1",
]


@pytest.mark.proves("T-22")
@pytest.mark.parametrize("text", CHAINS)
def test_the_tree_reads_plain_chains_the_same(text: str) -> None:
    plain = read_plain(text)
    whole = read_bash(f"{text} # so")

    assert plain is not None
    assert plain.commands == whole.commands


@pytest.mark.proves("T-22")
@pytest.mark.parametrize(
    "text",
    [
        "cd src && ls",
        "ls; export A=b",
        "ls; read x",
        "ls; if x",
        "time ls | cat",
        "a=b && ls",
        "ls | wc && ls",
        "ls & wc",
        "ls ; wc",
        "ls &&  wc",
        "ls && ",
        "- x; y",
        "x == y; z",
        "; ".join(["ls"] * (MOST_PLAIN + 2)),
    ],
)
def test_a_chain_that_could_mean_more_is_left_to_the_tree(text: str) -> None:
    assert read_plain(text) is None


WORDS = """ls git echo printf find grep head sort xargs cat rm a=b -n 5 - -- . / .. % + , @ : = ./x 1 -x -name x=1,y
a:b == test let exit return set trap eval source exec true function if in do unset export cd read command local
declare popd pushd time builtin select until then getopts mapfile type %1 a.b coproc""".split()
commands = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
joints = st.sampled_from([" && ", " || ", " | ", "; ", "\n"])


@pytest.mark.proves("T-22")
@settings(max_examples=1000)
@given(commands, st.lists(st.tuples(joints, commands), min_size=1, max_size=4))
def test_whatever_is_read_as_a_chain_is_a_chain_to_the_tree(first: str, rest: list[tuple[str, str]]) -> None:
    text = first + "".join(joint + command for joint, command in rest)
    plain = read_plain(text)

    assert plain is None or plain.commands == read_bash(f"{text} # so").commands
