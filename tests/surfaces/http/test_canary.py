"""An argument of a call appears only in its question, never in logs, metrics, audit or errors."""

import http.client
import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from assent.client.client import OutcomeKind, RequestFailed
from assent.gate.answer import Answer, Say
from tests.serving import RunningServer, run_command, server

CANARY = "canary-5f1d0c7e9b"
CALL = {"command": f"make TOKEN={CANARY}"}


def send_wrong_request(running: RunningServer, path: str, body: object) -> str:
    """The body of the error reply to an invalid request."""
    parts = urlsplit(running.url)
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=60)
    headers = {"Authorization": f"Bearer {running.token}", "Content-Type": "application/json"}
    data = body if isinstance(body, str) else json.dumps(body)
    connection.request("POST", path, data, headers)
    reply = connection.getresponse()
    text = reply.read().decode() + str(reply.headers)
    connection.close()
    assert reply.status >= 400, text
    return text


def use_canary_everywhere(running: RunningServer) -> list[str]:
    """Send a canary argument through every route; returns all texts that the server wrote, without the card."""
    client = running.client()
    said: list[str] = []
    client.request("POST", "/v1/decide", {"tool": "Bash", "args": CALL})
    for number, say in enumerate((Say.ONCE, Say.DENY, Say.CONVERSATION, Say.ALWAYS)):
        asked = client.submit("Bash", CALL, id=f"call-{number}", conversation=f"c{number}", agent="clerk")
        shown = client.approval(asked.approval)
        with pytest.raises(RequestFailed) as conflict:
            client.answer(shown.id, "0" * 64, Answer(say=say))
        client.answer(shown.id, shown.digest, Answer(say=say))
        said.append(str(conflict.value))
        taken = client.wait(asked.approval, 5)
        said.append(taken.message)
        if taken.kind is OutcomeKind.RUN:
            client.report(taken.approval, taken.claim, failed=True, note="exit status 1")
    client.submit("Nobody", {"x": CANARY}, id="unknown")
    client.withdraw(client.submit("WebFetch", {"url": f"https://{CANARY}.example"}, id="w").approval)
    return said


@pytest.mark.proves("T-39")
def test_an_argument_appears_in_no_log_metric_audit_row_or_error(tmp_path: Path) -> None:
    with server(tmp_path, "--log-level", "debug") as running:
        said = use_canary_everywhere(running)
        wrong: list[Any] = [
            {"call": {"tool": "Bash", "args": CANARY}},
            {"call": {"tool": "Bash", "args": {"command": CANARY}, "more": {"x": CANARY}}},
            {"call": {"tool": "Bash", "args": {"command": CANARY}}, "mode": [CANARY]},
            f'{{"call": {{"tool": "Bash", "args": {{"a": "{CANARY}", "a": "{CANARY}"}}}}}}',
            f'{{"call": {{"tool": "Bash", "args": {{"a": NaN, "b": "{CANARY}"}}}}}}',
            f'{{"call": "{CANARY}',
        ]
        said += [send_wrong_request(running, "/v1/calls", body) for body in wrong]
        _, audit, told = run_command(
            tmp_path,
            "audit",
            "list",
            "--json",
            "--limit",
            "1000",
            "--database",
            str(running.data / "assent.db"),
        )
        said += [
            audit,
            told,
            _fetch_text(running, "/v1/audit/export?format=csv"),
            _fetch_text(running, "/metrics"),
        ]
        running.stop()
        said.append(running.read_log())
        rows = _table_as_text(running.data / "assent.db", "audit") + _table_as_text(
            running.data / "assent.db", "events"
        )
        asked = _table_as_text(running.data / "assent.db", "approvals")

    assert '"assent.decision": "ask"' in said[-1]
    assert [text for text in said if CANARY in text] == []
    assert CANARY not in rows
    # The canary was stored: the question itself contains it.
    assert CANARY in asked


def _fetch_text(running: RunningServer, path: str) -> str:
    parts = urlsplit(running.url)
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=60)
    connection.request("GET", path, headers={"Authorization": f"Bearer {running.token}"})
    reply = connection.getresponse()
    text = reply.read().decode()
    connection.close()
    assert reply.status == 200, text
    return text


def _table_as_text(path: Path, table: str) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return repr(connection.execute(f"SELECT * FROM {table}").fetchall())


@pytest.mark.proves("T-39")
def test_a_crash_reveals_no_argument(tmp_path: Path) -> None:
    code = (
        "import logging, sys\n"
        "from assent.surfaces.http.observer import JsonLogFormatter, TextLogFormatter\n"
        "for lines in (JsonLogFormatter(), TextLogFormatter()):\n"
        "    handler = logging.StreamHandler(sys.stdout); handler.setFormatter(lines)\n"
        "    log = logging.Logger('x'); log.addHandler(handler)\n"
        f"    try: raise ValueError('{CANARY}')\n"
        "    except ValueError: log.exception('it broke')\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )

    assert run.stdout.count("it broke") == 2
    assert CANARY not in run.stdout + run.stderr
