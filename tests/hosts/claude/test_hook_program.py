"""The hook program: everything except a complete answer ends with status 2."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from assent.hosts.claude import command_line, hook_program
from assent.hosts.claude.permission_reply import hook_reply
from assent.hosts.hook.claude import HookEventKind, allowing_reply

PROGRAM = Path(hook_program.__file__)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    raw = b""
    seen: list[tuple[str, bytes]] = []  # noqa: RUF012 - one handler per test

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.seen.append((self.headers["Authorization"], body))
        self.wfile.write(self.raw)
        self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's signature
        """Print nothing."""


@contextmanager
def serve_raw_reply(raw: bytes) -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    handler = type("Handler", (_Handler,), {"raw": raw, "seen": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}", handler.seen
    finally:
        server.shutdown()
        server.server_close()


def run_hook(address: str, secret: str | None = "secret") -> tuple[int, str, str]:
    environment = {} if secret is None else {"ASSENT_FLEET_SECRET": secret}
    run = subprocess.run(
        [sys.executable, "-IS", str(PROGRAM), address],
        input="{}",
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    return run.returncode, run.stdout, run.stderr


def http_reply(body: str, status: str = "200 OK", length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    return f"HTTP/1.1 {status}\r\nContent-Length: {size}\r\n\r\n{body}".encode()


def test_the_answer_is_printed_and_the_secret_is_in_the_header() -> None:
    answer = hook_reply("deny", "not here")

    with serve_raw_reply(http_reply(answer)) as (address, seen):
        assert run_hook(address) == (0, answer, "")
    assert seen == [("Bearer secret", b"{}")]


def test_the_answer_to_the_clients_own_question_is_printed() -> None:
    answer = allowing_reply(HookEventKind.PERMISSION_REQUEST).out

    with serve_raw_reply(http_reply(answer)) as (address, _):
        assert run_hook(address) == (0, answer, "")


def test_no_decision_prints_nothing() -> None:
    with serve_raw_reply(http_reply("", "204 No Content")) as (address, _):
        assert run_hook(address) == (0, "", "")


@pytest.mark.parametrize(
    "raw",
    [
        http_reply("the event is wrong", "400 Bad Request"),
        http_reply("no", "401 Unauthorized"),
        http_reply("no", "404 Not Found"),
        http_reply("no", "500 Oops"),
        http_reply(""),
        http_reply("hello"),
        http_reply(hook_reply("allow", "x"), length=400),
        http_reply("{}"),
        http_reply("[]"),
        http_reply('{"hookSpecificOutput": {"permissionDecision": "all'),
        http_reply('{"hookSpecificOutput": {"permissionDecision": "defer"}}'),
        http_reply('{"hookSpecificOutput": ["permissionDecision"]}'),
        b"",
        b"HTTP/1.1 2",
        b"SSH-2.0\r\n",
    ],
)
def test_what_is_no_answer_blocks_the_call(raw: bytes) -> None:
    with serve_raw_reply(raw) as (address, _):
        status, out, error = run_hook(address)
    assert (status, out) == (2, "")
    assert error.startswith("assent: this call is blocked: the fleet gave no answer (")


def test_a_fleet_that_is_gone_or_a_missing_secret_blocks_the_call() -> None:
    assert run_hook("127.0.0.1:1")[0] == 2
    assert run_hook("nowhere")[0] == 2
    assert run_hook("127.0.0.1:1", secret=None)[0] == 2


def test_the_variable_is_the_one_of_the_command_line() -> None:
    assert hook_program.SECRET_VARIABLE == command_line.SECRET_VARIABLE
