"""The list of things to do: one for each conversation, whole each time."""

from pathlib import Path

import pytest

from assent.hosts.chat.belt.todo import MOST_KEPT, Todos, todo_write
from tests.hosts.chat.belt.scene import a_context, told, workspace


@pytest.mark.proves("R000-13")
async def test_a_list_replaces_the_one_before_in_its_own_conversation(tmp_path: Path) -> None:
    todos = Todos()
    root = workspace(tmp_path)
    tool = todo_write(todos)
    await tool.run({"items": [{"text": "other", "state": "done"}]}, a_context(root, conversation="c2"))
    await tool.run({"items": [{"text": "old", "state": "pending"}]}, a_context(root))

    items = [{"text": "look", "state": "done"}, {"text": "wait", "state": "in_progress"}]
    result = await tool.run({"items": items}, a_context(root))

    assert told(result) == (True, "[x] look\n[>] wait")
    assert result.data == {"items": items}
    assert todos.of("c1") == (("look", "done"), ("wait", "in_progress"))
    assert todos.of("c2") == (("other", "done"),)


async def test_a_state_that_is_none_of_ours_changes_nothing(tmp_path: Path) -> None:
    todos = Todos()

    result = await todo_write(todos).run(
        {"items": [{"text": "a", "state": "maybe"}]}, a_context(workspace(tmp_path))
    )

    assert told(result) == (
        False,
        'the arguments are not valid: items[0].state must be one of "pending", "in_progress", "done"',
    )
    assert todos.of("c1") == ()


def test_only_the_conversations_last_heard_of_are_kept() -> None:
    todos = Todos()
    for number in range(MOST_KEPT + 1):
        todos.write(str(number), (("a", "done"),))

    assert todos.of("0") == ()
    assert todos.of(str(MOST_KEPT)) == (("a", "done"),)
