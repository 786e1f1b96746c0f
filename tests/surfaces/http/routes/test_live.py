"""Live connections: clients get their events once and in order, also after a reconnect."""

import asyncio
import http.client
import json
import random
import socket as sockets
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from assent.client.client import Client, Outcome, OutcomeKind
from assent.gate.answer import Answer, Say
from assent.gate.approval import State
from tests.serving import RunningServer, server
from tests.surfaces.http.sockets import open_live_socket, open_socket, origin
from tests.waiting import wait_until_async

_numbers = count()
MANY = 40


@pytest.fixture(scope="module")
def running_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with server(tmp_path_factory.mktemp("live")) as running:
        yield running


@pytest.fixture
def client(running_server: RunningServer) -> Iterator[Client]:
    with Client(running_server.url, running_server.token) as found:
        yield found


def submit_call(client: Client, command: str = "make", **more: object) -> Outcome:
    """Submit a call that asks, by an agent of the owner in a new conversation."""
    number = next(_numbers)
    outcome = client.submit(
        "Bash", {"command": command}, id=f"call-{number}", conversation=f"c-{number}", agent="clerk", **more
    )
    assert outcome.kind is OutcomeKind.WAIT
    return outcome


def ask_in_chat(client: Client) -> Outcome:
    """Submit a call of a chat tool that asks."""
    number = next(_numbers)
    args = {"path": "notes.txt", "content": "hello"}
    chat = {"preset": "chat", "agent": "clerk"}
    outcome = client.submit("write_file", args, id=f"call-{number}", conversation=f"chat-{number}", **chat)
    assert outcome.kind is OutcomeKind.WAIT
    return outcome


def answer_outcome(client: Client, outcome: Outcome, say: Say = Say.ONCE) -> None:
    shown = client.approval(outcome.approval)
    client.answer(shown.id, shown.digest, Answer(say=say))


def new_token(client: Client, kind: str, name: str, **more: object) -> str:
    made: Any = client.request("POST", "/v1/tokens", {"kind": kind, "name": name, **more}, tries=1)
    return str(made["secret"])


def message_types(messages: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(one["type"], one.get("id", "")) for one in messages]


# ---- what is told ---------------------------------------------------------------------------------


@pytest.mark.proves("R000-38")
async def test_a_new_client_gets_all_open_questions_and_then_events(
    running_server: RunningServer, client: Client
) -> None:
    one, two = submit_call(client), submit_call(client)

    async with open_live_socket(running_server) as socket:
        first = await socket.receive_until("ready")
        answer_outcome(client, one)
        client.withdraw(two.approval)
        rest = [*await socket.receive_until("answered"), *await socket.receive_until("withdrawn")]

    assert {("pending", one.approval), ("pending", two.approval)} <= set(message_types(first))
    assert message_types(rest) == [("answered", one.approval), ("withdrawn", two.approval)]
    assert rest[0]["approval"]["state"] == "approved"
    assert "claim" not in rest[0]["approval"]


async def test_a_question_message_contains_everything_its_card_shows(
    running_server: RunningServer, client: Client
) -> None:
    async with open_live_socket(running_server) as socket:
        await socket.receive_until("ready")
        outcome = submit_call(client, "make all")
        (told,) = await socket.receive_until("asked")
    client.withdraw(outcome.approval)

    shown = told["approval"]
    assert (shown["call"]["args"], shown["tool"]["effect"]) == ({"command": "make all"}, "execute")
    assert shown["decision"]["stage"] == "mode"
    assert shown["locked"] is False


@pytest.mark.proves("R000-48")
async def test_an_answer_in_one_window_clears_the_card_in_the_other(
    running_server: RunningServer, client: Client
) -> None:
    outcome = submit_call(client)
    async with open_live_socket(running_server) as here, open_live_socket(running_server) as there:
        await here.receive_until("ready")
        await there.receive_until("ready")
        answer_outcome(client, outcome, Say.DENY)
        (one,) = await here.receive_until("answered")
        (other,) = await there.receive_until("answered")

    assert one == other
    assert one["approval"]["state"] == State.DENIED


