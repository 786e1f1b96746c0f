"""Where chaos happens: a store, and a directory for histories and effects."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from assent.compose import open_gate
from assent.engine.model import Call, Effect, Tool
from assent.errors import StoreError
from assent.gate.access import Principal
from assent.gate.catalog import DeclaredTool
from assent.gate.gate import Gate, TurnOptions
from assent.gate.turn import Turn

OWNER = Principal(id="ana")
TOOL = Tool(name="chaos.write", effect=Effect.WRITE)
PAUSE = 0.05
"""Seconds after which what failed is tried again."""
_PATIENCE = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A store, and where its workers write down what they do."""

    address: str
    directory: Path

    @property
    def histories(self) -> Path:
        """Where workers write down what they do."""
        return self.directory / "histories"

    @property
    def effects(self) -> Path:
        """Where running a call leaves its file."""
        return self.directory / "effects"

    def prepared(self) -> "Site":
        """The same with its directories made."""
        for directory in (self.histories, self.effects):
            directory.mkdir(parents=True, exist_ok=True)
        return self


@asynccontextmanager
async def opened(site: Site) -> AsyncGenerator[Gate]:
    """A gate with our one tool; a store that cannot be opened yet is tried again."""
    async with asyncio.timeout(_PATIENCE) as patience:
        opening, gate = await _entered(site)
        patience.reschedule(None)
        try:
            gate.offer(DeclaredTool(tool=TOOL))
            yield gate
        finally:
            await opening.__aexit__(None, None, None)


async def _entered(site: Site) -> tuple[AbstractAsyncContextManager[Gate], Gate]:
    while True:
        opening = open_gate(site.address, cwd=str(site.directory), environ={})
        try:
            return opening, await opening.__aenter__()
        except StoreError:
            await asyncio.sleep(PAUSE)


async def begun(gate: Gate, agent: str) -> Turn:
    """The turn of an agent, or what it was before a restart; a store that is away is tried again."""
    while True:
        try:
            return await gate.begin(
                OWNER, conversation=f"c-{agent}", agent=agent, options=TurnOptions(turn_id=f"turn-{agent}")
            )
        except StoreError:
            await asyncio.sleep(PAUSE)


def call_of(name: str) -> Call:
    """A call like no other."""
    return Call(tool=TOOL.name, args={"note": name}, id=name)
