"""Path rules have the meaning of gitignore and four anchors, whatever the spelling of a path."""

import unicodedata

import hypothesis
import pytest
from hypothesis import assume, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from assent.engine.base.facts import Facts, PathUse, Place
from assent.engine.base.globs import UNKNOWN_MARK
from assent.engine.policy.path_rules import (
    MAX_TRIE_STEPS,
    Anchor,
    PathMatch,
    PathPattern,
    PathRules,
    covering_path_rule,
    match_path_rule,
    parse_path_pattern,
)
from assent.engine.policy.rule import Rule
from assent.engine.policy.verdict import Stage, Verdict
from tests.engine import given
from tests.engine.timing import measure_seconds

PLACE = Place(roots=("/project", "/second"), cwd="/project/sub", home="/home/ana")
CASELESS = Place(roots=("/Project",), cwd="/Project", home="/Home/Ana", case_sensitive=False)


def rules(*patterns: str) -> PathRules:
    return PathRules((pattern, Rule(tool="t", specifier=pattern)) for pattern in patterns)


def is_match(pattern: str, path: str, place: Place = PLACE) -> bool:
    return rules(pattern).match(path, place) is not None


component = st.sampled_from(["a", "b", "ab", "*", "**", "a*", "*b", "?b", "[ab]", ".a"])
pattern_texts = st.builds(
    lambda head, parts, tail: head + "/".join(parts) + tail,
    st.sampled_from(["", "/"]),
    st.lists(component, min_size=1, max_size=4),
    st.sampled_from(["", "/"]),
)
path_texts = st.lists(st.sampled_from(["a", "b", "ab", "c", ".a"]), min_size=1, max_size=5).map("/".join)


@settings(max_examples=400)
@hypothesis.given(pattern_texts, path_texts)
@pytest.mark.proves("R003-50")
def test_a_pattern_means_what_gitignore_means(pattern: str, path: str) -> None:
    assume(not pattern.endswith("**/"))  # where pathspec differs from git itself; see the table below
    spec = GitIgnoreSpec.from_lines([pattern])

    assert is_match(pattern, f"/project/{path}") == spec.match_file(path), (pattern, path)


@hypothesis.given(st.lists(pattern_texts, min_size=1, max_size=5), path_texts)
def test_many_patterns_match_when_one_of_them_does(patterns: list[str], path: str) -> None:
    absolute = f"/project/{path}"

    found = rules(*patterns).match(absolute, PLACE)

    assert (found is not None) == any(is_match(pattern, absolute) for pattern in patterns)
    assert found is None or is_match(found.specifier or "", absolute)


@pytest.mark.parametrize(
    ("pattern", "inside", "outside"),
    [
        ("//etc/**", ["/etc/passwd", "/etc/ssh/config"], ["/project/etc/passwd", "/etcetera"]),
        ("//etc", ["/etc", "/etc/passwd"], ["/project/etc"]),
        ("//**", ["/", "/etc", "/project/a"], []),
        ("~/.ssh/**", ["/home/ana/.ssh/id_rsa"], ["/home/bob/.ssh/id_rsa", "/project/.ssh/id_rsa"]),
        ("~", ["/home/ana", "/home/ana/a"], ["/home/bob"]),
        ("/src/**", ["/project/src/a", "/second/src/a/b"], ["/project/lib/src/a", "/src/a", "/project/src"]),
        ("/src", ["/project/src", "/project/src/a"], ["/project/lib/src"]),
        ("./a", ["/project/sub/a", "/project/sub/a/b"], ["/project/a"]),
        ("a.txt", ["/project/a.txt", "/project/x/y/a.txt", "/second/a.txt"], ["/etc/a.txt"]),
        ("x/a.txt", ["/project/x/a.txt"], ["/project/y/x/a.txt"]),
        ("**/x/a.txt", ["/project/x/a.txt", "/project/y/z/x/a.txt"], ["/project/a.txt"]),
        ("/x/**/y", ["/project/x/y", "/project/x/a/b/y"], ["/project/y"]),
        ("build/", ["/project/build/a", "/project/x/build/a"], ["/project/build"]),
        ("*.pem", ["/project/a.pem", "/project/x/b.pem"], ["/project/a.pem.txt", "/etc/a.pem"]),
        ("/", ["/project", "/project/a"], ["/etc"]),
        ("**/", ["/project/a/b"], ["/project/a", "/project"]),
        ("a/**/", ["/project/a/b/c"], ["/project/a/b", "/project/a"]),
    ],
)
@pytest.mark.proves("R003-50")
def test_an_anchor_says_what_a_pattern_is_measured_from(
    pattern: str, inside: list[str], outside: list[str]
) -> None:
    assert [path for path in inside if not is_match(pattern, path)] == []
    assert [path for path in outside if is_match(pattern, path)] == []


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("//etc/*", PathPattern(Anchor.ABSOLUTE, ("etc", "*"), below_only=False)),
        ("~/x", PathPattern(Anchor.HOME, ("x",), below_only=False)),
        ("~", PathPattern(Anchor.HOME, ("**",), below_only=False)),
        ("/src/**", PathPattern(Anchor.ROOT, ("src",), below_only=True)),
        ("./x/", PathPattern(Anchor.CWD, ("x",), below_only=True)),
        ("x", PathPattern(Anchor.ROOT, ("**", "x"), below_only=False)),
        ("x/y", PathPattern(Anchor.ROOT, ("x", "y"), below_only=False)),
        ("~x", PathPattern(Anchor.ROOT, ("**", "~x"), below_only=False)),
        ("**", PathPattern(Anchor.ROOT, ("**",), below_only=True)),
        ("a/**/", PathPattern(Anchor.ROOT, ("a", "**", "*"), below_only=True)),
    ],
)
def test_a_pattern_is_read_as_anchor_and_components(text: str, parsed: PathPattern) -> None:
    assert parse_path_pattern(text) == parsed


