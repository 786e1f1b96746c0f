"""Every route and both live channels, tried by everybody who should not get in."""

import pytest

from assent.surfaces.http.api.access import AGENT_LIMITS, Audience
from assent.surfaces.http.api.routing import FromAudience
from tests.surfaces.http.house import HERE, House
from tests.surfaces.http.routes_table import BODIES, ID, WAYS, Way, documented, routes, sockets
from tools import openapi

AGENTS_MAY = {
    ("POST", "/v1/calls"),
    ("GET", "/v1/calls/{id}"),
    ("POST", "/v1/calls/{id}/wait"),
    ("POST", "/v1/calls/{id}/report"),
    ("POST", "/v1/calls/{id}/withdraw"),
}
"""All that an agent's token is good for."""
ANYBODY_MAY = {
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/metrics"),
    ("POST", "/v1/login"),
    ("GET", "/v1/oidc/start"),
    ("GET", "/v1/oidc/callback"),
}
"""All that needs no proof of who asks."""
CLOSED = [way for way in WAYS if way not in ANYBODY_MAY]
CHANGES = [way for way in WAYS if way.changes]
WITH_BODY = [way for way in CHANGES if way.body is not None]
WITH_ID = [way for way in CLOSED if "{id}" in way.path]


def _names(way: Way) -> str:
    return f"{way.method} {way.path}"


def test_every_route_that_changes_something_is_tried_here() -> None:
    assert len(WAYS) > 40
    assert sockets() == ["/v1/live"]
    assert {(way.method, way.path) for way in CHANGES} == set(BODIES)


@pytest.mark.proves("T-5", "T-29")
def test_every_route_names_at_most_one_audience() -> None:
    found = {
        (one.method, documented(one)): [
            source.audience for source in one.sources.values() if isinstance(source, FromAudience)
        ]
        for one in routes()
    }

    assert {way for way, audiences in found.items() if not audiences} == ANYBODY_MAY
    assert {way for way, audiences in found.items() if Audience.CALLER in audiences} == AGENTS_MAY
    assert [way for way, audiences in found.items() if len(audiences) > 1] == []
    operations = openapi.document()["paths"]
    open_ones = {
        way for way in found if way[1] in operations and "security" not in operations[way[1]][way[0].lower()]
    }
    assert open_ones == {way for way in ANYBODY_MAY if way[1] in operations}


@pytest.mark.proves("R004-40")
@pytest.mark.parametrize("way", CLOSED, ids=_names)
async def test_nobody_in_particular_gets_nowhere(in_memory: House, way: Way) -> None:
    house: House = in_memory
    before = await house.everything()
    unsaid = await house.sends(None, way.method, way.to(ID), way.body, headers={"origin": HERE})
    wrong = await house.sends(
        None, way.method, way.to(ID), way.body, headers={"authorization": "Bearer assent_p_" + "x" * 43}
    )

    assert (unsaid.status, wrong.status) == (401, 401)
    assert unsaid.headers["content-type"] == "application/problem+json"
    assert unsaid.headers["www-authenticate"] == "Bearer"
    assert await house.everything() == before


@pytest.mark.proves("T-5", "T-18", "T-29")
@pytest.mark.parametrize("way", CLOSED, ids=_names)
async def test_an_agents_token_opens_its_own_routes_and_no_other(in_memory: House, way: Way) -> None:
    house: House = in_memory
    things = await house.furnished()
    thing = things.get(way.path.split("/")[2], ID)
    before = await house.everything()
    reply = await house.sends("clerk", way.method, way.to(thing), way.body)

    if way in AGENTS_MAY:
        assert reply.status in (200, 409)
        return
    assert reply.status == 403
    assert AGENT_LIMITS in reply.json["detail"]
    assert await house.everything() == before


