"""A budget limits the calls of one principal in any time window, over all processes."""

import asyncio
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from assent.config.preset import load_preset
from assent.gate.access import Kind, Principal
from assent.gate.calls import Code, Refuse, Run
from assent.gate.preset import Budget
from assent.gate.turn import budget_key, check_budget
from assent.stores.memory.store import MemoryStore
from tests.gate.samples import ANA, BEN, CLERK
from tests.gate.scene import READ, GateHarness, open_harness
from tests.stores.promises.given import SetClock

TWO = Budget(calls=2, seconds=60)


@pytest.fixture(params=["memory", "sqlite"])
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[GateHarness]:
    return open_harness(request.param, tmp_path)


@pytest.mark.proves("R001-34")
def test_only_the_propose_preset_has_a_budget_by_default() -> None:
    names = ("assent", "chat", "propose", "fleet", "workbench", "tiers")

    assert {name: load_preset(name).budget for name in names if load_preset(name).budget} == {
        "propose": Budget(calls=60, seconds=60)
    }


@pytest.mark.proves("R001-34")
async def test_over_budget_a_call_is_refused_with_the_time_of_the_next_try(
    harness: GateHarness,
) -> None:
    turn = await harness.turn("propose")
    outcomes = [await turn.submit(replace(READ, id=f"read-{number}")) for number in range(61)]

    assert [type(one) for one in outcomes] == [Run] * 60 + [Refuse]
    refused = outcomes[-1]
    assert isinstance(refused, Refuse)
    assert refused.code is Code.LIMIT
    assert refused.retry_after is not None
    assert refused.message == (
        f"the budget of 60 calls in 60 s is used up: try again in {refused.retry_after} s"
    )
    harness.clock.advance(timedelta(seconds=refused.retry_after))
    assert isinstance(await turn.submit(replace(READ, id="later")), Run)


@pytest.mark.proves("R001-34", "T-41")
async def test_a_principal_over_its_budget_does_not_use_up_the_budget_of_another(
    harness: GateHarness,
) -> None:
    flood, other = (
        await harness.turn("propose"),
        await harness.turn("propose", conversation="c2", principal=BEN),
    )
    refused = [await flood.submit(replace(READ, id=f"read-{number}")) for number in range(80)][60:]

    assert {type(one) for one in refused} == {Refuse}
    assert isinstance(await other.submit(READ), Run)


async def test_without_a_budget_nothing_is_counted() -> None:
    store = MemoryStore(clock=SetClock())

    assert [await check_budget(store, ANA, None) for _ in range(100)] == [None] * 100


async def test_a_budget_applies_to_concurrent_calls() -> None:
    store = MemoryStore(clock=SetClock())

    refused = await asyncio.gather(*(check_budget(store, ANA, TWO) for _ in range(10)))

    assert sum(one is None for one in refused) == 2


def test_the_budget_key_differs_for_each_principal() -> None:
    others = [
        ANA,
        BEN,
        CLERK,
        replace(CLERK, on_behalf="ben"),
        Principal(id="clerk", kind=Kind.SERVICE, on_behalf="ana"),
        Principal(id="a", kind=Kind.AGENT, on_behalf="b:c"),
        Principal(id="c:a", kind=Kind.AGENT, on_behalf="b"),
    ]

    assert len({budget_key(one) for one in others}) == len(others)
