"""PowerShell as a language whose lines can be decided."""

from assent.engine.lines.command import Command
from assent.engine.lines.program_part import Language
from assent.engine.lines.standard_input import takes_by
from assent.engine.powershell import cmdlets
from assent.engine.powershell.cmdlet_table import Entry, Piped
from assent.engine.powershell.cmdlets import spellings
from assent.engine.powershell.dangers import dangers
from assent.engine.powershell.nested import carried
from assent.engine.powershell.reader import read_powershell
from assent.engine.powershell.readonly import reading
from assent.engine.powershell.writes import written
from assent.engine.programs.program import InputUse
from assent.engine.programs.word import Word, base_name

_SHELLS = frozenset({"pwsh", "powershell", "pwsh-preview", "cmd"})


def takes(command: Command) -> InputUse:
    """What a command does with its piped input."""
    cmdlet = cmdlets.find(command.program)
    if cmdlet is not None:
        return _taken_by_cmdlet(cmdlet.entry, command)
    name = base_name(command.program).lower().removesuffix(".exe")
    if name in _SHELLS:
        nested = carried(command._replace(piped=True, given=None))
        return InputUse.INSTRUCTIONS if nested is not None and nested.computed else InputUse.DATA
    return takes_by(command._replace(words=(Word(name), *command.words[1:])), carried)


def _taken_by_cmdlet(entry: Entry, command: Command) -> InputUse:
    """A cmdlet takes objects, whose properties can set any parameter that its arguments leave out."""
    if entry.reads:
        return InputUse.DATA
    match entry.piped:
        case Piped.CODE:
            return InputUse.INSTRUCTIONS
        case Piped.CLIPBOARD:
            return InputUse.DATA
        case Piped.TEXT_TO_FILE:
            return InputUse.DATA if len(command.words) > 1 else InputUse.UNKNOWN
        case Piped.UNKNOWN | Piped.PATHS | Piped.OBJECTS:
            return InputUse.UNKNOWN


POWERSHELL = Language(read_powershell, reading, carried, written, dangers, spellings, takes)
