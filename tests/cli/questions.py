"""Questions for tests of the command line: this process asks, a command answers."""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager

from assent.compose import local_person, open_gate
from assent.engine.base.tool import Call
from assent.gate.answer import Answer
from assent.gate.approval import Approval
from assent.gate.calls import Wait
from assent.gate.gate import Gate
from assent.gate.turn import Turn
from tests.cli.running import CommandResult, CommandSandbox

LOCAL_PERSON = local_person()


@asynccontextmanager
async def open_gate_at(sandbox: CommandSandbox, preset: str | None = None) -> AsyncGenerator[Gate]:
    """Open a gate on `assent.db` in a directory, where commands find it without an option."""
    address, cwd = str(sandbox.root / "assent.db"), str(sandbox.root)
    async with open_gate(address, cwd=cwd, environ=sandbox.environment(), preset=preset) as gate:
        yield gate


async def begin_turn(gate: Gate, agent: str = "clerk", conversation: str = "c1") -> Turn:
    return await gate.begin(LOCAL_PERSON, conversation=conversation, agent=agent)


def make_call(command: str = "npm pack", id: str = "call-1", tool: str = "Bash") -> Call:
    return Call(tool=tool, args={"command": command}, id=id)


async def ask_question(turn: Turn, command: str = "npm pack", id: str = "call-1") -> Approval:
    outcome = await turn.submit(make_call(command, id))
    assert isinstance(outcome, Wait)
    return outcome.approval


async def answer_question(gate: Gate, approval: Approval, said: Answer) -> Approval:
    return await gate.answer(LOCAL_PERSON, approval.id, approval.digest, said)


async def run_in_thread(sandbox: CommandSandbox, *words: str, **environ: str) -> CommandResult:
    """Run a command in a thread."""
    return await asyncio.to_thread(sandbox.run, *words, **environ)


async def ask_questions(
    sandbox: CommandSandbox, commands: Iterable[str], agent: str = "clerk"
) -> list[Approval]:
    """Submit calls that need approval, and leave their questions open in the database."""
    async with open_gate_at(sandbox) as gate:
        turn = await begin_turn(gate, agent)
        return [
            await ask_question(turn, command, f"call-{number}") for number, command in enumerate(commands)
        ]