@pytest.mark.proves("R004-36")
@pytest.mark.parametrize(
    ("answer", "decision", "with_override"),
    [
        (Answer(say=Say.ONCE), "approved", False),
        (Answer(say=Say.ALWAYS), "approved", True),
        (Answer(say=Say.DENY), "denied", False),
        (Answer(say=Say.DENY, reason="not today"), "denied_with_reason", False),
    ],
)
async def test_the_event_of_an_answer_has_the_facts_of_its_row_in_the_audit(
    running_server: RunningServer, client: Client, answer: Answer, decision: str, with_override: bool
) -> None:
    outcome = submit_call(client, f"make {decision} {with_override}")
    async with open_live_socket(running_server) as socket:
        await socket.receive_until("ready")
        client.answer(outcome.approval, client.approval(outcome.approval).digest, answer)
        (event,) = await socket.receive_until("answered")
    rows: Any = client.request("GET", "/v1/audit?view=approvals")
    (row,) = [one["entry"] for one in rows["items"] if one["entry"]["approval"] == outcome.approval]
    call, given = event["approval"]["call"], event["approval"]["answer"]

    assert (row["decision"], row["with_override"]) == (decision, with_override)
    assert (given["say"], given["by"], given["reason"]) == (answer.say.value, row["user"], row["reason"])
    assert [call[name] for name in ("id", "agent", "conversation", "tool")] == [
        row[name] for name in ("call", "agent", "conversation", "tool")
    ]


async def test_policy_changes_and_pauses_are_sent_to_all_clients(
    running_server: RunningServer, client: Client
) -> None:
    async with open_live_socket(running_server) as socket:
        await socket.receive_until("ready")
        rule = {"list": "deny", "text": "Bash(shutdown *)"}
        client.request("POST", "/v1/rules", rule, tries=1)
        policy = await socket.receive_until("policy")
        client.request("POST", "/v1/switch", {"paused": True})
        paused = await socket.receive_until("paused")
        client.request("POST", "/v1/switch", {"paused": False})
        resumed = await socket.receive_until("resumed")

    assert [policy[-1]["type"], paused[-1]["type"], resumed[-1]["type"]] == ["policy", "paused", "resumed"]


@pytest.mark.proves("R-7", "R-24")
async def test_a_client_that_resumes_gets_exactly_the_missed_events(
    running_server: RunningServer, client: Client
) -> None:
    async with open_live_socket(running_server) as socket:
        await socket.receive_until("ready")
    outcome = await asyncio.to_thread(submit_call, client)
    await asyncio.to_thread(answer_outcome, client, outcome)
    async with open_live_socket(running_server, socket.cursor) as again:
        ready = await again.receive_until("ready")
        missed = await again.receive_until("answered")

    assert message_types(ready) == [("ready", "")]
    assert message_types(missed) == [("asked", outcome.approval), ("answered", outcome.approval)]


@pytest.mark.supports("R000-47")
@pytest.mark.proves("R-7")
async def test_a_client_that_reconnects_repeatedly_gets_every_event_once(
    running_server: RunningServer, client: Client
) -> None:
    chance = random.Random(7)
    heard: list[tuple[str, str]] = []
    async with open_live_socket(running_server) as socket:
        await socket.receive_until("ready")
    doing = asyncio.create_task(asyncio.to_thread(_ask_and_answer_many, running_server, MANY))
    cursor = socket.cursor
    while len(heard) < 2 * MANY:
        async with open_live_socket(running_server, cursor) as again:
            for _ in range(min(chance.randrange(1, 6), 2 * MANY - len(heard) + 1)):
                message = await again.receive()
                if message["type"] != "ready":
                    heard.append((message["type"], message["id"]))
            cursor = again.cursor
            again.socket.transport.abort()  # As when a laptop is closed.

    expected = [(kind, one) for one in await doing for kind in ("asked", "answered")]
    assert sorted(heard) == sorted(expected)


