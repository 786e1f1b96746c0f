"""What is known at one point of a PowerShell text: variables and directories."""

import posixpath
import re

from assent.engine.powershell.names import Names, plain, runs_command, variables
from assent.engine.powershell.places import is_elsewhere
from assent.engine.powershell.syntax import Statement
from assent.engine.programs.word import HOLE, Word

MOST_DIRECTORIES = 8

_HOME = Word("~", tilde=True)
_AUTOMATIC = {
    "true": Word("$true"),
    "false": Word("$false"),
    "null": Word("$null"),
    "home": _HOME,
    "env:home": _HOME,
    "env:userprofile": _HOME,
    "env:homepath": _HOME,
    "pwd": Word("."),
    "profile": Word("~/.config/powershell/Microsoft.PowerShell_profile.ps1", tilde=True),
    "env:systemdrive": Word("C:"),
    "env:homedrive": Word("C:"),
    "env:systemroot": Word("C:\\Windows"),
    "env:windir": Word("C:\\Windows"),
    "env:programfiles": Word("C:\\Program Files"),
    "env:programfiles(x86)": Word("C:\\Program Files (x86)"),
    "env:programdata": Word("C:\\ProgramData"),
    "env:allusersprofile": Word("C:\\ProgramData"),
    "env:public": Word("C:\\Users\\Public"),
}
"""Variables that have a value from the start; where Windows may be installed elsewhere, its usual place."""

_READ_ONLY = frozenset({"true", "false", "null", "home"})
"""Variables that keep their value whatever is assigned to them."""

Values = tuple[Word, ...]


def automatic(name: str) -> Word | None:
    """What a variable holds from the start, if it is one of those."""
    return _AUTOMATIC.get(name.lower())


class Journey:
    """Where a session has been; all points of a text share one."""

    __slots__ = ("moves", "stack")

    def __init__(self) -> None:
        self.moves = 0
        """How often the directory may have changed so far."""
        self.stack: list[tuple[str, ...]] = []
        """Where `Pop-Location` leads, as far as that is known."""


class Scope:
    """One point of a text; a block that may run often, or never, gets a copy."""

    __slots__ = ("anchored", "away", "directories", "journey", "names", "straight", "variables")

    def __init__(self, names: Names) -> None:
        self.names = names
        self.variables: dict[str, Values] = {}
        self.directories: tuple[str, ...] = ("",)
        self.journey = Journey()
        self.anchored: dict[str, int] = {}
        """Variables that hold a place as it was found after so many moves, and are not known after more."""
        self.straight = True
        """Whether we are certain to come through here, so that an assignment is sure to count."""
        self.away = False
        """Whether this may run in another session, where nothing of this one is defined."""

    def branch(self) -> "Scope":
        """A copy for what may or may not run."""
        copy = Scope(self.names)
        copy.variables = dict(self.variables)
        copy.directories = self.directories
        copy.journey = self.journey
        copy.anchored = dict(self.anchored)
        copy.away = self.away
        copy.straight = False
        return copy

    def value(self, name: str) -> Values | None:
        """What a variable holds, or None when that cannot be known."""
        name = plain(name)
        if name in self.variables:
            moves = self.journey.moves
            return self.variables[name] if self.anchored.get(name, moves) == moves else None
        known = automatic(name) if name in _READ_ONLY or not self.names.counts[name] else None
        return None if known is None else (known,)

    def assign(self, name: str, values: Values | None, source: Statement) -> None:
        """Remember a value that is assigned here and nowhere else."""
        name = plain(name)
        if name in _READ_ONLY:
            return
        if self._is_anchored(source):
            self.anchored[name] = self.journey.moves
        if values is not None and self.straight and ":" not in name and self.names.is_constant(name):
            self.variables[name] = values
        else:
            self.variables.pop(name, None)

    def turn(self, name: str, value: Word | None) -> None:
        """Give the variable of a loop the value it has in one turn."""
        name = plain(name)
        if value is not None and (name == "_" or self.names.is_constant(name)):
            self.variables[name] = (value,)
        else:
            self.variables.pop(name, None)
        if name == "_":
            self.turn("psitem", value)

    def moved(self, target: Word) -> tuple[str, ...]:
        """Where a change of directory leads; of a place that is no path we only keep the name."""
        text = target.text.replace("\\", "/")
        if HOLE in text or target.glob or text in ("", "-", "+"):
            return (HOLE,)
        if is_elsewhere(text) or re.match(r"[A-Za-z]:", text) or text.startswith("//"):
            return (text, HOLE)
        if text.startswith(("/", "~")):
            return (text,)
        return tuple(dict.fromkeys(posixpath.join(place, text) for place in self.directories))

    def go_to(self, directories: tuple[str, ...]) -> None:
        """Be where a change of directory leads; whether it succeeds is not known.

        What ends in `/.` is there only if the directory is, so that a failed change is no place at all.
        """
        self.journey.moves += 1
        self.directories = tuple(one if HOLE in one else f"{one}/." for one in directories)

    def push(self) -> None:
        """Remember where we are, to come back; what may not happen leaves us without a memory."""
        if self.straight:
            self.journey.stack.append(self.directories)
        else:
            self.forget_way()

    def pop(self) -> tuple[str, ...]:
        """Go back to where the last push came from."""
        known = self.straight and self.journey.stack
        back = self.journey.stack.pop() if known else (HOLE,)
        if not known:
            self.forget_way()
        self.journey.moves += 1
        self.directories = back
        return back

    def forget_way(self) -> None:
        """From here on, where `Pop-Location` leads is not known."""
        self.journey.stack.clear()

    def may_be_in(self, directories: tuple[str, ...]) -> None:
        """Add directories that the text may be in from here on."""
        merged = tuple(dict.fromkeys((*self.directories, *directories)))
        self.directories = merged if len(merged) <= MOST_DIRECTORIES else (HOLE,)

    def _is_anchored(self, source: Statement) -> bool:
        """Whether a value may be a place seen from where we are: what a command finds, or `$PWD`."""
        names = {plain(name) for name in variables(source)}
        return runs_command(source) or "pwd" in names or not self.anchored.keys().isdisjoint(names)
