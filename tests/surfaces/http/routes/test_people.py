"""People, roles, log-ins, tokens and sessions over HTTP."""

import pytest

from tests.surfaces.http.api_server import HERE, ApiServer


async def test_a_person_logs_in_with_a_link_once_and_logs_out(api: ApiServer) -> None:
    made = await api.post("ada", "/v1/people/ana/link")
    origin = {"headers": {"origin": HERE}}
    came = await api.post(None, "/v1/login", {"link": made.json["link"]}, **origin)
    twice = await api.post(None, "/v1/login", {"link": made.json["link"]}, **origin)
    cookie = came.headers["set-cookie"].split(";")[0]
    with_cookie = {"headers": {"origin": HERE, "cookie": cookie}}
    me = await api.send(None, "GET", "/v1/me", **with_cookie)
    sessions = await api.get("ana", "/v1/sessions")
    left = await api.post(None, "/v1/logout", **with_cookie)
    after = await api.send(None, "GET", "/v1/me", **with_cookie)

    assert (made.status, came.status, twice.status, left.status) == (201, 204, 401, 204)
    assert all(word in came.headers["set-cookie"] for word in ("HttpOnly", "SameSite=Strict", "Path=/"))
    assert (me.status, me.json["id"], after.status) == (200, "ana", 401)
    assert [one["purpose"] for one in sessions.json["items"]] == ["session"]


async def test_wrong_log_in_links_are_throttled(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    link = {"link": "assent_l_" + "x" * 43}
    statuses = [(await api.post(None, "/v1/login", link, headers={"origin": HERE})).status for _ in range(11)]
    last = await api.post(None, "/v1/login", link, headers={"origin": HERE})

    assert statuses == [401] * 10 + [429]
    assert int(last.headers["retry-after"]) > 0


async def test_administrators_add_people_set_roles_and_disable_people(api: ApiServer) -> None:
    added = await api.post("ada", "/v1/people", {"id": "dora", "name": "Dora D."})
    twice = await api.post("ada", "/v1/people", {"id": "dora"})
    here = {"subject": "conversation:c1"}
    role = await api.send("ada", "PUT", "/v1/people/dora/roles", {**here, "role": "approver"})
    unrole = await api.send("ada", "PUT", "/v1/people/dora/roles", {**here, "role": None})
    token = await api.post("ada", "/v1/tokens", {"kind": "person", "name": "dora"})
    api.tokens["dora"] = token.json["secret"]
    before = await api.get("dora", "/v1/me")
    gone = await api.post("ada", "/v1/people/dora/disable")
    after = await api.get("dora", "/v1/me")

    assert (added.status, twice.status, gone.status) == (201, 409, 204)
    assert (role.json, unrole.json) == ({"roles": {"conversation:c1": "approver"}}, {"roles": {}})
    assert (before.status, after.status) == (200, 401)


@pytest.mark.parametrize("path", ["/v1/people", "/v1/people/ben/roles"])
async def test_only_administrators_can_list_people(in_memory: ApiServer, path: str) -> None:
    api: ApiServer = in_memory

    assert (await api.get("ana", path)).status == 403
    assert (await api.get("ada", path)).status == 200


async def test_the_last_administrator_cannot_be_disabled(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    reply = await api.post("ada", "/v1/people/ada/disable")

    assert reply.status == 409


async def test_a_token_is_shown_once_and_works_until_it_is_revoked(api: ApiServer) -> None:
    made = await api.post("ana", "/v1/tokens", {"kind": "agent", "name": "helper", "label": "laptop"})
    api.tokens["helper"] = made.json["secret"]
    call = {"call": {"tool": "note.read", "args": {}}}
    before = await api.post("helper", "/v1/calls", call)
    listed = (await api.get("ana", "/v1/tokens")).json["items"]
    theirs = await api.send("ben", "DELETE", f"/v1/tokens/{made.json['id']}")
    ended = await api.send("ana", "DELETE", f"/v1/tokens/{made.json['id']}")
    after = await api.post("helper", "/v1/calls", call)

    assert (made.status, made.json["on_behalf"], made.json["secret"][:9]) == (201, "ana", "assent_a_")
    assert (before.status, theirs.status, ended.status, after.status) == (200, 404, 204, 401)
    assert not any("secret" in one for one in listed)
    assert {one["principal_id"] for one in listed} == {"ana", "clerk", "robot", "helper"}


@pytest.mark.parametrize(
    "said",
    [
        {"kind": "person", "name": "ben"},
        {"kind": "agent", "name": "helper", "on_behalf": "ben"},
        {"kind": "service", "name": "robot", "on_behalf": "ada"},
    ],
)
async def test_a_person_cannot_create_a_token_for_another_person(
    in_memory: ApiServer, said: dict[str, str]
) -> None:
    api: ApiServer = in_memory
    before = await api.stored_state()

    assert (await api.post("ana", "/v1/tokens", said)).status == 403
    assert await api.stored_state() == before


async def test_a_token_for_an_unknown_person_is_refused(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    reply = await api.post("ada", "/v1/tokens", {"kind": "person", "name": "nobody"})

    assert reply.status == 404


async def test_a_person_can_revoke_another_session_of_theirs(api: ApiServer) -> None:
    session = await api.authenticator.new_session("ana")
    theirs = await api.send("ben", "DELETE", f"/v1/sessions/{session.credential.id}")
    token = await api.send("ana", "DELETE", f"/v1/tokens/{session.credential.id}")
    ended = await api.send("ana", "DELETE", f"/v1/sessions/{session.credential.id}")
    me = await api.send(None, "GET", "/v1/me", headers={"cookie": f"assent_session={session.secret}"})

    assert (theirs.status, token.status, ended.status, me.status) == (404, 404, 204, 401)


async def test_a_person_who_is_enabled_again_needs_a_new_link(api: ApiServer) -> None:
    await api.post("ada", "/v1/people/ben/disable")
    shut_out = await api.get("ben", "/v1/me")
    refused = await api.post("ana", "/v1/people/ben/enable")
    enabled = await api.post("ada", "/v1/people/ben/enable")
    unknown = await api.post("ada", "/v1/people/nobody/enable")
    people = {one["id"]: one for one in (await api.get("ada", "/v1/people")).json["items"]}
    link = await api.post("ada", "/v1/people/ben/link")
    await api.store.flush_audit()
    rows = (await api.get("ada", "/v1/audit", view="changes", decision="person_enabled")).json["items"]

    assert (shut_out.status, refused.status, enabled.status, unknown.status) == (401, 403, 204, 404)
    assert people["ben"]["disabled_at"] is None
    assert (await api.get("ben", "/v1/me")).status == 401
    assert link.status == 201
    assert [(row["entry"]["user"], row["entry"]["reason"]) for row in rows] == [("ada", "ben")]
