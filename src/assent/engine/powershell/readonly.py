"""Whether a PowerShell command only reads, by the table of what is known to be harmless."""

from assent.engine.lines import reading as other
from assent.engine.lines.reading import Reading
from assent.engine.powershell import cmdlets, places, programs
from assent.engine.powershell.aliases import ALIASES, NATIVE_ELSEWHERE
from assent.engine.powershell.calls import makes_plain_object
from assent.engine.powershell.cmdlets import Cmdlet, Given
from assent.engine.powershell.places import may_be_secret
from assent.engine.powershell.readers import HARMLESS_ANYWAY, MEMBERS, PATH_READERS, READERS
from assent.engine.programs.variables import harmless
from assent.engine.programs.word import HOLE, Word

_OTHERS_ON_WINDOWS = frozenset("compact convert expand replace".split())
"""Programs that only read where the other shell lives, and write on Windows."""

_QUERIES = frozenset({"Get-CimInstance", "Get-WmiObject"})
_ACTS = ("win32_pingstatus", "win32_product", HOLE)
"""Classes that do something when they are asked for: reach another machine, repair what is installed."""

_CONTENT = frozenset({"Get-Content", "Select-String"})
_PATTERNS = frozenset({"Filter", "Include", "LiteralPath", "Path"})


def reading(words: tuple[Word, ...]) -> Reading | None:
    """What these words would read, or None when they might do more than read."""
    cmdlet = cmdlets.find(words[0].text)
    if cmdlet is None:
        return _read_elsewhere(words)
    if cmdlet.name == "Set-Item":
        return _read_setting(cmdlet, words[1:])
    found = _read(cmdlet, words) if cmdlet.name in READERS else None
    name = words[0].text.lower()
    return found if name not in NATIVE_ELSEWHERE else _either(name, words, found)


def native(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """Words for a program that is none of PowerShell's own; None when it might get others.

    Older versions lose empty words and split words that hold quotes or end in a backslash.
    """
    for word in words[1:]:
        text = word.text
        broken = not text or '"' in text or (" " in text and text.endswith("\\"))
        if broken or cmdlets.is_comma(word) or (not word.quoted and text.startswith(("{", "@{"))):
            return None
    program = words[0].text
    name = program if "/" in program or "\\" in program else program.lower().removesuffix(".exe")
    return (
        words[0]._replace(text=name),
        *(word._replace(text=word.text.replace("\\", "/")) for word in words[1:]),
    )


def _read_elsewhere(words: tuple[Word, ...]) -> Reading | None:
    plain = native(words)
    if plain is None or plain[0].text in _OTHERS_ON_WINDOWS:
        return None
    if any(word.text.startswith("/") for word in words[1:]):
        return programs.reading(words) or other.reading(plain)
    return other.reading(plain) or programs.reading(words)


def _either(name: str, words: tuple[Word, ...], found: Reading | None) -> Reading | None:
    """A name that is an alias on one system and a program on another must be harmless on both."""
    elsewhere = _read_elsewhere(words)
    if name == "sort" and all(word.text[1:2].isupper() for word in words[1:] if cmdlets.is_parameter(word)):
        # No flag of the program `sort` that writes begins with a capital letter.
        elsewhere = elsewhere or found
    if found is not None and elsewhere is not None:
        return elsewhere._replace(files=tuple(dict.fromkeys((*found.files, *elsewhere.files))))
    if found is None and any(places.is_elsewhere(word.text) for word in words[1:]):
        # A file's name to the program, but to the alias a drive of its own, such as `env:`.
        return None
    return (found or elsewhere) if name in HARMLESS_ANYWAY and ALIASES[name] in READERS else None


def _read(cmdlet: Cmdlet, words: tuple[Word, ...]) -> Reading | None:
    given = cmdlets.bind(cmdlet, words[1:])
    if given is None or not all(_is_harmless(item) for item in given):
        return None
    files = places.files(word for item in given if item.parameter.kind == "<" for word in item.values)
    if files is None or not _is_ordinary(cmdlet, words, given):
        return None
    return Reading(files)


def _is_harmless(item: Given) -> bool:
    if not item.parameter.harmless:
        return False
    match item.parameter.kind:
        case "{":
            return all(_is_block(value) for value in item.values)
        case ".":
            return all(_is_block(value) or value.text.lower() in MEMBERS for value in item.values)
        case "@":
            return not any(value.opaque for value in item.values)
        case "^":
            return all(places.is_near(value) for value in item.values)
        case "<":
            # A block given for a path computes it.
            return not any(not value.quoted and value.text[:1] in ("{", "@") for value in item.values)
        case _:
            return True


def _is_block(word: Word) -> bool:
    return word.text.startswith("{") and not word.quoted


def _is_ordinary(cmdlet: Cmdlet, words: tuple[Word, ...], given: tuple[Given, ...]) -> bool:
    """What cannot be said by parameters alone."""
    if cmdlet.name in _QUERIES:
        return not any(
            name in value.text.lower() for item in given for value in item.values for name in _ACTS
        )
    if cmdlet.name in _CONTENT and any(_finds_secrets(item) for item in given):
        return False
    if cmdlet.name in PATH_READERS:
        return any(item.parameter.kind == "<" for item in given)
    return cmdlet.name != "New-Object" or makes_plain_object(words)


def _finds_secrets(item: Given) -> bool:
    """Whether a pattern that files are chosen by spells out a secret's name."""
    if item.parameter.name not in _PATTERNS:
        return False
    names = (value.text.replace("\\", "/").rpartition("/")[2] for value in item.values)
    return any(may_be_secret(name) for name in names if item.parameter.kind != "<" or "*" in name)


def _read_setting(cmdlet: Cmdlet, words: tuple[Word, ...]) -> Reading | None:
    """`Set-Item env:NAME value`, as which `$env:NAME = value` is read, if it changes nothing that matters."""
    given = cmdlets.bind(cmdlet, words)
    if given is None or [item.parameter.name for item in given] != ["Path", "Value"]:
        return None
    path, value = (item.values[0] for item in given)
    drive, _, name = path.text.partition(":")
    return Reading() if drive.lower() == "env" and HOLE not in name and harmless(name, value) else None
