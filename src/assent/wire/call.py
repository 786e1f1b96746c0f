"""Calls and what decides them as JSON: tools, declarations, facts and decisions."""

from collections.abc import Mapping
from typing import cast

from assent.engine.base.facts import CallDirectories, Facts
from assent.engine.base.tool import Call, Dialect, Effect, PathKind, Tool
from assent.engine.irreversible.act import IrreversibleAct
from assent.engine.lines.specifier import DisclosedInput, InputSource
from assent.engine.policy.verdict import Decision, Piece, Stage, Step, Verdict
from assent.engine.programs.losses import Loss
from assent.errors import InputError
from assent.gate.catalog import DeclaredTool, TrustLevel
from assent.wire import decision_shapes, shapes
from assent.wire.fields import Fields
from assent.wire.reason import reason_from_json, reason_to_json

_VERDICTS_BY_WORD = {verdict.word: verdict for verdict in Verdict}


def call_to_json(call: Call) -> shapes.CallJson:
    """The complete call as JSON."""
    return {
        "tool": call.tool,
        "args": dict(call.args),
        "id": call.id,
        "agent": call.agent,
        "conversation": call.conversation,
        "user": call.user,
        "cwd": call.cwd,
    }


def call_from_json(data: object, within: str = "call") -> Call:
    """Parse a call from a JSON object."""
    fields = Fields(data, within)
    return Call(
        tool=fields.text("tool"),
        args=fields.table("args"),
        id=fields.text("id", ""),
        agent=fields.text("agent", ""),
        conversation=fields.text("conversation", ""),
        user=fields.text("user", ""),
        cwd=fields.text("cwd", ""),
    )


def tool_to_json(tool: Tool) -> shapes.ToolJson:
    """The complete definition of a tool as JSON."""
    return {
        "name": tool.name,
        "effect": tool.effect.value,
        "dialect": tool.dialect.value,
        "template": tool.template,
        "paths": tool.paths.value,
        "description": tool.description,
        "parameters": dict(tool.parameters),
        "origin": tool.origin,
        "group": tool.group,
        "reads": tool.reads,
    }


def tool_from_json(data: object, within: str = "tool") -> Tool:
    """Parse a tool from a JSON object; without an effect it is `external`, so its calls ask."""
    fields = Fields(data, within)
    return Tool(
        name=fields.text("name"),
        effect=fields.word("effect", Effect, Effect.EXTERNAL),
        dialect=fields.word("dialect", Dialect, Dialect.TEXT),
        template=fields.maybe_text("template"),
        paths=fields.word("paths", PathKind, PathKind.OS),
        description=fields.text("description", ""),
        parameters=fields.maybe_table("parameters") or {},
        origin=fields.text("origin", "server"),
        group=fields.text("group", ""),
        reads=fields.flag("reads", default=False),
    )


def declaration_to_json(declared: DeclaredTool) -> dict[str, object]:
    """The complete declaration of a tool as JSON."""
    return {
        "tool": tool_to_json(declared.tool),
        "trust": declared.trust.value,
        "provider": declared.provider,
        "agent": declared.agent,
    }


def declaration_from_json(data: object, within: str = "declared") -> DeclaredTool:
    """Parse a declaration from a JSON object; without `trust` it counts as a client's."""
    fields = Fields(data, within)
    return DeclaredTool(
        tool=tool_from_json(fields.raw("tool"), fields.path("tool")),
        trust=fields.word("trust", TrustLevel, TrustLevel.CLIENT),
        provider=fields.text("provider", "operations"),
        agent=fields.text("agent", ""),
    )


def facts_to_json(facts: Facts) -> dict[str, object]:
    """The facts as JSON; file names stay as the file system returned them."""
    return {
        "place": _directories_to_json(facts.directories),
        "real": {path: list(found) for path, found in facts.real.items()},
        "contents": dict(facts.contents),
        "trusted_repository": facts.trusted_repository,
        "findings": dict(facts.findings),
    }


def facts_from_json(data: object, within: str = "facts") -> Facts:
    """Parse facts from a JSON object."""
    fields = Fields(data, within)
    real = Fields(fields.raw("real"), fields.path("real"))
    contents: Mapping[str, object] = fields.table("contents") if fields.has("contents") else {}
    findings: Mapping[str, object] = fields.table("findings") if fields.has("findings") else {}
    return Facts(
        directories=_directories_from_json(fields.raw("place"), fields.path("place")),
        real={path: real.texts(path) for path in fields.table("real")},
        contents={path: Fields(contents, fields.path("contents")).text(path) for path in contents},
        trusted_repository=fields.flag("trusted_repository", default=False),
        findings={key: Fields(findings, fields.path("findings")).text(key) for key in findings},
    )


def decision_to_short_json(decision: Decision) -> decision_shapes.Decision:
    """The decision as JSON for people and scripts; its steps explain it."""
    found: dict[str, object] = {
        "verdict": decision.verdict.word,
        "stage": decision.stage.value,
        "because": decision.because,
    }
    if reason := reason_to_json(decision.reason):
        found["reason"] = reason
    if decision.rule is not None:
        found["rule"] = decision.rule
    if decision.part is not None:
        found["part"] = decision.part
    found["always_offered"] = decision.always_offered
    found["steps"] = [
        {
            "stage": step.stage.value,
            "verdict": step.verdict.word,
            "reason": step.because,
        }
        for step in decision.steps
    ]
    if decision.irreversible:
        found["irreversible"] = [_act_to_json(act) for act in decision.irreversible]
    return cast("decision_shapes.Decision", found)