def _ask_and_answer_many(running_server: RunningServer, most: int) -> list[str]:
    """Ask and answer questions in sequence, on a separate connection."""
    with Client(running_server.url, running_server.token) as client:
        found = [submit_call(client) for _ in range(most)]
        for one in found:
            answer_outcome(client, one)
    return [one.approval for one in found]


@pytest.mark.proves("R-7")
async def test_a_hundred_questions_are_sent_again_within_a_second(
    running_server: RunningServer, client: Client
) -> None:
    shares = await asyncio.gather(
        *(asyncio.to_thread(_ask_as, running_server, number) for number in range(4))
    )
    outcomes = [one for share in shares for one in share]

    async with open_live_socket(running_server) as socket:
        before = running_server.cpu_seconds()
        cards = await socket.receive_until("ready")
        took = running_server.cpu_seconds() - before
    assert {one.approval for one in outcomes} <= {one.get("id") for one in cards}
    assert took < 1


def _ask_as(running_server: RunningServer, agent: int) -> list[Outcome]:
    with Client(running_server.url, running_server.token) as client:
        origin: Any = {"conversation": "hundred", "agent": f"agent-{agent}"}
        return [client.submit("Bash", {"command": "make"}, id=f"{n}", **origin) for n in range(25)]


async def test_an_unknown_cursor_gets_all_questions_again(
    running_server: RunningServer, client: Client
) -> None:
    outcome = submit_call(client)
    async with open_live_socket(running_server, "never-a-cursor") as socket:
        found = await socket.receive_until("reset")
        cards = await socket.receive_until("ready")
    client.withdraw(outcome.approval)

    assert message_types(found) == [("ready", ""), ("reset", "")]
    assert ("pending", outcome.approval) in message_types(cards)


# ---- who may listen -------------------------------------------------------------------------------


@pytest.mark.proves("T-5", "T-15")
async def test_an_agent_gets_no_live_messages(running_server: RunningServer, client: Client) -> None:
    secret = new_token(client, "agent", "clerk")

    async with open_socket(running_server, headers={"Authorization": f"Bearer {secret}"}) as socket:
        code = await socket.wait_for_close_code()

    assert code == 4403


@pytest.mark.proves("T-15")
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "null"},
        {"Origin": "http://evil.example"},
        {"Origin": "http://localhost.evil:8722"},
        {"Origin": "http://127.0.0.1:1"},
    ],
    ids=str,
)
async def test_a_socket_of_another_sites_page_is_refused(
    running_server: RunningServer, headers: dict[str, str]
) -> None:
    with pytest.raises(InvalidStatus) as refused:
        async with open_socket(running_server, headers={**headers}):
            pass

    assert refused.value.response.status_code == 403


@pytest.mark.proves("T-16")
def test_an_unknown_host_name_is_refused(running_server: RunningServer) -> None:
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    parts = urlsplit(running_server.url)
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=60)
    given = {**upgrade, "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Host": "evil.example"}
    connection.request(
        "GET", "/v1/live", headers={**given, "Authorization": f"Bearer {running_server.token}"}
    )
    status = connection.getresponse().status
    connection.close()

    assert status == 403


async def test_a_client_can_authenticate_in_its_first_frame(running_server: RunningServer) -> None:
    async with open_socket(running_server, headers={"Origin": origin(running_server)}) as socket:
        await socket.send(type="auth", token=running_server.token)
        await socket.send(type="resume", after=None)
        assert (await socket.receive_until("ready"))[-1]["type"] == "ready"


@pytest.mark.parametrize("wrong", ["assent_p_" + "a" * 43, "", "x"], ids=["unknown", "empty", "shapeless"])
async def test_an_unknown_token_closes_the_socket(running_server: RunningServer, wrong: str) -> None:
    async with open_socket(running_server, headers={"Origin": origin(running_server)}) as socket:
        await socket.send(type="auth", token=wrong)
        assert await socket.wait_for_close_code() == 4401


