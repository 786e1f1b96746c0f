"""Sets of command lines by family, and a workspace on disk in which they are decided and never executed."""

import os
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from assent.config.check_records import decide_record
from assent.errors import AssentError

_FOLDER = Path(__file__).with_name("sets")
_TRACKED = {
    "README.md": "a\nb\n",
    "src/a.py": "def a(): pass\n",
    "src/a.go": "package a\n",
    "package.json": '{"scripts": {"build": "tsc"}}',
    "go.mod": "module a\n",
    "Makefile": "test:\n\ttrue\n",
    "deploy.sh": "true\n",
    "dirty.txt": "a\n",
    "hard.txt": "a\n",
    ".gitignore": ".env*\nsecrets/\n",
}
_UNTRACKED = (
    ".env", ".env.local", "untracked.txt", "secrets/k", "secrets/deep/k", "sub/secrets/k", ".claude/settings.json",
    ".github/workflows/ci.yml", ".vscode/tasks.json", "../outside/x",
)  # fmt: skip


class SetLine(NamedTuple):
    """A command line of a set, and the heading under which it stands."""

    heading: str
    command: str


@cache
def load_set(name: str) -> tuple[SetLine, ...]:
    """The lines of a set; `⏎` stands for a line break."""
    return tuple(_parse_lines(_FOLDER.joinpath(f"{name}.txt").read_text("utf-8")))


def make_workspace(parent: Path) -> Path:
    """Create a Git repository with tracked, changed, linked, protected and secret files."""
    root = parent / "work"
    for name, text in _TRACKED.items():
        _write(root / name, text)
    _run_git(root, "init", "-q", "-b", "main")
    _run_git(root, "add", "-A")
    _run_git(root, "-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-qm", "a")
    for name in _UNTRACKED:
        _write(root / name, "KEY=1\n")
    _write(root / "dirty.txt", "changed\n")
    os.link(root / "hard.txt", root / "hard2.txt")
    (root / "linked.txt").symlink_to("README.md")
    (root / "linkdir").symlink_to("../outside")
    return root


def decide_command(command: str, workspace: Path, **more: Any) -> tuple[str, str]:
    """The verdict and the stage of a command of Claude Code's shell tool in a workspace on disk."""
    record = {"tool": "Bash", "args": {"command": command}, "dialect": "shell", "effect": "execute"}
    try:
        decision = decide_record({**record, "workspace": str(workspace), **more})
    except AssentError as error:
        return "refused", type(error).__name__
    return str(decision["verdict"]), str(decision["stage"])


def _parse_lines(text: str) -> Iterator[SetLine]:
    heading = ""
    for line in text.splitlines():
        if line.startswith("# "):
            heading = line.removeprefix("# ")
        elif line:
            yield SetLine(heading, line.replace("⏎", "\n"))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def _run_git(root: Path, *words: str) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", *words], cwd=root, env=environment, check=True)
