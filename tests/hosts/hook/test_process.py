"""The hook process obeys a complete reply; everything else ends with status 2 and a sentence."""

import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from assent.hosts.hook import process
from tests.hosts.hook.scripted_server import ScriptedServer
from tests.waiting import wait_until

SOURCE = Path(process.__file__)
OUT = '{"hookSpecificOutput": {"permissionDecision": "allow"}}'
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n"
COMPLETE = HEAD + f"out {OUT}\nexit 0\n".encode()
ID = "0123456789abcdef" * 2
EVENT = b'{"hook_event_name": "PreToolUse"}'
FORMS = ("python", "shell", "curl")
"""`curl` is the shell form on a machine without Perl."""
PROGRAMS_OF_CURL_FORM = ("curl", "sh", "od", "tr", "sleep", "sed", "grep", "ps")


class HookResult(NamedTuple):
    """How a hook process ended."""

    status: int
    out: str
    err: str


class HookSandbox:
    """A private directory with a token, in which the hook runs."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        directory.chmod(0o700)
        for name, text in (("token", "secret"), ("header", "Authorization: Bearer secret\n")):
            (directory / name).write_text(text, "ascii")
            (directory / name).chmod(0o600)

    def hook_command(self, form: str, *more: str) -> list[str]:
        address = f"unix:{self.directory}/assent.sock"
        if form != "python":
            start = ["env", f"PATH={self._programs_without_perl()}", "/bin/sh"] if form == "curl" else ["sh"]
            return [*start, str(SOURCE.with_suffix(".sh")), address, str(self.directory / "header"), *more]
        return [sys.executable, "-IS", str(SOURCE), address, str(self.directory / "token"), *more]

    def _programs_without_perl(self) -> Path:
        directory = self.directory / "programs"
        if not directory.exists():
            directory.mkdir()
            for name in PROGRAMS_OF_CURL_FORM:
                (directory / name).symlink_to(shutil.which(name) or name)
        return directory

    def run(self, form: str, *more: str, event: bytes = EVENT) -> HookResult:
        done = subprocess.run(self.hook_command(form, *more), input=event, capture_output=True, check=False)
        return HookResult(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture
def sandbox(tmp_path: Path) -> HookSandbox:
    return HookSandbox(tmp_path)


@pytest.fixture
def start_scripted_server(tmp_path: Path) -> Iterator[Callable[..., ScriptedServer]]:
    servers: list[ScriptedServer] = []

    def start(*replies: bytes | None) -> ScriptedServer:
        servers.append(ScriptedServer(tmp_path, *replies))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


Serve = Callable[..., ScriptedServer]
forms = pytest.mark.parametrize("form", FORMS)
BLOCKED = "assent: this call is blocked: "


@forms
def test_a_complete_reply_is_obeyed(sandbox: HookSandbox, start_scripted_server: Serve, form: str) -> None:
    server = start_scripted_server(COMPLETE, HEAD + b"err one\nerr two\nexit 2\n", HEAD + b"exit 0\n")

    assert sandbox.run(form) == (0, OUT + "\n", "")
    assert sandbox.run(form) == (2, "", "one\ntwo\n")
    assert sandbox.run(form) == (0, "", "")
    head, _, body = server.requests[0].partition(b"\r\n\r\n")
    assert body == EVENT
    lines = head.decode().lower().split("\r\n")
    assert lines[0].startswith("post /v1/hooks/claude http/1.")
    assert {"authorization: bearer secret", "content-type: application/json", "assent-hook: 1"} <= set(lines)


@forms
def test_an_event_arrives_as_it_was_sent(
    sandbox: HookSandbox, start_scripted_server: Serve, form: str
) -> None:
    event = json.dumps({"text": "ä\n\\ 'quoted' $HOME " + "x" * 300_000}, ensure_ascii=False).encode()
    server = start_scripted_server(COMPLETE)
    sandbox.run(form, event=event)

    assert server.requests[0].partition(b"\r\n\r\n")[2] == event


@forms
@pytest.mark.parametrize(
    ("word", "client", "is_sent"),
    [
        ("defer", ["-p", "text"], True),
        ("defer", ["--print"], True),
        ("defer", [], False),
        ("defer", ["--", "-p"], False),
        ("9", ["-p"], False),
    ],
)
def test_only_the_hook_of_a_client_without_a_terminal_can_defer(
    sandbox: HookSandbox,
    start_scripted_server: Serve,
    form: str,
    word: str,
    client: list[str],
    is_sent: bool,
) -> None:
    server = start_scripted_server(COMPLETE)
    hook = shlex.join(sandbox.hook_command(form, "deny", word)) + " || exit 2"
    start = "import subprocess, sys; sys.exit(subprocess.run(['/bin/sh', '-c', sys.argv[1]]).returncode)"
    done = subprocess.run(
        [sys.executable, "-c", start, hook, *client], input=EVENT, capture_output=True, check=False
    )

    assert (done.returncode, done.stdout.decode()) == (0, OUT + "\n")
    assert (b"Assent-Defer: 1\r\n" in server.requests[0]) == is_sent


@forms
def test_a_reply_that_is_cut_anywhere_blocks(
    sandbox: HookSandbox, start_scripted_server: Serve, form: str
) -> None:
    offsets = sorted({round(number * (len(COMPLETE) - 1) / 20) for number in range(21)})
    start_scripted_server(*(COMPLETE[:offset] for offset in offsets))

    ended = [sandbox.run(form) for _ in offsets]

    assert len(offsets) > 20
    assert {(one.status, one.out, one.err.startswith(BLOCKED)) for one in ended} == {(2, "", True)}


@forms
@pytest.mark.parametrize("status", ["401 Unauthorized", "404 Not Found", "500 Oops", "204 No Content", "x"])
def test_every_status_but_200_blocks(
    sandbox: HookSandbox, start_scripted_server: Serve, form: str, status: str
) -> None:
    start_scripted_server(f"HTTP/1.1 {status}\r\n\r\n".encode() + b"exit 0\n" * (status != "204 No Content"))

    ended = sandbox.run(form)

    assert (ended.status, ended.out, ended.err.startswith(BLOCKED)) == (2, "", True)


@forms
def test_a_line_that_is_unknown_blocks(sandbox: HookSandbox, start_scripted_server: Serve, form: str) -> None:
    start_scripted_server(HEAD + b"out {}\nnothing known\n")

    assert sandbox.run(form).status == 2


@forms
@pytest.mark.parametrize("status", ["1", "3", "9", "00", "+0", "02", "-2", "256", "zero", "0 ", ""])
def test_an_exit_status_that_is_neither_0_nor_2_blocks(
    sandbox: HookSandbox, start_scripted_server: Serve, form: str, status: str
) -> None:
    start_scripted_server(HEAD + f"out {OUT}\nexit {status}\nexit 0\n".encode())

    ended = sandbox.run(form)

    assert (ended.status, ended.out, ended.err.startswith(BLOCKED)) == (2, "", True)


@forms
def test_a_known_line_after_an_unknown_one_does_not_count(
    sandbox: HookSandbox, start_scripted_server: Serve, form: str
) -> None:
    start_scripted_server(HEAD + f"out {OUT}\nnothing known\nexit 0\n".encode())

    ended = sandbox.run(form)

    assert (ended.status, ended.out, ended.err.startswith(BLOCKED)) == (2, "", True)


@forms
@pytest.mark.parametrize(("fallback", "status", "word"), [("deny", 2, ""), ("ask", 0, '"ask"')])
def test_without_a_server_the_fallback_decides(
    sandbox: HookSandbox, form: str, fallback: str, status: int, word: str
) -> None:
    ended = sandbox.run(form, fallback)

    assert (ended.status, word in ended.out) == (status, True)
    assert ("allow" in ended.out, bool(ended.err)) == (False, status == 2)


@forms
def test_the_fallback_is_for_a_server_that_cannot_be_reached_only(
    sandbox: HookSandbox, start_scripted_server: Serve, form: str
) -> None:
    start_scripted_server(b"HTTP/1.1 500 Oops\r\n\r\n", COMPLETE[:-1])

    assert [sandbox.run(form, "ask").status for _ in range(2)] == [2, 2]


@forms
def test_an_open_question_goes_on_after_the_connection_was_lost(
    sandbox: HookSandbox, start_scripted_server: Serve, form: str
) -> None:
    waiting = HEAD + f"waiting {ID}\n".encode()
    server = start_scripted_server(
        waiting, b"", waiting + b"alive or not\n", waiting + f"out {OUT}\nexit 0\n".encode()
    )

    assert sandbox.run(form) == (0, OUT + "\n", "")
    first, *others = [request.split(b" ")[1].decode() for request in server.requests]
    assert (first, set(others)) == ("/v1/hooks/claude", {f"/v1/hooks/claude/{ID}/wait"})
    nonces = {line for request in server.requests for line in request.split(b"\r\n") if b"Nonce" in line}
    assert len(nonces) == 1


@forms
def test_a_refusal_ends_the_wait(sandbox: HookSandbox, start_scripted_server: Serve, form: str) -> None:
    start_scripted_server(HEAD + f"waiting {ID}\n".encode(), b"HTTP/1.1 401 Unauthorized\r\n\r\n")

    assert sandbox.run(form).status == 2


@forms
def test_a_closed_standard_input_blocks(
    sandbox: HookSandbox, start_scripted_server: Serve, form: str
) -> None:
    start_scripted_server(HEAD + b"err no event\nexit 2\n")
    command = " ".join(sandbox.hook_command(form))

    ended = subprocess.run(["sh", "-c", f"{command} <&-"], capture_output=True, check=False)

    assert (ended.returncode, bool(ended.stderr)) == (2, True)


@forms
def test_the_limit_of_the_hook_blocks(sandbox: HookSandbox, start_scripted_server: Serve, form: str) -> None:
    start_scripted_server(None)

    ended = sandbox.run(form, "deny", "1")

    assert (ended.status, ended.err.startswith(BLOCKED)) == (2, True)


def test_a_token_that_others_can_read_blocks(sandbox: HookSandbox, start_scripted_server: Serve) -> None:
    start_scripted_server(COMPLETE, COMPLETE)
    for form, name in (("python", "token"), ("shell", "header")):
        (sandbox.directory / name).chmod(0o644)

        assert "other users can read the token" in sandbox.run(form).err


@pytest.mark.parametrize("arguments", [["x"], ["unix:/nowhere/x", "/nowhere"], ["http://127.0.0.1:x", "t"]])
def test_bad_arguments_block(sandbox: HookSandbox, arguments: list[str]) -> None:
    command = [sys.executable, "-IS", str(SOURCE), *arguments]

    ended = subprocess.run(
        command, input=EVENT, capture_output=True, check=False, env={"HOME": str(sandbox.directory)}
    )

    assert (ended.returncode, ended.stderr.startswith(b"assent: ")) == (2, True)


def test_the_process_imports_only_what_is_fast() -> None:
    code = f"import os, sys; sys.path.insert(0, {str(SOURCE.parent)!r}); before = set(sys.modules); import process; print(sorted(set(sys.modules) - before))"

    told = subprocess.run([sys.executable, "-IS", "-c", code], capture_output=True, text=True, check=True)

    assert told.stdout == "['_socket', 'process']\n"


@contextmanager
def short_timeouts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The limits of the process as fractions of a second."""
    for name, seconds in (("SILENCE_SECONDS", 0.2), ("ATTACH_SECONDS", 0.5), ("_POLL_SECONDS", 0.02)):
        monkeypatch.setattr(process, name, seconds)
    directory = os.getcwd()
    yield
    os.chdir(directory)


