"""Proposals: a card that a person applies, or the gate itself in auto, and neither of them twice."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest

from assent.engine.model import Call, Tool
from assent.engine.policy.rule import RuleList
from assent.engine.policy.tiers import Tier
from assent.errors import AssentError, ConflictError, ForbiddenError, InputError, NotFoundError
from assent.gate.access import Principal
from assent.gate.answer import Answer, Say
from assent.gate.approval import State
from assent.gate.conversations import ConversationChanges
from assent.gate.outcome import Applied, Code, Outcome, Refuse, Run, Wait
from assent.gate.ports import Issue, Preview
from assent.gate.store import ApprovalFilter
from assent.gate.turn import Turn
from tests.gate.samples import ADA, ANA, BEN, CHRIS, CLERK, ROBOT, VERA
from tests.gate.scene import ALWAYS, DENY, DROP, ONCE, PUBLISH, PUT, READ, SEND, TOOLS, Scene, a_store
from tests.stores.promises.given import SetClock


@dataclass
class Notes:
    """Runs `note.put` and `note.drop` on a few notes, and remembers in whose name."""

    kept: dict[str, object] = field(default_factory=dict)
    ran: list[tuple[str, str]] = field(default_factory=list)
    tried: list[str] = field(default_factory=list)
    fails: BaseException | None = None
    needs: frozenset[str] = frozenset()

    async def validate(self, call: Call) -> Sequence[Issue]:
        missing = {"key", *self.needs} - call.args.keys()
        return [Issue(name, "is required") for name in sorted(missing)]

    async def dry_run(self, principal: Principal, call: Call) -> Preview:
        self.tried.append(principal.id)
        key = str(call.args["key"])
        before, after = self.kept.get(key), call.args.get("value")
        return Preview(f"put {key}", {"before": before, "after": after}, fingerprint=repr(before))

    async def run(self, principal: Principal, call: Call) -> object:
        self.ran.append((principal.id, call.tool))
        await asyncio.sleep(0)
        if self.fails is not None:
            raise self.fails
        self.kept[str(call.args["key"])] = call.args.get("value")
        return "kept"


class Rights:
    """Who lacks which right."""

    def __init__(self) -> None:
        self.lacking: dict[tuple[str, str], str] = {}

    async def missing(self, principal: Principal, tool: Tool) -> str | None:
        return self.lacking.get((principal.user, tool.name))


class Desk(Scene):
    """A scene with notes behind it."""

    def __init__(self, store: object, clock: SetClock) -> None:
        self.rights = Rights()
        super().__init__(store, clock, authorizer=self.rights)  # type: ignore[arg-type]
        self.notes = Notes()
        self.gate.offer(runners={"note.put": self.notes, "note.drop": self.notes})

    async def card(self, call: Call = PUT, turn: Turn | None = None) -> Wait:
        outcome = await (turn or await self.turn("propose")).submit(call)
        assert isinstance(outcome, Wait), outcome
        return outcome

    async def state(self, card: Wait) -> State:
        return (await self.store.approval(card.approval.id)).state


@asynccontextmanager
async def a_desk(kind: str, directory: Path) -> AsyncGenerator[Desk]:
    clock = SetClock()
    store = await a_store(kind, clock, directory)
    yield Desk(store, clock)
    await store.close()


@pytest.fixture(params=["memory", "sqlite"])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[Desk]:
    return a_desk(request.param, tmp_path)


# ---- the two modes --------------------------------------------------------------------------


@pytest.mark.proves("R001-3", "R001-4", "R001-5", "R001-6", "R001-7", "R001-38")
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
async def test_what_a_call_comes_to_is_a_matter_of_its_effect_and_the_mode(
    desk: Desk, mode: str, call: Call, expected: type[Outcome]
) -> None:
    outcome = await (await desk.turn("propose", mode=mode)).submit(call)

    assert type(outcome) is expected
    assert desk.notes.ran == ([("ana", "note.put")] if expected is Applied else [])


@pytest.mark.proves("R001-12", "R001-30")
async def test_a_card_holds_what_would_happen_and_nothing_happened_yet(desk: Desk) -> None:
    desk.notes.kept = {"a": 0}

    card = await desk.card()

    assert card.approval.preview == {
        "summary": "put a",
        "details": {"before": 0, "after": 1},
        "fingerprint": "0",
    }
    assert card.approval.expires_at == desk.clock.now + timedelta(minutes=10)
    assert (card.approval.call.id, desk.notes.ran, desk.notes.kept) == ("put", [], {"a": 0})


@pytest.mark.proves("R001-12", "R001-5", "R001-30")
async def test_applying_runs_the_stored_call_and_says_what_came_of_it(desk: Desk) -> None:
    card = await desk.card()

    applied = await desk.gate.apply(ANA, card.token)

    assert isinstance(applied, Applied)
    assert (applied.result, applied.approval.state, desk.notes.kept) == ("kept", State.DONE, {"a": 1})
    assert applied.approval.preview == card.approval.preview


@pytest.mark.proves("R001-9")
async def test_auto_is_a_proposal_that_the_gate_applies_and_shows_the_same_card(desk: Desk) -> None:
    outcome = await (await desk.turn("propose", mode="auto")).submit(PUT)

    assert isinstance(outcome, Applied)
    assert outcome.approval.preview == {
        "summary": "put a",
        "details": {"before": None, "after": 1},
        "fingerprint": "None",
    }
    assert (outcome.approval.state, outcome.approval.answer) == (State.DONE, None)
    assert [one["decision"] for one in await desk.entries()] == ["automatic", "claimed", "executed"]


@pytest.mark.proves("R001-8", "R001-38")
@pytest.mark.parametrize("mode", ["approve", "auto", "bypassPermissions", "default"])
async def test_no_mode_no_tier_no_rule_and_no_grant_applies_what_is_destructive(
    desk: Desk, mode: str
) -> None:
    await desk.gate.policy.set_tiers(ADA, "clerk", {"note.drop": Tier.ALWAYS_ALLOW})
    await desk.add_rule(RuleList.ALLOW, "note.drop")

    outcome = await (await desk.turn("propose", mode=mode)).submit(DROP)

    assert isinstance(outcome, Wait)
    assert desk.notes.ran == []


@pytest.mark.proves("R001-8", "T-47")
@pytest.mark.parametrize("mode", ["plan", "yolo"])
async def test_a_mode_that_is_not_offered_is_refused(desk: Desk, mode: str) -> None:
    with pytest.raises(AssentError, match=mode):
        await desk.turn("propose", mode=mode)


# ---- the token ------------------------------------------------------------------------------


@pytest.mark.proves("R001-13")
async def test_a_token_names_its_row_and_holds_32_random_bytes_that_are_not_kept(desk: Desk) -> None:
    card = await desk.card()
    head, _, nonce = card.token.partition(".")

    assert head == f"propose:{card.approval.id}"
    assert len(nonce) == 43
    assert nonce not in repr(await desk.store.approval(card.approval.id))


@pytest.mark.proves("R001-17", "T-4")
@pytest.mark.parametrize(
    "wrong",
    ["", "x", "propose:", "propose:{id}", "propose:{id}.", "{id}.{nonce}", "propose:{id}.{nonce}x", "apply:{id}.{nonce}",
     "propose:{id}." + "A" * 43, "propose:{id}.\ud800", "propose:\x00.{nonce}", "propose:{id}.{nonce}\n"],
)  # fmt: skip
async def test_a_wrong_token_is_invalid_and_does_not_say_why(desk: Desk, wrong: str) -> None:
    card = await desk.card()
    nonce = card.token.partition(".")[2]

    with pytest.raises(InputError) as caught:
        await desk.gate.apply(ANA, wrong.format(id=card.approval.id, nonce=nonce))

    assert str(caught.value) == "invalid token"
    assert await desk.state(card) is State.PENDING


@pytest.mark.proves("R001-17")
async def test_a_token_for_a_row_that_is_not_there_is_not_found(desk: Desk) -> None:
    with pytest.raises(NotFoundError):
        await desk.gate.apply(ANA, f"propose:{'0' * 32}.{'A' * 43}")


async def test_the_token_of_one_card_does_not_apply_another(desk: Desk) -> None:
    turn = await desk.turn("propose")
    card, other = await desk.card(turn=turn), await desk.card(replace(PUT, args={"key": "b"}), turn)
    nonce = other.token.partition(".")[2]

    with pytest.raises(InputError, match="invalid token"):
        await desk.gate.apply(ANA, f"propose:{card.approval.id}.{nonce}")
    assert desk.notes.ran == []


@pytest.mark.proves("R001-14", "R000-32", "T-3")
async def test_of_fifty_who_apply_one_does(desk: Desk) -> None:
    card = await desk.card()

    outcomes = await asyncio.gather(*(desk.gate.apply(ANA, card.token) for _ in range(50)))

    assert Counter(type(one) for one in outcomes) == {Applied: 1, Refuse: 49}
    assert {one.code for one in outcomes if isinstance(one, Refuse)} == {Code.ALREADY_RUN}
    assert desk.notes.ran == [("ana", "note.put")]


@pytest.mark.proves("R001-16", "R-9")
@pytest.mark.parametrize("is_swept", [False, True])
async def test_a_proposal_expires_after_ten_minutes_swept_or_not_and_stays_in_the_history(
    desk: Desk, is_swept: bool
) -> None:
    card = await desk.card()
    in_time = await desk.card(replace(PUT, args={"key": "b", "value": 1}))
    desk.clock.passes(timedelta(minutes=10) - timedelta(microseconds=1))
    assert isinstance(await desk.gate.apply(ANA, in_time.token), Applied)
    desk.clock.passes(timedelta(microseconds=1))
    if is_swept:
        await desk.store.sweep(timedelta(seconds=60))

    outcome = await desk.gate.apply(ANA, card.token)

    assert isinstance(outcome, Refuse)
    assert outcome.code is Code.EXPIRED
    assert len(desk.notes.ran) == 1
    history = await desk.gate.pending(ANA, ApprovalFilter(states=frozenset({State.EXPIRED})))
    assert [one.id for one in history.approvals] == [card.approval.id]


async def test_a_denied_proposal_is_not_applied(desk: Desk) -> None:
    card = await desk.card()
    await desk.answer(card.approval, replace(DENY, reason="not now"))

    outcome = await desk.gate.apply(ANA, card.token)

    assert isinstance(outcome, Refuse)
    assert (outcome.code, outcome.reason, desk.notes.ran) == (Code.DENIED, "not now", [])


async def test_a_proposal_is_applied_and_not_answered(desk: Desk) -> None:
    card = await desk.card()

    for answer in (ONCE, ALWAYS, Answer(say=Say.CONVERSATION), replace(ONCE, args={"key": "b"})):
        with pytest.raises(ConflictError, match="apply it, or deny it"):
            await desk.answer(card.approval, answer)
    assert isinstance(await (await desk.turn("propose")).resume(card.approval.id), Wait)
    assert isinstance(await desk.gate.apply(ANA, card.token), Applied)


# ---- who may --------------------------------------------------------------------------------


@pytest.mark.proves("R001-27")
async def test_another_who_may_applies_it_in_the_proposers_name(desk: Desk) -> None:
    card = await desk.card()

    applied = await desk.gate.apply(CHRIS, card.token)

    assert isinstance(applied, Applied)
    assert applied.approval.answer is not None
    assert (applied.approval.owner, applied.approval.answer.by) == ("ana", "chris")
    assert desk.notes.ran == [("ana", "note.put")]


@pytest.mark.proves("T-5", "T-38")
@pytest.mark.parametrize(
    ("who", "error"),
    [(BEN, NotFoundError), (VERA, ForbiddenError), (CLERK, ForbiddenError), (ROBOT, ForbiddenError)],
)
async def test_the_token_alone_gives_no_right(desk: Desk, who: Principal, error: type[Exception]) -> None:
    card = await desk.card()

    with pytest.raises(error) as caught:
        await desk.gate.apply(who, card.token)

    assert "conversation" not in str(caught.value)
    assert (await desk.state(card), desk.notes.ran) == (State.PENDING, [])


@pytest.mark.proves("R001-23")
async def test_a_service_drives_no_tool_in_either_mode(desk: Desk) -> None:
    for mode in ("approve", "auto"):
        turn = await desk.turn("propose", mode=mode, principal=ROBOT)
        with pytest.raises(ForbiddenError, match="a service cannot run tools"):
            await turn.submit(PUT)
    assert desk.notes.tried == desk.notes.ran == []


@pytest.mark.proves("R001-20")
async def test_a_tool_that_the_person_may_not_use_is_neither_offered_nor_run(desk: Desk) -> None:
    desk.rights.lacking[("ana", "note.put")] = "notes.write"
    turn = await desk.turn("propose", mode="auto")

    outcome = await turn.submit(PUT)

    assert outcome == Refuse(code=Code.UNKNOWN_TOOL, message="there is no such tool")
    assert {tool.name for tool in await turn.visible_tools()} == {tool.name for tool in TOOLS} - {"note.put"}


@pytest.mark.proves("R001-15")
async def test_a_right_that_was_lost_meanwhile_is_named_and_nothing_runs(desk: Desk) -> None:
    card = await desk.card()
    desk.rights.lacking[("ana", "note.put")] = "notes.write"

    outcome = await desk.gate.apply(ADA, card.token)

    assert outcome == Refuse(code=Code.FORBIDDEN, message="ana lacks the right `notes.write`")
    assert (await desk.state(card), desk.notes.ran) == (State.REFUSED, [])


# ---- what changed meanwhile -----------------------------------------------------------------


@pytest.mark.proves("R001-18")
async def test_a_tool_that_is_gone_is_not_found_and_nothing_runs(desk: Desk) -> None:
    card = await desk.card()
    bare = Scene(desk.store, desk.clock)
    bare.gate._catalog._own.clear()
    bare.gate._catalog._rebuild()

    outcome = await bare.gate.apply(ANA, card.token)

    assert outcome == Refuse(code=Code.UNKNOWN_TOOL, message="there is no such tool")
    assert (await desk.state(card), desk.notes.ran) == (State.REFUSED, [])


@pytest.mark.proves("R001-19")
async def test_what_no_longer_fits_the_schema_is_refused(desk: Desk) -> None:
    card = await desk.card()
    desk.notes.needs = frozenset({"title"})

    outcome = await desk.gate.apply(ANA, card.token)

    assert isinstance(outcome, Refuse)
    assert (outcome.code, outcome.issues) == (Code.INVALID, (Issue("title", "is required"),))
    assert desk.notes.ran == []


@pytest.mark.proves("R001-44")
async def test_of_two_proposals_for_one_note_the_second_was_made_on_an_old_one(desk: Desk) -> None:
    turn = await desk.turn("propose")
    first, second = (
        await desk.card(turn=turn),
        await desk.card(replace(PUT, args={"key": "a", "value": 2}), turn),
    )
    assert isinstance(await desk.gate.apply(ANA, first.token), Applied)

    outcome = await desk.gate.apply(ANA, second.token)

    assert isinstance(outcome, Refuse)
    assert "would change has changed" in outcome.message
    assert (await desk.state(second), desk.notes.kept) == (State.REFUSED, {"a": 1})


@pytest.mark.proves("T-14")
@pytest.mark.parametrize("change", ["block", "deny rule"])
async def test_what_was_forbidden_meanwhile_is_not_applied(desk: Desk, change: str) -> None:
    card = await desk.card()
    if change == "block":
        await desk.gate.policy.set_tiers(ADA, "clerk", {"note.put": Tier.BLOCKED})
    else:
        await desk.add_rule(RuleList.DENY, "note.put(key=a)")

    assert isinstance(await desk.gate.apply(ANA, card.token), Refuse)
    assert (await desk.state(card), desk.notes.ran) == (State.REFUSED, [])


@pytest.mark.proves("T-14", "R001-9")
async def test_policy_that_changes_while_auto_applies_runs_nothing_and_leaves_no_card(desk: Desk) -> None:
    turn = await desk.turn("propose", mode="auto")
    dry_run = desk.notes.dry_run

    async def dry_run_and_block(principal: Principal, call: Call) -> Preview:
        await desk.gate.policy.set_tiers(ADA, "clerk", {"note.put": Tier.BLOCKED})
        return await dry_run(principal, call)

    desk.notes.dry_run = dry_run_and_block  # type: ignore[method-assign]

    with pytest.raises(ConflictError, match="policy changed"):
        await turn.submit(PUT)
    assert desk.notes.ran == []
    assert (await desk.gate.pending(ANA)).approvals == ()


@pytest.mark.proves("R001-26")
async def test_switching_to_auto_does_not_apply_a_card_that_is_open(desk: Desk) -> None:
    card = await desk.card()

    await desk.gate.conversations.change(ANA, "c1", ConversationChanges(mode="auto"))
    await desk.turn("propose")

    assert (await desk.state(card), desk.notes.ran) == (State.PENDING, [])


# ---- drafts that are wrong, twice, or not for proposing --------------------------------------


@pytest.mark.proves("R001-24")
@pytest.mark.parametrize("mode", ["approve", "auto"])
async def test_a_wrong_draft_goes_back_with_its_issues_and_may_be_corrected(desk: Desk, mode: str) -> None:
    turn = await desk.turn("propose", mode=mode)

    outcome = await turn.submit(replace(PUT, args={"value": 1}))

    assert isinstance(outcome, Refuse)
    assert (outcome.code, outcome.issues) == (Code.INVALID, (Issue("key", "is required"),))
    assert (desk.notes.tried, (await desk.gate.pending(ANA)).approvals) == ([], ())
    assert isinstance(await turn.submit(PUT), Wait if mode == "approve" else Applied)


@pytest.mark.proves("R001-25", "R001-29")
async def test_the_same_call_twice_in_a_turn_is_one_card(desk: Desk) -> None:
    turn = await desk.turn("propose")
    card = await desk.card(turn=turn)

    again = await turn.submit(replace(PUT, id="again"))

    assert isinstance(again, Refuse)
    assert (again.code, again.message) == (
        "awaiting_operator",
        "this call was already proposed and is pending",
    )
    assert [one.id for one in (await desk.gate.pending(ANA)).approvals] == [card.approval.id]
    assert isinstance(await (await desk.turn("propose")).submit(PUT), Wait)


@pytest.mark.proves("R001-25")
async def test_the_same_call_twice_in_auto_is_applied_once(desk: Desk) -> None:
    turn = await desk.turn("propose", mode="auto")

    outcomes = await asyncio.gather(*(turn.submit(replace(PUT, id=f"call-{one}")) for one in range(10)))

    assert Counter(type(one) for one in outcomes) == {Applied: 1, Refuse: 9}
    assert desk.notes.ran == [("ana", "note.put")]


@pytest.mark.proves("R001-22")
@pytest.mark.parametrize("call", [SEND, PUBLISH])
@pytest.mark.parametrize("mode", ["approve", "auto"])
async def test_a_tool_that_cannot_be_tried_cannot_be_proposed(desk: Desk, call: Call, mode: str) -> None:
    outcome = await (await desk.turn("propose", mode=mode)).submit(call)

    assert isinstance(outcome, Refuse)
    assert outcome.code is Code.NOT_PROPOSABLE


@pytest.mark.proves("T-41")
async def test_proposals_count_against_the_agents_cap(desk: Desk) -> None:
    turn = await desk.turn("propose")
    for number in range(100):
        desk.clock.passes(timedelta(seconds=2))  # Slowly, or its budget would be used up first.
        await desk.card(replace(PUT, args={"key": f"k{number}"}), turn)

    outcome = await turn.submit(replace(PUT, args={"key": "one-more"}))

    assert isinstance(outcome, Refuse)
    assert outcome.code is Code.LIMIT


async def test_who_applies_while_somebody_denies_is_told_so(desk: Desk) -> None:
    card = await desk.card()
    dry_run = desk.notes.dry_run

    async def dry_run_and_deny(principal: Principal, call: Call) -> Preview:
        await desk.answer(card.approval, DENY)
        return await dry_run(principal, call)

    desk.notes.dry_run = dry_run_and_deny  # type: ignore[method-assign]

    outcome = await desk.gate.apply(CHRIS, card.token)

    assert isinstance(outcome, Refuse)
    assert (outcome.code, desk.notes.ran) == (Code.DENIED, [])


# ---- when running goes wrong ----------------------------------------------------------------


@pytest.mark.proves("R001-31", "R001-43")
@pytest.mark.parametrize("error", [ValueError("with a secret in it"), asyncio.CancelledError()])
async def test_what_failed_is_written_down_without_its_words_and_not_run_again(
    desk: Desk, error: BaseException
) -> None:
    desk.notes.fails = error
    card = await desk.card()

    with pytest.raises(type(error)):
        await desk.gate.apply(ANA, card.token)

    failed = await desk.store.approval(card.approval.id)
    assert (failed.state, failed.note) == (State.FAILED, type(error).__name__)
    assert isinstance(await desk.gate.apply(ANA, card.token), Refuse)
    assert desk.notes.ran == [("ana", "note.put")]


@pytest.mark.proves("R001-43", "R-25")
async def test_a_process_that_dies_while_it_applies_leaves_it_unknown_and_never_run_again(desk: Desk) -> None:
    card = await desk.card()
    started = asyncio.Event()

    async def run(principal: Principal, call: Call) -> object:
        desk.notes.ran.append((principal.id, call.tool))
        started.set()
        return await asyncio.Event().wait()

    desk.notes.run = run  # type: ignore[method-assign]
    applying = asyncio.create_task(desk.gate.apply(ANA, card.token))
    await started.wait()
    desk.clock.passes(timedelta(minutes=5))

    await desk.store.sweep(timedelta(seconds=60))

    assert await desk.state(card) is State.UNKNOWN
    outcome = await desk.gate.apply(ANA, card.token)
    assert isinstance(outcome, Refuse)
    assert (outcome.code, desk.notes.ran) == (Code.ALREADY_RUN, [("ana", "note.put")])
    applying.cancel()
    with pytest.raises(asyncio.CancelledError):
        await applying


@pytest.mark.proves("R001-31")
async def test_every_step_of_a_proposal_is_a_row(desk: Desk) -> None:
    turn = await desk.turn("propose")
    await turn.submit(READ)
    await desk.gate.apply(CHRIS, (await desk.card(turn=turn)).token)

    assert [(one["verdict"], one["decision"]) for one in await desk.entries()] == [
        ("run", "automatic"),
        ("ask", ""),
        ("", "approved"),
        ("", "claimed"),
        ("", "executed"),
    ]


async def test_an_agent_proposes_for_its_person_and_the_run_is_the_persons(desk: Desk) -> None:
    card = await desk.card(turn=await desk.turn("propose", principal=CLERK))

    await desk.gate.apply(ANA, card.token)

    assert (card.approval.owner, desk.notes.ran) == ("ana", [("ana", "note.put")])
