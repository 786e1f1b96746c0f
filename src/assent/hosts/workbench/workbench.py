"""The workbench of a server: its roots, files, terminals and tickets, and who may use them."""

import os
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import NamedTuple

from assent.config.paths import ConfigPaths
from assent.config.workspace_roots import check_location
from assent.engine.base.tool import Call
from assent.errors import InputError
from assent.gate.access import Kind, Principal
from assent.gate.gate import Gate
from assent.gate.workbench_access import WorkbenchAccess, WorkbenchRights
from assent.gate.workspaces import is_below
from assent.hosts.browser.connection import PageError
from assent.hosts.browser.pages import FindDirectory, IssueTicket, PageIdentity, RelayedCall
from assent.hosts.workbench.agent_calls import AgentCalls, CallRequest
from assent.hosts.workbench.refusal import Reason, WorkbenchError
from assent.hosts.workbench.roots import Root, find_root, name_roots
from assent.hosts.workbench.terminals import GRACE_SECONDS, Terminals
from assent.hosts.workbench.tickets import Tickets

_EVERYTHING = WorkbenchRights(files=True, terminal=True)
MAX_SOCKETS = 50
"""The maximum number of open sockets of one person: each watches directories, or shows a terminal."""


class IssuedTicket(NamedTuple):
    """What the relay sends to a page with a call."""

    root: str
    """The name of the root for which the call was decided."""
    ticket: str


class Workbench:
    """What the routes of the workbench use; every method applies the rights of its principal."""

    def __init__(
        self,
        gate: Gate,
        access: WorkbenchAccess,
        own_root: str | None,
        *,
        local_only: bool,
        environ: Mapping[str, str] = os.environ,
        grace_seconds: float = GRACE_SECONDS,
    ) -> None:
        self._gate = gate
        self.access = access
        self._own_root = own_root
        self.local_only = local_only
        """Whether only this machine can reach the server; then administrators may use everything."""
        self.tickets = Tickets()
        self.terminals = Terminals(environ, grace_seconds=grace_seconds)
        self._calls = AgentCalls(self.tickets, self.terminals)
        self._sockets: Counter[str] = Counter()

    async def close(self) -> None:
        """End all terminals."""
        await self.terminals.end_all()

    @contextmanager
    def count_socket(self, principal: Principal) -> Generator[None]:
        """Count a socket of a person while it is open; refused if too many are open."""
        if self._sockets[principal.id] >= MAX_SOCKETS:
            raise WorkbenchError(Reason.LIMIT, f"you have {MAX_SOCKETS} connections open: close a page first")
        self._sockets[principal.id] += 1
        try:
            yield
        finally:
            self._sockets[principal.id] -= 1

    async def rights(self, principal: Principal) -> WorkbenchRights:
        """What a principal may use."""
        if principal.kind is not Kind.PERSON:
            return WorkbenchRights()
        if self.local_only and principal.administrator:
            return _EVERYTHING
        return await self.access.rights_of(principal, principal.id)

    async def check_files(self, principal: Principal) -> None:
        """Refuse a principal for whom files are off."""
        if not (await self.rights(principal)).files:
            raise _turned_off_error("files")

    async def check_terminal(self, principal: Principal) -> None:
        """Refuse a principal for whom terminals are off."""
        if not (await self.rights(principal)).terminal:
            raise _turned_off_error("terminals")

    async def roots(self, principal: Principal) -> tuple[Root, ...]:
        """The roots in which a person may work."""
        return name_roots(self._own_root, await self._gate.workspaces.list_usable(principal))

    async def root_for_files(self, principal: Principal, name: str) -> Root:
        """A root by its name, for the files in it."""
        await self.check_files(principal)
        return find_root(await self.roots(principal), name)

    async def root_for_terminal(self, principal: Principal, name: str) -> Root:
        """A root by its name, for a terminal in it."""
        await self.check_terminal(principal)
        return find_root(await self.roots(principal), name)

    async def issue_ticket(
        self, principal: Principal, call: Call, file_digest: str | None = None
    ) -> IssuedTicket | None:
        """Issue a ticket for a call that the gate let run; None if it was decided in none of the roots.

        `file_digest` is the digest of the file that the question showed, if there was a question.
        """
        directory = await self._find_decided_root(principal, call)
        root = next((one for one in await self.roots(principal) if one.directory == directory), None)
        if root is None or not _is_for_root(call, root):
            return None
        ticket = self.tickets.issue(principal.id, call, root=root.directory, file_digest=file_digest)
        return IssuedTicket(root.name, ticket)

    async def find_directory(self, principal: Principal, call: Call) -> str:
        """The directory that a call names by a terminal or a root; empty for the server's own root.

        The gate decides the call for this directory; raises `WorkbenchError` if there is none.
        """
        if call.tool == "terminal.exec":
            return self.terminals.find(principal.id, str(call.args.get("terminal", ""))).directory
        if self._calls.needs_terminal(call.tool) or not call.args.get("root"):
            return ""
        root = find_root(await self.roots(principal), str(call.args["root"]))
        if root.own:
            return ""
        if await self._find_decided_root(principal, replace(call, cwd=root.directory)) != root.directory:
            raise WorkbenchError(Reason.ABSENT, f"`{root.name}` is no workspace of this conversation's agent")
        return root.directory

    async def run_call(self, principal: Principal, request: CallRequest) -> Mapping[str, object]:
        """Carry out a call of an agent for which the page has a ticket."""
        if self._calls.needs_terminal(request.tool):
            await self.check_terminal(principal)
        else:
            await self.check_files(principal)
        return await self._calls.run(principal.id, request, await self.roots(principal))

    async def _find_decided_root(self, principal: Principal, call: Call) -> str | None:
        """The root at which the gate read the paths of a call: the deepest that contains its directory."""
        own = self._own_root
        if not call.cwd:
            return own
        found = await self._gate.workspaces.find_root(principal, call.agent, call.cwd)
        if found is None:
            return own  # As in the gate: paths start at the server's own root in any other directory.
        is_in_own = own is not None and is_below(os.path.realpath(call.cwd), own)
        return own if own is not None and is_in_own and len(own) >= len(found) else found


def find_own_root(where: ConfigPaths) -> str | None:
    """The server's own directory; None if it may not be a workspace, such as `/` or a home directory."""
    root = os.path.realpath(where.root)
    try:
        check_location(root, where)
    except InputError:
        return None
    return root if os.path.isdir(root) else None


def _is_for_root(call: Call, root: Root) -> bool:
    """Whether a call is for this root by its arguments too: a person may have edited them."""
    if not call.tool.startswith(("files.", "editor.")):
        return True
    named = call.args.get("root") or ""
    return named == root.name or (named == "" and root.own)


def _turned_off_error(what: str) -> WorkbenchError:
    return WorkbenchError(
        Reason.OFF, f"{what} are off for you on this server: an administrator can turn them on"
    )


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
