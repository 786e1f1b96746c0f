"""A rule about a tool that nobody declared is reported wherever it is shown."""

from tests.surfaces.http.house import House

PERMISSIONS = "/v1/settings/agent.permissions"


async def test_a_rule_about_a_tool_that_nobody_declared_is_reported_wherever_it_is_shown(
    house: House,
) -> None:
    said = ["rule `note.putt`: no tool is called `note.putt`; did you mean `note.put`?"]
    written = await house.posts("ada", "/v1/rules", {"list": "deny", "text": "note.putt"})
    fine = await house.posts("ada", "/v1/rules", {"list": "deny", "text": "note.put"})
    listed = (await house.gets("ada", "/v1/rules")).json["items"]
    thought = await house.posts("ada", "/v1/rules/preview", {"list": "deny", "rules": ["note.putt"]})
    settings = await house.gets("ada", PERMISSIONS)
    changed = await house.sends("ada", "PATCH", f"/v1/rules/{written.json['id']}", {"text": "note.read"})

    assert (written.json["warnings"], fine.json["warnings"]) == (said, [])
    assert [one["warnings"] for one in listed] == [said, []]
    assert thought.json["warnings"] == settings.json["warnings"] == said
    assert changed.json["warnings"] == []
