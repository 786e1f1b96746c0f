"""Globs match in linear time, and give the same result as a slow matcher that tries all possibilities."""

from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from assent.engine.base.globs import (
    UNKNOWN_MARK,
    ComponentGlobs,
    Glob,
    could_match_component,
    has_glob,
    matches_component,
    parse_glob,
)
from tests.engine.timing import measure_seconds

letters = st.text(alphabet="ab *", max_size=10)
patterns = st.text(alphabet="ab *\\", max_size=8)


def matches_slowly(symbols: list[str | None], text: str) -> bool:
    """Whether the text matches, by trying all possibilities; None is a star."""
    if not symbols:
        return not text
    if symbols[0] is None:
        return any(matches_slowly(symbols[1:], text[at:]) for at in range(len(text) + 1))
    return text[:1] == symbols[0] and matches_slowly(symbols[1:], text[1:])


def parse_symbols(pattern: str) -> list[str | None]:
    found: list[str | None] = []
    at = 0
    while at < len(pattern):
        if pattern.startswith("\\*", at):
            found.append("*")
            at += 2
            continue
        found.append(None if pattern[at] == "*" else pattern[at])
        at += 1
    return found


def glob_matches_slowly(pattern: str, text: str) -> bool:
    symbols = parse_symbols(pattern)
    if symbols[-2:] == [" ", None] and matches_slowly(symbols[:-2], text):
        return True
    return matches_slowly(symbols, text)


@settings(max_examples=1_000)
@given(patterns, letters)
@example("a *", "a")
@example("*a*", "bab")
@example("\\*", "*")
def test_a_glob_matches_the_same_texts_as_a_slow_matcher(pattern: str, text: str) -> None:
    assert parse_glob(pattern).matches(text) == glob_matches_slowly(pattern, text)


@pytest.mark.parametrize(
    ("pattern", "matched", "refused"),
    [
        ("npm run *", ["npm run", "npm run build", "npm run build --watch"], ["npm runner", "npm", "npm ru"]),
        ("git push*", ["git push", "git push origin main", "git pushy"], ["git pull"]),
        ("*", ["", "anything at all"], []),
        ("rm", ["rm"], ["rm x", "", "r"]),
        ("* --force", [" --force", "git push --force"], ["--force", "git push --force-with-lease"]),
        ("a*a", ["aa", "aba"], ["a"]),
        ("echo \\*", ["echo *"], ["echo x"]),
    ],
)
@pytest.mark.proves("R003-40", "R003-20")
def test_a_star_means_any_text_and_a_blank_before_the_last_one_may_be_missing(
    pattern: str, matched: list[str], refused: list[str]
) -> None:
    glob = parse_glob(pattern)

    assert [text for text in matched if not glob.matches(text)] == []
    assert [text for text in refused if glob.matches(text)] == []


@pytest.mark.parametrize(
    "pattern", ["".join(one) for size in range(5) for one in product("a *", repeat=size)]
)
def test_a_text_with_unknown_pieces_could_match_if_some_values_match(pattern: str) -> None:
    glob = parse_glob(pattern)
    fillings = ["".join(one) for size in range(5) for one in product("a ", repeat=size)]
    for text in ("".join(one) for size in range(4) for one in product("a " + UNKNOWN_MARK, repeat=size)):
        filled = _fill_unknown_pieces(text, fillings)

        assert glob.could_match(text) == any(glob.matches(one) for one in filled), (pattern, text)


def test_a_known_text_could_match_only_if_it_matches() -> None:
    assert parse_glob("npm run *").could_match("npm run")
    assert not parse_glob("npm run *").could_match("npm runner")
    assert not Glob(("a", "b")).could_match("")


@pytest.mark.proves("T-28", "R-21")
def test_a_hostile_pattern_takes_no_longer_than_a_plain_one() -> None:
    hostile = [parse_glob("*" + "a*" * size + "b") for size in range(1, 101)]
    text = "a" * 10_000

    found, spent = measure_seconds(lambda: [glob.matches(text) for glob in hostile])

    assert not any(found)
    assert spent < 0.05 * len(hostile)


