"""Pages in memory are cut as pages of tables are."""

import pytest

from assent.errors import InputError
from assent.stores.memory.queries import take_page

LETTERS = tuple("abcdefg")


def even(letter: str) -> bool:
    return LETTERS.index(letter) % 2 == 0


@pytest.mark.parametrize(
    ("newest_first", "pages"), [(False, ["ac", "eg"]), (True, ["ge", "ca"])], ids=["oldest", "newest"]
)
def test_pages_follow_each_other_from_either_end(newest_first: bool, pages: list[str]) -> None:
    first, after = take_page(LETTERS, even, 2, "", newest_first=newest_first)
    second, end = take_page(LETTERS, even, 2, after, newest_first=newest_first)

    assert ["".join(first), "".join(second), end] == [*pages, ""]


@pytest.mark.parametrize("after", ["x", "-1", "1.0", "٣", "9" * 30])
def test_what_is_no_place_in_a_page_is_refused(after: str) -> None:
    with pytest.raises(InputError, match="is not a valid cursor"):
        take_page(LETTERS, even, 2, after, newest_first=False)
