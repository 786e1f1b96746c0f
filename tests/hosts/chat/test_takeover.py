"""After a process is killed during a turn, another one shows the card, takes the answer and continues."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest

from assent.stores.postgres.database import open_postgres
from tests.chat_node.serving import Server, start_server
from tests.hosts.chat.endpoint import Endpoint, run_endpoint, tool_results
from tests.waiting import wait_until

T = TypeVar("T")
PATIENCE = 180.0
READ = ("read_file", {"path": "seed.txt"})
APPEND = ("run_command", {"command": "echo ran >> ran.txt"})
EARLY = ("run_command", {"command": "echo early >> early.txt"})


def next_model_reply(messages: list[dict[str, Any]]) -> str | list[tuple[str, dict[str, object]]]:
    """The model: read a file, make two calls that need approval, then report."""
    told = tool_results(messages)
    return [[READ], [EARLY, APPEND]][min(len(told), 1)] if len(told) < 3 else f"done: {len(told)} results"


def open_client(server: Server) -> httpx.Client:
    return httpx.Client(base_url=server.url, headers={"authorization": f"Bearer {server.token}"}, timeout=180)


def wait_for_pending(client: httpx.Client, conversation: str, count: int) -> list[dict[str, Any]]:
    def find_pending() -> list[dict[str, Any]] | None:
        items = client.get(f"/v1/approvals?state=pending&conversation={conversation}").json()["items"]
        return items if len(items) == count else None

    return wait_until(find_pending)


def answer_question(client: httpx.Client, question: dict[str, Any]) -> None:
    said = {"digest": question["digest"], "answer": {"say": "once"}}
    reply = client.post(f"/v1/approvals/{question['id']}/answer", json=said)
    assert reply.status_code == 200, reply.text


def read_messages(client: httpx.Client, conversation: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = client.get(f"/v1/conversations/{conversation}/messages?live=true").json()[
        "items"
    ]
    return items


def call_states(message: dict[str, Any], call: tuple[str, dict[str, str]]) -> list[str]:
    """The states of a message's calls that equal `call`."""
    tools = [one for one in message["parts"] if one["type"] == f"tool-{call[0]}"]
    return [one["state"] for one in tools if one.get("input") == call[1]]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with run_endpoint(next_model_reply) as serving:
        yield serving


@pytest.mark.proves("R000-47", "R-2", "R-24")
def test_a_turn_continues_in_another_process_without_asking_or_running_twice(
    endpoint: Endpoint, postgres_url: str, tmp_path: Path
) -> None:
    asyncio.run(_prepare_database(postgres_url))
    with (
        start_server(tmp_path, "--database", postgres_url, config=endpoint.config()) as first,
        start_server(tmp_path, "--database", postgres_url, config=endpoint.config()) as second,
        open_client(first) as one,
        open_client(second._replace(token=first.token)) as other,
    ):
        (first.work / "seed.txt").write_text("seed", "utf-8")
        conversation = one.post("/v1/conversations", json={"preset": "chat"}).json()["id"]
        message = {"role": "user", "parts": [{"type": "text", "text": "go"}]}
        with one.stream("POST", f"/v1/conversations/{conversation}/chat", json={"message": message}):
            questions = wait_for_pending(other, conversation, 2)
            early = next(q for q in questions if "early" in q["call"]["args"]["command"])
            late = next(q for q in questions if q is not early)
            answer_question(other, early)
            wait_until(
                lambda: "output-available" in call_states(read_messages(other, conversation)[-1], EARLY)
            )
            first.process.kill()
        parts = read_messages(other, conversation)[-1]["parts"]
        shown = {one["data"]["id"]: one["data"]["state"] for one in parts if one["type"] == "data-assent"}
        answer_question(other, late)
        last = wait_until(lambda: _find_finished(read_messages(other, conversation)))

    assert shown == {early["id"]: "done", late["id"]: "pending"}
    assert last["parts"][-1]["text"] == "done: 3 results "
    assert (
        call_states(last, READ) + call_states(last, EARLY) + call_states(last, APPEND)
        == ["output-available"] * 3
    )
    assert (first.work / "early.txt").read_text("utf-8") == "early\n"
    assert (first.work / "ran.txt").read_text("utf-8") == "ran\n"
    # The endpoint's own log: three steps, each requested once.
    assert [len(tool_results(one["messages"])) for one in endpoint.requests] == [0, 1, 3]


async def _prepare_database(url: str) -> None:
    await (await open_postgres(url, upgrade=True)).close()


def _find_finished(messages: list[dict[str, Any]]) -> dict[str, Any] | None:
    return messages[-1] if messages[-1].get("metadata", {}).get("course") == "done" else None