@pytest.mark.proves("T-38", "R001-11", "R004-43")
@pytest.mark.parametrize("way", WITH_ID, ids=_names)
async def test_what_is_somebody_elses_does_not_exist(in_memory: House, way: Way) -> None:
    house: House = in_memory
    things = await house.furnished()
    id = things[way.path.split("/")[2]]
    before = await house.everything()
    theirs = await house.sends("ben", way.method, way.to(id), way.body)
    nothing = await house.sends("ben", way.method, way.to("f" * 32), way.body)

    assert theirs.status == nothing.status
    of_administrators = (
        way.path.startswith("/v1/people")
        or (way.path.endswith("/catalog") and way.changes)
        or way == ("PATCH", "/v1/rules/{id}")
    )
    assert theirs.status == (403 if of_administrators else 404)
    assert await house.everything() == before


@pytest.mark.proves("T-16")
@pytest.mark.parametrize("way", WAYS, ids=_names)
async def test_another_name_for_this_machine_is_refused(in_memory: House, way: Way) -> None:
    house: House = in_memory
    before = await house.everything()
    hosts = ["evil.example", "127.0.0.1.evil.example", "localhost.evil:8722", ""]
    replies = [
        await house.sends("ada", way.method, way.to(ID), way.body, headers={"host": host}) for host in hosts
    ]

    assert [one.status for one in replies] == [403] * len(hosts)
    assert await house.everything() == before


@pytest.mark.proves("T-15", "T-17")
@pytest.mark.parametrize("way", CHANGES, ids=_names)
async def test_another_page_changes_nothing_whatever_its_browser_sends_along(
    in_memory: House, way: Way
) -> None:
    house: House = in_memory
    session = (await house.keeper.new_session("ada")).secret
    before = await house.everything()
    pages = ["https://evil.example", "null", "http://localhost.evil:8722", "http://127.0.0.1:8723", "", None]
    replies = []
    for page in pages:
        headers = {"cookie": f"assent_session={session}"} | ({} if page is None else {"origin": page})
        replies.append(await house.sends(None, way.method, way.to(ID), way.body, headers=headers))

    assert [one.status for one in replies] == [403] * len(pages)
    assert await house.everything() == before


@pytest.mark.proves("T-17")
@pytest.mark.parametrize("way", WITH_BODY, ids=_names)
@pytest.mark.parametrize(
    "kind", ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"]
)
async def test_a_form_is_no_request(in_memory: House, way: Way, kind: str) -> None:
    house: House = in_memory
    before = await house.everything()
    reply = await house.sends("ada", way.method, way.to(ID), way.body, headers={"content-type": kind})

    assert reply.status == 415
    assert reply.headers["content-type"] == "application/problem+json"
    assert await house.everything() == before


@pytest.mark.proves("T-17", "T-33")
@pytest.mark.parametrize("way", CHANGES, ids=_names)
async def test_looking_changes_nothing(in_memory: House, way: Way) -> None:
    house: House = in_memory
    things = await house.furnished()
    id = things.get(way.path.split("/")[2], ID)
    before = await house.everything()
    for method in ("GET", "HEAD", "OPTIONS"):
        await house.sends("ada", method, way.to(id))

    assert await house.everything() == before


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
async def test_a_socket_from_elsewhere_is_closed_before_it_is_open(
    in_memory: House, path: str, host: str, origin: str | None
) -> None:
    house: House = in_memory
    session = (await house.keeper.new_session("ada")).secret
    headers = {"host": host, "cookie": f"assent_session={session}"} | (
        {} if origin is None else {"origin": origin}
    )
    sent = await house.connects(path, headers)

    assert [one["type"] for one in sent] == ["websocket.close"]


@pytest.mark.proves("T-5")
@pytest.mark.parametrize("path", sockets())
async def test_an_agent_hears_nothing_on_a_socket(in_memory: House, path: str) -> None:
    house: House = in_memory
    headers = {"host": "127.0.0.1:8722", "authorization": f"Bearer {house.tokens['clerk']}"}
    sent = await house.connects(path, headers)

    assert [(one["type"], one.get("code")) for one in sent] == [
        ("websocket.accept", None),
        ("websocket.close", 4403),
    ]
