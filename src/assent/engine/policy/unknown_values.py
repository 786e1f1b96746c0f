"""Values that a line spells out and that its unknown words could have."""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from assent.engine.lines.command import Access
from assent.engine.lines.part import Part
from assent.engine.regex import regex

MOST_VALUES = 64
"""How many values are tried, the shortest paths first."""

_PARAMETER = regex(r"\$\{?[\d@*]")
_VARIABLE = regex(r"\$\{?([A-Za-z_]\w*)")
_PRINTS = regex(
    r"(?:\$\(|`)\s*(?:echo|printf|realpath|readlink|dirname)\s+(?:-\w+\s+)*[\"']?([^\s\"'()`$]+)[\"']?\s*(?:\)|`)"
)
_HERE = regex(r"(?:\$\(|`)\s*(?:git\s+rev-parse\s+--show-(?:toplevel|cdup)|pwd)\b")
_DEVICE = regex(r"DEV|DISK|DRIVE|PARTITION", re.IGNORECASE)
_IMAGE = regex(r"\b(?:dd|dcfldd|dc3dd)\b.*\bof=[\"']?\$\{?([A-Za-z_]\w*|[\d@*])", re.DOTALL)
_FILE = regex(r"FILE|OUT|IMG|IMAGE|DEST|TARGET|TE?MP|PATH|DIR|NAME|LOG|BACKUP|BIN|SWAP|DUMP", re.IGNORECASE)
"""What the names of variables say that hold a file to be made."""
_READERS = ("read", "mapfile", "readarray")
_SOME_DEVICE = "/dev/sda"


class Handed:
    """The values that one line spells out."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = parts

    def to(self, part: Part) -> list[str]:
        """What the unknown words of a part could be: paths that may be roots or files of the system's."""
        texts = [part.text, *self._outer.get(id(part), ())]
        found = [value for text in texts for value in _printed(text)]
        names = {name for text in texts for name in _VARIABLE.findall(text)}
        if any(map(_DEVICE.search, names)) or any(map(_unlike_a_file, texts)):
            found.append(_SOME_DEVICE)
        found.extend(self._arguments)
        for setter in (setter for name in names for setter in self._setters.get(name, ())):
            found.extend(_printed(setter.text))
            found.extend(self._input if _is_reader(setter) else ())
        likely = {value for value in found if value[:1] in ("/", "~", ".")}
        return sorted(likely, key=lambda value: (value.count("/"), len(value), value))[:MOST_VALUES]

    @cached_property
    def _outer(self) -> dict[int, list[str]]:
        """The texts of the parts that carry each part."""
        found: dict[int, list[str]] = {}
        for part in self.parts:
            for inner in _carried(part):
                found.setdefault(id(inner), []).append(part.text)
        return found

    @cached_property
    def _arguments(self) -> list[str]:
        """The arguments of functions, and those that `set --` gives, where parameters are used."""
        if not any(_PARAMETER.search(part.text) for part in self.parts):
            return []
        commands = [part.command for part in self.parts if part.command is not None]
        called = [command for command in commands if command.function or command.program == "set"]
        return [word.text for command in called for word in command.words[1:]]

    @cached_property
    def _setters(self) -> dict[str, list[Part]]:
        """The parts that assign or read each variable."""
        found: dict[str, list[Part]] = {}
        for part in self.parts:
            command = part.command
            names = [] if command is None else [one.name for one in command.assignments]
            if command is not None and _is_reader(part):
                names.extend(word.text for word in command.words[1:])
            for name in names:
                found.setdefault(name, []).append(part)
        return found

    @cached_property
    def _input(self) -> list[str]:
        """The words that the line itself writes for a command to read."""
        commands = [part.command for part in self.parts if part.command is not None]
        here = [
            one.target.text for command in commands for one in command.redirects if one.access is Access.TEXT
        ]
        given = [word.text for command in commands for word in command.given or ()]
        return [value for text in (*here, *given) for value in text.split()]


def _printed(text: str) -> list[str]:
    """What the substitutions in a text print."""
    return [*_PRINTS.findall(text), *(["."] if _HERE.search(text) else [])]


def _unlike_a_file(text: str) -> bool:
    """Whether a text copies to a variable of which nothing says that it is a file."""
    return any(not _FILE.search(name) for name in _IMAGE.findall(text))


def _is_reader(part: Part) -> bool:
    return part.command is not None and part.command.program in _READERS


def _carried(part: Part) -> Iterable[Part]:
    for inner in part.carried:
        yield inner
        yield from _carried(inner)
