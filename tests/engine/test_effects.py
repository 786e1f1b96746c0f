"""The words for what a tool can do and how its calls are read."""

import pytest

from assent.engine.model import Dialect, Effect, parse_dialect, parse_effect
from assent.errors import UnknownWordError


@pytest.mark.parametrize("effect", Effect)
@pytest.mark.proves("R000-1", "R001-42")
def test_an_effect_is_one_of_six_words(effect: Effect) -> None:
    assert parse_effect(effect.value) is effect


@pytest.mark.proves("R000-7")
def test_no_word_is_external() -> None:
    assert parse_effect(None) is Effect.EXTERNAL


@pytest.mark.proves("R000-1", "R001-42")
def test_any_other_word_is_refused() -> None:
    with pytest.raises(UnknownWordError, match="unknown effect `mutate`: expected one of read, edit, write"):
        parse_effect("mutate")
    with pytest.raises(
        UnknownWordError, match="unknown dialect `fish`: expected one of shell, powershell, path, text"
    ):
        parse_dialect("fish")


@pytest.mark.parametrize("dialect", Dialect)
def test_a_dialect_is_one_of_four_words(dialect: Dialect) -> None:
    assert parse_dialect(dialect.value) is dialect
