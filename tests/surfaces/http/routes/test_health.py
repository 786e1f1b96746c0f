"""`/healthz`, `/readyz` and `/metrics`: without a token."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from assent.door.middleware import Door
from assent.door.request import AllowedHosts
from assent.gate.events import PodDifference, PodProperty
from assent.surfaces.http.app import create_app
from tests.surfaces.http.api_server import HERE, ApiServer
from tests.waiting import wait_until_async


async def test_health_and_readiness_report_a_working_server(api: ApiServer) -> None:
    replies = [await api.get(None, path) for path in ("/healthz", "/readyz", "/metrics")]

    assert [one.status for one in replies] == [200, 200, 200]
    assert (replies[0].json, replies[1].json) == ({"ok": True}, {"ok": True, "differs": []})
    assert replies[2].headers["content-type"].startswith("text/plain; version=0.0.4")
    assert "assent_approvals_pending 0.0\n" in replies[2].json


async def test_a_server_that_is_stopping_or_has_no_store_is_not_ready(api: ApiServer) -> None:
    api.service.stopping.set()
    stopping = await api.get(None, "/readyz")
    await api.store.close()
    healthy = await api.get(None, "/healthz")
    api.service.stopping.clear()
    without = await api.get(None, "/readyz")

    assert (stopping.status, healthy.status) == (503, 200)
    assert (without.status, without.headers["retry-after"]) == (503, "1")


async def metric_lines(api: ApiServer, name: str) -> list[str]:
    reply = await api.get(None, "/metrics")
    assert reply.status == 200
    return [line for line in str(reply.json).splitlines() if line.startswith(f"{name} ")]


async def test_metrics_report_pending_questions_policy_errors_and_pauses(api: ApiServer) -> None:
    before = await metric_lines(api, "assent_approvals_pending")
    await api.ask()
    api.policies.error = "line 1"
    await api.post("ada", "/v1/switch", {"paused": True})

    assert before == ["assent_approvals_pending 0.0"]
    assert await metric_lines(api, "assent_store_up") == ["assent_store_up 1.0"]
    assert await metric_lines(api, "assent_approvals_pending") == ["assent_approvals_pending 1.0"]
    assert await metric_lines(api, "assent_policy_error") == ["assent_policy_error 1.0"]
    assert await metric_lines(api, "assent_paused") == ["assent_paused 1.0"]
    assert await metric_lines(api, "assent_audit_lost_total") == ["assent_audit_lost_total 0.0"]


@pytest.mark.proves("T-39")
async def test_metrics_contain_no_names_of_people(api: ApiServer) -> None:
    await api.ask()
    text = str((await api.get(None, "/metrics")).json)

    assert [word for word in ("ana", "clerk", "note.put", "c1") if f'"{word}"' in text] == []


async def test_metrics_of_a_failing_store_are_omitted_and_the_rest_is_shown(in_memory: ApiServer) -> None:
    await in_memory.store.close()

    assert await metric_lines(in_memory, "assent_store_up") == ["assent_store_up 0.0"]
    assert await metric_lines(in_memory, "assent_policy_error") == ["assent_policy_error 0.0"]
    assert await metric_lines(in_memory, "assent_waiting_calls") == ["assent_waiting_calls 0.0"]
    assert await metric_lines(in_memory, "assent_approvals_pending") == []
    assert await metric_lines(in_memory, "assent_paused") == []


async def test_a_store_that_does_not_reply_is_read_once_and_not_waited_for(
    in_memory: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering, asked = asyncio.Event(), 0

    async def count_pending() -> int:
        nonlocal asked
        asked += 1
        await answering.wait()
        return 7

    monkeypatch.setattr(in_memory.store, "count_pending", count_pending)
    while_silent = [await metric_lines(in_memory, "assent_store_up") for _ in range(3)]
    without = await metric_lines(in_memory, "assent_approvals_pending")

    assert (while_silent, without, asked) == ([["assent_store_up 0.0"]] * 3, [], 1)

    answering.set()

    async def is_up() -> bool:
        return await metric_lines(in_memory, "assent_store_up") == ["assent_store_up 1.0"]

    await wait_until_async(is_up)
    assert await metric_lines(in_memory, "assent_approvals_pending") == ["assent_approvals_pending 7.0"]


MOVED = PodDifference(PodProperty.WORKSPACE, "/srv/a", "/srv/b")


class StubPods:
    """A comparison of pods with fixed differences."""

    def __init__(self, *differences: PodDifference) -> None:
        self.differences: Sequence[PodDifference] = differences

    async def compare(self) -> None:
        """Does nothing."""


def serve_with_pods(api: ApiServer, pods: StubPods | None) -> None:
    app = create_app(replace(api.service, pods=pods))
    api.asgi = Door(app, api.authenticator, AllowedHosts(public_url=HERE))


@pytest.mark.proves("R-35")
async def test_an_administrator_sees_the_differences_between_pods(in_memory: ApiServer) -> None:
    serve_with_pods(in_memory, StubPods(MOVED))
    reply = await in_memory.get("ada", "/v1/pods")

    assert reply.json == {
        "differences": [
            {"what": "workspace", "here": "/srv/a", "there": "/srv/b", "sentence": MOVED.sentence}
        ]
    }


@pytest.mark.parametrize("pods", [None, StubPods()])
async def test_equal_or_single_servers_have_no_differences(
    in_memory: ApiServer, pods: StubPods | None
) -> None:
    serve_with_pods(in_memory, pods)

    assert (await in_memory.get("ada", "/v1/pods")).json == {"differences": []}


@pytest.mark.parametrize("name", ["ana", "clerk", "robot"])
async def test_only_administrators_see_paths_of_files(in_memory: ApiServer, name: str) -> None:
    assert (await in_memory.get(name, "/v1/pods")).status == 403
