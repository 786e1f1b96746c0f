"""Which names a command passes on through a pipe: the files it lists, or what it was given."""

from assent.engine.powershell import cmdlets
from assent.engine.powershell.cmdlets import Cmdlet, Given
from assent.engine.powershell.places import as_file, child, is_elsewhere, may_be_secret, some_of
from assent.engine.powershell.readers import UNCHOSEN
from assent.engine.powershell.scope import Values
from assent.engine.programs import catalog
from assent.engine.programs.word import HOLE, Word
from assent.engine.regex import regex

SOMETHING: Values = (Word(HOLE, quoted=True),)
"""Texts or objects that are not known, but whose properties nobody could choose."""

_SAME = frozenset({"Sort-Object", "Get-Unique", "Tee-Object"})
_SOME = frozenset({"Where-Object", "Select-Object"})
_FILE_NAME = regex(r"[\w.*?-]+")
_PATHS = frozenset({"fullname", "pspath", "path"})
_HIDDEN = frozenset({"Attributes", "Force", "Hidden", "System"})


def listed(words: Values, fed: Values | None) -> Values | None:
    """The names that a command gives to the next one, as far as known; else None."""
    cmdlet = cmdlets.find(words[0].text)
    if cmdlet is None:
        return SOMETHING if _prints(words[0].text) else None
    given = cmdlets.bind(cmdlet, words[1:])
    if given is None:
        return None
    if cmdlet.name == "Get-ChildItem":
        return _children(given, secret=_mention_secrets(words))
    if fed != SOMETHING and _mention_secrets(words):
        return None
    if cmdlet.name in UNCHOSEN:
        read = (*_paths(given), *(fed or ())) if cmdlet.name == "Get-Content" else ()
        # The content of a variable is whatever object it holds.
        return None if any(is_elsewhere(word.text) for word in read) else SOMETHING
    if cmdlet.name in ("Get-Item", "Resolve-Path", "Convert-Path"):
        return tuple(_itself(word) for word in _paths(given)) or fed
    if cmdlet.name == "Write-Output":
        return tuple(word for item in given for word in item.values if item.parameter.name == "InputObject")
    if cmdlet.name == "Join-Path":
        return _joined(given)
    return _passed_on(cmdlet, given, fed)


def is_made_up(word: Word) -> bool:
    """Whether a value may be an object with properties that somebody chose, or a file that is a secret."""
    return HOLE in word.text and not word.quoted


def _prints(program: str) -> bool:
    """Whether a name means a program, which only prints texts; a function or a script gives objects."""
    if HOLE in program or program.lower().endswith(".ps1"):
        return False
    return "-" not in cmdlets.spelled(program) or catalog.reads(program) is not None


def _joined(given: tuple[Given, ...]) -> Values | None:
    """The path that `Join-Path` makes of one directory and one name."""
    parts = {item.parameter.name: item.values for item in given}
    if set(parts) != {"Path", "ChildPath"} or any(len(values) != 1 for values in parts.values()):
        return None
    return (child(parts["Path"][0], parts["ChildPath"][0].text)._replace(listed=False),)


def _children(given: tuple[Given, ...], *, secret: bool) -> Values:
    """What a listing finds; of files that may be secrets we only say where they are."""
    named = {item.parameter.name for item in given}
    if cmdlets.is_on(given, "Name"):
        return SOMETHING
    filters = [word.text for item in given if item.parameter.name == "Filter" for word in item.values]
    deep = bool({"Recurse", "Depth", "Include", "Exclude"} & named) or len(filters) > 1
    name = HOLE if deep else (filters or ["*"])[0]
    found = _paths(given) or (Word("."),)
    if secret or _HIDDEN & named:
        return tuple(child(word, HOLE)._replace(listed=False, quoted=False) for word in found)
    return tuple(_itself(word) if _has_glob(word.text) and not deep else child(word, name) for word in found)


def _passed_on(cmdlet: Cmdlet, given: tuple[Given, ...], fed: Values | None) -> Values | None:
    """What filters let through."""
    if fed is None:
        return None
    if cmdlet.name in _SAME:
        return fed
    if cmdlet.name in _SOME:
        chosen = [item for item in given if item.parameter.name in ("Property", "ExpandProperty")]
        if cmdlet.name == "Where-Object" or all(_is_path_property(item) for item in chosen):
            return tuple(some_of(word) for word in fed)
        return _property_of(fed, *(word for item in chosen for word in item.values))
    if cmdlet.name == "ForEach-Object" and len(given) == 1:
        if _is_path_property(given[0]):
            return fed
        return _property_of(fed, *given[0].values)
    return None


def _mention_secrets(words: Values) -> bool:
    """Whether a command looks for files whose content nobody should see."""
    names = [name for word in words[1:] for name in _FILE_NAME.findall(word.text)]
    return any(may_be_secret(name) for name in names)


def _is_path_property(item: Given) -> bool:
    return len(item.values) == 1 and item.values[0].text.lower() in _PATHS


def _property_of(fed: Values, *names: Word) -> Values | None:
    """What is known of properties that objects have already; a table or a block would make new ones."""
    made = any(name.opaque or name.text[:1] in ("{", "@") for name in names)
    return None if made or any(is_made_up(word) for word in fed) else SOMETHING


def _itself(word: Word) -> Word:
    return (as_file(word) or word)._replace(listed=True, quoted=True)


def _paths(given: tuple[Given, ...]) -> Values:
    return tuple(word for item in given if item.parameter.kind == "<" for word in item.values)


def _has_glob(text: str) -> bool:
    return any(mark in text for mark in "*?[")
