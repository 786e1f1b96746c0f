"""A simple command, and what it would run in addition to itself."""

import pytest

from assent.engine.lines.command import (
    MAX_GUESSES,
    Command,
    NestedCode,
    Redirect,
    RedirectAccess,
    add_shell_texts,
    guess_nested_commands,
    restrict_uncertain_code,
)
from assent.engine.programs.word import UNKNOWN_MARK, Word, base_name
from tests.engine.bash.shell_words import join_word_texts, to_words


@pytest.mark.parametrize(
    ("program", "name"),
    [("rm", "rm"), ("/bin/rm", "rm"), ("./a/rm", "rm"), ("C:\\x\\rm", "rm"), ("", ""), ("a/", "")],
)
def test_a_program_has_a_name_without_its_directory(program: str, name: str) -> None:
    assert base_name(program) == name


def test_a_command_is_named_by_its_first_word() -> None:
    assert Command((Word("ls"), Word("a"))).program == "ls"
    assert Command(()).program == ""


@pytest.mark.parametrize(
    ("word", "opaque"),
    [
        (Word("a"), False),
        (Word(UNKNOWN_MARK), True),
        (Word(f"a{UNKNOWN_MARK}"), True),
        (Word("a", splits=True), True),
        (Word("*", glob=True), True),
        (Word("a*", glob=True), False),
        (Word("*"), False),
    ],
)
def test_a_word_is_opaque_if_it_may_have_any_value(word: Word, opaque: bool) -> None:
    assert word.is_opaque is opaque


def test_a_nested_command_reads_the_input_of_the_outer_command() -> None:
    text = Redirect(RedirectAccess.TEXT, Word("x"))
    carrier = Command(
        (Word("env"),),
        redirects=(text, Redirect(RedirectAccess.WRITE, Word("y"))),
        piped=True,
        listing_roots=(Word("."),),
    )
    own = Command((Word("ls"),), piped=True)

    assert Command((Word("ls"),)).with_input_of(carrier) == Command(
        (Word("ls"),), redirects=(text,), piped=True, listing_roots=(Word("."),)
    )
    assert own.with_input_of(carrier) is own


@pytest.mark.proves("T-22")
def test_a_nested_command_keeps_its_own_input() -> None:
    carrier = Command((Word("sh"),), piped=True, listing_roots=(Word("."),))
    own = Command((Word("xargs"),), redirects=(Redirect(RedirectAccess.READ, Word("names")),))

    assert own.has_input
    assert not carrier.has_input
    assert own.with_input_of(carrier) is own


@pytest.mark.parametrize(
    ("directories", "carriers", "seen"),
    [
        (("",), ("",), ("",)),
        (("",), ("a",), ("a",)),
        (("b",), ("a",), ("a/b",)),
        (("/b", "~", UNKNOWN_MARK), ("a",), ("/b", "~", UNKNOWN_MARK)),
        (("b",), ("", "a"), ("b", "a/b")),
    ],
)
def test_directories_of_a_nested_command_are_relative_to_the_outer_command(
    directories: tuple[str, ...], carriers: tuple[str, ...], seen: tuple[str, ...]
) -> None:
    assert Command((), directories=directories).relative_to(carriers).directories == seen


def outer_command(*arguments: Word, text: str = 'cat "$1"', flag: str = "-c", program: str = "sh") -> Command:
    return Command((Word(program), Word(flag), Word(text), *arguments))


LISTED = Word(UNKNOWN_MARK, listed=True)
SEVERAL = Word(UNKNOWN_MARK, splits=True)


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        (outer_command(Word("_"), Word("a")), (Word("_"), Word("a"))),
        (outer_command(Word("_"), LISTED, program="/bin/bash"), (Word("_"), LISTED)),
        (outer_command(Word("_"), SEVERAL, Word("a")), (Word("_"), SEVERAL)),
        (
            outer_command(Word("_"), Word("/etc/*", glob=True), Word("a")),
            (Word("_"), Word("/etc/*", glob=True)),
        ),
        (outer_command(Word("_"), Word("a"), program="python"), ()),
        (outer_command(Word("_"), Word("a"), flag="-x"), ()),
        (outer_command(Word('cat "$1"'), Word("_"), Word("a"), text="--"), ()),
        (outer_command(Word('cat "$1"'), Word("_"), Word("a"), text="+e"), ()),
        (outer_command(Word("_"), Word("a"), text='shift; cat "$1"'), ()),
        (outer_command(Word("_"), Word("a"), text='f() { cat "$1"; }; f x'), ()),
        (outer_command(Word("_"), Word("a"), text='. ./x; cat "$1"'), ()),
        (outer_command(), ()),
    ],
)
@pytest.mark.proves("T-22", "T-24")
def test_a_shell_passes_its_arguments_to_its_text(command: Command, arguments: tuple[Word, ...]) -> None:
    assert command.script_arguments == arguments


