"""What a program does besides reading, in one word for each command, for the question about it.

No verdict depends on it. `Program.does` names the actions of sub-commands: `"push: sends; fetch pull: connects"`;
the last one is the action of every other command. A program without it does what its topic does.
"""

from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache

from assent.engine.programs.catalog import TOPICS, find_program
from assent.engine.programs.flags import FlagScan, parse_flags
from assent.engine.programs.packs import PACKS
from assent.engine.programs.program import ReadCommands
from assent.engine.programs.runs import RestOfWords, Runs, RunsBy
from assent.engine.programs.word import Word


class Action(StrEnum):
    """What a command does besides reading."""

    PROJECT_CODE = "project"
    """It builds, tests or runs code of the project."""
    BUILDS = "builds"
    """It builds, checks or formats files of the project."""
    CODE = "code"
    """It is an interpreter, which runs a file, its words or its input."""
    REPOSITORY = "repository"
    SENDS = "sends"
    CONNECTS = "connects"
    INSTALLS = "installs"
    SERVICES = "services"
    CONTAINERS = "containers"
    DATABASE = "database"
    SYSTEM = "system"
    FILES = "files"
    """It changes files that its words name."""


_TOPIC_ACTIONS: Mapping[str, Action] = {
    "builds": Action.PROJECT_CODE,
    "cloud": Action.SERVICES,
    "containers": Action.CONTAINERS,
    "git": Action.REPOSITORY,
    "javascript": Action.PROJECT_CODE,
    "languages": Action.CODE,
    "network": Action.CONNECTS,
    "python": Action.PROJECT_CODE,
    "system": Action.SYSTEM,
}
_PACK_PROGRAMS = frozenset(
    command.words.partition(" ")[0] for pack in PACKS.values() for command in pack.commands
)
"""Programs that build, test or check, some of which have no entry."""


def find_action(name: str, words: tuple[Word, ...]) -> Action | None:
    """What a command does, by the name of its program and the words after it; None if that is not known."""
    known = find_program(name)
    if known.does:
        named, otherwise = _parse_actions(known.does)
        command = _find_sub_command(name, words)
        return named.get(command, otherwise)
    if known.is_interpreter or known.runs_by is RunsBy.SHELL:
        return Action.CODE
    if isinstance(known.runs, Runs) and known.runs.rest is RestOfWords.SCRIPT:
        return Action.CODE
    if known.writes is not None or known.shell_edits is not None or known.damage is not None:
        return _TOPIC_ACTIONS.get(TOPICS[name], Action.FILES)
    topic = TOPICS.get(name)
    if topic is None:
        return Action.BUILDS if name in _PACK_PROGRAMS else None
    return _TOPIC_ACTIONS.get(topic)


def _find_sub_command(name: str, words: tuple[Word, ...]) -> str:
    """The sub-command among the words; empty if there is none."""
    entry = find_program(name).reads
    flags = entry.flags if isinstance(entry, ReadCommands) else ""
    at = FlagScan(parse_flags(flags), words).first_operand()
    left = words if at is None else words[at:]
    return next((word.text for word in left if word.text[:1] != "-"), "")


@lru_cache(maxsize=256)
def _parse_actions(text: str) -> tuple[Mapping[str, Action], Action]:
    """The actions of the sub-commands, and the action of every other command, which is the last one."""
    *pieces, otherwise = text.split(";")
    named: dict[str, Action] = {}
    for piece in pieces:
        commands, _, action = piece.partition(":")
        named.update(dict.fromkeys(commands.split(), Action(action.strip())))
    return named, Action(otherwise.strip())
