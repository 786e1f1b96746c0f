"""The real `ai` package, versions 6 and 7, repeats, edits and regenerates messages.

Tested on one server with SQLite, and on two pods with PostgreSQL, where repeats go to the other pod.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from assent.stores.postgres.database import open_postgres
from tests.chat_node.serving import run_client, start_server
from tests.postgres import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]


class ClientResult(NamedTuple):
    """The results of a client, and the files at the end."""

    found: Any
    files: dict[str, str]


@pytest.fixture(params=["six sqlite", "seven sqlite", "six postgres", "seven postgres"], scope="module")
def client_result(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ClientResult]:
    version, _, database = str(request.param).partition(" ")
    directory = tmp_path_factory.mktemp(f"posts-{version}-{database}")
    if database == "sqlite":
        with start_server(directory) as server:
            yield ClientResult(run_client(server, version, "posts.mjs"), _read_files(server.work))
        return
    url = str(request.getfixturevalue("postgres_url"))
    asyncio.run(_prepare_database(url))
    with (
        start_server(directory, "--database", url) as first,
        start_server(directory, "--database", url) as second,
    ):
        yield ClientResult(run_client(first, version, "posts.mjs", second), _read_files(first.work))


async def _prepare_database(url: str) -> None:
    await (await open_postgres(url, upgrade=True)).close()


def _read_files(work: Path) -> dict[str, str]:
    return {one.name: one.read_text("utf-8") for one in work.iterdir()}


@pytest.mark.proves("T-53")
def test_a_repeated_message_runs_once_and_every_request_gets_the_result(client_result: ClientResult) -> None:
    found = client_result.found["posted_again"]

    assert (found["statuses"], found["ended"]) == ([200] * 4, [True] * 4)
    assert (found["other"], found["roles"], found["errors"]) == (409, ["user", "assistant"], [])
    assert client_result.files["again.txt"] == "ran\n"


@pytest.mark.proves("T-53")
def test_a_repeated_idempotency_key_is_the_same_request(client_result: ClientResult) -> None:
    assert client_result.found["same_key"] == {"statuses": [200, 200, 409], "roles": ["user", "assistant"]}


@pytest.mark.supports("R000-38")
def test_a_client_reconnects_at_its_default_address(client_result: ClientResult) -> None:
    found = client_result.found["default_reconnect"]

    assert found["address"] == "/v1/conversations/ID/chat/ID/stream"
    assert (found["shown"], found["errors"]) == (["output-available"], [])
    assert client_result.files["reconnect.txt"] == "back"


@pytest.mark.proves("T-53")
def test_a_regeneration_replaces_the_answer_and_withdraws_its_question(client_result: ClientResult) -> None:
    found = client_result.found["regenerate"]

    assert (found["state"], found["isOther"], found["repeat"]) == ("withdrawn", True, True)
    assert (found["shown"], found["errors"]) == (["output-available"], [])
    assert (found["roles"], len(found["whole"])) == (["user", "assistant"], 4)
    assert client_result.files["regenerate.txt"] == "new try"


@pytest.mark.proves("T-53")
def test_an_edit_replaces_the_message_and_all_later_messages(client_result: ClientResult) -> None:
    found = client_result.found["edit"]

    assert (found["state"], found["repeat"], found["foreign"]) == ("withdrawn", 200, 404)
    assert (found["shown"], found["errors"]) == (["output-available"], [])
    assert (found["roles"], len(found["whole"])) == (["user", "assistant"], 6)
    assert [name for name in client_result.files if name.startswith("edit")] == ["edit-new.txt"]
