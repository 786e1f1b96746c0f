"""A tool of the chat: every error in it is a failed result, and only cancelling stops it."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path

import pytest

from assent.compose import open_gate
from assent.engine.base.tool import Call
from assent.gate.access import Principal
from assent.gate.approval import State
from assent.gate.calls import Applied, Code, Refuse, Wait
from assent.gate.gate import Gate, TurnOptions
from assent.gate.turn import Turn
from assent.hosts.chat.tools import schema
from assent.hosts.chat.tools.file_changes import apply_change_tool, write_file_tool
from assent.hosts.chat.tools.file_reading import read_file_tool
from assent.hosts.chat.tools.text import clip_lines, clip_text
from assent.hosts.chat.tools.tool import (
    Arguments,
    ChatTool,
    ToolContext,
    ToolError,
    ToolResult,
    define_tool,
    proposal_runner,
)
from tests.hosts.chat.tools.support import ANA, make_context, make_limits, succeeded_and_text, workspace
from tests.waiting import run_ready_tasks


def make_tool(work: Callable[[], Awaitable[ToolResult]], seconds: float | None = None) -> ChatTool:
    async def run_work(args: Arguments, context: ToolContext) -> ToolResult:
        return await work()

    tool = define_tool("list_nodes", "", schema.object_schema({}, {"key": schema.string_schema("")}))
    return ChatTool(tool=tool, work=run_work, seconds=seconds)


async def test_a_crash_becomes_a_result_without_arguments(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def raise_error() -> ToolResult:
        raise ValueError("canary-argument")

    with caplog.at_level(logging.DEBUG):
        result = await make_tool(raise_error).run_call(
            {"key": "canary-argument"}, make_context(workspace(tmp_path))
        )

    assert succeeded_and_text(result) == (False, "`list_nodes` crashed: ValueError")
    assert "tool `list_nodes` crashed: ValueError" in caplog.text
    assert "canary-argument" not in caplog.text


async def test_a_result_too_deep_for_json_is_a_failed_result(tmp_path: Path) -> None:
    async def recurse_deeply() -> ToolResult:
        data: dict[str, object] = {}
        for _ in range(100_000):
            data = {"deeper": data}
        return ToolResult(text="", data=data)

    result = await make_tool(recurse_deeply).run_call({}, make_context(workspace(tmp_path)))

    assert succeeded_and_text(result) == (False, "`list_nodes` crashed: RecursionError")


async def test_a_tool_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    ended = asyncio.Event()

    async def sleep() -> ToolResult:
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()
        raise AssertionError

    result = await make_tool(sleep).run_call(
        {}, make_context(workspace(tmp_path), limits=make_limits(seconds=0.05))
    )

    assert succeeded_and_text(result) == (False, "`list_nodes` took longer than 0.05 seconds and was ended")
    assert ended.is_set()


async def test_cancelling_a_tool_is_not_a_result(tmp_path: Path) -> None:
    async def sleep() -> ToolResult:
        await asyncio.sleep(60)
        raise AssertionError

    running = asyncio.create_task(make_tool(sleep).run_call({}, make_context(workspace(tmp_path))))
    await run_ready_tasks()
    running.cancel()

    with pytest.raises(asyncio.CancelledError):
        await running


async def test_a_tool_error_is_reported_and_wrong_arguments_do_not_run_the_tool(
    tmp_path: Path,
) -> None:
    run_work: list[bool] = []

    async def raise_fault() -> ToolResult:
        run_work.append(True)
        raise ToolError("the ink is out")

    tool, context = make_tool(raise_fault), make_context(workspace(tmp_path))

    assert succeeded_and_text(await tool.run_call({}, context)) == (False, "the ink is out")
    assert succeeded_and_text(await tool.run_call({"key": 1}, context)) == (
        False,
        "the arguments are not valid: key must be a text",
    )
    assert run_work == [True]


async def test_a_long_result_keeps_both_ends(tmp_path: Path) -> None:
    async def return_text() -> ToolResult:
        return ToolResult(text="a" * 50 + "z" * 50)

    result = await make_tool(return_text).run_call(
        {}, make_context(workspace(tmp_path), limits=make_limits(characters=40))
    )

    assert result.text == "a" * 30 + "\n… 60 more characters …\n" + "z" * 10


async def test_endless_progress_is_limited(tmp_path: Path) -> None:
    heard: list[str] = []

    async def record_progress(text: str) -> None:
        heard.append(text)

    async def report_progress(args: Arguments, context: ToolContext) -> ToolResult:
        for _ in range(1_000):
            await context.progress("abc")
        return ToolResult(text="done")

    tool = ChatTool(tool=define_tool("list_nodes", "", schema.object_schema({})), work=report_progress)
    await tool.run_call(
        {}, make_context(workspace(tmp_path), limits=make_limits(characters=10), progress=record_progress)
    )

    assert heard == ["abc", "abc", "abc", "a"]


async def test_every_tool_result_can_be_stored_and_sent_as_json(tmp_path: Path) -> None:
    async def return_text() -> ToolResult:
        data = {"\ud800": ["a\0", float("nan"), date(2026, 1, 31), {"b": None, "c": True, "d": 1.5}]}
        return ToolResult(text="x\udcffy\0z", data=data)

    result = await make_tool(return_text).run_call({}, make_context(workspace(tmp_path)))

    assert result.text == "x?y␀z"
    assert result.data == {"?": ["a␀", "nan", "2026-01-31", {"b": None, "c": True, "d": 1.5}]}


def test_a_clipped_text_names_the_size_of_the_missing_part() -> None:
    assert clip_text("abc", 3) == "abc"
    assert clip_lines(["a", "b", "c"], 2, "files") == "a\nb\n… 1 more files"
    assert clip_lines(["a"], 2) == "a"


@pytest.mark.parametrize("take", ["get_text", "get_number", "get_list", "get_object"])
def test_an_argument_of_the_wrong_type_is_an_error_even_without_a_schema(take: str) -> None:
    args = Arguments({"key": object()})

    with pytest.raises(ToolError, match="`key` must be"):
        getattr(args, take)("key", 1) if take == "get_number" else getattr(args, take)("key")


CHANGE = Call(
    tool="apply_change", args={"path": "a.json", "changes": [{"field": "version", "before": 1, "after": 2}]}
)


class ToolSession:
    """A gate that proposes the changes of tools."""

    def __init__(self, gate: Gate, root: Path, used: list[str]) -> None:
        self.gate = gate
        self.file = root / "a.json"
        self.used = used

    async def turn(self, mode: str = "approve") -> Turn:
        return await self.gate.begin(
            ANA, conversation=f"c-{mode}", agent="chat", options=TurnOptions(preset="propose", mode=mode)
        )


@asynccontextmanager
async def open_tool_session(root: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[ToolSession]:
    monkeypatch.setenv("HOME", str(root.parent / "home"))
    (root / "a.json").write_text('{"version": 1}\n', "utf-8")
    used: list[str] = []

    def create_context(principal: Principal, call: Call) -> ToolContext:
        used.append(principal.id)
        return make_context(root, principal=principal)

    async with open_gate(":memory:", cwd=str(root), preset="propose") as gate:
        tools = [write_file_tool(), apply_change_tool()]
        runners = {
            tool.name: found for tool in tools if (found := proposal_runner(tool, create_context)) is not None
        }
        gate.offer(*(tool.declared_tool for tool in [*tools, read_file_tool()]), runners=runners)
        yield ToolSession(gate, root, used)


@pytest.mark.supports("R001-23")
@pytest.mark.proves("R001-4", "R001-12", "R001-30")
async def test_a_card_shows_before_and_after_and_only_applying_it_changes_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_tool_session(workspace(tmp_path), monkeypatch) as session:
        card = await (await session.turn()).submit(CHANGE)
        assert isinstance(card, Wait)
        before = session.file.read_text("utf-8")
        applied = await session.gate.apply_proposal(ANA, card.token)

        assert isinstance(applied, Applied)
        assert isinstance(applied.result, ToolResult)
        assert applied.approval.state is State.DONE
        assert (card.approval.preview or {})["details"]["fields"] == [  # type: ignore[index]
            {"field": "version", "before": 1, "after": 2}
        ]
        assert (before, session.file.read_text("utf-8")) == ('{"version": 1}\n', '{"version": 2}\n')
        assert set(session.used) == {"ana"}


@pytest.mark.proves("R001-5", "R001-9")
async def test_in_auto_mode_a_proposal_is_applied_immediately(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_tool_session(workspace(tmp_path), monkeypatch) as session:
        applied = await (await session.turn("auto")).submit(CHANGE)

        assert isinstance(applied, Applied)
        assert (applied.approval.preview or {})["summary"] == "change a.json: +1 -1 lines"
        assert session.file.read_text("utf-8") == '{"version": 2}\n'


@pytest.mark.proves("R001-44")
async def test_a_card_whose_file_changed_meanwhile_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Call(tool="write_file", args={"path": "a.json", "content": "{}"})
    async with open_tool_session(workspace(tmp_path), monkeypatch) as session:
        card = await (await session.turn()).submit(other)
        assert isinstance(card, Wait)
        session.file.write_text('{"version": 7}\n', "utf-8")
        refused = await session.gate.apply_proposal(ANA, card.token)

        assert isinstance(refused, Refuse)
        assert "the state that it would change has changed" in refused.message
        assert session.file.read_text("utf-8") == '{"version": 7}\n'


async def test_a_card_with_binary_data_or_a_date_can_be_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = workspace(tmp_path)
    (root / "latin.txt").write_bytes(b"caf\xe9\0\n")
    (root / "c.toml").write_text("day = 2026-01-31\nsize = inf\n", "utf-8")
    dated = [{"field": "day", "after": "later"}, {"field": "size", "after": 1}]
    async with open_tool_session(root, monkeypatch) as session:
        turn = await session.turn()
        latin = await turn.submit(Call(tool="write_file", args={"path": "latin.txt", "content": "cafe"}))
        toml = await turn.submit(Call(tool="apply_change", args={"path": "c.toml", "changes": dated}))
        assert isinstance(latin, Wait)
        assert isinstance(toml, Wait)
        await session.gate.apply_proposal(ANA, latin.token)
        await session.gate.apply_proposal(ANA, toml.token)

        json.dumps([latin.approval.preview, toml.approval.preview], allow_nan=False).encode()
        assert (root / "latin.txt").read_bytes() == b"cafe"
        assert (root / "c.toml").read_text("utf-8") == 'day = "later"\nsize = 1\n'


@pytest.mark.proves("R001-24")
async def test_an_invalid_proposal_is_returned_to_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stale = Call(tool="apply_change", args={"path": "a.json", "changes": [{"field": "version", "before": 9}]})
    async with open_tool_session(workspace(tmp_path), monkeypatch) as session:
        turn = await session.turn()
        wrong = await turn.submit(stale)
        missing = await turn.submit(Call(tool="apply_change", args={"path": "a.json"}))
        corrected = await turn.submit(CHANGE)

        assert isinstance(wrong, Refuse)
        assert (wrong.code, wrong.issues[0].message) == (
            Code.INVALID,
            "`version` is 1, not 9: it has changed meanwhile",
        )
        assert isinstance(missing, Refuse)
        assert missing.issues[0] == ("changes", "is missing")
        assert isinstance(corrected, Wait)


async def test_a_proposal_that_fails_when_applied_is_recorded_as_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = workspace(tmp_path)
    run = proposal_runner(write_file_tool(), lambda principal, call: make_context(root, principal=principal))
    assert run is not None
    (root / "sub").mkdir()

    with pytest.raises(ToolError, match="is a directory"):
        await run.run(ANA, Call(tool="write_file", args={"path": "sub", "content": ""}))


@pytest.mark.proves("R001-22")
def test_a_tool_without_a_dry_run_cannot_be_proposed(tmp_path: Path) -> None:
    assert proposal_runner(read_file_tool(), lambda principal, call: make_context(tmp_path)) is None
