"""The HTTP client repeats failed requests and reports the errors of the server."""

import itertools
import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from assent.client.client import (
    Client,
    Outcome,
    OutcomeKind,
    RequestFailed,
    failure_from_reply,
    outcome_from_json,
)
from assent.errors import AssentError, InputError
from assent.gate.answer import Answer, Say
from assent.gate.approval import State
from assent.gate.preset import Lifetime
from tests.serving import RunningServer, server


@pytest.fixture(scope="module")
def running_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with server(tmp_path_factory.mktemp("client")) as running:
        yield running


@pytest.fixture
def client(running_server: RunningServer) -> Iterator[Client]:
    with Client(running_server.url, running_server.token) as found:
        yield found


def test_a_call_is_submitted_answered_claimed_and_reported(client: Client) -> None:
    asked = client.submit("Bash", {"command": "make"}, id="life", conversation="c", agent="clerk")
    again = client.submit("Bash", {"command": "make"}, id="life", conversation="c", agent="clerk")
    still = client.wait(asked.approval, 0)
    shown = next(one for one in client.approvals() if one.id == asked.approval)
    answered = client.answer(shown.id, shown.digest, Answer(say=Say.ONCE))
    taken = client.wait(asked.approval)
    client.report(taken.approval, taken.claim)

    assert (asked.kind, again.approval, still.kind) == (OutcomeKind.WAIT, asked.approval, OutcomeKind.WAIT)
    assert (answered.state, taken.kind, taken.args) == (State.APPROVED, OutcomeKind.RUN, {"command": "make"})
    assert client.approval(asked.approval).state is State.DONE


def test_a_call_is_reported_by_its_own_id(client: Client) -> None:
    asked = client.submit("Bash", {"command": "make"}, id="by-id", conversation="c", agent="clerk", lease=60)
    shown = client.approval(asked.approval)
    client.answer(shown.id, shown.digest, Answer(say=Say.ONCE))
    taken = client.wait(asked.approval)
    for _ in range(2):
        client.report_call("by-id", conversation="c", agent="clerk", failed=True, note="exit 1")

    ended = client.approval(asked.approval)
    assert (taken.kind, ended.state, ended.note) == (OutcomeKind.RUN, State.FAILED, "exit 1")


def test_a_standing_approval_is_listed_and_revoked(client: Client) -> None:
    asked = client.submit("Bash", {"command": "make docs"}, id="longer", agent="clerk")
    shown = client.approval(asked.approval)
    client.answer(shown.id, shown.digest, Answer(say=Say.ALWAYS, rules=("Bash(make docs)",)))
    (remembered,) = client.wait(asked.approval).remembered
    (rule,) = client.rules()
    eased = client.submit("Bash", {"command": "make docs"}, id="eased", agent="clerk").kind
    client.revoke(rule.id)

    assert (rule.text, eased, client.rules(), client.grants()) == ("Bash(make docs)", OutcomeKind.RUN, [], [])
    assert (remembered.rule, remembered.lifetime) == ("Bash(make docs)", Lifetime.FOREVER)
    with pytest.raises(RequestFailed) as missing:
        client.revoke(rule.id)
    assert missing.value.status == 404


def test_a_question_is_postponed_or_withdrawn(client: Client) -> None:
    asked = client.submit("Bash", {"command": "make"}, id="later", agent="clerk")
    later = client.postpone(asked.approval)
    client.withdraw(asked.approval)

    assert later.later_at is not None
    assert client.approval(asked.approval).state is State.WITHDRAWN
    assert [one.id for one in client.approvals(state="withdrawn", agent="clerk")] == [asked.approval]


def test_a_long_list_is_read_page_by_page(client: Client) -> None:
    origin: Any = {"conversation": "long", "agent": "many"}
    asked = [client.submit("Bash", {"command": "make"}, id=f"{n}", **origin).approval for n in range(60)]

    assert [one.id for one in client.approvals(agent="many")] == asked


def test_an_answer_with_the_digest_of_another_call_is_refused(client: Client) -> None:
    asked = client.submit("Bash", {"command": "make"}, id="other", agent="clerk")

    with pytest.raises(RequestFailed) as refused:
        client.answer(asked.approval, "0" * 64, Answer(say=Say.ONCE))
    assert refused.value.status == 409
    client.withdraw(asked.approval)


