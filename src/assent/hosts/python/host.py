"""A Python program behind the gate: `assent.open("assent.db")`."""

import functools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import ParamSpec, Protocol, TypeVar, cast

from assent.compose import local_person, open_gate
from assent.engine.model import Call, Dialect, Tool
from assent.gate.access import Principal
from assent.gate.catalog import Declared
from assent.gate.gate import AS_USUAL, Gate, Opening
from assent.gate.outcome import Applied, Refuse, Run
from assent.gate.turn import Turn
from assent.hosts.python.guard import RefusedError, arguments, invoke, tool_of

Params = ParamSpec("Params")
Result = TypeVar("Result")

AGENT = "python"


@asynccontextmanager
async def open(  # noqa: A001 - `assent.open` is what one writes
    address: str = "assent.db", *, preset: str | None = None, principal: Principal | None = None
) -> AsyncIterator["Host"]:
    """Open a gate on an SQLite file or a `postgresql://` address, under the policy that holds here."""
    async with open_gate(address, preset=preset) as gate:
        yield Host(gate, principal or local_person())


class Guard(Protocol):
    """Takes a function, plain or async, and gives the async one that asks first."""

    def __call__(
        self, function: Callable[Params, Awaitable[Result] | Result]
    ) -> Callable[Params, Awaitable[Result]]:
        """Guard one function."""


class Host:
    """The gate as a Python program uses it."""

    def __init__(self, gate: Gate, principal: Principal) -> None:
        self.gate = gate
        self.principal = principal
        self._turn: ContextVar[Turn | None] = ContextVar("assent turn", default=None)

    @asynccontextmanager
    async def turn(
        self, agent: str = AGENT, *, conversation: str = "", opening: Opening = AS_USUAL
    ) -> AsyncIterator[Turn]:
        """One run of an agent; inside another it is bound by that one. Its open questions end with it."""
        parent = self._turn.get()
        turn = await self.gate.begin(
            self.principal, conversation=conversation, agent=agent, parent=parent, opening=opening
        )
        token = self._turn.set(turn)
        try:
            yield turn
        finally:
            self._turn.reset(token)
            await turn.end()

    async def check(self, call: Call) -> Run | Refuse | Applied:
        """Decide a call and, where a person must be asked, wait for the answer."""
        turn = self._turn.get()
        if turn is not None:
            return await turn.check(call)
        async with self.turn(call.agent or AGENT, conversation=call.conversation) as turn:
            return await turn.check(call)

    async def visible_tools(self, agent: str = AGENT) -> tuple[Tool, ...]:
        """The tools that the model of an agent may see."""
        async with self.turn(agent) as turn:
            return await turn.visible_tools()

    async def report(self, run: Run, *, failed: bool = False, note: str = "") -> None:
        """Say what came of a call; one that ran without a question needs no report."""
        if run.approval:
            await self.gate.report(run.approval, run.claim, failed=failed, note=note)

    def guard(
        self,
        effect: str | None = None,
        *,
        name: str | None = None,
        dialect: str = Dialect.TEXT,
        template: str | None = None,
    ) -> Guard:
        """Put a function behind the gate; a call that is refused raises `assent.RefusedError`."""

        def decorate(
            function: Callable[Params, Awaitable[Result] | Result],
        ) -> Callable[Params, Awaitable[Result]]:
            tool = tool_of(function, effect=effect, name=name, dialect=dialect, template=template)
            self.gate.offer(Declared(tool=tool))

            @functools.wraps(function)
            async def guarded(*args: Params.args, **kwargs: Params.kwargs) -> Result:
                call = Call(tool=tool.name, args=arguments(function, args, kwargs))
                return cast("Result", await self._run(function, await self.check(call)))

            return guarded

        return decorate

    async def _run(self, function: Callable[..., object], outcome: Run | Refuse | Applied) -> object:
        match outcome:
            case Refuse():
                raise RefusedError(outcome)
            case Applied():
                return outcome.result
            case Run():
                try:
                    result = await invoke(function, outcome.call.args)
                except BaseException as error:
                    await self.report(outcome, failed=True, note=type(error).__name__)
                    raise
                await self.report(outcome)
                return result
