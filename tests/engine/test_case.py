"""What every stage asks about a call: its effect, where it is, what it reads and changes."""

from dataclasses import replace

import pytest

from assent.engine.case import Case, needed_paths
from assent.engine.facts import Facts, PathUse
from assent.engine.model import Call, Dialect, Effect, Tool
from assent.engine.modes import Mode
from assent.engine.parsing import parse_call
from assent.engine.policy.snapshot import Snapshot
from tests.engine import given


def case(call: Call, snapshot: Snapshot | None = None, **world: object) -> Case:
    snapshot = snapshot or given.policy()
    return Case(call, snapshot.tools[call.tool], snapshot, given.facts(call, snapshot, **world))


@pytest.mark.parametrize("effect", [one for one in Effect if one is not Effect.DESTRUCTIVE])
@pytest.mark.proves("R003-44")
def test_a_shell_line_that_only_reads_is_a_read_whatever_the_tool_declares(effect: Effect) -> None:
    tool = Tool(name="t", effect=effect, dialect=Dialect.SHELL)
    reads, changes = (Call(tool="t", args={"command": text}) for text in ("ls src", "frob"))

    assert case(reads, given.policy(tool)).effect is Effect.READ
    assert case(changes, given.policy(tool)).effect is effect


def test_a_destructive_shell_stays_destructive() -> None:
    tool = Tool(name="t", effect=Effect.DESTRUCTIVE, dialect=Dialect.SHELL)

    assert case(Call(tool="t", args={"command": "ls"}), given.policy(tool)).effect is Effect.DESTRUCTIVE


@pytest.mark.parametrize(
    ("path", "effect"),
    [("src/a", Effect.EDIT), ("/srv/a", Effect.WRITE), (None, Effect.WRITE), ("../a", Effect.WRITE)],
)
def test_an_edit_outside_the_workspace_is_a_write(path: str | None, effect: Effect) -> None:
    assert case(given.on_path(given.SAVE_FILE, path)).effect is effect


def test_an_edit_of_a_path_nobody_looked_up_is_a_write() -> None:
    call = given.on_path(given.SAVE_FILE, "src/a")

    assert Case(call, given.SAVE_FILE, given.policy(), Facts(place=given.PLACE)).effect is Effect.WRITE


def test_an_edit_through_a_link_that_leaves_is_a_write() -> None:
    assert case(given.on_path(given.SAVE_FILE, "a"), links={"/project/a": "/srv/a"}).effect is Effect.WRITE


def test_an_edit_of_one_path_inside_and_one_outside_is_a_write() -> None:
    assert case(given.on_path(given.SAVE_FILE, ["a", "/srv/a"])).effect is Effect.WRITE


@pytest.mark.proves("D-8", "T-32")
def test_a_repository_is_read_freely_only_if_trusted() -> None:
    assert case(given.run("git status"), trusted=True).effect is Effect.READ
    assert case(given.run("git status"), trusted=False).effect is Effect.EXECUTE


@pytest.mark.parametrize(
    ("command", "effect"),
    [
        ("cd src && ls", Effect.READ),
        ("cd /srv && ls", Effect.EXECUTE),
        ("cd ~ && ls", Effect.EXECUTE),
        ("cd $X && ls", Effect.EXECUTE),
        ("cd src && cd ../.. && ls", Effect.EXECUTE),
    ],
)
@pytest.mark.proves("D-7")
def test_going_outside_voids_reading(command: str, effect: Effect) -> None:
    assert case(given.run(command)).effect is effect


def test_a_directory_that_is_a_link_to_outside_is_outside() -> None:
    assert case(given.run("cd src && ls"), links={"/project/src": "/srv"}).effect is Effect.EXECUTE


@pytest.mark.parametrize(
    ("call", "where"),
    [
        (given.run("cat a"), None),
        (given.run("cat /etc/passwd"), "/etc/passwd"),
        (given.run("cat /etc/hosts"), None),
        (given.run("cat <(ls)"), None),
        (given.run("cat .env"), ".env"),
        (given.run("cat .env.example"), None),
        (given.run("cat .env*"), ".env*"),
        (given.run("cat < /srv/x"), "/srv/x"),
        (given.on_path(given.READ_FILE, "../x"), "../x"),
        (given.on_path(given.SAVE_FILE, "../x"), None),
        (given.mail(to="/etc/passwd"), None),
    ],
    ids=str,
)
@pytest.mark.proves("D-6")
def test_what_a_call_reads_elsewhere_is_named(call: Call, where: str | None) -> None:
    found = case(call)

    assert next((one for part in found.parts if (one := found.outside_read(part))), None) == where


@pytest.mark.proves("D-6")
def test_a_variable_that_looks_like_a_secret_is_read_elsewhere() -> None:
    found = case(given.run('echo "$GITHUB_TOKEN"'))

    assert [where for part in found.parts if (where := found.outside_read(part))] == ["$GITHUB_TOKEN"]


@pytest.mark.parametrize(
    ("call", "paths"),
    [
        (given.run("ls src"), []),
        (given.run("frob a > b"), ["a", "b"]),
        (given.run("touch a b"), ["a", "b"]),
        (given.on_path(given.SAVE_FILE, ["a", "b"]), ["a", "b"]),
        (given.on_path(given.READ_FILE, "a"), []),
    ],
    ids=str,
)
def test_what_a_call_may_change_is_listed(call: Call, paths: list[str]) -> None:
    assert [use.text for use in case(call).changed_paths()] == paths


def test_the_mode_is_the_narrowest_of_the_lineage() -> None:
    parent = given.policy(mode=Mode.ACCEPT_EDITS, parent=given.policy(mode=None))
    child = given.policy(mode=Mode.AUTO, parent=parent)

    assert case(given.mail(), child).mode is Mode.ACCEPT_EDITS
    assert child.narrowest_mode is Mode.ACCEPT_EDITS


@pytest.mark.proves("T-31")
def test_an_ancestor_may_raise_what_a_tool_is_declared_to_do() -> None:
    look_up = Tool(name="t", effect=Effect.READ)
    raised = given.policy(replace(look_up, effect=Effect.DESTRUCTIVE))
    found = case(Call(tool="t", args={}), given.policy(look_up, parent=raised))

    assert found.effect is Effect.DESTRUCTIVE
    assert found.declared_effects == {Effect.READ, Effect.DESTRUCTIVE}


@pytest.mark.parametrize(
    ("call", "paths"),
    [
        (given.run("cat a ~/b > c"), ["/project/a", "/home/ana/b", "/project/c"]),
        (given.run("cd src && cat a"), ["/project/src/a", "/project/src"]),
        (given.run("cat $X"), []),
        (given.run("rm -rf build"), ["/project/build"]),
        (given.run("timeout 3 cat a"), ["/project/a"]),
        (given.on_path(given.READ_FILE, ["a", None]), ["/project/a"]),
        (given.mail(to="a"), []),
    ],
    ids=str,
)
def test_deciding_lists_the_paths_it_wants_to_know(call: Call, paths: list[str]) -> None:
    tool = given.policy().tools[call.tool]

    assert set(needed_paths(parse_call(call, tool).all_parts, given.PLACE)) == set(paths)


def test_a_path_in_a_directory_nobody_knows_is_not_inside() -> None:
    assert not case(given.run("ls")).is_in_workspace(PathUse("a", "\0"))
