"""The desk of the person at this terminal: over a server that runs, or on its database where none does."""

import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Protocol

from assent.cli.database import WHOLE_ID, Desk, address_of, begun, gate_on
from assent.cli.standpoint import here
from assent.client.local_server import find_local_server, without_password
from assent.gate.agents import ChangedDefinition
from assent.gate.answer import Answer
from assent.gate.approval import Approval, Excerpt
from assent.gate.stored_policy import StoredGrant, StoredRule

if TYPE_CHECKING:
    from assent.client.client import Client


class Answering(Protocol):
    """What a person does with questions, wherever these are kept."""

    async def pending(self) -> list[Excerpt]:
        """Every open question that this person may see, in short, oldest first."""
        ...

    async def approval(self, start: str) -> Approval:
        """The approval whose id begins so."""
        ...

    async def answer(self, asked: Approval, answer: Answer | None) -> Approval:
        """Answer a question as it was shown; with None, put it off."""
        ...

    async def grants(self) -> Sequence[StoredGrant]:
        """What was said yes to for longer."""
        ...

    async def rules(self) -> Sequence[StoredRule]:
        """The rules that are stored."""
        ...

    async def revoke(self, id: str) -> None:
        """End a grant or a rule."""
        ...

    async def turn_switch(self, *, paused: bool) -> None:
        """Stop every agent, or let them go on."""
        ...

    async def changed_definitions(self) -> Sequence[ChangedDefinition]:
        """The tools that ask because their definition changed."""
        ...

    async def accept(self, changed: ChangedDefinition) -> None:
        """Accept a definition as it was shown."""
        ...


@asynccontextmanager
async def desk_on(database: str | None) -> AsyncGenerator[Answering]:
    """Ask the server that serves this database; where none answers, open the database itself."""
    client = _client(address_of(database))
    if client is not None:
        with client:
            yield ServerDesk(client)
        return
    async with gate_on(database) as desk:
        yield OwnDesk(desk)


class OwnDesk:
    """On the database itself."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def pending(self) -> list[Excerpt]:
        """Every open question, in short."""
        return await self._desk.pending()

    async def approval(self, start: str) -> Approval:
        """The approval whose id begins so."""
        return await self._desk.approval(start)

    async def answer(self, asked: Approval, answer: Answer | None) -> Approval:
        """Answer a question, or put it off."""
        gate, person = self._desk
        if answer is None:
            return await gate.postpone(person, asked.id)
        return await gate.answer(person, asked.id, asked.digest, answer)

    async def grants(self) -> Sequence[StoredGrant]:
        """The grants there are."""
        return await self._desk.gate.policy.grants(self._desk.person)

    async def rules(self) -> Sequence[StoredRule]:
        """The stored rules."""
        return await self._desk.gate.policy.rules(self._desk.person)

    async def revoke(self, id: str) -> None:
        """End a grant or a rule."""
        await self._desk.gate.policy.revoke(self._desk.person, id)

    async def turn_switch(self, *, paused: bool) -> None:
        """Stop every agent, or let them go on."""
        gate, person = self._desk
        await (gate.pause(person) if paused else gate.resume(person))

    async def changed_definitions(self) -> Sequence[ChangedDefinition]:
        """The tools whose definition changed, of those that were declared to all processes."""
        return await self._desk.gate.changed_definitions(self._desk.person)

    async def accept(self, changed: ChangedDefinition) -> None:
        """Accept a definition as it was shown."""
        gate, person = self._desk
        await gate.accept(person, changed.tool, digest=changed.digest, origin=changed.origin)


class ServerDesk:
    """Over a server; one command makes one request after the other, so that no thread is needed."""

    def __init__(self, client: "Client") -> None:
        self._client = client

    async def pending(self) -> list[Excerpt]:
        """Every open question, in short."""
        return list(self._client.excerpts())

    async def approval(self, start: str) -> Approval:
        """The approval whose id begins so."""
        ids = (one.approval.id for one in self._client.excerpts())
        return self._client.approval(start if len(start) >= WHOLE_ID else begun(ids, start))

    async def answer(self, asked: Approval, answer: Answer | None) -> Approval:
        """Answer a question, or put it off."""
        if answer is None:
            return self._client.put_off(asked.id)
        return self._client.answer(asked.id, asked.digest, answer)

    async def grants(self) -> Sequence[StoredGrant]:
        """The grants there are."""
        return self._client.grants()

    async def rules(self) -> Sequence[StoredRule]:
        """The stored rules."""
        return self._client.rules()

    async def revoke(self, id: str) -> None:
        """End a grant or a rule."""
        self._client.revoke(id)

    async def turn_switch(self, *, paused: bool) -> None:
        """Stop every agent, or let them go on."""
        self._client.turn_switch(paused=paused)

    async def changed_definitions(self) -> Sequence[ChangedDefinition]:
        """The tools whose definition changed."""
        return self._client.changed_definitions()

    async def accept(self, changed: ChangedDefinition) -> None:
        """Accept a definition as it was shown."""
        self._client.accept(changed)


def _client(address: str) -> "Client | None":
    """A client of the server that serves this database, if one answers."""
    is_path = "://" not in address
    served = os.path.abspath(address) if is_path else without_password(address)
    beside = [os.path.dirname(served)] if is_path else []
    for directory in dict.fromkeys([here().data, *beside]):
        notice = find_local_server(directory)
        if notice is None or notice.database != served or not notice.token:
            continue
        from assent.client.client import Client

        client = Client(notice.url, notice.token)
        if client.is_reachable():
            return client
    return None
