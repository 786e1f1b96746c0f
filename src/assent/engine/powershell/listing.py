"""Which names a command passes on through a pipe: the files it lists, or what it was given."""

import re

from assent.engine.places import could_be_secret, is_secret_name
from assent.engine.powershell import cmdlets
from assent.engine.powershell.cmdlets import Cmdlet, Given
from assent.engine.powershell.places import as_file, child, some_of
from assent.engine.powershell.scope import Values
from assent.engine.shell.command import HOLE, Word

_SAME = frozenset({"Sort-Object", "Get-Unique", "Tee-Object"})
_SOME = frozenset({"Where-Object", "Select-Object"})
_FILE_NAME = re.compile(r"[\w.*?-]+")
_PATHS = frozenset({"fullname", "pspath", "path"})


def listed(words: Values, fed: Values | None) -> Values | None:
    """The names that a command gives to the next one, as far as known; else None."""
    cmdlet = cmdlets.find(words[0].text)
    given = None if cmdlet is None else cmdlets.bind(cmdlet, words[1:])
    if cmdlet is None or given is None or _mention_secrets(words):
        return None
    if cmdlet.name == "Get-ChildItem":
        return _children(given)
    if cmdlet.name in ("Get-Item", "Resolve-Path", "Convert-Path"):
        return tuple(_itself(word) for word in _paths(given)) or fed
    if cmdlet.name == "Write-Output":
        return tuple(word for item in given for word in item.values if item.parameter.name == "InputObject")
    if cmdlet.name == "Join-Path":
        return _joined(given)
    return _passed_on(cmdlet, given, fed)


def _joined(given: tuple[Given, ...]) -> Values | None:
    """The path that `Join-Path` makes of one directory and one name."""
    parts = {item.parameter.name: item.values for item in given}
    if set(parts) != {"Path", "ChildPath"} or any(len(values) != 1 for values in parts.values()):
        return None
    return (child(parts["Path"][0], parts["ChildPath"][0].text)._replace(listed=False),)


def _children(given: tuple[Given, ...]) -> Values | None:
    if cmdlets.is_on(given, "Name"):
        return None
    filters = [word.text for item in given if item.parameter.name == "Filter" for word in item.values]
    named = {item.parameter.name for item in given}
    deep = bool({"Recurse", "Depth", "Include", "Exclude"} & named) or len(filters) > 1
    name = HOLE if deep else (filters or ["*"])[0]
    found = _paths(given) or (Word("."),)
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
    if cmdlet.name == "ForEach-Object" and len(given) == 1 and _is_path_property(given[0]):
        return fed
    return None


def _mention_secrets(words: Values) -> bool:
    """Whether a command looks for files whose content nobody should see."""
    names = [name for word in words[1:] for name in _FILE_NAME.findall(word.text)]
    return any(is_secret_name(name) or ("*" in name and could_be_secret(name)) for name in names)


def _is_path_property(item: Given) -> bool:
    return len(item.values) == 1 and item.values[0].text.lower() in _PATHS


def _itself(word: Word) -> Word:
    return (as_file(word) or word)._replace(listed=True, quoted=True)


def _paths(given: tuple[Given, ...]) -> Values:
    return tuple(word for item in given if item.parameter.kind == "<" for word in item.values)


def _has_glob(text: str) -> bool:
    return any(mark in text for mark in "*?[")
