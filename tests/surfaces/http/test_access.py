"""Every route and both live connections refuse all callers without access."""

import pytest

from assent.surfaces.http.api.access import AGENT_FORBIDDEN_MESSAGE, Audience
from assent.surfaces.http.api.routing import FromAudience
from tests.surfaces.http.api_server import HERE, ApiServer
from tests.surfaces.http.routes_table import BODIES, ENDPOINTS, ID, Endpoint, documented_path, routes, sockets
from tools import openapi

AGENTS_MAY = {
    ("POST", "/v1/calls"),
    ("POST", "/v1/calls/report"),
    ("GET", "/v1/calls/{id}"),
    ("POST", "/v1/calls/{id}/wait"),
    ("POST", "/v1/calls/{id}/report"),
    ("POST", "/v1/calls/{id}/withdraw"),
    ("POST", "/v1/hooks/claude"),
    ("POST", "/v1/hooks/claude/{id}/wait"),
}
"""The routes that an agent's token may use."""
ANYBODY_MAY = {
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/metrics"),
    ("POST", "/v1/login"),
    ("GET", "/v1/oidc/start"),
    ("GET", "/v1/oidc/callback"),
}
"""The routes that need no authentication."""
CLOSED = [endpoint for endpoint in ENDPOINTS if endpoint not in ANYBODY_MAY]
CHANGES = [endpoint for endpoint in ENDPOINTS if endpoint.is_change]
WITH_BODY = [endpoint for endpoint in CHANGES if endpoint.body is not None]
WITH_ID = [endpoint for endpoint in CLOSED if "{id}" in endpoint.path]


def endpoint_test_id(endpoint: Endpoint) -> str:
    return f"{endpoint.method} {endpoint.path}"


def test_every_route_that_changes_something_is_tested() -> None:
    assert len(ENDPOINTS) > 40
    assert sockets() == ["/v1/files/watch", "/v1/terminals/stream", "/v1/live", "/v1/pages"]
    assert {(endpoint.method, endpoint.path) for endpoint in CHANGES} == set(BODIES)


@pytest.mark.proves("T-5", "T-29")
def test_every_route_names_at_most_one_audience() -> None:
    found = {
        (one.method, documented_path(one)): [
            source.audience for source in one.sources.values() if isinstance(source, FromAudience)
        ]
        for one in routes()
    }

    assert {endpoint for endpoint, audiences in found.items() if not audiences} == ANYBODY_MAY
    assert {endpoint for endpoint, audiences in found.items() if Audience.CALLER in audiences} == AGENTS_MAY
    assert [endpoint for endpoint, audiences in found.items() if len(audiences) > 1] == []
    operations = openapi.openapi_document()["paths"]
    open_ones = {
        endpoint
        for endpoint in found
        if endpoint[1] in operations and "security" not in operations[endpoint[1]][endpoint[0].lower()]
    }
    assert open_ones == {endpoint for endpoint in ANYBODY_MAY if endpoint[1] in operations}


@pytest.mark.proves("R004-40")
@pytest.mark.parametrize("endpoint", CLOSED, ids=endpoint_test_id)
async def test_a_request_without_a_token_is_refused_on_every_route(
    in_memory: ApiServer, endpoint: Endpoint
) -> None:
    api: ApiServer = in_memory
    before = await api.stored_state()
    unsaid = await api.send(
        None, endpoint.method, endpoint.path_with_id(ID), endpoint.body, headers={"origin": HERE}
    )
    wrong = await api.send(
        None,
        endpoint.method,
        endpoint.path_with_id(ID),
        endpoint.body,
        headers={"authorization": "Bearer assent_p_" + "x" * 43},
    )

    assert (unsaid.status, wrong.status) == (401, 401)
    assert unsaid.headers["content-type"] == "application/problem+json"
    assert unsaid.headers["www-authenticate"] == "Bearer"
    assert await api.stored_state() == before


@pytest.mark.proves("T-5", "T-18", "T-29")
@pytest.mark.parametrize("endpoint", CLOSED, ids=endpoint_test_id)
async def test_an_agent_token_works_on_agent_routes_only(in_memory: ApiServer, endpoint: Endpoint) -> None:
    api: ApiServer = in_memory
    things = await api.create_samples()
    thing = things.get(endpoint.path.split("/")[2], ID)
    before = await api.stored_state()
    reply = await api.send("clerk", endpoint.method, endpoint.path_with_id(thing), endpoint.body)

    if endpoint in AGENTS_MAY:
        assert reply.status in (200, 409)
        return
    assert reply.status == 403
    assert AGENT_FORBIDDEN_MESSAGE in reply.json["detail"]
    assert await api.stored_state() == before


