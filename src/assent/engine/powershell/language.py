"""PowerShell as a language whose lines can be decided."""

from assent.engine.fed import Takes
from assent.engine.powershell import cmdlets
from assent.engine.powershell.cmdlet_table import Entry, Piped
from assent.engine.powershell.cmdlets import spellings
from assent.engine.powershell.dangers import dangers
from assent.engine.powershell.nested import carried
from assent.engine.powershell.reader import read_powershell
from assent.engine.powershell.readonly import reading
from assent.engine.powershell.writes import written
from assent.engine.program import Language
from assent.engine.shell.command import Command, Word, base_name
from assent.engine.shell.feeding import takes_by

_SHELLS = frozenset({"pwsh", "powershell", "pwsh-preview", "cmd"})


def takes(command: Command) -> Takes:
    """What a command does with its piped input."""
    cmdlet = cmdlets.find(command.program)
    if cmdlet is not None:
        return _taken_by_cmdlet(cmdlet.entry, command)
    name = base_name(command.program).lower().removesuffix(".exe")
    if name in _SHELLS:
        nested = carried(command._replace(piped=True, given=None))
        return Takes.INSTRUCTIONS if nested is not None and nested.computed else Takes.DATA
    return takes_by(command._replace(words=(Word(name), *command.words[1:])), carried)


def _taken_by_cmdlet(entry: Entry, command: Command) -> Takes:
    """A cmdlet takes objects, whose properties can set any parameter that its arguments leave out."""
    if entry.reads:
        return Takes.DATA
    match entry.piped:
        case Piped.CODE:
            return Takes.INSTRUCTIONS
        case Piped.CLIPBOARD:
            return Takes.DATA
        case Piped.TEXT_TO_FILE:
            return Takes.DATA if len(command.words) > 1 else Takes.UNKNOWN
        case Piped.UNKNOWN | Piped.PATHS | Piped.OBJECTS:
            return Takes.UNKNOWN


POWERSHELL = Language(read_powershell, reading, carried, written, dangers, spellings, takes)
