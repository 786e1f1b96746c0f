"""The words for what a tool can do and how its calls are read."""

import pytest

from assent.engine.model import Dialect, Effect, dialect_named, effect_named
from assent.errors import UnknownWordError


@pytest.mark.parametrize("effect", Effect)
@pytest.mark.proves("R000-1", "R001-42")
def test_an_effect_is_one_of_six_words(effect: Effect) -> None:
    assert effect_named(effect.value) is effect


@pytest.mark.proves("R000-7")
def test_no_word_is_external() -> None:
    assert effect_named(None) is Effect.EXTERNAL


@pytest.mark.proves("R000-1", "R001-42")
def test_any_other_word_is_refused() -> None:
    with pytest.raises(UnknownWordError, match="unknown effect `mutate`: expected one of read, edit, write"):
        effect_named("mutate")
    with pytest.raises(
        UnknownWordError, match="unknown dialect `fish`: expected one of shell, powershell, path, text"
    ):
        dialect_named("fish")


@pytest.mark.parametrize("dialect", Dialect)
def test_a_dialect_is_one_of_four_words(dialect: Dialect) -> None:
    assert dialect_named(dialect.value) is dialect
