"""A Python program behind the gate: `assent.open("assent.db")`."""

import functools
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any, ParamSpec, Protocol, TypeVar, overload

from assent import __version__
from assent.compose import local_person, open_gate
from assent.engine.model import Call, Dialect, Tool
from assent.errors import InputError, StoreError
from assent.gate.access import Principal
from assent.gate.catalog import DeclaredTool
from assent.gate.gate import DEFAULT_OPTIONS, Gate, TurnOptions
from assent.gate.ids import new_id
from assent.gate.outcome import Applied, Refuse, Run
from assent.gate.turn import Turn
from assent.hosts.python.guard import RefusedError, arguments, invoke, tool_of

Params = ParamSpec("Params")
Result = TypeVar("Result")

AGENT = "python"
_log = logging.getLogger("assent.python")


@asynccontextmanager
async def open(  # noqa: A001 - `assent.open` is what one writes
    address: str = "assent.db", *, preset: str | None = None, principal: Principal | None = None
) -> AsyncGenerator["Host"]:
    """Open a gate on an SQLite file or a `postgresql://` address, under the policy that holds here."""
    async with open_gate(address, preset=preset, joins_as=__version__) as gate:
        yield Host(gate, principal or local_person())


class Guard(Protocol):
    """Turns a function, plain or async, into an async function that asks first."""

    @overload
    def __call__(
        self, function: Callable[Params, Awaitable[Result]]
    ) -> Callable[Params, Coroutine[Any, Any, Result]]: ...
    @overload
    def __call__(
        self, function: Callable[Params, Result]
    ) -> Callable[Params, Coroutine[Any, Any, Result]]: ...


class Host:
    """The gate as a Python program uses it."""

    def __init__(self, gate: Gate, principal: Principal) -> None:
        self.gate = gate
        self.principal = principal
        self._guarded: dict[str, Tool] = {}
        self._turn: ContextVar[Turn | None] = ContextVar("assent turn", default=None)

    @asynccontextmanager
    async def turn(
        self, agent: str = AGENT, *, conversation: str = "", opening: TurnOptions = DEFAULT_OPTIONS
    ) -> AsyncGenerator[Turn]:
        """One run of an agent; inside another it is bound by that one. Its open questions end with it."""
        parent = self._turn.get()
        turn = await self.gate.begin(
            self.principal, conversation=conversation, agent=agent, parent=parent, options=opening
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
            return await turn.with_nonce(new_id()).check(call)
        async with self.turn(call.agent or AGENT, conversation=call.conversation) as turn:
            return await turn.with_nonce(new_id()).check(call)

    async def visible_tools(self, agent: str = AGENT) -> tuple[Tool, ...]:
        """The tools that the model of an agent may see."""
        async with self.turn(agent) as turn:
            return await turn.visible_tools()

    async def report(self, run: Run, *, failed: bool = False, note: str = "") -> None:
        """Say what came of a call; one that ran without a question needs no report.

        It has run, whatever the store says now: a report that is lost shows as "unknown", and hides nothing.
        """
        if not run.approval:
            return
        try:
            await self.gate.report(run.approval, run.claim, failed=failed, note=note)
        except StoreError as error:
            _log.warning("what came of approval %s could not be written down: %s", run.approval, error)

    async def reported(self, run: Run, running: Awaitable[Result]) -> Result:
        """Let a call run, and say what came of it, however it ends."""
        try:
            result = await running
        except BaseException as error:
            await self.report(run, failed=True, note=type(error).__name__)
            raise
        await self.report(run)
        return result

    def guard(
        self,
        effect: str | None = None,
        *,
        name: str | None = None,
        dialect: str = Dialect.TEXT,
        template: str | None = None,
    ) -> Guard:
        """Put a function behind the gate; a call that is refused raises `assent.RefusedError`."""

        def decorate(function: Callable[Params, Any]) -> Callable[Params, Coroutine[Any, Any, Any]]:
            tool = tool_of(function, effect=effect, name=name, dialect=dialect, template=template)
            self._take_in(tool)

            @functools.wraps(function)
            async def guarded(*args: Params.args, **kwargs: Params.kwargs) -> object:
                call = Call(tool=tool.name, args=arguments(function, args, kwargs))
                return await self._run(function, await self.check(call))

            return guarded

        return decorate

    def _take_in(self, tool: Tool) -> None:
        """Offer a function; another one of the same name would be decided as this one, so it is refused."""
        if self._guarded.setdefault(tool.name, tool) != tool:
            raise InputError(
                f"`{tool.name}` is guarded already and declares something else: give it a `name`"
            )
        self.gate.offer(DeclaredTool(tool=tool))

    async def _run(self, function: Callable[..., object], outcome: Run | Refuse | Applied) -> object:
        match outcome:
            case Refuse():
                raise RefusedError(outcome)
            case Applied():
                return outcome.result
            case Run():
                return await self.reported(outcome, invoke(function, outcome.call.args))
