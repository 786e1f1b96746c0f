"""Find the cmdlet of a name, bind arguments to its parameters, and list its normal forms for rules."""

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
    CmdletEntry,
    ParameterKind,
)
from assent.engine.programs.word import Word, base_name

_COMMON_PARAMETERS = (
    "Verbose|vb Debug|db ErrorAction|ea= WarningAction|wa= InformationAction|infa= ProgressAction|proga= "
    "OutBuffer|ob= ErrorVariable|ev=! WarningVariable|wv=! InformationVariable|iv=! OutVariable|ov=! "
    "PipelineVariable|pv=!"
)
"""Parameters of every cmdlet; those that set a variable by its name do more than read."""

PARAMETER_SPEC = regex(r"(?:(\d):)?([\w|]+)([=<^>~{@.]?)(!?)(\*?)(?=\s|$)")
"""The pattern of one parameter in `CmdletEntry.parameters`."""

_QUALIFIED_NAME = regex(r"[A-Za-z][\w.]*\\([A-Za-z]\w*-[A-Za-z]\w*)")
r"""A cmdlet with the name of its module: `Module\Verb-Noun`."""
_BUILTIN_MODULE = regex(r"(?:Microsoft\.PowerShell\.\w+|CimCmdlets|PSReadLine)\\", re.IGNORECASE)
"""The name of a module of PowerShell itself, before a cmdlet."""
_DRIVE = regex(r"[A-Za-z]:")
_PARAMETER_START = regex(r"-[A-Za-z_?]")
_PROGRAM_EXTENSIONS = (".exe", ".cmd", ".bat", ".com", ".ps1")
_MAX_LEADING_PARAMETERS = 8
"""How many named parameters are tried as the first argument of a normal form."""
_CMDLET_NAMES = {name.lower(): name for name in CMDLETS}
"""The cmdlet names by their lower-case form."""


class Parameter(NamedTuple):
    """One parameter of a cmdlet."""

    name: str
    kind: ParameterKind
    harmless: bool
    """False if the parameter makes the cmdlet do more than read."""


class Cmdlet(NamedTuple):
    """A cmdlet and its parsed parameters."""

    name: str
    entry: CmdletEntry
    parameters: Mapping[str, Parameter]
    """The parameters by each of their names, in lower case."""
    positions: tuple[Parameter, ...]
    """The parameters that can be given without their name, in order."""
    rest: Parameter | None
    """The parameter that takes all other arguments without a name."""


class Argument(NamedTuple):
    """A parameter and its values."""

    parameter: Parameter
    values: tuple[Word, ...]


@lru_cache(maxsize=1024)
def find_cmdlet(program: str) -> Cmdlet | None:
    """The cmdlet that a name or an alias means; None if the table has no entry."""
    name = program.lower() if program.isascii() else ""
    if _BUILTIN_MODULE.match(program):
        name = name.partition("\\")[2]
    return _parse_cmdlet(_CMDLET_NAMES.get(ALIASES.get(name, name).lower()))


def canonical_name(program: str) -> str:
    """The name of a program as rules write it, without alias, module or other spelling."""
    found = find_cmdlet(program)
    if found is not None:
        return found.name
    if (qualified := _QUALIFIED_NAME.fullmatch(program)) is not None:
        return canonical_name(qualified[1])
    if program.lower() in LOCATION_FUNCTIONS or _DRIVE.fullmatch(program):
        return "Set-Location"
    # PowerShell also tries an unknown name with `Get-` before it.
    return ALIASES.get(program.lower()) or _CMDLET_NAMES.get(f"get-{program.lower()}", program)


def is_parameter(word: Word) -> bool:
    """Whether PowerShell treats a word as the name of a parameter."""
    return not word.quoted and _PARAMETER_START.match(word.text) is not None


def is_comma(word: Word) -> bool:
    """Whether a word separates two items of a list; a quoted comma is an item itself."""
    return word.text == "," and not word.quoted