def test_events_continue_after_the_last_received_one(client: Client, running_server: RunningServer) -> None:
    events = client.events()
    ready = next(one for one in events if one["type"] == "ready")
    asked = running_server.client().submit("Bash", {"command": "make"}, id="event", agent="clerk")
    told = next(one for one in events if one["type"] == "asked")
    again = next(one for one in client.events(str(ready["cursor"])) if one["type"] == "asked")
    client.withdraw(asked.approval)

    assert told["id"] == again["id"] == asked.approval


def test_an_unknown_token_is_an_error(running_server: RunningServer) -> None:
    stranger = running_server.client("assent_p_" + "x" * 43)

    assert not stranger.is_reachable()
    with pytest.raises(RequestFailed) as refused:
        list(stranger.approvals())
    assert refused.value.status == 401


def test_an_unreachable_server_is_an_error() -> None:
    client = Client("http://127.0.0.1:9", "x", tries=2)

    assert not client.is_reachable()
    with pytest.raises(AssentError, match=r"http://127\.0\.0\.1:9 does not answer: connection refused"):
        client.rules()


@pytest.mark.parametrize("url", ["", "127.0.0.1:8722", "ftp://x", "http://"])
def test_an_invalid_address_is_refused(url: str) -> None:
    with pytest.raises(AssentError, match="is not the address of a server"):
        Client(url, "x")


