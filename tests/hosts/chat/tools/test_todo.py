"""The to-do list: one per conversation, replaced as a whole."""

from pathlib import Path

import pytest

from assent.hosts.chat.tools.todo import MAX_LISTS, TodoLists, todo_tool
from tests.hosts.chat.tools.support import make_context, succeeded_and_text, workspace


@pytest.mark.supports("R000-13")
async def test_a_todo_list_replaces_the_previous_list_of_its_conversation(tmp_path: Path) -> None:
    todos = TodoLists()
    root = workspace(tmp_path)
    tool = todo_tool(todos)
    await tool.run_call(
        {"items": [{"text": "other", "state": "done"}]}, make_context(root, conversation="c2")
    )
    await tool.run_call({"items": [{"text": "old", "state": "pending"}]}, make_context(root))

    items = [{"text": "look", "state": "done"}, {"text": "wait", "state": "in_progress"}]
    result = await tool.run_call({"items": items}, make_context(root))

    assert succeeded_and_text(result) == (True, "[x] look\n[>] wait")
    assert result.data == {"items": items}
    assert todos.get_list("c1") == (("look", "done"), ("wait", "in_progress"))
    assert todos.get_list("c2") == (("other", "done"),)


async def test_an_unknown_state_changes_nothing(tmp_path: Path) -> None:
    todos = TodoLists()

    result = await todo_tool(todos).run_call(
        {"items": [{"text": "a", "state": "maybe"}]}, make_context(workspace(tmp_path))
    )

    assert succeeded_and_text(result) == (
        False,
        'the arguments are not valid: items[0].state must be one of "pending", "in_progress", "done"',
    )
    assert todos.get_list("c1") == ()


def test_only_the_lists_of_recent_conversations_are_kept() -> None:
    todos = TodoLists()
    for number in range(MAX_LISTS + 1):
        todos.replace_list(str(number), (("a", "done"),))

    assert todos.get_list("0") == ()
    assert todos.get_list(str(MAX_LISTS)) == (("a", "done"),)
