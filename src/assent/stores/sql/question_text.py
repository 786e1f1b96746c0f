"""The text of a question: what is stored of it beside its columns, without what follows from the rest."""

import json
import posixpath
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import zip_longest
from typing import Generic, NamedTuple, TypeVar, cast

from assent.engine.base.facts import CallDirectories, Facts
from assent.engine.base.reason import Reason, text_reason
from assent.engine.base.tool import Dialect, PathKind, Tool
from assent.engine.policy.verdict import Decision, Piece, Verdict
from assent.gate.access import SubAgent, sub_agents_from_text, sub_agents_to_text
from assent.gate.approval import Approval
from assent.wire.call import (
    decision_from_json,
    decision_to_json,
    facts_from_json,
    facts_to_json,
    tool_from_json,
    tool_to_json,
)
from assent.wire.fields import Fields
from assent.wire.reason import reason_from_json, reason_to_json

Key = TypeVar("Key")
Made = TypeVar("Made")

_MAX_OBJECTS = 512
"""The number of objects after which a memo begins again."""
_MAX_TEXTS = 256
"""The number of texts of decisions and of directories that are kept."""
_TOOL_DEFAULTS: Mapping[str, object] = {
    "dialect": Dialect.TEXT.value,
    "paths": PathKind.OS.value,
    "parameters": {},
    "origin": "server",
}
"""Defaults of a tool that are left out of the JSON; its effect is always written."""
_VERDICTS = {verdict.word: verdict for verdict in Verdict}
_PieceGroup = tuple[str, str, list[int], *tuple[str, ...]]


class QuestionDetails(NamedTuple):
    """The parts of a question that have no column of their own."""

    tool: Tool
    decision: Decision
    facts: Facts
    cwd: str
    call_cwd: str
    lineage: tuple[str, ...]
    sub_agents: tuple[SubAgent, ...]


def encode_question(approval: Approval) -> str:
    """The question as compact JSON, without values that can be derived from the rest."""
    decision, facts = approval.decision, approval.facts
    elsewhere = {} if approval.cwd == facts.directories.cwd else {"cwd": approval.cwd}
    rest = without_defaults(
        {
            "plain": _unresolved_paths(facts),
            "pieces": group_pieces(decision.pieces),
            "piece_reasons": group_piece_reasons(decision.pieces),
            "lineage": list(approval.lineage),
            "sub_agents": sub_agents_to_text(approval.sub_agents),
            "call_cwd": approval.call.cwd,
        }
    )
    alone = decision._replace(pieces=()) if decision.pieces else decision
    tool, decided = _tool_text(approval.tool), _decision_text(alone)
    ending = to_json(rest | elsewhere)[1:]
    comma = "" if ending == "}" else ","
    return f'{{"tool":{tool},"decision":{decided},"facts":{_facts_text(facts)}{comma}{ending}'


def decode_question(text: str) -> QuestionDetails:
    """Decode the JSON of `encode_question`, or the complete JSON of earlier versions."""
    data = Fields(json.loads(text), "question")
    facts = facts_from_json({"real": {}, **data.table("facts")})
    names = data.texts("plain", ())
    if names:
        plain = {path: (path,) for path in (posixpath.join(facts.directories.cwd, name) for name in names)}
        facts = replace(facts, real={**facts.real, **plain})
    return QuestionDetails(
        tool=tool_from_json(data.raw("tool")),
        decision=_restore_decision(
            decision_from_json(data.raw("decision")),
            data.items("pieces", ()),
            data.items("piece_reasons", ()),
        ),
        facts=facts,
        cwd=data.text("cwd", facts.directories.cwd),
        call_cwd=data.text("call_cwd", ""),
        lineage=data.texts("lineage", ()),
        sub_agents=sub_agents_from_text(data.text("sub_agents", "")),
    )


def group_pieces(pieces: Sequence[Piece]) -> list[list[object]]:
    """Pieces grouped by verdict, sentence and rule; each group lists the positions where its pieces start."""
    return [
        [word, sentence, found, *([] if rule is None else [rule])]
        for (word, sentence, rule), found in _piece_starts(pieces).items()
    ]


def group_piece_reasons(pieces: Sequence[Piece]) -> list[dict[str, object]]:
    """The code and values of the reason of each group of pieces, which earlier versions did not store."""
    reasons = {(piece.verdict.word, piece.because, piece.rule): piece.reason for piece in reversed(pieces)}
    return [reason_to_json(reasons[group]) for group in _piece_starts(pieces)]


