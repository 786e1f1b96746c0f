"""Every route of the API, with a valid request for each."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from assent.surfaces.http.api.routing import Route
from assent.surfaces.http.app import ROUTERS

ID = "0" * 32
DIGEST = "0" * 64
BODIES: Mapping[tuple[str, str], object] = {
    ("POST", "/v1/calls"): {"call": {"tool": "note.put", "args": {"key": "b"}}, "conversation": "c9"},
    ("POST", "/v1/calls/report"): {"call": "put", "conversation": "c1"},
    ("POST", "/v1/calls/{id}/wait"): {"seconds": 0},
    ("POST", "/v1/calls/{id}/report"): {"claim": "x", "failed": False, "note": ""},
    ("POST", "/v1/calls/{id}/withdraw"): {},
    ("POST", "/v1/hooks/claude"): {"hook_event_name": "SessionStart", "session_id": "s", "cwd": "/"},
    ("POST", "/v1/hooks/claude/{id}/wait"): None,
    ("POST", "/v1/decide"): {"tool": "note.put", "args": {}},
    ("POST", "/v1/approvals/answers"): {
        "questions": [{"id": ID, "digest": DIGEST}],
        "answer": {"say": "once"},
    },
    ("POST", "/v1/approvals/{id}/answer"): {"digest": DIGEST, "answer": {"say": "once"}},
    ("POST", "/v1/approvals/{id}/later"): None,
    ("POST", "/v1/proposals/apply"): {"token": "x"},
    ("DELETE", "/v1/grants/{id}"): None,
    ("POST", "/v1/rules"): {"list": "deny", "text": "sh(rm *)"},
    ("POST", "/v1/rules/preview"): {"list": "allow", "rules": ["note.put"]},
    ("POST", "/v1/rules/move"): {"tool": "old.name", "to": "new.name"},
    ("PATCH", "/v1/rules/{id}"): {"why": "because"},
    ("PUT", "/v1/packs"): {"name": "go", "on": True},
    ("DELETE", "/v1/rules/{id}"): None,
    ("PATCH", "/v1/settings/agent.permissions"): {"deny": ["sh(rm *)"]},
    ("POST", "/v1/conversations"): {"title": "t"},
    ("PATCH", "/v1/conversations/{id}"): {"title": "t"},
    ("POST", "/v1/conversations/{id}/chat"): {
        "message": {"role": "user", "parts": [{"type": "text", "text": "hello"}]}
    },
    ("POST", "/v1/conversations/{id}/stop"): None,
    ("PUT", "/v1/agents/{id}/tools"): {"tools": [{"toolName": "x", "providerKey": "mcp"}]},
    ("PATCH", "/v1/agents/{id}/tools"): {"tools": [{"toolName": "x", "status": "blocked"}]},
    ("PUT", "/v1/agents/{id}/catalog"): {"origin": "mcp:x", "tools": [{"name": "x"}]},
    ("PUT", "/v1/agents/{id}/workspaces"): {"workspaces": [{"root": "/srv/a"}]},
    ("POST", "/v1/agents/{id}/tool-overrides"): {"toolName": "note.put"},
    ("DELETE", "/v1/agents/{id}/tool-overrides"): None,
    ("POST", "/v1/definitions/accept"): {"origin": "mcp:x", "tool": "x", "digest": DIGEST},
    ("POST", "/v1/switch"): {"paused": True},
    ("POST", "/v1/login"): {"link": "x"},
    ("POST", "/v1/logout"): None,
    ("POST", "/v1/people"): {"id": "newcomer"},
    ("POST", "/v1/people/{id}/disable"): None,
    ("POST", "/v1/people/{id}/enable"): None,
    ("POST", "/v1/people/{id}/link"): None,
    ("PUT", "/v1/people/{id}/roles"): {"subject": "conversation:c1", "role": "viewer"},
    ("POST", "/v1/tokens"): {"kind": "agent", "name": "helper"},
    ("DELETE", "/v1/tokens/{id}"): None,
    ("POST", "/v1/page-tokens"): {"conversation": "c1", "origins": ["https://crm.example"]},
    ("DELETE", "/v1/page-tokens/{id}"): None,
    ("DELETE", "/v1/sessions/{id}"): None,
    ("POST", "/v1/workbench/calls"): {"ticket": "x", "tool": "files.read", "args": {"path": "/a"}},
    ("PUT", "/v1/people/{id}/workbench"): {"files": True, "terminal": True},
    ("POST", "/v1/files/create"): {"path": "/a", "content": ""},
    ("POST", "/v1/files/write"): {"path": "/a", "content": "", "digest": "absent"},
    ("POST", "/v1/files/rename"): {"path": "/a", "to": "/b"},
    ("POST", "/v1/files/delete"): {"path": "/a"},
    ("DELETE", "/v1/terminals/{id}"): None,
}
"""The body of each route that changes something."""
QUERIES = {("DELETE", "/v1/agents/{id}/tool-overrides"): "?toolName=note.put"}


class Endpoint(NamedTuple):
    """One method of one path."""

    method: str
    path: str

    @property
    def body(self) -> object:
        return BODIES.get(self)

    @property
    def is_change(self) -> bool:
        return self.method != "GET"

    def path_with_id(self, id: str) -> str:
        """The path with this id filled in."""
        return self.path.replace("{id}", id) + QUERIES.get(self, "")


def routes() -> Iterator[Route]:
    """Every route of the API."""
    for router in ROUTERS:
        yield from router.routes


def documented_path(route: Route) -> str:
    """The path of a route in the API's document."""
    return route.path.replace(":generated", "")


def sockets() -> list[str]:
    """The path of every WebSocket."""
    return [path for router in ROUTERS for path in router.sockets]


ENDPOINTS = sorted(Endpoint(route.method, documented_path(route)) for route in routes())
