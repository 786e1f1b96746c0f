"""Helpers for the tests of every store: a clock, changes of approvals, and the store itself."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import ClassVar

import pytest

from assent.engine.policy.rule import RuleList
from assent.errors import ConflictError
from assent.gate.access import Principal
from assent.gate.answer import Answer
from assent.gate.approval import Approval
from assent.gate.approval import answer as answer_approval
from assent.gate.approval import claim as claim_approval
from assent.gate.audit import Entry, Link
from assent.gate.policy import Moment, PolicyKey, StoredGrant, StoredRule
from assent.gate.question import Limits
from assent.gate.store import ApprovalChange, ApprovalFilter, ChangeResult, Store
from tests.gate.samples import ANA, YES

POLICY_KEY = PolicyKey(user="ana", agent="clerk", conversation="c1")
ALL_APPROVALS = ApprovalFilter()
MANY = Limits(pending=100_000)
HOUR = timedelta(hours=1)
NO_GRACE = timedelta(seconds=-1)
"""A grace period after which even this process counts as dead."""
HOSTILE_IDS = (
    "o'hara", 'say "hi"', "x'; DROP TABLE approvals; --", "%", "a_b", "a%b", "\\", "ñ 日本 🙂", "{id}", ":id", "?", " ",
)  # fmt: skip

Opening = Callable[["SetClock"], AbstractAsyncContextManager[Store]]
"""Opens a store; called twice in a test, it opens the same data twice if the store can do that."""


class SetClock:
    """A clock that a test controls."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, span: timedelta) -> None:
        self.now += span


def answer_change(
    answer: Answer = YES,
    who: Principal = ANA,
    *grants: StoredGrant,
    rules: tuple[StoredRule, ...] = (),
    digest: str = "",
) -> ApprovalChange:
    def answer_change(approval: Approval, moment: Moment) -> ChangeResult:
        shown = digest or approval.digest
        return ChangeResult(answer_approval(approval, answer, who, shown, at=moment.at), grants, rules)

    return answer_change


def claim_change(claim: str, boot: str = "") -> ApprovalChange:
    return lambda approval, moment: ChangeResult(claim_approval(approval, claim, boot, at=moment.at))


def refuse_change(approval: Approval, moment: Moment) -> ChangeResult:
    raise ConflictError("not like this")


def sample_rule(id: str = "r1", **changes: object) -> StoredRule:
    rule = StoredRule(id=id, list=RuleList.ALLOW, text="terminal.exec(npm test)", by="ana")
    return replace(rule, **changes)  # type: ignore[arg-type]


def sample_entry(number: int = 1, **changes: object) -> Entry:
    entry = Entry(
        id=f"e{number}", user="ana", agent="clerk", conversation="c1", call="call-1", tool="t", verdict="ask"
    )
    return replace(entry, **changes)  # type: ignore[arg-type]


def without_creation_time(*kept: StoredGrant | StoredRule) -> list[StoredGrant | StoredRule]:
    return [replace(one, at=None) for one in kept]


async def list_all_approvals(
    store: Store, which: ApprovalFilter = ALL_APPROVALS, limit: int = 100
) -> list[Approval]:
    page = await store.approvals(which, limit=limit)
    found = list(page.approvals)
    while page.after:
        page = await store.approvals(which, limit=limit, after=page.after)
        found.extend(page.approvals)
    return found


async def list_all_links(store: Store, limit: int = 100) -> list[Link]:
    links, after = await store.audit(limit=limit)
    found = list(links)
    while after:
        links, after = await store.audit(limit=limit, after=after)
        found.extend(links)
    return found


def approval_to_canonical_json(approval: Approval) -> tuple[str, str, datetime]:
    return approval.id, approval.digest, approval.asked_at


class StorePromises:
    """Fixtures for a store under test. With `clocked`, the test controls the time; with `shared`, the data can be opened twice."""

    clocked: ClassVar[bool] = True
    shared: ClassVar[bool] = True

    @pytest.fixture
    def opening(self) -> Opening:
        raise NotImplementedError("say how to open the store")

    @pytest.fixture
    def clock(self) -> SetClock:
        return SetClock()

    @pytest.fixture
    def store(self, opening: Opening, clock: SetClock) -> AbstractAsyncContextManager[Store]:
        return opening(clock)

    @pytest.fixture
    def other(self, opening: Opening, clock: SetClock) -> AbstractAsyncContextManager[Store]:
        """A second store on the same data."""
        if not self.shared:
            pytest.skip("only one can open it")
        return opening(clock)

    def needs_clock(self) -> None:
        if not self.clocked:
            pytest.skip("its time is the database's own")