def ungroup_pieces(groups: Sequence[object], reasons: Sequence[object] = ()) -> tuple[Piece, ...]:
    """The pieces of all groups, in the order of their positions."""
    pieces = [
        Piece(start, _VERDICTS[word], reason_from_json(reason, sentence), *rule)
        for (word, sentence, starts, *rule), reason in zip_longest(
            cast("Sequence[_PieceGroup]", groups), reasons[: len(groups)]
        )
        for start in starts
    ]
    return tuple(sorted(pieces, key=lambda piece: piece.start))


def without_defaults(table: Mapping[str, object]) -> dict[str, object]:
    """The object without null, false and empty texts and lists; an empty object or a zero stays."""
    return {
        name: value
        for name, value in table.items()
        if not (value is None or value is False or value in ("", []))
    }


to_json = json.JSONEncoder(separators=(",", ":")).encode
"""Encodes a value as compact ASCII JSON, because databases refuse some Unicode text."""


class IdentityMemo(Generic[Key, Made]):
    """A function of an immutable object that is computed once for each object.

    INVARIANT: the object is kept beside its result, so that no other object gets its identity meanwhile.
    """

    def __init__(self, make: Callable[[Key], Made]) -> None:
        self._make = make
        self._known: dict[int, tuple[Key, Made]] = {}

    def __call__(self, key: Key) -> Made:
        """The result for this object."""
        known = self._known.get(id(key))
        if known is None:
            if len(self._known) >= _MAX_OBJECTS:
                self._known.clear()
            known = self._known[id(key)] = key, self._make(key)
        return known[1]


def _piece_starts(pieces: Sequence[Piece]) -> Mapping[tuple[str, str, str | None], list[int]]:
    """The positions of the pieces with the same verdict, sentence and rule."""
    starts: dict[tuple[str, str, str | None], list[int]] = {}
    for piece in pieces:
        starts.setdefault((piece.verdict.word, piece.because, piece.rule), []).append(piece.start)
    return starts


def _encode_tool(tool: Tool) -> str:
    data = without_defaults(tool_to_json(tool))
    return to_json({name: value for name, value in data.items() if _TOOL_DEFAULTS.get(name) != value})


_tool_text = IdentityMemo(_encode_tool)
"""The JSON of a tool; an agent asks about the same few tools all day."""


@lru_cache(_MAX_TEXTS)
def _decision_text(decision: Decision) -> str:
    """The JSON of a decision, without its reason if the deciding step has the same reason."""
    data = {**decision_to_json(decision)}
    if decision.reason == _deciding_reason(decision):
        data["because"] = ""
        data.pop("reason", None)
    return to_json(data)


def _deciding_reason(decision: Decision) -> Reason | None:
    """The reason of the first step with this verdict and stage."""
    for step in decision.steps:
        if step.stage is decision.stage and step.verdict is decision.verdict:
            return step.reason
    return None


def _facts_text(facts: Facts) -> str:
    """The JSON of facts, without paths that resolve to themselves and without default values."""
    if facts == Facts(directories=facts.directories):
        return _directories_text(facts.directories)
    return _encode_facts(facts)


@lru_cache(_MAX_TEXTS)
def _directories_text(directories: CallDirectories) -> str:
    """The JSON of facts that are only the directories of a call."""
    return _encode_facts(Facts(directories=directories))


def _encode_facts(facts: Facts) -> str:
    data = facts_to_json(facts)
    real = cast("Mapping[str, list[str]]", data["real"])
    data["real"] = {
        path: found for path, found in real.items() if not _resolves_to_itself(path, found)
    } or None
    if facts.directories.case_sensitive:
        del cast("dict[str, object]", data["place"])["case_sensitive"]
    return to_json(without_defaults(data))


def _resolves_to_itself(path: str, found: Sequence[str]) -> bool:
    return list(found) == [path] and path.startswith("/")


def _unresolved_paths(facts: Facts) -> list[str]:
    """The paths that resolve to themselves, relative to the directory of the call."""
    cwd = facts.directories.cwd
    return [
        _relative_path(cwd, path) for path, found in facts.real.items() if _resolves_to_itself(path, found)
    ]


def _relative_path(directory: str, path: str) -> str:
    name = path.removeprefix(f"{directory}/")
    return name if name and posixpath.join(directory, name) == path else path


def _restore_decision(decision: Decision, groups: Sequence[object], reasons: Sequence[object]) -> Decision:
    has_own = decision.reason != text_reason("")
    return decision._replace(
        reason=decision.reason if has_own else _deciding_reason(decision) or decision.reason,
        pieces=ungroup_pieces(groups, reasons) if groups else decision.pieces,
    )
