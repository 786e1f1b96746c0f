"""A site: the store of a chaos run, and a directory for its histories and effects."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from assent.compose import open_gate
from assent.engine.base.tool import Call, Effect, Tool
from assent.errors import StoreError
from assent.gate.access import Principal
from assent.gate.catalog import DeclaredTool
from assent.gate.gate import Gate, TurnOptions
from assent.gate.turn import Turn

OWNER = Principal(id="ana")
TOOL = Tool(name="chaos.write", effect=Effect.WRITE)
RETRY_SECONDS = 0.05
"""Seconds before a failed operation is repeated."""
_OPEN_TIMEOUT = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The address of a store, and the directory in which workers record their acts."""

    address: str
    directory: Path

    @property
    def histories(self) -> Path:
        """The directory of the histories."""
        return self.directory / "histories"

    @property
    def effects(self) -> Path:
        """The directory of the effects."""
        return self.directory / "effects"

    def prepare(self) -> "Site":
        """Create the directories."""
        for directory in (self.histories, self.effects):
            directory.mkdir(parents=True, exist_ok=True)
        return self


@asynccontextmanager
async def open_site(site: Site) -> AsyncGenerator[Gate]:
    """Open a gate with the one tool of these tests; retries while the store is not available."""
    async with asyncio.timeout(_OPEN_TIMEOUT) as timeout:
        opening, gate = await _open_with_retry(site)
        timeout.reschedule(None)
        try:
            gate.offer(DeclaredTool(tool=TOOL))
            yield gate
        finally:
            await opening.__aexit__(None, None, None)


async def _open_with_retry(site: Site) -> tuple[AbstractAsyncContextManager[Gate], Gate]:
    while True:
        opening = open_gate(site.address, cwd=str(site.directory), environ={})
        try:
            return opening, await opening.__aenter__()
        except StoreError:
            await asyncio.sleep(RETRY_SECONDS)


async def begin_turn(gate: Gate, agent: str) -> Turn:
    """Begin the turn of an agent, or resume it after a restart; retries while the store is not available."""
    while True:
        try:
            return await gate.begin(
                OWNER, conversation=f"c-{agent}", agent=agent, options=TurnOptions(turn_id=f"turn-{agent}")
            )
        except StoreError:
            await asyncio.sleep(RETRY_SECONDS)


def make_call(name: str) -> Call:
    """A call with unique arguments."""
    return Call(tool=TOOL.name, args={"note": name}, id=name)
