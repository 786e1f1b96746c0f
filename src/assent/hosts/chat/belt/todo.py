"""`todo_write`: the list of things to do in a conversation, as the model keeps it and the person sees it."""

from collections import OrderedDict

from assent.engine.model import as_object
from assent.hosts.chat.belt import schema
from assent.hosts.chat.belt.arguments import Arguments
from assent.hosts.chat.belt.context import Context
from assent.hosts.chat.belt.tool import BeltTool, Result, belt_tool

MOST_KEPT = 1_000
_MARKS = {"pending": "[ ]", "in_progress": "[>]", "done": "[x]"}

_PARAMETERS = schema.record(
    {
        "items": schema.items(
            "The whole list, in order; it replaces the one before.",
            schema.record(
                {
                    "text": schema.text("What is to be done.", minLength=1, maxLength=500),
                    "state": schema.text("How far it is.", enum=list(_MARKS)),
                }
            ),
            maxItems=100,
        )
    }
)


class Todos:
    """The lists of the conversations that were last heard of."""

    def __init__(self) -> None:
        self._lists: OrderedDict[str, tuple[tuple[str, str], ...]] = OrderedDict()

    def of(self, conversation: str) -> tuple[tuple[str, str], ...]:
        """What is to be done in a conversation, each with its state."""
        return self._lists.get(conversation, ())

    def write(self, conversation: str, items: tuple[tuple[str, str], ...]) -> None:
        """Replace a conversation's list."""
        self._lists[conversation] = items
        self._lists.move_to_end(conversation)
        while len(self._lists) > MOST_KEPT:
            self._lists.popitem(last=False)


def todo_write(todos: Todos) -> BeltTool:
    """The tool that keeps the list."""

    async def work(args: Arguments, context: Context) -> Result:
        given = [as_object(one) or {} for one in args.items("items")]
        items = tuple((str(one.get("text")), str(one.get("state"))) for one in given)
        todos.write(context.conversation, items)
        lines = [f"{_MARKS[state]} {text}" for text, state in items]
        data = {"items": [{"text": text, "state": state} for text, state in items]}
        return Result(text="\n".join(lines) or "(nothing to do)", data=data)

    description = "Keep the list of what is to be done in this conversation; the person sees it."
    return BeltTool(tool=belt_tool("todo_write", description, _PARAMETERS), work=work)
