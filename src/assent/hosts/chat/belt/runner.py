"""A tool of the belt as the gate itself runs it, for proposals whose caller is gone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assent.engine.model import Call
from assent.gate.access import Principal
from assent.gate.ports import Issue, Preview
from assent.hosts.chat.belt.arguments import Arguments
from assent.hosts.chat.belt.context import Context
from assent.hosts.chat.belt.fault import FaultError
from assent.hosts.chat.belt.tool import BeltTool, DryRun

ContextFor = Callable[[Principal, Call], Context]
"""Makes the context that a call of this principal runs in."""


@dataclass(frozen=True, slots=True)
class BeltRunner:
    """Validates, tries and runs the calls of one tool that has a dry run."""

    tool: BeltTool
    preview: DryRun
    context_for: ContextFor

    async def validate(self, call: Call) -> Sequence[Issue]:
        """What is wrong with the arguments, by the schema or by what a dry run meets."""
        if wrong := self.tool.issues(call.args):
            return wrong
        try:
            # Nobody's rights are needed to see that a draft cannot work: a dry run changes nothing.
            await self.preview(Arguments(call.args), self.context_for(Principal(id=call.user), call))
        except FaultError as fault:
            return (Issue("arguments", str(fault)),)
        return ()

    async def dry_run(self, principal: Principal, call: Call) -> Preview:
        """What would happen; changes nothing."""
        return await self.preview(Arguments(call.args), self.context_for(principal, call))

    async def run(self, principal: Principal, call: Call) -> object:
        """Do it, with this principal's own rights; a failed result is raised, so that it is recorded."""
        result = await self.tool.run(call.args, self.context_for(principal, call))
        if result.failed:
            raise FaultError(result.text)
        return result


def runner(tool: BeltTool, context_for: ContextFor) -> BeltRunner | None:
    """What the gate is given to run a tool; one without a dry run cannot be proposed."""
    return None if tool.dry_run is None else BeltRunner(tool, tool.dry_run, context_for)
