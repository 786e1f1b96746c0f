"""Tickets for the calls that are relayed to a page of this server."""

from collections.abc import Mapping

from assent.engine.base.tool import Call
from assent.gate.access import Principal
from assent.gate.gate import Gate
from assent.hosts.browser.pages import IssueTicket, PageIdentity, RelayedCall
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
        )
        issued = await workbench.issue_ticket(principal, made, digest)
        return {} if issued is None else issued._asdict()

    return issue_ticket


async def _shown_digest(gate: Gate, principal: Principal, approval: str) -> str | None:
    """The digest of the file whose change a person saw; None if no person saw one."""
    if not approval:
        return None
    shown = (await gate.approval(principal, approval)).file
    return None if shown is None else shown.digest
