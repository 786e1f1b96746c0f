"""What was asked, in few bytes: an approval should cost little more than its arguments."""

import json
import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, cast

from assent.engine.facts import Facts
from assent.engine.model import Dialect, PathKind, Tool
from assent.engine.verdict import Decision
from assent.gate.approval import Approval
from assent.gate.ids import canonical_json
from assent.stores.pieces import grouped, ungrouped
from assent.wire.call import facts_from_json, facts_to_json, tool_from_json, tool_to_json
from assent.wire.decision import decision_from_json, decision_to_json
from assent.wire.fields import Fields

_USUAL: Mapping[str, object] = {
    "dialect": Dialect.TEXT.value,
    "paths": PathKind.OS.value,
    "parameters": {},
    "origin": "server",
}
"""What a tool is where it does not say; its effect is always said."""


class Told(NamedTuple):
    """What no column of its own holds."""

    tool: Tool
    decision: Decision
    facts: Facts
    cwd: str
    call_cwd: str
    lineage: tuple[str, ...]


def brief(approval: Approval) -> str:
    """What is asked, without what can be told from the rest."""
    decision, facts = approval.decision, approval.facts
    elsewhere = {} if approval.cwd == facts.place.cwd else {"cwd": approval.cwd}
    told = {
        "tool": _tool(approval.tool),
        "decision": _decision(decision),
        "facts": _facts(facts),
        "plain": _plain(facts),
        "pieces": grouped(decision.pieces),
        "lineage": list(approval.lineage),
        "call_cwd": approval.call.cwd,
    }
    return to_json(slim(told) | elsewhere)


def size_of(approval: Approval) -> int:
    """Bytes of what is asked, as it is kept."""
    preview = "" if approval.preview is None else to_json(dict(approval.preview))
    return len(canonical_json(approval.call.args)) + len(brief(approval)) + len(preview)


def told(text: str) -> Told:
    """What such a text says; one that leaves nothing out says the same."""
    said = Fields(json.loads(text), "question")
    facts = facts_from_json({"real": {}, **said.table("facts")})
    names = said.texts("plain", ())
    if names:
        plain = {path: (path,) for path in (posixpath.join(facts.place.cwd, name) for name in names)}
        facts = replace(facts, real={**facts.real, **plain})
    return Told(
        tool=tool_from_json(said.raw("tool")),
        decision=_whole(decision_from_json(said.raw("decision")), said.items("pieces", ())),
        facts=facts,
        cwd=said.text("cwd", facts.place.cwd),
        call_cwd=said.text("call_cwd", ""),
        lineage=said.texts("lineage", ()),
    )


def slim(table: Mapping[str, object]) -> dict[str, object]:
    """Without what readers supply where it is missing; an empty table or a zero says something, and stays."""
    return {
        name: value
        for name, value in table.items()
        if not (value is None or value is False or value in ("", []))
    }


def _tool(tool: Tool) -> dict[str, object]:
    return {name: value for name, value in slim(tool_to_json(tool)).items() if _USUAL.get(name) != value}


def _decision(decision: Decision) -> dict[str, object]:
    """The decision without its pieces, and without its reason where the deciding step says it."""
    said: dict[str, object] = {
        **decision_to_json(decision._replace(pieces=()) if decision.pieces else decision)
    }
    return said | {"because": ""} if decision.because == _reason(decision) else said


def _whole(decision: Decision, groups: Sequence[object]) -> Decision:
    because = decision.because or _reason(decision)
    return decision._replace(because=because, pieces=ungrouped(groups) if groups else decision.pieces)


def _reason(decision: Decision) -> str:
    """What the first step says that gave this verdict at this stage."""
    for step in decision.steps:
        if step.stage is decision.stage and step.verdict is decision.verdict:
            return step.reason
    return ""


def _facts(facts: Facts) -> dict[str, object]:
    """The facts without the paths that are what they say, and of a place that is as most are."""
    said = facts_to_json(facts)
    real = cast("Mapping[str, list[str]]", said["real"])
    said["real"] = {path: found for path, found in real.items() if not _is_plain(path, found)} or None
    if facts.place.case_sensitive:
        del cast("dict[str, object]", said["place"])["case_sensitive"]
    return slim(said)


def _plain(facts: Facts) -> list[str]:
    """The paths that are what they say, from the directory of the call on."""
    cwd = facts.place.cwd
    return [_from(cwd, path) for path, found in facts.real.items() if _is_plain(path, found)]


def _is_plain(path: str, found: Sequence[str]) -> bool:
    return list(found) == [path] and path.startswith("/")


def _from(directory: str, path: str) -> str:
    name = path.removeprefix(f"{directory}/")
    return name if name and posixpath.join(directory, name) == path else path


to_json = json.JSONEncoder(separators=(",", ":")).encode
"""Plain ASCII, so that no database trips over what a tool or a file system wrote."""
