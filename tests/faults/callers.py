"""Callers for tests of faults: they try one pod after the other, like a client behind a load balancer."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from assent.client.client import Client, Outcome, OutcomeKind, RequestFailed
from assent.errors import AssentError
from assent.gate.answer import Answer, Say
from tests.serving import RunningServer
from tests.waiting import wait_until

Result = TypeVar("Result")


@dataclass
class Caller:
    """Asks, answers and runs calls; each request goes to the first pod that accepts it."""

    pods: list[RunningServer]
    clients: dict[str, Client] = field(default_factory=dict[str, Client])
    ran: list[str] = field(default_factory=list[str])
    """The ids of the calls that this caller was allowed to run."""
    unknown: list[str] = field(default_factory=list[str])
    """The ids of calls whose claim was made but whose reply was lost."""
    refused: list[str] = field(default_factory=list[str])
    """Error messages of pods; tests expect none."""

    def send_request(self, what: Callable[[Client], Result]) -> Result:
        """Send a request to the first pod that accepts it."""
        (result,) = wait_until(lambda: self._try_pods(what))
        return result

    def _try_pods(self, what: Callable[[Client], Result]) -> tuple[Result] | tuple[()]:
        for pod in list(self.pods):
            client = self.clients.setdefault(pod.url, Client(pod.url, pod.token, tries=1))
            try:
                return (what(client),)
            except RequestFailed as failure:
                if failure.status < 500 and failure.status != 401:
                    raise
                if failure.status != 503:
                    self.refused.append(f"{failure.status} {failure}")
            except AssentError:
                pass
        return ()

    def ask(self, id: str, **more: object) -> Outcome:
        return self.send_request(lambda client: client.submit("Bash", {"command": "make"}, id=id, **more))

    def answer(self, id: str, say: Say = Say.ONCE) -> None:
        """Answer a question; retry if no reply arrived."""
        shown = self.send_request(lambda client: client.approval(id))
        self.send_request(lambda client: client.answer(id, shown.digest, Answer(say=say)))

    def wait_and_claim(self, id: str, seconds: float = 30.0) -> Outcome:
        outcome = self.send_request(lambda client: client.wait(id, seconds))
        if outcome.kind is OutcomeKind.RUN:
            self.ran.append(id)
        elif outcome.code == "already_run":
            self.unknown.append(id)
        return outcome

    def report(self, outcome: Outcome) -> None:
        self.send_request(lambda client: client.report(outcome.approval, outcome.claim))

    def complete_call(self, id: str, **more: object) -> str:
        """Ask, answer, run and report a call; return the id of its question."""
        asked = self.ask(id, **more)
        self.answer(asked.approval)
        taken = self.wait_and_claim(asked.approval)
        if taken.kind is OutcomeKind.RUN:
            self.report(taken)
        return asked.approval

    def close(self) -> None:
        for client in self.clients.values():
            client.close()