def test_a_home_that_nobody_knows_is_matched_by_nothing() -> None:
    homeless = Place(roots=("/project",), cwd="/project")

    assert not is_match("~/**", "/project/a", homeless)
    assert not is_match("~/**", "/a", homeless)


@pytest.mark.parametrize(
    "path", ["/project/x/../.env", "/project//.env", "//project/.env", "/project/./.env"]
)
@pytest.mark.proves("T-27", "R003-51")
def test_dots_and_slashes_do_not_hide_a_path(path: str) -> None:
    assert is_match("/.env", path)


@pytest.mark.proves("T-27", "R003-51")
def test_a_path_that_leaves_by_dots_is_not_inside() -> None:
    assert not is_match("/src/**", "/project/src/../../etc/passwd")


@pytest.mark.proves("T-27", "R003-51")
def test_letter_case_matters_only_where_files_have_it() -> None:
    assert is_match("/Secret.txt", "/PROJECT/sECRET.TXT", CASELESS)
    assert is_match("/Secret/*.TXT", "/project/secret/a.txt", CASELESS)
    assert is_match("~/x", "/home/ANA/X", CASELESS)
    assert not is_match("/Secret.txt", "/project/secret.txt", PLACE)


@pytest.mark.proves("T-27", "R003-51")
def test_names_that_only_differ_in_case_are_one_where_files_are() -> None:
    both = rules("/Key/a", "/KEY/b")

    assert [both.match(f"/project/key/{name}", CASELESS) is not None for name in "abc"] == [True, True, False]
    assert rules("/Src/ABC").could_match("/project/sRC/a*", CASELESS, [MAX_TRIE_STEPS]) is not None
    assert rules("/Src/X*").could_match("/project/src/*y", CASELESS, [MAX_TRIE_STEPS]) is not None


@pytest.mark.proves("T-27")
def test_one_character_has_one_form() -> None:
    composed = unicodedata.normalize("NFC", "/project/café.txt")
    decomposed = unicodedata.normalize("NFD", composed)

    assert composed != decomposed
    assert is_match("/café.txt", decomposed)


@pytest.mark.proves("T-27")
def test_a_pattern_in_the_other_form_matches_too() -> None:
    assert is_match(unicodedata.normalize("NFD", "/café.txt"), "/project/café.txt")


@hypothesis.given(
    pattern_texts, st.lists(st.sampled_from(["a", "b", "*", "a*", "?", "\0", "x\0"]), min_size=1, max_size=3)
)
def test_a_path_with_holes_possibly_matches_whatever_its_fillings_match(
    pattern: str, parts: list[str]
) -> None:
    assume("[" not in pattern)
    written = "/project/" + "/".join(parts)
    filled = ["/project/" + "/".join(one) for one in _fillings(parts)]

    possible = rules(pattern).could_match(written, PLACE, [MAX_TRIE_STEPS]) is not None

    if any(is_match(pattern, path) for path in filled):
        assert possible, (pattern, written)


