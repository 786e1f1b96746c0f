"""A tool as JSON: what it says of itself."""

from assent.engine.model import Dialect, Effect, PathKind, Tool
from assent.wire import shapes
from assent.wire.fields import Fields


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
    """The tool that such an object defines; one that names no effect is external, so it asks."""
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