@pytest.mark.parametrize(
    ("word", "filled"),
    [
        (Word(UNKNOWN_MARK, parameter="1"), Word("a b")),
        (Word(UNKNOWN_MARK, parameter="2"), LISTED),
        (Word(UNKNOWN_MARK, parameter="2", splits=True), LISTED._replace(splits=True)),
        (Word(UNKNOWN_MARK, parameter="0", splits=True), Word("name")),
        (Word(UNKNOWN_MARK, parameter="1", splits=True), Word(UNKNOWN_MARK, parameter="1", splits=True)),
        (Word(UNKNOWN_MARK, parameter="3"), Word(UNKNOWN_MARK, parameter="3")),
        (Word(UNKNOWN_MARK), Word(UNKNOWN_MARK)),
    ],
)
@pytest.mark.proves("T-22")
def test_a_parameter_becomes_its_argument_unless_that_may_split(word: Word, filled: Word) -> None:
    arguments = (Word("name"), Word("a b"), LISTED._replace(parameter="1"))

    assert Command((Word("cat"), word)).with_arguments(arguments).words == (Word("cat"), filled)


@pytest.mark.parametrize("piped", [True, False])
def test_a_nested_command_gets_the_arguments_of_the_outer_command(piped: bool) -> None:
    inner = Command((Word("cat"), Word(UNKNOWN_MARK, parameter="1")), piped=piped)

    assert inner.with_input_of(outer_command(Word("_"), Word("a"))).words == (Word("cat"), Word("a"))


@pytest.mark.proves("T-24")
def test_every_suffix_that_may_be_a_command_is_guessed() -> None:
    found = guess_nested_commands(to_words("p --new a -b 'c d' '' e"), 1, texts=True)

    assert [join_word_texts(vector) for vector in found.commands] == ["a -b 'c d' '' e", "'c d' '' e", "e"]
    assert (found.texts, found.at, found.certain, found.computed) == ((Word("c d"),), 2, False, False)


def test_a_guess_never_begins_with_an_unknown_word() -> None:
    found = guess_nested_commands(to_words("p --new a ${X}"), 1)

    assert ([join_word_texts(vector) for vector in found.commands], found.computed) == (["a □"], False)
    assert guess_nested_commands(to_words("p ${X} a"), 1).computed is True
    assert guess_nested_commands(to_words("p ${X} a"), 1, own=1).computed is False
    assert guess_nested_commands(to_words("p ${X}"), 1, own=1) == NestedCode(at=1, certain=False)


@pytest.mark.proves("T-23")
def test_guessing_ends_at_a_program_that_runs_others_and_at_a_limit() -> None:
    nested = guess_nested_commands(to_words("p --new a sudo --new b"), 1)
    behind = guess_nested_commands(to_words("p ${X} sudo --new b"), 1, own=1)
    many = guess_nested_commands(to_words("p " + "a " * (MAX_GUESSES + 1)), 1)

    assert [join_word_texts(vector) for vector in nested.commands] == ["a sudo --new b", "sudo --new b"]
    assert (nested.computed, behind.computed) == (True, False)
    assert (len(many.commands), many.computed) == (MAX_GUESSES, True)


CLEAR = NestedCode((to_words("ls"),), at=1, transparent=True, covers=True)


@pytest.mark.proves("T-20")
@pytest.mark.parametrize(
    ("found", "trusted", "clear", "computed"),
    [
        (CLEAR, True, True, False),
        (CLEAR, False, False, False),
        (CLEAR._replace(certain=False), True, False, False),
        (CLEAR._replace(computed=True), True, False, True),
        (CLEAR._replace(commands=(to_words("${X} a"),)), True, False, True),
        (CLEAR._replace(commands=(to_words("ls ${X}"),)), True, True, False),
        (CLEAR._replace(texts=to_words("ls")), True, True, False),
        (CLEAR._replace(texts=to_words("'ls ${X}'")), True, False, False),
        (CLEAR._replace(texts=to_words("' ${X} a'")), True, False, True),
    ],
)
def test_only_certain_and_known_code_is_transparent(
    found: NestedCode, trusted: bool, clear: bool, computed: bool
) -> None:
    settled = restrict_uncertain_code(found, trusted=trusted)

    assert (settled.transparent, settled.covers, settled.computed) == (clear, clear, computed)


def test_texts_from_other_words_are_added_once() -> None:
    text = Word("rm x")

    assert add_shell_texts(None, []) is None
    assert add_shell_texts(None, [(2, text)]) == NestedCode(texts=(text,), at=2)
    assert add_shell_texts(
        NestedCode(texts=(text,), at=5), [(3, Word(UNKNOWN_MARK)), (4, text)]
    ) == NestedCode(texts=(Word(UNKNOWN_MARK), text), at=3)
