"""What a call would do that cannot be undone, read from the same parts that it is decided by."""

from collections.abc import Iterable

from assent.engine.irreversible.act import Irreversible
from assent.engine.irreversible.commands import acts_of
from assent.engine.irreversible.powershell import acts_in_powershell
from assent.engine.irreversible.tools import acts_of_tool
from assent.engine.model import Call, Dialect, Tool
from assent.engine.parsing import parse_call

MOST_ACTS = 8
"""How many are told of one call."""


def irreversible(call: Call, tool: Tool) -> tuple[Irreversible, ...]:
    """Every irreversible act of a call, each once, in the order in which they stand.

    It explains a call and decides nothing: no stage may ask for it.
    """
    found: dict[Irreversible, None] = {}
    match tool.dialect:
        case Dialect.SHELL | Dialect.POWERSHELL:
            read = acts_of if tool.dialect is Dialect.SHELL else acts_in_powershell
            for part in parse_call(call, tool).all_parts:
                if part.command is not None:
                    found.update(dict.fromkeys(read(part.command)))
        case Dialect.PATH | Dialect.TEXT:
            found.update(dict.fromkeys(acts_of_tool(call, tool)))
    return tuple(one for one in found if _has_name(one) or not _is_named(one, found))[:MOST_ACTS]


def _has_name(act: Irreversible) -> bool:
    return act.name.strip("… ") != ""


def _is_named(act: Irreversible, others: Iterable[Irreversible]) -> bool:
    """Whether the same is told with a name, as of what `xargs` is fed."""
    return any(_has_name(one) and one[:2] == act[:2] for one in others)
