"""Files and terminals over HTTP: only for a person's session on our own page, and only where they are on."""

import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from assent.door.middleware import Door
from assent.door.request import AllowedHosts
from assent.engine.base.tool import Call
from assent.gate.access import Principal
from assent.gate.workbench_access import WorkbenchAccess, WorkbenchRights
from assent.gate.workspaces import RegisteredWorkspace
from assent.hosts.workbench.pty_process import Size
from assent.hosts.workbench.refusal import WorkbenchError
from assent.hosts.workbench.workbench import Workbench
from assent.surfaces.http.app import create_app
from assent.version import __version__
from tests.surfaces.http.api_server import HERE, ApiServer, Reply, open_api_server

ADA = Principal(id="ada", administrator=True)
PAGE_ROUTES: list[tuple[str, str, dict[str, object] | None]] = [
    ("GET", "/v1/workbench", None),
    ("POST", "/v1/workbench/calls", {"ticket": "x", "tool": "files.read", "args": {"path": "/a.ts"}}),
    ("GET", "/v1/files", None),
    ("GET", "/v1/files/content?path=/a.ts", None),
    ("POST", "/v1/files/create", {"path": "/new.ts"}),
    ("POST", "/v1/files/write", {"path": "/a.ts", "content": "new", "digest": sha256(b"old").hexdigest()}),
    ("POST", "/v1/files/rename", {"path": "/a.ts", "to": "/b.ts"}),
    ("POST", "/v1/files/delete", {"path": "/a.ts"}),
    ("GET", "/v1/terminals", None),
    ("DELETE", "/v1/terminals/" + "0" * 32, None),
]
FILE_ROUTES = [one for one in PAGE_ROUTES if one[1].startswith("/v1/files")]


class Bench:
    """A server with a workbench, and the pages of its people."""

    def __init__(self, api: ApiServer, root: Path, *, local_only: bool = True) -> None:
        self.root = root
        access = WorkbenchAccess(api.store)  # type: ignore[arg-type] # every store of ours is a whole one
        environ = {"PATH": os.environ["PATH"], "SHELL": "/bin/sh"}
        self.workbench = Workbench(
            api.scene.gate, access, str(root), local_only=local_only, environ=environ, grace_seconds=0
        )
        self.api = api
        api.service = replace(api.service, workbench=self.workbench)
        api.app = create_app(api.service)
        api.asgi = Door(api.app, api.authenticator, AllowedHosts(public_url=HERE))

    async def headers(self, name: str) -> dict[str, str]:
        """The headers that a page of this server sends with a person's session."""
        session = await self.api.authenticator.new_session(name)
        return {"cookie": f"assent_session={session.secret}", "origin": HERE}

    async def send(self, name: str, method: str, path: str, body: object = None) -> Reply:
        """Send a request from the page of a person."""
        return await self.api.send(None, method, path, body, headers=await self.headers(name))

    def snapshot(self) -> Mapping[str, str]:
        """The files of the root."""
        return {path.name: path.read_text() for path in self.root.iterdir()}


@asynccontextmanager
async def open_bench(directory: Path, *, local_only: bool) -> AsyncGenerator[Bench]:
    root = directory / "shop"
    root.mkdir()
    (root / "a.ts").write_text("old")
    async with open_api_server() as api:
        bench = Bench(api, root, local_only=local_only)
        if local_only:
            for person in ("ana", "ben"):
                rights = WorkbenchRights(files=True, terminal=True)
                await bench.workbench.access.set_rights(ADA, person, rights)
        try:
            yield bench
        finally:
            await bench.workbench.close()


@pytest.fixture
def bench(tmp_path: Path) -> AbstractAsyncContextManager[Bench]:
    return open_bench(tmp_path, local_only=True)


@pytest.fixture
def reachable(tmp_path: Path) -> AbstractAsyncContextManager[Bench]:
    return open_bench(tmp_path, local_only=False)


