"""A node: one small piece of work with named inputs and outputs."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from assent.hosts.chat.belt.context import Progress, unheard
from assent.hosts.chat.belt.fault import FaultError
from assent.hosts.chat.belt.fetch import Fetcher
from assent.hosts.chat.belt.schema import Schema, issues
from assent.hosts.chat.belt.threads import FILES

Values = Mapping[str, object]


class Bench(NamedTuple):
    """What a node may use besides its inputs."""

    fetcher: Fetcher
    """The only way to the web."""
    progress: Progress = unheard


NodeWork = Callable[[Values, Bench], Awaitable[Values]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A kind of node; packages offer theirs as entry points of the group `assent.nodes`."""

    type: str
    description: str
    inputs: Schema
    outputs: Mapping[str, str]
    """What it gives, by name, in words."""
    work: NodeWork

    async def run(self, inputs: Values, bench: Bench) -> Values:
        """Check the inputs, then do the work."""
        if wrong := issues(self.inputs, inputs):
            said = "; ".join(f"{issue.path} {issue.message}" for issue in wrong)
            raise FaultError(f"the inputs of `{self.type}` are not valid: {said}")
        return await self.work(inputs, bench)

    @property
    def shown(self) -> Mapping[str, object]:
        """JSON for whoever wants to use it."""
        return {
            "type": self.type,
            "description": self.description,
            "inputs": self.inputs,
            "outputs": dict(self.outputs),
        }


def pure(function: Callable[[Values], Values]) -> NodeWork:
    """The work of a node that needs nothing but its inputs."""

    async def work(inputs: Values, _: Bench) -> Values:
        try:
            return await FILES.run(function, inputs)
        except (ValueError, TypeError, KeyError, OverflowError, ArithmeticError) as error:
            raise FaultError(f"the inputs cannot be worked with: {error}") from None

    return work
