"""Path rules against what a call spells and what the disk says: deny on either, allow on both."""

import pytest

from assent.engine.facts import Facts, PathUse, Place
from assent.engine.glob import HOLE
from assent.engine.path import PathRules
from assent.engine.pathmatch import PathHit, covering_path, hit_path
from assent.engine.rule import Rule
from assent.engine.verdict import Stage, Verdict
from tests.engine import given

RULE = Rule(tool="files.read", specifier="/secrets/**")
RULES = PathRules([("/secrets/**", RULE)])
NO_RULES = PathRules(())


def knowing(**real: str | tuple[str, ...]) -> Facts:
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

    assert hit_path(RULES, PathUse(written), facts) == PathHit(RULE, surely=True)


def test_a_deny_hits_a_written_path_nobody_looked_up() -> None:
    assert hit_path(RULES, PathUse("secrets/key"), knowing()) == PathHit(RULE, surely=True)


def test_a_deny_misses_other_paths() -> None:
    assert hit_path(RULES, PathUse("src/a"), knowing(src="/project/src")) is None
    assert hit_path(NO_RULES, PathUse(HOLE), knowing()) is None


def test_a_path_nobody_knows_could_be_any() -> None:
    assert hit_path(RULES, PathUse(HOLE), knowing()) == PathHit(RULE, surely=False)


def test_a_glob_could_mean_a_denied_file_until_the_disk_says_which() -> None:
    use = PathUse("s*/key", glob=True)
    unknown = Facts(place=given.PLACE)
    known = Facts(place=given.PLACE, real={"/project/s*/key": ("/project/src/key",)})
    denied = Facts(place=given.PLACE, real={"/project/s*/key": ("/project/src/key", "/project/secrets/key")})

    assert hit_path(RULES, use, unknown) == PathHit(RULE, surely=False)
    assert hit_path(RULES, PathUse("b*/key", glob=True), unknown) is None
    assert hit_path(RULES, use, known) is None
    assert hit_path(RULES, use, denied) == PathHit(RULE, surely=True)


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

    assert covering_path(RULES, PathUse(written), facts) == (RULE if covered else None)


def test_an_allow_never_covers_a_path_nobody_knows() -> None:
    assert covering_path(RULES, PathUse(HOLE), knowing()) is None
    assert covering_path(NO_RULES, PathUse("a"), knowing(a="/project/a")) is None


CASELESS = Place(roots=("/project",), cwd="/project", home="/home/ana", case_sensitive=False)
DISGUISES = {
    "two dots": ("src/../.env", {}, given.PLACE),
    "two dots above the root": ("../../project/.env", {}, given.PLACE),
    "an absolute path": ("/project/.env", {}, given.PLACE),
    "more slashes": ("//project///.env", {}, given.PLACE),
    "a link to the file": ("notes", {"/project/notes": "/project/.env"}, given.PLACE),
    "a link to the directory": ("here/.env", {"/project/here": "/project"}, given.PLACE),
    "another process's root": ("/proc/self/root/project/.env", {"/proc/self/root": "/"}, given.PLACE),
    "letter case on a volume without": (".ENV", {}, CASELESS),
    "a dot at the end on such a volume": (".env.", {}, CASELESS),
    "a blank at the end on such a volume": (".env ", {}, CASELESS),
    "a short name the disk resolves": ("ENV~1", {"/project/ENV~1": "/project/.env"}, CASELESS),
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
