"""An API server without a socket, its people and agents, and a client for each of them."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, MutableMapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx

from assent.config.preset import preset_names
from assent.config.settings import ChatSettings
from assent.config.workspace import directories_without_disk
from assent.door.authentication import Authenticator
from assent.door.middleware import Door
from assent.door.request import AllowedHosts
from assent.engine.policy.rule import RuleList
from assent.gate.access import Kind, Principal, Role
from assent.gate.page_tokens import PageScope
from assent.gate.people import IdentityStore, Person, Purpose
from assent.gate.policy import FilePolicy, StoredGrant, StoredRule
from assent.gate.preset import Lifetime
from assent.gate.store import ApprovalFilter
from assent.gate.workbench_access import WorkbenchAccess
from assent.hosts.browser.pages import Pages
from assent.hosts.chat.chat import Chat, ChatServices
from assent.hosts.chat.models import Models
from assent.hosts.chat.tools.settings import ToolSettings
from assent.hosts.chat.tools.todo import TodoLists
from assent.hosts.chat.tools.toolbelt import ToolResources
from assent.hosts.chat.tools.web import AddressGuard, Fetcher
from assent.hosts.workbench.workbench import Workbench
from assent.surfaces.http.api.metrics import Metrics
from assent.surfaces.http.api.service import Service
from assent.surfaces.http.app import create_app
from tests.gate.scene import GateHarness, open_harness, preset_policy
from tests.principals import administrator
from tests.surfaces.http.conformance import find_schema_violation

HERE = "http://127.0.0.1:8722"
PEOPLE = ("ana", "ben", "chris", "vera")
ASKED = {"tool": "note.put", "args": {"key": "a", "value": 1}, "id": "put"}
READ = {"tool": "note.read", "args": {"key": "a"}, "id": "read"}


class StubPolicies:
    """Policy files that contain only the preset, and whose error a test can set."""

    def __init__(self) -> None:
        self.version = "files-1"
        self.error = ""
        self.files: tuple[str, ...] = ("/etc/assent/config.toml",)

    @property
    def presets(self) -> tuple[str, ...]:
        return (*preset_names(), "unusable")

    def __call__(self, preset: str) -> FilePolicy:
        return preset_policy(preset)

    def has_changed(self) -> bool:
        return False

    def reload(self) -> bool:
        return False


class Reply(NamedTuple):
    """A reply with its decoded body."""

    status: int
    json: Any
    headers: Mapping[str, str]


def open_rehearsal_chat(scene: GateHarness, pages: Pages) -> Chat:
    """A chat with the rehearsal model, in a workspace that does not exist."""
    settings = ToolSettings()
    resources = ToolResources(
        settings=settings,
        fetcher=Fetcher(AddressGuard(()), max_bytes=settings.limits.fetch_bytes),
        todos=TodoLists(),
    )
    return Chat(
        ChatServices(
            gate=scene.gate,
            store=scene.store,  # type: ignore[arg-type] # every store of ours is a whole one
            tool_resources=resources,
            models=Models(ChatSettings()),
            directories=lambda: directories_without_disk("/project", "/home/ana"),
            pages=pages,
        )
    )


class ApiServer:
    """One server, and the tokens of its people and agents."""

    def __init__(self, scene: GateHarness, register: IdentityStore) -> None:
        self.scene = scene
        self.store = scene.store
        self.authenticator = Authenticator(register)
        self.policies = StubPolicies()
        self.pages = Pages(scene.gate.page_tools)
        self.chat = open_rehearsal_chat(scene, self.pages)
        self.service = Service(
            gate=scene.gate,
            store=scene.store,
            authenticator=self.authenticator,
            policy=self.policies,
            pages=self.pages,
            metrics=Metrics(),
            public_url=HERE,
            open_chat=self._ready_chat,
            workbench=Workbench(
                scene.gate,
                WorkbenchAccess(scene.store),  # type: ignore[arg-type] # every store of ours is a whole one
                None,
                local_only=False,
            ),
        )
        self.app = create_app(self.service)
        self.asgi = Door(self.app, self.authenticator, AllowedHosts(public_url=HERE))
        self.tokens: dict[str, str] = {}

    async def _ready_chat(self) -> Chat:
        return self.chat

    async def add_people(self) -> None:
        """Add all people and agents, and give each of them a token."""
        await self.authenticator.people.add_person(
            administrator("test"), Person(id="ada", administrator=True)
        )
        for name in PEOPLE:
            await self.authenticator.people.add_person(administrator("test"), Person(id=name))
        await self.authenticator.people.set_role(
            administrator("ada"), "chris", "conversation:c1", Role.APPROVER
        )
        await self.authenticator.people.set_role(administrator("ada"), "vera", "conversation:c1", Role.VIEWER)
        for name in ("ada", *PEOPLE):
            await self._create_token(name, Kind.PERSON)
        await self._create_token("clerk", Kind.AGENT, "ana")
        await self._create_token("bens-clerk", Kind.AGENT, "ben")
        await self._create_token("robot", Kind.SERVICE, "ana")

    async def _create_token(self, name: str, kind: Kind, on_behalf: str = "") -> None:
        minted = await self.authenticator.new_token(kind, name, by=administrator("ada"), on_behalf=on_behalf)
        self.tokens[name] = minted.secret

    def client(self, name: str | None = None) -> httpx.AsyncClient:
        """The client of a person or an agent; without a name, a client without a token."""
        headers = {} if name is None else {"authorization": f"Bearer {self.tokens[name]}"}
        transport = httpx.ASGITransport(app=self.asgi, raise_app_exceptions=False)  # type: ignore[arg-type]
        return httpx.AsyncClient(transport=transport, base_url=HERE, headers=headers)

    async def send(self, name: str | None, method: str, path: str, body: object = None, **more: Any) -> Reply:
        """Send a request as `name`; the reply must match the API's document."""
        if body is not None:
            more["content"] = body if isinstance(body, bytes) else json.dumps(body)
            more["headers"] = {"content-type": "application/json", **more.get("headers", {})}
        async with self.client(name) as client:
            reply = await client.request(method, path, **more)
        is_json = reply.headers.get("content-type", "").endswith(("/json", "+json")) and reply.content
        said = reply.json() if is_json else reply.text
        kind = reply.headers.get("content-type", "")
        assert not (wrong := find_schema_violation(method, path, reply.status_code, kind, said)), (
            method,
            path,
            wrong,
        )
        return Reply(reply.status_code, said, reply.headers)

    async def get(self, name: str | None, path: str, **query: Any) -> Reply:
        return await self.send(name, "GET", path, params=query)

    async def post(self, name: str | None, path: str, body: object = None, **more: Any) -> Reply:
        return await self.send(name, "POST", path, body, **more)

    async def ask(
        self, call: Mapping[str, object] = ASKED, *, conversation: str = "c1", **more: object
    ) -> str:
        """Submit a call of ana's clerk that needs approval; return the id of its question."""
        said = {"call": dict(call), "conversation": conversation, **more}
        reply = await self.post("clerk", "/v1/calls", said)
        assert reply.json["outcome"] == "wait", reply
        return str(reply.json["approval"])

    async def digest(self, id: str) -> str:
        return (await self.store.approval(id)).digest

    async def answer(self, id: str, say: str = "once", *, name: str = "ana", **more: object) -> Reply:
        said = {"digest": await self.digest(id), "answer": {"say": say, **more}}
        return await self.post(name, f"/v1/approvals/{id}/answer", said)

    async def wait_and_hang_up(self, id: str, gone: asyncio.Event) -> None:
        """Send a long poll, and disconnect when the event is set."""
        body = json.dumps({"seconds": 30}).encode()
        path = f"/v1/calls/{id}/wait"
        headers = {
            "host": "127.0.0.1:8722",
            "authorization": f"Bearer {self.tokens['clerk']}",
            "content-type": "application/json",
            "content-length": str(len(body)),
        }
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8722),
        }
        coming: list[MutableMapping[str, Any]] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> MutableMapping[str, Any]:
            if coming:
                return coming.pop()
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: MutableMapping[str, Any]) -> None:
            pass

        await self.asgi(scope, receive, send)

    async def create_samples(self) -> dict[str, str]:
        """Create one thing of each kind for ana; return the ids by the word in the path."""
        question = await self.ask()
        denied = await self.ask({**ASKED, "id": "denied"})
        await self.answer(denied, "deny")
        rule = StoredRule(id="r" * 32, list=RuleList.ALLOW, text="note.put(key=z)", user="ana", by="ana")
        grant = StoredGrant(
            id="9" * 32, pattern="note.put(key=z)", user="ana", lifetime=Lifetime.FOREVER, by="ana"
        )
        await self.store.add_policy((grant,), (rule,))
        session = await self.authenticator.new_session("ana")
        scope = PageScope("c1", ("https://crm.example",))
        page = await self.authenticator.new_page_token(scope, by=Principal(id="ana"))
        tokens = await self.authenticator.people.store.credentials("ana")
        token = next(one for one in tokens if one.purpose is Purpose.TOKEN)
        return {
            "calls": question,
            "hooks": denied,
            "approvals": question,
            "conversations": "c1",
            "agents": "clerk",
            "people": "ana",
            "rules": rule.id,
            "grants": grant.id,
            "tokens": token.id,
            "page-tokens": page.credential.id,
            "sessions": session.credential.id,
            "terminals": "0" * 32,
        }

    async def stored_state(self) -> list[object]:
        """Everything that a request could have changed."""
        every = await self.store.approvals(ApprovalFilter(), limit=1000)
        register = self.authenticator.people.store
        return [
            sorted((one.id, one.state, one.answer, one.later_at) for one in every.approvals),
            list(await self.store.rules()),
            list(await self.store.grants()),
            list(await self.store.tiers()),
            list(await self.store.declarations()),
            list(await self.store.workspaces()),
            (await self.store.conversations()).conversations,
            await self.store.setting("agent.permissions.mode"),
            (await self.store.moment()).paused,
            list(await register.people()),
            [await register.roles(name) for name in ("ada", *PEOPLE)],
            [one.id for one in await register.credentials()],
        ]

    async def connect_socket(self, path: str, headers: Mapping[str, str]) -> list[MutableMapping[str, Any]]:
        """The messages that a socket receives before it sends anything."""
        sent: list[MutableMapping[str, Any]] = []
        scope = {
            "type": "websocket",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "scheme": "ws",
            "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8722),
            "subprotocols": [],
        }
        coming = iter([{"type": "websocket.connect"}, {"type": "websocket.disconnect", "code": 1001}])

        async def receive() -> MutableMapping[str, Any]:
            return next(coming)

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        await self.asgi(scope, receive, send)
        return sent


@asynccontextmanager
async def open_api_server(kind: str = "memory", directory: Path | None = None) -> AsyncGenerator[ApiServer]:
    """A server on a fresh store, with all people and agents."""
    async with open_harness(kind, directory) as scene:
        api = ApiServer(scene, scene.store)  # type: ignore[arg-type]
        await api.add_people()
        try:
            yield api
        finally:
            await api.chat.close()