def test_what_surely_differs_does_not_possibly_match() -> None:
    assert rules("/src/*.py").could_match("/project/lib/*", PLACE, [MAX_TRIE_STEPS]) is None
    assert rules("/src/a").could_match("/project/src/b*", PLACE, [MAX_TRIE_STEPS]) is None


@pytest.mark.proves("T-28", "R-21")
def test_a_glob_that_could_be_too_many_names_might_be_any() -> None:
    many = rules(*(f"/src/name{number}" for number in range(MAX_TRIE_STEPS)), "/lib/*/a")

    assert many.could_match("/project/src/other*", PLACE, [MAX_TRIE_STEPS]) == many.any_rule()
    assert many.could_match("/project/src/other", PLACE, [MAX_TRIE_STEPS]) is None
    assert many.could_match("/project/lib/*/b", PLACE, [MAX_TRIE_STEPS]) is None


def test_rules_say_whether_there_are_any_and_name_one() -> None:
    assert not rules()
    assert rules("/a", "/b")
    assert rules("/a", "/b").any_rule().specifier == "/a"


@pytest.mark.proves("T-28", "R-21")
def test_a_hostile_pattern_and_path_take_little_time() -> None:
    hostile = rules(*("/".join(["**", "a*"] * size) for size in range(1, 16)), "/".join(["**", "*a*b*"] * 16))
    path = "/project/" + "/".join(["a" * 80] * 100)

    _, spent = measure_seconds(lambda: hostile.match(path, PLACE))

    assert spent < 0.5  # backtracking would take minutes


def _fillings(parts: list[str]) -> list[list[str]]:
    if not parts:
        return [[]]
    head = parts[0]
    wild = {"*": ["a", "b", "xy"], "a*": ["a", "ab"], "?": ["a", "b"], "\0": ["a", "b"], "x\0": ["x", "xa"]}
    return [[one, *rest] for one in wild.get(head, [head]) for rest in _fillings(parts[1:])]


RULE = Rule(tool="files.read", specifier="/secrets/**")
RULES = PathRules([("/secrets/**", RULE)])
NO_RULES = PathRules(())


def facts_about(**real: str | tuple[str, ...]) -> Facts:
    """Facts about paths below the workspace, named by their file."""
    named = {
        f"/project/{name}": (found,) if isinstance(found, str) else found for name, found in real.items()
    }
    return Facts(place=given.PLACE, real=named)


@pytest.mark.parametrize(
    ("written", "real"),
    [
        ("secrets/key", "/project/secrets/key"),
        ("secrets/key", "/elsewhere/key"),
        ("link", "/project/secrets/key"),
        ("src/../secrets/key", "/project/secrets/key"),
    ],
)
@pytest.mark.proves("T-27", "R003-51")
def test_a_deny_hits_the_path_as_written_or_as_it_is(written: str, real: str) -> None:
    facts = Facts(place=given.PLACE, real={f"/project/{written}": (real,)})

    assert match_path_rule(RULES, PathUse(written), facts) == PathMatch(RULE, certain=True)


def test_a_deny_hits_a_written_path_nobody_looked_up() -> None:
    assert match_path_rule(RULES, PathUse("secrets/key"), facts_about()) == PathMatch(RULE, certain=True)


def test_a_deny_misses_other_paths() -> None:
    assert match_path_rule(RULES, PathUse("src/a"), facts_about(src="/project/src")) is None
    assert match_path_rule(NO_RULES, PathUse(UNKNOWN_MARK), facts_about()) is None


def test_a_path_nobody_knows_could_be_any() -> None:
    assert match_path_rule(RULES, PathUse(UNKNOWN_MARK), facts_about()) == PathMatch(RULE, certain=False)


def test_a_glob_could_mean_a_denied_file_until_the_disk_says_which() -> None:
    use = PathUse("s*/key", glob=True)
    unknown = Facts(place=given.PLACE)
    known = Facts(place=given.PLACE, real={"/project/s*/key": ("/project/src/key",)})
    denied = Facts(place=given.PLACE, real={"/project/s*/key": ("/project/src/key", "/project/secrets/key")})

    assert match_path_rule(RULES, use, unknown) == PathMatch(RULE, certain=False)
    assert match_path_rule(RULES, PathUse("b*/key", glob=True), unknown) is None
    assert match_path_rule(RULES, use, known) is None
    assert match_path_rule(RULES, use, denied) == PathMatch(RULE, certain=True)


