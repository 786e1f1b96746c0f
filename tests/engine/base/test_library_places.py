"""Places outside the workspace that can be read without asking."""

from dataclasses import replace

import pytest

from assent.engine.base.facts import CallDirectories, Facts, PathUse
from assent.engine.base.library_places import (
    CLIENT_PLACES,
    LIBRARY_PLACES,
    are_in_library,
    is_in_library,
    is_plan_file,
)
from assent.engine.policy.modes import Mode
from assent.engine.policy.verdict import Stage, Verdict
from tests.engine import given

HOME = given.DIRECTORIES.home


def _facts(path: str, real: tuple[str, ...] | None = None, **directories: object) -> Facts:
    own = replace(given.DIRECTORIES, **directories)
    return Facts(directories=own, real={path: real if real is not None else (path,)})


@pytest.mark.parametrize("place", [*LIBRARY_PLACES, *CLIENT_PLACES])
def test_everything_below_a_place_can_be_read_and_nothing_beside_it(place: str) -> None:
    path = place.replace("~", HOME).replace("*", "x-1")

    assert is_in_library(PathUse(path), _facts(path))
    assert is_in_library(PathUse(f"{path}/a/b.c"), _facts(f"{path}/a/b.c"))
    assert not is_in_library(PathUse(f"{path}/.git/config"), _facts(f"{path}/.git/config"))
    assert not is_in_library(PathUse(f"{path}2/../../a"), _facts(f"{path}2/../../a"))


@pytest.mark.parametrize(
    "path",
    [
        "/usr", "/usr/lib", "/usr/libexec/python3", "/usr/include2/a.h", "/etc/ssl/private", "/usr/local/etc/a",
        f"{HOME}/go", f"{HOME}/go/pkg/mod", f"{HOME}/go/pkg/mod/cache/vcs/a/config", f"{HOME}/go/pkg/mod/cache",
        f"{HOME}/.cargo/credentials.toml", f"{HOME}/.cargo/registry/index/a", f"{HOME}/.m2/settings.xml",
        f"{HOME}/.claude/settings.json", f"{HOME}/.claude/projects/-project/a.jsonl", f"{HOME}/.claude/skills2/a",
        f"{HOME}/.claude/plugins/cache", f"{HOME}/.claude/plugins/config.json", "/srv/.claude/plans/a.md",
        "/home/eve/.claude/plans/a.md", "/tmp/claude-1000/-other/tasks/a.output", "/tmp/claude-x/-project/a",
        "/tmp/claude-1000/-project2/a", "/tmp/a", "/var/tmp/claude-1000/-project/a",
    ],
)  # fmt: skip
def test_a_path_in_no_place_asks(path: str) -> None:
    assert not is_in_library(PathUse(path), _facts(path))


def test_a_link_out_of_a_place_and_a_path_without_facts_ask() -> None:
    path = "/usr/include/a.h"

    assert not is_in_library(PathUse(path), _facts(path, ("/etc/shadow",)))
    assert not is_in_library(PathUse(path), _facts(path, (path, "/")))
    assert not is_in_library(PathUse(path), Facts(directories=given.DIRECTORIES))
    assert not is_in_library(PathUse("\x00"), Facts(directories=given.DIRECTORIES))


def test_the_places_of_a_home_need_a_home() -> None:
    assert not is_in_library(PathUse("~/sdk/go1/a"), _facts("~/sdk/go1/a", home=""))
    assert is_in_library(PathUse("/usr/include/a.h"), _facts("/usr/include/a.h", home=""))
    assert not is_plan_file(PathUse("/.claude/plans/a.md"), _facts("/.claude/plans/a.md", home=""))


def test_a_file_system_without_letter_case_has_the_same_places() -> None:
    path = "/Library/Developer/CommandLineTools/SDKs/MacOSX.sdk/a.h"

    assert is_in_library(PathUse(path), _facts(path, case_sensitive=False))


