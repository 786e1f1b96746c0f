"""A database with questions in it: this process asks, the command line is another one that answers."""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager

from assent.compose import local_person, open_gate
from assent.engine.model import Call
from assent.gate.answer import Answer
from assent.gate.approval import Approval
from assent.gate.gate import Gate
from assent.gate.outcome import Wait
from assent.gate.turn import Turn
from tests.cli.running import Place, Ran

ME = local_person()


@asynccontextmanager
async def gate_at(place: Place, preset: str | None = None) -> AsyncGenerator[Gate]:
    """A gate on `assent.db` in a place, which is what commands there find by themselves."""
    address, cwd = str(place.root / "assent.db"), str(place.root)
    async with open_gate(address, cwd=cwd, environ=place.environment(), preset=preset) as gate:
        yield gate


async def a_turn(gate: Gate, agent: str = "clerk", conversation: str = "c1") -> Turn:
    return await gate.begin(ME, conversation=conversation, agent=agent)


def a_call(command: str = "npm pack", id: str = "call-1", tool: str = "Bash") -> Call:
    return Call(tool=tool, args={"command": command}, id=id)


async def ask(turn: Turn, command: str = "npm pack", id: str = "call-1") -> Approval:
    outcome = await turn.submit(a_call(command, id))
    assert isinstance(outcome, Wait)
    return outcome.approval


async def answer(gate: Gate, approval: Approval, said: Answer) -> Approval:
    return await gate.answer(ME, approval.id, approval.digest, said)


async def run(place: Place, *words: str, **environ: str) -> Ran:
    """Run a command while this process goes on."""
    return await asyncio.to_thread(place.run, *words, **environ)


async def left(place: Place, commands: Iterable[str], agent: str = "clerk") -> list[Approval]:
    """Questions of a process that is gone by now."""
    async with gate_at(place) as gate:
        turn = await a_turn(gate, agent)
        return [await ask(turn, command, f"call-{number}") for number, command in enumerate(commands)]
