"""A simple command as we read it."""

import pytest

from assent.engine.shell.command import HOLE, Command, Word, base_name


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