async def test_the_page_of_a_person_lists_reads_and_changes_files(bench: Bench) -> None:
    looked = await bench.send("ana", "GET", "/v1/workbench")
    listed = await bench.send("ana", "GET", "/v1/files?root=shop")
    read = await bench.send("ana", "GET", "/v1/files/content?path=/a.ts")
    written = await bench.send(
        "ana", "POST", "/v1/files/write", {"path": "/a.ts", "content": "new", "digest": read.json["digest"]}
    )
    made = await bench.send("ana", "POST", "/v1/files/create", {"path": "/src", "kind": "directory"})
    moved = await bench.send("ana", "POST", "/v1/files/rename", {"path": "/a.ts", "to": "/src/b.ts"})
    gone = await bench.send("ana", "POST", "/v1/files/delete", {"path": "/src"})

    assert looked.json == {
        "files": True,
        "terminal": True,
        "local_only": True,
        "version": __version__,
        "roots": [{"name": "shop", "directory": str(bench.root), "own": True}],
    }
    assert [one["name"] for one in listed.json["entries"]] == ["a.ts"]
    assert (read.json["text"], read.json["binary"]) == ("old", False)
    assert [one.status for one in (written, made, moved, gone)] == [200, 201, 200, 200]
    assert moved.json["digest"] == sha256(b"new").hexdigest()
    assert bench.snapshot() == {}


@pytest.mark.proves("R003-52")
async def test_the_file_service_refuses_a_path_outside_the_root_with_403(bench: Bench) -> None:
    (bench.root.parent / "outside.ts").write_text("secret")
    (bench.root / "link").symlink_to(bench.root.parent)
    replies = [
        await bench.send("ana", "GET", f"/v1/files/content?path={path}")
        for path in ("/../outside.ts", "/link/outside.ts", "../outside.ts", "/a.ts/../../outside.ts")
    ]

    assert [one.status for one in replies] == [403] * 4
    assert [one.json["reason"] for one in replies] == ["outside", "link", "outside", "outside"]


async def test_a_refusal_says_what_the_page_can_do(bench: Bench) -> None:
    changed = await bench.send(
        "ana", "POST", "/v1/files/write", {"path": "/a.ts", "content": "new", "digest": "0" * 64}
    )
    absent = await bench.send("ana", "GET", "/v1/files/content?path=/none")
    no_root = await bench.send("ana", "GET", "/v1/files?root=none")

    assert (changed.status, changed.json["reason"], changed.json["digest"]) == (
        *(409, "changed", sha256(b"old").hexdigest()),
    )
    assert [(one.status, one.json["reason"]) for one in (absent, no_root)] == [(404, "absent")] * 2


@pytest.mark.proves("T-15")
@pytest.mark.supports("T-5")
@pytest.mark.parametrize(("method", "path", "body"), PAGE_ROUTES)
async def test_tokens_and_pages_of_other_origins_get_nothing(
    bench: Bench, method: str, path: str, body: object
) -> None:
    before = bench.snapshot()
    by_token = [await bench.api.send(name, method, path, body) for name in ("ana", "ada", "clerk", "robot")]
    headers = await bench.headers("ana")
    foreign = [
        await bench.api.send(None, method, path, body, headers={**headers, "origin": origin})
        for origin in ("https://evil.example", "http://127.0.0.1:8723", "null")
    ]
    anonymous = await bench.api.send(None, method, path, body, headers={"origin": HERE})

    assert [one.status for one in (*by_token, *foreign)] == [403] * 7
    assert anonymous.status == 401
    assert bench.snapshot() == before


@pytest.mark.proves("T-15")
@pytest.mark.parametrize("path", ["/v1/files/watch", "/v1/terminals/stream"])
async def test_a_socket_opens_only_for_a_session_on_our_own_page(bench: Bench, path: str) -> None:
    host, cookie = {"host": "127.0.0.1:8722"}, await bench.headers("ana")
    refused: list[dict[str, str]] = [
        {**host},
        {**host, "origin": HERE},
        {**host, "cookie": cookie["cookie"]},
        {**host, **cookie, "origin": "http://127.0.0.1:8723"},
        {**host, **cookie, "origin": "null"},
        *({**host, "authorization": f"Bearer {token}"} for token in bench.api.tokens.values()),
        *({**host, "authorization": f"Bearer {bench.api.tokens['ana']}", **cookie} for _ in "1"),
    ]
    found = [[one["type"] for one in await bench.api.connect_socket(path, headers)] for headers in refused]
    own = await bench.api.connect_socket(path, {**host, **cookie})

    assert found == [["websocket.close"]] * len(refused)
    assert own[0]["type"] == "websocket.accept"


