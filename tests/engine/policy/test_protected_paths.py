"""Protected paths: what governs agents and shells is changed by nobody unasked, in any mode."""

import pytest

from assent.engine.facts import Facts, PathUse, Place
from assent.engine.modes import Mode
from assent.engine.policy.protected_paths import (
    PROTECTED_DIRECTORIES,
    PROTECTED_FILES,
    first_protected,
    is_protected,
)
from assent.engine.verdict import Stage, Verdict
from tests.engine import given

PATHS = [
    *(f"{name}/x" for name in sorted(PROTECTED_DIRECTORIES)),
    *sorted(PROTECTED_FILES),
    "team.code-workspace",
    ".github/workflows/ci.yml",
    ".github/actions/x/action.yml",
    "/home/ana/.config/assent/assent.toml",
    "/home/ana/.config/fish/config.fish",
    "/home/ana/.config/git/config",
    "/home/ana/.config/systemd/user/x.service",
    "/home/ana/.config/autostart/x.desktop",
    "/home/ana/.local/share/assent/assent.db",
    "/Users/ana/Library/LaunchAgents/x.plist",
    "/etc/assent/config.toml",
    "/etc/cron.d/x",
    "/etc/profile.d/x.sh",
    "/etc/sudoers.d/x",
    "/var/spool/cron/root",
]
MODES = [Mode.DEFAULT, Mode.ACCEPT_EDITS, Mode.AUTO, None]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.proves("T-29")
def test_changing_a_protected_path_asks_in_every_mode(path: str, mode: Mode | None) -> None:
    snapshot = given.policy(mode=mode, allow=["*"], grants=["*"])

    decision = given.decided(given.on_path(given.SAVE_FILE, path), snapshot)

    assert (decision.verdict, decision.stage) == (Verdict.ASK, Stage.PROTECTED_PATH)
    assert not decision.always_offered


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.proves("T-29")
def test_it_is_protected_at_any_depth_and_in_any_case(path: str) -> None:
    assert is_protected(f"/project/deep/down/{path.lstrip('/')}")
    assert is_protected(path.upper())
    assert is_protected(path.replace("/", "\\"))


@pytest.mark.parametrize(
    "path",
    [
        ".git./config",
        ".git /config",
        ".git//config",
        "./.git/",
        ".GIT/hooks/pre-commit",
        "a/../.git/x",
        ".npmrc. ",
    ],
)
@pytest.mark.proves("T-27", "T-29")
def test_no_spelling_gets_around_it(path: str) -> None:
    call = given.on_path(given.SAVE_FILE, path)

    assert given.decided(call, given.policy(mode=Mode.AUTO)).stage is Stage.PROTECTED_PATH


@pytest.mark.parametrize(
    "path",
    [
        ".gitignore",
        ".github/CODEOWNERS",
        "git/config",
        ".claudette",
        "src/bashrc",
        "workflows/ci.yml",
        "etc/cron.dx",
    ],
)
def test_its_neighbours_are_not_protected(path: str) -> None:
    assert not is_protected(path)
    assert (
        given.decided(given.on_path(given.SAVE_FILE, path), given.policy(mode=Mode.AUTO)).verdict
        is Verdict.RUN
    )


@pytest.mark.parametrize(
    "command",
    [
        "echo x > .git/hooks/pre-commit",
        "echo x >> ~/.bashrc",
        "cp evil .git/config",
        "tee .claude/settings.json",
        "sed -i s/a/b/ .mcp.json",
        "ln -s x .envrc",
        "rm -r .husky",
        "mv x .vscode/tasks.json",
        "touch .github/workflows/x.yml",
        "cd .git && touch config",
        "frobnicate .npmrc",
        "sudo tee /etc/sudoers.d/x",
        "bash -c 'echo x > .git/config'",
        "touch .gi?/config",
        "sed -n 'w .git/config' a",
        "awk '{ print > \".git/config\" }' a",
        "strace -o .git/config ls",
        "/usr/bin/time -o .git/config ls",
        "script -c ls .git/config",
        "ln .git/config q",
        "cp -l .git/config q",
        "ln -s .git/config q && echo x > q",
        "unzip -o x.zip .git/config",
        "tar xf x.tar .git/config",
        "tar xf x.tar -C d .git/config",
        "npm config set a b --location=project",
        "crontab jobs",
        "sort --outp=.git/config a",
    ],
)
@pytest.mark.proves("T-29")
def test_a_shell_that_changes_one_asks(command: str) -> None:
    decision = given.decided(given.run(command), given.policy(mode=Mode.AUTO, allow=["*"]))

    assert decision.verdict is Verdict.ASK
    assert Stage.PROTECTED_PATH in [step.stage for step in decision.steps]


@pytest.mark.parametrize("command", ["cat .git/config", "ls .claude", "git status", "grep x .npmrc"])
def test_reading_one_does_not_ask_for_that(command: str) -> None:
    decision = given.decided(given.run(command), given.policy())

    assert Stage.PROTECTED_PATH not in [step.stage for step in decision.steps]


@pytest.mark.proves("T-27", "T-29")
def test_a_link_to_one_is_one() -> None:
    call = given.on_path(given.SAVE_FILE, "notes/config")

    decision = given.decided(call, given.policy(mode=Mode.AUTO), links={"/project/notes": "/project/.git"})

    assert decision.stage is Stage.PROTECTED_PATH


def test_a_path_of_another_system_is_judged_by_its_words() -> None:
    call = given.on_path(given.SAVE_FILE, "C:\\repo\\.git\\config")

    assert given.decided(call, given.policy(mode=Mode.AUTO)).stage is Stage.PROTECTED_PATH


def test_the_first_of_several_is_named() -> None:
    facts = Facts(place=Place(roots=("/project",), cwd="/project"))

    assert first_protected([PathUse("a"), PathUse(".git/x"), PathUse(".npmrc")], facts) == ".git/x"
    assert first_protected([PathUse("a")], facts) is None
