"""Parses configuration files of Git, and refuses what versions of Git read differently."""

import re
from collections.abc import Iterator
from typing import NamedTuple


class MalformedGitConfigError(Exception):
    """A Git configuration that Git refuses, or that Git might read differently from this parser."""


class GitSetting(NamedTuple):
    """A setting of a Git configuration; section and key are in lower case, because Git ignores case."""

    section: str
    key: str
    value: str
    subsection: str = ""
    """The name in quotes after the section, whose case matters."""


def read_git_settings(data: bytes) -> list[GitSetting]:
    """Parse all settings of a Git configuration file, in the order of the file."""
    return list(_parse_settings(_join_lines(data.decode("utf-8", "surrogateescape").removeprefix("\ufeff"))))


def _parse_settings(lines: Iterator[str]) -> Iterator[GitSetting]:
    section = subsection = ""
    for line in lines:
        rest = line.strip()
        if rest.startswith("["):
            section, subsection, rest = _parse_header(rest)
        if not rest or rest[0] in "#;":
            continue
        key, equals, value = rest.partition("=")
        name = key.strip().lower()
        if not equals:
            name = name.split("#")[0].split(";")[0].strip()
        if not section or not name.replace("-", "").isalnum():
            raise MalformedGitConfigError(f"`{line}` is not a setting")
        yield GitSetting(section, name, _parse_value(value) if equals else "true", subsection)


def _parse_header(line: str) -> tuple[str, str, str]:
    """Return the section and the subsection of a header, and the rest of the line."""
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
    name, quote, quoted_name = line[1:position].partition('"')
    section, _, old_subsection = name.strip().lower().partition(".")
    subsection = re.sub(r"\\(.)", r"\1", quoted_name.rpartition('"')[0]) if quote else old_subsection
    return section, subsection, line[position + 1 :].strip()


def _parse_value(text: str) -> str:
    """Parse a value: remove quotes and comments, and replace escapes."""
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
            found.append(_unescape(next(characters, "")))
            kept = len(found)
        elif found or quoted or not character.isspace():  # Git ignores spaces before the first character.
            found.append(character)
            kept = len(found) if quoted or not character.isspace() else kept
    if quoted:
        raise MalformedGitConfigError(f"`{text}` has an open quote")
    value = "".join(found[:kept])
    if "\t" in value:
        raise MalformedGitConfigError(f"`{text}` holds a tab, which versions of Git read differently")
    return value


def _unescape(character: str) -> str:
    escapes = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\"}
    if character not in escapes:
        raise MalformedGitConfigError(f"`\\{character}` is not an escape")
    return escapes[character]


def _join_lines(text: str) -> Iterator[str]:
    """Yield the lines of a text; a line that ends with a backslash is joined with the next line."""
    held = ""
    for line in text.replace("\r\n", "\n").split("\n"):
        if held != held.rstrip() and line.lstrip()[:1] in ("", "#", ";"):
            raise MalformedGitConfigError("versions of Git differ about a space before the end of the value")
        trailing = len(line) - len(line.rstrip("\\"))
        if trailing % 2:
            held += line[:-1]
        else:
            yield held + line
            held = ""
    if held:
        raise MalformedGitConfigError("the last line is continued after the end of the file")
