"""Ids: nobody guesses them, nobody can make two lists of words look the same, and some sort by time."""

import re
import uuid

import pytest

from assent.gate.mark import fresh, keyed, timed

SECRET = b"s" * 32


@pytest.mark.proves("T-38")
def test_a_fresh_mark_is_128_random_bits() -> None:
    marks = {fresh() for _ in range(1000)}

    assert len(marks) == 1000
    assert all(re.fullmatch("[0-9a-f]{32}", mark) for mark in marks)


def test_the_same_words_are_the_same_id_wherever_it_is_made() -> None:
    assert keyed(SECRET, "c1", "clerk", "call-1") == keyed(SECRET, "c1", "clerk", "call-1")


@pytest.mark.parametrize(
    "words", [("c1", "clerkcall-1"), ("c1clerk", "call-1"), ("c1", "clerk", "call-1", ""), ("", "c1", "clerk", "call-1")]
)  # fmt: skip
def test_words_that_only_look_alike_when_joined_are_another_id(words: tuple[str, ...]) -> None:
    assert keyed(SECRET, *words) != keyed(SECRET, "c1", "clerk", "call-1")


@pytest.mark.proves("R000-23")
def test_without_the_secret_an_id_is_another_one() -> None:
    assert keyed(b"t" * 32, "c1", "clerk", "call-1") != keyed(SECRET, "c1", "clerk", "call-1")


def test_a_timed_mark_is_a_uuid_of_version_7_that_sorts_by_when_it_was_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[str] = []
    for nanoseconds in (1, 2, 3_000, 1_900_000_000_000, 2_000_000_000_000):
        monkeypatch.setattr("time.time_ns", lambda at=nanoseconds: at * 1_000_000)
        made.append(timed())

    assert [uuid.UUID(one).version for one in made] == [7] * 5
    assert [uuid.UUID(one).variant for one in made] == [uuid.RFC_4122] * 5
    assert made == sorted(made)
