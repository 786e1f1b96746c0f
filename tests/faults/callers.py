"""Callers for tests of faults: they try one pod after the other, as a client behind a balancer does."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from assent.client.client import Client, Outcome, OutcomeKind, RequestFailed
from assent.errors import AssentError
from assent.gate.answer import Answer, Say
from tests.serving import PATIENCE, Running

Result = TypeVar("Result")


@dataclass
class Caller:
    """Somebody who asks, answers and runs; each act goes to the first pod that takes it."""

    pods: list[Running]
    clients: dict[str, Client] = field(default_factory=dict[str, Client])
    ran: list[str] = field(default_factory=list[str])
    """Calls that this caller was told to run."""
    unknown: list[str] = field(default_factory=list[str])
    """Calls that were taken, but not by anybody who heard of it."""
    refused: list[str] = field(default_factory=list[str])
    """What a pod that answered said was wrong, which nothing ever is."""

    def act(self, what: Callable[[Client], Result]) -> Result:
        """Do something on any pod."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            for pod in list(self.pods):
                client = self.clients.setdefault(pod.url, Client(pod.url, pod.token, tries=1))
                try:
                    return what(client)
                except RequestFailed as failure:
                    if failure.status < 500 and failure.status != 401:
                        raise
                    if failure.status != 503:
                        self.refused.append(f"{failure.status} {failure}")
                except AssentError:
                    pass
            time.sleep(0.05)
        raise AssertionError("no pod takes this")

    def ask(self, id: str, **more: object) -> Outcome:
        return self.act(lambda client: client.submit("Bash", {"command": "make"}, id=id, **more))

    def answer(self, id: str, say: Say = Say.ONCE) -> None:
        """Answer a question, and again where nobody said that it was heard."""
        shown = self.act(lambda client: client.approval(id))
        self.act(lambda client: client.answer(id, shown.digest, Answer(say=say)))

    def take(self, id: str, seconds: float = 30.0) -> Outcome:
        outcome = self.act(lambda client: client.wait(id, seconds))
        if outcome.kind is OutcomeKind.RUN:
            self.ran.append(id)
        elif outcome.code == "already_run":
            self.unknown.append(id)
        return outcome

    def report(self, outcome: Outcome) -> None:
        self.act(lambda client: client.report(outcome.approval, outcome.claim))

    def see_through(self, id: str, **more: object) -> str:
        """One call's whole life; the id of its question."""
        asked = self.ask(id, **more)
        self.answer(asked.approval)
        taken = self.take(asked.approval)
        if taken.kind is OutcomeKind.RUN:
            self.report(taken)
        return asked.approval

    def close(self) -> None:
        for client in self.clients.values():
            client.close()
