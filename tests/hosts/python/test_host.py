"""A Python program behind the gate: an allowed function runs once, and a refused one never runs."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

import assent
from assent.engine.base.tool import Call
from assent.errors import InputError, StoreError
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval, State
from assent.gate.calls import Code, Run
from assent.gate.gate import TurnOptions
from assent.gate.store import ApprovalFilter
from assent.hosts.python.host import Host
from tests.gate.samples import ANA
from tests.gate.scene import DENY, ONCE, PUT, GateHarness, open_harness
from tests.waiting import wait_for_waiting_callers


class Program:
    """A host and its principal, who answers as the test needs."""

    def __init__(self, scene: GateHarness) -> None:
        self.scene = scene
        self.host = Host(scene.gate, ANA)
        self.entered: list[object] = []

    async def wait_for_question(self) -> Approval:
        await wait_for_waiting_callers(self.scene.store)
        return (await self.host.gate.pending_approvals(ANA)).approvals[0]

    async def run_and_answer(self, calling: Awaitable[object], answer: Answer) -> object:
        task = asyncio.ensure_future(calling)
        question = await self.wait_for_question()
        await self.host.gate.answer(ANA, question.id, question.digest, answer)
        return await task

    async def stored_states(self) -> list[State]:
        every = await self.scene.store.approvals(ApprovalFilter())
        return [one.state for one in every.approvals]


@asynccontextmanager
async def open_host_program() -> AsyncGenerator[Program]:
    async with open_harness() as scene:
        yield Program(scene)


@pytest.fixture
def program() -> AbstractAsyncContextManager[Program]:
    return open_host_program()


def make_guarded_put(
    program: Program, effect: str = "write", fails: BaseException | None = None
) -> Callable[..., Awaitable[str]]:
    @program.host.guard(effect=effect)
    async def put(key: str, value: int = 1) -> str:
        """Put a value."""
        program.entered.append((key, value))
        if fails is not None:
            raise fails
        return f"{key}={value}"

    return put


@pytest.mark.proves("R000-16")
async def test_a_function_runs_only_after_approval(program: Program) -> None:
    put = make_guarded_put(program)
    calling = asyncio.ensure_future(put("a", value=2))
    question = await program.wait_for_question()

    assert (program.entered, question.call.args) == ([], {"key": "a", "value": 2})
    await program.host.gate.answer(ANA, question.id, question.digest, ONCE)
    assert await calling == "a=2"
    assert (program.entered, await program.stored_states()) == ([("a", 2)], [State.DONE])


@pytest.mark.proves("R000-21")
async def test_a_denial_raises_its_reason_and_the_function_does_not_run(program: Program) -> None:
    put = make_guarded_put(program)

    with pytest.raises(assent.RefusedError, match=r'they said: "not today"') as run_and_expect_error:
        await program.run_and_answer(put("a"), replace(DENY, reason="not today"))

    assert (run_and_expect_error.value.refusal.code, program.entered) == (Code.DENIED, [])


async def test_a_read_runs_without_a_question(program: Program) -> None:
    put = make_guarded_put(program, effect="read")

    assert await put("a") == "a=1"
    assert await program.stored_states() == []


async def test_the_arguments_edited_by_a_person_are_used(program: Program) -> None:
    put = make_guarded_put(program)

    assert await program.run_and_answer(put("a"), replace(ONCE, args={"key": "b", "value": 9})) == "b=9"
    assert program.entered == [("b", 9)]


async def test_edited_arguments_that_do_not_fit_fail_once_and_the_function_does_not_run(
    program: Program,
) -> None:
    put = make_guarded_put(program)

    with pytest.raises(TypeError):
        await program.run_and_answer(put("a"), replace(ONCE, args={"wrong": 1}))
    assert (program.entered, await program.stored_states()) == ([], [State.FAILED])


@pytest.mark.parametrize("error", [ValueError("a secret"), asyncio.CancelledError(), KeyboardInterrupt()])
async def test_a_failure_is_reported_with_the_error_class_only(
    program: Program, error: BaseException
) -> None:
    put = make_guarded_put(program, fails=error)

    async def run_and_expect_error() -> str:
        with pytest.raises(type(error)):
            await put("a")
        return "as it should"

    assert await program.run_and_answer(run_and_expect_error(), ONCE) == "as it should"
    (left,) = (await program.scene.store.approvals(ApprovalFilter())).approvals
    assert (left.state, left.note) == (State.FAILED, type(error).__name__)


@pytest.mark.proves("R000-45")
async def test_a_call_cancelled_while_waiting_is_withdrawn_and_never_runs(
    program: Program,
) -> None:
    put = make_guarded_put(program)
    calling = asyncio.ensure_future(put("a"))
    await program.wait_for_question()

    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling

    assert (program.entered, await program.stored_states()) == ([], [State.WITHDRAWN])


async def test_a_failed_report_does_not_hide_the_result(
    program: Program, caplog: pytest.LogCaptureFixture
) -> None:
    put = make_guarded_put(program)
    report = program.host.gate.report

    async def raise_error(*given: object, **words: object) -> Approval:
        raise StoreError("the disk is full: make room")

    program.host.gate.report = raise_error  # type: ignore[method-assign]
    with caplog.at_level(logging.WARNING):
        assert await program.run_and_answer(put("a"), ONCE) == "a=1"
    program.host.gate.report = report  # type: ignore[method-assign]

    assert "the disk is full: make room" in caplog.text
    assert await program.stored_states() == [State.RUNNING]


async def test_arguments_that_are_not_json_are_refused(program: Program) -> None:
    put = make_guarded_put(program, effect="read")

    with pytest.raises(InputError, match="not JSON"):
        await put(Path("a"))
    assert program.entered == []


@pytest.mark.proves("T-3")
async def test_a_list_changed_during_the_wait_runs_as_it_was_shown(program: Program) -> None:
    @program.host.guard(effect="write")
    async def send(to: list[str]) -> list[str]:
        return to

    people = ["ana"]
    calling = asyncio.ensure_future(send(people))
    question = await program.wait_for_question()
    people.append("eve")
    await program.host.gate.answer(ANA, question.id, question.digest, ONCE)

    assert await calling == ["ana"]


async def test_two_different_functions_cannot_have_the_same_name(program: Program) -> None:
    make_guarded_put(program, effect="destructive")

    with pytest.raises(InputError, match="give it a `name`"):
        make_guarded_put(program, effect="read")
    again = make_guarded_put(program, effect="destructive")
    with pytest.raises(assent.RefusedError):
        await program.run_and_answer(again("a"), DENY)


async def test_an_invalid_tool_name_is_refused_by_guard(program: Program) -> None:
    with pytest.raises(InputError, match="tool name"):
        program.host.guard(effect="read", name="put it")(lambda: None)


# ---- turns ----------------------------------------------------------------------------------


@pytest.mark.proves("R000-43", "T-31")
async def test_an_inner_turn_is_limited_by_the_outer_turn(program: Program) -> None:
    put = make_guarded_put(program)

    async with (
        program.host.turn("lead", conversation="c1", opening=TurnOptions(mode="plan")),
        program.host.turn("worker", opening=TurnOptions(mode="auto")) as below,
    ):
        assert (below.context.lineage, below.context.conversation.id) == (("lead",), "c1")
        with pytest.raises(assent.RefusedError) as run_and_expect_error:
            await put("a")
    async with program.host.turn("worker", conversation="c1", opening=TurnOptions(mode="auto")):
        assert await put("a") == "a=1"

    assert run_and_expect_error.value.refusal.code is Code.PLAN


async def test_concurrent_turns_do_not_mix(program: Program) -> None:
    put = make_guarded_put(program)

    async def run(agent: str, mode: str) -> str:
        async with program.host.turn(agent, conversation=agent, opening=TurnOptions(mode=mode)):
            await asyncio.sleep(0)
            try:
                return await put("a")
            except assent.RefusedError as error:
                return error.refusal.code

    found = await asyncio.gather(run("lead", "auto"), run("cook", "plan"), run("clerk", "auto"))

    assert found == ["a=1", "blocked_in_plan_mode", "a=1"]


async def test_the_questions_of_a_turn_are_withdrawn_at_its_end(program: Program) -> None:
    async with program.host.turn("clerk", conversation="c1") as turn:
        await turn.submit(PUT)

    assert await program.stored_states() == [State.WITHDRAWN]


async def test_the_same_call_by_the_same_id_runs_once(program: Program) -> None:
    call = Call(tool="note.put", args={"key": "a"}, id="call-1", agent="clerk", conversation="c1")

    first = await program.run_and_answer(program.host.check(call), ONCE)
    again = await program.host.check(call)

    assert isinstance(first, Run)
    assert getattr(again, "code", None) is Code.ALREADY_RUN


async def test_the_model_sees_guarded_functions(program: Program) -> None:
    make_guarded_put(program)

    assert "put" in {tool.name for tool in await program.host.visible_tools()}


# ---- opening --------------------------------------------------------------------------------


async def test_a_program_opens_a_gate_with_assent_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("home", "project"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home/.config"))
    monkeypatch.chdir(tmp_path / "project")

    async with assent.open("assent.db", principal=ANA) as host:

        @host.guard(effect="write")
        def put(key: str) -> str:
            return key

        calling = asyncio.ensure_future(put("a"))
        await wait_for_waiting_callers(host.gate.store)
        question = (await host.gate.pending_approvals(ANA)).approvals[0]
        await host.gate.answer(ANA, question.id, question.digest, Answer(say=Say.ALWAYS))
        assert (await calling, await put("a")) == ("a", "a")

    async with assent.open("assent.db", principal=ANA) as again:
        again.guard(effect="write")(put.__wrapped__)  # type: ignore[attr-defined]
        assert isinstance(await again.check(Call(tool="put", args={"key": "a"})), Run)


def test_the_package_exports_only_the_documented_names() -> None:
    assert assent.Call is Call
    with pytest.raises(AttributeError, match="has no attribute `anything`"):
        _ = assent.anything  # type: ignore[attr-defined]
