"""PowerShell lines for the tests: decided as calls, or shown as the commands they were read as."""

from collections.abc import Iterable

from assent.engine.lines.command import Command
from assent.engine.model import Call
from assent.engine.modes import Mode
from assent.engine.powershell.reader import read_powershell
from assent.engine.programs.word import HOLE, Word
from assent.engine.verdict import Decision
from tests.engine.given import POWERSHELL, decided, policy


def decision(
    line: str, mode: Mode = Mode.DEFAULT, *, deny: Iterable[str] = (), allow: Iterable[str] = ()
) -> Decision:
    """What is decided of a line, under rules for the PowerShell tool."""
    snapshot = policy(
        deny=[f"{POWERSHELL.name}({rule})" for rule in deny],
        allow=[f"{POWERSHELL.name}({rule})" for rule in allow],
        mode=mode,
    )
    return decided(Call(tool=POWERSHELL.name, args={"command": line}), snapshot)


def stages(found: Decision) -> set[str]:
    """Every stage that a decision went through."""
    return {step.stage.value for step in found.steps}


def commands(line: str) -> list[Command]:
    """The commands of a line that can be read."""
    found = read_powershell(line)
    assert found.unreadable is None, found.unreadable
    return list(found.commands)


def shown(words: Iterable[Word]) -> str:
    """Words with a blank between them, and `□` for what is unknown."""
    return " ".join(word.text.replace(HOLE, "□") for word in words)


def read(line: str) -> list[str]:
    """The commands of a line, as they were read."""
    return [shown(command.words) for command in commands(line)]


def words(line: str) -> tuple[Word, ...]:
    """The words of the last command of a line, not of those inside it."""
    return max(commands(line), key=lambda command: (command.span[1], -command.span[0])).words
