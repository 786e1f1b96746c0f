"""From PowerShell text to the simple commands it would run, wherever they stand in it.

PowerShell is read by a reader of our own: its grammar for tree-sitter takes some texts for others (what
follows a continued line, for one) and knows neither lists of arguments nor paths that begin with a dot.
"""

from functools import lru_cache

from assent.engine.characters import hidden
from assent.engine.lines.command import Command, Line
from assent.engine.powershell import cmdlets, drafts
from assent.engine.powershell.cursor import Unreadable
from assent.engine.powershell.names import sets_variables
from assent.engine.powershell.statements import Statements
from assent.engine.powershell.walk import Walker
from assent.engine.programs.word import HOLE, Word

LONGEST_TEXT = 32 * 1024


@lru_cache(maxsize=2048)
def read_powershell(text: str) -> Line:
    """All that a PowerShell text would run; a text that cannot be read says why."""
    if len(text) > LONGEST_TEXT:
        return Line((), f"longer than {LONGEST_TEXT} characters")
    if (what := hidden(text)) is not None:
        return Line((), f"holds {what}")
    try:
        return _read(text)
    except Unreadable as reason:
        return Line((), str(reason))
    except RecursionError:
        return Line((), "nested too deeply")


def _read(text: str) -> Line:
    parser = Statements(text)
    statements = parser.program()
    if not statements:
        raise Unreadable("holds no command")
    walker = Walker(text, statements)
    walker.walk()
    commands = walker.commands
    if sets_variables(text) or any(_sets_variables(command) for command in commands):
        # What we took for constants may be others by then: both ways to read the text count.
        doubtful = Walker(text, statements, constants=False)
        doubtful.walk()
        commands = [*dict.fromkeys((*doubtful.commands, *commands))]
    if parser.lookalikes:
        # To PowerShell they are quotes, but not to everything that a text passes on its way there.
        commands = [*commands, Command((Word(HOLE),), span=(0, len(text)))]
    return Line(
        tuple(_in_bytes(command, text) for command in drafts.told(commands)),
        bombs=tuple(walker.bombs),
        secrets=tuple(dict.fromkeys(walker.secrets)),
    )


def _sets_variables(command: Command) -> bool:
    """Whether a command, once its words are known, turns out to set variables by their names."""
    return sets_variables(
        " ".join((cmdlets.spelled(command.program), *(word.text for word in command.words)))
    )


def _in_bytes(command: Command, text: str) -> Command:
    """Count the span in bytes, as the other reader does."""
    if text.isascii():
        return command
    start, end = (len(text[:place].encode()) for place in command.span)
    return command._replace(span=(start, end))
