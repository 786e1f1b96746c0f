"""Excerpts as JSON: approvals in a bounded size for lists and live messages."""

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple, cast

from assent.engine.base.tool import render_specifier
from assent.engine.lines.specifier import InputSource
from assent.engine.policy.verdict import Verdict
from assent.gate.approval import MAX_WHOLE_BYTES, Approval, Excerpt
from assent.wire import shapes
from assent.wire.approval import (
    answer_to_json,
    approval_from_json,
    approval_to_json,
    approval_to_public_json,
    file_to_json,
)
from assent.wire.fields import Fields

MOST_PIECES = 16
"""The number of command pieces in an excerpt; those that ask have priority."""
_PIECE = 240
"""Bytes of one piece."""
_LONG_LINE = MOST_PIECES * _PIECE
_ARGS = 4_000
"""Bytes of the arguments, besides the command line."""
_PART = 2_000
"""Bytes of any other field of an approval."""
_FIELD = 1_000
"""Bytes of one nested field."""
_TABLES = frozenset({"tool", "facts", "place", "answer"})
_WORD = 120
"""Bytes of one text in a step."""
_COMMANDS = 4
"""The number of commands that are listed for one input."""

_APART = frozenset({"call", "decision", "file"})

Table = dict[str, object]


def excerpt_of(approval: Approval, size: int | None = None) -> Excerpt:
    """The excerpt of an approval: all of it where it is small. A store passes the known size."""
    size = len(to_compact_json(approval_to_json(approval))) if size is None else size
    # The size does not include the answer, which may contain arguments as well.
    answer = None if approval.answer is None else answer_to_json(approval.answer)
    if size <= MAX_WHOLE_BYTES and len(to_compact_json(answer)) <= MAX_WHOLE_BYTES:
        return Excerpt(approval, size)
    return Excerpt(approval_from_json(clip_approval(approval)), size, clipped=True)


def excerpt_of_clipped(approval: Approval, size: int) -> Excerpt:
    """The excerpt of an approval that was stored clipped, except for its answer."""
    data = approval_to_json(approval)
    moved = {name: _clip_field(name, data[name]) for name in ("answer", "preview")}
    is_same = all(data[name] == value for name, value in moved.items())
    return Excerpt(approval if is_same else approval_from_json({**data, **moved}), size, clipped=True)


def clip_approval(approval: Approval) -> Table:
    """The JSON of an approval in a bounded size; every field keeps its type."""
    data = approval_to_json(approval)
    short = {name: _clip_field(name, value) for name, value in data.items() if name not in _APART}
    call, decision = _table(data["call"]), _table(data["decision"])
    name, line, pieces = _command(approval, cast("list[Table]", decision.get("pieces", [])))
    args = {key: value for key, value in _table(call["args"]).items() if key != name}
    replaced: Table = {
        "args": ({name: line} if name else {}) | _table(clip_value(args, _ARGS)),
        "steps": _one_per_stage(cast("Sequence[Table]", decision["steps"])),
        "pieces": pieces,
        "inputs": _clip_inputs(cast("list[Table]", decision.get("inputs", []))),
    }
    file = None if approval.file is None else replace(approval.file, diff="")
    shown = None if file is None else _clip_fields(file_to_json(file), {"digest": file.digest})
    return short | {
        "call": _clip_fields(call, replaced),
        "decision": _clip_fields(decision, replaced),
        "file": shown,
    }


def excerpt_to_json(excerpt: Excerpt) -> shapes.Approval:
    """The excerpt as surfaces list it. A clipped one has no digest, so it cannot be approved."""
    shown = approval_to_public_json(excerpt.approval)
    return {**shown, "clipped": True, "size": excerpt.size, "digest": ""} if excerpt.clipped else shown


def excerpt_from_json(data: object, within: str = "excerpt") -> Excerpt:
    """The excerpt in a JSON object."""
    fields = Fields(data, within)
    is_clipped = fields.flag("clipped", default=False)
    size = fields.whole("size") if is_clipped else len(to_compact_json(data))
    return Excerpt(approval_from_json(data, within), size, is_clipped)


def _command(approval: Approval, pieces: list[Table]) -> tuple[str, str, list[Table]]:
    """The name of the command-line argument, the shortened line, and its pieces.

    Empty where the line is not a single argument.
    """
    line = render_specifier(approval.tool, approval.call.args)
    name = next((name for name, value in approval.call.args.items() if pieces and value == line), "")
    if not name or not line:
        return "", "", []
    return (name, line, pieces) if len(line) <= _LONG_LINE else (name, *_short_line(line, pieces))


