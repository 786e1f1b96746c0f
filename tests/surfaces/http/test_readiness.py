"""A server whose store accepts no writes is not ready, refuses answers, and recovers."""

import ctypes
import http.client
import json
import os
import resource
import shutil
import subprocess
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from assent.gate.approval import Approval
from assent.surfaces.http import server as running_server
from chaos.postgres import LocalPostgres, prepare_database
from tests.postgres import postgres_server, postgres_url
from tests.serving import MAX_WAIT_SECONDS, RunningServer, run_command, server
from tests.waiting import wait_until

__all__ = ["postgres_server", "postgres_url"]


class Reply(NamedTuple):
    """A reply of the server."""

    status: int
    again: str | None
    body: Any

    @property
    def detail(self) -> str:
        return str(self.body.get("detail", ""))


def send_request(
    running: RunningServer, method: str, path: str, body: object = None, *, token: bool = True
) -> Reply:
    """Send one request, without a retry."""
    connection = http.client.HTTPConnection("127.0.0.1", urlsplit(running.url).port, timeout=MAX_WAIT_SECONDS)
    headers = {"Content-Type": "application/json"} if body is not None else {}
    if token:
        headers["Authorization"] = f"Bearer {running.token}"
    connection.request(method, path, None if body is None else json.dumps(body), headers)
    reply = connection.getresponse()
    text = reply.read()
    connection.close()
    return Reply(reply.status, reply.headers.get("retry-after"), json.loads(text))


def read_readiness(running: RunningServer) -> Reply:
    return send_request(running, "GET", "/readyz", token=False)


def wait_until_unready(running: RunningServer) -> Reply:
    """Wait until the server is not ready; a recent commit delays this by a second."""
    return wait_for_readiness(running, lambda reply: reply.status == 503)


def wait_for_readiness(running: RunningServer, is_wanted: Callable[[Reply], bool]) -> Reply:
    """Repeat `/readyz` until it returns the expected reply."""

    def find_reply() -> Reply | None:
        reply = read_readiness(running)
        return reply if is_wanted(reply) else None

    return wait_until(find_reply)


def read_metrics(running: RunningServer) -> dict[str, str]:
    """The values of `/metrics` by name."""
    with urllib.request.urlopen(f"{running.url}/metrics", timeout=MAX_WAIT_SECONDS) as reply:
        lines = reply.read().decode().splitlines()
    return dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))


def submit_question(running: RunningServer) -> Approval:
    """Submit a call that needs approval; return its approval."""
    client = running.client()
    outcome = client.submit("Bash", {"command": "make"}, id="asked", agent="clerk")
    assert outcome.approval
    return client.approval(outcome.approval)


def answer_question(running: RunningServer, question: Approval) -> Reply:
    body = {"digest": question.digest, "answer": {"say": "once"}}
    return send_request(running, "POST", f"/v1/approvals/{question.id}/answer", body)


def approval_state(running: RunningServer, question: Approval) -> str:
    return str(send_request(running, "GET", f"/v1/approvals/{question.id}").body["state"])


@pytest.mark.proves("R-33")
@pytest.mark.parametrize("is_replaced", [False, True], ids=["unlinked", "replaced"])
def test_a_server_whose_database_file_was_removed_is_not_ready_and_refuses_answers(
    tmp_path: Path, *, is_replaced: bool
) -> None:
    with server(tmp_path) as running:
        question = submit_question(running)
        path = running.data / "assent.db"
        shutil.copy(path, path.with_suffix(".copy"))
        ready = read_readiness(running)
        if is_replaced:
            os.replace(path.with_suffix(".copy"), path)
        else:
            path.unlink()

        answered = answer_question(running, question)
        after = read_readiness(running)
        logged = running.read_log()

    assert (ready.status, ready.body["ok"]) == (200, True)
    assert (answered.status, answered.again) == (503, "1")
    assert (after.status, after.again) == (503, "1")
    assert after.detail == (
        "the server is not ready: the database file was removed or replaced while it was in use"
    )
    assert "restore a backup with `assent db restore`" in logged


@pytest.mark.proves("R-33")
def test_a_server_with_a_read_only_database_file_is_not_ready_and_refuses_answers(tmp_path: Path) -> None:
    with server(tmp_path, change=give_up_privileges) as running:
        question = submit_question(running)
        path = running.data / "assent.db"
        path.chmod(0o400)
        answered, after = answer_question(running, question), read_readiness(running)
        path.chmod(0o600)
        again = read_readiness(running)
        kept, taken = approval_state(running, question), answer_question(running, question)

    assert (answered.status, after.status, after.again) == (503, 503, "1")
    assert after.detail == "the server is not ready: the database file is read-only"
    assert (again.status, kept, taken.status) == (200, "pending", 200)


