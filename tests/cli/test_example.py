"""The example: work that is done, one question of each kind, and agents that take what they are allowed."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assent.cli.example import FILES, OPEN, Example, furnish
from assent.client.client import Client
from assent.gate.answer import Answer, Say
from assent.gate.approval import State
from tests.serving import PATIENCE, Running, server


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with server(tmp_path_factory.mktemp("example")) as running:
        Example(running.client()).play()
        yield running


class Listener(Client):
    """A connection that says from when on nothing is missed."""

    def __init__(self, url: str, token: str) -> None:
        super().__init__(url, token)
        self.listens = threading.Event()

    def events(self, after: str | None = None) -> Iterator[dict[str, object]]:
        for message in super().events(after):
            if message.get("type") == "ready":
                self.listens.set()
            yield message


def ended(client: Client, id: str) -> State:
    deadline = time.monotonic() + PATIENCE
    while (state := client.approval(id).state) not in (State.DONE, State.FAILED):
        assert time.monotonic() < deadline, state
        time.sleep(0.05)
    return state


def test_the_workspace_holds_what_the_agents_speak_of(tmp_path: Path) -> None:
    workspace = furnish(tmp_path)

    found = {path.relative_to(workspace).as_posix() for path in workspace.rglob("*") if path.is_file()}
    assert found == set(FILES)


def test_there_is_one_question_of_each_kind(serving: Running) -> None:
    waiting = list(serving.client().approvals())

    assert len(waiting) == len(OPEN)
    assert {one.tool.effect.value for one in waiting} == {
        "edit",
        "write",
        "execute",
        "external",
        "destructive",
    }
    stages = {one.decision.stage.value for one in waiting}
    assert stages == {"mode", "breaker", "ask-rule", "destructive", "unreadable"}


def test_what_lies_behind_was_allowed_denied_and_remembered(serving: Running) -> None:
    client = serving.client()
    denied = {one.answer.reason for one in client.approvals(state="denied") if one.answer}

    assert denied == {"Keep the history; commit anew.", "She has not moved yet."}
    assert {one.note for one in client.approvals(state="done")} == {"a rehearsal: nothing was run"}
    assert [one.pattern for one in client.grants()] == ["terminal.exec(docker compose up -d)"]


def test_what_a_person_allows_is_taken_and_reported(serving: Running) -> None:
    client = serving.client()
    agents = Listener(serving.url, serving.token)
    following = threading.Thread(target=Example(agents).follow, daemon=True)
    following.start()
    mine = next(one for one in client.approvals() if "v0.9.0" in str(one.call.args))
    assert agents.listens.wait(PATIENCE)
    client.answer(mine.id, mine.digest, Answer(say=Say.ONCE))

    assert ended(client, mine.id) is State.DONE
