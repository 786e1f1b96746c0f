"""Path rules have the meaning of gitignore and four anchors, whatever the spelling of a path."""

import unicodedata

import hypothesis
import pytest
from hypothesis import assume, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from assent.engine.base.facts import CallDirectories, Facts, PathUse
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

DIRECTORIES = CallDirectories(roots=("/project", "/second"), cwd="/project/sub", home="/home/ana")
CASELESS = CallDirectories(roots=("/Project",), cwd="/Project", home="/Home/Ana", case_sensitive=False)


def path_rules(*patterns: str) -> PathRules:
    return PathRules((pattern, Rule(tool="t", specifier=pattern)) for pattern in patterns)


def matches_path(pattern: str, path: str, directories: CallDirectories = DIRECTORIES) -> bool:
    return path_rules(pattern).match(path, directories) is not None


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

    assert matches_path(pattern, f"/project/{path}") == spec.match_file(path), (pattern, path)


@hypothesis.given(st.lists(pattern_texts, min_size=1, max_size=5), path_texts)
def test_many_patterns_match_when_one_of_them_does(patterns: list[str], path: str) -> None:
    absolute = f"/project/{path}"

    found = path_rules(*patterns).match(absolute, DIRECTORIES)

    assert (found is not None) == any(matches_path(pattern, absolute) for pattern in patterns)
    assert found is None or matches_path(found.specifier or "", absolute)


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
def test_an_anchor_decides_where_a_pattern_starts(
    pattern: str, inside: list[str], outside: list[str]
) -> None:
    assert [path for path in inside if not matches_path(pattern, path)] == []
    assert [path for path in outside if matches_path(pattern, path)] == []


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


def test_no_pattern_matches_an_unknown_home() -> None:
    homeless = CallDirectories(roots=("/project",), cwd="/project")

    assert not matches_path("~/**", "/project/a", homeless)
    assert not matches_path("~/**", "/a", homeless)


@pytest.mark.parametrize(
    "path", ["/project/x/../.env", "/project//.env", "//project/.env", "/project/./.env"]
)
@pytest.mark.proves("T-27", "R003-51")
def test_dots_and_slashes_do_not_hide_a_path(path: str) -> None:
    assert matches_path("/.env", path)


@pytest.mark.proves("T-27", "R003-51")
def test_a_path_that_leaves_by_dots_is_not_inside() -> None:
    assert not matches_path("/src/**", "/project/src/../../etc/passwd")


@pytest.mark.proves("T-27", "R003-51")
def test_letter_case_matters_only_on_case_sensitive_file_systems() -> None:
    assert matches_path("/Secret.txt", "/PROJECT/sECRET.TXT", CASELESS)
    assert matches_path("/Secret/*.TXT", "/project/secret/a.txt", CASELESS)
    assert matches_path("~/x", "/home/ANA/X", CASELESS)
    assert not matches_path("/Secret.txt", "/project/secret.txt", DIRECTORIES)


@pytest.mark.proves("T-27", "R003-51")
def test_names_that_differ_only_in_case_are_equal_on_caseless_file_systems() -> None:
    both = path_rules("/Key/a", "/KEY/b")

    assert [both.match(f"/project/key/{name}", CASELESS) is not None for name in "abc"] == [True, True, False]
    assert path_rules("/Src/ABC").could_match("/project/sRC/a*", CASELESS, [MAX_TRIE_STEPS]) is not None
    assert path_rules("/Src/X*").could_match("/project/src/*y", CASELESS, [MAX_TRIE_STEPS]) is not None


@pytest.mark.proves("T-27")
def test_two_unicode_forms_of_a_path_match_alike() -> None:
    composed = unicodedata.normalize("NFC", "/project/café.txt")
    decomposed = unicodedata.normalize("NFD", composed)

    assert composed != decomposed
    assert matches_path("/café.txt", decomposed)


@pytest.mark.proves("T-27")
def test_a_pattern_in_the_other_form_matches_too() -> None:
    assert matches_path(unicodedata.normalize("NFD", "/café.txt"), "/project/café.txt")


@hypothesis.given(
    pattern_texts, st.lists(st.sampled_from(["a", "b", "*", "a*", "?", "\0", "x\0"]), min_size=1, max_size=3)
)
def test_a_path_with_unknown_pieces_could_match_if_some_values_match(pattern: str, parts: list[str]) -> None:
    assume("[" not in pattern)
    written = "/project/" + "/".join(parts)
    filled = ["/project/" + "/".join(one) for one in _all_fillings(parts)]

    possible = path_rules(pattern).could_match(written, DIRECTORIES, [MAX_TRIE_STEPS]) is not None

    if any(matches_path(pattern, path) for path in filled):
        assert possible, (pattern, written)


