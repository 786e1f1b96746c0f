"""A tool of the belt: whatever goes wrong in it is a result, and only stopping it stops it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import date
from pathlib import Path

import pytest

from assent.hosts.chat.belt import schema
from assent.hosts.chat.belt.arguments import Arguments
from assent.hosts.chat.belt.clip import clip, listed
from assent.hosts.chat.belt.context import Context
from assent.hosts.chat.belt.fault import FaultError
from assent.hosts.chat.belt.schema import issues
from assent.hosts.chat.belt.tool import BeltTool, Result, belt_tool
from tests.hosts.chat.belt.scene import a_context, limited, told, workspace


def a_tool(work: Callable[[], Awaitable[Result]], seconds: float | None = None) -> BeltTool:
    async def entered(args: Arguments, context: Context) -> Result:
        return await work()

    tool = belt_tool("list_nodes", "", schema.record({}, {"key": schema.text("")}))
    return BeltTool(tool=tool, work=entered, seconds=seconds)


async def test_a_crash_is_a_result_and_says_nothing_of_the_arguments_anywhere(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def crash() -> Result:
        raise ValueError("canary-argument")

    with caplog.at_level(logging.DEBUG):
        result = await a_tool(crash).run({"key": "canary-argument"}, a_context(workspace(tmp_path)))

    assert told(result) == (False, "`list_nodes` crashed: ValueError")
    assert "tool `list_nodes` crashed: ValueError" in caplog.text
    assert "canary-argument" not in caplog.text


async def test_a_result_that_is_too_deep_to_be_told_is_a_crash_and_no_more(tmp_path: Path) -> None:
    async def dig() -> Result:
        data: dict[str, object] = {}
        for _ in range(100_000):
            data = {"deeper": data}
        return Result(text="", data=data)

    result = await a_tool(dig).run({}, a_context(workspace(tmp_path)))

    assert told(result) == (False, "`list_nodes` crashed: RecursionError")


async def test_a_tool_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    ended = asyncio.Event()

    async def sleep() -> Result:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()
        raise AssertionError

    result = await a_tool(sleep).run({}, a_context(workspace(tmp_path), limits=limited(seconds=0.05)))

    assert told(result) == (False, "`list_nodes` took longer than 0.05 seconds and was ended")
    assert ended.is_set()


async def test_stopping_is_not_a_result(tmp_path: Path) -> None:
    async def sleep() -> Result:
        await asyncio.sleep(60)
        raise AssertionError

    running = asyncio.create_task(a_tool(sleep).run({}, a_context(workspace(tmp_path))))
    await asyncio.sleep(0)
    running.cancel()

    with pytest.raises(asyncio.CancelledError):
        await running


async def test_a_fault_and_wrong_arguments_are_told_and_the_body_is_not_entered_for_those(
    tmp_path: Path,
) -> None:
    entered: list[bool] = []

    async def fault() -> Result:
        entered.append(True)
        raise FaultError("the ink is out")

    tool, context = a_tool(fault), a_context(workspace(tmp_path))

    assert told(await tool.run({}, context)) == (False, "the ink is out")
    assert told(await tool.run({"key": 1}, context)) == (
        False,
        "the arguments are not valid: key must be a text",
    )
    assert entered == [True]


async def test_a_long_result_keeps_both_ends(tmp_path: Path) -> None:
    async def speak() -> Result:
        return Result(text="a" * 50 + "z" * 50)

    result = await a_tool(speak).run({}, a_context(workspace(tmp_path), limits=limited(characters=40)))

    assert result.text == "a" * 30 + "\n… 60 more characters …\n" + "z" * 10


async def test_who_talks_for_ever_is_not_heard_for_ever(tmp_path: Path) -> None:
    heard: list[str] = []

    async def progress(text: str) -> None:
        heard.append(text)

    async def talk(args: Arguments, context: Context) -> Result:
        for _ in range(1_000):
            await context.progress("abc")
        return Result(text="done")

    tool = BeltTool(tool=belt_tool("list_nodes", "", schema.record({})), work=talk)
    await tool.run({}, a_context(workspace(tmp_path), limits=limited(characters=10), progress=progress))

    assert heard == ["abc", "abc", "abc", "a"]


async def test_whatever_a_tool_came_across_can_be_kept_and_sent_as_json(tmp_path: Path) -> None:
    async def speak() -> Result:
        data = {"\ud800": ["a\0", float("nan"), date(2026, 1, 31), {"b": None, "c": True, "d": 1.5}]}
        return Result(text="x\udcffy\0z", data=data)

    result = await a_tool(speak).run({}, a_context(workspace(tmp_path)))

    assert result.text == "x?y␀z"
    assert result.data == {"?": ["a␀", "nan", "2026-01-31", {"b": None, "c": True, "d": 1.5}]}


def test_clipping_says_what_is_missing() -> None:
    assert clip("abc", 3) == "abc"
    assert listed(["a", "b", "c"], 2, "files") == "a\nb\n… 1 more files"
    assert listed(["a"], 2) == "a"


SCHEMA = schema.record(
    {"name": schema.text("", minLength=1)},
    {
        "count": schema.number("", least=1, most=3),
        "on": schema.flag(""),
        "items": schema.items("", schema.record({"of": {"type": "number"}}), maxItems=1),
        "any": schema.anything(""),
        "kind": schema.text("", enum=["a", "b"]),
    },
)


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        ({"name": "x", "count": 3, "on": True, "items": [{"of": 1.5}], "any": None, "kind": "a"}, []),
        ({"name": "x", "count": 2.0}, []),
        ({}, ["name is missing"]),
        ({"name": ""}, ["name must be at least 1"]),
        ({"name": "x", "count": 0}, ["count must be at least 1"]),
        ({"name": "x", "count": 4}, ["count must be at most 3"]),
        ({"name": "x", "count": True}, ["count must be a whole number"]),
        ({"name": "x", "count": 1.5}, ["count must be a whole number"]),
        ({"name": "x", "on": 1}, ["on must be true or false"]),
        ({"name": "x", "items": [{"of": "1"}]}, ["items[0].of must be a number"]),
        ({"name": "x", "items": [{"of": float("nan")}]}, ["items[0].of must be a number"]),
        ({"name": "x", "items": [{"of": 1}, {"of": 2}]}, ["items must be at most 1"]),
        ({"name": "x", "kind": "c"}, ['kind must be one of "a", "b"']),
        ({"name": "x", "more": 1}, ["more is not a parameter"]),
        ({"name": None}, ["name must be a text"]),
        ([], ["arguments must be an object"]),
        ({"name": "x", **{str(n): n for n in range(50)}}, [f"{n} is not a parameter" for n in range(10)]),
    ],
)
def test_each_thing_wrong_with_arguments_is_named(value: object, wrong: list[str]) -> None:
    assert [f"{issue.path} {issue.message}" for issue in issues(SCHEMA, value)] == wrong


@pytest.mark.parametrize("take", ["text", "number", "items", "record"])
def test_an_argument_of_another_kind_is_a_fault_even_without_a_schema(take: str) -> None:
    args = Arguments({"key": object()})

    with pytest.raises(FaultError, match="`key` must be"):
        getattr(args, take)("key", 1) if take == "number" else getattr(args, take)("key")
