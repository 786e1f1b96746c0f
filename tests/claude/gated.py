"""A throw-away project whose Claude Code is behind the gate, as `assent hook install` makes it."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.claude.driver import Client
from tests.cli.running import CommandPlace

ALLOW_EVERYTHING = ["Bash", "Read", "Edit", "Write", "Monitor", "WebFetch", "Agent"]
"""Allow rules of the client itself, under which it asks almost nothing."""
FILES = {
    "README.md": "hello world\nsecond line\n",
    "src/a.py": "def f():\n    return 1\n",
    "src/b.py": "def g():\n    return 2\n",
    "package.json": '{"name": "x", "scripts": {"test": "echo ok"}}\n',
    "Makefile": "all:\n\techo hi\n",
}


def make_place(base: Path) -> CommandPlace:
    """A project with some files in a Git repository, and an empty home."""
    place = CommandPlace(base)
    for name, text in FILES.items():
        place.write_file(name, text)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], cwd=place.root, env=place.environment(), check=True)
    return place


def client_of(
    place: CommandPlace, *, allow: list[str] | None = None, deny: list[str] | None = None
) -> Client:
    """The client in a place, with permission rules of its own."""
    if allow is not None or deny is not None:
        change_settings(place, {"permissions": {"allow": allow or [], "deny": deny or []}})
    return Client(project=place.root, home=place.home)


def install_hook(place: CommandPlace, *words: str) -> None:
    """Install the hook as a person does."""
    done = place.run("hook", "install", "--yes", *words)

    assert done.status == 0, done.err


def change_settings(place: CommandPlace, values: Mapping[str, object]) -> None:
    """Set keys in the client's settings of the user."""
    path = place.home / ".claude" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    before = json.loads(path.read_text("utf-8")) if path.exists() else {}
    path.write_text(json.dumps({**before, **values}), "utf-8")


def launcher(place: CommandPlace) -> Path:
    """The program of the installed hook."""
    return place.home / ".local" / "share" / "assent" / "hook" / "claude.py"


def files_named(place: CommandPlace, prefix: str) -> list[str]:
    """The files below the project whose names start with this."""
    return sorted(path.name for path in place.root.rglob(f"{prefix}*"))
