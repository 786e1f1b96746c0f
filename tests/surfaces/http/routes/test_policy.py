"""Rules, grants, settings, the pause and the policy version over HTTP."""

import pytest

from tests.surfaces.http.api_server import ASKED, ApiServer

PERMISSIONS = "/v1/settings/agent.permissions"


async def _submit_outcome(api: ApiServer, call: dict[str, object]) -> str:
    return str((await api.post("clerk", "/v1/calls", {"call": call, "conversation": "c1"})).json["outcome"])


async def test_a_rule_takes_effect_with_the_next_call_until_it_is_revoked(api: ApiServer) -> None:
    before = await _submit_outcome(api, {"tool": "note.put", "args": {"key": "a"}})
    written = await api.post(
        "ada", "/v1/rules", {"list": "allow", "text": "note.put(key=a)", "why": "harmless"}
    )
    during = await _submit_outcome(api, {"tool": "note.put", "args": {"key": "a"}})
    ended = await api.send("ada", "DELETE", f"/v1/rules/{written.json['id']}")
    after = await _submit_outcome(api, {"tool": "note.put", "args": {"key": "a"}})

    assert (written.status, written.json["by"], ended.status) == (201, "ada", 204)
    assert (before, during, after) == ("wait", "run", "wait")


@pytest.mark.parametrize("name", ["ana", "chris", "robot"])
async def test_only_administrators_can_create_rules(in_memory: ApiServer, name: str) -> None:
    api: ApiServer = in_memory
    reply = await api.post(name, "/v1/rules", {"list": "allow", "text": "note.put"})

    assert reply.status == 403


@pytest.mark.parametrize("text", ["note.put(", "two words", "()", "note.put(a)b"])
async def test_an_invalid_rule_is_not_stored(in_memory: ApiServer, text: str) -> None:
    api: ApiServer = in_memory
    reply = await api.post("ada", "/v1/rules", {"list": "deny", "text": text})

    assert reply.status == 422
    assert (await api.get("ada", "/v1/rules")).json["items"] == []


@pytest.mark.proves("T-30")
async def test_a_preview_lists_the_questions_a_rule_would_cover_and_those_denied_before(
    api: ApiServer,
) -> None:
    denied = await api.ask({"tool": "note.put", "args": {"key": "a"}, "id": "1"})
    await api.answer(denied, "deny")
    pending = await api.ask({"tool": "note.put", "args": {"key": "b"}, "id": "2"})
    await api.ask({"tool": "mail.send", "args": {"to": "eve"}, "id": "3"})
    reply = await api.post("ana", "/v1/rules/preview", {"list": "allow", "rules": ["note.put"]})
    strangers = await api.post("ben", "/v1/rules/preview", {"list": "allow", "rules": ["note.put"]})

    assert reply.json["looked_at"] == 3
    assert {one["approval"] for one in reply.json["covered"]} == {denied, pending}
    assert [one["approval"] for one in reply.json["denied"]] == [denied]
    assert strangers.json == {"looked_at": 0, "covered": [], "denied": [], "objection": None, "warnings": []}
    assert (await api.get("ada", "/v1/rules")).json["items"] == []


async def test_a_preview_says_whether_these_rules_can_allow_the_question(api: ApiServer) -> None:
    asked = await api.ask({"tool": "note.put", "args": {"key": "a"}, "id": "1"})

    async def read_preview_objection(who: str, rule: str) -> object:
        body = {"list": "allow", "rules": [rule], "approval": asked}
        reply = await api.post(who, "/v1/rules/preview", body)
        return reply.json["objection"] if reply.status == 200 else reply.status

    assert await read_preview_objection("ana", "note.put") == ""
    assert "would not allow this call" in str(await read_preview_objection("ana", "note.put(key=b)"))
    assert await read_preview_objection("ben", "note.put") == 404


async def test_a_grant_is_listed_and_revoked_by_its_owner(api: ApiServer) -> None:
    id = await api.ask({"tool": "note.put", "args": {"key": "a"}, "id": "1"})
    await api.answer(id, "always", lifetime="uses", uses=5)
    listed = (await api.get("ana", "/v1/grants")).json["items"]
    theirs = await api.send("ben", "DELETE", f"/v1/grants/{listed[0]['id']}")
    ended = await api.send("ana", "DELETE", f"/v1/grants/{listed[0]['id']}")

    assert [(one["uses"], one["by"]) for one in listed] == [(5, "ana")]
    assert (theirs.status, ended.status) == (404, 204)
    assert (await api.get("ana", "/v1/grants")).json["items"] == []


@pytest.mark.proves("R003-28", "R003-69")
async def test_the_settings_can_change_the_mode_and_the_three_rule_lists(api: ApiServer) -> None:
    first = await api.send(
        "ada", "PATCH", PERMISSIONS, {"allow": ["note.put", "note.put"], "deny": ["sh(rm *)"], "mode": "plan"}
    )
    second = await api.send("ada", "PATCH", PERMISSIONS, {"allow": ["mail.send"], "ask": ["note.put"]})
    read = await api.get("ana", PERMISSIONS)

    assert first.json == {
        "mode": "plan",
        "allow": ["note.put"],
        "ask": [],
        "deny": ["sh(rm *)"],
        "warnings": [],
    }
    assert second.json == {**first.json, "allow": ["mail.send"], "ask": ["note.put"]}
    assert read.json == second.json


