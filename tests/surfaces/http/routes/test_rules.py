"""A rule about an undeclared tool shows a warning everywhere."""

from tests.surfaces.http.api_server import ApiServer

PERMISSIONS = "/v1/settings/agent.permissions"


async def test_a_rule_about_an_undeclared_tool_shows_a_warning_everywhere(
    api: ApiServer,
) -> None:
    said = ["rule `note.putt`: no tool is called `note.putt`; did you mean `note.put`?"]
    written = await api.post("ada", "/v1/rules", {"list": "deny", "text": "note.putt"})
    fine = await api.post("ada", "/v1/rules", {"list": "deny", "text": "note.put"})
    listed = (await api.get("ada", "/v1/rules")).json["items"]
    thought = await api.post("ada", "/v1/rules/preview", {"list": "deny", "rules": ["note.putt"]})
    settings = await api.get("ada", PERMISSIONS)
    changed = await api.send("ada", "PATCH", f"/v1/rules/{written.json['id']}", {"text": "note.read"})

    assert (written.json["warnings"], fine.json["warnings"]) == (said, [])
    assert [one["warnings"] for one in listed] == [said, []]
    assert thought.json["warnings"] == settings.json["warnings"] == said
    assert changed.json["warnings"] == []