class UnreliableHandler(BaseHTTPRequestHandler):
    """A server that first closes the connection, then replies with 503, and then succeeds."""

    def do_GET(self) -> None:
        seen: list[str] = self.server.seen  # type: ignore[attr-defined]
        seen.append(self.path)
        if len(seen) == 1:
            self.close_connection = True
            return
        status = 503 if len(seen) == 2 else 200
        body = json.dumps({"detail": "starting"} if status == 503 else {"items": []}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Write nothing to standard error."""


def test_requests_to_an_unreliable_server_are_repeated() -> None:
    flaky = HTTPServer(("127.0.0.1", 0), UnreliableHandler)
    flaky.seen = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=flaky.serve_forever)
    thread.start()
    try:
        with Client(f"http://127.0.0.1:{flaky.server_port}/below", "x") as client:
            begun = time.monotonic()
            found = client.rules()
    finally:
        flaky.shutdown()
        flaky.server_close()
        thread.join()

    assert found == []
    assert flaky.seen == ["/below/v1/rules"] * 3  # type: ignore[attr-defined]
    assert time.monotonic() - begun >= 0.3


class CuttingHandler(BaseHTTPRequestHandler):
    """A server that cuts the first stream of events within a line."""

    def do_GET(self) -> None:
        seen: list[str | None] = self.server.seen  # type: ignore[attr-defined]
        seen.append(self.headers["Last-Event-ID"])
        text = 'data: {"cursor": "1"}\n\ndata: {"cur' if len(seen) == 1 else 'data: {"cursor": "2"}\n\n'
        self.send_response(200)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: Any) -> None:
        """Write nothing to standard error."""


@pytest.fixture
def cutting_server() -> Iterator[HTTPServer]:
    made = HTTPServer(("127.0.0.1", 0), CuttingHandler)
    made.seen = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=made.serve_forever)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


def test_events_continue_after_an_event_that_was_cut(cutting_server: HTTPServer) -> None:
    with Client(f"http://127.0.0.1:{cutting_server.server_port}", "x") as client:
        found = list(itertools.islice(client.events(), 2))

    assert found == [{"cursor": "1"}, {"cursor": "2"}]
    assert cutting_server.seen == [None, "1"]  # type: ignore[attr-defined]


def test_the_events_of_one_connection_end_with_an_error_if_one_was_cut(cutting_server: HTTPServer) -> None:
    with (
        Client(f"http://127.0.0.1:{cutting_server.server_port}", "x") as client,
        pytest.raises(AssentError, match="sent an event that is not complete"),
    ):
        list(client.stream_events())


class ReplyLosingHandler(BaseHTTPRequestHandler):
    """A server that processes every request, but loses the first replies."""

    def do_POST(self) -> None:
        said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        nonces: list[str] = self.server.nonces  # type: ignore[attr-defined]
        nonces.append(said["nonce"])
        if len(nonces) <= self.server.lost:  # type: ignore[attr-defined]
            self.close_connection = True
            return
        body = json.dumps(self.server.reply).encode()  # type: ignore[attr-defined]
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Write nothing to standard error."""


@pytest.fixture
def server_that_loses_replies() -> Iterator[HTTPServer]:
    """A server that loses its first two replies, and then sends `reply`."""
    server = HTTPServer(("127.0.0.1", 0), ReplyLosingHandler)
    server.nonces, server.lost = [], 2  # type: ignore[attr-defined]
    server.reply = {"outcome": "run", "approval": "q1", "claim": "k1"}  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.proves("R-36")
def test_a_repeated_wait_keeps_its_nonce_until_there_is_a_reply(
    server_that_loses_replies: HTTPServer,
) -> None:
    with Client(f"http://127.0.0.1:{server_that_loses_replies.server_port}", "x", tries=2) as client:
        with pytest.raises(AssentError, match="does not answer"):
            client.wait("q1", 0)
        taken = client.wait("q1", 0)
        client.wait("q1", 0)
        client.wait("q2", 0)

    first, second, third, fourth, fifth = server_that_loses_replies.nonces  # type: ignore[attr-defined]
    assert taken.kind is OutcomeKind.RUN
    assert first == second == third
    assert len({third, fourth, fifth}) == 3


@pytest.mark.proves("R-36")
def test_a_call_keeps_one_nonce_from_submit_to_the_reply_of_its_wait(
    server_that_loses_replies: HTTPServer,
) -> None:
    server_that_loses_replies.reply = {"outcome": "wait", "approval": "q1"}  # type: ignore[attr-defined]
    with Client(f"http://127.0.0.1:{server_that_loses_replies.server_port}", "x", tries=2) as client:
        with pytest.raises(AssentError, match="does not answer"):
            client.submit("mail.send", {}, id="call-1")
        waiting = client.submit("mail.send", {}, id="call-1")
        client.wait(waiting.approval, 0)
        client.submit("mail.send", {}, id="call-2")

    *same, other = server_that_loses_replies.nonces  # type: ignore[attr-defined]
    assert waiting.kind is OutcomeKind.WAIT
    assert (len(same), len({*same})) == (4, 1)
    assert other not in same


def test_a_nonce_of_the_program_is_sent_unchanged(server_that_loses_replies: HTTPServer) -> None:
    server_that_loses_replies.lost = 0  # type: ignore[attr-defined]
    with Client(f"http://127.0.0.1:{server_that_loses_replies.server_port}", "x") as client:
        client.submit("mail.send", {}, id="call-1", nonce="b7c1f0e2a94d4d21")
        client.wait("q1", 0, nonce="b7c1f0e2a94d4d21")

    assert server_that_loses_replies.nonces == ["b7c1f0e2a94d4d21"] * 2  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("status", "body", "said", "passing"),
    [
        (404, b'{"detail": "there is no approval `x`"}', "there is no approval `x`", False),
        (503, b"", "the server answered with status 503", True),
        (502, b"<html>", "the server answered with status 502", True),
        (500, b"[1]", "the server answered with status 500", False),
        (500, b"\xff", "the server answered with status 500", False),
    ],
)
def test_the_error_contains_the_detail_of_the_server(
    status: int, body: bytes, said: str, passing: bool
) -> None:
    failure = failure_from_reply(status, body)

    assert (failure.status, str(failure), failure.is_temporary) == (status, said, passing)


def test_a_run_outcome_has_the_arguments_and_the_claim() -> None:
    said = {"outcome": "run", "turn": "t", "approval": "a", "claim": "c", "call": {"args": {"x": 1}}}

    assert outcome_from_json(said) == Outcome(
        kind=OutcomeKind.RUN, turn="t", approval="a", claim="c", args={"x": 1}
    )


def test_a_refusal_has_its_code_and_message() -> None:
    said = {"outcome": "refuse", "turn": "t", "code": "permission_denied", "message": "no"}

    assert outcome_from_json(said) == Outcome(
        kind=OutcomeKind.REFUSE, turn="t", code="permission_denied", message="no"
    )


@pytest.mark.parametrize(
    "said", [{}, {"outcome": "yes"}, {"outcome": None}, [], {"outcome": "run", "call": 1}]
)
def test_an_unknown_outcome_is_an_error(said: object) -> None:
    with pytest.raises(InputError):
        outcome_from_json(said)