@pytest.mark.parametrize(("method", "path", "body"), PAGE_ROUTES[1:])
async def test_everything_is_off_on_a_server_that_others_reach(
    reachable: Bench, method: str, path: str, body: object
) -> None:
    before = reachable.snapshot()
    replies = [await reachable.send(name, method, path, body) for name in ("ana", "ada")]

    assert [(one.status, one.json["reason"]) for one in replies] == [(403, "off")] * 2
    assert reachable.snapshot() == before


async def test_on_a_local_server_files_and_terminals_are_on_for_administrators_only(bench: Bench) -> None:
    """A person who may only look at questions would otherwise have a shell of the server's user."""
    await bench.workbench.access.set_rights(ADA, "ben", WorkbenchRights())
    seen = [(await bench.send(name, "GET", "/v1/workbench")).json for name in ("ben", "ada")]
    replies = [(await bench.send("ben", method, path, body)).status for method, path, body in PAGE_ROUTES[1:]]

    assert [(one["files"], one["terminal"], len(one["roots"])) for one in seen] == [
        *((False, False, 0), (True, True, 1)),
    ]
    assert set(replies) == {403}


async def test_an_administrator_turns_files_and_terminals_on_for_one_person(reachable: Bench) -> None:
    path = "/v1/people/ana/workbench"
    by_ana = await reachable.send("ana", "PUT", path, {"files": True, "terminal": True})
    unknown = await reachable.api.send(
        "ada", "PUT", "/v1/people/nobody/workbench", {"files": True, "terminal": True}
    )
    files_on = await reachable.api.send("ada", "PUT", path, {"files": True, "terminal": False})
    seen = [(await reachable.send(name, "GET", "/v1/workbench")).json for name in ("ana", "ben")]
    listed = await reachable.send("ana", "GET", "/v1/files")
    terminals = await reachable.send("ana", "GET", "/v1/terminals")
    await reachable.api.send("ada", "PUT", path, {"files": False, "terminal": True})
    later = [(await reachable.send("ana", "GET", one)).status for one in ("/v1/files", "/v1/terminals")]

    assert (by_ana.status, unknown.status) == (403, 404)
    assert files_on.json == {"files": True, "terminal": False}
    assert [(one["files"], one["terminal"], len(one["roots"])) for one in seen] == [
        *((True, False, 1), (False, False, 0)),
    ]
    assert (listed.status, terminals.status) == (200, 403)
    assert later == [403, 200]
    rows = (await reachable.api.get("ada", "/v1/audit")).json["items"]
    reasons = [str(one["entry"]["reason"]) for one in rows]
    assert [one for one in reasons if "workbench" in one] == [
        "workbench of ana: terminal",
        "workbench of ana: files",
    ]


@pytest.mark.parametrize(("method", "path", "body"), FILE_ROUTES)
async def test_workspaces_of_one_agent_are_roots_for_administrators_only(
    bench: Bench, method: str, path: str, body: dict[str, object] | None
) -> None:
    other = bench.root.parent / "other"
    other.mkdir()
    (other / "a.ts").write_text("old")
    await _register(bench.api, "clerk", str(other))
    if body is not None:
        body = {**body, "root": "other"}
    else:
        path += ("&" if "?" in path else "?") + "root=other"
    by_ana = await bench.send("ana", method, path, body)
    before = (other / "a.ts").read_text()
    by_ada = await bench.send("ada", method, path, body)

    assert (by_ana.status, by_ana.json["reason"], before) == (404, "absent", "old")
    assert by_ada.status in (200, 201)


async def test_a_call_of_an_agent_needs_the_ticket_that_came_with_it(bench: Bench) -> None:
    call = Call(tool="files.write", args={"path": "/a.ts", "content": "new"}, id="c1")
    issued = await bench.workbench.issue_ticket(Principal(id="ana"), call, sha256(b"old").hexdigest())
    assert issued is not None
    body = {"ticket": issued.ticket, "tool": call.tool, "args": dict(call.args)}
    without = await bench.send("ana", "POST", "/v1/workbench/calls", {**body, "ticket": ""})
    of_another = await bench.send("ben", "POST", "/v1/workbench/calls", body)
    before = bench.snapshot()
    done = await bench.send("ana", "POST", "/v1/workbench/calls", body)
    again = await bench.send("ana", "POST", "/v1/workbench/calls", body)

    assert issued.root == "shop"
    assert before == {"a.ts": "old"}
    assert [(one.status, one.json["reason"]) for one in (without, of_another, again)] == [(403, "ticket")] * 3
    assert (done.status, done.json["value"]["digest"]) == (200, sha256(b"new").hexdigest())
    assert bench.snapshot() == {"a.ts": "new"}


