"""Cmdlets: which one a name means, how arguments are bound to its parameters, how rules may spell it."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from assent.engine.base.lazy import regex
from assent.engine.lines.spellings import find_bash_forms
from assent.engine.powershell.cmdlet_table import (
    ALIASES,
    CMDLETS,
    LOCATION_FUNCTIONS,
    Entry,
    Kind,
)
from assent.engine.programs.word import Word, base_name

_COMMON = (
    "Verbose|vb Debug|db ErrorAction|ea= WarningAction|wa= InformationAction|infa= ProgressAction|proga= "
    "OutBuffer|ob= ErrorVariable|ev=! WarningVariable|wv=! InformationVariable|iv=! OutVariable|ov=! "
    "PipelineVariable|pv=!"
)
"""Parameters of every cmdlet; those that set a variable by its name do more than read."""

SPEC = regex(r"(?:(\d):)?([\w|]+)([=<^>~{@.]?)(!?)(\*?)(?=\s|$)")
"""One parameter in `Entry.parameters`."""

_MODULE = regex(r"[A-Za-z][\w.]*\\([A-Za-z]\w*-[A-Za-z]\w*)")
_OWN_MODULE = regex(r"(?:Microsoft\.PowerShell\.\w+|CimCmdlets|PSReadLine)\\", re.IGNORECASE)
_DRIVE = regex(r"[A-Za-z]:")
_PARAMETER = regex(r"-[A-Za-z_?]")
_ENDINGS = (".exe", ".cmd", ".bat", ".com", ".ps1")
_MOST_FIRST = 8
"""How many of the named parameters are tried in front of the others."""
_NAMES = {name.lower(): name for name in CMDLETS}


class Parameter(NamedTuple):
    """One parameter of a cmdlet."""

    name: str
    kind: Kind
    harmless: bool


class Cmdlet(NamedTuple):
    """A cmdlet and its parsed parameters."""

    name: str
    entry: Entry
    parameters: Mapping[str, Parameter]
    """The parameters by each of their names, in lower case."""
    positions: tuple[Parameter, ...]
    """The parameters that can be given without their name, in order."""
    rest: Parameter | None
    """The parameter that takes all arguments without a name or a position."""


class Argument(NamedTuple):
    """A parameter and the values that it is given."""

    parameter: Parameter
    values: tuple[Word, ...]


@lru_cache(maxsize=1024)
def find_cmdlet(program: str) -> Cmdlet | None:
    """The cmdlet that a name or an alias means; None when there is no entry for it."""
    name = program.lower() if program.isascii() else ""
    if _OWN_MODULE.match(program):
        name = name.partition("\\")[2]
    return _parse_cmdlet(_NAMES.get(ALIASES.get(name, name).lower()))


def canonical_name(program: str) -> str:
    """The name of a program as rules spell it, however it was called."""
    found = find_cmdlet(program)
    if found is not None:
        return found.name
    if (qualified := _MODULE.fullmatch(program)) is not None:
        return canonical_name(qualified[1])
    if program.lower() in LOCATION_FUNCTIONS or _DRIVE.fullmatch(program):
        return "Set-Location"
    # PowerShell tries a name that means nothing else with `Get-` before it.
    return ALIASES.get(program.lower()) or _NAMES.get(f"get-{program.lower()}", program)


def is_parameter(word: Word) -> bool:
    """Whether PowerShell takes a word as the name of a parameter."""
    return not word.quoted and _PARAMETER.match(word.text) is not None


def is_comma(word: Word) -> bool:
    """Whether a word separates two items of a list; a quoted comma is an item."""
    return word.text == "," and not word.quoted


def find_parameter(cmdlet: Cmdlet, text: str) -> Parameter | None:
    """The parameter that `-Name` or `-Name:` means; an unambiguous beginning of its name is enough."""
    name = text[1:].rstrip(":").lower()
    exact = cmdlet.parameters.get(name)
    if exact is not None:
        return exact
    found = {parameter for key, parameter in cmdlet.parameters.items() if key.startswith(name)}
    return found.pop() if len(found) == 1 else None


def bind_arguments(cmdlet: Cmdlet, words: tuple[Word, ...]) -> tuple[Argument, ...] | None:
    """Bind the words after the program to parameters; None when the binding is ambiguous."""
    named: list[Argument] = []
    positional: list[tuple[Word, ...]] = []
    at = 0
    while at < len(words):
        word = words[at]
        if word.splits or is_comma(word):
            return None
        if word.text == "--" and not word.quoted:
            at += 1
            continue
        if not is_parameter(word):
            values, at = _take_values(words, at)
            positional.append(values)
            continue
        parameter = find_parameter(cmdlet, word.text)
        if parameter is None:
            return None
        takes_value = parameter.kind is not Kind.SWITCH
        values, at = _take_values(words, at + 1) if takes_value or word.text[-1] == ":" else ((), at + 1)
        if takes_value and not values:
            return None
        named.append(Argument(parameter, values))
    return _bind_positions(cmdlet, named, positional)


def is_on(arguments: tuple[Argument, ...], name: str) -> bool:
    """Whether a switch is on, or may be on."""
    return any(
        argument.parameter.name == name
        and not any(value.text.lower() == "$false" for value in argument.values)
        for argument in arguments
    )


def canonical_words(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The words with the full names of the cmdlet and its parameters, and lists without commas."""
    program = words[0]
    name = canonical_name(program.text)
    cmdlet = find_cmdlet(name)
    if program.text.lower() in LOCATION_FUNCTIONS:
        return (program._replace(text=name), Word(LOCATION_FUNCTIONS[program.text.lower()]))
    if cmdlet is None:
        return (program._replace(text=_program_name(name)), *words[1:])
    found = [program._replace(text=name)]
    for word in words[1:]:
        if not is_parameter(word):
            found.extend(() if is_comma(word) else (word,))
            continue
        parameter = find_parameter(cmdlet, word.text)
        found.append(Word(word.text.rstrip(":") if parameter is None else f"-{parameter.name}"))
    return tuple(found)


