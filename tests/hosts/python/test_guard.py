"""Functions as tools: what a person sees of one, and how it is called."""

import functools
import threading
from typing import TYPE_CHECKING

import pytest

from assent.engine.base.tool import Dialect, Effect, Tool
from assent.errors import InputError, UnknownWordError
from assent.gate.calls import Code, Refuse
from assent.hosts.python.host import RefusedError, bind_arguments, call_function, to_tool

if TYPE_CHECKING:
    from decimal import Decimal


def put(key: str, value: int = 1, *, tags: list[str] | None = None, loud: bool = False) -> str:
    """Put a value under a key."""
    return f"{key}={value}"


def pay_amount(amount: "Decimal") -> None:
    """A function whose annotation exists only for type checkers."""


class AwaitableDoubler:
    """An object whose call returns an awaitable without being a coroutine function."""

    async def __call__(self, number: int) -> int:
        return number * 2


def test_the_tool_of_a_function_has_its_name_description_and_parameters() -> None:
    assert to_tool(put, effect="write") == Tool(
        name="put",
        effect=Effect.WRITE,
        description="Put a value under a key.",
        parameters={
            "type": "object",
            "properties": {
                "key": {"type": "string"},
                "value": {"type": "integer"},
                "tags": {},
                "loud": {"type": "boolean"},
            },
            "required": ["key"],
        },
    )


def test_a_function_without_an_effect_is_external() -> None:
    assert to_tool(put, effect=None).effect is Effect.EXTERNAL


@pytest.mark.proves("R001-42")
@pytest.mark.parametrize("effect", ["harmless", "READ", "", "mutate"])
def test_an_unknown_effect_is_refused(effect: str) -> None:
    with pytest.raises(UnknownWordError, match="unknown effect"):
        to_tool(put, effect=effect)


def test_a_dialect_and_a_template_are_kept_and_an_unknown_dialect_is_refused() -> None:
    tool = to_tool(put, effect="execute", name="sh", dialect="shell", template="{key}")

    assert (tool.name, tool.dialect, tool.template) == ("sh", Dialect.SHELL, "{key}")
    with pytest.raises(UnknownWordError, match="unknown dialect"):
        to_tool(put, effect="execute", dialect="fish")


def test_annotations_that_cannot_be_resolved_are_omitted() -> None:
    assert to_tool(pay_amount, effect="write").parameters["properties"] == {"amount": {}}


def test_a_function_with_unnamed_parameters_cannot_be_guarded() -> None:
    def many(*keys: str) -> None: ...

    def accept_keyword_arguments(**words: str) -> None: ...

    def first(key: str, /) -> None: ...

    for function in (many, accept_keyword_arguments, first):
        with pytest.raises(InputError, match="cannot be guarded"):
            to_tool(function, effect="read")


def test_arguments_are_shown_by_name_with_their_defaults() -> None:
    assert bind_arguments(put, ("a",), {"loud": True}) == {"key": "a", "value": 1, "tags": None, "loud": True}


@pytest.mark.parametrize(("args", "kwargs"), [((), {}), (("a", 1, 2), {}), (("a",), {"what": 1})])
def test_a_call_with_wrong_arguments_is_refused_before_a_person_is_asked(
    args: tuple[object, ...], kwargs: dict[str, object]
) -> None:
    with pytest.raises(InputError, match="`put` cannot be called so"):
        bind_arguments(put, args, kwargs)


async def test_a_sync_function_runs_in_a_thread_and_an_async_function_does_not() -> None:
    def sync_function(x: int) -> tuple[int, int]:
        return x, threading.get_ident()

    async def async_function(x: int) -> tuple[int, int]:
        return x, threading.get_ident()

    here = threading.get_ident()
    _, there = await call_function(sync_function, {"x": 1})  # type: ignore[misc]
    assert there != here
    assert await call_function(async_function, {"x": 2}) == (2, here)


async def test_an_awaitable_from_a_callable_object_is_awaited() -> None:
    assert await call_function(AwaitableDoubler(), {"number": 2}) == 4
    assert await call_function(functools.partial(AwaitableDoubler(), number=3), {}) == 6


def test_a_refusal_contains_our_message_and_the_reason_of_the_person() -> None:
    silent = RefusedError(Refuse(code=Code.DENIED, message="a person denied this call"))
    told = RefusedError(Refuse(code=Code.DENIED, message="a person denied this call", reason="too dear"))

    assert str(silent) == "a person denied this call"
    assert str(told) == 'a person denied this call (they said: "too dear")'
    assert told.refusal.reason == "too dear"
