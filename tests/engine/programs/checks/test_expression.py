"""A regular expression ends where every program would end it."""

import pytest

from assent.engine.programs.checks.expression import end_of_expression, end_of_part
from assent.engine.programs.word import HOLE


@pytest.mark.parametrize(
    "text",
    [
        "", "a", "a.*b$", r"a\/b", r"\[", "[a-z]", "[^a-z]", "[]a]", "[^]a]", "[[:space:]]",
        "[[:alpha:][:digit:]_]+", "[[]", r"[\t ]", r"[^\"]*", r"[\/]", r"\\", "]",
    ],
)  # fmt: skip
def test_it_ends_at_the_delimiter(text: str) -> None:
    assert end_of_expression(text + "/rest/", 0, "/") == len(text)


@pytest.mark.proves("T-22")
@pytest.mark.parametrize(
    "text", ["[", "[^", "[]", "[^]", "[[:alpha:]", "[[:]", "[[.]", "[a[:x]", r"[\]", r"[\]]", r"[a\[b]"]
)
def test_where_programs_differ_it_has_no_end(text: str) -> None:
    assert end_of_expression(text + "/]/", 0, "/") is None


@pytest.mark.parametrize("text", ["a", "a\\", "a\\/", "a\nb/", "a\\\nb/", f"a{HOLE}b/", f"\\{HOLE}/", ""])
def test_without_a_delimiter_on_the_line_it_has_no_end(text: str) -> None:
    assert end_of_part(text, 0, "/") is None


def test_brackets_mean_nothing_in_a_replacement() -> None:
    assert end_of_part("[/", 0, "/") == 1
