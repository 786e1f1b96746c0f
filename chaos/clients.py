"""HTTP clients of a server: agents that submit and run calls, and people who answer."""

import http.client
import json
import random
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from chaos import effects
from chaos.effects import Effect
from chaos.history import Act, Event, parse_event
from chaos.invariants import ASKED, ERROR, MOVED, OK, RUN
from chaos.server_process import ServerProcess
from chaos.site import RETRY_SECONDS

TOOL = "Bash"
_REQUEST_TIMEOUT = 3.0
"""Seconds to wait for a reply before a request is sent again."""
_POLL_SECONDS = 1.0
_SLOW_ANSWER_SECONDS = 2.0
"""Seconds that people wait before they answer every fourth question."""
_MAX_CALLS = 5000
"""Maximum number of calls of one agent."""
_CONNECTION_ERRORS = (OSError, http.client.HTTPException, ValueError)


class Reply(NamedTuple):
    """A response of the server; status 0 if there was none."""

    status: int
    body: Any


class ClientLog:
    """All events that clients recorded, in order."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.effects: list[Effect] = []
        self._lock = threading.Lock()

    def record(self, act: Act, step: str, call: str, **said: str | float) -> None:
        """Record an event."""
        event = parse_event({"act": act, "step": step, "call": call, "at": time.monotonic(), **said})
        with self._lock:
            self.events.append(event)

    def save(self, path: Path) -> None:
        """Write all events to a file for a later analysis."""
        lines = [json.dumps(asdict(event)) for event in self.events]
        path.write_text("\n".join([*lines, ""]), "utf-8")

    def record_effect(self, effect: Effect) -> None:
        """Record an execution."""
        with self._lock:
            self.effects.append(effect)


class ApiClient:
    """Requests of one client, each on a new connection, without retries."""

    def __init__(self, serving: ServerProcess) -> None:
        self._serving = serving

    def send(self, method: str, path: str, body: object = None) -> Reply:
        """Send a request and return the response."""
        connection = http.client.HTTPConnection("127.0.0.1", self._serving.port, timeout=_REQUEST_TIMEOUT)
        headers = {"Authorization": f"Bearer {self._serving.token}", "Content-Type": "application/json"}
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            reply = connection.getresponse()
            return Reply(reply.status, json.loads(reply.read()))
        except _CONNECTION_ERRORS:
            return Reply(0, {})
        finally:
            connection.close()

    def list_all(self, path: str) -> list[Any]:
        """Read all items of a list, with retries."""
        items: list[Any] = []
        after = ""
        while True:
            reply = self.send("GET", f"{path}&after={after}" if after else path)
            if reply.status != 200:
                time.sleep(RETRY_SECONDS)
                continue
            items += reply.body["items"]
            after = reply.body["next"]
            if not after:
                return items


class AgentClient(threading.Thread):
    """An agent: submits calls in sequence, waits for each answer, and runs the allowed calls."""

    def __init__(
        self,
        api: ApiClient,
        client_log: ClientLog,
        agent: str,
        calls: int,
        args: Callable[[str], dict[str, object]],
        may_take: threading.Event,
    ) -> None:
        super().__init__(name=agent, daemon=True)
        self._wire = api
        self._client_log = client_log
        self._may_take = may_take
        self._agent = agent
        self._calls = calls
        self._args = args
        self.stopping = threading.Event()

    def run(self) -> None:
        """Run calls to their end: a minimum number, then more until stopped."""
        for number in range(_MAX_CALLS):
            if number >= self._calls and self.stopping.is_set():
                return
            self._run_to_end(f"{self._agent}.{number}")

    def _run_to_end(self, call: str) -> None:
        # One nonce per call, so that the claim can be repeated after a lost response.
        args, nonce = self._args(call), secrets.token_hex(16)
        while True:
            step, reply = self._submit(call, args, nonce)
            while reply.status == 200 and reply.body["outcome"] == "wait":
                step, reply = self._claim_call(call, reply.body["approval"], nonce)
            if reply.status == 200:
                break
            time.sleep(RETRY_SECONDS)
        if reply.body["outcome"] == "run":
            self._run_call(call, step, reply.body)

    def _submit(self, call: str, args: Mapping[str, object], nonce: str) -> tuple[str, Reply]:
        step = secrets.token_hex(8)
        self._client_log.record(Act.SUBMIT, step, call, digest=effects.digest_of(TOOL, args))
        said = {"tool": TOOL, "args": args, "id": call}
        conversation = {"conversation": f"c-{self._agent}", "agent": self._agent}
        reply = self._wire.send("POST", "/v1/calls", {"call": said, "nonce": nonce, **conversation})
        approval = str(reply.body.get("approval") or "") if reply.status == 200 else ""
        self._client_log.record(Act.SUBMIT, step, call, outcome=_outcome_word(reply), approval=approval)
        return step, reply

    def _claim_call(self, call: str, approval: str, nonce: str) -> tuple[str, Reply]:
        self._may_take.wait()
        step = secrets.token_hex(8)
        self._client_log.record(Act.TAKE, step, call, approval=approval)
        reply = self._wire.send(
            "POST", f"/v1/calls/{approval}/wait", {"seconds": _POLL_SECONDS, "nonce": nonce}
        )
        self._client_log.record(Act.TAKE, step, call, approval=approval, outcome=_outcome_word(reply))
        return step, reply

    def _run_call(self, call: str, step: str, run: Mapping[str, Any]) -> None:
        digest = effects.digest_of(run["call"]["tool"], run["call"]["args"])
        told = {"approval": str(run["approval"]), "digest": digest}
        self._client_log.record(Act.RUN, step, call, **told)
        self._client_log.record_effect(Effect(call, str(run["approval"]) or "none", digest, step))
        self._client_log.record(Act.RUN, step, call, outcome=OK, **told)
        self._report_result(call, str(run["approval"]), str(run["claim"]))

    def _report_result(self, call: str, approval: str, claim: str) -> None:
        """Report the run until the server accepts or refuses the report."""
        while True:
            self._may_take.wait()
            step = secrets.token_hex(8)
            self._client_log.record(Act.REPORT, step, call, approval=approval)
            reply = self._wire.send("POST", f"/v1/calls/{approval}/report", {"claim": claim})
            self._client_log.record(
                Act.REPORT, step, call, approval=approval, outcome=_report_outcome_word(reply)
            )
            if reply.status in (200, 404, 409):
                return
            time.sleep(RETRY_SECONDS)


class Approver(threading.Thread):
    """A person who answers some of the open questions until stopped, concurrently with other people."""

    def __init__(self, api: ApiClient, client_log: ClientLog, seed: str, denials: float = 0.2) -> None:
        super().__init__(name=seed, daemon=True)
        self._wire = api
        self._client_log = client_log
        self._chance = random.Random(seed)
        self._denials = denials
        self._seen: dict[str, float] = {}
        """When each question was first seen."""
        self.stopping = threading.Event()

    def run(self) -> None:
        """Answer until stopped."""
        while not self.stopping.wait(RETRY_SECONDS):
            shown = time.monotonic()
            reply = self._wire.send("GET", "/v1/approvals?state=pending&limit=50")
            items: list[Any] = reply.body["items"] if reply.status == 200 else []
            for listed in self._chance.sample(items, min(8, len(items))):
                one = self._load_whole_question(listed)
                if one is None or not self._has_waited_before_answer(str(listed["id"])):
                    continue
                say = "deny" if self._chance.random() < self._denials else "once"
                self._answer(one, say, shown)

    def _has_waited_before_answer(self, approval: str) -> bool:
        """Whether this person has waited long enough before answering."""
        now = time.monotonic()
        slow = _SLOW_ANSWER_SECONDS if approval[-1] in "0123" else 0.0
        return now - self._seen.setdefault(approval, now) >= slow

    def _load_whole_question(self, listed: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Load the full question; lists contain excerpts of large ones."""
        if not listed["clipped"]:
            return listed
        reply = self._wire.send("GET", f"/v1/approvals/{listed['id']}")
        return reply.body if reply.status == 200 else None

    def _answer(self, one: Mapping[str, Any], say: str, shown: float) -> None:
        call, step = str(one["call"]["id"]), secrets.token_hex(8)
        digest = effects.digest_of(one["call"]["tool"], one["call"]["args"])
        told = {"approval": str(one["id"]), "digest": digest, "say": say, "by": str(one["owner"])}
        self._client_log.record(Act.ANSWER, step, call, shown=shown, **told)
        body = {"digest": one["digest"], "answer": {"say": say}}
        reply = self._wire.send("POST", f"/v1/approvals/{one['id']}/answer", body)
        self._client_log.record(
            Act.ANSWER, step, call, shown=shown, outcome=_answer_outcome_word(reply), **told
        )


def _outcome_word(reply: Reply) -> str:
    """The outcome of a call, as a word that the invariants use."""
    if reply.status != 200:
        return ERROR
    words = {"wait": ASKED, "run": RUN}
    return words.get(reply.body["outcome"]) or str(reply.body.get("code"))


def _report_outcome_word(reply: Reply) -> str:
    return OK if reply.status == 200 else ERROR


def _answer_outcome_word(reply: Reply) -> str:
    if reply.status == 200:
        return OK
    if reply.status == 409:
        with suppress(KeyError):
            return f"{MOVED}:{reply.body['state']}:{reply.body['by']}"
    return ERROR