def find_parameter(cmdlet: Cmdlet, text: str) -> Parameter | None:
    """The parameter of `-Name` or `-Name:`; an unambiguous beginning of its name is enough."""
    name = text[1:].rstrip(":").lower()
    exact = cmdlet.parameters.get(name)
    if exact is not None:
        return exact
    found = {parameter for key, parameter in cmdlet.parameters.items() if key.startswith(name)}
    return found.pop() if len(found) == 1 else None


def bind_arguments(cmdlet: Cmdlet, words: tuple[Word, ...]) -> tuple[Argument, ...] | None:
    """Bind the words after the program to parameters; None if the binding is ambiguous."""
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
        takes_value = parameter.kind is not ParameterKind.SWITCH
        values, at = _take_values(words, at + 1) if takes_value or word.text[-1] == ":" else ((), at + 1)
        if takes_value and not values:
            return None
        named.append(Argument(parameter, values))
    return _bind_positions(cmdlet, named, positional)


def is_switch_on(arguments: tuple[Argument, ...], name: str) -> bool:
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
    """All normal forms of a command, with which deny and ask rules are compared."""
    written = tuple(word.text for word in words)
    full = tuple(word.text for word in canonical_words(words))
    # A program with the name of an alias also matches rules about the cmdlet.
    meant = canonical_name(full[0])
    names = dict.fromkeys((full[0], base_name(written[0]), meant, *_find_aliases(meant)))
    rests = dict.fromkeys((full[1:], written[1:], *_argument_orders(words)))
    return (written, *((name, *rest) for name in names for rest in rests))


@lru_cache(maxsize=512)
def _parse_cmdlet(name: str | None) -> Cmdlet | None:
    """Parse the entry of a cmdlet."""
    if name is None:
        return None
    entry = CMDLETS[name]
    parameters: dict[str, Parameter] = {}
    positions: list[tuple[int, Parameter]] = []
    rest: Parameter | None = None
    for position, names, kind, unsafe, takes_rest in PARAMETER_SPEC.findall(
        f"{entry.parameters} {_COMMON_PARAMETERS}"
    ):
        parameter = Parameter(names.partition("|")[0], ParameterKind(kind), not unsafe)
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
    """Take one value and the values that follow it after commas; also return the next index."""
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


def _argument_orders(words: tuple[Word, ...]) -> list[tuple[str, ...]]:
    """Other orders of the words after the program with the same meaning, with and without parameter names."""
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
    named = [
        _words_with_parameter_name(argument)
        for argument in arguments
        if _position_name(argument) not in positions
    ]
    found = [
        values,
        _join_forms((values, *named)),
        _join_forms((*map(_words_with_parameter_name, positional), *named)),
    ]
    for at, first in enumerate(named[:_MAX_LEADING_PARAMETERS]):
        found.append(_join_forms((first, values, *named[:at], *named[at + 1 :])))
    return found if arguments else []


def _position_name(argument: Argument) -> str:
    """The name of the parameter; `LiteralPath` has the position of `Path`."""
    return "Path" if argument.parameter.name == "LiteralPath" else argument.parameter.name


def _words_with_parameter_name(argument: Argument) -> tuple[str, ...]:
    """The words of an argument, with the name of its parameter."""
    return (f"-{argument.parameter.name}", *(value.text for value in argument.values))


def _join_forms(forms: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """Join several lists of words to one."""
    return tuple(text for form in forms for text in form)


def _program_name(name: str) -> str:
    """The name of a program without directory and extension; in lower case if it had an extension."""
    bare = base_name(name)
    ending = next((ending for ending in _PROGRAM_EXTENSIONS if bare.lower().endswith(ending)), "")
    return (bare[: -len(ending)] if ending else bare).lower() if ending or bare.isupper() else bare


@lru_cache(maxsize=512)
def _find_aliases(name: str) -> tuple[str, ...]:
    """All aliases of a cmdlet."""
    return tuple(alias for alias, meant in ALIASES.items() if meant == name)
