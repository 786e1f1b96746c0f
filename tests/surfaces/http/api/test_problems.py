"""Every error becomes a problem without internal details."""

import logging

import pytest

from assent.errors import AssentError, StoreError
from assent.gate.policy import PolicyKey, StoredPolicy
from assent.surfaces.http.api.problems import INTERNAL_ERROR_MESSAGE, UNAVAILABLE_MESSAGE
from tests.surfaces.http.api_server import ASKED, READ, ApiServer

CANARY = "canary-5f2"


class BrokenStore:
    """A store whose method `stored_policy` fails."""

    def __init__(self, store: object, error: Exception) -> None:
        self._store = store
        self._error = error

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    async def stored_policy(self, about: PolicyKey) -> StoredPolicy:
        raise self._error


def _break_policy_store(api: ApiServer, error: Exception) -> None:
    """Let reading of policy fail; authentication still works."""
    broken = BrokenStore(api.store, error)
    for part in (api.service.gate, api.service.gate._contexts, api.service.gate._decider._policies):
        for name in ("store", "_store"):
            if hasattr(part, name):
                setattr(part, name, broken)


@pytest.mark.proves("R-17", "R004-20", "R001-39")
@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (StoreError("cannot read /var/lib/secret.db"), 503, UNAVAILABLE_MESSAGE),
        (RuntimeError(CANARY), 500, INTERNAL_ERROR_MESSAGE),
    ],
)
async def test_without_a_loadable_policy_nothing_runs_and_no_tool_is_offered(
    in_memory: ApiServer, error: Exception, status: int, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    api: ApiServer = in_memory
    caplog.set_level(logging.DEBUG)
    _break_policy_store(api, error)
    replies = [
        await api.post("clerk", "/v1/calls", {"call": call, "conversation": "c1"}) for call in (READ, ASKED)
    ]
    replies.append(await api.post("ana", "/v1/decide", {"tool": "note.read", "args": {}}))

    assert [(one.status, one.json["detail"]) for one in replies] == [(status, said)] * 3
    assert {one.headers.get("retry-after") for one in replies} == {"1" if status == 503 else None}
    assert {one.headers["content-type"] for one in replies} == {"application/problem+json"}
    assert CANARY not in caplog.text


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/nowhere", 404),
        ("GET", "/v1/approvals/", 404),
        ("GET", "/v1/approvals/xyz", 404),
        ("DELETE", "/v1/approvals", 405),
        ("TRACE", "/v1/me", 405),
    ],
)
async def test_an_unknown_path_returns_a_problem(
    in_memory: ApiServer, method: str, path: str, status: int
) -> None:
    api: ApiServer = in_memory
    reply = await api.send("ada", method, path)

    assert (reply.status, reply.json["status"]) == (status, status)
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json["type"].startswith("urn:assent:problem:")


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/v1/agents/x/tool-overrides", "DELETE, GET, POST"),
        ("/v1/approvals/answers", "POST"),
        ("/v1/rules", "GET, POST"),
    ],
)
async def test_a_wrong_method_gets_the_list_of_allowed_methods(
    in_memory: ApiServer, path: str, allowed: str
) -> None:
    api: ApiServer = in_memory
    reply = await api.send("ada", "TRACE", path)

    assert (reply.status, reply.headers["allow"]) == (405, allowed)


async def test_an_invalid_field_is_named_without_its_value(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    reply = await api.post(
        "clerk", "/v1/calls", {"call": {"tool": "note.put", "args": CANARY, "extra": CANARY}}
    )

    assert reply.status == 400
    assert [one["field"] for one in reply.json["errors"]] == ["body.call.args", "body.call.extra"]
    assert CANARY not in str(reply.json)


async def test_a_body_that_is_too_large_gets_413(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    reply = await api.post("clerk", "/v1/calls", b'{"call": "' + b"x" * 10_000_001 + b'"}')

    assert (reply.status, reply.headers["content-type"]) == (413, "application/problem+json")


async def test_a_general_error_says_what_to_do(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    id = (await api.post("ana", "/v1/conversations", {"preset": "propose"})).json["id"]
    reply = await api.send("ana", "PATCH", f"/v1/conversations/{id}", {"mode": "plan"})

    assert reply.status == 422
    assert "offers" in reply.json["detail"]
    assert issubclass(StoreError, AssentError)
