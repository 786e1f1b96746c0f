"""The hook of Claude Code without a server, compared with a Python process that does nothing."""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.harness import MILLISECONDS, Effort, Result, goal_at_most, median_times
from bench.start import ROUNDS_FACTOR, CpuTimeCompetitor

GOAL = goal_at_most(5, "x")


def measure(effort: Effort) -> Iterator[Result]:
    """Install the hook in an empty home, and start it as the client does."""
    with tempfile.TemporaryDirectory() as home:
        program = _install_hook(home)
        event = {
            "session_id": "bench",
            "cwd": home,
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": "ls -la"},
            "tool_use_id": "bench",
        }
        file = Path(home, "event.json")
        file.write_text(json.dumps(event), "utf-8")
        project = shlex.quote(home)
        hook = f"CLAUDE_PROJECT_DIR={project} exec {program} < {shlex.quote(str(file))}"
        bare = f"exec {shlex.quote(sys.executable)} -c pass"
        ours, nothing = median_times(
            CpuTimeCompetitor(["sh", "-c", hook], '"allow"', home),
            CpuTimeCompetitor(["sh", "-c", bare], "", home),
            rounds=effort.rounds * ROUNDS_FACTOR,
        )
    yield Result(
        row="hook",
        what="the hook of Claude Code without a server, processor time",
        ours=ours * MILLISECONDS,
        unit="ms",
        peer=nothing * MILLISECONDS,
        against="python -c pass",
        ratio=ours / nothing,
        goal=GOAL,
    )


def _install_hook(home: str) -> str:
    """Install the hook with a policy file; return the words that start it."""
    policy = Path(home, ".config", "assent", "config.toml")
    policy.parent.mkdir(parents=True, mode=0o700)
    policy.write_text('deny = ["Bash(touch *)"]\n', "utf-8")
    assent = str(Path(sys.executable).with_name("assent"))
    environment = {**os.environ, "HOME": home}
    subprocess.run(
        [assent, "hook", "install", "--yes"], cwd=home, env=environment, stdout=subprocess.DEVNULL, check=True
    )
    settings = json.loads(Path(home, ".claude", "settings.json").read_text("utf-8"))
    command: str = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    return command.partition(" || ")[0]