def test_a_path_that_certainly_differs_could_not_match() -> None:
    assert path_rules("/src/*.py").could_match("/project/lib/*", DIRECTORIES, [MAX_TRIE_STEPS]) is None
    assert path_rules("/src/a").could_match("/project/src/b*", DIRECTORIES, [MAX_TRIE_STEPS]) is None


@pytest.mark.proves("T-28", "R-21")
def test_a_glob_with_too_many_possible_names_could_match_any_rule() -> None:
    many = path_rules(*(f"/src/name{number}" for number in range(MAX_TRIE_STEPS)), "/lib/*/a")

    assert many.could_match("/project/src/other*", DIRECTORIES, [MAX_TRIE_STEPS]) == many.first_rule()
    assert many.could_match("/project/src/other", DIRECTORIES, [MAX_TRIE_STEPS]) is None
    assert many.could_match("/project/lib/*/b", DIRECTORIES, [MAX_TRIE_STEPS]) is None


def test_path_rules_are_empty_or_have_a_first_rule() -> None:
    assert not path_rules()
    assert path_rules("/a", "/b")
    assert path_rules("/a", "/b").first_rule().specifier == "/a"


@pytest.mark.proves("T-28", "R-21")
def test_a_hostile_pattern_and_path_take_little_time() -> None:
    hostile = path_rules(
        *("/".join(["**", "a*"] * size) for size in range(1, 16)), "/".join(["**", "*a*b*"] * 16)
    )
    path = "/project/" + "/".join(["a" * 80] * 100)

    _, spent = measure_seconds(lambda: hostile.match(path, DIRECTORIES))

    assert spent < 0.5  # backtracking would take minutes


def _all_fillings(parts: list[str]) -> list[list[str]]:
    if not parts:
        return [[]]
    head = parts[0]
    wild = {"*": ["a", "b", "xy"], "a*": ["a", "ab"], "?": ["a", "b"], "\0": ["a", "b"], "x\0": ["x", "xa"]}
    return [[one, *rest] for one in wild.get(head, [head]) for rest in _all_fillings(parts[1:])]


RULE = Rule(tool="files.read", specifier="/secrets/**")
RULES = PathRules([("/secrets/**", RULE)])
NO_RULES = PathRules(())


def facts_with_real_paths(**real: str | tuple[str, ...]) -> Facts:
    """Facts about paths below the workspace, named by their file."""
    named = {
        f"/project/{name}": (found,) if isinstance(found, str) else found for name, found in real.items()
    }
    return Facts(directories=given.DIRECTORIES, real=named)


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
def test_a_deny_rule_matches_the_written_or_the_real_path(written: str, real: str) -> None:
    facts = Facts(directories=given.DIRECTORIES, real={f"/project/{written}": (real,)})

    assert match_path_rule(RULES, PathUse(written), facts) == PathMatch(RULE, certain=True)


def test_a_deny_rule_matches_a_written_path_without_facts() -> None:
    assert match_path_rule(RULES, PathUse("secrets/key"), facts_with_real_paths()) == PathMatch(
        RULE, certain=True
    )


def test_a_deny_rule_does_not_match_other_paths() -> None:
    assert match_path_rule(RULES, PathUse("src/a"), facts_with_real_paths(src="/project/src")) is None
    assert match_path_rule(NO_RULES, PathUse(UNKNOWN_MARK), facts_with_real_paths()) is None


def test_an_unknown_path_could_match_any_rule() -> None:
    assert match_path_rule(RULES, PathUse(UNKNOWN_MARK), facts_with_real_paths()) == PathMatch(
        RULE, certain=False
    )


def test_a_glob_could_match_a_denied_file_unless_the_facts_list_its_files() -> None:
    use = PathUse("s*/key", glob=True)
    unknown = Facts(directories=given.DIRECTORIES)
    known = Facts(directories=given.DIRECTORIES, real={"/project/s*/key": ("/project/src/key",)})
    denied = Facts(
        directories=given.DIRECTORIES, real={"/project/s*/key": ("/project/src/key", "/project/secrets/key")}
    )

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
def test_an_allow_rule_must_cover_the_written_and_the_real_path(
    written: str, real: tuple[str, ...], covered: bool
) -> None:
    facts = Facts(directories=given.DIRECTORIES, real={f"/project/{written}": real})

    assert covering_path_rule(RULES, PathUse(written), facts) == (RULE if covered else None)


def test_an_allow_rule_never_covers_an_unknown_path() -> None:
    assert covering_path_rule(RULES, PathUse(UNKNOWN_MARK), facts_with_real_paths()) is None
    assert covering_path_rule(NO_RULES, PathUse("a"), facts_with_real_paths(a="/project/a")) is None


