"""A search is for the very characters that somebody typed."""

import pytest

from assent.stores.sql.listing import like_pattern


@pytest.mark.parametrize(
    ("search", "expected"),
    [("Mail", "%Mail%"), ("50%", "%50\\%%"), ("a_b", "%a\\_b%"), ("\\", "%\\\\%"), ("o'hara", "%o'hara%")],
)
def test_what_stands_for_others_in_a_pattern_stands_for_itself(search: str, expected: str) -> None:
    assert like_pattern(search) == expected
