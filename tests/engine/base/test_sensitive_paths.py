"""Paths that are secret or protected, and similar paths that are not."""

import pytest

from assent.engine.base.facts import CallDirectories, Facts, PathUse
from assent.engine.base.globs import UNKNOWN_MARK
from assent.engine.base.sensitive_paths import (
    HARMLESS_SYSTEM_FILES,
    PROTECTED_DIRECTORIES,
    PROTECTED_FILES,
    could_be_secret,
    find_protected_path,
    is_protected,
    is_secret,
    is_secret_name,
)
from assent.engine.policy.modes import Mode
from assent.engine.policy.verdict import Stage, Verdict
from tests.engine import given

SECRETS = [
    "/project/.env",
    "/project/.ENV",
    "/project/.env.production",
    "/project/.env_local",
    "/project/deploy/server.pem",
    "/project/id_rsa.bak",
    "/home/ana/.ssh/config",
    "/home/ana/.aws/credentials",
    "/home/ana/.kube/config",
    "/home/ana/.config/gcloud/x.db",
    "/home/ana/.config/gh/hosts.yml",
    "/run/secrets/token",
    "/Users/ana/Library/Keychains/login.keychain-db",
    "/proc/1/environ",
    "/proc/self/mem",
    "/etc/shadow",
    "/home/ana/.bash_history",
    "/project/terraform.tfstate",
]
PLAIN = [
    "/project/.env.example",
    "/project/environment.py",
    "/project/key.py",
    "/home/ana/.ssh/id_rsa.pub",
    "/project/.environ/x",
    "/project/docs/secrets.md",
    "/proc/cpuinfo",
    "/project/proc/environ",
    "/project/src/shadow.css",
]


@pytest.mark.parametrize("path", SECRETS)
@pytest.mark.proves("D-6")
def test_a_secret_is_recognized_by_its_name_or_directory(path: str) -> None:
    assert is_secret(path)


@pytest.mark.parametrize("path", PLAIN)
def test_similar_names_are_no_secrets(path: str) -> None:
    assert not is_secret(path)


def test_a_file_name_alone_may_suggest_a_secret() -> None:
    assert is_secret_name("ID_ED25519")
    assert not is_secret_name("ID_ED25519.pub")


@pytest.mark.parametrize(
    "pattern",
    [
        ".e*",
        ".en?",
        "*.pem",
        ".[e]nv",
        "id_*",
        f".e{UNKNOWN_MARK}",
        "src/.env*",
        f"{UNKNOWN_MARK}.pem",
        "i*_rsa",
        "shado[w]",
        "*rsa",
    ],
)
@pytest.mark.proves("D-6", "D-9")
def test_a_pattern_could_mean_a_secret(pattern: str) -> None:
    assert could_be_secret(pattern)


@pytest.mark.parametrize(
    "pattern", ["*", "src/*", "*.py", "x*", UNKNOWN_MARK, "*.json", ".x*", "test_*", "[a-z]*.py"]
)
def test_other_patterns_mean_no_secret(pattern: str) -> None:
    assert not could_be_secret(pattern)


@pytest.mark.parametrize("path", sorted(HARMLESS_SYSTEM_FILES))
@pytest.mark.proves("D-6")
def test_a_system_file_without_personal_data_is_read_without_asking(path: str) -> None:
    assert (
        given.decide_call(given.file_call(given.READ_FILE, path), given.make_snapshot()).verdict
        is Verdict.RUN
    )


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/srv/x", "~/notes", "/proc/1/environ", "../x", ".env", "/etc/../etc/x"]
)
@pytest.mark.proves("D-6")
def test_reading_outside_the_workspace_or_a_secret_asks(path: str) -> None:
    decision = given.decide_call(given.file_call(given.READ_FILE, path), given.make_snapshot())

    assert (decision.verdict, decision.stage) == (Verdict.ASK, Stage.OUTSIDE)


@pytest.mark.parametrize(
    "command", ["cat .env*", "cat .e??", "head ~/.ssh/config", "grep -r x ..", "wc -l /srv/x"]
)
@pytest.mark.proves("D-6", "D-9")
def test_a_command_that_reads_outside_the_workspace_or_a_secret_asks(command: str) -> None:
    assert given.decide_call(given.shell_call(command), given.make_snapshot()).stage is Stage.OUTSIDE


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
    snapshot = given.make_snapshot(mode=mode, allow=["*"], grants=["*"])

    decision = given.decide_call(given.file_call(given.SAVE_FILE, path), snapshot)

    assert (decision.verdict, decision.stage) == (Verdict.ASK, Stage.PROTECTED_PATH)
    assert not decision.always_offered


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.proves("T-29")
def test_a_protected_name_is_protected_at_any_depth_and_in_any_case(path: str) -> None:
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
def test_every_spelling_of_a_protected_path_is_protected(path: str) -> None:
    call = given.file_call(given.SAVE_FILE, path)

    assert given.decide_call(call, given.make_snapshot(mode=Mode.AUTO)).stage is Stage.PROTECTED_PATH


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
def test_similar_paths_are_not_protected(path: str) -> None:
    assert not is_protected(path)
    assert (
        given.decide_call(given.file_call(given.SAVE_FILE, path), given.make_snapshot(mode=Mode.AUTO)).verdict
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
def test_a_command_that_changes_a_protected_path_asks(command: str) -> None:
    decision = given.decide_call(given.shell_call(command), given.make_snapshot(mode=Mode.AUTO, allow=["*"]))

    assert decision.verdict is Verdict.ASK
    assert Stage.PROTECTED_PATH in [step.stage for step in decision.steps]


@pytest.mark.parametrize("command", ["cat .git/config", "ls .claude", "git status", "grep x .npmrc"])
def test_reading_a_protected_path_does_not_ask(command: str) -> None:
    decision = given.decide_call(given.shell_call(command), given.make_snapshot())

    assert Stage.PROTECTED_PATH not in [step.stage for step in decision.steps]


@pytest.mark.proves("T-27", "T-29")
def test_a_link_to_a_protected_path_is_protected() -> None:
    call = given.file_call(given.SAVE_FILE, "notes/config")

    decision = given.decide_call(
        call, given.make_snapshot(mode=Mode.AUTO), links={"/project/notes": "/project/.git"}
    )

    assert decision.stage is Stage.PROTECTED_PATH


def test_a_path_of_another_system_is_checked_by_its_spelling() -> None:
    call = given.file_call(given.SAVE_FILE, "C:\\repo\\.git\\config")

    assert given.decide_call(call, given.make_snapshot(mode=Mode.AUTO)).stage is Stage.PROTECTED_PATH


def test_the_first_of_several_protected_paths_is_reported() -> None:
    facts = Facts(directories=CallDirectories(roots=("/project",), cwd="/project"))

    assert find_protected_path([PathUse("a"), PathUse(".git/x"), PathUse(".npmrc")], facts) == ".git/x"
    assert find_protected_path([PathUse("a")], facts) is None
