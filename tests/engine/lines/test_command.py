"""A simple command as we read it."""

import pytest

from assent.engine.lines.command import Access, Command, Redirect
from assent.engine.programs.word import HOLE, Word, base_name


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
        (Word(HOLE), True),
        (Word(f"a{HOLE}"), True),
        (Word("a", splits=True), True),
        (Word("*", glob=True), True),
        (Word("a*", glob=True), False),
        (Word("*"), False),
    ],
)
def test_a_word_is_opaque_when_it_could_be_anything(word: Word, opaque: bool) -> None:
    assert word.opaque is opaque


def test_what_is_carried_reads_what_its_carrier_does() -> None:
    text = Redirect(Access.TEXT, Word("x"))
    carrier = Command(
        (Word("env"),), redirects=(text, Redirect(Access.WRITE, Word("y"))), piped=True, fed=(Word("."),)
    )
    own = Command((Word("ls"),), piped=True)

    assert Command((Word("ls"),)).fed_like(carrier) == Command(
        (Word("ls"),), redirects=(text,), piped=True, fed=(Word("."),)
    )
    assert own.fed_like(carrier) is own


@pytest.mark.proves("T-22")
def test_what_is_carried_keeps_an_input_of_its_own() -> None:
    carrier = Command((Word("sh"),), piped=True, fed=(Word("."),))
    own = Command((Word("xargs"),), redirects=(Redirect(Access.READ, Word("names")),))

    assert own.has_input
    assert not carrier.has_input
    assert own.fed_like(carrier) is own


@pytest.mark.parametrize(
    ("directories", "carriers", "seen"),
    [
        (("",), ("",), ("",)),
        (("",), ("a",), ("a",)),
        (("b",), ("a",), ("a/b",)),
        (("/b", "~", HOLE), ("a",), ("/b", "~", HOLE)),
        (("b",), ("", "a"), ("b", "a/b")),
    ],
)
def test_a_carried_text_is_seen_from_where_its_carrier_runs(
    directories: tuple[str, ...], carriers: tuple[str, ...], seen: tuple[str, ...]
) -> None:
    assert Command((), directories=directories).seen_from(carriers).directories == seen


def carrier(*arguments: Word, text: str = 'cat "$1"', flag: str = "-c", program: str = "sh") -> Command:
    return Command((Word(program), Word(flag), Word(text), *arguments))


LISTED = Word(HOLE, listed=True)
SEVERAL = Word(HOLE, splits=True)


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        (carrier(Word("_"), Word("a")), (Word("_"), Word("a"))),
        (carrier(Word("_"), LISTED, program="/bin/bash"), (Word("_"), LISTED)),
        (carrier(Word("_"), SEVERAL, Word("a")), (Word("_"), SEVERAL)),
        (carrier(Word("_"), Word("/etc/*", glob=True), Word("a")), (Word("_"), Word("/etc/*", glob=True))),
        (carrier(Word("_"), Word("a"), program="python"), ()),
        (carrier(Word("_"), Word("a"), flag="-x"), ()),
        (carrier(Word('cat "$1"'), Word("_"), Word("a"), text="--"), ()),
        (carrier(Word('cat "$1"'), Word("_"), Word("a"), text="+e"), ()),
        (carrier(Word("_"), Word("a"), text='shift; cat "$1"'), ()),
        (carrier(Word("_"), Word("a"), text='f() { cat "$1"; }; f x'), ()),
        (carrier(Word("_"), Word("a"), text='. ./x; cat "$1"'), ()),
        (carrier(), ()),
    ],
)
@pytest.mark.proves("T-22", "T-24")
def test_a_shell_hands_its_arguments_to_its_text(command: Command, arguments: tuple[Word, ...]) -> None:
    assert command.arguments == arguments


@pytest.mark.parametrize(
    ("word", "filled"),
    [
        (Word(HOLE, parameter="1"), Word("a b")),
        (Word(HOLE, parameter="2"), LISTED),
        (Word(HOLE, parameter="2", splits=True), LISTED._replace(splits=True)),
        (Word(HOLE, parameter="0", splits=True), Word("name")),
        (Word(HOLE, parameter="1", splits=True), Word(HOLE, parameter="1", splits=True)),
        (Word(HOLE, parameter="3"), Word(HOLE, parameter="3")),
        (Word(HOLE), Word(HOLE)),
    ],
)
@pytest.mark.proves("T-22")
def test_a_parameter_is_its_argument_unless_that_is_cut(word: Word, filled: Word) -> None:
    arguments = (Word("name"), Word("a b"), LISTED._replace(parameter="1"))

    assert Command((Word("cat"), word)).filled(arguments).words == (Word("cat"), filled)


@pytest.mark.parametrize("piped", [True, False])
def test_what_is_carried_gets_the_arguments_of_its_carrier(piped: bool) -> None:
    inner = Command((Word("cat"), Word(HOLE, parameter="1")), piped=piped)

    assert inner.fed_like(carrier(Word("_"), Word("a"))).words == (Word("cat"), Word("a"))
