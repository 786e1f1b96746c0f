"""Packs over HTTP: the list, and the switch of each."""

from tests.surfaces.http.api_server import ApiServer


async def test_a_pack_is_turned_on_and_off_for_all_shell_tools(api: ApiServer) -> None:
    before = {one["name"]: one for one in (await api.get("ada", "/v1/packs")).json["items"]}
    on = await api.send("ada", "PUT", "/v1/packs", {"name": "go", "on": True})
    again = await api.send("ada", "PUT", "/v1/packs", {"name": "go", "on": True})
    rules = [one["text"] for one in (await api.get("ada", "/v1/rules")).json["items"]]
    off = await api.send("ada", "PUT", "/v1/packs", {"name": "go", "on": False})
    left = (await api.get("ada", "/v1/rules")).json["items"]

    assert list(before) == ["go", "node", "python", "rust", "java", "dotnet", "make", "git"]
    assert before["go"]["on"] is False
    assert "go build ./..." in before["go"]["match"]
    assert on.json["on"] is again.json["on"] is True
    assert sorted(rules) == sorted(on.json["rules"])
    assert off.json["on"] is False
    assert left == []


async def test_only_administrators_switch_packs_that_exist(api: ApiServer) -> None:
    unknown = await api.send("ada", "PUT", "/v1/packs", {"name": "nosuch", "on": True})
    member = await api.send("ana", "PUT", "/v1/packs", {"name": "go", "on": True})
    listed = await api.get("ana", "/v1/packs")

    assert (unknown.status, member.status, listed.status) == (404, 403, 403)
