"""The commands' access to approvals and policy: through a running server, or else in its database."""

import os
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Protocol

from assent.cli.base.database import find_database, find_existing_database
from assent.cli.base.decider import current_config_paths
from assent.client.local_server import find_local_server, without_password
from assent.compose import local_person, open_gate
from assent.config.workspace_roots import write_proof
from assent.errors import InputError, NotFoundError
from assent.gate.access import Principal
from assent.gate.answer import Answer
from assent.gate.approval import Approval, Excerpt
from assent.gate.definitions import DefinitionToReview, MovedRules
from assent.gate.gate import ALL_APPROVALS, Gate
from assent.gate.policy import StoredGrant, StoredRule
from assent.gate.workspaces import RegisteredWorkspace, WantedRoot

if TYPE_CHECKING:
    from assent.client.client import Client

ID_LENGTH = 32
"""Number of characters of a complete approval id."""


class CommandBackend(Protocol):
    """The operations of a person at a terminal; implemented over a server and on a database."""

    async def list_pending(self) -> list[Excerpt]:
        """Excerpts of all open approvals that this person may see, oldest first."""
        ...

    async def find_approval(self, id_prefix: str) -> Approval:
        """Return the approval whose id starts with `prefix`."""
        ...

    async def answer_approval(self, approval: Approval, answer: Answer | None) -> Approval:
        """Answer an approval as it was shown to the person; `answer=None` postpones it."""
        ...

    async def list_grants(self) -> Sequence[StoredGrant]:
        """All standing approvals."""
        ...

    async def list_rules(self) -> Sequence[StoredRule]:
        """All stored rules."""
        ...

    async def revoke_grant_or_rule(self, id: str) -> None:
        """Revoke a grant or a stored rule."""
        ...

    async def set_agents_paused(self, *, paused: bool) -> None:
        """Pause or resume every agent."""
        ...

    async def list_definitions_to_review(self) -> Sequence[DefinitionToReview]:
        """The tools whose definition nobody accepted."""
        ...

    async def accept_definition(self, shown: DefinitionToReview) -> None:
        """Accept a tool definition as it was shown."""
        ...

    async def move_rules(self, tool: str, to: str) -> MovedRules:
        """Move the rules and tiers of a renamed tool to its new name."""
        ...

    @property
    def can_prove(self) -> bool:
        """Whether the process that decides calls can read a proof that this command writes."""
        ...

    async def workspaces(self) -> Sequence[RegisteredWorkspace]:
        """The registered workspaces of all agents."""
        ...

    async def replace_workspaces(
        self, agent: str, wanted: Sequence[WantedRoot], known: frozenset[str]
    ) -> Sequence[RegisteredWorkspace]:
        """Replace the workspaces of an agent, if they still have the ids `known`."""
        ...


@asynccontextmanager
async def open_command_backend(database: str | None) -> AsyncGenerator[CommandBackend]:
    """Connect to the server that uses this database; open the database itself if no server replies."""
    client = _find_server_client(find_database(database))
    if client is not None:
        with client:
            yield ServerBackend(client)
        return
    async with open_local_backend(database) as backend:
        yield backend


@asynccontextmanager
async def open_local_backend(database: str | None) -> AsyncGenerator["LocalBackend"]:
    """Open the database without a server."""
    address = find_existing_database(database)
    async with open_gate(address) as gate:
        yield LocalBackend(gate, local_person(), can_prove="://" not in address)


class LocalBackend:
    """The backend on a database; callers use `gate` for operations that no server offers."""

    def __init__(self, gate: Gate, person: Principal, *, can_prove: bool = True) -> None:
        self.gate = gate
        self.person = person
        self.can_prove = can_prove
        """False for a database that servers on other machines use."""

    async def list_pending(self) -> list[Excerpt]:
        """Excerpts of all open approvals, page by page."""
        page = await self.gate.excerpts(self.person, ALL_APPROVALS)
        found = list(page.excerpts)
        while page.after:
            page = await self.gate.excerpts(self.person, ALL_APPROVALS, after=page.after)
            found += page.excerpts
        return found

    async def find_approval(self, id_prefix: str) -> Approval:
        """The approval whose id starts with `prefix`."""
        if len(id_prefix) >= ID_LENGTH:
            return await self.gate.approval(self.person, id_prefix)
        id_ = find_id_by_prefix([one.approval.id for one in await self.list_pending()], id_prefix)
        return await self.gate.approval(self.person, id_)

    async def answer_approval(self, approval: Approval, answer: Answer | None) -> Approval:
        """Answer or postpone an approval."""
        if answer is None:
            return await self.gate.postpone(self.person, approval.id)
        return await self.gate.answer(self.person, approval.id, approval.digest, answer)

    async def list_grants(self) -> Sequence[StoredGrant]:
        """All standing approvals."""
        return await self.gate.policy.grants(self.person)

    async def list_rules(self) -> Sequence[StoredRule]:
        """All stored rules."""
        return await self.gate.policy.rules(self.person)

    async def revoke_grant_or_rule(self, id: str) -> None:
        """Revoke a grant or a stored rule."""
        await self.gate.policy.revoke(self.person, id)

    async def set_agents_paused(self, *, paused: bool) -> None:
        """Pause or resume every agent."""
        await (self.gate.pause(self.person) if paused else self.gate.resume(self.person))

    async def list_definitions_to_review(self) -> Sequence[DefinitionToReview]:
        """The tools whose definition nobody accepted, except changed tools of a server's pages."""
        definitions, found, after = await self.gate.definitions(), list[DefinitionToReview](), ""
        while True:
            page = await definitions.to_review(self.person, after=after)
            found += page.definitions
            if not (after := page.after):
                return found

    async def accept_definition(self, shown: DefinitionToReview) -> None:
        """Accept a tool definition as it was shown."""
        await self.gate.accept_definition(self.person, shown.tool, digest=shown.digest, origin=shown.origin)

    async def move_rules(self, tool: str, to: str) -> MovedRules:
        """Move the rules and tiers of a renamed tool to its new name."""
        return await (await self.gate.definitions()).move_rules(self.person, tool, to)

    async def workspaces(self) -> Sequence[RegisteredWorkspace]:
        """The registered workspaces of all agents."""
        return await self.gate.workspaces.list(self.person)

    async def replace_workspaces(
        self, agent: str, wanted: Sequence[WantedRoot], known: frozenset[str]
    ) -> Sequence[RegisteredWorkspace]:
        """Replace the workspaces of an agent, if they still have the ids `known`."""
        return await self.gate.workspaces.replace(self.person, agent, wanted, known)


