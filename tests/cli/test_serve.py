"""`assent serve` starts safely, reloads the policy, shuts down gracefully, and keeps its files private."""

import asyncio
import http.client
import json
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from assent.client.client import Client, OutcomeKind
from assent.errors import StoreError
from assent.gate.approval import State
from assent.stores.postgres.database import open_postgres
from tests.contracts.tree import ROOT
from tests.serving import MAX_WAIT_SECONDS, RunningServer, environment, run_command, server, start_command
from tests.waiting import wait_until

SLOW_MODULES = {"pydantic_ai", "httpx", "mcp", "playwright", "authlib", "assent.hosts.chat.chat"}
"""Modules that take long to import, and are not needed to decide a call."""
PRINT_LOADED_MODULES = """\
import json, os, signal, sys
from assent.cli import main, serve

def announce(url, welcome):
    print(json.dumps(sorted(sys.modules)), flush=True)
    os.kill(os.getpid(), signal.SIGTERM)

serve._announce_json = announce
sys.exit(main())
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("serve")


@pytest.fixture(scope="module")
def running_server(home: Path) -> Iterator[RunningServer]:
    with server(home) as running:
        yield running


def send_request(
    running_server: RunningServer, path: str, method: str = "GET", body: str | None = None, **headers: str
) -> Any:
    parts = urlsplit(running_server.url)
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=60)
    connection.request(method, path, body, headers)
    reply = connection.getresponse()
    text = reply.read().decode()
    connection.close()
    return reply, text


def read_metric(running_server: RunningServer, name: str) -> float:
    _, text = send_request(running_server, "/metrics")
    return sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith(name))


# ---- start ----------------------------------------------------------------------------------------


@pytest.mark.proves("T-19")
def test_files_of_the_server_are_accessible_only_to_its_owner(running_server: RunningServer) -> None:
    files = {path.name: path.stat().st_mode & 0o777 for path in running_server.data.iterdir()}

    assert running_server.data.stat().st_mode & 0o777 == 0o700
    assert {"assent.db", "owner.token", "server.json"} <= set(files)
    assert set(files.values()) == {0o600}


def test_the_only_line_of_output_contains_the_address(home: Path) -> None:
    process = start_command(
        home, "serve", "--port", "0", "--json", "--data-dir", str(home / "line"), name="line"
    )
    assert process.stdout is not None
    said = json.loads(process.stdout.readline())
    process.send_signal(signal.SIGTERM)
    rest, _ = process.communicate(timeout=MAX_WAIT_SECONDS)

    assert sorted(said) == ["login_url", "owner_token", "url"]
    assert said["login_url"].startswith(f"{said['url']}/login#assent_l_")
    assert (rest, process.returncode) == ("", 0)


def test_slow_modules_are_not_loaded_before_the_first_line(home: Path) -> None:
    command = [sys.executable, "-c", PRINT_LOADED_MODULES, "serve", "--port", "0", "--json"]
    done = subprocess.run(
        [*command, "--data-dir", str(home / "early")],
        env=environment(home), cwd=home, capture_output=True, text=True, timeout=5 * MAX_WAIT_SECONDS, check=False,
    )  # fmt: skip
    loaded = set(json.loads(done.stdout))

    assert done.returncode == 0, done.stderr
    assert {"starlette", "uvicorn", "sqlalchemy", "assent.stores.sqlite.database"} <= loaded
    assert loaded & SLOW_MODULES == set()


def test_the_login_link_works_once(running_server: RunningServer) -> None:
    link = running_server.login_url.partition("#")[2]
    given = {"Content-Type": "application/json", "Origin": running_server.url}

    first, _ = send_request(running_server, "/v1/login", "POST", json.dumps({"link": link}), **given)
    second, _ = send_request(running_server, "/v1/login", "POST", json.dumps({"link": link}), **given)
    cookie = first.headers["Set-Cookie"].partition(";")[0]
    me, text = send_request(running_server, "/v1/me", Cookie=cookie)

    assert (first.status, second.status >= 400, me.status) == (204, True, 200)
    assert json.loads(text)["administrator"] is True


def test_the_login_link_is_printed_only_at_the_first_start(home: Path) -> None:
    words = ("serve", "--port", "0", "--data-dir", str(home / "people"))
    said: list[list[str]] = []
    for _ in range(2):
        process = start_command(home, *words, name="people")
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(3)]
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=MAX_WAIT_SECONDS)
        said.append(lines)

    assert "/login#assent_l_" in said[0][2]
    assert "/login#" not in said[1][2]
    assert f"`assent login --database {home / 'people' / 'assent.db'} --url http://127.0.0.1:" in said[1][2]


@pytest.mark.proves("T-19")
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o755, 0o701])
def test_a_directory_that_other_users_can_access_is_refused(tmp_path: Path, mode: int) -> None:
    directory = tmp_path / "loose"
    directory.mkdir()
    directory.chmod(mode)

    status, out, told = run_command(tmp_path, "serve", "--port", "0", "--data-dir", str(directory))

    assert (status, out) == (2, "")
    assert f"other users can access it; run `chmod 700 {directory}`" in told


@pytest.mark.proves("T-19")
def test_a_database_that_other_users_can_write_is_refused(tmp_path: Path) -> None:
    directory = tmp_path / "data"
    directory.mkdir(mode=0o700)
    (directory / "assent.db").touch()
    (directory / "assent.db").chmod(0o666)

    status, _, told = run_command(tmp_path, "serve", "--port", "0", "--data-dir", str(directory))

    assert status == 2
    assert "others may write to it" in told


@pytest.mark.proves("T-16")
@pytest.mark.parametrize(
    ("env", "hint"),
    [
        ({}, "set `public_url` in [server]"),
        ({"ASSENT_PUBLIC_URL": "https://assent.example.org"}, "assent user create"),
    ],
    ids=["no name", "nobody known"],
)
def test_the_server_listens_for_other_machines_only_if_people_can_log_in(
    tmp_path: Path, env: dict[str, str], hint: str
) -> None:
    data = str(tmp_path / "data" / "x")

    status, out, told = run_command(
        tmp_path, "serve", "--host", "0.0.0.0", "--port", "0", "--data-dir", data, **env
    )

    assert (status, out) == (2, "")
    assert "cannot listen on 0.0.0.0" in told
    assert hint in told
    assert not Path(data).exists()


@pytest.mark.proves("T-16")
def test_a_refused_start_does_not_upgrade_the_database(tmp_path: Path) -> None:
    directory = create_first_schema(tmp_path)
    before = {path.name: path.read_bytes() for path in directory.iterdir()}
    env = {"ASSENT_PUBLIC_URL": "https://assent.example.org"}

    words = ("--host", "0.0.0.0", "--port", "0", "--data-dir", str(directory))
    status, _, told = run_command(tmp_path, "serve", *words, **env)

    assert (status, "assent user create" in told) == (2, True)
    assert {path.name: path.read_bytes() for path in directory.iterdir()} == before


@pytest.mark.proves("T-44")
def test_only_the_start_that_upgrades_lists_the_rules_that_cover_less(tmp_path: Path) -> None:
    directory = create_first_schema(tmp_path, "Bash(python3 -)")
    logs = []
    for name in ("first", "second"):
        with server(tmp_path, "--data-dir", str(directory), name=name) as running:
            logs.append(running.read_log())

    note = "note: `Bash(python3 -)` covers this program only without input"
    assert [log.count(note) for log in logs] == [1, 0]


def test_a_start_tries_an_unreachable_database_once(tmp_path: Path) -> None:
    with count_connections() as (address, count):
        with pytest.raises(StoreError):
            asyncio.run(open_postgres(address))
        opening = len(count)
        status, _, told = run_command(tmp_path, "serve", "--port", "0", "--database", address)

    assert (status, len(count)) == (2, 2 * opening)
    assert "cannot be reached" in told


def create_first_schema(home: Path, *allowed: str) -> Path:
    """Create a database with the first schema version and without people, in a private directory."""
    directory = home / "earlier"
    directory.mkdir(mode=0o700)
    path = directory / "assent.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((ROOT / "tests/stores/fixtures/schema-1.1.sql").read_text("utf-8"))
        for number, text in enumerate(allowed, 100):
            connection.execute(
                "INSERT INTO rules (number, id, list, rule, given_by, approval_id, why, given_at)"
                " VALUES (?, ?, 'allow', ?, 'ana', '', '', 1)",
                (number, f"r{number}", text),
            )
        connection.commit()
    path.chmod(0o600)
    return directory


@contextmanager
def count_connections() -> Iterator[tuple[str, list[object]]]:
    """Run a database server that closes every connection; yield its address and the connections."""
    came: list[object] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def close_connection() -> None:
            with suppress(OSError):
                while True:
                    connection, address = listening.accept()
                    came.append(address)
                    connection.close()

        thread = threading.Thread(target=close_connection, daemon=True)
        thread.start()
        yield f"postgresql://assent@127.0.0.1:{listening.getsockname()[1]}/assent", came
        listening.shutdown(socket.SHUT_RDWR)
    thread.join(MAX_WAIT_SECONDS)


@pytest.mark.proves("R-26")
def test_a_database_file_can_have_only_one_server(home: Path, running_server: RunningServer) -> None:
    words = (
        "--database",
        str(running_server.data / "assent.db"),
        "--data-dir",
        str(home / "data" / "second"),
    )

    status, out, told = run_command(home, "serve", "--port", "0", *words)

    assert (status, out) == (2, "")
    assert "another server uses it; stop that server first" in told


def test_a_port_in_use_is_a_clear_error(home: Path, running_server: RunningServer) -> None:
    port = str(urlsplit(running_server.url).port)

    status, _, told = run_command(home, "serve", "--port", port, "--data-dir", str(home / "data" / "third"))

    assert status == 2
    assert f"cannot listen on 127.0.0.1:{port}: address already in use; choose another with --port" in told


@pytest.mark.proves("R-13")
def test_the_server_does_not_start_with_an_invalid_policy(tmp_path: Path) -> None:
    _write_policy(tmp_path, 'deny = ["Bash(rm"]')

    status, out, told = run_command(tmp_path, "serve", "--port", "0", "--data-dir", str(tmp_path / "d"))

    assert (status, out) == (2, "")
    assert "line 1" in told


def _write_policy(home: Path, text: str) -> None:
    file = home / "config" / "assent" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.parent.chmod(0o700)
    beside = file.with_suffix(".new")
    beside.write_text(f"{text}\n", "utf-8")
    beside.chmod(0o600)
    beside.rename(file)


# ---- policy while it runs -------------------------------------------------------------------------


@pytest.mark.proves("R-13")
def test_changed_files_are_reloaded_and_an_invalid_file_keeps_the_last_policy(tmp_path: Path) -> None:
    with server(tmp_path) as running:
        client = running.client()
        first = _read_policy(client)
        _write_policy(tmp_path, 'deny = ["Bash(make *)"]')
        wait_until(lambda: _read_policy(client)["version"] != first["version"])
        denied = client.submit("Bash", {"command": "make"}, id="denied")
        good = _read_policy(client)
        _write_policy(tmp_path, 'deny = ["Bash(make *')
        wait_until(lambda: bool(_read_policy(client)["error"]))
        still = client.submit("Bash", {"command": "make"}, id="still")
        bad = _read_policy(client)
        error = read_metric(running, "assent_policy_error")
        _write_policy(tmp_path, 'ask = ["Bash(ls)"]')
        running.send_signal(signal.SIGHUP)
        wait_until(lambda: not _read_policy(client)["error"])
        asks = client.submit("Bash", {"command": "ls"}, id="asks")
        logged = running.read_log()

    assert (denied.kind, still.kind, asks.kind) == (OutcomeKind.REFUSE, OutcomeKind.REFUSE, OutcomeKind.WAIT)
    assert (bad["version"], error) == (good["version"], 1)
    assert "config.toml, line 1" in bad["error"]
    assert "the last valid policy stays in effect" in logged


def test_a_new_deny_rule_stops_a_call_that_waits_for_approval(tmp_path: Path) -> None:
    with server(tmp_path) as running:
        client = running.client()
        outcome = client.submit("Bash", {"command": "make"}, id="waits")
        first = _read_policy(client)
        taken: list[OutcomeKind] = []
        waiting = threading.Thread(
            target=lambda: taken.append(running.client().wait(outcome.approval, 60).kind)
        )
        waiting.start()
        _write_policy(tmp_path, 'deny = ["Bash(make *)"]')
        wait_until(lambda: _read_policy(client)["version"] != first["version"])
        _allow_once(client, outcome.approval)
        waiting.join(MAX_WAIT_SECONDS)

    assert taken == [OutcomeKind.REFUSE]


def _read_policy(client: Client) -> dict[str, Any]:
    found: Any = client.request("GET", "/v1/policy")
    return dict(found)


def _allow_once(client: Client, id: str) -> None:
    shown = client.approval(id)
    body = {"digest": shown.digest, "answer": {"say": "once"}}
    client.request("POST", f"/v1/approvals/{id}/answer", body)


# ---- shutdown -------------------------------------------------------------------------------------


@pytest.mark.proves("R-23")
def test_at_shutdown_long_polls_return_and_questions_stay(tmp_path: Path) -> None:
    with server(tmp_path) as running:
        outcome = running.client().submit("Bash", {"command": "make"}, id="stays")
        came: list[OutcomeKind] = []
        polling = threading.Thread(
            target=lambda: came.append(running.client().wait(outcome.approval, 60).kind)
        )
        polling.start()
        wait_until(lambda: read_metric(running, "assent_waiting_calls") == 1)
        begun = time.monotonic()
        status = running.stop()
        took = time.monotonic() - begun
        polling.join(MAX_WAIT_SECONDS)
        left = sorted(path.name for path in running.data.iterdir())
    with server(tmp_path) as again:
        state = again.client().approval(outcome.approval).state
        same_token = again.token == running.token

    assert (status, came, state) == (0, [OutcomeKind.WAIT], State.PENDING)
    assert took < 50  # The long poll alone would have taken a minute.
    assert "server.json" not in left
    assert same_token


# ---- commands and a running server ----------------------------------------------------------------


def test_commands_use_a_running_server_and_ignore_a_killed_one(tmp_path: Path) -> None:
    with server(tmp_path) as running:
        client = running.client()
        database = ("--database", str(running.data / "assent.db"))
        one, two = (
            client.submit("Bash", {"command": "make"}, id=f"beside-{number}", conversation="c")
            for number in range(2)
        )
        _, listed, _ = run_command(tmp_path, "pending", "--json", *database)
        status, said, _ = run_command(tmp_path, "answer", one.approval[:12], "always", *database)
        _, granted, _ = run_command(tmp_path, "grants", "list", "--json", *database)
        counted = read_metric(running, "assent_approvals_answered_total")
        rule = json.loads(granted)["rules"][0]["id"]
        revoked, _, _ = run_command(tmp_path, "grants", "revoke", rule, *database)
        running.kill()
        dead, _, _ = run_command(tmp_path, "answer", two.approval, "deny", *database)

    assert {one.approval, two.approval} == {one["id"] for one in json.loads(listed)}
    assert (status, said) == (0, "approved: Bash(make)\n")
    assert (counted, revoked) == (1, 0)
    # The rule of the first answer also covered the second question, so the denial comes too late.
    assert dead == 2


def test_the_server_starts_quickly(home: Path) -> None:
    with server(home, name="quick") as quick:
        took = quick.cpu_seconds()

    assert took < 5  # It takes half a second on an idle machine.


def test_without_the_extra_the_error_says_what_to_install(tmp_path: Path) -> None:
    code = "import sys; sys.modules['uvicorn'] = None\nfrom assent.cli import main; sys.exit(main(['serve']))"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
    )

    assert run.returncode == 2
    assert "pip install 'assent[server]'" in run.stderr
