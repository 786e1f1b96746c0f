"""Many patterns at once find exactly what each of them would find alone."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assent.engine.globs import HOLE, parse_glob
from assent.engine.policy.patterns import MOST_CANDIDATES, AllowPatterns, StrictPatterns, WordPattern
from assent.engine.policy.rule import Rule

patterns = st.lists(st.text(alphabet="ab *", min_size=1, max_size=6), max_size=8)
texts = st.text(alphabet="ab ", max_size=8)
word_patterns = st.lists(st.lists(st.sampled_from(["a", "b", "a*", "*", "*b", ""]), max_size=4), max_size=6)
word_lists = st.lists(st.sampled_from(["a", "b", "ab", "aab", ""]), max_size=4)


def hits(*found: str) -> StrictPatterns:
    return StrictPatterns((pattern, Rule(tool="t", specifier=pattern)) for pattern in found)


def covers(*found: str) -> AllowPatterns:
    return AllowPatterns((tuple(pattern.split(" ")), Rule(tool="t", specifier=pattern)) for pattern in found)


@settings(max_examples=500)
@given(patterns, texts)
def test_an_index_of_deny_patterns_hits_what_a_loop_would_hit(many: list[str], text: str) -> None:
    found = hits(*many).match(text)

    assert (found is not None) == any(parse_glob(one).matches(text) for one in many)
    assert found is None or parse_glob(found.specifier or "").matches(text)


@settings(max_examples=500)
@given(patterns, st.text(alphabet="ab " + HOLE, max_size=8))
def test_an_index_of_deny_patterns_could_hit_what_a_loop_could_hit(many: list[str], text: str) -> None:
    found = hits(*many).could_match(text)

    assert (found is not None) == any(parse_glob(one).could_match(text) for one in many)


@settings(max_examples=500)
@given(word_patterns, word_lists, st.integers(0, 3))
def test_an_index_of_allow_patterns_covers_what_a_loop_would_cover(
    many: list[list[str]], words: list[str], spelled_out: int
) -> None:
    rules = AllowPatterns((one, Rule(tool="t", specifier=" ".join(one))) for one in many)

    found = rules.match(words, spelled_out=spelled_out)

    assert (found is not None) == any(WordPattern(one).matches(words, spelled_out) for one in many)
    assert bool(rules) == bool(many)


@pytest.mark.parametrize(
    ("pattern", "covered", "refused"),
    [
        ("npm run *", ["npm run", "npm run build", "npm run build x"], ["npm runner", "npm"]),
        ("npm run", ["npm run"], ["npm run build"]),
        ("git push * main", ["git push origin main"], ["git push main", "git push a b main"]),
        ("git push*", ["git push", "git pushy"], ["git push origin"]),
        ("*", ["anything", "at all"], []),
        ("cat src/*.py", ["cat src/a.py", "cat src/x/a.py"], ["cat src/a.py b.py"]),
        ("* --version", ["node --version"], ["bash -c x --version"]),
    ],
)
@pytest.mark.proves("R003-40", "R002-9")
def test_a_star_of_an_allow_stays_in_its_word(pattern: str, covered: list[str], refused: list[str]) -> None:
    rule = covers(pattern)

    assert [text for text in covered if rule.match(text.split(" ")) is None] == []
    assert [text for text in refused if rule.match(text.split(" ")) is not None] == []


@pytest.mark.parametrize(
    ("pattern", "spelled_out", "matched"),
    [("sudo rm *", 2, True), ("sudo * x", 2, False), ("sudo *", 2, False), ("sudo rm x", 3, True)],
)
def test_a_rule_may_have_to_spell_out_the_first_words(pattern: str, spelled_out: int, matched: bool) -> None:
    assert WordPattern(pattern.split(" ")).matches(["sudo", "rm", "x"], spelled_out) is matched


def test_an_empty_list_hits_and_covers_nothing() -> None:
    assert not hits()
    assert hits("a")
    assert hits().match("a") is None
    assert hits().could_match(HOLE) is None
    assert not AllowPatterns(())
    assert AllowPatterns(()).match(["a"]) is None


def test_too_many_candidates_count_as_a_possible_hit() -> None:
    many = hits(*(f"x{number}" for number in range(MOST_CANDIDATES + 2)))

    assert many.could_match(f"{HOLE}y") is not None
    assert many.could_match("z" + HOLE) is None


def test_the_first_of_two_equal_patterns_is_named() -> None:
    first, second = Rule(tool="t", specifier="a", why="first"), Rule(tool="t", specifier="a", why="second")

    assert StrictPatterns([("a", first), ("a", second)]).match("a") is first


@pytest.mark.proves("T-28", "R-21")
def test_too_many_steps_count_as_a_possible_hit() -> None:
    starry = hits("*" + "a*" * 9 + "b")
    text = "a" * 99 + HOLE + "c" * 9 + HOLE + "b"

    assert hits("*x*y").could_match(f"{HOLE}ab") is None
    assert starry.could_match(text, [0]) is not None
    assert hits("*xb").could_match(f"{HOLE}ab") is None


def test_rules_that_share_a_piece_are_tried_once_for_a_text_that_repeats_it() -> None:
    assert hits("*ab").match("ab " * 50) is None
    assert hits("*ab", "ab *b").match("ab " * 50 + "b") is not None
