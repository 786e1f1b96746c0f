"""The directories of calls to a page of this server, and the tickets that are relayed with them."""

from collections.abc import Mapping

from assent.engine.base.tool import Call
from assent.gate.access import Principal
from assent.gate.gate import Gate
from assent.hosts.browser.connection import PageError
from assent.hosts.browser.pages import FindDirectory, IssueTicket, PageIdentity, RelayedCall
from assent.hosts.workbench.refusal import WorkbenchError
from assent.hosts.workbench.workbench import Workbench


def make_ticket_issuer(gate: Gate, workbench: Workbench) -> IssueTicket:
    """A function that makes the ticket and the name of the root for a relayed call."""

    async def issue_ticket(identity: PageIdentity, tool: str, call: RelayedCall) -> Mapping[str, object]:
        principal = Principal(id=identity.user)
        digest = await _shown_digest(gate, principal, call.approval)
        made = Call(
            tool=tool,
            args=call.args,
            id=call.id,
            agent=identity.agent,
            conversation=identity.conversation,
            user=identity.user,
            cwd=call.directory,
        )
        issued = await workbench.issue_ticket(principal, made, digest)
        return {} if issued is None else issued._asdict()

    return issue_ticket


def make_directory_finder(workbench: Workbench) -> FindDirectory:
    """A function that finds the directory for which the gate must decide a call of a page."""

    async def find_directory(identity: PageIdentity, tool: str, args: Mapping[str, object]) -> str:
        call = Call(tool=tool, args=args, agent=identity.agent, user=identity.user)
        try:
            return await workbench.find_directory(Principal(id=identity.user), call)
        except WorkbenchError as error:
            raise PageError(str(error)) from None

    return find_directory


async def _shown_digest(gate: Gate, principal: Principal, approval: str) -> str | None:
    """The digest of the file whose change a person saw; None if no person saw one."""
    if not approval:
        return None
    shown = (await gate.approval(principal, approval)).file
    return None if shown is None else shown.digest
