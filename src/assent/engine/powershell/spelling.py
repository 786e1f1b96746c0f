"""A command in the ways that rules may spell it: its own name, its aliases, its parameters in full."""

from functools import lru_cache

from assent.engine.powershell import cmdlets
from assent.engine.powershell.aliases import ALIASES, MOVES
from assent.engine.shell.command import Word, base_name

_ENDINGS = (".exe", ".cmd", ".bat", ".com", ".ps1")


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
        parameter, _ = cmdlets.match(cmdlet, word.text)
        found.append(Word(word.text.rstrip(":") if parameter is None else f"-{parameter.name}"))
    return tuple(found)


def spellings(words: tuple[Word, ...]) -> tuple[tuple[str, ...], ...]:
    """The words in normal form, as deny and ask compare them, in each way they could be meant."""
    written = tuple(word.text for word in words)
    full = tuple(word.text for word in canonical(words))
    names = [full[0], full[0].lower(), base_name(written[0])]
    # A program that goes by the name of an alias is what rules about the command mean, too.
    meant = cmdlets.spelled(full[0])
    names.extend((meant, meant.lower(), *_aliases(meant)))
    found = [written, (written[0].lower(), *written[1:])]
    found.extend((name, *rest) for name in names for rest in (full[1:], written[1:]))
    slashed = [tuple(text.replace("\\", "/") for text in form) for form in found]
    return tuple(dict.fromkeys((*found, *slashed)))


def _native_name(name: str) -> str:
    """A program without its directory, its ending and its capitals, none of which matter."""
    bare = base_name(name)
    ending = next((ending for ending in _ENDINGS if bare.lower().endswith(ending)), "")
    return (bare[: -len(ending)] if ending else bare).lower() if ending or bare.isupper() else bare


@lru_cache(maxsize=512)
def _aliases(name: str) -> tuple[str, ...]:
    return tuple(alias for alias, meant in ALIASES.items() if meant == name)