def find_powershell_forms(words: tuple[Word, ...]) -> tuple[tuple[str, ...], ...]:
    """Every normal form of a command that deny and ask rules are compared with."""
    written = tuple(word.text for word in words)
    full = tuple(word.text for word in canonical_words(words))
    # A program with the name of an alias is also compared with rules about the cmdlet.
    meant = canonical_name(full[0])
    names = dict.fromkeys((full[0], base_name(written[0]), meant, *_aliases_of(meant)))
    rests = dict.fromkeys((full[1:], written[1:], *_arrangements(words)))
    return (written, *((name, *rest) for name in names for rest in rests))


@lru_cache(maxsize=512)
def _parse_cmdlet(name: str | None) -> Cmdlet | None:
    if name is None:
        return None
    entry = CMDLETS[name]
    parameters: dict[str, Parameter] = {}
    positions: list[tuple[int, Parameter]] = []
    rest: Parameter | None = None
    for position, names, kind, unsafe, takes_rest in SPEC.findall(f"{entry.parameters} {_COMMON}"):
        parameter = Parameter(names.partition("|")[0], Kind(kind), not unsafe)
        parameters.update((alias.lower(), parameter) for alias in names.split("|"))
        if position:
            positions.append((int(position), parameter))
        rest = parameter if takes_rest else rest
    return Cmdlet(
        name=name,
        entry=entry,
        parameters=parameters,
        positions=tuple(parameter for _, parameter in sorted(positions)),
        rest=rest,
    )


def _take_values(words: tuple[Word, ...], at: int) -> tuple[tuple[Word, ...], int]:
    """One value and those that follow it after commas."""
    if at >= len(words) or is_parameter(words[at]):
        return (), at
    values = [words[at]]
    at += 1
    while at + 1 < len(words) and is_comma(words[at]):
        values.append(words[at + 1])
        at += 2
    return tuple(values), at


def _bind_positions(
    cmdlet: Cmdlet, named: list[Argument], positional: list[tuple[Word, ...]]
) -> tuple[Argument, ...] | None:
    """Bind the arguments without a name to the free positions."""
    bound = list(named)
    taken = {argument.parameter.name for argument in named}
    free = [parameter for parameter in cmdlet.positions if parameter.name not in taken]
    for values in positional:
        if free:
            bound.append(Argument(free.pop(0), values))
        elif cmdlet.rest is not None:
            bound.append(Argument(cmdlet.rest, values))
        else:
            return None
    return tuple(bound)


def _arrangements(words: tuple[Word, ...]) -> list[tuple[str, ...]]:
    """The words after the program in other orders with the same meaning, with and without parameter names."""
    cmdlet = find_cmdlet(words[0].text)
    if cmdlet is None:
        return [form[1:] for form in find_bash_forms(words)]
    arguments = bind_arguments(cmdlet, words[1:]) or ()
    positions = [parameter.name for parameter in cmdlet.positions]
    positional = sorted(
        (argument for argument in arguments if _position_name(argument) in positions),
        key=lambda argument: positions.index(_position_name(argument)),
    )
    values = tuple(value.text for argument in positional for value in argument.values)
    named = [_with_name(argument) for argument in arguments if _position_name(argument) not in positions]
    found = [values, _join_forms((values, *named)), _join_forms((*map(_with_name, positional), *named))]
    for at, first in enumerate(named[:_MOST_FIRST]):
        found.append(_join_forms((first, values, *named[:at], *named[at + 1 :])))
    return found if arguments else []


def _position_name(argument: Argument) -> str:
    return "Path" if argument.parameter.name == "LiteralPath" else argument.parameter.name


def _with_name(argument: Argument) -> tuple[str, ...]:
    return (f"-{argument.parameter.name}", *(value.text for value in argument.values))


def _join_forms(forms: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(text for form in forms for text in form)


def _program_name(name: str) -> str:
    """The name of a program without its directory, ending and capitals, which Windows ignores."""
    bare = base_name(name)
    ending = next((ending for ending in _ENDINGS if bare.lower().endswith(ending)), "")
    return (bare[: -len(ending)] if ending else bare).lower() if ending or bare.isupper() else bare


@lru_cache(maxsize=512)
def _aliases_of(name: str) -> tuple[str, ...]:
    return tuple(alias for alias, meant in ALIASES.items() if meant == name)
