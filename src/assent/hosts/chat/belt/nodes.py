"""`list_nodes`, `get_node`, `run_node`, and the same for workflows: what a kernel can do."""

import json
from collections.abc import Mapping

from assent.hosts.chat.belt import schema
from assent.hosts.chat.belt.arguments import Arguments
from assent.hosts.chat.belt.context import Context
from assent.hosts.chat.belt.tool import BeltTool, Result, Work, belt_tool
from assent.hosts.chat.kernel.port import Kernel

_SECONDS = 600
_TYPE = schema.text("The kind of node, such as `text.template`.", minLength=1, maxLength=200)
_ID = schema.text("The workflow's id.", minLength=1, maxLength=200)


def kernel_tools(kernel: Kernel) -> tuple[BeltTool, ...]:
    """The six tools that a kernel gives."""

    async def list_nodes(_args: Arguments, _: Context) -> Result:
        found = await kernel.nodes()
        lines = [f"{node.type}: {node.description}" for node in found]
        return Result(text="\n".join(lines) or "(none)", data={"nodes": [node.type for node in found]})

    async def get_node(args: Arguments, _: Context) -> Result:
        return _shown((await kernel.node(args.text("node_type"))).shown)

    async def run_node(args: Arguments, context: Context) -> Result:
        return _shown(await kernel.run_node(args.text("node_type"), args.record("inputs"), context.progress))

    async def list_workflows(_args: Arguments, _: Context) -> Result:
        found = await kernel.workflows()
        lines = [f"{one.id}: {one.title}{one.description and ' - ' + one.description}" for one in found]
        return Result(text="\n".join(lines) or "(none)", data={"workflows": [one.id for one in found]})

    async def get_workflow(args: Arguments, _: Context) -> Result:
        return _shown((await kernel.workflow(args.text("workflow_id"))).shown)

    async def run_workflow(args: Arguments, context: Context) -> Result:
        params, digest = args.record("params"), args.text("digest", "")
        given = await kernel.run_workflow(args.text("workflow_id"), params, context.progress, digest=digest)
        return _shown(given)

    return (
        _tool("list_nodes", "List the kinds of nodes.", {}, list_nodes),
        _tool(
            "get_node",
            "Show what goes into a kind of node, and what it gives.",
            {"node_type": _TYPE},
            get_node,
        ),
        _running(
            "run_node",
            "Run one node with inputs.",
            schema.record({"node_type": _TYPE, "inputs": {"type": "object", "description": "By name."}}),
            run_node,
        ),
        _tool("list_workflows", "List the workflows of the workspace.", {}, list_workflows),
        _tool(
            "get_workflow",
            "Show a workflow: its parameters, steps and digest.",
            {"workflow_id": _ID},
            get_workflow,
        ),
        _running(
            "run_workflow",
            "Run a workflow with parameters.",
            schema.record(
                {"workflow_id": _ID, "params": {"type": "object", "description": "By name."}},
                {"digest": schema.text("The digest of the workflow you looked at; another one is not run.")},
            ),
            run_workflow,
        ),
    )


def _tool(name: str, description: str, parameters: Mapping[str, schema.Schema], work: Work) -> BeltTool:
    return BeltTool(tool=belt_tool(name, description, schema.record(parameters)), work=work)


def _running(name: str, description: str, parameters: schema.Schema, work: Work) -> BeltTool:
    return BeltTool(tool=belt_tool(name, description, parameters), work=work, seconds=_SECONDS)


def _shown(value: Mapping[str, object]) -> Result:
    return Result(text=json.dumps(value, indent=2, ensure_ascii=False, default=str), data=dict(value))
