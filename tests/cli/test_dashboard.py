"""`assent dashboard` as a program: at a real terminal, in line mode, and where something is missing."""

import os
import pty
import select
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ

import pytest

from assent.client.client import Client
from assent.gate.approval import State
from tests.cli.running import ASSENT_PROGRAM, Command, CommandSandbox
from tests.serving import RunningServer, environment, server
from tests.waiting import wait_until

HOSTILE = "\x1b]0;owned\x07\x1b[31mred\x9b5m"


@pytest.fixture(scope="module")
def running_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with server(tmp_path_factory.mktemp("dashboard")) as running:
        yield running


@pytest.fixture
def client(running_server: RunningServer) -> Iterator[Client]:
    with Client(running_server.url, running_server.token) as found:
        yield found
        for one in list(found.excerpts()):
            found.withdraw(one.approval.id)


class Terminal:
    """A program in a terminal of 120 columns and 40 rows."""

    def __init__(self, home: Path, *words: str, **env: str) -> None:
        self.shown = b""
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:
            os.execve(
                ASSENT_PROGRAM,
                [ASSENT_PROGRAM, *words],
                environment(home, TERM="xterm-256color", LANG="C.UTF-8", **env),
            )
        ioctl(self._terminal, TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        os.kill(self.pid, signal.SIGWINCH)

    def type(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def read(self) -> bytes:
        """Everything that the program wrote so far."""
        while select.select([self._terminal], [], [], 0.05)[0]:
            try:
                chunk = os.read(self._terminal, 65536)
            except OSError:
                break
            if not chunk:
                break
            self.shown += chunk
        return self.shown

    def wait_for_text(self, text: str) -> None:
        wait_until(lambda: text.encode() in self.read())

    def wait(self) -> int:
        def has_exited() -> list[int] | None:
            self.read()
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            return [os.waitstatus_to_exitcode(status)] if pid else None

        return wait_until(has_exited)[0]


def test_a_person_answers_at_a_real_terminal_and_no_text_of_an_agent_is_a_command_to_it(
    running_server: RunningServer, client: Client, tmp_path: Path
) -> None:
    outcome = client.submit("Bash", {"command": f"echo {HOSTILE}"}, id="hostile", agent="clerk")
    terminal = Terminal(tmp_path, "dashboard", "--url", running_server.url, ASSENT_TOKEN=running_server.token)
    terminal.wait_for_text("keys are armed")
    terminal.type("n")
    terminal.wait_for_text("Denied by you")
    terminal.type("q")

    assert terminal.wait() == 0
    assert client.approval(outcome.approval).state is State.DENIED
    assert [one for one in ("\x1b]0;owned", "\x1b[31mred", "\x9b") if one.encode() in terminal.shown] == []


def test_line_mode_reads_words_and_writes_no_escape_sequence(
    running_server: RunningServer, client: Client, tmp_path: Path
) -> None:
    outcome = client.submit("Bash", {"command": "make build"}, id="line", agent="clerk")
    run = subprocess.Popen(
        [ASSENT_PROGRAM, "dashboard", "--url", running_server.url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(tmp_path, ACCESSIBLE="1", ASSENT_TOKEN=running_server.token),
        text=True,
    )
    assert run.stdin is not None
    assert run.stdout is not None
    shown = ""
    while "y once" not in shown:
        shown += run.stdout.read(1)
    rest, _ = run.communicate("YES\nquit\n")

    assert run.returncode == 0
    assert "Question 1: Allowed once by you" in rest
    assert "\x1b" not in shown + rest
    assert client.approval(outcome.approval).state is State.APPROVED


def test_the_end_of_the_input_leaves_the_question_open(
    running_server: RunningServer, client: Client, tmp_path: Path
) -> None:
    outcome = client.submit("Bash", {"command": "make build"}, id="end", agent="clerk")
    run = subprocess.run(
        [ASSENT_PROGRAM, "dashboard", "--url", running_server.url, "--token", running_server.token],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment(tmp_path, ACCESSIBLE="1"),
        check=False,
    )

    assert run.returncode == 0
    assert client.approval(outcome.approval).state is State.PENDING


def test_the_server_is_found_like_the_other_commands_find_it(
    running_server: RunningServer, client: Client
) -> None:
    home = running_server.data.parents[1]
    terminal = Terminal(home, "dashboard", "--database", str(running_server.data / "assent.db"))
    terminal.wait_for_text("Nothing needs you.")
    terminal.type("q")

    assert terminal.wait() == 0


def test_a_server_that_does_not_reply_is_told_on_the_screen(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "dashboard", "--url", "http://127.0.0.1:9", "--token", "x")
    terminal.wait_for_text("answers are off: no server")
    terminal.type("q")

    assert terminal.wait() == 0


def test_without_a_server_a_token_or_a_terminal_it_says_what_is_missing(sandbox: CommandSandbox) -> None:
    nothing = sandbox.run("dashboard")
    no_token = sandbox.run("dashboard", "--url", "http://127.0.0.1:9")
    no_terminal = sandbox.run("dashboard", "--url", "http://127.0.0.1:9", "--token", "x")

    assert [one.status for one in (nothing, no_token, no_terminal)] == [2, 2, 2]
    assert "start `assent serve`, or name a server with --url" in nothing.err
    assert "--url requires a token: set $ASSENT_TOKEN, or add --token" in no_token.err
    assert "ACCESSIBLE=1 prints plain lines instead" in no_terminal.err


def test_without_its_extra_it_names_what_to_install(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [one for one in sys.modules if one.startswith(("textual", "assent.surfaces.tui"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "textual", None)
    ran = command("dashboard", "--url", "http://127.0.0.1:9", "--token", "x")

    assert ran.status == 2
    assert "pip install 'assent[tui]'" in ran.err


@pytest.mark.parametrize("words", [("--help",), ("pending",), ("dashboard", "--help")])
def test_no_other_command_loads_the_terminal_library(sandbox: CommandSandbox, words: tuple[str, ...]) -> None:
    ran = sandbox.run(*words, PYTHONPROFILEIMPORTTIME="1")

    assert "import time:" in ran.err
    assert "textual" not in ran.err.replace("assent.cli.dashboard", "")
