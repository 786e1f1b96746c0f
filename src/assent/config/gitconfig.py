"""Git's configuration format, as far as it takes to find what a file includes and names."""

from collections.abc import Iterator
from typing import NamedTuple


class MalformedGitConfigError(Exception):
    """A file that Git would refuse, or that we do not read as Git does."""


class Setting(NamedTuple):
    """One key and its value; section and key are in lower case, as Git compares them."""

    section: str
    key: str
    value: str


def read_settings(data: bytes) -> list[Setting]:
    """Every setting of a file, in order."""
    return list(_settings(_joined(data.decode("utf-8", "surrogateescape").removeprefix("\ufeff"))))


def _joined(text: str) -> Iterator[str]:
    """Lines, with those that end in a backslash joined to the next."""
    held = ""
    for line in text.replace("\r\n", "\n").split("\n"):
        trailing = len(line) - len(line.rstrip("\\"))
        if trailing % 2:
            held += line[:-1]
        else:
            yield held + line
            held = ""
    if held:
        raise MalformedGitConfigError("the last line goes on after the end")


def _settings(lines: Iterator[str]) -> Iterator[Setting]:
    section = ""
    for line in lines:
        rest = line.strip()
        if rest.startswith("["):
            section, rest = _header(rest)
        if not rest or rest[0] in "#;":
            continue
        key, equals, value = rest.partition("=")
        name = key.strip().lower()
        if not equals:
            name = name.split("#")[0].split(";")[0].strip()
        if not section or not name.replace("-", "").isalnum():
            raise MalformedGitConfigError(f"`{line}` is not a setting")
        yield Setting(section, name, _value(value) if equals else "true")


def _header(line: str) -> tuple[str, str]:
    """The section that a header opens, without its sub-section, and what stands behind the bracket."""
    quoted = False
    position = 1
    while position < len(line) and (quoted or line[position] != "]"):
        if quoted and line[position] == "\\":
            position += 1
        elif line[position] == '"':
            quoted = not quoted
        position += 1
    if position >= len(line):
        raise MalformedGitConfigError(f"`{line}` is not closed")
    name = line[1:position].partition('"')[0].strip()
    return name.partition(".")[0].lower(), line[position + 1 :].strip()


def _value(text: str) -> str:
    """A value with its quotes and escapes resolved and its comment cut off."""
    found: list[str] = []
    quoted = False
    kept = 0
    characters = iter(text.strip())
    for character in characters:
        if character in "#;" and not quoted:
            break
        if character == '"':
            quoted = not quoted
            kept = len(found)
        elif character == "\\":
            found.append(_escape(next(characters, "")))
            kept = len(found)
        else:
            found.append(character)
            kept = len(found) if quoted or not character.isspace() else kept
    if quoted:
        raise MalformedGitConfigError(f"`{text}` has an open quote")
    value = "".join(found[:kept])
    if "\t" in value:
        raise MalformedGitConfigError(f"`{text}` holds a tab, which versions of Git read differently")
    return value


def _escape(character: str) -> str:
    escapes = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\"}
    if character not in escapes:
        raise MalformedGitConfigError(f"`\\{character}` is no escape")
    return escapes[character]
