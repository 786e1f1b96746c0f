"""Guarding functions: each call of one is decided before its body is entered."""

import asyncio
import inspect
from collections.abc import Callable, Mapping
from typing import get_type_hints

from assent.engine.model import Dialect, Tool, parse_dialect, parse_effect
from assent.errors import AssentError, InputError
from assent.gate.outcome import Refuse

_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}


class RefusedError(AssentError):
    """A call that does not run; what to tell whoever made it."""

    def __init__(self, refusal: Refuse) -> None:
        super().__init__(refusal.told)
        self.refusal = refusal


def tool_of(
    function: Callable[..., object],
    *,
    effect: str | None,
    name: str | None = None,
    dialect: str = Dialect.TEXT,
    template: str | None = None,
) -> Tool:
    """A function as a tool: its name, its docstring, its parameters."""
    return Tool(
        name=name or function.__name__,
        effect=parse_effect(effect),
        dialect=parse_dialect(dialect),
        template=template,
        description=inspect.getdoc(function) or "",
        parameters=_schema(function),
    )


def arguments(
    function: Callable[..., object], args: tuple[object, ...], kwargs: Mapping[str, object]
) -> dict[str, object]:
    """The arguments of a call by name, defaults included, as they will be decided and run."""
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except TypeError as error:
        raise InputError(f"`{function.__name__}` cannot be called so: {error}") from None
    bound.apply_defaults()
    return dict(bound.arguments)


async def invoke(function: Callable[..., object], args: Mapping[str, object]) -> object:
    """Enter a function's body with these arguments; one that blocks goes to a thread."""
    if inspect.iscoroutinefunction(function):
        return await function(**args)
    result = await asyncio.to_thread(function, **args)
    # A partial or an object may be async without looking like it.
    return await result if inspect.isawaitable(result) else result


def _schema(function: Callable[..., object]) -> dict[str, object]:
    hints = _hints(function)
    parameters = inspect.signature(function).parameters
    for one in parameters.values():
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD, one.POSITIONAL_ONLY):
            raise InputError(f"`{function.__name__}` cannot be guarded: `{one}` has no name to show a person")
    return {
        "type": "object",
        "properties": {name: _type(hints.get(name)) for name in parameters},
        "required": [name for name, one in parameters.items() if one.default is one.empty],
    }


def _hints(function: Callable[..., object]) -> dict[str, object]:
    try:
        return get_type_hints(function)
    except (NameError, TypeError):  # Named for type checkers only, or not a plain function.
        return {}


def _type(hint: object) -> dict[str, str]:
    word = _TYPES.get(hint) if isinstance(hint, type) else None
    return {} if word is None else {"type": word}
