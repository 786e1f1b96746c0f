"""The gate for the functions of a Python program: `assent.open("assent.db")`."""

import asyncio
import functools
import inspect
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any, ParamSpec, Protocol, TypeVar, get_type_hints, overload

from assent.compose import local_person, open_gate
from assent.engine.base.tool import Call, Dialect, Tool, parse_dialect, parse_effect
from assent.errors import AssentError, InputError, StoreError
from assent.gate.access import Principal
from assent.gate.calls import Applied, Refuse, Run
from assent.gate.catalog import DeclaredTool
from assent.gate.gate import DEFAULT_OPTIONS, Gate, TurnOptions
from assent.gate.ids import new_id
from assent.gate.turn import Turn
from assent.version import __version__

Params = ParamSpec("Params")
Result = TypeVar("Result")

DEFAULT_AGENT = "python"
_log = logging.getLogger("assent.python")
_JSON_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}


class RefusedError(AssentError):
    """The gate refused a call of a guarded function."""

    def __init__(self, refusal: Refuse) -> None:
        super().__init__(refusal.full_message)
        self.refusal = refusal


@asynccontextmanager
async def open(  # noqa: A001 - `assent.open` is the public name
    address: str = "assent.db", *, preset: str | None = None, principal: Principal | None = None
) -> AsyncGenerator["Host"]:
    """Open a gate on an SQLite file or a `postgresql://` address, with the policy of this directory."""
    async with open_gate(address, preset=preset, joins_as=__version__) as gate:
        yield Host(gate, principal or local_person())


class Guard(Protocol):
    """Wraps a sync or async function; the returned async function asks the gate before each call."""

    @overload
    def __call__(
        self, function: Callable[Params, Awaitable[Result]]
    ) -> Callable[Params, Coroutine[Any, Any, Result]]: ...
    @overload
    def __call__(
        self, function: Callable[Params, Result]
    ) -> Callable[Params, Coroutine[Any, Any, Result]]: ...


class Host:
    """The interface of a Python program to the gate."""

    def __init__(self, gate: Gate, principal: Principal) -> None:
        self.gate = gate
        self.principal = principal
        self._guarded: dict[str, Tool] = {}
        self._turn: ContextVar[Turn | None] = ContextVar("assent turn", default=None)

    @asynccontextmanager
    async def turn(
        self, agent: str = DEFAULT_AGENT, *, conversation: str = "", opening: TurnOptions = DEFAULT_OPTIONS
    ) -> AsyncGenerator[Turn]:
        """Begin one run of an agent, limited by the outer turn; its end withdraws open questions."""
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
        """Decide a call; if it needs approval, wait for the answer."""
        turn = self._turn.get()
        if turn is not None:
            return await turn.with_nonce(new_id()).check(call)
        async with self.turn(call.agent or DEFAULT_AGENT, conversation=call.conversation) as turn:
            return await turn.with_nonce(new_id()).check(call)

    async def visible_tools(self, agent: str = DEFAULT_AGENT) -> tuple[Tool, ...]:
        """The tools that the model of an agent may see."""
        async with self.turn(agent) as turn:
            return await turn.visible_tools()

    async def report(self, run: Run, *, failed: bool = False, note: str = "") -> None:
        """Record the result of an approved call.

        If the store fails, the error is only logged: the call has run, and its state stays "unknown".
        """
        if not run.approval:
            return
        try:
            await self.gate.report(run.approval, run.claim, failed=failed, note=note)
        except StoreError as error:
            _log.warning("the result of approval %s could not be stored: %s", run.approval, error)

    async def run_and_report(self, run: Run, running: Awaitable[Result]) -> Result:
        """Run an allowed call and record its result."""
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
        """A decorator that asks the gate before each call of a function; a refusal raises `RefusedError`."""

        def decorate_function(function: Callable[Params, Any]) -> Callable[Params, Coroutine[Any, Any, Any]]:
            tool = to_tool(function, effect=effect, name=name, dialect=dialect, template=template)
            self._register_guarded_tool(tool)

            @functools.wraps(function)
            async def call_through_gate(*args: Params.args, **kwargs: Params.kwargs) -> object:
                call = Call(tool=tool.name, args=bind_arguments(function, args, kwargs))
                return await self._run_outcome(function, await self.check(call))

            return call_through_gate

        return decorate_function

    def _register_guarded_tool(self, tool: Tool) -> None:
        """Declare a guarded function; raises `InputError` if the name is used by a different function."""
        if self._guarded.setdefault(tool.name, tool) != tool:
            raise InputError(
                f"`{tool.name}` is guarded already and declares something else: give it a `name`"
            )
        self.gate.offer(DeclaredTool(tool=tool))

    async def _run_outcome(self, function: Callable[..., object], outcome: Run | Refuse | Applied) -> object:
        """Run the function, return the applied result, or raise `RefusedError`."""
        match outcome:
            case Refuse():
                raise RefusedError(outcome)
            case Applied():
                return outcome.result
            case Run():
                return await self.run_and_report(outcome, call_function(function, outcome.call.args))


def to_tool(
    function: Callable[..., object],
    *,
    effect: str | None,
    name: str | None = None,
    dialect: str = Dialect.TEXT,
    template: str | None = None,
) -> Tool:
    """Build a tool definition from a function's name, docstring and parameters."""
    return Tool(
        name=name or function.__name__,
        effect=parse_effect(effect),
        dialect=parse_dialect(dialect),
        template=template,
        description=inspect.getdoc(function) or "",
        parameters=_parameter_schema(function),
    )


def bind_arguments(
    function: Callable[..., object], args: tuple[object, ...], kwargs: Mapping[str, object]
) -> dict[str, object]:
    """All arguments of a function call by name, with defaults."""
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except TypeError as error:
        raise InputError(f"`{function.__name__}` cannot be called so: {error}") from None
    bound.apply_defaults()
    return dict(bound.arguments)


async def call_function(function: Callable[..., object], args: Mapping[str, object]) -> object:
    """Call a function; a sync function runs in a thread."""
    if inspect.iscoroutinefunction(function):
        return await function(**args)
    result = await asyncio.to_thread(function, **args)
    # A partial or a callable object may also return an awaitable.
    return await result if inspect.isawaitable(result) else result


def _parameter_schema(function: Callable[..., object]) -> dict[str, object]:
    """JSON Schema of a function's parameters; raises `InputError` for `*args` and positional-only ones."""
    hints = _type_hints(function)
    parameters = inspect.signature(function).parameters
    for one in parameters.values():
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD, one.POSITIONAL_ONLY):
            raise InputError(f"`{function.__name__}` cannot be guarded: `{one}` has no name to show a person")
    return {
        "type": "object",
        "properties": {name: _json_schema_type(hints.get(name)) for name in parameters},
        "required": [name for name, one in parameters.items() if one.default is one.empty],
    }


def _type_hints(function: Callable[..., object]) -> dict[str, object]:
    try:
        return get_type_hints(function)
    except (NameError, TypeError):  # A hint exists only for type checkers, or this is no plain function.
        return {}


def _json_schema_type(hint: object) -> dict[str, str]:
    word = _JSON_TYPES.get(hint) if isinstance(hint, type) else None
    return {} if word is None else {"type": word}
