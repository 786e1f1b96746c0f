"""Secret places and harmless ones."""

import pytest

from assent.engine.globs import HOLE
from assent.engine.secret_paths import HARMLESS_SYSTEM_FILES, could_be_secret, is_secret, is_secret_name
from assent.engine.verdict import Stage, Verdict
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
def test_a_secret_is_known_by_its_name_or_its_place(path: str) -> None:
    assert is_secret(path)


@pytest.mark.parametrize("path", PLAIN)
def test_what_only_sounds_like_one_is_none(path: str) -> None:
    assert not is_secret(path)


def test_a_name_alone_may_be_enough() -> None:
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
        f".e{HOLE}",
        "src/.env*",
        f"{HOLE}.pem",
        "i*_rsa",
        "shado[w]",
        "*rsa",
    ],
)
@pytest.mark.proves("D-6", "D-9")
def test_a_pattern_could_mean_a_secret(pattern: str) -> None:
    assert could_be_secret(pattern)


@pytest.mark.parametrize(
    "pattern", ["*", "src/*", "*.py", "x*", HOLE, "*.json", ".x*", "test_*", "[a-z]*.py"]
)
def test_most_patterns_do_not(pattern: str) -> None:
    assert not could_be_secret(pattern)


@pytest.mark.parametrize("path", sorted(HARMLESS_SYSTEM_FILES))
@pytest.mark.proves("D-6")
def test_a_system_file_that_says_nothing_about_anybody_is_read_freely(path: str) -> None:
    assert given.decided(given.on_path(given.READ_FILE, path), given.policy()).verdict is Verdict.RUN


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/srv/x", "~/notes", "/proc/1/environ", "../x", ".env", "/etc/../etc/x"]
)
@pytest.mark.proves("D-6")
def test_reading_elsewhere_or_a_secret_asks(path: str) -> None:
    decision = given.decided(given.on_path(given.READ_FILE, path), given.policy())

    assert (decision.verdict, decision.stage) == (Verdict.ASK, Stage.OUTSIDE)


@pytest.mark.parametrize(
    "command", ["cat .env*", "cat .e??", "head ~/.ssh/config", "grep -r x ..", "wc -l /srv/x"]
)
@pytest.mark.proves("D-6", "D-9")
def test_a_shell_that_reads_elsewhere_or_a_secret_asks(command: str) -> None:
    assert given.decided(given.run(command), given.policy()).stage is Stage.OUTSIDE
