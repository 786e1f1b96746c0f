"""The toolbelt: composed for each run from available resources; the gate decides each call first."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

from assent.compose import open_gate
from assent.config.tools import TOOLS_BY_BELT
from assent.engine.base.tool import Call, Effect, Tool
from assent.engine.disclosure import disclose_tools
from assent.engine.policy.rule import RuleList
from assent.gate.answer import Answer, Say
from assent.gate.calls import Refuse, Run, Wait
from assent.gate.gate import Gate
from assent.gate.policy import StoredRule
from assent.gate.turn import Turn
from assent.hosts.chat.chat import make_read_check
from assent.hosts.chat.kernel.kernel import LocalKernel
from assent.hosts.chat.tools import kernel_port
from assent.hosts.chat.tools.file_changes import write_file_tool
from assent.hosts.chat.tools.kernel_port import FetchedPage, kernel_tools
from assent.hosts.chat.tools.settings import McpServer, MediaProvider, ToolSettings
from assent.hosts.chat.tools.tool import ChatTool
from assent.hosts.chat.tools.toolbelt import (
    CORE_TOOLS,
    ToolGroups,
    ToolResources,
    compose_tools,
    group_tools,
    open_tool_resources,
)
from tests.hosts.chat.chat_process import notes_settings, open_chat_process
from tests.hosts.chat.tools.support import ANA, find_tool, make_context, succeeded_and_text, workspace

ALWAYS_THERE = """read_file list_files search_files write_file apply_change run_command web_fetch list_nodes get_node
    run_node list_workflows get_workflow run_workflow todo_write""".split()
BARE: dict[str, str] = {"PATH": "/nonexistent"}
PROVIDER = MediaProvider(endpoint="http://127.0.0.1:1/v1", model="m")


async def tool_names(settings: ToolSettings, root: Path) -> list[str]:
    async with open_tool_resources(settings, environ=BARE) as resources:
        return [tool.name for tool in await compose_tools(resources, make_context(root))]


@pytest.mark.supports("R000-11")
async def test_a_tool_whose_resource_is_missing_is_absent(tmp_path: Path) -> None:
    assert await tool_names(ToolSettings(), workspace(tmp_path)) == ALWAYS_THERE


@pytest.mark.proves("R000-13")
async def test_a_tool_whose_resource_is_available_is_offered(tmp_path: Path) -> None:
    full = ToolSettings(
        search="http://127.0.0.1:1/search",
        chromium="/bin/sh",  # Any executable file; it starts only when it is used.
        collections=str(tmp_path / "c.db"),
        image=PROVIDER,
        speech=PROVIDER,
    )
    root = workspace(tmp_path)

    offered = await tool_names(full, root)

    more = "web_search browser list_collections search_collections query_collection generate_image text_to_speech"
    assert set(offered) == {*ALWAYS_THERE, *more.split()}
    assert set(offered) | {"run_subtask"} == set(TOOLS_BY_BELT["chat"])
    assert not (tmp_path / "c.db").exists()


async def test_a_tool_turned_off_by_the_operator_is_absent(tmp_path: Path) -> None:
    offered = await tool_names(
        ToolSettings(disabled_tools=frozenset({"run_command", "web_fetch"})), workspace(tmp_path)
    )

    assert offered == [name for name in ALWAYS_THERE if name not in ("run_command", "web_fetch")]


@pytest.mark.proves("T-7")
async def test_two_tools_never_share_a_name(tmp_path: Path) -> None:
    class DuplicateToolServer:
        async def list_tools(self) -> tuple[ChatTool, ...]:
            false_friend = write_file_tool()
            renamed = replace(false_friend, tool=replace(false_friend.tool, name="read_file"))
            return (renamed, replace(renamed, tool=replace(renamed.tool, name="mcp__a__b")), renamed)

        async def close(self) -> None: ...

    root = workspace(tmp_path)
    (root / "a.txt").write_text("reed", "utf-8")
    async with open_tool_resources(ToolSettings(), environ=BARE) as resources:
        tools = await compose_tools(
            replace(resources, mcp_servers=(DuplicateToolServer(),)), make_context(root)
        )

    assert [tool.name for tool in tools] == [*ALWAYS_THERE, "mcp__a__b"]
    assert succeeded_and_text(
        await find_tool(tools, "read_file").run_call({"path": "a.txt"}, make_context(root))
    ) == (True, "reed")


async def test_an_unavailable_mcp_server_does_not_affect_other_tools(tmp_path: Path) -> None:
    settings = ToolSettings(mcp=(McpServer(name="gone", command=("/nonexistent/server",)),))

    assert await tool_names(settings, workspace(tmp_path)) == ALWAYS_THERE


@pytest.mark.proves("R000-8")
@pytest.mark.supports("R000-1")
async def test_every_tool_declares_its_effect_and_its_parameters(tmp_path: Path) -> None:
    async with open_tool_resources(ToolSettings(collections=str(tmp_path / "c.db"))) as resources:
        tools = await compose_tools(resources, make_context(workspace(tmp_path)))

    for tool in tools:
        known = TOOLS_BY_BELT["chat"][tool.name]
        assert (tool.tool.effect, tool.tool.dialect, tool.tool.template) == (
            known.effect,
            known.dialect,
            known.template,
        )
        assert tool.tool.description
        assert tool.tool.parameters["type"] == "object"
    assert {tool.name for tool in tools if tool.dry_run is not None} == {"write_file", "apply_change"}
    assert [tool.name for tool in tools if tool.tool.effect is Effect.DESTRUCTIVE] == []


async def test_without_the_kernel_its_tools_are_absent_and_the_others_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_port, "KERNEL_MODULE", "assent.hosts.chat.no_kernel.kernel")

    offered = await tool_names(ToolSettings(), workspace(tmp_path))

    assert offered == [
        name for name in ALWAYS_THERE if not name.endswith(("_node", "_nodes", "_workflow", "_workflows"))
    ]


async def test_the_tools_work_with_another_kernel(tmp_path: Path) -> None:
    async def refuse_fetch(url: str) -> FetchedPage:
        raise AssertionError(url)

    root = workspace(tmp_path)
    tools = kernel_tools(LocalKernel(str(root), refuse_fetch, []))
    result = await find_tool(tools, "list_nodes").run_call({}, make_context(root))

    assert succeeded_and_text(result) == (True, "(none)")


# ---- behind a gate --------------------------------------------------------------------------


class ToolSession:
    """A gate with its tools, and one conversation."""

    def __init__(
        self, gate: Gate, resources: ToolResources, tools: tuple[ChatTool, ...], turn: Turn, root: Path
    ) -> None:
        self.gate = gate
        self.resources = resources
        self.tools = tools
        self.turn = turn
        self.context = make_context(root)

    async def submit(self, tool: str, **args: object) -> Run | Refuse | Wait:
        outcome = await self.turn.submit(Call(tool=tool, args=args))
        assert isinstance(outcome, Run | Refuse | Wait)
        return outcome

    async def run(self, outcome: object) -> tuple[bool, str]:
        assert isinstance(outcome, Run), outcome
        return succeeded_and_text(
            await find_tool(self.tools, outcome.call.tool).run_call(outcome.call.args, self.context)
        )

    async def say_yes(self, wait: object) -> Run | Refuse:
        assert isinstance(wait, Wait), wait
        answer = Answer(say=Say.ONCE, by="ana")
        await self.gate.answer(ANA, wait.approval.id, wait.approval.digest, answer)
        taken = await self.turn.resume(wait.approval.id)
        assert isinstance(taken, Run | Refuse)
        return taken


@asynccontextmanager
async def open_tool_session(root: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[ToolSession]:
    monkeypatch.setenv("HOME", str(root.parent / "home"))
    async with (
        open_gate(":memory:", cwd=str(root), preset="chat") as gate,
        open_tool_resources(ToolSettings(), environ=BARE) as resources,
    ):
        tools = await compose_tools(resources, make_context(root))
        gate.offer(*(tool.declared_tool for tool in tools))
        turn = await gate.begin(ANA, conversation="c1", agent="chat")
        yield ToolSession(gate, resources, tools, turn, root)


@pytest.mark.proves("R000-2", "R000-4", "R000-16")
async def test_reads_run_without_asking_and_changes_ask_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = workspace(tmp_path)
    (root / "a.txt").write_text("reed", "utf-8")
    async with open_tool_session(root, monkeypatch) as session:
        read = await session.run(await session.submit("read_file", path="a.txt"))
        searched = await session.run(await session.submit("search_files", text="reed"))
        harmless = await session.run(await session.submit("run_command", command="cat a.txt | wc -c"))
        asked = [
            await session.submit("write_file", path="a.txt", content="gone"),
            await session.submit("run_command", command="rm a.txt"),
            await session.submit("read_file", path="../outside.txt"),
            await session.submit("run_node", node_type="text.count", inputs={"text": ""}),
        ]

    assert (read, searched, harmless) == ((True, "reed"), (True, "a.txt:1: reed"), (True, "4"))
    assert [type(outcome) for outcome in asked] == [Wait] * 4
    assert (root / "a.txt").read_text("utf-8") == "reed"


@pytest.mark.proves("T-3", "T-27")
async def test_a_link_created_between_approval_and_run_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = workspace(tmp_path)
    (root / "a.txt").write_text("reed", "utf-8")
    async with open_tool_session(root, monkeypatch) as session:
        taken = await session.say_yes(await session.submit("write_file", path="a.txt", content="gone"))
        (root / "a.txt").unlink()
        (root / "a.txt").symlink_to(tmp_path / "outside.txt")

        ran = await session.run(taken)

    assert ran == (False, "`a.txt` is a link, and links are not followed")
    assert (tmp_path / "outside.txt").read_text("utf-8") == "nobody's business"


async def test_an_approved_call_outside_the_workspace_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = workspace(tmp_path)
    async with open_tool_session(root, monkeypatch) as session:
        taken = await session.say_yes(
            await session.submit("read_file", path=str(tmp_path.resolve() / "outside.txt"))
        )
        session.context = replace(session.context, may_leave_workspace=True)

        assert await session.run(taken) == (True, "nobody's business")


async def test_a_search_shows_no_lines_of_a_file_that_a_rule_denies_to_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = workspace(tmp_path)
    for name in ("private/plan.txt", "open.txt"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("heron", "utf-8")
    async with open_tool_session(root, monkeypatch) as session:
        rule = StoredRule(id="r1", list=RuleList.DENY, text="read_file(/private/**)", by="ada")
        await session.gate.store.add_policy(rules=[rule])
        may_read = make_read_check(session.gate, ANA, conversation="c1", agent="chat")
        session.context = replace(session.context, may_read=may_read)

        assert await session.run(await session.submit("search_files", text="heron")) == (
            True,
            "open.txt:1: heron",
        )


async def test_a_run_continues_after_every_error_of_its_tools(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = workspace(tmp_path)
    (root / "b.bin").write_bytes(b"\0")
    async with open_tool_session(root, monkeypatch) as session:
        said = [
            await session.run(await session.submit("read_file", path="no.txt")),
            await session.run(await session.submit("read_file", path="b.bin")),
            await session.run(await session.submit("web_fetch", url="http://127.0.0.1:9/")),
            await session.run(await session.submit("get_node", node_type="no.such")),
            await session.run(await session.submit("run_command", command="ls no-such-file")),
            await session.run(await session.submit("list_files")),
        ]

    assert [well for well, _ in said] == [False] * 5 + [True]


async def test_two_concurrent_calls_do_not_mix(tmp_path: Path) -> None:
    root = workspace(tmp_path)
    async with open_tool_resources(ToolSettings(), environ=BARE) as resources:
        write = find_tool(await compose_tools(resources, make_context(root)), "write_file")
        await asyncio.gather(
            *(
                write.run_call({"path": "a.txt", "content": str(n) * 10_000}, make_context(root))
                for n in range(8)
            )
        )

    text = (root / "a.txt").read_text("utf-8")
    assert len(text) == 10_000
    assert len(set(text)) == 1


NOTE = Tool(name="mcp__notes__note", effect=Effect.EXTERNAL, group="mcp__notes")
DROP = Tool(name="mcp__shop__drop", effect=Effect.DESTRUCTIVE, group="mcp__shop")
READ = Tool(name="read_file", effect=Effect.READ, group="chat")


@pytest.mark.proves("R003-15")
async def test_a_loaded_group_is_shown_from_the_next_model_request(tmp_path: Path) -> None:
    rounds: list[set[str]] = []

    async def stream_model_reply(messages: list[ModelMessage], info: AgentInfo):  # type: ignore[no-untyped-def]
        rounds.append({tool.name for tool in info.function_tools})
        if len(rounds) == 1:
            yield {0: DeltaToolCall("load_tools", '{"group": "mcp__notes"}', tool_call_id="c1")}
        else:
            yield "done"

    models = {"m": FunctionModel(stream_function=stream_model_reply)}
    async with open_chat_process(tmp_path, models=models, tool_settings=notes_settings(tmp_path)) as process:
        await process.open_conversation()
        await process.send("go")

    assert "mcp__notes__note" not in rounds[0]
    assert rounds[0] > {"list_tool_groups", "load_tools", "read_file"}
    assert rounds[1] > rounds[0]
    assert "mcp__notes__note" in rounds[1]


@pytest.mark.proves("R003-14")
async def test_all_groups_are_listed_whatever_a_turn_has_loaded(tmp_path: Path) -> None:
    async with open_chat_process(tmp_path, tool_settings=notes_settings(tmp_path)) as process:
        await process.open_conversation()
        await process.send("hello")
        unloaded = await process.gate.catalog(ANA, "chat")
        await process.send('/call load_tools {"group": "mcp__notes"}')
        loaded = await process.gate.catalog(ANA, "chat")

    groups = {one.tool.name: one.tool.group for one in unloaded}
    assert unloaded == loaded
    assert (groups["mcp__notes__note"], groups["read_file"]) == ("mcp__notes", "chat")
    assert groups.keys() > {"write_file", "run_command", "todo_write", "run_subtask", "load_tools"}


@pytest.mark.proves("R003-16")
def test_calling_a_tool_loads_its_group() -> None:
    groups = ToolGroups([NOTE, DROP, READ])
    groups.load_group_of(DROP)
    groups.load_group_of(READ)

    assert groups.loaded == ["mcp__shop"]


@pytest.mark.proves("R003-18")
def test_core_tools_are_shown_even_above_the_limit(caplog: pytest.LogCaptureFixture) -> None:
    groups = ToolGroups([NOTE, DROP, READ])
    assert groups.load_group("mcp__notes")
    assert not groups.load_group("mcp__other")
    shown = disclose_tools([NOTE, READ], core=CORE_TOOLS, loaded=groups.loaded, max_tools=1)
    groups.log_hidden_tools(shown)
    groups.log_hidden_tools(shown)

    assert [tool.name for tool in shown.shown] == ["read_file"]
    assert [one.getMessage() for one in caplog.records] == ["no room to show mcp__notes__note"]


def test_without_groups_there_are_no_group_tools() -> None:
    assert group_tools(ToolGroups([READ])) == ()
    assert [tool.name for tool in group_tools(ToolGroups([NOTE]))] == ["list_tool_groups", "load_tools"]
