"""The files for containers say what they promise; they are linted here, and run nowhere."""

import re
from typing import Any

import yaml

from assent.cli.root import COMMANDS
from assent.config.server import PORT
from assent.surfaces.http.running import DRAIN
from tests.contracts.tree import ROOT

DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text("utf-8")
COMPOSE_TEXT = (ROOT / "deploy" / "compose.yaml").read_text("utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load(COMPOSE_TEXT)
INSTRUCTIONS = {
    "CMD", "COPY", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "RUN", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR",
}  # fmt: skip


def instructions() -> list[tuple[str, str]]:
    """Each instruction with its words, continued lines joined."""
    lines = [line for line in DOCKERFILE.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines)).splitlines()
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in joined)]


def test_both_say_that_they_were_never_run() -> None:
    assert DOCKERFILE.startswith("# Linted only:")
    assert COMPOSE_TEXT.startswith("# Linted only:")


def test_the_image_is_built_in_stages_and_runs_as_nobody_in_particular() -> None:
    found = instructions()
    words = [word for word, _ in found]

    assert set(words) == INSTRUCTIONS
    assert words.count("FROM") == 2
    assert [rest for word, rest in found if word == "USER"] == ["assent"]
    assert words.index("USER") < words.index("CMD")
    assert ("EXPOSE", str(PORT)) in found
    assert f"127.0.0.1:{PORT}/healthz" in DOCKERFILE


def test_every_command_is_one_of_ours() -> None:
    commands = [service["command"] for service in COMPOSE["services"].values() if "command" in service]
    started = next(rest for word, rest in instructions() if word == "CMD")

    assert [command[0] for command in commands] == ["assent"] * len(commands)
    assert {command[1] for command in commands} | {yaml.safe_load(started)[1]} <= set(COMMANDS)


def test_servers_wait_for_the_schema_and_have_time_to_drain() -> None:
    server = COMPOSE["services"]["server"]

    assert server["depends_on"] == {"schema": {"condition": "service_completed_successfully"}}
    assert int(server["stop_grace_period"].removesuffix("s")) > DRAIN
    assert (server["read_only"], server["cap_drop"]) == (True, ["ALL"])


def test_no_secret_stands_in_either() -> None:
    assert re.findall(r"(?i)password\s*[:=]\s*[^\s/$]\S*$", COMPOSE_TEXT, re.MULTILINE) == []
    assert "://assent:" not in COMPOSE_TEXT
