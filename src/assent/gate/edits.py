"""Edits: the text that a call would make of a file, recognised by the call's arguments."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from assent.engine.model import Call, Dialect, Effect, Tool, as_list, as_object
from assent.engine.template import specifier_values
from assent.errors import AssentError, InputError

_WHOLE = ("content", "contents", "text")
"""The arguments that hold all that a file will hold."""
MOST_EDITS = 1000

Rewrite = Callable[[Mapping[str, object], str, str], str]
"""What a tool of a host makes of a text: takes the arguments, the file's name and its text.

Raises `AssentError` with a sentence where the call does not fit the text.
"""


class Passages(NamedTuple):
    """The part of a file that an edit is about, before and after; `within` names it where it is not all."""

    before: str
    after: str
    within: str = ""


class Edit(NamedTuple):
    """A file that a call would write or change, and how."""

    path: str
    """As the call spells it."""
    make: Callable[[str | None], Passages]
    """Works out the change on the file's text, None where there is no file; refuses by `AssentError`."""


def edit_of(call: Call, tool: Tool, rewrites: Mapping[str, Rewrite]) -> Edit | None:
    """The edit that a call makes of one file; None where its arguments are not understood."""
    if tool.dialect is not Dialect.PATH or tool.effect is Effect.READ or tool.reads:
        return None
    found = specifier_values(tool, call.args)
    if len(found) != 1 or not isinstance(found[0], str) or not found[0]:
        return None
    path, args = found[0], call.args
    if (rewrite := rewrites.get(tool.name)) is not None:
        return Edit(path, partial(_rewritten, rewrite, args, path))
    if isinstance(args.get("new_source"), str):
        return Edit(path, partial(_of_notebook, args))
    if (replaced := _replacements(args)) is not None:
        return Edit(path, partial(_with_replacements, replaced))
    whole = next((value for name in _WHOLE if isinstance(value := args.get(name), str)), None)
    return None if whole is None else Edit(path, partial(_overwritten, whole))


class _Replacement(NamedTuple):
    old: str
    new: str
    everywhere: bool


def _replacements(args: Mapping[str, object]) -> list[_Replacement] | None:
    """The replacements that arguments spell, of one passage or of a list of them."""
    listed = as_list(args.get("edits"))
    if listed is None:
        one = _replacement(args)
        return None if one is None else [one]
    found = [_replacement(as_object(item) or {}) for item in listed]
    known = [one for one in found if one is not None]
    return known if known and len(known) == len(listed) <= MOST_EDITS else None


def _replacement(args: Mapping[str, object]) -> _Replacement | None:
    old, new = args.get("old_string"), args.get("new_string")
    if not isinstance(old, str) or not isinstance(new, str):
        return None
    return _Replacement(old, new, args.get("replace_all") is True)


def _overwritten(whole: str, text: str | None) -> Passages:
    return Passages(text or "", whole)


def _with_replacements(replacements: Sequence[_Replacement], text: str | None) -> Passages:
    return Passages(text or "", _replaced(replacements, text))


def _replaced(replacements: Sequence[_Replacement], text: str | None) -> str:
    """A text after all replacements, one after the other; one that does not fit is refused."""
    for old, new, everywhere in replacements:
        if not old:
            # An empty passage creates a file; in one that has text it could stand anywhere.
            if text:
                raise InputError("the passage to replace is empty, and the file is not")
            text = new
            continue
        count = 0 if text is None else text.count(old)
        if text is None or count == 0:
            raise InputError("the passage to replace is not in the file")
        if count > 1 and not everywhere:
            raise InputError(f"the passage to replace is in the file {count} times")
        text = text.replace(old, new)
    return text or ""


def _rewritten(rewrite: Rewrite, args: Mapping[str, object], path: str, text: str | None) -> Passages:
    if text is None:
        raise InputError("there is no such file")
    try:
        return Passages(text, rewrite(args, path, text))
    except AssentError:
        raise
    except Exception as error:
        raise InputError(f"the change could not be worked out ({type(error).__name__})") from error


def _of_notebook(args: Mapping[str, object], text: str | None) -> Passages:
    """The cell of a notebook that is replaced, added or removed, as lines of that cell."""
    cells = _cells(text)
    mode, source = args.get("edit_mode") or "replace", str(args["new_source"])
    at = _cell_place(args, cells)
    if mode == "insert":
        return Passages("", source, f"new cell {1 if at is None else at + 2}")
    if at is None:
        raise InputError("the cell is not in the notebook")
    before = _source(cells[at])
    return Passages(before, "" if mode == "delete" else source, f"cell {at + 1}")


def _cells(text: str | None) -> Sequence[object]:
    try:
        cells = as_list((as_object(json.loads(text or "")) or {}).get("cells"))
    except (ValueError, RecursionError):
        cells = None
    if cells is None:
        raise InputError("the file is not a notebook")
    return cells


def _cell_place(args: Mapping[str, object], cells: Sequence[object]) -> int | None:
    """Where the cell is that is named by its id or its number; None where there is no such cell."""
    wanted, number = args.get("cell_id"), args.get("cell_number")
    if isinstance(wanted, str) and wanted:
        ids = [(as_object(cell) or {}).get("id") for cell in cells]
        return ids.index(wanted) if wanted in ids else None
    if isinstance(number, int) and 0 <= number < len(cells):
        return number
    return None


def _source(cell: object) -> str:
    source = (as_object(cell) or {}).get("source")
    lines = as_list(source)
    return "".join(map(str, lines)) if lines is not None else str(source or "")
