"""What came of a piece goes to whoever waits for it, if somebody still does."""

import asyncio

from assent.errors import ConflictError
from assent.stores.sql.batch import BatchResult, Edit, Job, deliver_results, resolve_flushes
from assent.stores.sql.policy_edits import EditResult


async def test_results_and_errors_reach_their_own_callers() -> None:
    loop = asyncio.get_running_loop()
    futures: list[asyncio.Future[object]] = [loop.create_future() for _ in range(3)]
    futures[2].cancel()
    jobs = [Job(Edit(lambda _, __: EditResult()), future) for future in futures]

    deliver_results(jobs, BatchResult(["done", ConflictError("no"), "too late"]))

    results = await asyncio.gather(*futures, return_exceptions=True)
    assert [type(result) for result in results] == [str, ConflictError, asyncio.CancelledError]


async def test_those_who_wait_for_the_audit_are_told_once() -> None:
    loop = asyncio.get_running_loop()
    waiting, gone = loop.create_future(), loop.create_future()
    gone.cancel()

    resolve_flushes([waiting, gone])

    assert waiting.done()
