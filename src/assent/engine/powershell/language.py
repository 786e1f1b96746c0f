"""PowerShell as a language whose lines can be decided."""

from assent.engine.lines.program_part import Language
from assent.engine.powershell.carriers import carried
from assent.engine.powershell.dangers import dangers
from assent.engine.powershell.feeding import takes
from assent.engine.powershell.reader import read_powershell
from assent.engine.powershell.readonly import reading
from assent.engine.powershell.spelling import spellings
from assent.engine.powershell.writes import written

POWERSHELL = Language(read_powershell, reading, carried, written, dangers, spellings, takes)
