"""Calls of agents: carried out with a ticket, exactly as the gate decided and the person saw them."""

import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import pytest

from assent.config.tools import TOOLS_BY_BELT
from assent.engine.base.tool import Call
from assent.hosts.workbench.agent_calls import AgentCalls, CallRequest
from assent.hosts.workbench.pty_process import Size
from assent.hosts.workbench.refusal import Reason, WorkbenchError
from assent.hosts.workbench.roots import Root
from assent.hosts.workbench.terminals import Terminals
from assent.hosts.workbench.tickets import Tickets

PAGE_TOOLS = {
    *("list_open_panes", "get_pane_context", "open_pane", "close_pane", "focus_pane", "split_pane"),
    *("switch_workspace", "editor.showLine", "observability.clear", "stub.getValue", "stub.setValue"),
    *("clubhouse.status", "clubhouse.listRooms", "clubhouse.disconnect"),
}
"""The tools of the belt that need no service of the server."""


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


class Bench:
    """The services of one server, with a root that has one file."""

    def __init__(self, directory: Path) -> None:
        (directory / "shop").mkdir()
        self.directory = directory / "shop"
        (self.directory / "a.ts").write_text("one\ntwo\n")
        self.root = Root("shop", str(self.directory), own=True)
        self.tickets = Tickets()
        self.terminals = Terminals({"PATH": os.environ["PATH"]})
        self.calls = AgentCalls(self.tickets, self.terminals)

    async def run(
        self, tool: str, args: Mapping[str, object], seen: str | None = None, cwd: str = "", **more: str
    ) -> Mapping[str, object]:
        """Carry out a call that the gate let run."""
        call = Call(tool=tool, args=args, id="c1", cwd=cwd)
        ticket = self.tickets.issue("ana", call, root=self.root.directory, file_digest=seen)
        return await self.calls.run(
            "ana", CallRequest(ticket=ticket, tool=tool, args=args, **more), [self.root]
        )

    async def refusal(
        self, tool: str, args: Mapping[str, object], seen: str | None = None, cwd: str = "", **more: str
    ) -> Reason:
        """The reason why a call is refused."""
        with pytest.raises(WorkbenchError) as refused:
            await self.run(tool, args, seen, cwd, **more)
        return refused.value.reason


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


async def test_every_tool_of_the_belt_is_carried_out_by_the_server_or_the_page(bench: Bench) -> None:
    known = set[str]()
    for tool in TOOLS_BY_BELT["workbench"]:
        try:
            await bench.run(tool, {"path": "/none", "to": "/none2", "terminal": "none", "command": "true"})
        except WorkbenchError as error:
            if "carries out no calls" in str(error):
                continue
        known.add(tool)

    assert set(TOOLS_BY_BELT["workbench"]) - known == PAGE_TOOLS


async def test_files_are_listed_and_read(bench: Bench) -> None:
    listed = await bench.run("files.list", {})
    read = await bench.run("files.read", {"path": "a.ts"})

    assert [one["name"] for one in listed["entries"]] == ["a.ts"]  # type: ignore[attr-defined]
    assert (read["root"], read["path"], read["text"], read["digest"]) == (
        *("shop", "/a.ts", "one\ntwo\n", digest("one\ntwo\n")),
    )


async def test_files_are_created_written_moved_and_deleted(bench: Bench) -> None:
    await bench.run("files.mkdir", {"path": "/src"})
    await bench.run("files.create", {"path": "/src/b.ts", "content": "b"})
    await bench.run("files.write", {"path": "/src/b.ts", "content": "c"}, digest("b"))
    await bench.run("files.rename", {"path": "/src/b.ts", "to": "/src/c.ts"})
    moved = (bench.directory / "src/c.ts").read_text()
    await bench.run("files.delete", {"path": "/src"})

    assert moved == "c"
    assert os.listdir(bench.directory) == ["a.ts"]


@pytest.mark.parametrize("tool", ["editor.applyEdit", "editor.proposeEdit", "files.write"])
async def test_an_edit_is_applied_to_the_text_that_the_person_saw(bench: Bench, tool: str) -> None:
    args = {"path": "/a.ts", "old_string": "two", "new_string": "2"}
    if tool == "files.write":
        args = {"path": "/a.ts", "content": "one\n2\n"}
    await bench.run(tool, args, digest("one\ntwo\n"))

    assert (bench.directory / "a.ts").read_text() == "one\n2\n"


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("files.write", {"path": "/a.ts", "content": "new"}),
        ("editor.applyEdit", {"path": "/a.ts", "old_string": "one", "new_string": "1"}),
        ("files.delete", {"path": "/a.ts"}),
    ],
)
async def test_a_file_that_changed_after_the_answer_is_kept(
    bench: Bench, tool: str, args: Mapping[str, object]
) -> None:
    (bench.directory / "a.ts").write_text("one\nchanged\n")

    assert await bench.refusal(tool, args, digest("one\ntwo\n")) is Reason.CHANGED
    assert (bench.directory / "a.ts").read_text() == "one\nchanged\n"


