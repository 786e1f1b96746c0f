"""A command in the ways that rules may spell it: its own name, its aliases, its parameters in full."""

from collections.abc import Iterable
from functools import lru_cache

from assent.engine.lines.spellings import bash_spellings
from assent.engine.powershell import cmdlets
from assent.engine.powershell.aliases import ALIASES, MOVES
from assent.engine.powershell.cmdlets import Given
from assent.engine.shell.command import Word, base_name

_ENDINGS = (".exe", ".cmd", ".bat", ".com", ".ps1")
_MOST_FIRST = 8
"""How many of a command's parameters are tried in the first place."""


def canonical(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The words with the command's own name and its parameters' full names, lists without commas."""
    program = words[0]
    name = cmdlets.spelled(program.text)
    cmdlet = cmdlets.find(name)
    if program.text.lower() in MOVES:
        return (program._replace(text=name), Word(MOVES[program.text.lower()]))
    if cmdlet is None:
        return (program._replace(text=_native_name(name)), *words[1:])
    found = [program._replace(text=name)]
    for word in words[1:]:
        if not cmdlets.is_parameter(word):
            found.extend(() if cmdlets.is_comma(word) else (word,))
            continue
        parameter = cmdlets.match(cmdlet, word.text)
        found.append(Word(word.text.rstrip(":") if parameter is None else f"-{parameter.name}"))
    return tuple(found)


def spellings(words: tuple[Word, ...]) -> tuple[tuple[str, ...], ...]:
    """The words in normal form, as deny and ask compare them, in each way they could be meant."""
    written = tuple(word.text for word in words)
    full = tuple(word.text for word in canonical(words))
    # A program that goes by the name of an alias is what rules about the command mean, too.
    meant = cmdlets.spelled(full[0])
    names = dict.fromkeys((full[0], base_name(written[0]), meant, *_aliases(meant)))
    rests = dict.fromkeys((full[1:], written[1:], *_arranged(words)))
    return (written, *((name, *rest) for name in names for rest in rests))


def _arranged(words: tuple[Word, ...]) -> list[tuple[str, ...]]:
    """The words after the program in other orders that mean the same, with and without parameters."""
    cmdlet = cmdlets.find(words[0].text)
    if cmdlet is None:
        return [form[1:] for form in bash_spellings(words)]
    given = cmdlets.bind(cmdlet, words[1:]) or ()
    places = [parameter.name for parameter in cmdlet.places]
    placed = sorted(
        (item for item in given if _place_name(item) in places),
        key=lambda item: places.index(_place_name(item)),
    )
    values = tuple(value.text for item in placed for value in item.values)
    named = [_named(item) for item in given if _place_name(item) not in places]
    found = [values, _joined((values, *named)), _joined((*map(_named, placed), *named))]
    for at, first in enumerate(named[:_MOST_FIRST]):
        found.append(_joined((first, values, *named[:at], *named[at + 1 :])))
    return found if given else []


def _place_name(item: Given) -> str:
    return "Path" if item.parameter.name == "LiteralPath" else item.parameter.name


def _named(item: Given) -> tuple[str, ...]:
    return (f"-{item.parameter.name}", *(value.text for value in item.values))


def _joined(forms: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(text for form in forms for text in form)


def _native_name(name: str) -> str:
    """A program without its directory, its ending and its capitals, none of which matter."""
    bare = base_name(name)
    ending = next((ending for ending in _ENDINGS if bare.lower().endswith(ending)), "")
    return (bare[: -len(ending)] if ending else bare).lower() if ending or bare.isupper() else bare


@lru_cache(maxsize=512)
def _aliases(name: str) -> tuple[str, ...]:
    return tuple(alias for alias, meant in ALIASES.items() if meant == name)
