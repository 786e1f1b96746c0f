"""The `todo_write` tool: the to-do list of a conversation, which the model writes and people see."""

from collections import OrderedDict

from assent.engine.base.tool import as_object
from assent.hosts.chat.tools import schema
from assent.hosts.chat.tools.tool import Arguments, ChatTool, ToolContext, ToolResult, define_tool

MAX_LISTS = 1_000
_STATE_MARKS = {"pending": "[ ]", "in_progress": "[>]", "done": "[x]"}

_PARAMETERS = schema.object_schema(
    {
        "items": schema.array_schema(
            "The whole list, in order; it replaces the one before.",
            schema.object_schema(
                {
                    "text": schema.string_schema("What is to be done.", minLength=1, maxLength=500),
                    "state": schema.string_schema("The state of the item.", enum=list(_STATE_MARKS)),
                }
            ),
            maxItems=100,
        )
    }
)


class TodoLists:
    """The to-do lists of the most recent conversations."""

    def __init__(self) -> None:
        self._lists: OrderedDict[str, tuple[tuple[str, str], ...]] = OrderedDict()

    def get_list(self, conversation: str) -> tuple[tuple[str, str], ...]:
        """The items of a conversation's list, each with its state."""
        return self._lists.get(conversation, ())

    def replace_list(self, conversation: str, items: tuple[tuple[str, str], ...]) -> None:
        """Replace a conversation's list; the oldest list is dropped if there are too many."""
        self._lists[conversation] = items
        self._lists.move_to_end(conversation)
        while len(self._lists) > MAX_LISTS:
            self._lists.popitem(last=False)


def todo_tool(todos: TodoLists) -> ChatTool:
    """The tool that writes the to-do list."""

    async def write_todos(args: Arguments, context: ToolContext) -> ToolResult:
        given = [as_object(one) or {} for one in args.get_list("items")]
        items = tuple((str(one.get("text")), str(one.get("state"))) for one in given)
        todos.replace_list(context.conversation, items)
        lines = [f"{_STATE_MARKS[state]} {text}" for text, state in items]
        data = {"items": [{"text": text, "state": state} for text, state in items]}
        return ToolResult(text="\n".join(lines) or "(nothing to do)", data=data)

    description = "Keep the list of what is to be done in this conversation; the person sees it."
    return ChatTool(tool=define_tool("todo_write", description, _PARAMETERS), work=write_todos)