@pytest.mark.supports("R003-52")
@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("files.read", {"path": "/a.ts"}),
        ("files.write", {"path": "/a.ts", "content": "new"}),
        ("editor.save", {"path": "/a.ts"}),
        ("files.rename", {"path": "/a.ts", "to": "/b.ts"}),
        ("files.delete", {"path": "/a.ts"}),
    ],
)
async def test_a_file_that_became_a_link_after_the_answer_is_refused(
    bench: Bench, tool: str, args: Mapping[str, object]
) -> None:
    outside = bench.directory.parent / "outside.ts"
    outside.write_text("one\ntwo\n")
    (bench.directory / "a.ts").unlink()
    (bench.directory / "a.ts").symlink_to(outside)
    more = {"content": "new", "digest": digest("one\ntwo\n")} if tool == "editor.save" else {}

    assert await bench.refusal(tool, args, digest("one\ntwo\n"), **more) is Reason.LINK
    assert outside.read_text() == "one\ntwo\n"
    assert (bench.directory / "a.ts").is_symlink()


@pytest.mark.parametrize(
    ("tool", "args", "reason"),
    [
        ("files.read", {"path": "/../outside"}, Reason.OUTSIDE),
        ("files.read", {"path": 1}, Reason.UNFIT),
        ("files.read", {}, Reason.UNFIT),
        ("files.write", {"path": "/a.ts"}, Reason.UNFIT),
        ("files.write", {"path": "/binary", "content": "x"}, Reason.BINARY),
        ("files.create", {"path": "/a.ts"}, Reason.EXISTS),
        ("editor.applyEdit", {"path": "/a.ts", "old_string": "none", "new_string": "x"}, Reason.UNFIT),
        ("editor.applyEdit", {"path": "/a.ipynb", "new_source": "x", "edit_mode": "insert"}, Reason.UNFIT),
        ("editor.save", {"path": "/a.ts"}, Reason.UNFIT),
        ("terminal.read", {"terminal": "none"}, Reason.ABSENT),
        ("open_pane", {}, Reason.TICKET),
    ],
)
async def test_a_call_that_cannot_be_carried_out_changes_nothing(
    bench: Bench, tool: str, args: Mapping[str, object], reason: Reason
) -> None:
    (bench.directory / "binary").write_bytes(b"\0")
    (bench.directory / "a.ipynb").write_text('{"cells": []}')
    before = {path: path.read_bytes() for path in bench.directory.iterdir()}

    assert await bench.refusal(tool, args) is reason
    assert {path: path.read_bytes() for path in bench.directory.iterdir()} == before


async def test_only_saving_has_a_text_beside_the_arguments(bench: Bench) -> None:
    more = {"content": "new", "digest": digest("one\ntwo\n")}
    sneaked = await bench.refusal("files.read", {"path": "/a.ts"}, **more)
    await bench.run("editor.save", {"path": "/a.ts"}, **more)

    assert sneaked is Reason.TICKET
    assert (bench.directory / "a.ts").read_text() == "new"


async def test_a_call_for_a_root_that_is_not_registered_any_more_is_refused(bench: Bench) -> None:
    call = Call(tool="files.read", args={"path": "/a.ts"}, id="c1")
    ticket = bench.tickets.issue("ana", call, root=bench.root.directory)
    with pytest.raises(WorkbenchError) as refused:
        await bench.calls.run("ana", CallRequest(ticket=ticket, tool=call.tool, args=call.args), [])

    assert refused.value.reason is Reason.ABSENT


async def test_a_command_runs_in_the_directory_for_which_it_was_decided(bench: Bench) -> None:
    (bench.directory / "src").mkdir()
    terminal = bench.terminals.open("ana", bench.root, "/src", Size())
    args = {"command": "pwd", "terminal": terminal.id, "seconds": 120}
    in_source = await bench.run("terminal.exec", args, cwd=str(bench.directory / "src"))

    assert (in_source["status"], in_source["output"]) == (0, f"{bench.directory}/src\n")
    assert await bench.refusal("terminal.exec", args) is Reason.TICKET
    assert (await bench.run("terminal.read", {"terminal": terminal.id}))["output"] == in_source["output"]
    listed = await bench.run("terminal.list", {})
    assert [one["path"] for one in listed["terminals"]] == ["/src"]  # type: ignore[attr-defined]


@pytest.mark.parametrize("seconds", [0, -1, 601, "9"])
async def test_a_command_has_a_time_limit(bench: Bench, seconds: object) -> None:
    terminal = bench.terminals.open("ana", bench.root, "/", Size())
    args = {"command": "touch ran", "terminal": terminal.id, "seconds": seconds}

    assert await bench.refusal("terminal.exec", args) is Reason.UNFIT
    assert not (bench.directory / "ran").exists()
