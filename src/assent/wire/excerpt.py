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

MAX_PIECES = 16
"""The maximum number of command pieces in an excerpt; pieces that ask have priority."""
_MAX_PIECE_BYTES = 240
"""The maximum size of one piece in bytes."""
_MAX_LINE_BYTES = MAX_PIECES * _MAX_PIECE_BYTES
_MAX_ARGS_BYTES = 4_000
"""The maximum size of the arguments in bytes, without the command line."""
_MAX_FIELD_BYTES = 2_000
"""The maximum size of any other field of an approval in bytes."""
_MAX_NESTED_FIELD_BYTES = 1_000
"""The maximum size of one nested field in bytes."""
_NESTED_OBJECTS = frozenset({"tool", "facts", "place", "answer"})
_MAX_STEP_TEXT_BYTES = 120
"""The maximum size of one text in a step in bytes."""
_MAX_INPUT_COMMANDS = 4
"""The maximum number of commands that are listed for one input."""

_SEPARATELY_CLIPPED = frozenset({"call", "decision", "file"})

JsonObject = dict[str, object]


def make_excerpt(approval: Approval, size: int | None = None) -> Excerpt:
    """The excerpt of an approval: the complete approval if it is small.

    A store passes the size if it knows it.
    """
    size = len(to_compact_json(approval_to_json(approval))) if size is None else size
    # The size does not include the answer, which may contain arguments as well.
    answer = None if approval.answer is None else answer_to_json(approval.answer)
    if size <= MAX_WHOLE_BYTES and len(to_compact_json(answer)) <= MAX_WHOLE_BYTES:
        return Excerpt(approval, size)
    return Excerpt(approval_from_json(clip_approval(approval)), size, clipped=True)


def make_clipped_excerpt(approval: Approval, size: int) -> Excerpt:
    """The excerpt of an approval whose stored copy is already clipped; only its answer is not."""
    data = approval_to_json(approval)
    moved = {name: _clip_field(name, data[name]) for name in ("answer", "preview")}
    is_same = all(data[name] == value for name, value in moved.items())
    return Excerpt(approval if is_same else approval_from_json({**data, **moved}), size, clipped=True)


