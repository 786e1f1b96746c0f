"""A record in a file: JSON or TOML whose fields can be looked at and changed, the rest left as it is."""

import json
import re
import tomllib
from collections.abc import Iterator

from assent.engine.model import as_list, as_object
from assent.hosts.chat.belt.fault import FaultError

MISSING = object()
"""What a field holds that is not there; as a new value it takes the field away."""

_DOT = re.compile(r"(?<!\\)\.")
_INDENT = re.compile(r"^[{\[]\s*\n([ \t]+)")


def steps(field: str) -> list[str]:
    """The keys that lead to a field: `a.b.0`; a dot that belongs to a key has a backslash before it."""
    return [step.replace("\\.", ".") for step in _DOT.split(field)]


def value_at(record: object, way: list[str]) -> object:
    """What stands at a field, or `MISSING`."""
    here = record
    for step in way:
        members, each = as_object(here), as_list(here)
        if members is not None and step in members:
            here = members[step]
        elif each is not None and step.isdecimal() and int(step) < len(each):
            here = each[int(step)]
        else:
            return MISSING
    return here


def changed(record: object, way: list[str], value: object) -> object:
    """A copy of a record with another value at a field."""
    if not way:
        return value
    step, *rest = way
    members, each = as_object(record), as_list(record)
    if each is not None:
        return _changed_list(list(each), step, rest, value)
    if members is None and record is not MISSING:
        raise FaultError(f"`{step}` cannot be a field: what holds it is no object")
    copy = dict(members or {})
    inner = changed(copy.get(step, MISSING), rest, value)
    if inner is MISSING:
        copy.pop(step, None)
    else:
        copy[step] = inner
    return copy


def read_json(text: str) -> object:
    """A JSON document; one that two readers could understand differently is a fault."""
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise FaultError(f"the file is not JSON: {error}") from None


def write_json(record: object, like: str) -> str:
    """A JSON document, indented as another one is."""
    found = _INDENT.match(like)
    end = "\n" if like.endswith("\n") else ""
    return json.dumps(record, indent=found[1] if found else None, ensure_ascii=False) + end


def read_toml(text: str) -> object:
    """A TOML document."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FaultError(f"the file is not TOML: {error}") from None


def change_toml(text: str, way: list[str], value: object) -> str:
    """A TOML document with another value at a field, every other line as it was.

    The spelling is guessed, and what comes of it is read back: only the very change that is meant counts.
    """
    wanted = _canonical(changed(read_toml(text), way, value))
    for candidate in _candidates(text, way, value):
        try:
            if _canonical(tomllib.loads(candidate)) == wanted:
                return candidate
        except tomllib.TOMLDecodeError:
            continue
    raise FaultError(f"`{'.'.join(way)}` cannot be changed in place; write the file instead")


def _candidates(text: str, way: list[str], value: object) -> Iterator[str]:
    lines = text.splitlines(keepends=True)
    section = ""
    last_of_table = None if len(way) > 1 else 0
    for number, line in enumerate(lines):
        if line.lstrip().startswith("["):
            section = line.split("#")[0].strip().strip("[]")
        prefix = [key.strip(' "') for key in section.split(".")] if section else []
        if prefix == way[:-1]:
            last_of_table = number + 1 if line.strip() else last_of_table
            key = way[len(prefix) :]
            yield from _with_line(lines, number, key[0], value)
    if value is MISSING:
        return
    written = f"{_key(way[-1])} = {toml_value(value)}\n"
    if last_of_table is not None:
        ended = ["", *lines] if last_of_table == 0 else lines
        head, tail = ended[:last_of_table], ended[last_of_table:]
        yield "".join([*head, "" if not head or head[-1].endswith("\n") else "\n", written, *tail])
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    yield f"{text}{gap}[{'.'.join(map(_key, way[:-1]))}]\n{written}"


def _with_line(lines: list[str], number: int, key: str, value: object) -> Iterator[str]:
    """The document with the value on one line replaced, its comment kept if that can be."""
    spelled = f'(?:{re.escape(key)}|"{re.escape(key)}")'
    found = re.match(rf"^(\s*{spelled}\s*=\s*)([^\n#]*?)(\s*(?:#[^\n]*)?)(\n?)$", lines[number])
    blunt = re.match(rf"^(\s*{spelled}\s*=\s*)([^\n]*?)()(\n?)$", lines[number])
    for match in (found, blunt):
        if match is not None:
            start, _, comment, end = match.groups()
            line = "" if value is MISSING else f"{start}{toml_value(value)}{comment}{end}"
            yield "".join([*lines[:number], line, *lines[number + 1 :]])


def toml_value(value: object) -> str:
    """A JSON value in TOML's spelling."""
    if (members := as_object(value)) is not None:
        inner = ", ".join(f"{_key(name)} = {toml_value(one)}" for name, one in members.items())
        return f"{{ {inner} }}" if inner else "{}"
    if (each := as_list(value)) is not None:
        return f"[{', '.join(map(toml_value, each))}]"
    if value is None:
        raise FaultError("TOML has no null")
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def _changed_list(each: list[object], step: str, rest: list[str], value: object) -> object:
    if not step.isdecimal() or int(step) > len(each):
        raise FaultError(f"`{step}` is no place in a list of {len(each)}")
    position = int(step)
    inner = changed(each[position] if position < len(each) else MISSING, rest, value)
    return [*each[:position], *([] if inner is MISSING else [inner]), *each[position + 1 :]]


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return found
