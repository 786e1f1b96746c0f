"""Tests that the arguments of a call are deleted some time after its approval ended."""

from datetime import timedelta

import pytest

from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval, State, report, withdraw, without_arguments
from assent.gate.file_preview import FilePreview, FileState
from assent.gate.policy import Moment
from assent.gate.store import ChangeResult, Store
from tests.gate.samples import NO, make_question
from tests.stores.promises.given import (
    HOUR,
    MANY,
    SetClock,
    StorePromises,
    answer_change,
    claim_change,
    list_all_approvals,
)

NO_RETENTION = timedelta(0)
DAY = timedelta(days=1)
SECRET = "hunter2"
FILE = FilePreview(path=SECRET, state=FileState.CHANGED, digest=SECRET, diff=f"-{SECRET}", why=SECRET)
EDITED = Answer(say=Say.ONCE, args={"command": f"login {SECRET}"})


def report_change(approval: Approval, moment: Moment) -> ChangeResult:
    return ChangeResult(report(approval, "k1", failed=False, note=f"logged in with {SECRET}", at=moment.at))


async def end_some_calls(store: Store) -> list[Approval]:
    """Calls that ran, were denied or withdrawn, each with a secret in every possible field."""
    for id_ in ("ran", "denied", "gone"):
        await store.add_approval(
            id_, make_question(id_, args={"token": SECRET}, preview={"would": SECRET}, file=FILE), MANY
        )
    await store.change_approval("ran", answer_change(EDITED))
    await store.change_approval("ran", claim_change("k1", store.boot))
    return [
        await store.change_approval("ran", report_change),
        await store.change_approval("denied", answer_change(NO)),
        await store.change_approval(
            "gone", lambda one, moment: ChangeResult(withdraw(one, "it left", at=moment.at))
        ),
    ]


class RetentionPromises(StorePromises):
    """Tests that the arguments of a call are deleted some time after its approval ended."""

    @pytest.mark.proves("T-39", "R004-32")
    async def test_after_the_retention_time_only_the_content_of_the_call_is_deleted(
        self, store: Store
    ) -> None:
        before = await end_some_calls(store)

        relabelled = await store.sweep(HOUR, keep=NO_RETENTION)

        after = await list_all_approvals(store)
        assert list(relabelled) == []
        assert after == [without_arguments(one) for one in before]
        assert [(one.state, one.call_digest, one.call.tool, one.decision.stage) for one in after] == [
            (one.state, one.call_digest, one.call.tool, one.decision.stage) for one in before
        ]
        assert SECRET not in repr(after)
        assert "npm publish" not in repr(after)

    async def test_deleted_arguments_stay_deleted_in_every_read(self, store: Store) -> None:
        await end_some_calls(store)
        await store.sweep(HOUR, keep=NO_RETENTION)
        await store.sweep(HOUR, keep=NO_RETENTION)

        assert [(await store.approval("ran")).call.args for _ in range(2)] == [{}, {}]

    async def test_arguments_are_kept_until_the_retention_time(self, store: Store, clock: SetClock) -> None:
        self.needs_clock()
        before = await end_some_calls(store)

        await store.sweep(HOUR, keep=DAY)
        kept = await list_all_approvals(store)
        clock.advance(DAY - timedelta(seconds=1))
        await store.sweep(DAY * 9, keep=DAY)
        still_kept = await list_all_approvals(store)
        clock.advance(timedelta(seconds=1))
        await store.sweep(DAY * 9, keep=DAY)

        assert kept == still_kept == before
        assert SECRET not in repr(await list_all_approvals(store))

    async def test_the_arguments_of_an_open_approval_are_never_deleted(self, store: Store) -> None:
        for id_ in ("pending", "approved", "running"):
            await store.add_approval(id_, make_question(id_, boot=store.boot), MANY)
        for id_ in ("approved", "running"):
            await store.change_approval(id_, answer_change())
        await store.change_approval("running", claim_change("k1", store.boot))
        before = await list_all_approvals(store)

        await store.sweep(HOUR, keep=-DAY)

        assert await list_all_approvals(store) == before
        assert [one.state for one in before] == [State.PENDING, State.APPROVED, State.RUNNING]

    async def test_a_sweep_without_a_retention_time_deletes_no_arguments(self, store: Store) -> None:
        before = await end_some_calls(store)
        await store.sweep(HOUR)

        assert await list_all_approvals(store) == before

    @pytest.mark.proves("T-3")
    async def test_after_the_deletion_the_same_call_is_recognised_and_another_is_a_conflict(
        self, store: Store
    ) -> None:
        await end_some_calls(store)
        await store.sweep(HOUR, keep=NO_RETENTION)
        again = await store.add_approval("ran", make_question("ran", args={"token": SECRET}), MANY)

        assert (again.state, again.call.args) == (State.DONE, {})

    async def test_other_processes_see_the_deletion(self, store: Store, other: Store) -> None:
        await end_some_calls(store)
        known = await other.approval("ran")
        await store.sweep(HOUR, keep=NO_RETENTION)

        assert known.call.args == {"token": SECRET}
        assert (await other.approval("ran")).call.args == {}
