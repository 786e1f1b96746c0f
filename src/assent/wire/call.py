"""Calls, tools, declarations and facts as JSON."""

from collections.abc import Mapping

from assent.engine.facts import Facts, Place
from assent.engine.model import Call, Dialect, Effect, PathKind, Tool
from assent.gate.catalog import DeclaredTool, Trust
from assent.wire import shapes
from assent.wire.fields import Fields


def call_to_json(call: Call) -> shapes.Called:
    """The whole call."""
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
    """The call in a JSON object."""
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


def tool_to_json(tool: Tool) -> shapes.ToolShown:
    """The whole definition."""
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
    """The tool in a JSON object; without an effect it is external, so its calls ask."""
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


def facts_to_json(facts: Facts) -> dict[str, object]:
    """The facts; file names are kept as the file system returned them."""
    return {
        "place": _place_to_json(facts.place),
        "real": {path: list(found) for path, found in facts.real.items()},
        "contents": dict(facts.contents),
        "trusted_repository": facts.trusted_repository,
    }


def facts_from_json(data: object, within: str = "facts") -> Facts:
    """The facts in a JSON object."""
    fields = Fields(data, within)
    real = Fields(fields.raw("real"), fields.path("real"))
    contents: Mapping[str, object] = fields.table("contents") if fields.has("contents") else {}
    return Facts(
        place=_place(fields.raw("place"), fields.path("place")),
        real={path: real.texts(path) for path in fields.table("real")},
        contents={path: Fields(contents, fields.path("contents")).text(path) for path in contents},
        trusted_repository=fields.flag("trusted_repository", default=False),
    )


def _place_to_json(place: Place) -> dict[str, object]:
    return {
        "roots": list(place.roots),
        "cwd": place.cwd,
        "home": place.home,
        "case_sensitive": place.case_sensitive,
    }


def _place(data: object, within: str) -> Place:
    fields = Fields(data, within)
    return Place(
        roots=fields.texts("roots"),
        cwd=fields.text("cwd"),
        home=fields.text("home", ""),
        case_sensitive=fields.flag("case_sensitive", default=True),
    )


def declared_to_json(declared: DeclaredTool) -> dict[str, object]:
    """The whole declaration."""
    return {
        "tool": tool_to_json(declared.tool),
        "trust": declared.trust.value,
        "provider": declared.provider,
        "agent": declared.agent,
    }


def declared_from_json(data: object, within: str = "declared") -> DeclaredTool:
    """The declaration in a JSON object; without a trust it counts as a client's."""
    fields = Fields(data, within)
    return DeclaredTool(
        tool=tool_from_json(fields.raw("tool"), fields.path("tool")),
        trust=fields.word("trust", Trust, Trust.CLIENT),
        provider=fields.text("provider", "operations"),
        agent=fields.text("agent", ""),
    )
