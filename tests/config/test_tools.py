"""Each well-known tool has the effect that users expect, and is in one belt only."""

import pytest

from assent.config.tools import KNOWN_TOOLS, TOOLS_BY_BELT
from assent.engine.base.tool import Dialect, Effect, PathKind

TOOLS_BY_EFFECT = {
    Effect.READ: """read_file list_files search_files web_search web_fetch list_collections search_collections query_collection list_nodes
        get_node
        list_workflows get_workflow todo_write run_subtask files.list files.read terminal.list terminal.read
        list_open_panes get_pane_context open_pane split_pane switch_workspace
        Read Glob Grep LS TodoWrite Agent""",
    Effect.EDIT: """write_file apply_change files.create files.mkdir files.write editor.proposeEdit editor.applyEdit editor.save
        Edit Write MultiEdit NotebookEdit""",
    Effect.WRITE: "generate_image text_to_speech files.rename files.delete",
    Effect.EXECUTE: "run_node run_workflow run_command terminal.exec Bash PowerShell",
    Effect.EXTERNAL: "browser WebFetch WebSearch mcp__arch__send_message",
}


@pytest.mark.proves("R000-8", "R000-9", "R000-10", "R003-8", "R003-32")
@pytest.mark.parametrize("effect", TOOLS_BY_EFFECT)
def test_each_tool_has_the_effect_that_its_users_expect(effect: Effect) -> None:
    assert {name: KNOWN_TOOLS[name].effect for name in TOOLS_BY_EFFECT[effect].split()} == dict.fromkeys(
        TOOLS_BY_EFFECT[effect].split(), effect
    )


@pytest.mark.proves("R000-13")
def test_the_chat_has_its_belt() -> None:
    needed = """read_file write_file generate_image text_to_speech run_node run_workflow list_collections
        search_collections query_collection web_search browser todo_write run_subtask"""

    assert set(needed.split()) <= TOOLS_BY_BELT["chat"].keys()


def test_no_tool_name_is_in_two_belts() -> None:
    assert len(KNOWN_TOOLS) == sum(len(belt) for belt in TOOLS_BY_BELT.values())


def test_no_shipped_tool_is_destructive() -> None:
    assert [tool.name for tool in KNOWN_TOOLS.values() if tool.effect is Effect.DESTRUCTIVE] == []


def test_paths_of_workbench_tools_start_at_the_workspace() -> None:
    assert {tool.paths for tool in TOOLS_BY_BELT["workbench"].values()} == {PathKind.ANCHORED}
    assert {tool.paths for tool in TOOLS_BY_BELT["claude"].values()} == {PathKind.OS}


@pytest.mark.parametrize(
    ("name", "dialect", "template"),
    [
        ("Bash", Dialect.SHELL, "{command}"),
        ("PowerShell", Dialect.POWERSHELL, "{command}"),
        ("terminal.exec", Dialect.SHELL, "{command}"),
        ("Read", Dialect.PATH, "{file_path}"),
        ("files.delete", Dialect.PATH, "{path}"),
        ("NotebookEdit", Dialect.PATH, "{notebook_path}"),
    ],
)
def test_each_tool_has_its_dialect_and_template(name: str, dialect: Dialect, template: str) -> None:
    assert (KNOWN_TOOLS[name].dialect, KNOWN_TOOLS[name].template) == (dialect, template)
