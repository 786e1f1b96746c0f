"""What commands of PowerShell take from the pipe."""

from assent.engine.lines.command import Command
from assent.engine.lines.standard_input import takes_by
from assent.engine.powershell import cmdlets
from assent.engine.powershell.carriers import carried
from assent.engine.powershell.readers import READERS
from assent.engine.programs.program import InputUse
from assent.engine.programs.word import Word, base_name

_RUNS = frozenset({"Invoke-Expression", "Invoke-Command"})
_KEEPS = frozenset(
    """Out-File Set-Content Add-Content Tee-Object Export-Csv Export-Clixml Out-Null Out-Host Out-Default
    Out-Printer Set-Clipboard""".split()
)
"""Commands that keep what is piped to them, in the place that their own words name."""
_NEEDS_NO_PATH = frozenset({"Out-Null", "Out-Host", "Out-Default", "Set-Clipboard"})
_POWERSHELLS = frozenset({"pwsh", "powershell", "pwsh-preview", "cmd"})


def takes(command: Command) -> InputUse:
    """What a command takes from the pipe, by its words."""
    cmdlet = cmdlets.find(command.program)
    if cmdlet is not None:
        return _of_cmdlet(cmdlet.name, command)
    name = base_name(command.program).lower().removesuffix(".exe")
    if name in _POWERSHELLS:
        fed = carried(command._replace(piped=True, given=None))
        return InputUse.INSTRUCTIONS if fed is not None and fed.computed else InputUse.DATA
    return takes_by(command._replace(words=(Word(name), *command.words[1:])), carried)


def _of_cmdlet(name: str, command: Command) -> InputUse:
    """A cmdlet takes objects, whose properties may stand for any parameter that its words leave out."""
    if name in _RUNS:
        return InputUse.INSTRUCTIONS
    if name in READERS:
        return InputUse.DATA
    placed = name in _NEEDS_NO_PATH or len(command.words) > 1
    return InputUse.DATA if name in _KEEPS and placed else InputUse.UNKNOWN
