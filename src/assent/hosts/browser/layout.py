"""The tools that the server itself defines for pages: verbs of the layout, and reading of panes."""

from collections.abc import Mapping
from dataclasses import replace

from assent.config.tools import TOOLS_BY_BELT
from assent.engine.base.tool import Tool

_PANE_ID: Mapping[str, object] = {
    "type": "string",
    "description": "The `instanceId` of a pane, from `list_open_panes`.",
    "minLength": 1,
    "maxLength": 200,
}
_PANE_KIND: Mapping[str, object] = {
    "type": "string",
    "description": "The kind of pane, such as `editor` or `terminal`.",
    "minLength": 1,
    "maxLength": 100,
}
_RESOURCE: Mapping[str, object] = {
    "type": "string",
    "description": "What the pane shows, such as the path of a file.",
    "maxLength": 4096,
}
_DIRECTION: Mapping[str, object] = {"type": "string", "enum": ["vertical", "horizontal"]}
_WORKSPACE: Mapping[str, object] = {
    "type": "string",
    "description": "The name of the workspace.",
    "minLength": 1,
    "maxLength": 200,
}


def _tool(
    name: str, description: str, required: Mapping[str, object], optional: Mapping[str, object] | None = None
) -> Tool:
    parameters = {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }
    known = TOOLS_BY_BELT["workbench"][name]
    return replace(known, description=description, parameters=parameters)


_LAYOUT_TOOLS = (
    _tool("open_pane", "Open a pane.", {"kind": _PANE_KIND}, {"resource": _RESOURCE}),
    _tool("close_pane", "Close a pane.", {"instanceId": _PANE_ID}),
    _tool("focus_pane", "Bring a pane to the front.", {"instanceId": _PANE_ID}),
    _tool(
        "split_pane",
        "Split a pane; the new half shows another pane, or is empty.",
        {"instanceId": _PANE_ID, "direction": _DIRECTION},
        {"kind": _PANE_KIND, "resource": _RESOURCE},
    ),
    _tool("switch_workspace", "Switch to another arrangement of panes.", {"workspace": _WORKSPACE}),
)
LAYOUT_TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in _LAYOUT_TOOLS}
"""The verbs of the layout; a page declares that it has them, and the definitions here count."""
LIST_PANES = _tool("list_open_panes", "List the open panes, and which of them have a context to read.", {})
GET_CONTEXT = _tool("get_pane_context", "Read what a pane shows.", {"instanceId": _PANE_ID})
PANE_TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in (LIST_PANES, GET_CONTEXT)}
"""The tools that every page has."""
