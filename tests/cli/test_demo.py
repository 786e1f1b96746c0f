"""`assent demo` ignores the user's own policy and leaves no files behind."""

import json
import signal
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from assent.cli.demo import (
    EXAMPLE_FILES,
    OPEN_CALLS,
    ExampleSession,
    can_open_browser,
    create_example_workspace,
)
from assent.client.client import Client
from assent.gate.answer import Answer, Say
from assent.gate.approval import State
from tests.serving import MAX_WAIT_SECONDS, RunningServer, server, start_command
from tests.waiting import wait_until


def start_demo(home: Path, *words: str) -> "subprocess.Popen[str]":
    (home / "tmp").mkdir()
    return start_command(home, "demo", "--no-browser", *words, name="demo", env={"TMPDIR": str(home / "tmp")})


def test_the_demo_ignores_the_users_policy_and_leaves_no_files(tmp_path: Path) -> None:
    own = tmp_path / "config" / "assent"
    own.mkdir(parents=True)
    (own / "config.toml").write_text('deny = ["terminal.exec"]\n', encoding="utf-8")
    process = start_demo(tmp_path, "--json")
    assert process.stdout is not None
    told = json.loads(process.stdout.readline())
    with Client(told["url"], told["owner_token"]) as client:
        tools = {one.call.tool for one in client.approvals()}
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=MAX_WAIT_SECONDS)

    assert "terminal.exec" in tools
    assert process.returncode == 0
    assert list((tmp_path / "tmp").iterdir()) == []


def test_the_demo_prints_its_address_and_a_login_link(tmp_path: Path) -> None:
    process = start_demo(tmp_path)
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(5)]
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=MAX_WAIT_SECONDS)

    assert lines[0].startswith("The demo runs at http://127.0.0.1:")
    assert "/login#assent_l_" in lines[2]
    assert lines[4] == "Ctrl-C stops the demo; nothing is stored.\n"


@pytest.mark.parametrize(
    ("platform", "environ", "opens"),
    [
        ("linux", {}, False),
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("darwin", {}, True),
    ],
)
def test_a_browser_opens_only_on_a_graphical_desktop(
    platform: str, environ: dict[str, str], opens: bool
) -> None:
    assert can_open_browser(platform, environ) is opens


class ListeningClient(Client):
    """A client that sets an event when its event stream is ready."""

    def __init__(self, url: str, token: str) -> None:
        super().__init__(url, token)
        self.listens = threading.Event()

    def events(self, after: str | None = None) -> Iterator[dict[str, object]]:
        for message in super().events(after):
            if message.get("type") == "ready":
                self.listens.set()
            yield message


@pytest.fixture(scope="module")
def running_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with server(tmp_path_factory.mktemp("example")) as running:
        yield running


@pytest.fixture(scope="module", autouse=True)
def agents(running_server: RunningServer) -> ListeningClient:
    """The client of the example's agents, which claim what a person allows."""
    client = ListeningClient(running_server.url, running_server.token)
    example = ExampleSession(client)
    example.create_example()
    threading.Thread(target=example.take_approved_calls, daemon=True).start()
    assert client.listens.wait(MAX_WAIT_SECONDS)
    return client


def wait_for_end(client: Client, id: str) -> State:
    """Wait until the call of an approval has ended; return the state of the approval."""

    def find_end_state() -> State | None:
        state = client.approval(id).state
        return state if state in (State.DONE, State.FAILED) else None

    return wait_until(find_end_state)


def test_the_workspace_contains_the_files_of_the_example_calls(tmp_path: Path) -> None:
    workspace = create_example_workspace(tmp_path)

    found = {path.relative_to(workspace).as_posix() for path in workspace.rglob("*") if path.is_file()}
    assert found == set(EXAMPLE_FILES)


def test_there_is_one_question_of_each_kind(running_server: RunningServer) -> None:
    waiting = list(running_server.client().approvals())

    assert len(waiting) == len(OPEN_CALLS)
    assert {one.tool.effect.value for one in waiting} == {
        "edit",
        "write",
        "execute",
        "external",
        "destructive",
    }
    stages = {one.decision.stage.value for one in waiting}
    assert stages == {"mode", "breaker", "ask-rule", "destructive", "unreadable"}


def test_past_calls_were_allowed_denied_and_allowed_for_a_conversation(running_server: RunningServer) -> None:
    client = running_server.client()
    denied = {one.answer.reason for one in client.approvals(state="denied") if one.answer}

    assert denied == {"Keep the history; commit anew.", "She has not moved yet."}
    assert {one.note for one in client.approvals(state="done")} == {"demo: nothing was run"}
    assert [one.pattern for one in client.grants()] == ["terminal.exec(docker compose up -d)"]


def test_the_example_claims_its_own_allowed_calls_only(running_server: RunningServer) -> None:
    client = running_server.client()
    made = client.request("POST", "/v1/conversations", {"preset": "workbench"}, tries=1)
    assert isinstance(made, dict)
    args = {"command": "touch made-in-the-workbench"}
    other = client.submit("terminal.exec", args, id="other", conversation=str(made["id"]), agent="bot")
    mine = next(one for one in client.approvals() if "v0.9.0" in str(one.call.args))
    for id in (other.approval, mine.id):
        client.answer(id, client.approval(id).digest, Answer(say=Say.ONCE))

    # Answers are announced in order: when its own call has ended, the example has seen the other answer.
    assert wait_for_end(client, mine.id) is State.DONE
    assert client.approval(other.approval).state is State.APPROVED