@pytest.mark.parametrize(
    ("written", "real", "covered"),
    [
        ("secrets/key", ("/project/secrets/key",), True),
        ("secrets/key", ("/elsewhere/key",), False),
        ("link", ("/project/secrets/key",), False),
        ("secrets/*", ("/project/secrets/a", "/elsewhere/b"), False),
        ("secrets/key", (), False),
    ],
)
@pytest.mark.proves("T-27", "R003-51")
def test_an_allow_needs_the_path_as_written_and_as_it_is(
    written: str, real: tuple[str, ...], covered: bool
) -> None:
    facts = Facts(place=given.PLACE, real={f"/project/{written}": real})

    assert covering_path_rule(RULES, PathUse(written), facts) == (RULE if covered else None)


def test_an_allow_never_covers_a_path_nobody_knows() -> None:
    assert covering_path_rule(RULES, PathUse(UNKNOWN_MARK), facts_about()) is None
    assert covering_path_rule(NO_RULES, PathUse("a"), facts_about(a="/project/a")) is None


CASELESS_VOLUME = Place(roots=("/project",), cwd="/project", home="/home/ana", case_sensitive=False)
DISGUISES = {
    "two dots": ("src/../.env", {}, given.PLACE),
    "two dots above the root": ("../../project/.env", {}, given.PLACE),
    "an absolute path": ("/project/.env", {}, given.PLACE),
    "more slashes": ("//project///.env", {}, given.PLACE),
    "a link to the file": ("notes", {"/project/notes": "/project/.env"}, given.PLACE),
    "a link to the directory": ("here/.env", {"/project/here": "/project"}, given.PLACE),
    "another process's root": ("/proc/self/root/project/.env", {"/proc/self/root": "/"}, given.PLACE),
    "letter case on a volume without": (".ENV", {}, CASELESS_VOLUME),
    "a dot at the end on such a volume": (".env.", {}, CASELESS_VOLUME),
    "a blank at the end on such a volume": (".env ", {}, CASELESS_VOLUME),
    "a short name the disk resolves": ("ENV~1", {"/project/ENV~1": "/project/.env"}, CASELESS_VOLUME),
}


@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.proves("T-27", "R003-51")
def test_a_denied_file_is_denied_in_every_disguise(disguise: str) -> None:
    path, links, place = DISGUISES[disguise]
    snapshot = given.policy(deny=["files.read(/.env)"])

    decision = given.decided(given.on_path(given.READ_FILE, path), snapshot, links=links, place=place)

    assert (decision.verdict, decision.stage) == (Verdict.DENY, Stage.DENY_RULE)


@pytest.mark.parametrize("disguise", [*DISGUISES, "no disguise"])
@pytest.mark.proves("T-27")
def test_no_disguise_of_a_secret_is_read_by_a_rule_that_is_about_something_else(disguise: str) -> None:
    path, links, place = DISGUISES.get(disguise, (".env", {}, given.PLACE))
    snapshot = given.policy(allow=["files.read(/src/**)", "files.read(/here/**)", "files.read(notes)"])

    decision = given.decided(given.on_path(given.READ_FILE, path), snapshot, links=links, place=place)

    assert decision.verdict is Verdict.ASK


@pytest.mark.parametrize(
    "path", ["C:\\project\\.env", "\\\\?\\C:\\project\\.env", "\\\\server\\share\\.env", "c:/.env"]
)
@pytest.mark.proves("T-27")
def test_a_path_of_another_system_is_outside_and_may_be_what_a_rule_denies(path: str) -> None:
    call = given.on_path(given.READ_FILE, path)

    assert given.decided(call, given.policy()).stage is Stage.OUTSIDE
    assert given.decided(call, given.policy(deny=["files.read(/.env)"])).stage is Stage.UNRESOLVED


@pytest.mark.parametrize(
    "path", ["/src/../etc/passwd", "src/../../etc/passwd", "/project/src/../../etc/passwd"]
)
@pytest.mark.proves("T-27", "R003-51")
def test_an_allowed_directory_does_not_cover_what_dots_lead_to(path: str) -> None:
    snapshot = given.policy(allow=["files.save(/src/**)"], mode=None)

    decision = given.decided(given.on_path(given.SAVE_FILE, path), snapshot)

    assert decision.verdict is Verdict.ASK
