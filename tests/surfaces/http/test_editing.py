"""A change of one field does not change other fields or other objects."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pytest

from assent.engine.policy.rule import RuleList
from assent.engine.policy.snapshot import Tier, TierSetting
from assent.gate.policy import StoredGrant, StoredRule
from assent.gate.preset import Lifetime
from assent.gate.store import ToolTier
from assent.surfaces.http.api.routing import FromBody
from tests.surfaces.http.api_server import PEOPLE, ApiServer
from tests.surfaces.http.routes_table import routes

RULE, GRANT = "a" * 32, "9" * 32
NAMES = ("ada", *PEOPLE)


class EditRequest(NamedTuple):
    """A request, and the fields or objects that it changes."""

    method: str
    path: str
    body: Mapping[str, Any] | None
    changed: tuple[str, ...]


RULES = [
    EditRequest("PATCH", f"/v1/rules/{RULE}", {name: value}, (f"rules.q1.{name}",))
    for name, value in {
        "list": "deny",
        "text": "note.put(key=y)",
        "conversation": "c2",
        "agent": "cook",
        "user": "ben",
        "why": "new",
    }.items()
]
WIDER = [
    EditRequest("PATCH", f"/v1/rules/{RULE}", {name: None}, (f"rules.q1.{name}",))
    for name in ("conversation", "agent", "user")
]
CONVERSATIONS = [
    EditRequest("PATCH", "/v1/conversations/c1", {name: value}, (f"conversations.c1.{name}",))
    for name, value in {"mode": "plan", "title": "new", "model": "other"}.items()
]
SETTINGS = [
    EditRequest("PATCH", "/v1/settings/agent.permissions", {"mode": "plan"}, ("settings.mode",)),
    *(
        EditRequest(
            "PATCH",
            "/v1/settings/agent.permissions",
            {name: ["mail.send"]},
            (f"settings.{name}", f"rules.{name} note.read", f"rules.{name} mail.send"),
        )
        for name in ("allow", "ask", "deny")
    ),
]
TOOLS = [
    EditRequest(
        "PATCH",
        "/v1/agents/clerk/tools",
        {"tools": [{"toolName": "a", "status": "blocked"}]},
        ("tools.a.status", "tools.a.explicit"),
    ),
    EditRequest(
        "PATCH", "/v1/agents/clerk/tools", {"tools": [{"toolName": "b", "status": None}]}, ("tools.b",)
    ),
    EditRequest(
        "PATCH",
        "/v1/agents/clerk/tools",
        {"tools": [{"toolName": "c", "status": "blocked", "providerKey": "rag"}]},
        ("tools.c.status", "tools.c.providerKey"),
    ),
]
PERSONS = [
    EditRequest("POST", "/v1/people/vera/disable", None, ("people.vera.disabled_at", "tokens.vera")),
    EditRequest("POST", "/v1/people/chris/enable", None, ("people.chris.disabled_at",)),
    EditRequest(
        "PUT",
        "/v1/people/ben/roles",
        {"subject": "agent:clerk", "role": "viewer"},
        ("roles.ben.agent:clerk",),
    ),
    EditRequest(
        "PUT", "/v1/people/vera/roles", {"subject": "conversation:c1", "role": None}, ("roles.vera",)
    ),
]
ENDS = [
    EditRequest("DELETE", f"/v1/rules/{RULE}", None, ("rules.q1",)),
    EditRequest("DELETE", f"/v1/grants/{GRANT}", None, (f"grants.{GRANT}",)),
]
EDITS = [*RULES, *WIDER, *CONVERSATIONS, *SETTINGS, *TOOLS, *PERSONS, *ENDS]


async def create_samples(api: ApiServer) -> None:
    """Create one object of each kind without default values, and others that must not change."""
    await api.ask()
    await api.send("ana", "PATCH", "/v1/conversations/c1", {"mode": "auto", "title": "t", "model": "m"})
    await api.post("ana", "/v1/conversations", {"title": "another", "mode": "auto"})
    scope = {"conversation": "c1", "agent": "clerk", "user": "ana"}
    rules = [
        StoredRule(
            id=id, list=RuleList.ALLOW, text=f"note.put(key={id[0]})", by="ana", approval=question, **scope
        )
        for id, question in ((RULE, "q1"), ("b" * 32, "q2"))
    ]
    everyones = [
        StoredRule(id=kind.value, list=kind, text="note.read", by="ada", why="ours") for kind in RuleList
    ]
    grants = [
        StoredGrant(
            id=id, pattern="mail.send", lifetime=Lifetime.USES, uses=3, by="ana", approval="q3", **scope
        )
        for id in (GRANT, "8" * 32)
    ]
    await api.store.add_policy(grants, [*rules, *everyones])
    tiers = [("a", Tier.ALWAYS_ALLOW, False), ("b", Tier.BLOCKED, True), ("c", Tier.NEEDS_APPROVAL, True)]
    await api.store.set_tiers(
        [ToolTier("clerk", tool, TierSetting(tier, explicit), "mcp", "ben") for tool, tier, explicit in tiers]
    )
    await api.send("ada", "PATCH", "/v1/settings/agent.permissions", {"mode": "default"})
    await api.post("ada", "/v1/people/chris/disable")


async def read_editable(api: ApiServer) -> dict[str, Any]:
    """All objects that can be edited, as the API shows them."""

    async def listed_items(path: str, name: str = "ada") -> list[dict[str, Any]]:
        return list((await api.get(name, path)).json["items"])

    tokens = await listed_items("/v1/tokens")
    tools = (await api.get("ada", "/v1/agents/clerk/tools")).json["tools"]
    return {
        # A changed rule gets a new id, so it is identified by its original question.
        "rules": {
            one["approval"] or f"{one['list']} {one['text']}": {**one, "id": "", "warnings": []}
            for one in await listed_items("/v1/rules")
        },
        "grants": {one["id"]: one for one in await listed_items("/v1/grants")},
        "conversations": {one["id"]: one for one in await listed_items("/v1/conversations", "ana")},
        "settings": (await api.get("ada", "/v1/settings/agent.permissions")).json,
        "tools": {one["toolName"]: one for one in tools},
        "people": {one["id"]: one for one in await listed_items("/v1/people")},
        "roles": {name: dict(await api.authenticator.people.store.roles(name)) for name in NAMES},
        "tokens": {one["on_behalf"] or one["principal_id"]: one for one in tokens},
        "switch": (await api.get("ada", "/v1/switch")).json,
    }


def differences(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """The names of changed fields, and of added and removed objects."""
    if not (isinstance(before, dict) and isinstance(after, dict)):
        if before != after:
            yield path
        return
    for name in before.keys() | after.keys():
        inner = f"{path}.{name}" if path else str(name)
        if name not in before or name not in after:
            yield inner
        else:
            yield from differences(before[name], after[name], inner)


@pytest.mark.proves("T-48")
@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: f"{edit.path} {edit.body}")
async def test_a_patch_changes_one_field_and_nothing_else(api: ApiServer, edit: EditRequest) -> None:
    await create_samples(api)
    before = await read_editable(api)
    name = "ana" if edit.path.startswith("/v1/conversations") else "ada"
    reply = await api.send(name, edit.method, edit.path, edit.body)
    after = await read_editable(api)

    assert reply.status in (200, 204), reply
    found = set(differences(before, after))
    roles = {one for one in found if one.startswith("roles.vera")}
    assert (found - roles) | ({"roles.vera"} if roles else set()) == set(edit.changed)


@pytest.mark.proves("T-48")
def test_every_field_that_can_be_patched_is_tested() -> None:
    tried = {(edit.path.rpartition("/")[0], name) for edit in EDITS for name in edit.body or ()}
    for route in routes():
        if route.method != "PATCH":
            continue
        (body,) = (source for source in route.sources.values() if isinstance(source, FromBody))
        path = route.path.replace("{id}", "clerk" if "agents" in route.path else "{id}")
        for name in body.model.model_fields:
            assert (path.rpartition("/")[0], name) in tried, (route.path, name)


@pytest.mark.proves("T-48")
async def test_a_changed_rule_takes_effect_immediately_and_replaces_the_old_rule(api: ApiServer) -> None:
    await create_samples(api)
    new = await api.send("ada", "PATCH", f"/v1/rules/{RULE}", {"why": "new"})
    again = await api.send("ada", "PATCH", f"/v1/rules/{RULE}", {"why": "newer"})
    stranger = await api.send("ana", "PATCH", f"/v1/rules/{new.json['id']}", {"why": "mine"})
    listed = (await api.get("ada", "/v1/rules")).json["items"]

    assert (again.status, stranger.status) == (404, 403)
    assert RULE not in {one["id"] for one in listed}
    assert new.json in listed