async def test_a_silent_client_is_disconnected(running_server: RunningServer) -> None:
    async with open_socket(running_server, headers={"Origin": origin(running_server)}) as socket:
        assert await socket.wait_for_close_code() == 4401


@pytest.mark.proves("T-38")
async def test_people_get_no_messages_about_calls_of_others(
    running_server: RunningServer, client: Client
) -> None:
    client.request("POST", "/v1/people", {"id": "bob"}, tries=1)
    bob = replace(running_server, token=new_token(client, "person", "bob"))
    async with open_live_socket(bob) as socket:
        await socket.receive_until("ready")
        mine = submit_call(client)
        with Client(bob.url, bob.token) as his:
            own = submit_call(his)
        heard = await socket.receive_until("asked")
    client.withdraw(mine.approval)

    assert message_types(heard) == [("asked", own.approval)]


@pytest.mark.proves("T-14")
async def test_a_disabled_person_gets_no_more_messages(running_server: RunningServer, client: Client) -> None:
    client.request("POST", "/v1/people", {"id": "eve"}, tries=1)
    eve = replace(running_server, token=new_token(client, "person", "eve"))
    async with open_live_socket(eve) as socket:
        await socket.receive_until("ready")
        with Client(eve.url, eve.token) as hers:
            own = submit_call(hers)
        await socket.receive_until("asked")
        client.request("POST", "/v1/people/eve/disable", tries=1)
        answer_outcome(client, own)
        code = await socket.wait_for_close_code()

    assert code == 4401


# ---- hostile frames -------------------------------------------------------------------------------

WRONG = [
    "",
    "{",
    "null",
    "[]",
    "{}",
    '{"type": 1}',
    '{"type": "answer"}',
    '{"type": "pong", "type": "pong"}',
    '{"type": "\\ud800"}',
    '{"type": NaN}',
    '{"type": "resume", "after": null}',
    '{"type": ' + "[" * 200 + "]" * 200 + "}",
    "\x00",
    "🙂" * 100,
    b"\x00\xff",
    b'{"type": "pong"}',
]


@pytest.mark.proves("R-19")
@pytest.mark.parametrize("frame", WRONG, ids=lambda frame: repr(frame)[:40])
async def test_a_malformed_frame_closes_only_its_own_socket(
    running_server: RunningServer, client: Client, frame: str | bytes
) -> None:
    async with open_live_socket(running_server) as other, open_live_socket(running_server) as socket:
        await other.receive_until("ready")
        await socket.receive_until("ready")
        await socket.socket.send(frame)
        code = await socket.wait_for_close_code()
        outcome = submit_call(client)
        (told,) = await other.receive_until("asked")
    client.withdraw(outcome.approval)

    assert code == (1003 if isinstance(frame, bytes) else 4400)
    assert told["id"] == outcome.approval


@pytest.mark.proves("R-19")
async def test_a_frame_that_is_too_large_closes_only_its_own_socket(running_server: RunningServer) -> None:
    async with open_live_socket(running_server) as near, open_live_socket(running_server) as far:
        await near.receive_until("ready")
        await far.receive_until("ready")
        await near.socket.send("x" * 64_001)
        await far.socket.send("x" * 1_000_000)

        assert (await near.wait_for_close_code(), await far.wait_for_close_code()) == (1009, 1009)


@pytest.mark.proves("R-19")
async def test_ten_thousand_malformed_frames_do_not_affect_other_clients(
    running_server: RunningServer, client: Client
) -> None:
    chance = random.Random(19)
    before = _resident_kilobytes(running_server)
    async with open_live_socket(running_server) as other:
        await other.receive_until("ready")
        await asyncio.gather(*(_send_hostile_frames(running_server, chance, 50) for _ in range(8)))
        outcome = submit_call(client)
        (told,) = await other.receive_until("asked")
    client.withdraw(outcome.approval)

    assert told["id"] == outcome.approval
    assert _resident_kilobytes(running_server) - before < 50_000  # kilobytes


