"""A clipped value is of its kind and within its bounds, whatever it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.wire.excerpt import clip_value, shorten, to_compact_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(st.text(max_size=200), inner, max_size=30),
    max_leaves=200,
)


@given(VALUES, st.integers(min_value=100, max_value=3000))
def test_a_clipped_value_is_small_and_of_its_kind(value: object, most: int) -> None:
    found = clip_value(value, most)

    assert type(found) is type(value)
    assert len(to_compact_json(found)) <= most or isinstance(value, int)
    assert found == value or len(to_compact_json(value)) > most


@pytest.mark.parametrize("letter", ["x", "ñ", "日", "🙂", "\x00"])
def test_a_long_text_keeps_its_head_and_its_tail(letter: str) -> None:
    text = f"head{letter * 10_000}tail"
    found = shorten(text, 400)

    assert found.startswith("head")
    assert found.endswith("tail")
    assert len(to_compact_json(found)) < 500


def test_what_fits_is_left_alone() -> None:
    assert shorten("x" * 98, 100) == "x" * 98
