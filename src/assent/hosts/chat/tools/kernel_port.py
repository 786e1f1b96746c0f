"""The interface between the chat and a workflow kernel.

The chat's tools use a kernel through `Kernel`, and a kernel uses the chat through the names in `__all__`;
neither side imports anything else of the other.
"""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple, Protocol, cast

from assent.engine.base.tool import as_list, as_object
from assent.errors import AssentError
from assent.hosts.chat.tools import schema
from assent.hosts.chat.tools.files import read_text
from assent.hosts.chat.tools.records import MISSING, parse_field_path, record_with_value, value_at_path
from assent.hosts.chat.tools.schema import Schema, find_issues
from assent.hosts.chat.tools.text import page_title_and_text
from assent.hosts.chat.tools.tool import (
    FILE_THREADS,
    Arguments,
    ChatTool,
    Progress,
    ToolContext,
    ToolError,
    ToolResult,
    ToolWork,
    define_tool,
    ignore_progress,
)
from assent.hosts.chat.tools.web import Fetcher, FetchRequest

__all__ = [
    "FILE_THREADS",
    "MISSING",
    "AssentError",
    "FetchPage",
    "FetchedPage",
    "NodeInfo",
    "Progress",
    "Schema",
    "ToolError",
    "Values",
    "WorkflowInfo",
    "WorkflowKernel",
    "as_list",
    "as_object",
    "find_issues",
    "ignore_progress",
    "kernel_tools",
    "open_kernel",
    "parse_field_path",
    "read_text",
    "record_with_value",
    "schema",
    "value_at_path",
]

KERNEL_MODULE = "assent.hosts.chat.kernel.kernel"
"""Module of the included kernel; if it is missing, the chat has no node and workflow tools."""
Values = Mapping[str, object]
_RUN_SECONDS = 600
_NODE_TYPE = schema.string_schema("The kind of node, such as `text.template`.", minLength=1, maxLength=200)
_WORKFLOW_ID = schema.string_schema("The workflow's id.", minLength=1, maxLength=200)


class FetchedPage(NamedTuple):
    """A web page that was fetched for a node."""

    status: int
    media_type: str
    text: str
    redirect: str
    """The new address if the page redirects to another host; then `text` is empty."""


FetchPage = Callable[[str], Awaitable[FetchedPage]]
"""Fetches a public web page; nodes have no other network access."""


class NodeInfo(Protocol):
    """A type of node, as the tools describe it to the model."""

    @property
    def type(self) -> str:
        """The name of the type, such as `text.template`."""
        ...

    @property
    def description(self) -> str:
        """What the node does, in one sentence."""
        ...

    def to_json(self) -> Mapping[str, object]:
        """The JSON of the node's inputs and outputs."""
        ...


class WorkflowInfo(Protocol):
    """A workflow, as the tools describe it to the model."""

    @property
    def id(self) -> str:
        """The id of the workflow."""
        ...

    @property
    def title(self) -> str:
        """The title for people."""
        ...

    @property
    def description(self) -> str:
        """What the workflow does; may be empty."""
        ...

    def to_json(self) -> Mapping[str, object]:
        """The JSON of the workflow's parameters, steps, outputs and digest."""
        ...


class WorkflowKernel(Protocol):
    """Runs nodes and workflows; raises `ToolError` for unknown names and failures."""

    async def list_nodes(self) -> Sequence[NodeInfo]:
        """All kinds of nodes, sorted by type."""
        ...

    async def find_node(self, node_type: str) -> NodeInfo:
        """The node of a type; raises `ToolError` if the type is unknown."""
        ...

    async def run_node(self, node_type: str, inputs: Values, progress: Progress) -> Values:
        """Run one node and return its outputs."""
        ...

    async def list_workflows(self) -> Sequence[WorkflowInfo]:
        """All readable workflows, sorted by id."""
        ...

    async def find_workflow(self, id: str) -> WorkflowInfo:
        """The workflow with an id; raises `ToolError` if there is none or its file is invalid."""
        ...

    async def run_workflow(self, id: str, params: Values, progress: Progress, *, digest: str = "") -> Values:
        """Run a workflow and return its outputs; raises `ToolError` if the file does not have this digest."""
        ...


class _KernelFactory(Protocol):
    def __call__(self, root: str, fetch_page: FetchPage) -> WorkflowKernel: ...