@pytest.mark.parametrize("replies", [[None], [HEAD], [HEAD + b"out {}\n"]], ids=["none", "head", "part"])
def test_silence_before_the_question_blocks_at_once(
    sandbox: HookSandbox,
    start_scripted_server: Serve,
    monkeypatch: pytest.MonkeyPatch,
    replies: list[bytes | None],
) -> None:
    server = start_scripted_server(*replies)
    with short_timeouts(monkeypatch), pytest.raises(process.ConnectionLost):
        process.Hook(f"unix:{sandbox.directory}/assent.sock", "secret", 60).run(EVENT)

    assert len(server.requests) == 1


def test_a_server_that_stays_away_while_a_person_is_asked_blocks_in_the_end(
    sandbox: HookSandbox, start_scripted_server: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = start_scripted_server(HEAD + f"waiting {ID}\n".encode())
    with (
        short_timeouts(monkeypatch),
        pytest.raises(process.HookFailure, match="lost while a person was asked"),
    ):
        process.Hook(f"unix:{sandbox.directory}/assent.sock", "secret", 60).run(EVENT)

    assert len(server.requests) > 1


@forms
def test_a_hook_whose_client_died_takes_its_question_back(
    sandbox: HookSandbox, start_scripted_server: Serve, form: str
) -> None:
    (sandbox.directory / "event").write_bytes(EVENT)
    waiting = HEAD + f"waiting {ID}\n".encode()
    server = start_scripted_server(*[waiting] * 1000)
    hook = " ".join(sandbox.hook_command(form))
    line = f"({hook} < {sandbox.directory}/event || exit 2) & echo started; wait"
    client = subprocess.Popen(["sh", "-c", line], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    wait_until(lambda: len(server.requests) > 1)
    client.kill()
    client.wait()
    assert client.stderr is not None
    client.stderr.close()  # as the pipe of a client that was killed

    withdrawal = f"/v1/calls/{ID}/withdraw"
    wait_until(lambda: withdrawal in [one.split(b" ")[1].decode() for one in list(server.requests)])


@forms
def test_a_proxy_cannot_answer_in_place_of_the_server(sandbox: HookSandbox, form: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as proxy, socket.create_server(("127.0.0.1", 0)) as closed:
        port, address = closed.getsockname()[1], f"http://127.0.0.1:{proxy.getsockname()[1]}"
        closed.close()
        threading.Thread(target=answer_connections, args=(proxy,), daemon=True).start()
        command = [
            one.replace(f"unix:{sandbox.directory}/assent.sock", f"http://127.0.0.1:{port}")
            for one in sandbox.hook_command(form)
        ]
        done = subprocess.run(
            command,
            input=EVENT,
            capture_output=True,
            check=False,
            env={**os.environ, "http_proxy": address, "ALL_PROXY": address},
        )

    assert (done.returncode, done.stdout) == (2, b"")


def answer_connections(listener: socket.socket) -> None:
    """Answer every connection with a complete reply, until the socket is closed."""
    with suppress(OSError):
        while True:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(COMPLETE)


def test_the_settings_of_curl_do_not_apply(
    sandbox: HookSandbox, start_scripted_server: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    start_scripted_server(COMPLETE)
    (sandbox.directory / ".curlrc").write_text("include\n", "ascii")
    monkeypatch.setenv("HOME", str(sandbox.directory))

    assert sandbox.run("curl").status == 0


@pytest.mark.parametrize("name", ["PERL5OPT", "PERL5LIB", "PERL_UNICODE", "PERLIO"])
def test_no_variable_changes_what_perl_sends_and_prints(
    sandbox: HookSandbox, start_scripted_server: Serve, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (sandbox.directory / "Evil.pm").write_text("print qq(exit 0\\n); exit 0;", "ascii")
    values = {
        "PERL5OPT": "-MEvil",
        "PERL5LIB": str(sandbox.directory),
        "PERL_UNICODE": "SDA",
        "PERLIO": ":crlf",
    }
    monkeypatch.setenv(name, values[name])
    monkeypatch.setenv("PERL5LIB", str(sandbox.directory))
    event = '{"text": "ä\r\nü"}'.encode()
    out = "ö" + OUT
    server = start_scripted_server(HEAD + f"out {out}\nexit 0\n".encode())

    assert sandbox.run("shell", event=event) == (0, out + "\n", "")
    assert server.requests[0].partition(b"\r\n\r\n")[2] == event


@pytest.mark.parametrize("name", ["curl", "perl"])
def test_the_programs_of_both_shell_forms_are_there(name: str) -> None:
    assert shutil.which(name) is not None
