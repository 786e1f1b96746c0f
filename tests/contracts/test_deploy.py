"""The files for containers and systemd are consistent; tests/test_install.py runs the image's commands."""

import ast
import configparser
import re
import tomllib
from collections.abc import Iterator
from typing import Any

import yaml

from assent.cli.doctor import EXTRA_MODULES
from assent.cli.root import COMMANDS
from assent.config.settings import DEFAULT_PORT
from assent.surfaces.http.server import SHUTDOWN_TIMEOUT
from tests.contracts.tree import ROOT, parse_file, source_files

DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text("utf-8")
COMPOSE_TEXT = (ROOT / "deploy" / "compose.yaml").read_text("utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load(COMPOSE_TEXT)
KNOWN_INSTRUCTIONS = {
    "CMD", "COPY", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "RUN", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR",
}  # fmt: skip


def read_instructions() -> list[tuple[str, str]]:
    """Read the instructions of the Dockerfile with their arguments; continued lines are joined."""
    lines = [line for line in DOCKERFILE.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines)).splitlines()
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in joined)]


def test_the_compose_file_states_that_it_was_never_run() -> None:
    assert COMPOSE_TEXT.startswith("# Linted only:")


def test_the_image_is_built_in_stages_and_does_not_run_as_root() -> None:
    found = read_instructions()
    words = [word for word, _ in found]

    assert set(words) == KNOWN_INSTRUCTIONS
    assert words.count("FROM") == 2
    assert [rest for word, rest in found if word == "USER"] == ["assent"]
    assert words.index("USER") < words.index("CMD")
    assert ("EXPOSE", str(DEFAULT_PORT)) in found
    assert f"127.0.0.1:{DEFAULT_PORT}/healthz" in DOCKERFILE


def test_every_command_in_the_files_exists() -> None:
    commands = [service["command"] for service in COMPOSE["services"].values() if "command" in service]
    started = next(rest for word, rest in read_instructions() if word == "CMD")

    assert [command[0] for command in commands] == ["assent"] * len(commands)
    assert {command[1] for command in commands} | {yaml.safe_load(started)[1]} <= set(COMMANDS)


def test_servers_wait_for_the_schema_and_have_time_to_drain() -> None:
    server = COMPOSE["services"]["server"]

    assert server["depends_on"] == {"schema": {"condition": "service_completed_successfully"}}
    assert int(server["stop_grace_period"].removesuffix("s")) > SHUTDOWN_TIMEOUT
    assert (server["read_only"], server["cap_drop"]) == (True, ["ALL"])


def test_a_port_of_each_server_is_published_on_loopback() -> None:
    (published,) = COMPOSE["services"]["server"]["ports"]

    assert published.startswith(f"127.0.0.1:{DEFAULT_PORT}-")
    assert published.endswith(f":{DEFAULT_PORT}")


def test_every_secret_of_the_compose_file_is_documented_and_ignored() -> None:
    guide = (ROOT / "docs" / "guides" / "operate.md").read_text("utf-8")

    for secret in COMPOSE["secrets"].values():
        assert f"deploy/{secret['file'].removeprefix('./')}" in guide
    assert "/deploy/secrets/" in (ROOT / ".gitignore").read_text("utf-8").splitlines()
    assert "deploy/secrets" in (ROOT / ".dockerignore").read_text("utf-8").splitlines()


def test_the_systemd_unit_starts_our_server_and_lets_it_drain() -> None:
    unit = configparser.RawConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(ROOT / "deploy" / "assent.service", "utf-8")
    service = unit["Service"]

    assert service["ExecStart"] == "/opt/assent/bin/assent serve --log json"
    assert int(service["TimeoutStopSec"]) > SHUTDOWN_TIMEOUT
    assert (service["UMask"], service["StateDirectoryMode"]) == ("0077", "0700")


def test_every_extra_is_used_by_code() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    offered = [name for name in project["optional-dependencies"] if name != "all"]
    imported = {module for path in source_files() for module in _imported_packages(parse_file(path))}

    assert set(EXTRA_MODULES) == set(offered)
    assert [name for name in offered if not imported.intersection(EXTRA_MODULES[name])] == []
    assert project["optional-dependencies"]["all"] == [f"assent[{','.join(offered)}]"]


def _imported_packages(tree: ast.Module) -> Iterator[str]:
    """The top-level names of the packages that a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def test_the_files_contain_no_secrets() -> None:
    assert re.findall(r"(?i)password\s*[:=]\s*[^\s/$]\S*$", COMPOSE_TEXT, re.MULTILINE) == []
    assert "://assent:" not in COMPOSE_TEXT
