"""Overload: large questions, more connections than file descriptors, a chat that does not load."""

import asyncio
import json
import re
import resource
import select
import socket
import sys
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from assent.client.client import Client, OutcomeKind, RequestFailed
from assent.gate.answer import Answer, Say
from assent.surfaces.http.capacity import compute_capacity
from tests.serving import RunningServer, server
from tests.surfaces.http.sockets import open_live_socket
from tests.waiting import wait_until

DESCRIPTORS = 1024
POLLS = 1200
ROOM = compute_capacity(DESCRIPTORS, 10_000).long_requests
"""Number of long polls that a server with this many descriptors accepts."""
SIZE = 9_000_000
MOST_MEMORY = 700
"""Megabytes; without excerpts the same took 2,900."""
LARGEST_FRAME = 256_000


def limit_descriptors() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))


def disable_chat() -> None:
    sys.modules["assent.hosts.chat.chat"] = None  # type: ignore[assignment]


def metric_in_megabytes(running: RunningServer, name: str) -> float:
    """The memory of the process in megabytes: now (`VmRSS`), or the maximum (`VmHWM`)."""
    status = Path(f"/proc/{running.pid}/status").read_text("ascii")
    found = re.search(rf"{name}:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) / 1000


def write_large_budgets(home: Path) -> None:
    """Budgets that are large enough for thirty large questions."""
    directory = home / "config" / "assent"
    directory.mkdir(parents=True)
    text = "[server]\npending_mb = 4000\npending_mb_per_user = 2000\npending_mb_per_agent = 600\n"
    (directory / "config.toml").write_text(text)
    (directory / "config.toml").chmod(0o600)


def submit_large_call(client: Client, number: int, size: int = SIZE) -> str:
    """Submit a call of this size; returns the id of its question."""
    args = {"to": "ben", "text": f"begins {'x' * size} ends"}
    outcome = client.submit("mail.send", args, id=f"large-{number}", agent="clerk")
    assert outcome.kind is OutcomeKind.WAIT, outcome
    return outcome.approval


@pytest.mark.proves("R-27")
async def test_thirty_large_pending_questions_keep_memory_and_list_small_and_answers_working(
    tmp_path: Path,
) -> None:
    write_large_budgets(tmp_path)
    with server(tmp_path) as running:
        client = running.client()
        client.request("PUT", "/v1/agents/clerk/catalog", TOOLS)
        async with open_live_socket(running) as page:
            await page.receive_until("ready")
            ids, heard = list[str](), list[dict[str, object]]()
            for number in range(30):
                ids.append(await asyncio.to_thread(submit_large_call, client, number))
                heard += await page.receive_until("asked")
        listed = client.request("GET", "/v1/approvals?limit=200")
        detail = client.approval(ids[7])
        client.answer(ids[7], detail.digest, Answer(say=Say.ONCE))
        taken = client.wait(ids[7], 0)
        held = metric_in_megabytes(running, "VmHWM")

    frames = [json.dumps(message) for message in heard]
    items = listed["items"]  # type: ignore[index,call-overload]
    assert max(map(len, frames)) < LARGEST_FRAME
    assert len(json.dumps(listed)) < 30 * 10_000
    assert [(one["clipped"], one["digest"]) for one in items] == [(True, "")] * 30
    assert items[0]["call"]["args"]["text"].startswith("begins xxx")
    assert items[0]["call"]["args"]["text"].endswith("xxx ends")
    assert taken.args["text"] == f"begins {'x' * SIZE} ends"
    assert held < MOST_MEMORY


TOOLS = {"origin": "post", "tools": [{"name": "mail.send", "effect": "external"}]}


@pytest.mark.proves("R-27")
def test_an_agent_over_its_budget_gets_429_and_other_agents_can_still_ask(tmp_path: Path) -> None:
    with server(tmp_path) as running:
        client = running.client()
        for agent in ("clerk", "scout"):
            client.request("PUT", f"/v1/agents/{agent}/catalog", TOOLS)
        asked = [submit_large_call(client, number) for number in range(3)]
        args = {"to": "ben", "text": "x" * SIZE}
        refused = client.submit("mail.send", args, id="more", agent="clerk")
        small = client.submit("mail.send", {"to": "ben", "text": "hi"}, id="more", agent="scout")

    assert len(asked) == 3
    assert (refused.kind, refused.code) == (OutcomeKind.REFUSE, "too_many_bytes")
    assert "agent `clerk` has 27.0 MB of open questions" in refused.message
    assert small.kind is OutcomeKind.WAIT


def send_long_poll(running: RunningServer, id: str) -> socket.socket:
    """A long poll that was sent and waits for its reply."""
    parts = urlsplit(running.url)
    connection = socket.create_connection((parts.hostname, parts.port), timeout=60)
    body = b'{"seconds":60}'
    head = (
        f"POST /v1/calls/{id}/wait HTTP/1.1\r\nHost: {parts.netloc}\r\nAuthorization: Bearer {running.token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    connection.sendall(head.encode() + body)
    return connection


@contextmanager
def descriptors_for(connections: int) -> Generator[None]:
    """Allow this process to open this many additional connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + 500
    if hard != resource.RLIM_INFINITY and hard < wanted:
        pytest.skip(f"this system allows {hard} open files, and {wanted} are needed")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def count_replies(polls: Sequence[socket.socket]) -> int:
    """Number of polls that have an unread reply."""
    waiting = select.poll()
    for one in polls:
        waiting.register(one, select.POLLIN)
    return len(waiting.poll(0))


def wait_for_replies(polls: Sequence[socket.socket], count: int) -> None:
    """Wait until `count` polls have a reply."""
    wait_until(lambda: count_replies(polls) >= count)


def status_of(connection: socket.socket) -> str:
    """The status of a poll's reply."""
    try:
        return connection.recv(12).decode()[-3:]
    except ConnectionError:
        return "cut"


@pytest.mark.proves("R-28")
def test_excess_long_polls_are_refused_while_health_decisions_and_answers_work(
    tmp_path: Path,
) -> None:
    with (
        descriptors_for(POLLS),
        server(tmp_path, change=limit_descriptors) as running,
        ExitStack() as open_ones,
    ):
        client = running.client()
        asked = client.submit("Bash", {"command": "make"}, id="1", agent="clerk").approval
        polls = [open_ones.enter_context(send_long_poll(running, asked)) for _ in range(POLLS)]
        # Polls above the limit are refused while the others wait.
        wait_for_replies(polls, POLLS - ROOM)
        health = client.request("GET", "/healthz")
        ready = client.request("GET", "/readyz")
        decided = client.submit("Bash", {"command": "ls"}, id="2", agent="clerk")
        other = client.submit("Bash", {"command": "make all"}, id="3", agent="clerk").approval
        client.answer(other, client.approval(other).digest, Answer(say=Say.ONCE))
        taken = client.wait(other, 0)
        shed = count_replies(polls)
        client.answer(asked, client.approval(asked).digest, Answer(say=Say.ONCE))
        statuses = Counter(status_of(one) for one in polls)
        left = running.stop()
        with server(tmp_path, change=limit_descriptors) as again:
            decided_again = again.client().submit("Bash", {"command": "ls"}, id="4", agent="clerk")

    assert (health, ready) == ({"ok": True}, {"ok": True, "differs": []})
    assert (decided.kind, taken.kind) == (OutcomeKind.RUN, OutcomeKind.RUN)
    assert (shed, statuses["200"]) == (POLLS - ROOM, ROOM)
    # A connection that is refused before its request was read may be reset.
    assert statuses["503"] + statuses["cut"] == shed
    assert statuses["503"] >= shed // 2
    # The server restarts while all these connections are open.
    assert (left, decided_again.kind) == (0, OutcomeKind.RUN)


@pytest.mark.proves("R-37")
def test_the_server_works_when_the_chat_cannot_be_loaded(tmp_path: Path) -> None:
    with server(tmp_path, change=disable_chat) as running:
        client = running.client()
        asked = client.submit("Bash", {"command": "make"}, id="1", agent="clerk")
        wait_until(lambda: "could not be loaded" in running.read_log())
        with pytest.raises(RequestFailed, match="the chat could not be loaded"):
            client.request("GET", "/v1/models", tries=1)
        alive = running.process.is_alive()
        left = running.stop()

    assert (asked.kind, alive, left) == (OutcomeKind.WAIT, True, 0)
