"""Find the irreversible acts of lines and calls, as tuples of loss, kind and name."""

from assent.engine.base.tool import Call, Tool
from assent.engine.details import irreversible_acts
from tests.engine import given

ActTuple = tuple[str, str, str]


def irreversible_acts_of_bash(line: str) -> list[ActTuple]:
    """The acts of a line of bash, each as loss, kind and name."""
    return irreversible_acts_of_call(given.shell_call(line), given.SHELL)


def irreversible_acts_of_powershell(line: str) -> list[ActTuple]:
    """The acts of a line of PowerShell."""
    return irreversible_acts_of_call(
        Call(tool=given.POWERSHELL.name, args={"command": line}), given.POWERSHELL
    )


def irreversible_acts_of_call(call: Call, tool: Tool) -> list[ActTuple]:
    """The acts of a call."""
    return [(one.loss.value, one.kind, one.name) for one in irreversible_acts(call, tool)]
