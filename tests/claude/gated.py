"""A throw-away project whose Claude Code is behind the gate, as `assent hook install` makes it."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.claude.driver import Client
from tests.cli.running import CommandSandbox

ALLOW_EVERYTHING = ["Bash", "Read", "Edit", "Write", "Monitor", "WebFetch", "Agent"]
"""Allow rules of the client itself, under which it asks almost nothing."""
FILES = {
    "README.md": "hello world\nsecond line\n",
    "src/a.py": "def f():\n    return 1\n",
    "src/b.py": "def g():\n    return 2\n",
    "package.json": '{"name": "x", "scripts": {"test": "echo ok"}}\n',
    "Makefile": "all:\n\techo hi\n",
}


def make_sandbox(base: Path) -> CommandSandbox:
    """A project with some files in a Git repository, and an empty home."""
    sandbox = CommandSandbox(base)
    for name, text in FILES.items():
        sandbox.write_file(name, text)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], cwd=sandbox.root, env=sandbox.environment(), check=True)
    return sandbox


def make_client(
    sandbox: CommandSandbox, *, allow: list[str] | None = None, deny: list[str] | None = None
) -> Client:
    """A client in a sandbox, with its own permission rules."""
    if allow is not None or deny is not None:
        change_settings(sandbox, {"permissions": {"allow": allow or [], "deny": deny or []}})
    return Client(project=sandbox.root, home=sandbox.home)


def install_hook(sandbox: CommandSandbox, *words: str) -> None:
    """Install the hook as a person does."""
    done = sandbox.run("hook", "install", "--yes", *words)

    assert done.status == 0, done.err


def change_settings(sandbox: CommandSandbox, values: Mapping[str, object]) -> None:
    """Set keys in the client's settings of the user."""
    path = sandbox.home / ".claude" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    before = json.loads(path.read_text("utf-8")) if path.exists() else {}
    path.write_text(json.dumps({**before, **values}), "utf-8")


def launcher_path(sandbox: CommandSandbox) -> Path:
    """The program of the installed hook."""
    return sandbox.home / ".local" / "share" / "assent" / "hook" / "claude.py"


def files_named(sandbox: CommandSandbox, prefix: str) -> list[str]:
    """The files below the project whose names start with this."""
    return sorted(path.name for path in sandbox.root.rglob(f"{prefix}*"))