def test_the_temporary_files_of_this_workspace_can_be_read() -> None:
    directories = CallDirectories(
        roots=("/Users/ana/x/.worktrees/3",), cwd="/Users/ana/x/.worktrees/3", home="/Users/ana"
    )
    path = "/private/tmp/claude-501/-Users-ana-x--worktrees-3/tasks/b2.output"

    assert is_in_library(PathUse(path), Facts(directories=directories, real={path: (path,)}))


def test_all_directories_of_a_line_must_be_places() -> None:
    facts = Facts(directories=given.DIRECTORIES, real={"/usr/include": ("/usr/include",), "/etc": ("/etc",)})

    assert are_in_library(("/usr/include",), facts)
    assert not are_in_library(("/usr/include", "/etc"), facts)


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("head -3 /usr/include/stdio.h", Verdict.RUN),
        ("cat ~/go/pkg/mod/a.example/b@v1/c.go | sed -n 1,3p", Verdict.RUN),
        ("cd /usr/local/go/src && ls net && cat fmt/print.go", Verdict.RUN),
        ("cat /usr/include/*.h", Verdict.RUN),
        ("cd /usr/local/go/src && cat ../../../../etc/shadow", Verdict.ASK),
        ("cd /usr/local/go/src && go list ./...", Verdict.ASK),
        ("cat /usr/lib/python3/dist-packages/a.pem", Verdict.ASK),
        ("cat /usr/lib/python3/id_rsa*", Verdict.ASK),
        ("cp /usr/include/stdio.h /usr/include/a.h", Verdict.ASK),
        ("echo x > ~/.claude/skills/a/SKILL.md", Verdict.ASK),
        ("echo x > ~/.claude/plans/a.md", Verdict.ASK),
    ],
)
def test_lines_that_read_libraries(command: str, verdict: Verdict) -> None:
    assert (
        given.decide_call(given.shell_call(command), given.make_snapshot(mode=Mode.ACCEPT_EDITS)).verdict
        is verdict
    )


def test_a_denial_also_meets_a_place() -> None:
    snapshot = given.make_snapshot(deny=["files.read(~/.claude/**)"])

    assert (
        given.decide_call(
            given.file_call(given.READ_FILE, f"{HOME}/.claude/skills/a/SKILL.md"), snapshot
        ).verdict
        is Verdict.DENY
    )


@pytest.mark.parametrize(
    ("name", "verdict", "stage"),
    [
        ("plans/quiet-fox.md", Verdict.RUN, Stage.MODE),
        ("plans/quiet-fox.sh", Verdict.ASK, Stage.PROTECTED_PATH),
        ("plans/../settings.md", Verdict.ASK, Stage.PROTECTED_PATH),
        ("plans/a/b.md", Verdict.ASK, Stage.PROTECTED_PATH),
        ("plans/.hidden.md", Verdict.ASK, Stage.PROTECTED_PATH),
        ("plans/*.md", Verdict.ASK, Stage.PROTECTED_PATH),
        ("settings.json", Verdict.ASK, Stage.PROTECTED_PATH),
        ("skills/a/SKILL.md", Verdict.ASK, Stage.PROTECTED_PATH),
    ],
)
def test_a_plan_of_the_client_is_an_edit(name: str, verdict: Verdict, stage: Stage) -> None:
    call = given.file_call(given.SAVE_FILE, f"{HOME}/.claude/{name}")
    decision = given.decide_call(call, given.make_snapshot(mode=Mode.ACCEPT_EDITS))

    assert (decision.verdict, decision.stage) == (verdict, stage)


def test_a_plan_asks_in_default_and_behind_a_link() -> None:
    path = f"{HOME}/.claude/plans/a.md"
    call = given.file_call(given.SAVE_FILE, path)
    linked = {path: f"{HOME}/.claude/settings.json"}

    assert given.decide_call(call, given.make_snapshot(mode=Mode.DEFAULT)).verdict is Verdict.ASK
    decision = given.decide_call(call, given.make_snapshot(mode=Mode.ACCEPT_EDITS), links=linked)
    assert decision.stage is Stage.PROTECTED_PATH
