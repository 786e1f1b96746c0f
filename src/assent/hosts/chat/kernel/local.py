"""A kernel in this process: nodes of the packages that are installed, workflows of the workspace."""

import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import entry_points
from typing import cast

from assent.errors import AssentError
from assent.hosts.chat.belt.context import Progress
from assent.hosts.chat.belt.diff import current
from assent.hosts.chat.belt.fault import FaultError
from assent.hosts.chat.belt.fetch import Fetcher
from assent.hosts.chat.belt.schema import issues
from assent.hosts.chat.belt.threads import FILES
from assent.hosts.chat.kernel.graph import Workflow, filled, read_workflow
from assent.hosts.chat.kernel.node import Bench, Node, Values
from assent.hosts.chat.kernel.nodes.data import DATA
from assent.hosts.chat.kernel.nodes.text import TEXT
from assent.hosts.chat.kernel.nodes.world import WORLD

GROUP = "assent.nodes"
DIRECTORY = os.path.join(".assent", "workflows")
"""Where a workspace keeps its workflows: a protected place, so that changing one asks."""
_LARGEST = 1_000_000

_log = logging.getLogger("assent.chat.kernel")


class LocalKernel:
    """Runs everything here, one step after the other."""

    def __init__(self, root: str, fetcher: Fetcher, nodes: Iterable[Node] | None = None) -> None:
        self._directory = os.path.join(root, DIRECTORY)
        self._fetcher = fetcher
        found = _installed() if nodes is None else nodes
        self._nodes = {node.type: node for node in sorted(found, key=lambda one: one.type)}

    async def nodes(self) -> Sequence[Node]:
        """Every kind of node, in order of its name."""
        return tuple(self._nodes.values())

    async def node(self, node_type: str) -> Node:
        """One kind of node."""
        if node_type not in self._nodes:
            raise FaultError(f"there is no node `{node_type}`; list_nodes shows those there are")
        return self._nodes[node_type]

    async def run_node(self, node_type: str, inputs: Values, progress: Progress) -> Values:
        """Run one node, and give its outputs."""
        node = await self.node(node_type)
        try:
            return await node.run(inputs, Bench(self._fetcher, progress))
        except AssentError:
            raise
        except Exception as error:
            raise FaultError(f"node `{node_type}` crashed: {type(error).__name__}") from error

    async def workflows(self) -> Sequence[Workflow]:
        """Every workflow that can be read, in order of its id."""
        found: list[Workflow] = []
        for id in await FILES.run(self._ids):
            try:
                found.append(await self.workflow(id))
            except FaultError as fault:
                _log.warning("a workflow is left out: %s", fault)
        return found

    async def workflow(self, id: str) -> Workflow:
        """One workflow."""
        path = os.path.join(self._directory, f"{id}.json")
        text = None if "/" in id or "\0" in id else await FILES.run(current, path, id, _LARGEST)
        if text is None:
            raise FaultError(f"there is no workflow `{id}`; list_workflows shows those there are")
        return read_workflow(id, text)

    async def run_workflow(self, id: str, params: Values, progress: Progress, *, digest: str = "") -> Values:
        """Run a workflow, and give its outputs; with a digest, only if it is still that very one."""
        workflow = await self.workflow(id)
        if digest and digest != workflow.digest:
            raise FaultError(f"workflow `{id}` is not the one that was looked at: it has changed meanwhile")
        if wrong := issues(workflow.params, params):
            raise FaultError("; ".join(f"{issue.path} {issue.message}" for issue in wrong))
        done: dict[str, Values] = {}
        for number, step in enumerate(workflow.steps, start=1):
            await progress(f"{number}/{len(workflow.steps)} {step.id} ({step.type})\n")
            inputs = cast("Mapping[str, object]", filled(step.inputs, params, done))
            try:
                done[step.id] = await self.run_node(step.type, inputs, progress)
            except FaultError as fault:
                raise FaultError(f"step `{step.id}` failed: {fault}") from None
        outputs = workflow.outputs or {step.id: {"from": step.id} for step in workflow.steps[-1:]}
        return cast("Mapping[str, object]", filled(outputs, params, done))

    def _ids(self) -> list[str]:
        try:
            names = os.listdir(self._directory)
        except OSError:
            return []
        return sorted(name.removesuffix(".json") for name in names if name.endswith(".json"))


def installed_nodes() -> Iterator[Node]:
    """The shipped nodes, then those of packages; a package cannot take a shipped one's place."""
    seen: set[str] = set()
    for node in (*TEXT, *DATA, *WORLD, *_of_packages()):
        if node.type not in seen:
            seen.add(node.type)
            yield node


@cache
def _installed() -> tuple[Node, ...]:
    """The same, looked for once: a kernel is made for every run."""
    return tuple(installed_nodes())


def _of_packages() -> Iterator[Node]:
    for entry in entry_points(group=GROUP):
        try:
            loaded: object = entry.load()
        except Exception as error:  # noqa: BLE001 - somebody else's code; without it there is less, not more
            _log.warning("the nodes of `%s` could not be loaded: %s", entry.name, type(error).__name__)
            continue
        each = cast("Iterable[object]", loaded) if isinstance(loaded, (list, tuple)) else (loaded,)
        yield from (one for one in each if isinstance(one, Node))