def decision_to_json(decision: Decision) -> decision_shapes.Decision:
    """The complete decision as JSON, with the part of the call for each step."""
    found = decision_to_short_json(decision)
    found["steps"] = [_step_to_json(step) for step in decision.steps]
    if decision.pieces:
        found["pieces"] = [_piece_to_json(piece) for piece in decision.pieces]
    if decision.inputs:
        found["inputs"] = [_input_to_json(one) for one in decision.inputs]
    if decision.batch_key:
        found["batch_key"] = decision.batch_key
    return found


def decision_from_json(data: object, within: str = "decision") -> Decision:
    """Parse a decision from a JSON object, short or complete."""
    fields = Fields(data, within)
    steps = fields.items("steps")
    return Decision(
        verdict=_verdict_from_fields(fields),
        stage=fields.word("stage", Stage),
        reason=reason_from_json(fields.maybe_table("reason"), fields.text("because")),
        steps=tuple(_step_from_json(step, f"{fields.path('steps')}[{at}]") for at, step in enumerate(steps)),
        rule=fields.maybe_text("rule"),
        part=fields.maybe_text("part"),
        always_offered=fields.flag("always_offered", default=False),
        pieces=tuple(
            _piece_from_json(piece, f"{fields.path('pieces')}[{at}]")
            for at, piece in enumerate(fields.items("pieces", ()))
        ),
        irreversible=tuple(
            _act_from_json(act, f"{fields.path('irreversible')}[{at}]")
            for at, act in enumerate(fields.items("irreversible", ()))
        ),
        inputs=tuple(
            _input_from_json(one, f"{fields.path('inputs')}[{at}]")
            for at, one in enumerate(fields.items("inputs", ()))
        ),
        batch_key=fields.text("batch_key", ""),
    )


def _directories_to_json(directories: CallDirectories) -> dict[str, object]:
    made: dict[str, object] = {"made": list(directories.made)} if directories.made else {}
    return {
        "roots": list(directories.roots),
        "cwd": directories.cwd,
        "home": directories.home,
        "case_sensitive": directories.case_sensitive,
        **made,
    }


def _directories_from_json(data: object, within: str) -> CallDirectories:
    fields = Fields(data, within)
    return CallDirectories(
        roots=fields.texts("roots"),
        cwd=fields.text("cwd"),
        home=fields.text("home", ""),
        case_sensitive=fields.flag("case_sensitive", default=True),
        made=fields.texts("made", ()),
    )


def _step_to_json(step: Step) -> decision_shapes.Step:
    found: dict[str, object] = {
        "stage": step.stage.value,
        "verdict": step.verdict.word,
        "reason": step.because,
        **reason_to_json(step.reason),
    }
    if step.rule is not None:
        found["rule"] = step.rule
    if step.part is not None:
        found["part"] = step.part
    return cast("decision_shapes.Step", found)


def _piece_to_json(piece: Piece) -> decision_shapes.Piece:
    found: dict[str, object] = {
        "start": piece.start,
        "verdict": piece.verdict.word,
        "reason": piece.because,
        **reason_to_json(piece.reason),
    }
    if piece.rule is not None:
        found["rule"] = piece.rule
    return cast("decision_shapes.Piece", found)


def _piece_from_json(data: object, within: str) -> Piece:
    fields = Fields(data, within)
    return Piece(
        fields.integer("start"),
        _verdict_from_fields(fields),
        reason_from_json(data, fields.text("reason")),
        fields.maybe_text("rule"),
    )


def _act_to_json(act: IrreversibleAct) -> decision_shapes.Act:
    """An irreversible act as JSON: a code and its values; every surface has its own text for it."""
    return {"code": act.loss.value, "values": {"kind": act.kind, "name": act.name}}


def _act_from_json(data: object, within: str) -> IrreversibleAct:
    fields = Fields(data, within)
    values = Fields(fields.raw("values"), fields.path("values"))
    return IrreversibleAct(fields.word("code", Loss), values.text("kind", ""), values.text("name", ""))


def _input_to_json(disclosed: DisclosedInput) -> decision_shapes.DisclosedInput:
    """The input of a command as JSON; empty fields are left out."""
    found: dict[str, object] = {"source": disclosed.source.value, "commands": list(disclosed.commands)}
    if disclosed.path:
        found |= {"path": disclosed.path, "digest": disclosed.digest}
    if disclosed.argument:
        found |= {"argument": disclosed.argument, "start": disclosed.start, "end": disclosed.end}
    if disclosed.text:
        found["text"] = disclosed.text
    found |= {"can_be_named": disclosed.can_be_named, "must_be_named": disclosed.must_be_named}
    return cast("decision_shapes.DisclosedInput", found)


def _input_from_json(data: object, within: str) -> DisclosedInput:
    fields = Fields(data, within)
    return DisclosedInput(
        source=fields.word("source", InputSource),
        commands=fields.texts("commands"),
        path=fields.text("path", ""),
        digest=fields.text("digest", ""),
        argument=fields.text("argument", ""),
        start=fields.integer("start", 0),
        end=fields.integer("end", 0),
        text=fields.text("text", ""),
        can_be_named=fields.flag("can_be_named"),
        must_be_named=fields.flag("must_be_named"),
    )


def _step_from_json(data: object, within: str) -> Step:
    fields = Fields(data, within)
    return Step(
        fields.word("stage", Stage),
        _verdict_from_fields(fields),
        reason_from_json(data, fields.text("reason")),
        fields.maybe_text("rule"),
        fields.maybe_text("part"),
    )


def _verdict_from_fields(fields: Fields) -> Verdict:
    word = fields.text("verdict")
    if word not in _VERDICTS_BY_WORD:
        raise InputError(f"field `{fields.path('verdict')}` must be one of {', '.join(_VERDICTS_BY_WORD)}")
    return _VERDICTS_BY_WORD[word]
