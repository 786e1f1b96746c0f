"""PowerShell's commands and their parameters, and how written words are bound to them.

A command is described by its parameters, separated by blanks:

    Force            a switch
    Filter=          takes a value
    Path<            takes paths that are read
    Name^            takes places that are gone to, or names that may be paths
    FilePath>        takes paths that are written
    Target~          takes paths that are removed, or moved away
    Process{         takes a script block
    Property@        takes names, tables or script blocks
    MemberName.      takes the name of a member that is read, or a script block
    Recurse|s        has another name
    1:Path<          may be given without its name, in this place
    2:Value=*        takes all places that are left
    ComputerName=!   does more than read
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from assent.engine.powershell.aliases import ALIASES, MOVES
from assent.engine.powershell.changers import CHANGERS
from assent.engine.powershell.readers import READERS
from assent.engine.programs.word import Word
from assent.engine.regex import regex

COMMON = (
    "Verbose|vb Debug|db ErrorAction|ea= WarningAction|wa= InformationAction|infa= ProgressAction|proga= "
    "OutBuffer|ob= ErrorVariable|ev=! WarningVariable|wv=! InformationVariable|iv=! OutVariable|ov=! "
    "PipelineVariable|pv=!"
)
"""What every command takes; those that set a variable by its name are no mere reading."""

SPEC = regex(r"(?:(\d):)?([\w|]+)([=<^>~{@.]?)(!?)(\*?)(?=\s|$)")
"""One parameter as the tables describe it."""

_MODULE = regex(r"[A-Za-z][\w.]*\\([A-Za-z]\w*-[A-Za-z]\w*)")
_OWN_MODULE = regex(r"(?:Microsoft\.PowerShell\.\w+|CimCmdlets|PSReadLine)\\", re.IGNORECASE)
_DRIVE = regex(r"[A-Za-z]:")
_PARAMETER = regex(r"-[A-Za-z_?]")


class Parameter(NamedTuple):
    """One parameter of a command."""

    name: str
    kind: str
    """How it takes its value, as in the table; nothing for a switch."""
    harmless: bool


class Cmdlet(NamedTuple):
    """A command of PowerShell's own."""

    name: str
    named: Mapping[str, Parameter]
    """Its parameters by every name they have, in lower case."""
    places: tuple[Parameter, ...]
    rest: Parameter | None
    """What takes all words that have no place of their own."""


class Given(NamedTuple):
    """A parameter with the values it was given."""

    parameter: Parameter
    values: tuple[Word, ...]


@lru_cache(maxsize=1024)
def find(program: str) -> Cmdlet | None:
    """The command that a name stands for, if it is one of PowerShell's own that we know."""
    name = program.lower() if program.isascii() else ""
    if _OWN_MODULE.match(program):
        name = name.partition("\\")[2]
    return _cmdlet(_NAMES.get(ALIASES.get(name, name).lower()))


def spelled(program: str) -> str:
    """A program by the name that rules know it by, however it was called."""
    found = find(program)
    if found is not None:
        return found.name
    if (qualified := _MODULE.fullmatch(program)) is not None:
        return spelled(qualified[1])
    if program.lower() in MOVES or _DRIVE.fullmatch(program):
        return "Set-Location"
    # A name that means nothing else is tried with `Get-` before it.
    return ALIASES.get(program.lower()) or _NAMES.get(f"get-{program.lower()}", program)


def is_parameter(word: Word) -> bool:
    """Whether PowerShell takes a word as the name of a parameter."""
    return not word.quoted and _PARAMETER.match(word.text) is not None


def is_comma(word: Word) -> bool:
    """Whether a word stands between two items of a list; a quoted comma is an item."""
    return word.text == "," and not word.quoted


def match(cmdlet: Cmdlet, text: str) -> Parameter | None:
    """The parameter that `-Name` or `-Name:` means; any beginning will do that only one of them has."""
    name = text[1:].rstrip(":").lower()
    exact = cmdlet.named.get(name)
    if exact is not None:
        return exact
    found = {parameter for key, parameter in cmdlet.named.items() if key.startswith(name)}
    return found.pop() if len(found) == 1 else None


def bind(cmdlet: Cmdlet, words: tuple[Word, ...]) -> tuple[Given, ...] | None:
    """What each parameter is given by the words after the program; None when that is not clear."""
    given: list[Given] = []
    loose: list[tuple[Word, ...]] = []
    at = 0
    while at < len(words):
        word = words[at]
        if word.splits or is_comma(word):
            return None
        if word.text == "--" and not word.quoted:
            at += 1
            continue
        if not is_parameter(word):
            values, at = _values(words, at)
            loose.append(values)
            continue
        parameter = match(cmdlet, word.text)
        if parameter is None:
            return None
        values, at = _values(words, at + 1) if parameter.kind or word.text[-1] == ":" else ((), at + 1)
        if parameter.kind and not values:
            return None
        given.append(Given(parameter, values))
    return _placed(cmdlet, given, loose)


def is_on(given: tuple[Given, ...], name: str) -> bool:
    """Whether a switch is on, or might be."""
    return any(
        item.parameter.name == name and not any(value.text.lower() == "$false" for value in item.values)
        for item in given
    )


def _values(words: tuple[Word, ...], at: int) -> tuple[tuple[Word, ...], int]:
    """One value and those that follow it behind commas."""
    if at >= len(words) or is_parameter(words[at]):
        return (), at
    values = [words[at]]
    at += 1
    while at + 1 < len(words) and is_comma(words[at]):
        values.append(words[at + 1])
        at += 2
    return tuple(values), at


def _placed(cmdlet: Cmdlet, given: list[Given], loose: list[tuple[Word, ...]]) -> tuple[Given, ...] | None:
    """Give the words without a parameter's name to the parameters whose turn it is."""
    taken = {item.parameter.name for item in given}
    places = [parameter for parameter in cmdlet.places if parameter.name not in taken]
    for values in loose:
        if places:
            given.append(Given(places.pop(0), values))
        elif cmdlet.rest is not None:
            given.append(Given(cmdlet.rest, values))
        else:
            return None
    return tuple(given)


@lru_cache(maxsize=512)
def _cmdlet(name: str | None) -> Cmdlet | None:
    if name is None:
        return None
    named: dict[str, Parameter] = {}
    places: list[tuple[int, Parameter]] = []
    rest: Parameter | None = None
    own = READERS[name] if name in READERS else CHANGERS[name]
    for place, names, kind, unsafe, takes_rest in SPEC.findall(f"{own} {COMMON}"):
        parameter = Parameter(names.partition("|")[0], kind, not unsafe)
        named.update((alias.lower(), parameter) for alias in names.split("|"))
        if place:
            places.append((int(place), parameter))
        rest = parameter if takes_rest else rest
    return Cmdlet(name, named, tuple(parameter for _, parameter in sorted(places)), rest)


_NAMES = {name.lower(): name for name in (*READERS, *CHANGERS)}
