"""The kernel as the belt sees it: nodes and workflows, wherever they are run."""

from collections.abc import Sequence
from typing import Protocol

from assent.hosts.chat.belt.context import Progress
from assent.hosts.chat.kernel.graph import Workflow
from assent.hosts.chat.kernel.node import Node, Values


class Kernel(Protocol):
    """Runs nodes and workflows; what it cannot do is a `FaultError`."""

    async def nodes(self) -> Sequence[Node]:
        """Every kind of node, in order of its name."""
        ...

    async def node(self, node_type: str) -> Node:
        """One kind of node."""
        ...

    async def run_node(self, node_type: str, inputs: Values, progress: Progress) -> Values:
        """Run one node, and give its outputs."""
        ...

    async def workflows(self) -> Sequence[Workflow]:
        """Every workflow that can be read, in order of its id."""
        ...

    async def workflow(self, id: str) -> Workflow:
        """One workflow."""
        ...

    async def run_workflow(self, id: str, params: Values, progress: Progress, *, digest: str = "") -> Values:
        """Run a workflow, and give its outputs; with a digest, only if it is still that very one."""
        ...