class ServerBackend:
    """The backend over a server; its requests block the event loop, because a command has no other work."""

    def __init__(self, client: "Client") -> None:
        self._client = client

    async def list_pending(self) -> list[Excerpt]:
        """Excerpts of all open approvals."""
        return list(self._client.excerpts())

    async def find_approval(self, id_prefix: str) -> Approval:
        """The approval whose id starts with `prefix`."""
        ids = (one.approval.id for one in self._client.excerpts())
        return self._client.approval(
            id_prefix if len(id_prefix) >= ID_LENGTH else find_id_by_prefix(ids, id_prefix)
        )

    async def answer_approval(self, approval: Approval, answer: Answer | None) -> Approval:
        """Answer or postpone an approval."""
        if answer is None:
            return self._client.postpone(approval.id)
        return self._client.answer(approval.id, approval.digest, answer)

    async def list_grants(self) -> Sequence[StoredGrant]:
        """All standing approvals."""
        return self._client.grants()

    async def list_rules(self) -> Sequence[StoredRule]:
        """All stored rules."""
        return self._client.rules()

    async def revoke_grant_or_rule(self, id: str) -> None:
        """Revoke a grant or a stored rule."""
        self._client.revoke(id)

    async def set_agents_paused(self, *, paused: bool) -> None:
        """Pause or resume every agent."""
        self._client.set_paused(paused=paused)

    async def list_definitions_to_review(self) -> Sequence[DefinitionToReview]:
        """The tools whose definition nobody accepted."""
        return self._client.definitions_to_review()

    async def accept_definition(self, shown: DefinitionToReview) -> None:
        """Accept a tool definition as it was shown."""
        self._client.accept_definition(shown)

    async def move_rules(self, tool: str, to: str) -> MovedRules:
        """Move the rules and tiers of a renamed tool to its new name."""
        return self._client.move_rules(tool, to)

    @property
    def can_prove(self) -> bool:
        """Whether the server can read a proof; it looks itself."""
        return True

    async def workspaces(self) -> Sequence[RegisteredWorkspace]:
        """The registered workspaces of all agents."""
        return self._client.workspaces()

    async def replace_workspaces(
        self, agent: str, wanted: Sequence[WantedRoot], known: frozenset[str]
    ) -> Sequence[RegisteredWorkspace]:
        """Replace the workspaces of an agent, if they still have the ids `known`."""
        return self._client.replace_workspaces(agent, wanted, known)


async def add_local_root(backend: CommandBackend, agent: str, root: str) -> RegisteredWorkspace:
    """Register a directory of this disk, with a proof that the server reads back; the others stay."""
    with write_proof(root) as proof:
        return await add_root(backend, agent, WantedRoot(root, proof))


async def add_root(backend: CommandBackend, agent: str, wanted: WantedRoot) -> RegisteredWorkspace:
    """Register a directory of an agent; the others stay."""
    before = [one for one in await backend.workspaces() if one.agent == agent]
    kept = [WantedRoot(one.root) for one in before if one.root != wanted.root]
    known = frozenset(one.id for one in before)
    after = await backend.replace_workspaces(agent, [*kept, wanted], known)
    return next(one for one in after if one.root == wanted.root)


def find_id_by_prefix(ids: Iterable[str], prefix: str) -> str:
    """Return the only id that starts with `prefix`; an empty prefix (an unset shell variable) is an error."""
    if not prefix:
        raise InputError("the id is empty; `assent pending` lists the open questions")
    found = [one for one in ids if one.startswith(prefix)]
    if len(found) > 1:
        raise InputError(f"`{prefix}` is the start of {len(found)} questions; write more of the id")
    if not found:
        raise NotFoundError("open question", prefix)
    return found[0]


def _find_server_client(address: str) -> "Client | None":
    """Return a client of the server that uses this database; None if no server replies."""
    is_path = "://" not in address
    database = os.path.abspath(address) if is_path else without_password(address)
    beside = [os.path.dirname(database)] if is_path else []
    for directory in dict.fromkeys([current_config_paths().data, *beside]):
        notice = find_local_server(directory)
        if notice is None or notice.database != database or not notice.token:
            continue
        from assent.client.client import Client

        client = Client(notice.url, notice.token)
        if client.is_reachable():
            return client
    return None
