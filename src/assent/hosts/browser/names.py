"""Names of tools: which the server knows or reserves, and which a page may not declare."""

from assent.config.tools import KNOWN_TOOLS, TOOLS_BY_BELT
from assent.engine.base.tool import PLACEHOLDER
from assent.hosts.browser.layout import LAYOUT_TOOLS, PANE_TOOLS
from assent.hosts.browser.manifest import SerializedTool, ToolKind

RESERVED_NAMES = frozenset({"list_tool_groups", "load_tools", *PANE_TOOLS})
_WORKBENCH_TOOLS = TOOLS_BY_BELT["workbench"]
_SERVER_NAME = "the server has a tool of this name"


def is_known_name(name: str) -> bool:
    """Whether the belt `workbench` defines the effect of a tool of this name."""
    return name in _WORKBENCH_TOOLS


def find_refusal(one: SerializedTool, reserved: frozenset[str], *, is_own: bool) -> str:
    """Why a declared tool is not offered; empty if it may be."""
    if one.name in RESERVED_NAMES or one.name in reserved or one.name.startswith("mcp__"):
        return _SERVER_NAME
    if one.name in KNOWN_TOOLS and not is_known_name(one.name):
        return _SERVER_NAME
    if is_known_name(one.name) and not is_own:
        return "only pages of this server can declare a tool of this name"
    if (one.kind is ToolKind.LAYOUT) != (one.name in LAYOUT_TOOLS):
        return f"the tools of kind `layout` are {', '.join(LAYOUT_TOOLS)}"
    if is_known_name(one.name) and one.name not in LAYOUT_TOOLS:
        return _find_missing_argument(one)
    return ""


def _find_missing_argument(one: SerializedTool) -> str:
    """Why a known tool cannot be decided as the belt says; empty if it can."""
    for found in PLACEHOLDER.finditer(_WORKBENCH_TOOLS[one.name].template or ""):
        if found[1] not in one.arguments:
            return f"a tool of this name needs the argument `{found[1]}`"
    return ""
