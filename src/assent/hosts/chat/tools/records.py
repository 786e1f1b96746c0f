"""Reads and changes single fields of JSON and TOML documents."""

import json
import re
import tomllib
from collections.abc import Iterator

from assent.engine.base.tool import as_list, as_object
from assent.hosts.chat.tools.tool import ToolError

MISSING = object()
"""Represents a missing field; setting a field to `MISSING` removes the field."""

_DOT = re.compile(r"(?<!\\)\.")
_INDENT = re.compile(r"^[{\[]\s*\n([ \t]+)")


def parse_field_path(field: str) -> list[str]:
    """Split a field path such as `a.b.0` into keys; a dot after a backslash belongs to the key."""
    return [step.replace("\\.", ".") for step in _DOT.split(field)]


def value_at_path(record: object, path: list[str]) -> object:
    """The value at a field path, or `MISSING` if there is none."""
    current = record
    for step in path:
        members, each = as_object(current), as_list(current)
        if members is not None and step in members:
            current = members[step]
        elif each is not None and step.isdecimal() and int(step) < len(each):
            current = each[int(step)]
        else:
            return MISSING
    return current


def record_with_value(record: object, path: list[str], value: object) -> object:
    """A copy of a record with a new value at a field path."""
    if not path:
        return value
    step, *rest = path
    members, each = as_object(record), as_list(record)
    if each is not None:
        return _list_with_value(list(each), step, rest, value)
    if members is None and record is not MISSING:
        raise ToolError(f"`{step}` cannot be a field: what holds it is no object")
    copy = dict(members or {})
    inner = record_with_value(copy.get(step, MISSING), rest, value)
    if inner is MISSING:
        copy.pop(step, None)
    else:
        copy[step] = inner
    return copy


def parse_json(text: str) -> object:
    """Parse a JSON document; raises `ToolError` for a duplicate key, whose value is ambiguous."""
    try:
        return json.loads(text, object_pairs_hook=_object_with_unique_keys)
    except (ValueError, RecursionError) as error:
        raise ToolError(f"the file is not JSON: {error}") from None


def format_json_like(record: object, like: str) -> str:
    """Format a record as JSON, with the indentation of the text `like`."""
    found = _INDENT.match(like)
    end = "\n" if like.endswith("\n") else ""
    return json.dumps(record, indent=found[1] if found else None, ensure_ascii=False) + end


def parse_toml(text: str) -> object:
    """Parse a TOML document."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ToolError(f"the file is not TOML: {error}") from None


def change_toml_value(text: str, path: list[str], value: object) -> str:
    """A TOML document with a new value at a field path; all other lines are unchanged.

    Tries several edits, and returns the first edited text that parses to the expected document.
    """
    wanted = _canonical_json(record_with_value(parse_toml(text), path, value))
    for candidate in _toml_candidates(text, path, value):
        try:
            if _canonical_json(tomllib.loads(candidate)) == wanted:
                return candidate
        except tomllib.TOMLDecodeError:
            continue
    raise ToolError(f"`{'.'.join(path)}` cannot be changed in place; write the file instead")


def _toml_candidates(text: str, path: list[str], value: object) -> Iterator[str]:
    """Edited texts that may contain the new value: a changed line, a new line, or a new table."""
    lines = text.splitlines(keepends=True)
    section = ""
    last_of_table = None if len(path) > 1 else 0
    for number, line in enumerate(lines):
        if line.lstrip().startswith("["):
            section = line.split("#")[0].strip().strip("[]")
        prefix = [key.strip(' "') for key in section.split(".")] if section else []
        if prefix == path[:-1]:
            last_of_table = number + 1 if line.strip() else last_of_table
            key = path[len(prefix) :]
            yield from _replace_line_value(lines, number, key[0], value)
    if value is MISSING:
        return
    written = f"{_toml_key(path[-1])} = {format_toml_value(value)}\n"
    if last_of_table is not None:
        ended = ["", *lines] if last_of_table == 0 else lines
        head, tail = ended[:last_of_table], ended[last_of_table:]
        yield "".join([*head, "" if not head or head[-1].endswith("\n") else "\n", written, *tail])
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    yield f"{text}{gap}[{'.'.join(map(_toml_key, path[:-1]))}]\n{written}"


def _replace_line_value(lines: list[str], number: int, key: str, value: object) -> Iterator[str]:
    """The document with the value in one line replaced; keeps the line's comment if possible."""
    spelled = f'(?:{re.escape(key)}|"{re.escape(key)}")'
    found = re.match(rf"^(\s*{spelled}\s*=\s*)([^\n#]*?)(\s*(?:#[^\n]*)?)(\n?)$", lines[number])
    blunt = re.match(rf"^(\s*{spelled}\s*=\s*)([^\n]*?)()(\n?)$", lines[number])
    for match in (found, blunt):
        if match is not None:
            start, _, comment, end = match.groups()
            line = "" if value is MISSING else f"{start}{format_toml_value(value)}{comment}{end}"
            yield "".join([*lines[:number], line, *lines[number + 1 :]])


def format_toml_value(value: object) -> str:
    """Format a JSON value in TOML syntax."""
    if (members := as_object(value)) is not None:
        inner = ", ".join(f"{_toml_key(name)} = {format_toml_value(one)}" for name, one in members.items())
        return f"{{ {inner} }}" if inner else "{}"
    if (each := as_list(value)) is not None:
        return f"[{', '.join(map(format_toml_value, each))}]"
    if value is None:
        raise ToolError("TOML has no null")
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _toml_key(name: str) -> str:
    """A key in TOML syntax, with quotes if needed."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def _list_with_value(each: list[object], step: str, rest: list[str], value: object) -> object:
    if not step.isdecimal() or int(step) > len(each):
        raise ToolError(f"`{step}` is not a position in a list of {len(each)}")
    position = int(step)
    inner = record_with_value(each[position] if position < len(each) else MISSING, rest, value)
    return [*each[:position], *([] if inner is MISSING else [inner]), *each[position + 1 :]]


def _canonical_json(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _object_with_unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Build an object from pairs; raises `ValueError` for a duplicate key."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has the same key twice")
    return found