@pytest.mark.proves("T-28", "R-21")
def test_a_hostile_text_with_unknown_pieces_takes_bounded_time() -> None:
    glob = parse_glob("*" + "a*" * 60 + "b")

    found, spent = measure_seconds(lambda: glob.could_match(("a" * 99 + UNKNOWN_MARK) * 100))

    assert found
    assert spent < 0.5


def _fill_unknown_pieces(text: str, fillings: list[str]) -> list[str]:
    head, hole, tail = text.partition(UNKNOWN_MARK)
    if not hole:
        return [text]
    return [
        head + filling + rest for filling in fillings for rest in _fill_unknown_pieces(tail, fillings[:15])
    ]


@given(st.text(alphabet="ab *", max_size=6), st.text(alphabet="ab " + UNKNOWN_MARK, max_size=6))
def test_ends_that_disagree_never_hide_a_possible_match(pattern: str, text: str) -> None:
    glob = parse_glob(pattern)

    assert glob.could_match_ends(text) or not glob.could_match(text)


def test_different_ends_rule_out_a_match() -> None:
    assert not parse_glob("rm *").could_match_ends(f"ls {UNKNOWN_MARK}")
    assert not parse_glob("*.py").could_match_ends(f"{UNKNOWN_MARK}.js")
    assert parse_glob("rm *").could_match_ends(f"rm{UNKNOWN_MARK}")


component_patterns = st.text(alphabet="ab.*?[]!-^\\", min_size=1, max_size=8)
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
    assert [name for name in matched if not matches_component(pattern, name)] == []
    assert [name for name in refused if matches_component(pattern, name)] == []


@settings(max_examples=1_000)
@given(component_patterns, names)
def test_a_pattern_agrees_with_an_independent_gitignore(pattern: str, name: str) -> None:
    if pattern.strip("*") in ("", ".") or pattern.startswith("!") or "[" in pattern or pattern.endswith("\\"):
        return  # there it is gitignore's own grammar that differs: negation, brackets, dangling escapes

    spec = GitIgnoreSpec.from_lines(["/" + pattern])
    assert matches_component(pattern, name) == spec.match_file(name), (pattern, name)


def test_a_name_is_no_pattern() -> None:
    assert [has_glob(text) for text in ("a", "a*", "a?", "a[b", "a{b}")] == [False, True, True, True, False]


def test_a_component_with_an_unknown_piece_could_match_many_names() -> None:
    assert could_match_component(f"a{UNKNOWN_MARK}c", "abc")
    assert could_match_component(f"{UNKNOWN_MARK}", "anything")
    assert not could_match_component(f"a{UNKNOWN_MARK}c", "b")


@given(st.lists(component_patterns, min_size=1, max_size=6, unique=True), names)
def test_many_patterns_at_once_find_what_each_would_find(many: list[str], name: str) -> None:
    globs = ComponentGlobs[str]()
    for pattern in many:
        assert globs.setdefault(pattern, pattern) == pattern

    assert set(globs.find_matching(name)) == {one for one in many if matches_component(one, name)}
    assert list(globs.values()) == many


def test_the_first_value_of_a_pattern_stays() -> None:
    globs = ComponentGlobs[int]()

    assert globs.setdefault("*.py", 1) == 1
    assert globs.setdefault("*.py", 2) == 1


def test_patterns_with_different_endings_have_their_own_values() -> None:
    globs = ComponentGlobs[int]()
    for number, pattern in enumerate(["a*b*.py", "a?.py", "[ab]x.py", "a*b\\\\*.py"]):
        globs.setdefault(pattern, number)

    assert list(globs.find_matching("abc.py")) == [0]
    assert list(globs.find_matching("ax.py")) == [1, 2]
    assert list(globs.find_matching("py")) == []
