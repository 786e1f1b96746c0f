"""Guesses and what is computed."""

import pytest

from assent.engine.lines.nested import MOST_GUESSES, Carried, guess, settle, with_texts
from assent.engine.programs.word import HOLE, Word
from tests.engine.bash.spelled import texts, words


@pytest.mark.proves("T-24")
def test_every_suffix_that_may_be_a_command_is_guessed() -> None:
    found = guess(words("p --new a -b 'c d' '' e"), 1, texts=True)

    assert [texts(vector) for vector in found.commands] == ["a -b 'c d' '' e", "'c d' '' e", "e"]
    assert (found.texts, found.at, found.certain, found.computed) == ((Word("c d"),), 2, False, False)


def test_a_guess_never_begins_with_an_unknown_word() -> None:
    found = guess(words("p --new a ${X}"), 1)

    assert ([texts(vector) for vector in found.commands], found.computed) == (["a □"], False)
    assert guess(words("p ${X} a"), 1).computed is True
    assert guess(words("p ${X} a"), 1, own=1).computed is False
    assert guess(words("p ${X}"), 1, own=1) == Carried(at=1, certain=False)


@pytest.mark.proves("T-23")
def test_guessing_ends_at_a_carrier_and_at_a_limit() -> None:
    nested = guess(words("p --new a sudo --new b"), 1)
    behind = guess(words("p ${X} sudo --new b"), 1, own=1)
    many = guess(words("p " + "a " * (MOST_GUESSES + 1)), 1)

    assert [texts(vector) for vector in nested.commands] == ["a sudo --new b", "sudo --new b"]
    assert (nested.computed, behind.computed) == (True, False)
    assert (len(many.commands), many.computed) == (MOST_GUESSES, True)


CLEAR = Carried((words("ls"),), at=1, transparent=True, covers=True)


@pytest.mark.proves("T-20")
@pytest.mark.parametrize(
    ("found", "trusted", "clear", "computed"),
    [
        (CLEAR, True, True, False),
        (CLEAR, False, False, False),
        (CLEAR._replace(certain=False), True, False, False),
        (CLEAR._replace(computed=True), True, False, True),
        (CLEAR._replace(commands=(words("${X} a"),)), True, False, True),
        (CLEAR._replace(commands=(words("ls ${X}"),)), True, True, False),
        (CLEAR._replace(texts=words("ls")), True, True, False),
        (CLEAR._replace(texts=words("'ls ${X}'")), True, False, False),
        (CLEAR._replace(texts=words("' ${X} a'")), True, False, True),
    ],
)
def test_only_what_is_certain_and_known_is_transparent(
    found: Carried, trusted: bool, clear: bool, computed: bool
) -> None:
    settled = settle(found, trusted=trusted)

    assert (settled.transparent, settled.covers, settled.computed) == (clear, clear, computed)


def test_texts_from_elsewhere_are_added_once() -> None:
    text = Word("rm x")

    assert with_texts(None, []) is None
    assert with_texts(None, [(2, text)]) == Carried(texts=(text,), at=2)
    assert with_texts(Carried(texts=(text,), at=5), [(3, Word(HOLE)), (4, text)]) == Carried(
        texts=(Word(HOLE), text), at=3
    )