def open_kernel(root: str, fetcher: Fetcher) -> WorkflowKernel | None:
    """The included kernel for the workflows of a workspace; None if the kernel is not installed."""
    if find_spec(KERNEL_MODULE.rpartition(".")[0]) is None:
        return None

    async def fetch_page(url: str) -> FetchedPage:
        response = await fetcher.fetch(FetchRequest(url=url))
        is_html = "html" in response.media_type
        text = response.body_text
        if is_html:
            _, text = await FILE_THREADS.run_in_thread(page_title_and_text, text, response.url)
        return FetchedPage(response.status, response.media_type, text, response.redirect)

    factory = cast("_KernelFactory", import_module(KERNEL_MODULE).LocalKernel)
    return factory(root, fetch_page)


def kernel_tools(kernel: WorkflowKernel) -> tuple[ChatTool, ...]:
    """The tools that list, show and run the kernel's nodes and workflows."""

    async def list_nodes(_args: Arguments, _: ToolContext) -> ToolResult:
        found = await kernel.list_nodes()
        lines = [f"{node.type}: {node.description}" for node in found]
        return ToolResult(text="\n".join(lines) or "(none)", data={"nodes": [node.type for node in found]})

    async def get_node(args: Arguments, _: ToolContext) -> ToolResult:
        return _json_result((await kernel.find_node(args.get_text("node_type"))).to_json())

    async def run_node(args: Arguments, context: ToolContext) -> ToolResult:
        inputs = args.get_object("inputs")
        return _json_result(await kernel.run_node(args.get_text("node_type"), inputs, context.progress))

    async def list_workflows(_args: Arguments, _: ToolContext) -> ToolResult:
        found = await kernel.list_workflows()
        lines = [f"{one.id}: {one.title}{one.description and ' - ' + one.description}" for one in found]
        return ToolResult(text="\n".join(lines) or "(none)", data={"workflows": [one.id for one in found]})

    async def get_workflow(args: Arguments, _: ToolContext) -> ToolResult:
        return _json_result((await kernel.find_workflow(args.get_text("workflow_id"))).to_json())

    async def run_workflow(args: Arguments, context: ToolContext) -> ToolResult:
        id, params, digest = (
            args.get_text("workflow_id"),
            args.get_object("params"),
            args.get_text("digest", ""),
        )
        return _json_result(await kernel.run_workflow(id, params, context.progress, digest=digest))

    return (
        _create_lookup_tool("list_nodes", "List the kinds of nodes.", {}, list_nodes),
        _create_lookup_tool(
            "get_node",
            "Show the inputs and outputs of a kind of node.",
            {"node_type": _NODE_TYPE},
            get_node,
        ),
        _create_run_tool(
            "run_node",
            "Run one node with inputs.",
            schema.object_schema(
                {"node_type": _NODE_TYPE, "inputs": {"type": "object", "description": "By name."}}
            ),
            run_node,
        ),
        _create_lookup_tool("list_workflows", "List the workflows of the workspace.", {}, list_workflows),
        _create_lookup_tool(
            "get_workflow",
            "Show a workflow: its parameters, steps and digest.",
            {"workflow_id": _WORKFLOW_ID},
            get_workflow,
        ),
        _create_run_tool(
            "run_workflow",
            "Run a workflow with parameters.",
            schema.object_schema(
                {"workflow_id": _WORKFLOW_ID, "params": {"type": "object", "description": "By name."}},
                {
                    "digest": schema.string_schema(
                        "The digest of the workflow you looked at; another one is not run."
                    )
                },
            ),
            run_workflow,
        ),
    )


def _create_lookup_tool(
    name: str, description: str, parameters: Mapping[str, Schema], work: ToolWork
) -> ChatTool:
    return ChatTool(tool=define_tool(name, description, schema.object_schema(parameters)), work=work)


def _create_run_tool(name: str, description: str, parameters: Schema, work: ToolWork) -> ChatTool:
    return ChatTool(tool=define_tool(name, description, parameters), work=work, seconds=_RUN_SECONDS)


def _json_result(value: Mapping[str, object]) -> ToolResult:
    return ToolResult(text=json.dumps(value, indent=2, ensure_ascii=False, default=str), data=dict(value))
