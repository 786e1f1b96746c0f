"""`run_subtask`: a helper with a narrower mode, the same gate, and its questions in the same thread."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from assent.engine.modes import Mode
from assent.hosts.chat.belt import schema
from assent.hosts.chat.belt.arguments import Arguments
from assent.hosts.chat.belt.context import Context
from assent.hosts.chat.belt.tool import BeltTool, Result, belt_tool

FOR_EVER = 1e9
"""Seconds: a helper has no limit of its own, for it may wait for a person."""


class Task(NamedTuple):
    """What a helper is to do, and the call that it does it for."""

    call: str
    text: str
    name: str
    mode: str | None


Help = Callable[[Task], Awaitable[str]]
"""Lets a helper do a task, and says what came of it."""

_PARAMETERS = schema.record(
    {"task": schema.text("What the helper is to do; it knows nothing else.", minLength=1)},
    {
        "name": schema.text("What the helper is called.", minLength=1, maxLength=40, pattern="^[a-z0-9-]+$"),
        "mode": schema.text("Its mode; never wider than yours.", enum=[mode.value for mode in Mode]),
    },
)


def run_subtask(help_with: Help) -> BeltTool:
    """The tool that starts a helper; each call that the helper makes is decided by itself."""

    async def work(args: Arguments, context: Context) -> Result:
        mode = args.text("mode", "") or None
        task = Task(context.call, args.text("task"), args.text("name", "helper"), mode)
        return Result(text=await help_with(task))

    description = "Let a helper do one task by itself, with the same tools, and tell you what came of it."
    tool = belt_tool("run_subtask", description, _PARAMETERS)
    return BeltTool(tool=tool, work=work, seconds=FOR_EVER, goes_on=True)