@pytest.mark.proves("T-38", "R001-11", "R004-43")
@pytest.mark.parametrize("endpoint", WITH_ID, ids=endpoint_test_id)
async def test_resources_of_other_people_return_not_found(in_memory: ApiServer, endpoint: Endpoint) -> None:
    api: ApiServer = in_memory
    things = await api.create_samples()
    id = things[endpoint.path.split("/")[2]]
    before = await api.stored_state()
    theirs = await api.send("ben", endpoint.method, endpoint.path_with_id(id), endpoint.body)
    nothing = await api.send("ben", endpoint.method, endpoint.path_with_id("f" * 32), endpoint.body)

    assert theirs.status == nothing.status
    of_administrators = (
        endpoint.path.startswith("/v1/people")
        or (endpoint.path.endswith(("/catalog", "/workspaces")) and endpoint.is_change)
        or endpoint == ("PATCH", "/v1/rules/{id}")
    )
    # A token is refused before anything is looked up; sessions are tested with these routes.
    of_pages = endpoint.path.startswith("/v1/terminals")
    assert theirs.status == (403 if of_administrators or of_pages else 404)
    assert await api.stored_state() == before


@pytest.mark.proves("T-16")
@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=endpoint_test_id)
async def test_an_unknown_host_name_is_refused(in_memory: ApiServer, endpoint: Endpoint) -> None:
    api: ApiServer = in_memory
    before = await api.stored_state()
    hosts = ["evil.example", "127.0.0.1.evil.example", "localhost.evil:8722", ""]
    replies = [
        await api.send(
            "ada", endpoint.method, endpoint.path_with_id(ID), endpoint.body, headers={"host": host}
        )
        for host in hosts
    ]

    assert [one.status for one in replies] == [403] * len(hosts)
    assert await api.stored_state() == before


@pytest.mark.proves("T-15", "T-17")
@pytest.mark.parametrize("endpoint", CHANGES, ids=endpoint_test_id)
async def test_a_page_of_another_site_changes_nothing_even_with_a_cookie(
    in_memory: ApiServer, endpoint: Endpoint
) -> None:
    api: ApiServer = in_memory
    session = (await api.authenticator.new_session("ada")).secret
    before = await api.stored_state()
    pages = ["https://evil.example", "null", "http://localhost.evil:8722", "http://127.0.0.1:8723", "", None]
    replies = []
    for page in pages:
        headers = {"cookie": f"assent_session={session}"} | ({} if page is None else {"origin": page})
        replies.append(
            await api.send(None, endpoint.method, endpoint.path_with_id(ID), endpoint.body, headers=headers)
        )

    assert [one.status for one in replies] == [403] * len(pages)
    assert await api.stored_state() == before


@pytest.mark.proves("T-17")
@pytest.mark.parametrize("endpoint", WITH_BODY, ids=endpoint_test_id)
@pytest.mark.parametrize(
    "kind", ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"]
)
async def test_a_form_submission_is_refused(in_memory: ApiServer, endpoint: Endpoint, kind: str) -> None:
    api: ApiServer = in_memory
    before = await api.stored_state()
    reply = await api.send(
        "ada", endpoint.method, endpoint.path_with_id(ID), endpoint.body, headers={"content-type": kind}
    )

    assert reply.status == 415
    assert reply.headers["content-type"] == "application/problem+json"
    assert await api.stored_state() == before


@pytest.mark.proves("T-17", "T-33")
@pytest.mark.parametrize("endpoint", CHANGES, ids=endpoint_test_id)
async def test_get_requests_change_nothing(in_memory: ApiServer, endpoint: Endpoint) -> None:
    api: ApiServer = in_memory
    things = await api.create_samples()
    id = things.get(endpoint.path.split("/")[2], ID)
    before = await api.stored_state()
    for method in ("GET", "HEAD", "OPTIONS"):
        await api.send("ada", method, endpoint.path_with_id(id))

    assert await api.stored_state() == before


@pytest.mark.proves("T-15", "T-16")
@pytest.mark.parametrize("path", sockets())
@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("127.0.0.1:8722", "https://evil.example"),
        ("127.0.0.1:8722", "null"),
        ("127.0.0.1:8722", "http://localhost.evil"),
        ("127.0.0.1:8722", "http://127.0.0.1:8723"),
        ("127.0.0.1:8722", None),
        ("evil.example", "http://evil.example"),
    ],
)
async def test_a_socket_from_another_site_is_refused_before_it_opens(
    in_memory: ApiServer, path: str, host: str, origin: str | None
) -> None:
    api: ApiServer = in_memory
    session = (await api.authenticator.new_session("ada")).secret
    headers = {"host": host, "cookie": f"assent_session={session}"} | (
        {} if origin is None else {"origin": origin}
    )
    sent = await api.connect_socket(path, headers)

    assert [one["type"] for one in sent] == ["websocket.close"]


@pytest.mark.proves("T-5")
async def test_an_agent_cannot_use_the_live_socket(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    path = "/v1/live"
    headers = {"host": "127.0.0.1:8722", "authorization": f"Bearer {api.tokens['clerk']}"}
    sent = await api.connect_socket(path, headers)

    assert [(one["type"], one.get("code")) for one in sent] == [
        ("websocket.accept", None),
        ("websocket.close", 4403),
    ]