def clip_approval(approval: Approval) -> JsonObject:
    """The JSON of an approval in a bounded size; every field keeps its type."""
    data = approval_to_json(approval)
    short = {
        name: _clip_field(name, value) for name, value in data.items() if name not in _SEPARATELY_CLIPPED
    }
    call, decision = _to_json_object(data["call"]), _to_json_object(data["decision"])
    name, line, pieces = _shorten_command(approval, cast("list[JsonObject]", decision.get("pieces", [])))
    args = {key: value for key, value in _to_json_object(call["args"]).items() if key != name}
    replaced: JsonObject = {
        "args": ({name: line} if name else {}) | _to_json_object(clip_value(args, _MAX_ARGS_BYTES)),
        "steps": _first_step_per_stage(cast("Sequence[JsonObject]", decision["steps"])),
        "pieces": pieces,
        "inputs": _clip_inputs(cast("list[JsonObject]", decision.get("inputs", []))),
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
    size = fields.integer("size") if is_clipped else len(to_compact_json(data))
    return Excerpt(approval_from_json(data, within), size, is_clipped)


def _shorten_command(approval: Approval, pieces: list[JsonObject]) -> tuple[str, str, list[JsonObject]]:
    """The name of the command-line argument, the shortened line, and its pieces.

    All are empty if the command line is not a single argument.
    """
    line = render_specifier(approval.tool, approval.call.args)
    name = next((name for name, value in approval.call.args.items() if pieces and value == line), "")
    if not name or not line:
        return "", "", []
    return (name, line, pieces) if len(line) <= _MAX_LINE_BYTES else (name, *_shorten_line(line, pieces))


def _shorten_line(line: str, pieces: Sequence[JsonObject]) -> tuple[str, list[JsonObject]]:
    starts = [0, *(_piece_start(one) for one in pieces[1:]), len(line)]
    chosen = _indexes_of_shown_pieces(pieces)
    text, shown, left = "", list[JsonObject](), 0
    for at, (start, end) in enumerate(pairwise(starts)):
        if at not in chosen:
            left += end - start
            continue
        shown.append(_shorten_texts(pieces[at]) | {"start": len(text)})
        text += _gap_text(left) + shorten_text(line[start:end], _MAX_PIECE_BYTES)
        left = 0
    return text, shown


def _indexes_of_shown_pieces(pieces: Sequence[JsonObject]) -> frozenset[int]:
    """The indexes of the shown pieces: the first and the last, then those that ask, then the rest."""
    asking = [at for at, one in enumerate(pieces) if one["verdict"] != Verdict.RUN.word]
    order = dict.fromkeys([0, len(pieces) - 1, *asking, *range(len(pieces))])
    return frozenset(list(order)[:MAX_PIECES])


def _gap_text(left: int) -> str:
    return f" … {left} more characters … " if left else ""


def _first_step_per_stage(steps: Sequence[JsonObject]) -> list[JsonObject]:
    """One step for each stage and verdict, so that locking stages stay visible."""
    first = {(one["stage"], one["verdict"]): one for one in reversed(steps)}
    return [_shorten_texts(one) for one in reversed(first.values())]


def _clip_inputs(inputs: Sequence[JsonObject]) -> list[JsonObject]:
    """The inputs of commands without their texts, whose positions refer to the complete arguments."""
    files = [_clip_input(one) for one in inputs if one["source"] != InputSource.TEXT.value]
    return cast("list[JsonObject]", first_and_last(files, MAX_PIECES))


def _clip_input(disclosed: JsonObject) -> JsonObject:
    commands = cast(
        "list[str]", first_and_last(cast("list[object]", disclosed["commands"]), _MAX_INPUT_COMMANDS)
    )
    return _shorten_texts(disclosed) | {
        "commands": [shorten_text(one, _MAX_STEP_TEXT_BYTES) for one in commands]
    }


def _clip_field(name: str, value: object) -> object:
    """Clip one field of an approval; the fields of a nested object are clipped separately."""
    if name not in _NESTED_OBJECTS or not isinstance(value, dict):
        return clip_value(value, _MAX_FIELD_BYTES)
    table = cast("JsonObject", value)
    return {
        key: _clip_field(key, one) if key in _NESTED_OBJECTS else clip_value(one, _MAX_NESTED_FIELD_BYTES)
        for key, one in table.items()
    }


def _clip_fields(table: JsonObject, replaced: JsonObject) -> JsonObject:
    return {
        key: replaced[key] if key in replaced else clip_value(value, _MAX_NESTED_FIELD_BYTES)
        for key, value in table.items()
    }


def _shorten_texts(data: JsonObject) -> JsonObject:
    """The texts of a step, a piece or an input, shortened; a reason with long values keeps its sentence."""
    is_large = len(to_compact_json(data.get("values"))) > _MAX_STEP_TEXT_BYTES
    return {
        name: shorten_text(value, _MAX_STEP_TEXT_BYTES) if isinstance(value, str) else value
        for name, value in data.items()
        if not (is_large and name in ("code", "values"))
    }


def _piece_start(piece: JsonObject) -> int:
    return cast("int", piece["start"])


def _to_json_object(value: object) -> JsonObject:
    return cast("JsonObject", value)


class _ClipLimits(NamedTuple):
    """The limits to which a value is clipped."""

    text: int
    """The maximum size of one string in bytes."""
    items: int
    """The maximum number of members of a list or object."""
    depth: int


_CLIP_LIMITS = (_ClipLimits(800, 20, 6), _ClipLimits(200, 10, 4), _ClipLimits(60, 4, 3))
"""Limits from loose to strict; the first that makes a value small enough is used."""
_MAX_NAME_BYTES = 80
to_compact_json = json.JSONEncoder(separators=(",", ":")).encode


def shorten_text(text: str, most: int) -> str:
    """A string of at most `most` bytes as JSON; of a longer string the beginning and the end are kept."""
    size = len(to_compact_json(text))
    if size <= most:
        return text
    half = most * len(text) // size // 2
    return f"{text[:half]} … {len(text) - 2 * half} more characters … {text[-half:]}"


def clip_value(value: object, most: int) -> object:
    """A value of at most `most` bytes as JSON; a larger one is shortened or emptied."""
    if len(to_compact_json(value)) <= most:
        return value
    for cut in _CLIP_LIMITS:
        smaller = _clip_to_limits(value, cut)
        if len(to_compact_json(smaller)) <= most:
            return smaller
    return _empty_value(value)


def _clip_to_limits(value: object, cut: _ClipLimits) -> object:
    deeper = cut._replace(depth=cut.depth - 1)
    most = cut.items if cut.depth else 0
    match value:
        case str():
            return shorten_text(value, cut.text)
        case dict():
            members = list(cast("dict[str, object]", value).items())[:most]
            return {
                shorten_text(name, _MAX_NAME_BYTES): _clip_to_limits(item, deeper) for name, item in members
            }
        case list():
            return [
                _clip_to_limits(item, deeper) for item in first_and_last(cast("list[object]", value), most)
            ]
        case _:
            return value


def first_and_last(items: Sequence[object], most: int) -> list[object]:
    """At most `most` items: the first and the last ones."""
    half = most // 2
    return list(items) if len(items) <= most else [*items[:half], *items[len(items) - half :]]


def _empty_value(value: object) -> object:
    match value:
        case str():
            return ""
        case list():
            return []
        case dict():
            return {}
        case _:
            return value
