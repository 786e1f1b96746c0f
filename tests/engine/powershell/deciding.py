"""PowerShell lines for the tests: decided as calls, or shown as commands."""

from collections.abc import Iterable

from assent.engine.base.tool import Call
from assent.engine.lines.command import Command
from assent.engine.policy.modes import Mode
from assent.engine.policy.verdict import Decision
from assent.engine.powershell.language import parse_powershell
from assent.engine.programs.word import UNKNOWN_MARK, Word
from tests.engine.given import POWERSHELL, decided, policy


def decide_line(
    line: str, mode: Mode = Mode.DEFAULT, *, deny: Iterable[str] = (), allow: Iterable[str] = ()
) -> Decision:
    """The decision about a line, with rules for the PowerShell tool."""
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
    found = parse_powershell(line)
    assert found.unreadable is None, found.unreadable
    return list(found.commands)


def show(words: Iterable[Word]) -> str:
    """Words separated by blanks, with `□` for a hole."""
    return " ".join(word.text.replace(UNKNOWN_MARK, "□") for word in words)


def read(line: str) -> list[str]:
    """The commands of a line, as they were read."""
    return [show(command.words) for command in commands(line)]


def words(line: str) -> tuple[Word, ...]:
    """The words of the last command of a line, without nested commands."""
    return max(commands(line), key=lambda command: (command.span[1], -command.span[0])).words
