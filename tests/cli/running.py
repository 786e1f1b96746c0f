"""Runs `assent` in a new process and a temporary directory, for tests."""

import os
import pty
import select
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ASSENT_PROGRAM = str(Path(sys.executable).with_name("assent"))


@dataclass(frozen=True)
class CommandResult:
    """The exit status and the output of a command."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


Command = Callable[..., CommandResult]
"""A function that runs `assent` with these words."""


class CommandSandbox:
    """An empty working directory and an empty home directory, in which `assent` runs."""

    def __init__(self, base: Path) -> None:
        self.root = base / "work"
        self.home = base / "home"
        self.root.mkdir()
        self.home.mkdir(mode=0o700)
        self.user = self.home / ".config" / "assent"

    def environment(self, **more: str) -> dict[str, str]:
        dropped = ("ASSENT_", "XDG_", "NO_COLOR", "FORCE_COLOR", "_ASSENT")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
        return {**kept, "HOME": str(self.home), "COLUMNS": "100", "LANG": "C.UTF-8", **more}

    def run(
        self, *words: str, stdin: str | bytes = "", cwd: Path | None = None, **environ: str
    ) -> CommandResult:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        run = subprocess.run(
            [ASSENT_PROGRAM, *words],
            input=data,
            capture_output=True,
            cwd=cwd or self.root,
            env=self.environment(**environ),
            check=False,
        )
        return CommandResult(run.returncode, run.stdout.decode(), run.stderr.decode())

    def run_at_terminal(self, *words: str, typed: str = "") -> tuple[int, str]:
        """Run a command in a terminal and type an answer to each prompt; return its status and output."""
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.root)
            os.execve(ASSENT_PROGRAM, [ASSENT_PROGRAM, *words], self.environment(TERM="xterm"))
        os.write(terminal, typed.encode())
        shown = b""
        while True:
            try:
                ready, _, _ = select.select([terminal], [], [], 60)
                chunk = os.read(terminal, 4096) if ready else b""
            except OSError:
                chunk = b""
            if not chunk:
                break
            shown += chunk
        _, status = os.waitpid(child, 0)
        os.close(terminal)
        return os.waitstatus_to_exitcode(status), shown.decode()

    def write_file(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def write_user_file(self, text: str, mode: int = 0o600) -> Path:
        self.user.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.user.chmod(0o700)
        path = self.user / "config.toml"
        path.write_text(text)
        path.chmod(mode)
        return path
