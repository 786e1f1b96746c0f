"""An excerpt as JSON: the head, the tail and the parts of what is too long for a list."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import cast

from assent.engine.lines.input_names import InputSource
from assent.engine.template import render
from assent.engine.verdict import Verdict
from assent.gate.approval import Approval
from assent.gate.excerpt import SMALL, Excerpt
from assent.wire.answer import answer_to_json
from assent.wire.approval import approval_from_json, approval_shown, approval_to_json
from assent.wire.clip import clipped, encoded, ends, shortened
from assent.wire.fields import Fields
from assent.wire.filepreview import file_to_json

MOST_PIECES = 16
"""Parts of a command that an excerpt shows; those that ask come first."""
_PIECE = 240
"""Bytes of one of them."""
_LONG_LINE = MOST_PIECES * _PIECE
_ARGS = 4_000
"""Bytes of the arguments, besides the command line."""
_PART = 2_000
"""Bytes of anything else that a question has."""
_FIELD = 1_000
"""Bytes of one field of those."""
_TABLES = frozenset({"tool", "facts", "place", "answer"})
_WORD = 120
"""Bytes of a reason, a rule or a text that a step speaks about."""
_COMMANDS = 4
"""Commands that are fed the same."""

_APART = frozenset({"call", "decision", "file"})

Table = dict[str, object]


def excerpt_of(approval: Approval, size: int | None = None) -> Excerpt:
    """What a list shows of a question: all of it where it is small. A store knows the size already."""
    size = len(encoded(approval_to_json(approval))) if size is None else size
    # The size is that of the question; an answer may hold arguments, too.
    answer = None if approval.answer is None else answer_to_json(approval.answer)
    if size <= SMALL and len(encoded(answer)) <= SMALL:
        return Excerpt(approval, size)
    return Excerpt(approval_from_json(clip(approval)), size, clipped=True)


def clipped_before(approval: Approval, size: int) -> Excerpt:
    """The excerpt of an approval whose question was clipped when it was kept; its answer was not."""
    said = approval_to_json(approval)
    moved = {name: _short(name, said[name]) for name in ("answer", "preview")}
    is_same = all(said[name] == value for name, value in moved.items())
    return Excerpt(approval if is_same else approval_from_json({**said, **moved}), size, clipped=True)


def clip(approval: Approval) -> Table:
    """An approval's JSON in a bounded size; every field stays, and stays of its kind."""
    said = approval_to_json(approval)
    short = {name: _short(name, value) for name, value in said.items() if name not in _APART}
    call, decision = _table(said["call"]), _table(said["decision"])
    name, line, pieces = _command(approval, cast("list[Table]", decision.get("pieces", [])))
    args = {key: value for key, value in _table(call["args"]).items() if key != name}
    told: Table = {
        "args": ({name: line} if name else {}) | _table(clipped(args, _ARGS)),
        "steps": _few(cast("Sequence[Table]", decision["steps"])),
        "pieces": pieces,
        "inputs": _inputs(cast("list[Table]", decision.get("inputs", []))),
    }
    file = None if approval.file is None else replace(approval.file, diff="")
    shown = None if file is None else _each(file_to_json(file), {"digest": file.digest})
    return short | {"call": _each(call, told), "decision": _each(decision, told), "file": shown}


def excerpt_to_json(excerpt: Excerpt) -> dict[str, object]:
    """What a surface lists. A clipped one has no digest: only a person who saw the whole call allows it."""
    shown = approval_shown(excerpt.approval)
    return {**shown, "clipped": True, "size": excerpt.size, "digest": ""} if excerpt.clipped else shown


def excerpt_from_json(data: object, within: str = "excerpt") -> Excerpt:
    """The excerpt that such an object says."""
    fields = Fields(data, within)
    is_clipped = fields.flag("clipped", default=False)
    size = fields.whole("size") if is_clipped else len(encoded(data))
    return Excerpt(approval_from_json(data, within), size, is_clipped)


def _command(approval: Approval, pieces: list[Table]) -> tuple[str, str, list[Table]]:
    """The argument that is the command line, that line made short, and its pieces as they begin there.

    Nothing where the line is not one argument by itself.
    """
    line = render(approval.tool, approval.call.args)
    name = next((name for name, value in approval.call.args.items() if pieces and value == line), "")
    if not name or not line:
        return "", "", []
    return (name, line, pieces) if len(line) <= _LONG_LINE else (name, *_short_line(line, pieces))


def _short_line(line: str, pieces: Sequence[Table]) -> tuple[str, list[Table]]:
    starts = [0, *(_start(one) for one in pieces[1:]), len(line)]
    chosen = _chosen(pieces)
    text, shown, left = "", list[Table](), 0
    for at, (start, end) in enumerate(pairwise(starts)):
        if at not in chosen:
            left += end - start
            continue
        shown.append(_brief(pieces[at]) | {"start": len(text)})
        text += _gap(left) + shortened(line[start:end], _PIECE)
        left = 0
    return text, shown


def _chosen(pieces: Sequence[Table]) -> frozenset[int]:
    """Which pieces are shown: the first and the last, then what asks, then the rest."""
    asking = [at for at, one in enumerate(pieces) if one["verdict"] != Verdict.RUN.word]
    order = dict.fromkeys([0, len(pieces) - 1, *asking, *range(len(pieces))])
    return frozenset(list(order)[:MOST_PIECES])


def _gap(left: int) -> str:
    return f" … {left} more characters … " if left else ""


def _few(steps: Sequence[Table]) -> list[Table]:
    """One step of each stage and verdict: what locks a question or holds it still shows."""
    first = {(one["stage"], one["verdict"]): one for one in reversed(steps)}
    return [_brief(one) for one in reversed(first.values())]


def _inputs(fed: Sequence[Table]) -> list[Table]:
    """What is fed, without texts: their places are those in arguments that are not clipped."""
    told = [_input(one) for one in fed if one["source"] != InputSource.TEXT.value]
    return cast("list[Table]", ends(told, MOST_PIECES))


def _input(fed: Table) -> Table:
    commands = cast("list[str]", ends(cast("list[object]", fed["commands"]), _COMMANDS))
    return _brief(fed) | {"commands": [shortened(one, _WORD) for one in commands]}


def _short(name: str, value: object) -> object:
    """One field of an approval; of a table that has fields of its own each is clipped by itself."""
    if name not in _TABLES or not isinstance(value, dict):
        return clipped(value, _PART)
    table = cast("Table", value)
    return {key: _short(key, one) if key in _TABLES else clipped(one, _FIELD) for key, one in table.items()}


def _each(table: Table, told: Table) -> Table:
    return {key: told[key] if key in told else clipped(value, _FIELD) for key, value in table.items()}


def _brief(said: Table) -> Table:
    return {
        name: shortened(value, _WORD) if isinstance(value, str) else value for name, value in said.items()
    }


def _start(piece: Table) -> int:
    return cast("int", piece["start"])


def _table(value: object) -> Table:
    return cast("Table", value)
