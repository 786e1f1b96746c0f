"""A node: one small piece of work with named inputs and outputs."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from assent.hosts.chat.tools.kernel_port import (
    FILE_THREADS,
    FetchPage,
    Progress,
    Schema,
    ToolError,
    Values,
    find_issues,
    ignore_progress,
)


class NodeServices(NamedTuple):
    """What a node may use besides its inputs."""

    fetch_page: FetchPage
    progress: Progress = ignore_progress


NodeWork = Callable[[Values, NodeServices], Awaitable[Values]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A kind of node; packages register theirs as entry points of the group `assent.nodes`."""

    type: str
    description: str
    inputs: Schema
    outputs: Mapping[str, str]
    """The description of each output, by name."""
    work: NodeWork

    async def run(self, inputs: Values, services: NodeServices) -> Values:
        """Check the inputs, then do the work."""
        # In a thread: the outputs of other steps can be large.
        if issues := await FILE_THREADS.run(find_issues, self.inputs, inputs):
            reasons = "; ".join(f"{issue.path} {issue.message}" for issue in issues)
            raise ToolError(f"the inputs of `{self.type}` are not valid: {reasons}")
        return await self.work(inputs, services)

    def to_json(self) -> Mapping[str, object]:
        """The description that the model gets."""
        return {
            "type": self.type,
            "description": self.description,
            "inputs": self.inputs,
            "outputs": dict(self.outputs),
        }


def pure_work(function: Callable[[Values], Values]) -> NodeWork:
    """The work of a node that needs nothing but its inputs; it runs in a thread."""

    async def work(inputs: Values, _: NodeServices) -> Values:
        try:
            return await FILE_THREADS.run(function, inputs)
        except (ValueError, TypeError, KeyError, OverflowError, ArithmeticError) as error:
            raise ToolError(f"the node cannot work with these inputs: {error}") from None

    return work
