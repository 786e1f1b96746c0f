"""`/v1/workspaces` and `/v1/agents/{id}/workspaces`: administrators register workspaces, agents never do."""

import pytest

from tests.surfaces.http.api_server import ApiServer

OF_CLERK = "/v1/agents/clerk/workspaces"
OF_ALL = "/v1/agents/*/workspaces"
PROOF = {"file": f".assent-proof-{'0' * 32}", "text": "1" * 64}


async def test_put_replaces_the_workspaces_of_one_agent_or_of_all(api: ApiServer) -> None:
    await api.send("ada", "PUT", OF_ALL, {"workspaces": [{"root": "/srv/all"}]})
    await api.send("ada", "PUT", OF_CLERK, {"workspaces": [{"root": "/srv/a"}, {"root": "/srv/b"}]})
    reply = await api.send(
        "ada", "PUT", OF_CLERK, {"workspaces": [{"root": "/srv/b"}, {"root": "/srv/c", "proof": PROOF}]}
    )

    read = await api.get("ada", "/v1/workspaces")

    assert [(one["agent"], one["root"], one["remote"], one["by"]) for one in reply.json["items"]] == [
        ("clerk", "/srv/b", True, "ada"),
        ("clerk", "/srv/c", False, "ada"),
    ]
    assert [(one["agent"], one["root"]) for one in read.json["items"]] == [
        (None, "/srv/all"),
        ("clerk", "/srv/b"),
        ("clerk", "/srv/c"),
    ]


@pytest.mark.parametrize("name", ["clerk", "bens-clerk", "robot", "ana", "vera"])
async def test_nobody_but_an_administrator_lists_or_registers_workspaces(api: ApiServer, name: str) -> None:
    listed = await api.get(name, "/v1/workspaces")
    put = [
        await api.send(name, "PUT", path, {"workspaces": [{"root": "/srv/a"}]}) for path in (OF_CLERK, OF_ALL)
    ]

    assert (listed.status, [one.status for one in put]) == (403, [403, 403])
    assert await api.store.workspaces() == ()


async def test_a_list_that_changed_meanwhile_is_not_replaced(api: ApiServer) -> None:
    first = await api.send("ada", "PUT", OF_CLERK, {"workspaces": [{"root": "/srv/a"}], "known": []})
    refused = await api.send("ada", "PUT", OF_CLERK, {"workspaces": [{"root": "/srv/b"}], "known": []})
    known = [one["id"] for one in first.json["items"]]
    accepted = await api.send("ada", "PUT", OF_CLERK, {"workspaces": [], "known": known})

    assert (first.status, refused.status, accepted.status) == (200, 409, 200)
    assert accepted.json["items"] == []


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"workspaces": "x"},
        {"workspaces": [{"root": ""}]},
        {"workspaces": [{"root": "relative"}]},
        {"workspaces": [{"root": "/a\nb"}]},
        {"workspaces": [{"root": f"/{'a' * 5000}"}]},
        {"workspaces": [{"root": "/"}]},
        {"workspaces": [{"root": "/srv/a"}, {"root": "/srv//a"}]},
        {"workspaces": [{"root": "/srv/a", "proof": "x"}]},
        {"workspaces": [{"root": "/srv/a", "local": True}]},
        {"workspaces": [{"root": f"/srv/{n}"} for n in range(201)]},
        {"workspaces": [], "known": ["x"]},
    ],
)
async def test_a_bad_list_changes_nothing(api: ApiServer, body: object) -> None:
    reply = await api.send("ada", "PUT", OF_CLERK, body)

    assert reply.status in (400, 422)
    assert await api.store.workspaces() == ()
