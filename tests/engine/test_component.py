"""Globs within one component of a path, as gitignore has them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from assent.engine.component import ComponentGlobs, could_be, has_glob, matches
from assent.engine.glob import HOLE

patterns = st.text(alphabet="ab.*?[]!-^\\", min_size=1, max_size=8)
names = st.text(alphabet="ab.-!^]", min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("pattern", "matched", "refused"),
    [
        ("*.py", ["a.py", ".py"], ["a.pyc", "py"]),
        ("a?c", ["abc", "a.c"], ["ac", "abbc"]),
        ("[ab]x", ["ax", "bx"], ["cx", "x"]),
        ("[a-c]", ["a", "b", "c"], ["d", "-"]),
        ("[!a]", ["b", "!"], ["a"]),
        ("[^a]", ["b", "^"], ["a"]),
        ("[]a]", ["]", "a"], ["[]a]"]),
        ("[a-]", ["a", "-"], ["b"]),
        ("[a", ["[a"], ["a"]),
        ("a\\*", ["a*"], ["ab"]),
        ("a\\", ["a\\"], ["a"]),
        ("a**b", ["ab", "axxb"], ["a"]),
        ("*", ["anything"], []),
    ],
)
def test_a_pattern_fits_the_names_that_gitignore_would_have_it_fit(
    pattern: str, matched: list[str], refused: list[str]
) -> None:
    assert [name for name in matched if not matches(pattern, name)] == []
    assert [name for name in refused if matches(pattern, name)] == []


@settings(max_examples=1_000)
@given(patterns, names)
def test_a_pattern_agrees_with_an_independent_gitignore(pattern: str, name: str) -> None:
    if pattern.strip("*") in ("", ".") or pattern.startswith("!") or "[" in pattern or pattern.endswith("\\"):
        return  # there it is gitignore's own grammar that differs: negation, brackets, dangling escapes

    spec = GitIgnoreSpec.from_lines(["/" + pattern])
    assert matches(pattern, name) == spec.match_file(name), (pattern, name)


def test_a_name_is_no_pattern() -> None:
    assert [has_glob(text) for text in ("a", "a*", "a?", "a[b", "a{b}")] == [False, True, True, True, False]


def test_a_component_with_a_hole_could_be_many_names() -> None:
    assert could_be(f"a{HOLE}c", "abc")
    assert could_be(f"{HOLE}", "anything")
    assert not could_be(f"a{HOLE}c", "b")


@given(st.lists(patterns, min_size=1, max_size=6, unique=True), names)
def test_many_patterns_at_once_find_what_each_would_find(many: list[str], name: str) -> None:
    globs = ComponentGlobs[str]()
    for pattern in many:
        assert globs.setdefault(pattern, pattern) == pattern

    assert set(globs.matching(name)) == {one for one in many if matches(one, name)}
    assert list(globs.values()) == many


def test_the_first_value_of_a_pattern_stays() -> None:
    globs = ComponentGlobs[int]()

    assert globs.setdefault("*.py", 1) == 1
    assert globs.setdefault("*.py", 2) == 1


def test_patterns_are_told_apart_by_what_they_end_in() -> None:
    globs = ComponentGlobs[int]()
    for number, pattern in enumerate(["a*b*.py", "a?.py", "[ab]x.py", "a*b\\\\*.py"]):
        globs.setdefault(pattern, number)

    assert list(globs.matching("abc.py")) == [0]
    assert list(globs.matching("ax.py")) == [1, 2]
    assert list(globs.matching("py")) == []
