"""Propose and apply with real files: a card of before and after, applied once, or refused as stale."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from assent.compose import open_gate
from assent.engine.model import Call
from assent.gate.access import Principal
from assent.gate.approval import State
from assent.gate.gate import Gate, TurnOptions
from assent.gate.outcome import Applied, Code, Refuse, Wait
from assent.gate.turn import Turn
from assent.hosts.chat.belt.change import apply_change
from assent.hosts.chat.belt.context import Context
from assent.hosts.chat.belt.fault import FaultError
from assent.hosts.chat.belt.read import read_file
from assent.hosts.chat.belt.runner import runner
from assent.hosts.chat.belt.tool import Result
from assent.hosts.chat.belt.write import write_file
from tests.hosts.chat.belt.scene import ANA, a_context, workspace

CHANGE = Call(
    tool="apply_change", args={"path": "a.json", "changes": [{"field": "version", "before": 1, "after": 2}]}
)


class Desk:
    """A gate that proposes, with the belt's changing tools behind it."""

    def __init__(self, gate: Gate, root: Path, used: list[str]) -> None:
        self.gate = gate
        self.file = root / "a.json"
        self.used = used

    async def turn(self, mode: str = "approve") -> Turn:
        return await self.gate.begin(
            ANA, conversation=f"c-{mode}", agent="chat", options=TurnOptions(preset="propose", mode=mode)
        )


@asynccontextmanager
async def a_desk(root: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Desk]:
    monkeypatch.setenv("HOME", str(root.parent / "home"))
    (root / "a.json").write_text('{"version": 1}\n', "utf-8")
    used: list[str] = []

    def context_for(principal: Principal, call: Call) -> Context:
        used.append(principal.id)
        return a_context(root, principal=principal)

    async with open_gate(":memory:", cwd=str(root), preset="propose") as gate:
        tools = [write_file(), apply_change()]
        runners = {tool.name: found for tool in tools if (found := runner(tool, context_for)) is not None}
        gate.offer(*(tool.declared for tool in [*tools, read_file()]), runners=runners)
        yield Desk(gate, root, used)


@pytest.mark.proves("R001-4", "R001-12", "R001-23", "R001-30")
async def test_a_card_shows_before_and_after_and_only_applying_it_changes_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with a_desk(workspace(tmp_path), monkeypatch) as desk:
        card = await (await desk.turn()).submit(CHANGE)
        assert isinstance(card, Wait)
        before = desk.file.read_text("utf-8")
        applied = await desk.gate.apply(ANA, card.token)

        assert isinstance(applied, Applied)
        assert isinstance(applied.result, Result)
        assert applied.approval.state is State.DONE
        assert (card.approval.preview or {})["details"]["fields"] == [  # type: ignore[index]
            {"field": "version", "before": 1, "after": 2}
        ]
        assert (before, desk.file.read_text("utf-8")) == ('{"version": 1}\n', '{"version": 2}\n')
        assert set(desk.used) == {"ana"}


@pytest.mark.proves("R001-5", "R001-9")
async def test_in_auto_the_same_service_applies_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with a_desk(workspace(tmp_path), monkeypatch) as desk:
        applied = await (await desk.turn("auto")).submit(CHANGE)

        assert isinstance(applied, Applied)
        assert (applied.approval.preview or {})["summary"] == "change a.json: +1 -1 lines"
        assert desk.file.read_text("utf-8") == '{"version": 2}\n'


@pytest.mark.proves("R001-44")
async def test_a_card_whose_file_changed_meanwhile_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Call(tool="write_file", args={"path": "a.json", "content": "{}"})
    async with a_desk(workspace(tmp_path), monkeypatch) as desk:
        card = await (await desk.turn()).submit(other)
        assert isinstance(card, Wait)
        desk.file.write_text('{"version": 7}\n', "utf-8")
        refused = await desk.gate.apply(ANA, card.token)

        assert isinstance(refused, Refuse)
        assert "the state that it would change has changed" in refused.message
        assert desk.file.read_text("utf-8") == '{"version": 7}\n'


async def test_a_card_about_bytes_that_are_no_text_or_a_date_can_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = workspace(tmp_path)
    (root / "latin.txt").write_bytes(b"caf\xe9\0\n")
    (root / "c.toml").write_text("day = 2026-01-31\nsize = inf\n", "utf-8")
    dated = [{"field": "day", "after": "later"}, {"field": "size", "after": 1}]
    async with a_desk(root, monkeypatch) as desk:
        turn = await desk.turn()
        latin = await turn.submit(Call(tool="write_file", args={"path": "latin.txt", "content": "cafe"}))
        toml = await turn.submit(Call(tool="apply_change", args={"path": "c.toml", "changes": dated}))
        assert isinstance(latin, Wait)
        assert isinstance(toml, Wait)
        await desk.gate.apply(ANA, latin.token)
        await desk.gate.apply(ANA, toml.token)

        json.dumps([latin.approval.preview, toml.approval.preview], allow_nan=False).encode()
        assert (root / "latin.txt").read_bytes() == b"cafe"
        assert (root / "c.toml").read_text("utf-8") == 'day = "later"\nsize = 1\n'


@pytest.mark.proves("R001-24")
async def test_a_draft_that_cannot_work_goes_back_to_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stale = Call(tool="apply_change", args={"path": "a.json", "changes": [{"field": "version", "before": 9}]})
    async with a_desk(workspace(tmp_path), monkeypatch) as desk:
        turn = await desk.turn()
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


async def test_a_call_that_fails_when_it_is_applied_is_recorded_as_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = workspace(tmp_path)
    run = runner(write_file(), lambda principal, call: a_context(root, principal=principal))
    assert run is not None
    (root / "sub").mkdir()

    with pytest.raises(FaultError, match="is a directory"):
        await run.run(ANA, Call(tool="write_file", args={"path": "sub", "content": ""}))


@pytest.mark.proves("R001-22")
def test_a_tool_without_a_dry_run_cannot_be_proposed(tmp_path: Path) -> None:
    assert runner(read_file(), lambda principal, call: a_context(tmp_path)) is None
