"""A proposal is applied by a person, or by the gate in auto mode, and never twice."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest

from assent.engine.base.tool import Call, Tool
from assent.engine.policy.rule import RuleList
from assent.engine.policy.snapshot import Tier
from assent.errors import AssentError, ConflictError, ForbiddenError, InputError, NotFoundError
from assent.gate import proposals
from assent.gate.access import Principal
from assent.gate.answer import Answer, Say
from assent.gate.approval import State
from assent.gate.calls import Applied, Code, Outcome, Refuse, Run, Wait
from assent.gate.conversations import ConversationChanges
from assent.gate.ports import ArgumentIssue, DryRunResult
from assent.gate.store import ApprovalFilter
from assent.gate.turn import Turn
from tests.gate.samples import ADA, ANA, BEN, CHRIS, CLERK, ROBOT, VERA
from tests.gate.scene import (
    ALWAYS,
    DENY,
    DROP,
    ONCE,
    PUBLISH,
    PUT,
    READ,
    SEND,
    TOOLS,
    GateHarness,
    open_test_store,
)
from tests.stores.promises.given import SetClock


@dataclass
class NotesRunner:
    """Runs `note.put` and `note.drop` on a few notes, and records the principals."""

    kept: dict[str, object] = field(default_factory=dict)
    ran: list[tuple[str, str]] = field(default_factory=list)
    tried: list[str] = field(default_factory=list)
    fails: BaseException | None = None
    needs: frozenset[str] = frozenset()

    async def validate(self, call: Call) -> Sequence[ArgumentIssue]:
        missing = {"key", *self.needs} - call.args.keys()
        return [ArgumentIssue(name, "is required") for name in sorted(missing)]

    async def dry_run(self, principal: Principal, call: Call) -> DryRunResult:
        self.tried.append(principal.id)
        key = str(call.args["key"])
        before, after = self.kept.get(key), call.args.get("value")
        return DryRunResult(f"put {key}", {"before": before, "after": after}, fingerprint=repr(before))

    async def run(self, principal: Principal, call: Call) -> object:
        self.ran.append((principal.id, call.tool))
        await asyncio.sleep(0)
        if self.fails is not None:
            raise self.fails
        self.kept[str(call.args["key"])] = call.args.get("value")
        return "kept"


class MissingRights:
    """An authorizer with the missing rights of each principal."""

    def __init__(self) -> None:
        self.lacking: dict[tuple[str, str], str] = {}

    async def missing_right(self, principal: Principal, tool: Tool) -> str | None:
        return self.lacking.get((principal.user, tool.name))


class NotesHarness(GateHarness):
    """A scene whose tools change notes."""

    def __init__(self, store: object, clock: SetClock) -> None:
        self.rights = MissingRights()
        super().__init__(store, clock, authorizer=self.rights)  # type: ignore[arg-type]
        self.notes = NotesRunner()
        self.gate.offer(runners={"note.put": self.notes, "note.drop": self.notes})

    async def propose(self, call: Call = PUT, turn: Turn | None = None) -> Wait:
        outcome = await (turn or await self.turn("propose")).submit(call)
        assert isinstance(outcome, Wait), outcome
        return outcome

    async def state(self, card: Wait) -> State:
        return (await self.store.approval(card.approval.id)).state


@asynccontextmanager
async def open_notes_harness(kind: str, directory: Path) -> AsyncGenerator[NotesHarness]:
    clock = SetClock()
    store = await open_test_store(kind, clock, directory)
    yield NotesHarness(store, clock)
    await store.close()


@pytest.fixture(params=["memory", "sqlite"])
def notes_harness(
    request: pytest.FixtureRequest, tmp_path: Path
) -> AbstractAsyncContextManager[NotesHarness]:
    return open_notes_harness(request.param, tmp_path)


# ---- the two modes --------------------------------------------------------------------------


@pytest.mark.proves("R001-3", "R001-4", "R001-5", "R001-6", "R001-7", "R001-38", "R001-22")
@pytest.mark.parametrize(
    ("mode", "call", "expected"),
    [
        ("approve", READ, Run),
        ("auto", READ, Run),
        ("approve", PUT, Wait),
        ("auto", PUT, Applied),
        ("approve", DROP, Wait),
        ("auto", DROP, Wait),
    ],
)
async def test_the_outcome_depends_on_the_effect_and_the_mode(
    notes_harness: NotesHarness, mode: str, call: Call, expected: type[Outcome]
) -> None:
    outcome = await (await notes_harness.turn("propose", mode=mode)).submit(call)

    assert type(outcome) is expected
    assert notes_harness.notes.ran == ([("ana", "note.put")] if expected is Applied else [])


@pytest.mark.proves("R001-12", "R001-30")
async def test_a_proposal_contains_the_dry_run_and_nothing_runs_yet(notes_harness: NotesHarness) -> None:
    notes_harness.notes.kept = {"a": 0}

    card = await notes_harness.propose()

    assert card.approval.preview == {
        "summary": "put a",
        "details": {"before": 0, "after": 1},
        "fingerprint": "0",
    }
    assert card.approval.expires_at == notes_harness.clock.now + timedelta(minutes=10)
    assert (card.approval.call.id, notes_harness.notes.ran, notes_harness.notes.kept) == ("put", [], {"a": 0})


@pytest.mark.proves("R001-12", "R001-5", "R001-30")
async def test_applying_runs_the_stored_call_and_returns_its_result(notes_harness: NotesHarness) -> None:
    card = await notes_harness.propose()

    applied = await notes_harness.gate.apply_proposal(ANA, card.token)

    assert isinstance(applied, Applied)
    assert (applied.result, applied.approval.state, notes_harness.notes.kept) == (
        "kept",
        State.DONE,
        {"a": 1},
    )
    assert applied.approval.preview == card.approval.preview


@pytest.mark.proves("R001-9")
async def test_in_auto_mode_the_gate_applies_the_proposal_itself(
    notes_harness: NotesHarness,
) -> None:
    outcome = await (await notes_harness.turn("propose", mode="auto")).submit(PUT)

    assert isinstance(outcome, Applied)
    assert outcome.approval.preview == {
        "summary": "put a",
        "details": {"before": None, "after": 1},
        "fingerprint": "None",
    }
    assert (outcome.approval.state, outcome.approval.answer) == (State.DONE, None)
    assert [one["decision"] for one in await notes_harness.entries()] == ["automatic", "claimed", "executed"]


@pytest.mark.proves("R001-8", "R001-38")
@pytest.mark.parametrize("mode", ["approve", "auto", "bypassPermissions", "default"])
async def test_a_destructive_call_is_never_applied_without_a_person(
    notes_harness: NotesHarness, mode: str
) -> None:
    await notes_harness.gate.policy.set_tiers(ADA, "clerk", {"note.drop": Tier.ALWAYS_ALLOW})
    await notes_harness.add_rule(RuleList.ALLOW, "note.drop")

    outcome = await (await notes_harness.turn("propose", mode=mode)).submit(DROP)

    assert isinstance(outcome, Wait)
    assert notes_harness.notes.ran == []


@pytest.mark.proves("R001-8", "T-47")
@pytest.mark.parametrize("mode", ["plan", "yolo"])
async def test_a_mode_that_is_not_offered_is_refused(notes_harness: NotesHarness, mode: str) -> None:
    with pytest.raises(AssentError, match=mode):
        await notes_harness.turn("propose", mode=mode)


# ---- the token ------------------------------------------------------------------------------


@pytest.mark.proves("R001-13")
async def test_the_secret_of_a_token_is_compared_in_constant_time(
    notes_harness: NotesHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = await notes_harness.propose()
    stored = (await notes_harness.store.approval(card.approval.id)).token_digest
    compared: list[str] = []

    def refuse_every_digest(expected: str, _given: str) -> bool:
        compared.append(expected)
        return False

    monkeypatch.setattr(proposals.hmac, "compare_digest", refuse_every_digest)

    with pytest.raises(InputError, match="invalid token"):
        await notes_harness.gate.apply_proposal(ANA, card.token)
    assert compared == [stored]


@pytest.mark.proves("R001-13")
async def test_a_token_contains_the_approval_id_and_32_random_bytes_that_are_not_stored(
    notes_harness: NotesHarness,
) -> None:
    card = await notes_harness.propose()
    head, _, nonce = card.token.partition(".")

    assert head == f"propose:{card.approval.id}"
    assert len(nonce) == 43
    assert nonce not in repr(await notes_harness.store.approval(card.approval.id))


@pytest.mark.proves("R001-17", "T-4")
@pytest.mark.parametrize(
    "wrong",
    ["", "x", "propose:", "propose:{id}", "propose:{id}.", "{id}.{nonce}", "propose:{id}.{nonce}x", "apply:{id}.{nonce}",
     "propose:{id}." + "A" * 43, "propose:{id}.\ud800", "propose:\x00.{nonce}", "propose:{id}.{nonce}\n"],
)  # fmt: skip
async def test_an_invalid_token_is_refused_without_a_reason(notes_harness: NotesHarness, wrong: str) -> None:
    card = await notes_harness.propose()
    nonce = card.token.partition(".")[2]

    with pytest.raises(InputError) as caught:
        await notes_harness.gate.apply_proposal(ANA, wrong.format(id=card.approval.id, nonce=nonce))

    assert str(caught.value) == "invalid token"
    assert await notes_harness.state(card) is State.PENDING


@pytest.mark.proves("R001-17")
async def test_a_token_of_an_unknown_approval_is_not_found(notes_harness: NotesHarness) -> None:
    with pytest.raises(NotFoundError):
        await notes_harness.gate.apply_proposal(ANA, f"propose:{'0' * 32}.{'A' * 43}")


async def test_a_token_does_not_apply_another_proposal(notes_harness: NotesHarness) -> None:
    turn = await notes_harness.turn("propose")
    card, other = (
        await notes_harness.propose(turn=turn),
        await notes_harness.propose(replace(PUT, args={"key": "b"}), turn),
    )
    nonce = other.token.partition(".")[2]

    with pytest.raises(InputError, match="invalid token"):
        await notes_harness.gate.apply_proposal(ANA, f"propose:{card.approval.id}.{nonce}")
    assert notes_harness.notes.ran == []


@pytest.mark.proves("R001-14", "R000-32", "T-3")
async def test_of_fifty_concurrent_applications_one_succeeds(notes_harness: NotesHarness) -> None:
    card = await notes_harness.propose()

    outcomes = await asyncio.gather(*(notes_harness.gate.apply_proposal(ANA, card.token) for _ in range(50)))

    assert Counter(type(one) for one in outcomes) == {Applied: 1, Refuse: 49}
    assert {one.code for one in outcomes if isinstance(one, Refuse)} == {Code.ALREADY_RUN}
    assert notes_harness.notes.ran == [("ana", "note.put")]


@pytest.mark.proves("R001-16", "R-9")
@pytest.mark.parametrize("is_swept", [False, True])
async def test_a_proposal_expires_after_ten_minutes_and_stays_in_the_history(
    notes_harness: NotesHarness, is_swept: bool
) -> None:
    card = await notes_harness.propose()
    in_time = await notes_harness.propose(replace(PUT, args={"key": "b", "value": 1}))
    notes_harness.clock.advance(timedelta(minutes=10) - timedelta(microseconds=1))
    assert isinstance(await notes_harness.gate.apply_proposal(ANA, in_time.token), Applied)
    notes_harness.clock.advance(timedelta(microseconds=1))
    if is_swept:
        await notes_harness.store.sweep(timedelta(seconds=60))

    outcome = await notes_harness.gate.apply_proposal(ANA, card.token)

    assert isinstance(outcome, Refuse)
    assert outcome.code is Code.EXPIRED
    assert len(notes_harness.notes.ran) == 1
    history = await notes_harness.gate.pending_approvals(
        ANA, ApprovalFilter(states=frozenset({State.EXPIRED}))
    )
    assert [one.id for one in history.approvals] == [card.approval.id]


async def test_a_denied_proposal_is_not_applied(notes_harness: NotesHarness) -> None:
    card = await notes_harness.propose()
    await notes_harness.answer(card.approval, replace(DENY, reason="not now"))

    outcome = await notes_harness.gate.apply_proposal(ANA, card.token)

    assert isinstance(outcome, Refuse)
    assert (outcome.code, outcome.reason, notes_harness.notes.ran) == (Code.DENIED, "not now", [])


async def test_a_proposal_is_applied_and_not_answered(notes_harness: NotesHarness) -> None:
    card = await notes_harness.propose()

    for answer in (ONCE, ALWAYS, Answer(say=Say.CONVERSATION), replace(ONCE, args={"key": "b"})):
        with pytest.raises(ConflictError, match="apply it, or deny it"):
            await notes_harness.answer(card.approval, answer)
    assert isinstance(await (await notes_harness.turn("propose")).resume(card.approval.id), Wait)
    assert isinstance(await notes_harness.gate.apply_proposal(ANA, card.token), Applied)


# ---- rights ---------------------------------------------------------------------------------


@pytest.mark.proves("R001-27", "R001-23")
async def test_an_approver_applies_a_proposal_with_the_rights_of_its_owner(
    notes_harness: NotesHarness,
) -> None:
    card = await notes_harness.propose()

    applied = await notes_harness.gate.apply_proposal(CHRIS, card.token)

    assert isinstance(applied, Applied)
    assert applied.approval.answer is not None
    assert (applied.approval.owner, applied.approval.answer.by) == ("ana", "chris")
    assert notes_harness.notes.ran == [("ana", "note.put")]


@pytest.mark.proves("T-5", "T-38")
@pytest.mark.parametrize(
    ("who", "error"),
    [(BEN, NotFoundError), (VERA, ForbiddenError), (CLERK, ForbiddenError), (ROBOT, ForbiddenError)],
)
async def test_a_token_alone_gives_no_right(
    notes_harness: NotesHarness, who: Principal, error: type[Exception]
) -> None:
    card = await notes_harness.propose()

    with pytest.raises(error) as caught:
        await notes_harness.gate.apply_proposal(who, card.token)

    assert "conversation" not in str(caught.value)
    assert (await notes_harness.state(card), notes_harness.notes.ran) == (State.PENDING, [])


@pytest.mark.proves("R001-23")
async def test_a_service_cannot_run_a_tool_in_any_mode(notes_harness: NotesHarness) -> None:
    for mode in ("approve", "auto"):
        turn = await notes_harness.turn("propose", mode=mode, principal=ROBOT)
        with pytest.raises(ForbiddenError, match="a service cannot run tools"):
            await turn.submit(PUT)
    assert notes_harness.notes.tried == notes_harness.notes.ran == []


@pytest.mark.proves("R001-20")
async def test_a_tool_without_the_persons_right_is_neither_offered_nor_run(
    notes_harness: NotesHarness,
) -> None:
    notes_harness.rights.lacking[("ana", "note.put")] = "notes.write"
    turn = await notes_harness.turn("propose", mode="auto")

    outcome = await turn.submit(PUT)

    assert outcome == Refuse(code=Code.UNKNOWN_TOOL, message="there is no such tool")
    assert {tool.name for tool in await turn.visible_tools()} == {tool.name for tool in TOOLS} - {"note.put"}


@pytest.mark.proves("R001-15")
async def test_a_right_that_was_lost_since_is_named_and_nothing_runs(notes_harness: NotesHarness) -> None:
    card = await notes_harness.propose()
    notes_harness.rights.lacking[("ana", "note.put")] = "notes.write"

    outcome = await notes_harness.gate.apply_proposal(ADA, card.token)

    assert outcome == Refuse(code=Code.FORBIDDEN, message="ana lacks the right `notes.write`")
    assert (await notes_harness.state(card), notes_harness.notes.ran) == (State.REFUSED, [])


# ---- what changed meanwhile -----------------------------------------------------------------


@pytest.mark.proves("R001-18")
async def test_a_proposal_of_a_removed_tool_is_refused_as_unknown(notes_harness: NotesHarness) -> None:
    card = await notes_harness.propose()
    bare = GateHarness(notes_harness.store, notes_harness.clock)
    bare.gate._catalog._own.clear()
    bare.gate._catalog._rebuild()

    outcome = await bare.gate.apply_proposal(ANA, card.token)

    assert outcome == Refuse(code=Code.UNKNOWN_TOOL, message="there is no such tool")
    assert (await notes_harness.state(card), notes_harness.notes.ran) == (State.REFUSED, [])


@pytest.mark.proves("R001-19")
async def test_arguments_that_no_longer_match_the_schema_are_refused(notes_harness: NotesHarness) -> None:
    card = await notes_harness.propose()
    notes_harness.notes.needs = frozenset({"title"})

    outcome = await notes_harness.gate.apply_proposal(ANA, card.token)

    assert isinstance(outcome, Refuse)
    assert (outcome.code, outcome.issues) == (Code.INVALID, (ArgumentIssue("title", "is required"),))
    assert notes_harness.notes.ran == []


@pytest.mark.proves("R001-44")
async def test_of_two_proposals_for_one_note_the_second_is_outdated(
    notes_harness: NotesHarness,
) -> None:
    turn = await notes_harness.turn("propose")
    first, second = (
        await notes_harness.propose(turn=turn),
        await notes_harness.propose(replace(PUT, args={"key": "a", "value": 2}), turn),
    )
    assert isinstance(await notes_harness.gate.apply_proposal(ANA, first.token), Applied)

    outcome = await notes_harness.gate.apply_proposal(ANA, second.token)

    assert isinstance(outcome, Refuse)
    assert "would change has changed" in outcome.message
    assert (await notes_harness.state(second), notes_harness.notes.kept) == (State.REFUSED, {"a": 1})


@pytest.mark.proves("T-14")
@pytest.mark.parametrize("change", ["block", "deny rule"])
async def test_a_proposal_that_policy_forbids_since_is_not_applied(
    notes_harness: NotesHarness, change: str
) -> None:
    card = await notes_harness.propose()
    if change == "block":
        await notes_harness.gate.policy.set_tiers(ADA, "clerk", {"note.put": Tier.BLOCKED})
    else:
        await notes_harness.add_rule(RuleList.DENY, "note.put(key=a)")

    assert isinstance(await notes_harness.gate.apply_proposal(ANA, card.token), Refuse)
    assert (await notes_harness.state(card), notes_harness.notes.ran) == (State.REFUSED, [])


@pytest.mark.proves("T-14", "R001-9")
async def test_if_policy_changes_while_auto_applies_nothing_runs_and_no_proposal_stays_open(
    notes_harness: NotesHarness,
) -> None:
    turn = await notes_harness.turn("propose", mode="auto")
    dry_run = notes_harness.notes.dry_run

    async def block_during_dry_run(principal: Principal, call: Call) -> DryRunResult:
        await notes_harness.gate.policy.set_tiers(ADA, "clerk", {"note.put": Tier.BLOCKED})
        return await dry_run(principal, call)

    notes_harness.notes.dry_run = block_during_dry_run  # type: ignore[method-assign]

    with pytest.raises(ConflictError, match="policy changed"):
        await turn.submit(PUT)
    assert notes_harness.notes.ran == []
    assert (await notes_harness.gate.pending_approvals(ANA)).approvals == ()


@pytest.mark.proves("R001-26")
async def test_changing_to_auto_mode_does_not_apply_an_open_proposal(notes_harness: NotesHarness) -> None:
    card = await notes_harness.propose()

    await notes_harness.gate.conversations.change(ANA, "c1", ConversationChanges(mode="auto"))
    await notes_harness.turn("propose")

    assert (await notes_harness.state(card), notes_harness.notes.ran) == (State.PENDING, [])


# ---- drafts that are wrong, twice, or not for proposing --------------------------------------


@pytest.mark.proves("R001-24")
@pytest.mark.parametrize("mode", ["approve", "auto"])
async def test_invalid_arguments_are_returned_with_their_issues_and_can_be_corrected(
    notes_harness: NotesHarness, mode: str
) -> None:
    turn = await notes_harness.turn("propose", mode=mode)

    outcome = await turn.submit(replace(PUT, args={"value": 1}))

    assert isinstance(outcome, Refuse)
    assert (outcome.code, outcome.issues) == (Code.INVALID, (ArgumentIssue("key", "is required"),))
    assert (notes_harness.notes.tried, (await notes_harness.gate.pending_approvals(ANA)).approvals) == (
        [],
        (),
    )
    assert isinstance(await turn.submit(PUT), Wait if mode == "approve" else Applied)


@pytest.mark.proves("R001-25")
@pytest.mark.supports("R001-29")
async def test_the_same_call_twice_in_a_turn_is_one_proposal(notes_harness: NotesHarness) -> None:
    turn = await notes_harness.turn("propose")
    card = await notes_harness.propose(turn=turn)

    again = await turn.submit(replace(PUT, id="again"))

    assert isinstance(again, Refuse)
    assert (again.code, again.message) == (
        "awaiting_operator",
        "this call was already proposed and is pending",
    )
    assert [one.id for one in (await notes_harness.gate.pending_approvals(ANA)).approvals] == [
        card.approval.id
    ]
    assert isinstance(await (await notes_harness.turn("propose")).submit(PUT), Wait)


@pytest.mark.proves("R001-25")
async def test_the_same_call_twice_in_auto_is_applied_once(notes_harness: NotesHarness) -> None:
    turn = await notes_harness.turn("propose", mode="auto")

    outcomes = await asyncio.gather(*(turn.submit(replace(PUT, id=f"call-{one}")) for one in range(10)))

    assert Counter(type(one) for one in outcomes) == {Applied: 1, Refuse: 9}
    assert notes_harness.notes.ran == [("ana", "note.put")]


@pytest.mark.proves("R001-22")
@pytest.mark.parametrize("call", [SEND, PUBLISH])
@pytest.mark.parametrize("mode", ["approve", "auto"])
async def test_a_tool_without_a_dry_run_cannot_be_proposed(
    notes_harness: NotesHarness, call: Call, mode: str
) -> None:
    outcome = await (await notes_harness.turn("propose", mode=mode)).submit(call)

    assert isinstance(outcome, Refuse)
    assert outcome.code is Code.NOT_PROPOSABLE


@pytest.mark.proves("T-41")
async def test_proposals_count_for_the_limit_of_the_agent(notes_harness: NotesHarness) -> None:
    turn = await notes_harness.turn("propose")
    for number in range(100):
        notes_harness.clock.advance(
            timedelta(seconds=2)
        )  # The clock advances, because otherwise the budget of calls would be used up first.
        await notes_harness.propose(replace(PUT, args={"key": f"k{number}"}), turn)

    outcome = await turn.submit(replace(PUT, args={"key": "one-more"}))

    assert isinstance(outcome, Refuse)
    assert outcome.code is Code.LIMIT


async def test_applying_a_proposal_that_is_denied_at_the_same_time_is_refused(
    notes_harness: NotesHarness,
) -> None:
    card = await notes_harness.propose()
    dry_run = notes_harness.notes.dry_run

    async def deny_during_dry_run(principal: Principal, call: Call) -> DryRunResult:
        await notes_harness.answer(card.approval, DENY)
        return await dry_run(principal, call)

    notes_harness.notes.dry_run = deny_during_dry_run  # type: ignore[method-assign]

    outcome = await notes_harness.gate.apply_proposal(CHRIS, card.token)

    assert isinstance(outcome, Refuse)
    assert (outcome.code, notes_harness.notes.ran) == (Code.DENIED, [])


# ---- when running goes wrong ----------------------------------------------------------------


@pytest.mark.proves("R001-31")
@pytest.mark.supports("R001-43")
@pytest.mark.parametrize("error", [ValueError("with a secret in it"), asyncio.CancelledError()])
async def test_a_failed_call_is_recorded_without_its_error_text_and_not_repeated(
    notes_harness: NotesHarness, error: BaseException
) -> None:
    notes_harness.notes.fails = error
    card = await notes_harness.propose()

    with pytest.raises(type(error)):
        await notes_harness.gate.apply_proposal(ANA, card.token)

    failed = await notes_harness.store.approval(card.approval.id)
    assert (failed.state, failed.note) == (State.FAILED, type(error).__name__)
    assert isinstance(await notes_harness.gate.apply_proposal(ANA, card.token), Refuse)
    assert notes_harness.notes.ran == [("ana", "note.put")]


@pytest.mark.proves("R001-43", "R-25")
async def test_a_call_whose_process_dies_while_it_is_applied_is_unknown_and_never_repeated(
    notes_harness: NotesHarness,
) -> None:
    card = await notes_harness.propose()
    started = asyncio.Event()

    async def run(principal: Principal, call: Call) -> object:
        notes_harness.notes.ran.append((principal.id, call.tool))
        started.set()
        return await asyncio.Event().wait()

    notes_harness.notes.run = run  # type: ignore[method-assign]
    applying = asyncio.create_task(notes_harness.gate.apply_proposal(ANA, card.token))
    await started.wait()
    notes_harness.clock.advance(timedelta(minutes=5))

    await notes_harness.store.sweep(timedelta(seconds=60))

    assert await notes_harness.state(card) is State.UNKNOWN
    outcome = await notes_harness.gate.apply_proposal(ANA, card.token)
    assert isinstance(outcome, Refuse)
    assert (outcome.code, notes_harness.notes.ran) == (Code.ALREADY_RUN, [("ana", "note.put")])
    applying.cancel()
    with pytest.raises(asyncio.CancelledError):
        await applying


@pytest.mark.proves("R001-31")
async def test_every_change_of_a_proposal_is_an_audit_row(notes_harness: NotesHarness) -> None:
    turn = await notes_harness.turn("propose")
    await turn.submit(READ)
    await notes_harness.gate.apply_proposal(CHRIS, (await notes_harness.propose(turn=turn)).token)

    assert [(one["verdict"], one["decision"]) for one in await notes_harness.entries()] == [
        ("run", "automatic"),
        ("ask", ""),
        ("", "approved"),
        ("", "claimed"),
        ("", "executed"),
    ]


async def test_a_call_that_an_agent_proposes_runs_with_the_rights_of_its_person(
    notes_harness: NotesHarness,
) -> None:
    card = await notes_harness.propose(turn=await notes_harness.turn("propose", principal=CLERK))

    await notes_harness.gate.apply_proposal(ANA, card.token)

    assert (card.approval.owner, notes_harness.notes.ran) == ("ana", [("ana", "note.put")])
