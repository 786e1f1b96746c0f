"""A server of Assent for the tests with the real client, and a person who answers its questions."""

import json
import signal
import subprocess
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from assent.client.client import Client
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval
from tests.cli.running import ASSENT_PROGRAM, CommandSandbox
from tests.waiting import wait_until

ALLOW, DENY = Answer(say=Say.ONCE), Answer(say=Say.DENY, reason="the person said no")
Decide = Callable[[Approval], Answer | None]
"""The person's answer to a question; None leaves it open."""


class GateServer:
    """`assent serve` in a sandbox, which a test can kill and start again on the same data."""

    def __init__(self, sandbox: CommandSandbox) -> None:
        self.sandbox = sandbox
        self.token = ""
        self.url = ""
        self._process: subprocess.Popen[str] | None = None

    @property
    def data(self) -> Path:
        return self.sandbox.home / ".local" / "share" / "assent"

    @property
    def hook(self) -> Path:
        """The directory of the installed hook."""
        return self.data / "hook"

    def start(self) -> None:
        """Start the server and wait until it listens."""
        with (self.sandbox.home / "server.log").open("a", encoding="utf-8") as log:
            self._process = subprocess.Popen(
                [ASSENT_PROGRAM, "serve", "--port", "0", "--json"],
                cwd=self.sandbox.root,
                env=self.sandbox.environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self._process.stdout is not None
        told = json.loads(self._process.stdout.readline())
        self.url, self.token = told["url"], told["owner_token"] or self.token

    def kill(self) -> None:
        """Kill the server as a crash does."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Stop the server as a person does."""
        self._end(signal.SIGTERM)

    def _end(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait()
            self._process.stdout.close()  # type: ignore[union-attr]
            self._process = None

    def client(self) -> Client:
        return Client(self.url, self.token)

    def pending_approvals(self) -> list[Approval]:
        with self.client() as client:
            return list(client.approvals())

    def wait_for_question(self) -> Approval:
        return wait_until(self.pending_approvals)[0]

    def answer(self, approval: Approval, answer: Answer = ALLOW) -> None:
        with self.client() as client:
            client.answer(approval.id, approval.digest, answer)

    @contextmanager
    def answer_each_question(self, decide: Decide) -> Generator[list[Approval]]:
        """Answer every question while the block runs, like a person; yields the list of questions."""
        asked: list[Approval] = []
        stopped = threading.Event()

        def answer_new_questions() -> None:
            while not stopped.wait(0.05):
                for approval in self.pending_approvals():
                    if approval.id not in {one.id for one in asked}:
                        asked.append(approval)
                        if (answer := decide(approval)) is not None:
                            self.answer(approval, answer)

        thread = threading.Thread(target=answer_new_questions)
        thread.start()
        try:
            yield asked
        finally:
            stopped.set()
            thread.join()


@contextmanager
def running_server(sandbox: CommandSandbox) -> Generator[GateServer]:
    """A server in a sandbox; it is killed at the end."""
    server = GateServer(sandbox)
    server.start()
    try:
        yield server
    finally:
        server.kill()
