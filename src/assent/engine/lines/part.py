"""A part of a call: one thing it would do, as rules, breakers and tables see it."""

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from assent.engine.facts import PathUse
from assent.engine.lines.command import Command
from assent.engine.lines.dangers import Harm
from assent.engine.lines.input_names import Fed


class Endangered(NamedTuple):
    """A path that a part would harm, and how."""

    harm: Harm
    use: PathUse


class Part(NamedTuple):
    """One thing a call would do, as the three lists, the breakers and the tables see it."""

    text: str
    """As a person is shown it."""
    hits: tuple[str, ...] = ()
    """What deny and ask match: the words in normal form, every disguise taken off."""
    possible: tuple[str, ...] = ()
    """The same with a hole for whatever is unknown, when anything is."""
    covers: tuple[tuple[str, ...], ...] = ()
    """What a scoped allow matches: the words as written; none when it can never be covered."""
    reads: tuple[PathUse, ...] = ()
    inputs: tuple[PathUse, ...] = ()
    """Files among those that it reads by redirection, which a rule for the command does not cover."""
    writes: tuple[PathUse, ...] = ()
    fed: Fed | None = None
    """What is fed to it or to what it carries, where that is more than data; a rule must name it."""
    redirected: tuple[PathUse, ...] = ()
    """Files it writes by redirection, which an allow rule for the command does not cover."""
    names: tuple[PathUse, ...] = ()
    """Paths that it lists or spells out for other parts of the line."""
    only_reads: bool = False
    reads_alone: bool = False
    """It would only read if its output were not redirected."""
    trust: bool = False
    """It only reads if the repository's own configuration is trusted."""
    directories: tuple[str, ...] = ("",)
    carried: "tuple[Part, ...]" = ()
    """What it would run besides itself."""
    carried_at: int = 0
    """Which word the carried command starts at."""
    passes_through: bool = False
    """It is covered when what it carries is."""
    privilege: bool = False
    unreadable: str | None = None
    catastrophe: str | None = None
    """Why it is one by its words alone."""
    endangered: tuple[Endangered, ...] = ()
    """What it would harm, which is a catastrophe in some places."""
    bomb: str = ""
    """A function that starts itself without end."""
    secret: str = ""
    """A variable it expands whose name looks like a secret's."""
    command: Command | None = None
    path: PathUse | None = None
    args: Mapping[str, object] | None = None


_CARRIED = attrgetter("carried")


class ParsedCall(NamedTuple):
    """A call's parts, and why it cannot be read as a whole if it cannot."""

    parts: tuple[Part, ...]
    unreadable: str | None = None
    source: str = ""
    """The line as it was respelled to be read, if it was."""
    spans: tuple[tuple[int, int], ...] = ()
    """Where the first of the parts stand in that text, in bytes; a part that a line repeats is one value."""

    # INVARIANT: parts is never empty, or a bare deny rule would not see the call.

    @property
    def distinct(self) -> tuple[Part, ...]:
        """The parts, each of them once: a command that a line repeats is the very same part."""
        return _once(self.parts)

    @property
    def all_parts(self) -> tuple[Part, ...]:
        """The parts and all that they carry, each of them once."""
        if not any(map(_CARRIED, self.parts)):
            return self.distinct
        found: list[Part] = []
        _flatten(self.parts, found)
        return _once(found)


def _once(parts: Sequence[Part]) -> tuple[Part, ...]:
    each = {id(part): part for part in parts}
    return tuple(parts) if len(each) == len(parts) else tuple(each.values())


def _flatten(parts: tuple[Part, ...], found: list[Part]) -> None:
    for part in parts:
        found.append(part)
        if part.carried:
            _flatten(part.carried, found)
