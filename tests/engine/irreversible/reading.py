"""Lines and calls, and what of them cannot be undone, in few words."""

from assent.engine.base.tool import Call, Tool
from assent.engine.details import irreversible_acts
from tests.engine import given

Told = tuple[str, str, str]


def in_shell(line: str) -> list[Told]:
    """The acts of a line of bash, each as loss, kind and name."""
    return of_call(given.run(line), given.SHELL)


def in_powershell(line: str) -> list[Told]:
    """The acts of a line of PowerShell."""
    return of_call(Call(tool=given.POWERSHELL.name, args={"command": line}), given.POWERSHELL)


def of_call(call: Call, tool: Tool) -> list[Told]:
    """The acts of a call."""
    return [(one.loss.value, one.kind, one.name) for one in irreversible_acts(call, tool)]
