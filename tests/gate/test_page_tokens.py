"""Page tokens: the scope of a token, and who may make one."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from assent.errors import InputError, NotFoundError
from assent.gate.conversation import Conversation
from assent.gate.page_tokens import PageScope, check_scope_origins, find_owner, read_scope, save_scope
from tests.gate.samples import ADA, ANA, BEN
from tests.gate.scene import GateHarness, open_harness

SCOPE = PageScope("c1", ("https://crm.example", "http://127.0.0.1:5173"))


@pytest.fixture(params=["memory", "sqlite"])
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[GateHarness]:
    return open_harness(request.param, tmp_path)


async def test_a_token_without_a_scope_allows_nothing(harness: GateHarness) -> None:
    await save_scope(harness.store, "t1", SCOPE, by="ana")

    assert await read_scope(harness.store, "t1") == SCOPE
    assert await read_scope(harness.store, "t2") is None


async def test_the_owner_and_administrators_make_a_token_for_the_owner(harness: GateHarness) -> None:
    await harness.store.save_conversation(
        Conversation(id="c9", owner="ana", preset="workbench", mode="default")
    )

    assert [await find_owner(harness.store, one, "c9") for one in (ANA, ADA)] == ["ana", "ana"]
    for principal, conversation in ((BEN, "c9"), (ADA, "unknown")):
        with pytest.raises(NotFoundError):
            await find_owner(harness.store, principal, conversation)


def test_origins_are_exact_and_come_once() -> None:
    assert check_scope_origins((*SCOPE.origins, SCOPE.origins[0])) == SCOPE.origins
    for wrong in ((), ("https://a.example/",), ("null",), ("*",), ("https://a.example",) * 11):
        with pytest.raises(InputError):
            check_scope_origins(wrong)
