"""Tool groups are listed and loaded; what the model sees never changes a decision."""

from pathlib import Path

import pytest
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

from assent.engine.disclosure import disclose
from assent.engine.model import Effect, Tool
from assent.hosts.chat.tool_groups import CORE_TOOLS, ToolGroups, group_tools
from tests.hosts.chat.chat_process import ANA, a_process, notes_settings

NOTE = Tool(name="mcp__notes__note", effect=Effect.EXTERNAL, group="mcp__notes")
DROP = Tool(name="mcp__shop__drop", effect=Effect.DESTRUCTIVE, group="mcp__shop")
READ = Tool(name="read_file", effect=Effect.READ, group="chat")


@pytest.mark.proves("R003-15")
async def test_a_loaded_group_is_shown_from_the_next_round_on(tmp_path: Path) -> None:
    rounds: list[set[str]] = []

    async def model(messages: list[ModelMessage], info: AgentInfo):  # type: ignore[no-untyped-def]
        rounds.append({tool.name for tool in info.function_tools})
        if len(rounds) == 1:
            yield {0: DeltaToolCall("load_tools", '{"group": "mcp__notes"}', tool_call_id="c1")}
        else:
            yield "done"

    models = {"m": FunctionModel(stream_function=model)}
    async with a_process(tmp_path, models=models, tool_settings=notes_settings(tmp_path)) as process:
        await process.open_conversation()
        await process.send("go")

    assert "mcp__notes__note" not in rounds[0]
    assert rounds[0] > {"list_tool_groups", "load_tools", "read_file"}
    assert rounds[1] > rounds[0]
    assert "mcp__notes__note" in rounds[1]


@pytest.mark.proves("R003-14")
async def test_the_whole_catalog_is_listed_by_group_whatever_a_turn_has_loaded(tmp_path: Path) -> None:
    async with a_process(tmp_path, tool_settings=notes_settings(tmp_path)) as process:
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
def test_the_core_stays_when_there_is_no_room(caplog: pytest.LogCaptureFixture) -> None:
    groups = ToolGroups([NOTE, DROP, READ])
    assert groups.load("mcp__notes")
    assert not groups.load("mcp__other")
    shown = disclose([NOTE, READ], core=CORE_TOOLS, loaded=groups.loaded, most=1)
    groups.log_left_out(shown)
    groups.log_left_out(shown)

    assert [tool.name for tool in shown.shown] == ["read_file"]
    assert [one.getMessage() for one in caplog.records] == ["no room to show mcp__notes__note"]


def test_without_groups_there_is_nothing_to_load() -> None:
    assert group_tools(ToolGroups([READ])) == ()
    assert [tool.name for tool in group_tools(ToolGroups([NOTE]))] == ["list_tool_groups", "load_tools"]
