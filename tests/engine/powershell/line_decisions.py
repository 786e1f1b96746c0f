"""PowerShell lines for the tests: decided as calls, or shown as commands."""

from collections.abc import Iterable

from assent.engine.base.tool import Call
from assent.engine.lines.command import Command
from assent.engine.policy.modes import Mode
from assent.engine.policy.verdict import Decision
from assent.engine.powershell.language import parse_powershell
from assent.engine.programs.word import UNKNOWN_MARK, Word
from tests.engine.given import POWERSHELL, decide_call, make_snapshot


def decide_line(
    line: str, mode: Mode = Mode.DEFAULT, *, deny: Iterable[str] = (), allow: Iterable[str] = ()
) -> Decision:
    """The decision about a line, with rules for the PowerShell tool."""
    snapshot = make_snapshot(
        deny=[f"{POWERSHELL.name}({rule})" for rule in deny],
        allow=[f"{POWERSHELL.name}({rule})" for rule in allow],
        mode=mode,
    )
    return decide_call(Call(tool=POWERSHELL.name, args={"command": line}), snapshot)


def stage_names(found: Decision) -> set[str]:
    """The names of all stages of a decision."""
    return {step.stage.value for step in found.steps}


def parse_commands(line: str) -> list[Command]:
    """The commands of a readable line."""
    found = parse_powershell(line)
    assert found.unreadable is None, found.unreadable
    return list(found.commands)


def join_words(words: Iterable[Word]) -> str:
    """Words separated by blanks, with `□` for an unknown piece."""
    return " ".join(word.text.replace(UNKNOWN_MARK, "□") for word in words)


def command_texts(line: str) -> list[str]:
    """The commands of a line as texts."""
    return [join_words(command.words) for command in parse_commands(line)]


def words_of_last_command(line: str) -> tuple[Word, ...]:
    """The words of the last command of a line, without nested commands."""
    return max(parse_commands(line), key=lambda command: (command.span[1], -command.span[0])).words
