"""The backend uses the server of the database if it replies, and otherwise the database itself."""

import os
from pathlib import Path

import pytest

from assent.cli.base.backend import LocalBackend, ServerBackend, open_command_backend
from assent.client.local_server import LocalServer, write_local_server, write_private_file
from assent.errors import InputError, NotFoundError
from assent.gate.answer import Answer, Say
from assent.gate.approval import State
from assent.stores.sqlite.database import open_sqlite
from tests.serving import RunningServer, server


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "person"))
    monkeypatch.delenv("ASSENT_DATABASE", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def submit_calls(running: RunningServer, *ids: str) -> list[str]:
    client = running.client()
    return [client.submit("Bash", {"command": "make"}, id=id, agent="clerk").approval for id in ids]


async def test_the_server_backend_offers_the_same_operations_as_the_database(home: Path) -> None:
    with server(home) as running:
        one, two, three = submit_calls(running, "1", "2", "3")
        async with open_command_backend(str(running.data / "assent.db")) as desk:
            assert isinstance(desk, ServerBackend)
            listed = [one.approval.id for one in await desk.list_pending()]
            later = await desk.answer_approval(await desk.find_approval(one[:20]), None)
            denied = await desk.answer_approval(await desk.find_approval(two), Answer(say=Say.DENY))
            await desk.answer_approval(await desk.find_approval(three), Answer(say=Say.ALWAYS))
            (rule,) = await desk.list_rules()
            await desk.revoke_grant_or_rule(rule.id)
            with pytest.raises(NotFoundError):
                await desk.find_approval("zzz")
            submit_calls(running, "4")
            with pytest.raises(InputError, match="the id is empty"):
                await desk.find_approval("")
            assert (await desk.list_rules(), await desk.list_grants()) == ([], [])
            await desk.set_agents_paused(paused=True)
            paused = running.client().request("GET", "/v1/switch")
            await desk.set_agents_paused(paused=False)
            over = running.client().request("GET", "/v1/switch")

    assert isinstance(paused, dict)
    assert isinstance(over, dict)
    assert (paused["paused"], over["paused"]) == (True, False)
    assert sorted(listed) == sorted([one, two, three])
    assert (later.state, later.later_at is not None, denied.state) == (State.PENDING, True, State.DENIED)


async def test_the_file_of_a_killed_server_is_ignored(home: Path) -> None:
    with server(home) as running:
        submit_calls(running, "1")
        running.kill()
    async with open_command_backend(str(running.data / "assent.db")) as desk:
        assert isinstance(desk, LocalBackend)
        assert len(await desk.list_pending()) == 1


async def test_the_server_of_another_database_is_not_used(home: Path) -> None:
    other = home / "other.db"
    await (await open_sqlite(str(other))).close()
    write_private_file(str(home / "token"), "x")
    with server(home) as running:
        notice = LocalServer(
            url=running.url, database="/elsewhere.db", token_file=str(home / "token"), pid=os.getpid()
        )
        write_local_server(str(home), notice)
        async with open_command_backend(str(other)) as desk:
            assert isinstance(desk, LocalBackend)
