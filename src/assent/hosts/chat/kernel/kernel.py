"""The shipped kernel: runs the installed nodes, and the workflows of a workspace, in this process."""

import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import entry_points
from typing import cast

from assent.hosts.chat.kernel.builtin_nodes import BUILTIN_NODES
from assent.hosts.chat.kernel.node import Node, NodeServices
from assent.hosts.chat.kernel.workflow import Workflow, fill_references, read_workflow
from assent.hosts.chat.tools.kernel_port import (
    FILE_THREADS,
    AssentError,
    FetchPage,
    Progress,
    ToolError,
    Values,
    find_issues,
    read_text,
)

ENTRY_POINT_GROUP = "assent.nodes"
DIRECTORY = os.path.join(".assent", "workflows")
"""The workflows of a workspace: a protected directory, so that changing one asks a person."""
_MAX_BYTES = 1_000_000

_log = logging.getLogger("assent.chat.kernel")


class LocalKernel:
    """Runs nodes and workflows one step after the other."""

    def __init__(self, root: str, fetch_page: FetchPage, nodes: Iterable[Node] | None = None) -> None:
        self._directory = os.path.join(root, DIRECTORY)
        self._fetch_page = fetch_page
        nodes = _cached_nodes() if nodes is None else nodes
        self._nodes = {node.type: node for node in sorted(nodes, key=lambda one: one.type)}

    async def nodes(self) -> Sequence[Node]:
        """All kinds of nodes, sorted by type."""
        return tuple(self._nodes.values())

    async def node(self, node_type: str) -> Node:
        """One kind of node."""
        if node_type not in self._nodes:
            raise ToolError(f"there is no node `{node_type}`; list_nodes shows those there are")
        return self._nodes[node_type]

    async def run_node(self, node_type: str, inputs: Values, progress: Progress) -> Values:
        """Run one node and return its outputs."""
        node = await self.node(node_type)
        try:
            return await node.run(inputs, NodeServices(self._fetch_page, progress))
        except AssentError:
            raise
        except Exception as error:
            raise ToolError(f"node `{node_type}` crashed: {type(error).__name__}") from error

    async def workflows(self) -> Sequence[Workflow]:
        """All readable workflows, sorted by id."""
        found: list[Workflow] = []
        for id in await FILE_THREADS.run(self._ids):
            try:
                found.append(await self.workflow(id))
            except ToolError as error:
                _log.warning("a workflow is left out: %s", error)
        return found

    async def workflow(self, id: str) -> Workflow:
        """One workflow."""
        path = os.path.join(self._directory, f"{id}.json")
        text = None if "/" in id or "\0" in id else await FILE_THREADS.run(read_text, path, id, _MAX_BYTES)
        if text is None:
            raise ToolError(f"there is no workflow `{id}`; list_workflows shows those there are")
        return read_workflow(id, text)

    async def run_workflow(self, id: str, params: Values, progress: Progress, *, digest: str = "") -> Values:
        """Run a workflow and return its outputs; with a digest, only if the file is unchanged."""
        workflow = await self.workflow(id)
        if digest and digest != workflow.digest:
            raise ToolError(f"workflow `{id}` is not the one that was looked at: it has changed meanwhile")
        if issues := find_issues(workflow.params, params):
            raise ToolError("; ".join(f"{issue.path} {issue.message}" for issue in issues))
        done: dict[str, Values] = {}
        for number, step in enumerate(workflow.steps, start=1):
            await progress(f"{number}/{len(workflow.steps)} {step.id} ({step.type})\n")
            inputs = cast("Mapping[str, object]", fill_references(step.inputs, params, done))
            try:
                done[step.id] = await self.run_node(step.type, inputs, progress)
            except ToolError as error:
                raise ToolError(f"step `{step.id}` failed: {error}") from None
        outputs = workflow.outputs or {step.id: {"from": step.id} for step in workflow.steps[-1:]}
        return cast("Mapping[str, object]", fill_references(outputs, params, done))

    def _ids(self) -> list[str]:
        try:
            names = os.listdir(self._directory)
        except OSError:
            return []
        return sorted(name.removesuffix(".json") for name in names if name.endswith(".json"))


def installed_nodes() -> Iterator[Node]:
    """The shipped nodes and those of packages; a package cannot replace a shipped node."""
    seen: set[str] = set()
    for node in (*BUILTIN_NODES, *_package_nodes()):
        if node.type not in seen:
            seen.add(node.type)
            yield node


@cache
def _cached_nodes() -> tuple[Node, ...]:
    """The installed nodes, found once: a kernel is made for every run."""
    return tuple(installed_nodes())


def _package_nodes() -> Iterator[Node]:
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        try:
            loaded: object = entry.load()
        except Exception as error:  # noqa: BLE001 - a package that fails adds no nodes
            _log.warning("the nodes of `%s` could not be loaded: %s", entry.name, type(error).__name__)
            continue
        each = cast("Iterable[object]", loaded) if isinstance(loaded, (list, tuple)) else (loaded,)
        yield from (one for one in each if isinstance(one, Node))
