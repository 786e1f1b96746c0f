"""Find the irreversible acts of lines and calls, as tuples of loss, kind and name."""

from assent.engine.base.tool import Call, Tool
from assent.engine.details import irreversible_acts
from tests.engine import given

ActTuple = tuple[str, str, str]


def bash_acts(line: str) -> list[ActTuple]:
    """The acts of a line of bash, each as loss, kind and name."""
    return call_acts(given.run(line), given.SHELL)


def powershell_acts(line: str) -> list[ActTuple]:
    """The acts of a line of PowerShell."""
    return call_acts(Call(tool=given.POWERSHELL.name, args={"command": line}), given.POWERSHELL)


def call_acts(call: Call, tool: Tool) -> list[ActTuple]:
    """The acts of a call."""
    return [(one.loss.value, one.kind, one.name) for one in irreversible_acts(call, tool)]