async def _send_hostile_frames(running_server: RunningServer, chance: random.Random, rounds: int) -> None:
    """Send rounds of 25 hostile frames to a socket as fast as possible."""
    for _ in range(rounds):
        async with open_socket(running_server) as socket:
            if chance.random() < 0.5:
                await socket.send(type="resume", after=None)
            for _ in range(25):
                try:
                    await socket.socket.send(_random_frame(chance))
                except ConnectionClosed:
                    break


def _random_frame(chance: random.Random) -> str | bytes:
    if chance.random() < 0.3:
        return chance.randbytes(chance.randrange(200))
    text = str(chance.choice([one for one in WRONG if isinstance(one, str)]))
    return text[: chance.randrange(len(text) + 1)] + chance.choice(["", "}", '"', "\u202e", "{" * 70])


def _resident_kilobytes(running_server: RunningServer) -> int:
    """Resident memory of the server in kilobytes."""
    with open(f"/proc/{running_server.pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


@pytest.mark.proves("R-19")
async def test_random_bytes_do_not_affect_other_clients(
    running_server: RunningServer, client: Client
) -> None:
    parts = urlsplit(running_server.url)
    for number in range(20):
        with sockets.create_connection((parts.hostname, parts.port), 60) as raw:
            raw.sendall(random.Random(number).randbytes(2000))

    assert client.request("GET", "/healthz") == {"ok": True}


# ---- other ways to speak --------------------------------------------------------------------------


@pytest.mark.proves("R000-17", "R000-22")
@pytest.mark.parametrize(
    ("decision", "state"),
    [("allow", State.APPROVED), ("allow_for_chat", State.APPROVED), ("deny", State.DENIED)],
)
async def test_the_chat_protocol_asks_and_answers_in_its_own_format(
    running_server: RunningServer, client: Client, decision: str, state: State
) -> None:
    async with open_live_socket(running_server, speak="chat") as socket:
        await socket.receive_until("ready")
        outcome = ask_in_chat(client)
        (request,) = await socket.receive_until("tool_approval_request")
        await socket.send(
            type="tool_approval_response", tool_call_id=request["tool_call_id"], decision=decision
        )
        await socket.receive_until("answered")

    assert (request["name"], request["category"]) == ("write_file", "write")
    assert request["args"] == {"path": "notes.txt", "content": "hello"}
    assert client.approval(outcome.approval).state is state


@pytest.mark.proves("R000-24")
@pytest.mark.parametrize("decision", ["", "ALLOW", "yes", "allow ", "allow_always"])
async def test_an_unknown_decision_denies_the_call(
    running_server: RunningServer, client: Client, decision: str
) -> None:
    async with open_live_socket(running_server, speak="chat") as socket:
        await socket.receive_until("ready")
        outcome = ask_in_chat(client)
        (request,) = await socket.receive_until("tool_approval_request")
        await socket.send(type="tool_approval_response", id=request["id"], decision=decision)
        await socket.receive_until("answered")

    assert client.approval(outcome.approval).state is State.DENIED


@pytest.mark.proves("R000-23", "T-4")
async def test_an_answer_to_a_question_not_sent_on_this_socket_is_refused(
    running_server: RunningServer, client: Client
) -> None:
    async with open_live_socket(running_server, speak="chat") as socket:
        await socket.receive_until("ready")
        await socket.send(type="tool_approval_response", id="0" * 32, decision="allow")
        error = await socket.receive()

    assert (error["type"], error["about"]) == ("error", "0" * 32)


@pytest.mark.proves("R000-32")
async def test_the_second_of_two_answers_on_sockets_gets_the_author_of_the_first(
    running_server: RunningServer, client: Client
) -> None:
    async with open_live_socket(running_server, speak="chat") as socket:
        await socket.receive_until("ready")
        outcome = ask_in_chat(client)
        (request,) = await socket.receive_until("tool_approval_request")
        answer_outcome(client, outcome)
        await socket.send(type="tool_approval_response", id=request["id"], decision="deny")
        told = [await socket.receive(), await socket.receive()]

    assert {one["type"] for one in told} == {"answered", "error"}
    assert client.approval(outcome.approval).state is State.APPROVED


@pytest.mark.proves("R003-67")
async def test_the_workbench_protocol_asks_and_answers_in_its_own_format(
    running_server: RunningServer, client: Client
) -> None:
    async with open_live_socket(running_server, speak="workbench") as socket:
        await socket.receive_until("ready")
        outcome = submit_call(client, "make docs")
        (request,) = await socket.receive_until("approval_request")
        await socket.send(
            type="approval_response",
            approvalId=request["approvalId"],
            decision="allow_always",
            rule="Bash(make docs)",
        )
        await socket.receive_until("answered")
    rules = [rule.text for rule in client.rules()]
    for rule in client.rules():
        client.revoke(rule.id)

    assert {key: request[key] for key in ("callId", "tool", "specifier", "mode")} == {
        "callId": request["callId"],
        "tool": "Bash",
        "specifier": "make docs",
        "mode": "default",
    }
    assert client.approval(outcome.approval).state is State.APPROVED
    assert "Bash(make docs)" in rules


# ---- server-sent events ---------------------------------------------------------------------------


class Stream:
    """A stream of events, read line by line."""

    def __init__(self, running_server: RunningServer, after: str = "", **headers: str) -> None:
        parts = urlsplit(running_server.url)
        self._connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=60)
        given = {
            "Authorization": f"Bearer {running_server.token}",
            **({"Last-Event-ID": after} if after else {}),
        }
        self._connection.request("GET", "/v1/events", headers=given | headers)
        self.reply = self._connection.getresponse()
        self.last = after

    def receive_until(self, kind: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        while True:
            line = self.reply.readline()
            assert line, "the stream ended"
            if line.startswith(b"id: "):
                self.last = line[4:].decode().strip()
            if line.startswith(b"data: "):
                message = json.loads(line[6:])
                if message["type"] != "ping":
                    found.append(message)
                if message["type"] == kind:
                    return found

    def close(self) -> None:
        self.reply.close()
        self._connection.close()


@pytest.mark.proves("R-7")
def test_an_event_stream_sends_the_same_messages_and_can_resume(
    running_server: RunningServer, client: Client
) -> None:
    stream = Stream(running_server)
    stream.receive_until("ready")
    one = submit_call(client)
    first = stream.receive_until("asked")
    stream.close()
    answer_outcome(client, one)
    again = Stream(running_server, stream.last)
    rest = again.receive_until("answered")
    again.close()

    assert stream.reply.headers["Content-Type"].startswith("text/event-stream")
    assert message_types(first) == [("asked", one.approval)]
    assert message_types(rest) == [("ready", ""), ("answered", one.approval)]


def test_an_event_stream_needs_a_person_or_service(running_server: RunningServer, client: Client) -> None:
    nobody = Stream(running_server, Authorization="")
    agent = Stream(running_server, Authorization=f"Bearer {new_token(client, 'agent', 'clerk')}")
    nobody.close()
    agent.close()

    assert (nobody.reply.status, agent.reply.status) == (401, 403)


async def test_a_disconnected_client_is_no_longer_counted(
    running_server: RunningServer, client: Client
) -> None:
    async def has_listeners() -> bool:
        text = await asyncio.to_thread(_read_metrics, running_server)
        return next(
            float(line.split()[1]) > 0 for line in text.splitlines() if line.startswith("assent_live_conn")
        )

    async def has_no_listeners() -> bool:
        return not await has_listeners()

    async with open_live_socket(running_server) as one:
        await one.receive_until("ready")
        assert await has_listeners()
    await wait_until_async(has_no_listeners)


def _read_metrics(running_server: RunningServer) -> str:
    parts = urlsplit(running_server.url)
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=60)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    return text