async def test_a_ticket_is_for_the_root_in_which_the_gate_decided(bench: Bench) -> None:
    other = bench.root / "packages"
    other.mkdir()
    await _register(bench.api, "", str(other))
    user = Principal(id="ana")
    cases = [
        *(("", ""), ("", str(bench.root)), ("shop", "/"), ("packages", str(other))),
        # A person edited the root on the card, or a page lies about it: the gate decided for another one.
        *(("packages", ""), ("", str(other)), ("shop", str(other)), ("packages", "/")),
    ]
    found = []
    for root, cwd in cases:
        args = {"path": "/a.ts", **({"root": root} if root else {})}
        call = Call(tool="files.read", args=args, id="c", cwd=cwd)
        found.append(await bench.workbench.issue_ticket(user, call))

    roots = [None if one is None else one.root for one in found]
    assert roots == ["shop", "shop", "shop", "packages", None, None, None, None]


async def test_a_call_is_decided_for_the_root_or_the_terminal_that_it_names(bench: Bench) -> None:
    other, single = bench.root.parent / "docs", bench.root.parent / "single"
    other.mkdir()
    single.mkdir()
    await _register(bench.api, "", str(other))
    await _register(bench.api, "clerk", str(single))
    (_, docs) = await bench.workbench.roots(Principal(id="ana"))
    terminal = bench.workbench.terminals.open("ana", docs, "/", Size())

    async def directory_of(tool: str, user: str = "ana", **args: object) -> str:
        call = Call(tool=tool, args=args, agent="chat", id="c")
        try:
            return await bench.workbench.find_directory(Principal(id=user), call)
        except WorkbenchError as error:
            return error.reason.value

    assert await directory_of("files.read", path="/a") == ""
    assert await directory_of("files.read", path="/a", root="shop") == ""
    assert await directory_of("files.read", path="/a", root="docs") == str(other)
    assert await directory_of("editor.save", path="/a", root="docs") == str(other)
    assert await directory_of("files.read", path="/a", root="single") == "absent"
    assert await directory_of("files.read", path="/a", root="../docs") == "absent"
    assert await directory_of("terminal.exec", terminal=terminal.id, command="ls") == str(other)
    assert await directory_of("terminal.exec", "ben", terminal=terminal.id, command="ls") == "absent"
    assert await directory_of("terminal.read", terminal=terminal.id) == ""


async def test_an_administrator_works_in_no_root_that_the_agent_does_not_have(bench: Bench) -> None:
    single = bench.root.parent / "single"
    single.mkdir()
    await _register(bench.api, "clerk", str(single))
    call = Call(tool="files.read", args={"path": "/a", "root": "single"}, agent="chat", id="c")

    assert [one.name for one in await bench.workbench.roots(ADA)] == ["shop", "single"]
    with pytest.raises(WorkbenchError, match="no workspace of this conversation's agent"):
        await bench.workbench.find_directory(ADA, call)
    assert await bench.workbench.find_directory(ADA, replace(call, agent="clerk")) == str(single)


async def test_terminals_are_listed_and_ended_by_their_person_only(bench: Bench) -> None:
    (root,) = await bench.workbench.roots(Principal(id="ana"))
    terminal = bench.workbench.terminals.open("ana", root, "/", Size())
    listed = [(await bench.send(name, "GET", "/v1/terminals")).json["items"] for name in ("ana", "ben")]
    theirs = await bench.send("ben", "DELETE", f"/v1/terminals/{terminal.id}")
    mine = await bench.send("ana", "DELETE", f"/v1/terminals/{terminal.id}")
    left = await bench.send("ana", "GET", "/v1/terminals")

    assert listed == [
        [{"id": terminal.id, "root": "shop", "path": "/", "busy": False, "shared": False}],
        [],
    ]
    assert (theirs.status, mine.status) == (404, 204)
    assert left.json == {"items": []}


async def _register(api: ApiServer, agent: str, root: str) -> None:
    """Register a local workspace; the harness has no disk to prove it on."""
    one = RegisteredWorkspace(id="a" * 32, agent=agent, root=root, by="ada")
    await api.store.set_workspaces(agent, (one,), known=frozenset(), entries=())