def _short_line(line: str, pieces: Sequence[Table]) -> tuple[str, list[Table]]:
    starts = [0, *(_start(one) for one in pieces[1:]), len(line)]
    chosen = _indexes_of_shown_pieces(pieces)
    text, shown, left = "", list[Table](), 0
    for at, (start, end) in enumerate(pairwise(starts)):
        if at not in chosen:
            left += end - start
            continue
        shown.append(_shorten_texts(pieces[at]) | {"start": len(text)})
        text += _gap(left) + shorten(line[start:end], _PIECE)
        left = 0
    return text, shown


def _indexes_of_shown_pieces(pieces: Sequence[Table]) -> frozenset[int]:
    """The indexes of the shown pieces: the first and the last, then those that ask, then the rest."""
    asking = [at for at, one in enumerate(pieces) if one["verdict"] != Verdict.RUN.word]
    order = dict.fromkeys([0, len(pieces) - 1, *asking, *range(len(pieces))])
    return frozenset(list(order)[:MOST_PIECES])


def _gap(left: int) -> str:
    return f" … {left} more characters … " if left else ""


def _one_per_stage(steps: Sequence[Table]) -> list[Table]:
    """One step for each stage and verdict, so that locking stages stay visible."""
    first = {(one["stage"], one["verdict"]): one for one in reversed(steps)}
    return [_shorten_texts(one) for one in reversed(first.values())]


def _clip_inputs(inputs: Sequence[Table]) -> list[Table]:
    """The inputs without texts: the positions of a text are positions in the whole arguments."""
    files = [_clip_input(one) for one in inputs if one["source"] != InputSource.TEXT.value]
    return cast("list[Table]", ends(files, MOST_PIECES))


def _clip_input(fed: Table) -> Table:
    commands = cast("list[str]", ends(cast("list[object]", fed["commands"]), _COMMANDS))
    return _shorten_texts(fed) | {"commands": [shorten(one, _WORD) for one in commands]}


def _clip_field(name: str, value: object) -> object:
    """One field of an approval; the fields of a nested object are clipped separately."""
    if name not in _TABLES or not isinstance(value, dict):
        return clip_value(value, _PART)
    table = cast("Table", value)
    return {
        key: _clip_field(key, one) if key in _TABLES else clip_value(one, _FIELD)
        for key, one in table.items()
    }


def _clip_fields(table: Table, replaced: Table) -> Table:
    return {
        key: replaced[key] if key in replaced else clip_value(value, _FIELD) for key, value in table.items()
    }


def _shorten_texts(data: Table) -> Table:
    return {name: shorten(value, _WORD) if isinstance(value, str) else value for name, value in data.items()}


def _start(piece: Table) -> int:
    return cast("int", piece["start"])


def _table(value: object) -> Table:
    return cast("Table", value)


class _Cut(NamedTuple):
    """How much of a value is kept."""

    text: int
    """Bytes of one string."""
    items: int
    """Members of one list or object."""
    depth: int


_CUTS = (_Cut(800, 20, 6), _Cut(200, 10, 4), _Cut(60, 4, 3))
"""From large to small; the first cut that makes a value small enough is used."""
_LONGEST_NAME = 80
to_compact_json = json.JSONEncoder(separators=(",", ":")).encode


def shorten(text: str, most: int) -> str:
    """A string of at most `most` bytes as JSON; a longer one keeps its beginning and end."""
    size = len(to_compact_json(text))
    if size <= most:
        return text
    half = most * len(text) // size // 2
    return f"{text[:half]} … {len(text) - 2 * half} more characters … {text[-half:]}"


def clip_value(value: object, most: int) -> object:
    """A value of at most `most` bytes as JSON; a larger one is shortened or emptied."""
    if len(to_compact_json(value)) <= most:
        return value
    for cut in _CUTS:
        smaller = _cut(value, cut)
        if len(to_compact_json(smaller)) <= most:
            return smaller
    return _empty(value)


def _cut(value: object, cut: _Cut) -> object:
    deeper = cut._replace(depth=cut.depth - 1)
    most = cut.items if cut.depth else 0
    match value:
        case str():
            return shorten(value, cut.text)
        case dict():
            members = list(cast("dict[str, object]", value).items())[:most]
            return {shorten(name, _LONGEST_NAME): _cut(item, deeper) for name, item in members}
        case list():
            return [_cut(item, deeper) for item in ends(cast("list[object]", value), most)]
        case _:
            return value


def ends(items: Sequence[object], most: int) -> list[object]:
    """The first and the last items."""
    half = most // 2
    return list(items) if len(items) <= most else [*items[:half], *items[len(items) - half :]]


def _empty(value: object) -> object:
    match value:
        case str():
            return ""
        case list():
            return []
        case dict():
            return {}
        case _:
            return value
