"""Many patterns together match exactly what each of them matches alone."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assent.engine.base.globs import UNKNOWN_MARK, parse_glob
from assent.engine.policy.modes import Mode
from assent.engine.policy.patterns import (
    MAX_CANDIDATES,
    AllowPatterns,
    NamedArgument,
    StrictPatterns,
    WordPattern,
    all_values_match,
    any_argument_matches,
    normalize_powershell_texts,
    normalize_powershell_words,
    parse_named_arguments,
    powershell_allow_pattern,
    powershell_strict_pattern,
    some_value_matches,
)
from assent.engine.policy.rule import Rule
from assent.engine.policy.verdict import Verdict
from tests.engine.powershell.line_decisions import decide_line

patterns = st.lists(st.text(alphabet="ab *", min_size=1, max_size=6), max_size=8)
texts = st.text(alphabet="ab ", max_size=8)
word_patterns = st.lists(st.lists(st.sampled_from(["a", "b", "a*", "*", "*b", ""]), max_size=4), max_size=6)
word_lists = st.lists(st.sampled_from(["a", "b", "ab", "aab", ""]), max_size=4)


def strict_patterns(*found: str) -> StrictPatterns:
    return StrictPatterns((pattern, Rule(tool="t", specifier=pattern)) for pattern in found)


def allow_patterns(*found: str) -> AllowPatterns:
    return AllowPatterns((tuple(pattern.split(" ")), Rule(tool="t", specifier=pattern)) for pattern in found)


@settings(max_examples=500)
@given(patterns, texts)
def test_an_index_of_deny_patterns_hits_what_a_loop_would_hit(many: list[str], text: str) -> None:
    found = strict_patterns(*many).match(text)

    assert (found is not None) == any(parse_glob(one).matches(text) for one in many)
    assert found is None or parse_glob(found.specifier or "").matches(text)


@settings(max_examples=500)
@given(patterns, st.text(alphabet="ab " + UNKNOWN_MARK, max_size=8))
def test_an_index_of_deny_patterns_could_hit_what_a_loop_could_hit(many: list[str], text: str) -> None:
    found = strict_patterns(*many).could_match(text)

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
    rule = allow_patterns(pattern)

    assert [text for text in covered if rule.match(text.split(" ")) is None] == []
    assert [text for text in refused if rule.match(text.split(" ")) is not None] == []


@pytest.mark.parametrize(
    ("pattern", "spelled_out", "matched"),
    [("sudo rm *", 2, True), ("sudo * x", 2, False), ("sudo *", 2, False), ("sudo rm x", 3, True)],
)
def test_a_rule_may_have_to_spell_out_the_first_words(pattern: str, spelled_out: int, matched: bool) -> None:
    assert WordPattern(pattern.split(" ")).matches(["sudo", "rm", "x"], spelled_out) is matched


def test_an_empty_list_hits_and_covers_nothing() -> None:
    assert not strict_patterns()
    assert strict_patterns("a")
    assert strict_patterns().match("a") is None
    assert strict_patterns().could_match(UNKNOWN_MARK) is None
    assert not AllowPatterns(())
    assert AllowPatterns(()).match(["a"]) is None


def test_too_many_candidates_count_as_a_possible_hit() -> None:
    many = strict_patterns(*(f"x{number}" for number in range(MAX_CANDIDATES + 2)))

    assert many.could_match(f"{UNKNOWN_MARK}y") is not None
    assert many.could_match("z" + UNKNOWN_MARK) is None


def test_the_first_of_two_equal_patterns_is_named() -> None:
    first, second = Rule(tool="t", specifier="a", why="first"), Rule(tool="t", specifier="a", why="second")

    assert StrictPatterns([("a", first), ("a", second)]).match("a") is first


@pytest.mark.proves("T-28", "R-21")
def test_too_many_steps_count_as_a_possible_hit() -> None:
    starry = strict_patterns("*" + "a*" * 9 + "b")
    text = "a" * 99 + UNKNOWN_MARK + "c" * 9 + UNKNOWN_MARK + "b"

    assert strict_patterns("*x*y").could_match(f"{UNKNOWN_MARK}ab") is None
    assert starry.could_match(text, [0]) is not None
    assert strict_patterns("*xb").could_match(f"{UNKNOWN_MARK}ab") is None


def test_rules_that_share_a_piece_are_tried_once_for_a_text_that_repeats_it() -> None:
    assert strict_patterns("*ab").match("ab " * 50) is None
    assert strict_patterns("*ab", "ab *b").match("ab " * 50 + "b") is not None


def test_named_arguments_are_read_from_a_specifier() -> None:
    assert parse_named_arguments("repo=acme/*, labels=bug") == (
        NamedArgument("repo", "acme/*"),
        NamedArgument("labels", "bug"),
    )
    assert parse_named_arguments(" a = b , c ") == (NamedArgument("a", "b , c"),)
    assert parse_named_arguments("query=a=b, limit=3") == (
        NamedArgument("query", "a=b"),
        NamedArgument("limit", "3"),
    )


@pytest.mark.parametrize("specifier", ["acme/*", "repo=", "=x", "1a=x", "repo=acme, =x, y", ""])
def test_a_specifier_without_argument_names_has_no_named_arguments(specifier: str) -> None:
    found = parse_named_arguments(specifier)

    assert found is None or all(argument.pattern for argument in found)


@pytest.mark.parametrize(
    ("rule", "args", "expected"),
    [
        ("repo=acme/*", {"repo": "acme/site"}, True),
        ("repo=acme/*", {"repo": "other/site"}, False),
        ("repo=acme/*", {}, False),
        ("repo=acme/*", {"repo": None}, False),
        ("repo=acme/*, n=1", {"repo": "acme/site", "n": 1}, True),
        ("repo=acme/*, n=1", {"repo": "acme/site", "n": 2}, False),
        ("repo=acme/*, n=1", {"repo": "acme/site"}, False),
        ("labels=bug", {"labels": ["ui", "bug"]}, True),
        ("labels=bug", {"labels": [["bug"]]}, True),
        ("labels=bug", {"labels": {"first": "bug"}}, True),
        ("labels=bug", {"labels": []}, False),
        ("on=true", {"on": True}, True),
        ("on=1", {"on": True}, False),
        ("n=1", {"n": 1.0}, False),
        ("n=1.0", {"n": 1.0}, True),
        ('box={"a": 1}', {"box": {"a": 1}}, True),
        ("n=*", {"n": 0}, True),
    ],
)
@pytest.mark.proves("T-35", "R003-25")
def test_a_deny_hits_when_each_named_argument_has_a_value_that_matches(
    rule: str, args: dict[str, object], expected: bool
) -> None:
    named = parse_named_arguments(rule)

    assert named is not None
    assert some_value_matches(named, args) is expected


@pytest.mark.parametrize(
    ("rule", "args", "expected"),
    [
        ("repo=acme/*", {"repo": "acme/site"}, True),
        ("repo=acme/*", {"repo": "acme/site and more"}, False),
        ("repo=acme/* *", {"repo": "acme/site and more"}, True),
        ("to=*@example.org", {"to": "bob@rival.example\n@example.org"}, False),
        ("to=*@example.org", {"to": "bob@rival.example\t@example.org"}, False),
        ("body=*", {"body": "two\nlines"}, True),
        ("body=two\nlines", {"body": "two\nlines"}, True),
        ("body=two\nlines", {"body": "two lines"}, False),
        ("repo=acme/*", {}, False),
        ("repo=acme/*", {"repo": None}, False),
        ("repo=*", {"repo": {"a": 1}}, False),
        ("repo=*", {"repo": [{"a": 1}]}, False),
        ("repo=*", {"repo": [["a"]]}, False),
        ("repo=*", {"repo": ["a", None]}, False),
        ("repo=*", {"repo": []}, False),
        ("labels=b*", {"labels": ["bug", "blue"]}, True),
        ("labels=b*", {"labels": ["bug", "ui"]}, False),
        ("labels=b*", {"labels": ("bug",)}, True),
        ("n=7", {"n": 7}, True),
        ("n=7", {"n": "7"}, True),
    ],
)
@pytest.mark.proves("T-35", "R003-25")
def test_an_allow_covers_when_each_named_argument_matches_with_all_its_values(
    rule: str, args: dict[str, object], expected: bool
) -> None:
    named = parse_named_arguments(rule)

    assert named is not None
    assert all_values_match(named, args) is expected


def test_a_deny_without_names_hits_any_value() -> None:
    assert any_argument_matches("*@rival.example", {"to": ["ana@home.example", "bob@rival.example"]})
    assert not any_argument_matches("*@rival.example", {"to": "ana@home.example", "n": 1})


@pytest.mark.proves("T-24")
@pytest.mark.parametrize(
    ("rule", "line"),
    [
        (r"Remove-Item C:\Temp\*", r"rm c:\temp\x"),
        (r"Remove-Item C:\Temp\*", "RM -Recurse -Force C:/TEMP/x"),
        (r"Remove-Item C:\Temp\*", r"del -LiteralPath:'C:\Temp\x'"),
        ("remove-item c:/temp/*", r"Remove-Item -Path C:\TEMP\x"),
        ("Remove-Item -Recurse *", "ri x -Force -RECURSE"),
        ("Remove-Item * -Force", "rm -fo x"),
        ("Get-Content -Path *", "type x"),
        ("Move-Item src *", "mv -Destination b -Path SRC"),
        ("git push *", "git -C x push origin"),
        ("git push *", r"C:\git\GIT.EXE -c a=b Push"),
        ("Get-ChildItem *", "'x' | GCI"),
    ],
)
def test_a_deny_rule_hits_in_every_spelling(rule: str, line: str) -> None:
    assert decide_line(line, Mode.AUTO, deny=[rule], allow=["*"]).verdict is Verdict.DENY


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("Remove-Item build/*", r"Remove-Item build\x"),
        (r"Remove-Item build\*", "Remove-Item build/x"),
        ("Remove-Item build/*", "remove-item build/x"),
        ("Remove-Item -Recurse build", "REMOVE-ITEM -recurse build"),
        ("Remove-Item *.pyc", "Remove-Item a.pyc"),
        (r"Remove-Item C:\temp\*", r"Remove-Item C:\temp\x"),
        ("npm run *:unit", "npm run test:unit"),
        (r"Send-It 'it'\''s'", 'Send-It "it\'s"'),
    ],
)
def test_an_allow_rule_covers_what_is_the_same(rule: str, line: str) -> None:
    assert decide_line(line, allow=[rule]).verdict is Verdict.RUN


@pytest.mark.proves("T-20", "T-27")
@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("Remove-Item build/*", r"Remove-Item build\..\src"),
        ("Remove-Item build/*", r"Remove-Item build/..\..\x"),
        ("Remove-Item build/*", "Remove-Item Build/x"),
        (r"Remove-Item build\*", "Remove-Item buildx"),
        ("Remove-Item *.pyc", r"Remove-Item C:\a.pyc"),
        ("Remove-Item *.pyc", r"Remove-Item \a.pyc"),
        ("Remove-Item *.pyc", r"Remove-Item \\host\share\a.pyc"),
        ("Remove-Item *.pyc", r"Remove-Item HKLM:\a.pyc"),
        ("Remove-Item *.pyc", r"Remove-Item Microsoft.PowerShell.Core\FileSystem::C:\a.pyc"),
        ("Remove-Item *.pyc", r"Remove-Item ..\a.pyc"),
        ("Remove-Item *.pyc", r"Remove-Item ~\a.pyc"),
        ("git -C x status *", "git -c x status"),
    ],
)
def test_an_allow_rule_covers_nothing_else(rule: str, line: str) -> None:
    assert decide_line(line, allow=[rule]).verdict is Verdict.ASK


def test_allow_patterns_ignore_the_case_of_names_only() -> None:
    assert powershell_allow_pattern(r"Get-Content -Tail 5 Src\A") == ("get-content", "-tail", "5", "Src/A")
    assert normalize_powershell_words(("Git", "-C", "Src\\A")) == ("Git", "-C", "Src/A")
    assert normalize_powershell_words(()) == ()


def test_deny_patterns_ignore_all_letter_case() -> None:
    assert powershell_strict_pattern(r"Remove-Item C:\Temp\*") == "remove-item c:/temp/*"
    assert list(normalize_powershell_texts(("A\\b", "a/B"))) == ["a/b"]