def give_up_privileges() -> None:
    """Make file permissions apply to this process, even if it runs as root."""
    if os.geteuid() == 0:
        header = (ctypes.c_uint32 * 2)(0x20080522, 0)
        assert ctypes.CDLL(None, use_errno=True).capset(header, (ctypes.c_uint32 * 6)()) == 0


@pytest.mark.proves("R-33")
def test_a_server_whose_files_cannot_grow_is_not_ready_and_refuses_answers(tmp_path: Path) -> None:
    with server(tmp_path) as running:
        question = submit_question(running)
        before = resource.prlimit(running.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(running.pid, resource.RLIMIT_FSIZE, (1, before[1]))
        answered, after = answer_question(running, question), wait_until_unready(running)
        resource.prlimit(running.pid, resource.RLIMIT_FSIZE, before)
        wait_for_readiness(running, lambda reply: reply.status == 200)
        kept, taken = approval_state(running, question), answer_question(running, question)

    assert (answered.status, answered.again, after.again) == (503, "1", "1")
    assert after.detail == (
        "the server is not ready: the disk reports an error: check the disk and its free space"
    )
    assert (kept, taken.status) == ("pending", 200)


@contextmanager
def mounted_small_disk() -> Iterator[Path]:
    """Mount a disk of a few megabytes; skips the test if mounting is not allowed."""
    with tempfile.TemporaryDirectory(prefix="assent-disk-") as directory:
        mount = ["mount", "-t", "tmpfs", "-o", "size=4m,mode=700", "tmpfs", directory]
        if (
            shutil.which("mount") is None
            or subprocess.run(mount, capture_output=True, check=False).returncode
        ):
            pytest.skip("this machine does not let us mount a small disk")
        try:
            yield Path(directory)
        finally:
            subprocess.run(["umount", "-l", directory], check=True)


def fill_disk(path: Path) -> None:
    """Write until the disk is full."""
    with path.open("wb", buffering=0) as filler:
        while True:
            filler.write(bytes(4096))


@pytest.mark.proves("R-33")
def test_a_server_with_a_full_disk_is_not_ready_and_refuses_answers(tmp_path: Path) -> None:
    with mounted_small_disk() as disk, server(tmp_path, "--database", str(disk / "assent.db")) as running:
        question = submit_question(running)
        with pytest.raises(OSError, match="No space"):
            fill_disk(disk / "filler")
        answered, after = answer_question(running, question), wait_until_unready(running)
        (disk / "filler").unlink()
        wait_for_readiness(running, lambda reply: reply.status == 200)
        kept, taken = approval_state(running, question), answer_question(running, question)
        running.stop()

    assert (answered.status, answered.again) == (503, "1")
    assert after.detail == "the server is not ready: the disk is full: make room, then try again"
    assert (kept, taken.status) == ("pending", 200)


@pytest.mark.proves("R-33")
def test_a_server_whose_database_is_down_is_not_ready_and_refuses_answers(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="assent-pg-") as name:
        Path(name).chmod(0o755)  # The database server runs as another user.
        postgres = LocalPostgres(Path(name, "server"))
        try:
            address = prepare_database(postgres.address)
            with server(tmp_path, "--database", address) as running:
                question = submit_question(running)
                postgres.crash()
                metrics = read_metrics(running)
                after, answered = wait_until_unready(running), answer_question(running, question)
                postgres.start()
                wait_for_readiness(running, lambda reply: reply.status == 200)
                kept, taken = approval_state(running, question), answer_question(running, question)
        finally:
            postgres.stop()

    assert (answered.status, answered.again, after.again) == (503, "1", "1")
    assert after.detail.startswith("the server is not ready: the server cannot be reached")
    assert (metrics["assent_store_up"], metrics["assent_policy_error"]) == ("0.0", "0.0")
    assert "assent_approvals_pending" not in metrics
    assert (kept, taken.status) == ("pending", 200)


@pytest.mark.proves("R-35")
def test_two_servers_with_different_workspaces_report_the_difference(
    tmp_path: Path, postgres_url: str
) -> None:
    address = prepare_database(postgres_url)
    homes = tmp_path / "one", tmp_path / "two"
    with (
        server(homes[0], "--database", address) as first,
        server(homes[1], "--database", address, change=shorten_comparison) as second,
    ):
        found, logged = read_readiness(second), second.read_log()
        _, doctor, _ = run_command(homes[0], "doctor", ASSENT_DATABASE=address)
        first.stop()
        alone = wait_for_readiness(second, lambda reply: reply.body["differs"] == [])

    workspaces = f"`{homes[1] / 'project'}` and `{homes[0] / 'project'}`"
    assert (found.status, found.body) == (200, {"ok": True, "differs": ["workspace"]})
    assert f"pods differ in workspace: {workspaces}" in logged
    assert "is refused although it was approved" in logged
    assert "pods differ in workspace" in doctor
    assert alone.status == 200


def shorten_comparison() -> None:
    """Let this server compare itself with the others all the time."""
    running_server.POD_CHECK_SECONDS = 0.05