CASELESS_VOLUME = CallDirectories(roots=("/project",), cwd="/project", home="/home/ana", case_sensitive=False)
DISGUISES = {
    "two dots": ("src/../.env", {}, given.DIRECTORIES),
    "two dots above the root": ("../../project/.env", {}, given.DIRECTORIES),
    "an absolute path": ("/project/.env", {}, given.DIRECTORIES),
    "more slashes": ("//project///.env", {}, given.DIRECTORIES),
    "a link to the file": ("notes", {"/project/notes": "/project/.env"}, given.DIRECTORIES),
    "a link to the directory": ("here/.env", {"/project/here": "/project"}, given.DIRECTORIES),
    "another process's root": ("/proc/self/root/project/.env", {"/proc/self/root": "/"}, given.DIRECTORIES),
    "letter case on a volume without": (".ENV", {}, CASELESS_VOLUME),
    "a dot at the end on such a volume": (".env.", {}, CASELESS_VOLUME),
    "a blank at the end on such a volume": (".env ", {}, CASELESS_VOLUME),
    "a short name the disk resolves": ("ENV~1", {"/project/ENV~1": "/project/.env"}, CASELESS_VOLUME),
}


@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.proves("T-27", "R003-51")
def test_a_denied_file_is_denied_in_every_disguise(disguise: str) -> None:
    path, links, directories = DISGUISES[disguise]
    snapshot = given.make_snapshot(deny=["files.read(/.env)"])

    decision = given.decide_call(
        given.file_call(given.READ_FILE, path), snapshot, links=links, directories=directories
    )

    assert (decision.verdict, decision.stage) == (Verdict.DENY, Stage.DENY_RULE)


@pytest.mark.parametrize("disguise", [*DISGUISES, "no disguise"])
@pytest.mark.proves("T-27")
def test_no_disguise_of_a_secret_is_read_by_a_rule_that_is_about_something_else(disguise: str) -> None:
    path, links, directories = DISGUISES.get(disguise, (".env", {}, given.DIRECTORIES))
    snapshot = given.make_snapshot(allow=["files.read(/src/**)", "files.read(/here/**)", "files.read(notes)"])

    decision = given.decide_call(
        given.file_call(given.READ_FILE, path), snapshot, links=links, directories=directories
    )

    assert decision.verdict is Verdict.ASK


@pytest.mark.parametrize(
    "path", ["C:\\project\\.env", "\\\\?\\C:\\project\\.env", "\\\\server\\share\\.env", "c:/.env"]
)
@pytest.mark.proves("T-27")
def test_a_path_of_another_system_is_outside_and_may_be_what_a_rule_denies(path: str) -> None:
    call = given.file_call(given.READ_FILE, path)

    assert given.decide_call(call, given.make_snapshot()).stage is Stage.OUTSIDE
    assert given.decide_call(call, given.make_snapshot(deny=["files.read(/.env)"])).stage is Stage.UNRESOLVED


@pytest.mark.parametrize(
    "path", ["/src/../etc/passwd", "src/../../etc/passwd", "/project/src/../../etc/passwd"]
)
@pytest.mark.proves("T-27", "R003-51")
def test_an_allowed_directory_does_not_cover_what_dots_lead_to(path: str) -> None:
    snapshot = given.make_snapshot(allow=["files.save(/src/**)"], mode=None)

    decision = given.decide_call(given.file_call(given.SAVE_FILE, path), snapshot)

    assert decision.verdict is Verdict.ASK


@pytest.mark.parametrize(
    ("name", "certain"),
    [("keys/*.txt", True), ("k", True), ("*", False), ("?", False), ("other", None), ("**/", None)],
)
def test_a_pattern_of_names_meets_the_rules_below_a_directory(name: str, certain: bool | None) -> None:
    rules = path_rules("/sub/keys/**", "/deep/k")

    found = rules.match_selector([name], "/project/sub", DIRECTORIES)

    assert (None if found is None else found.certain) is certain


def test_a_rule_may_be_about_something_below_a_directory() -> None:
    rules = path_rules("/a/b/secret")

    assert rules.match_below("/project/a", DIRECTORIES) is not None
    assert rules.match_below("/project/c", DIRECTORIES) is None


def test_a_denial_that_is_only_a_star_meets_every_path() -> None:
    rules = PathRules([("*", RULE)], strict=True)

    assert match_path_rule(rules, PathUse(UNKNOWN_MARK), Facts(directories=DIRECTORIES)) == PathMatch(
        RULE, certain=True
    )