async def test_new_conversations_start_in_the_mode_of_the_settings(api: ApiServer) -> None:
    await api.send("ada", "PATCH", PERMISSIONS, {"mode": "plan"})
    reply = await api.post("clerk", "/v1/calls", {"call": ASKED, "conversation": "new"})
    begun = await api.post("ana", "/v1/conversations", {})

    assert reply.json["code"] == "blocked_in_plan_mode"
    assert begun.json["mode"] == "plan"


@pytest.mark.proves("R003-66")
@pytest.mark.parametrize(
    "edit", [{"deny": ["sh(rm"]}, {"mode": "yolo"}, {"allow": ["note.put"], "ask": ["( )"]}]
)
async def test_invalid_settings_change_nothing(in_memory: ApiServer, edit: dict[str, object]) -> None:
    api: ApiServer = in_memory
    await api.send("ada", "PATCH", PERMISSIONS, {"deny": ["sh(rm *)"], "allow": ["mail.send"]})
    before = (await api.get("ada", PERMISSIONS)).json
    reply = await api.send("ada", "PATCH", PERMISSIONS, edit)

    assert reply.status == 422
    assert (await api.get("ada", PERMISSIONS)).json == before


async def test_the_switch_pauses_and_resumes_all_agents(api: ApiServer) -> None:
    await api.send("ada", "PATCH", PERMISSIONS, {"allow": ["note.put"]})
    refused = await api.post("ana", "/v1/switch", {"paused": True})
    paused = await api.post("ada", "/v1/switch", {"paused": True})
    held = await api.post("clerk", "/v1/calls", {"call": ASKED, "conversation": "c1"})
    reading = await _submit_outcome(api, {"tool": "note.read", "args": {}})
    seen = (await api.get("ana", "/v1/switch")).json
    resumed = await api.post("ada", "/v1/switch", {"paused": False})
    run = await api.post("clerk", f"/v1/calls/{held.json['approval']}/wait", {"seconds": 0})

    assert (refused.status, paused.json["by"], seen["paused"], resumed.json["paused"]) == (
        403,
        "ada",
        True,
        False,
    )
    assert (held.json["outcome"], reading, run.json["outcome"]) == ("wait", "run", "run")


async def test_a_long_poll_waits_until_the_pause_ends(api: ApiServer) -> None:
    id = await api.ask()
    await api.post("ada", "/v1/switch", {"paused": True})
    await api.answer(id)
    held = await api.post("clerk", f"/v1/calls/{id}/wait", {"seconds": 0.2})
    await api.post("ada", "/v1/switch", {"paused": False})
    run = await api.post("clerk", f"/v1/calls/{id}/wait", {"seconds": 0})

    assert (held.json["outcome"], run.json["outcome"]) == ("wait", "run")


async def test_the_policy_lists_its_files_and_the_error_of_newer_ones(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    api.policies.error = "cannot use config.toml, line 3: unknown key"
    reply = await api.get("ada", "/v1/policy")

    assert (reply.json["version"], reply.json["error"]) == ("files-1", api.policies.error)
    assert reply.json["files"] == list(api.policies.files)
    assert (await api.get("ana", "/v1/policy")).status == 403


async def test_the_hits_of_a_rule_are_its_decisions(api: ApiServer) -> None:
    written = await api.post("ada", "/v1/rules", {"list": "allow", "text": "note.put(key=a)"})
    for number in range(3):
        await _submit_outcome(api, {"tool": "note.put", "args": {"key": "a"}, "id": f"call-{number}"})
    await _submit_outcome(api, {"tool": "note.read", "args": {"key": "a"}})
    await api.store.flush_audit()
    every, bens = [(await api.get(name, "/v1/rules/hits")).json for name in ("ada", "ben")]
    found = (await api.get("ada", "/v1/audit", order="oldest")).json["items"]
    rows = [one for one in found if one["entry"]["verdict"]]

    assert every["decisions"] == len(rows) == 4
    assert every["items"] == [{"rule": written.json["id"], "hits": 3, "last": rows[2]["at"]}]
    assert bens == {"decisions": 0, "items": []}


async def test_presets_list_their_modes_with_descriptions(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    presets = {one["name"]: one for one in (await api.get("ana", "/v1/presets")).json["items"]}
    shown = {name: [(one["mode"], one["shown"]) for one in of["modes"]] for name, of in presets.items()}

    assert shown == {
        "assent": [(one, one) for one in ("default", "plan", "accept_edits", "auto")],
        "chat": [(one, one) for one in ("default", "plan", "auto")],
        "fleet": [("accept_edits", "accept_edits")],
        "propose": [("default", "approve"), ("auto", "auto")],
        "tiers": [],
        "workbench": [(one, one) for one in ("default", "plan", "accept_edits")] + [("auto", "autonomous")],
    }
    assert presets["chat"]["modes"][1]["verdicts"] == {
        "read": "run", "edit": "deny", "write": "deny", "execute": "deny", "external": "deny",
        "destructive": "deny",
    }  # fmt: skip
    assert (presets["tiers"]["fallback"], presets["propose"]["delivery"]) == ("run", "propose")
    assert (presets["workbench"]["expires_after"], presets["chat"]["expires_after"]) == (300, None)
