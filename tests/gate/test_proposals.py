"""Proposals: a card that a person applies, or the gate itself in auto, and neither of them twice."""

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
from assent.engine.policy.tiers import Tier
from assent.errors import AssentError, ConflictError, ForbiddenError, InputError, NotFoundError
from assent.gate.access import Principal
from assent.gate.answer import Answer, Say
from assent.gate.approval import State
from assent.gate.calls import Applied, Code, Outcome, Refuse, Run, Wait
from assent.gate.conversations import ConversationChanges
from assent.gate.ports import Issue, Preview
from assent.gate.store import ApprovalFilter
from assent.gate.turn import Turn
from tests.gate.samples import ADA, ANA, BEN, CHRIS, CLERK, ROBOT, VERA
from tests.gate.scene import ALWAYS, DENY, DROP, ONCE, PUBLISH, PUT, READ, SEND, TOOLS, Scene, a_store
from tests.stores.promises.given import SetClock


@dataclass
class Notes:
    """Runs `note.put` and `note.drop` on a few notes, and records the principals."""

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
    """An authorizer with the missing rights of each principal."""

    def __init__(self) -> None:
        self.lacking: dict[tuple[str, str], str] = {}

    async def missing(self, principal: Principal, tool: Tool) -> str | None:
        return self.lacking.get((principal.user, tool.name))


class NotesScene(Scene):
    """A scene whose tools change notes."""

    def __init__(self, store: object, clock: SetClock) -> None:
        self.rights = Rights()
        super().__init__(store, clock, authorizer=self.rights)  # type: ignore[arg-type]
        self.notes = Notes()
        self.gate.offer(runners={"note.put": self.notes, "note.drop": self.notes})

    async def propose(self, call: Call = PUT, turn: Turn | None = None) -> Wait:
        outcome = await (turn or await self.turn("propose")).submit(call)
        assert isinstance(outcome, Wait), outcome
        return outcome

    async def state(self, card: Wait) -> State:
        return (await self.store.approval(card.approval.id)).state


@asynccontextmanager
async def a_notes_scene(kind: str, directory: Path) -> AsyncGenerator[NotesScene]:
    clock = SetClock()
    store = await a_store(kind, clock, directory)
    yield NotesScene(store, clock)
    await store.close()


@pytest.fixture(params=["memory", "sqlite"])
def notes_scene(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[NotesScene]:
    return a_notes_scene(request.param, tmp_path)


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
    notes_scene: NotesScene, mode: str, call: Call, expected: type[Outcome]
) -> None:
    outcome = await (await notes_scene.turn("propose", mode=mode)).submit(call)

    assert type(outcome) is expected
    assert notes_scene.notes.ran == ([("ana", "note.put")] if expected is Applied else [])


@pytest.mark.proves("R001-12", "R001-30")
async def test_a_card_holds_what_would_happen_and_nothing_happened_yet(notes_scene: NotesScene) -> None:
    notes_scene.notes.kept = {"a": 0}

    card = await notes_scene.propose()

    assert card.approval.preview == {
        "summary": "put a",
        "details": {"before": 0, "after": 1},
        "fingerprint": "0",
    }
    assert card.approval.expires_at == notes_scene.clock.now + timedelta(minutes=10)
    assert (card.approval.call.id, notes_scene.notes.ran, notes_scene.notes.kept) == ("put", [], {"a": 0})


@pytest.mark.proves("R001-12", "R001-5", "R001-30")
async def test_applying_runs_the_stored_call_and_says_what_came_of_it(notes_scene: NotesScene) -> None:
    card = await notes_scene.propose()

    applied = await notes_scene.gate.apply(ANA, card.token)

    assert isinstance(applied, Applied)
    assert (applied.result, applied.approval.state, notes_scene.notes.kept) == ("kept", State.DONE, {"a": 1})
    assert applied.approval.preview == card.approval.preview


@pytest.mark.proves("R001-9")
async def test_auto_is_a_proposal_that_the_gate_applies_and_shows_the_same_card(
    notes_scene: NotesScene,
) -> None:
    outcome = await (await notes_scene.turn("propose", mode="auto")).submit(PUT)

    assert isinstance(outcome, Applied)
    assert outcome.approval.preview == {
        "summary": "put a",
        "details": {"before": None, "after": 1},
        "fingerprint": "None",
    }
    assert (outcome.approval.state, outcome.approval.answer) == (State.DONE, None)
    assert [one["decision"] for one in await notes_scene.entries()] == ["automatic", "claimed", "executed"]


@pytest.mark.proves("R001-8", "R001-38")
@pytest.mark.parametrize("mode", ["approve", "auto", "bypassPermissions", "default"])
async def test_no_mode_no_tier_no_rule_and_no_grant_applies_what_is_destructive(
    notes_scene: NotesScene, mode: str
) -> None:
    await notes_scene.gate.policy.set_tiers(ADA, "clerk", {"note.drop": Tier.ALWAYS_ALLOW})
    await notes_scene.add_rule(RuleList.ALLOW, "note.drop")

    outcome = await (await notes_scene.turn("propose", mode=mode)).submit(DROP)

    assert isinstance(outcome, Wait)
    assert notes_scene.notes.ran == []


@pytest.mark.proves("R001-8", "T-47")
@pytest.mark.parametrize("mode", ["plan", "yolo"])
async def test_a_mode_that_is_not_offered_is_refused(notes_scene: NotesScene, mode: str) -> None:
    with pytest.raises(AssentError, match=mode):
        await notes_scene.turn("propose", mode=mode)


# ---- the token ------------------------------------------------------------------------------


@pytest.mark.proves("R001-13")
async def test_a_token_names_its_row_and_holds_32_random_bytes_that_are_not_kept(
    notes_scene: NotesScene,
) -> None:
    card = await notes_scene.propose()
    head, _, nonce = card.token.partition(".")

    assert head == f"propose:{card.approval.id}"
    assert len(nonce) == 43
    assert nonce not in repr(await notes_scene.store.approval(card.approval.id))


@pytest.mark.proves("R001-17", "T-4")
@pytest.mark.parametrize(
    "wrong",
    ["", "x", "propose:", "propose:{id}", "propose:{id}.", "{id}.{nonce}", "propose:{id}.{nonce}x", "apply:{id}.{nonce}",
     "propose:{id}." + "A" * 43, "propose:{id}.\ud800", "propose:\x00.{nonce}", "propose:{id}.{nonce}\n"],
)  # fmt: skip
async def test_a_wrong_token_is_invalid_and_does_not_say_why(notes_scene: NotesScene, wrong: str) -> None:
    card = await notes_scene.propose()
    nonce = card.token.partition(".")[2]

    with pytest.raises(InputError) as caught:
        await notes_scene.gate.apply(ANA, wrong.format(id=card.approval.id, nonce=nonce))

    assert str(caught.value) == "invalid token"
    assert await notes_scene.state(card) is State.PENDING


@pytest.mark.proves("R001-17")
async def test_a_token_for_a_row_that_is_not_there_is_not_found(notes_scene: NotesScene) -> None:
    with pytest.raises(NotFoundError):
        await notes_scene.gate.apply(ANA, f"propose:{'0' * 32}.{'A' * 43}")


async def test_the_token_of_one_card_does_not_apply_another(notes_scene: NotesScene) -> None:
    turn = await notes_scene.turn("propose")
    card, other = (
        await notes_scene.propose(turn=turn),
        await notes_scene.propose(replace(PUT, args={"key": "b"}), turn),
    )
    nonce = other.token.partition(".")[2]

    with pytest.raises(InputError, match="invalid token"):
        await notes_scene.gate.apply(ANA, f"propose:{card.approval.id}.{nonce}")
    assert notes_scene.notes.ran == []


@pytest.mark.proves("R001-14", "R000-32", "T-3")
async def test_of_fifty_who_apply_one_does(notes_scene: NotesScene) -> None:
    card = await notes_scene.propose()

    outcomes = await asyncio.gather(*(notes_scene.gate.apply(ANA, card.token) for _ in range(50)))

    assert Counter(type(one) for one in outcomes) == {Applied: 1, Refuse: 49}
    assert {one.code for one in outcomes if isinstance(one, Refuse)} == {Code.ALREADY_RUN}
    assert notes_scene.notes.ran == [("ana", "note.put")]


@pytest.mark.proves("R001-16", "R-9")
@pytest.mark.parametrize("is_swept", [False, True])
async def test_a_proposal_expires_after_ten_minutes_swept_or_not_and_stays_in_the_history(
    notes_scene: NotesScene, is_swept: bool
) -> None:
    card = await notes_scene.propose()
    in_time = await notes_scene.propose(replace(PUT, args={"key": "b", "value": 1}))
    notes_scene.clock.advance(timedelta(minutes=10) - timedelta(microseconds=1))
    assert isinstance(await notes_scene.gate.apply(ANA, in_time.token), Applied)
    notes_scene.clock.advance(timedelta(microseconds=1))
    if is_swept:
        await notes_scene.store.sweep(timedelta(seconds=60))

    outcome = await notes_scene.gate.apply(ANA, card.token)

    assert isinstance(outcome, Refuse)
    assert outcome.code is Code.EXPIRED
    assert len(notes_scene.notes.ran) == 1
    history = await notes_scene.gate.pending(ANA, ApprovalFilter(states=frozenset({State.EXPIRED})))
    assert [one.id for one in history.approvals] == [card.approval.id]


async def test_a_denied_proposal_is_not_applied(notes_scene: NotesScene) -> None:
    card = await notes_scene.propose()
    await notes_scene.answer(card.approval, replace(DENY, reason="not now"))

    outcome = await notes_scene.gate.apply(ANA, card.token)

    assert isinstance(outcome, Refuse)
    assert (outcome.code, outcome.reason, notes_scene.notes.ran) == (Code.DENIED, "not now", [])


async def test_a_proposal_is_applied_and_not_answered(notes_scene: NotesScene) -> None:
    card = await notes_scene.propose()

    for answer in (ONCE, ALWAYS, Answer(say=Say.CONVERSATION), replace(ONCE, args={"key": "b"})):
        with pytest.raises(ConflictError, match="apply it, or deny it"):
            await notes_scene.answer(card.approval, answer)
    assert isinstance(await (await notes_scene.turn("propose")).resume(card.approval.id), Wait)
    assert isinstance(await notes_scene.gate.apply(ANA, card.token), Applied)


# ---- who may --------------------------------------------------------------------------------


@pytest.mark.proves("R001-27")
async def test_another_who_may_applies_it_in_the_proposers_name(notes_scene: NotesScene) -> None:
    card = await notes_scene.propose()

    applied = await notes_scene.gate.apply(CHRIS, card.token)

    assert isinstance(applied, Applied)
    assert applied.approval.answer is not None
    assert (applied.approval.owner, applied.approval.answer.by) == ("ana", "chris")
    assert notes_scene.notes.ran == [("ana", "note.put")]


@pytest.mark.proves("T-5", "T-38")
@pytest.mark.parametrize(
    ("who", "error"),
    [(BEN, NotFoundError), (VERA, ForbiddenError), (CLERK, ForbiddenError), (ROBOT, ForbiddenError)],
)
async def test_the_token_alone_gives_no_right(
    notes_scene: NotesScene, who: Principal, error: type[Exception]
) -> None:
    card = await notes_scene.propose()

    with pytest.raises(error) as caught:
        await notes_scene.gate.apply(who, card.token)

    assert "conversation" not in str(caught.value)
    assert (await notes_scene.state(card), notes_scene.notes.ran) == (State.PENDING, [])


@pytest.mark.proves("R001-23")
async def test_a_service_drives_no_tool_in_either_mode(notes_scene: NotesScene) -> None:
    for mode in ("approve", "auto"):
        turn = await notes_scene.turn("propose", mode=mode, principal=ROBOT)
        with pytest.raises(ForbiddenError, match="a service cannot run tools"):
            await turn.submit(PUT)
    assert notes_scene.notes.tried == notes_scene.notes.ran == []


@pytest.mark.proves("R001-20")
async def test_a_tool_that_the_person_may_not_use_is_neither_offered_nor_run(notes_scene: NotesScene) -> None:
    notes_scene.rights.lacking[("ana", "note.put")] = "notes.write"
    turn = await notes_scene.turn("propose", mode="auto")

    outcome = await turn.submit(PUT)

    assert outcome == Refuse(code=Code.UNKNOWN_TOOL, message="there is no such tool")
    assert {tool.name for tool in await turn.visible_tools()} == {tool.name for tool in TOOLS} - {"note.put"}


@pytest.mark.proves("R001-15")
async def test_a_right_that_was_lost_meanwhile_is_named_and_nothing_runs(notes_scene: NotesScene) -> None:
    card = await notes_scene.propose()
    notes_scene.rights.lacking[("ana", "note.put")] = "notes.write"

    outcome = await notes_scene.gate.apply(ADA, card.token)

    assert outcome == Refuse(code=Code.FORBIDDEN, message="ana lacks the right `notes.write`")
    assert (await notes_scene.state(card), notes_scene.notes.ran) == (State.REFUSED, [])


# ---- what changed meanwhile -----------------------------------------------------------------


@pytest.mark.proves("R001-18")
async def test_a_tool_that_is_gone_is_not_found_and_nothing_runs(notes_scene: NotesScene) -> None:
    card = await notes_scene.propose()
    bare = Scene(notes_scene.store, notes_scene.clock)
    bare.gate._catalog._own.clear()
    bare.gate._catalog._rebuild()

    outcome = await bare.gate.apply(ANA, card.token)

    assert outcome == Refuse(code=Code.UNKNOWN_TOOL, message="there is no such tool")
    assert (await notes_scene.state(card), notes_scene.notes.ran) == (State.REFUSED, [])


@pytest.mark.proves("R001-19")
async def test_what_no_longer_fits_the_schema_is_refused(notes_scene: NotesScene) -> None:
    card = await notes_scene.propose()
    notes_scene.notes.needs = frozenset({"title"})

    outcome = await notes_scene.gate.apply(ANA, card.token)

    assert isinstance(outcome, Refuse)
    assert (outcome.code, outcome.issues) == (Code.INVALID, (Issue("title", "is required"),))
    assert notes_scene.notes.ran == []


@pytest.mark.proves("R001-44")
async def test_of_two_proposals_for_one_note_the_second_was_made_on_an_old_one(
    notes_scene: NotesScene,
) -> None:
    turn = await notes_scene.turn("propose")
    first, second = (
        await notes_scene.propose(turn=turn),
        await notes_scene.propose(replace(PUT, args={"key": "a", "value": 2}), turn),
    )
    assert isinstance(await notes_scene.gate.apply(ANA, first.token), Applied)

    outcome = await notes_scene.gate.apply(ANA, second.token)

    assert isinstance(outcome, Refuse)
    assert "would change has changed" in outcome.message
    assert (await notes_scene.state(second), notes_scene.notes.kept) == (State.REFUSED, {"a": 1})


@pytest.mark.proves("T-14")
@pytest.mark.parametrize("change", ["block", "deny rule"])
async def test_what_was_forbidden_meanwhile_is_not_applied(notes_scene: NotesScene, change: str) -> None:
    card = await notes_scene.propose()
    if change == "block":
        await notes_scene.gate.policy.set_tiers(ADA, "clerk", {"note.put": Tier.BLOCKED})
    else:
        await notes_scene.add_rule(RuleList.DENY, "note.put(key=a)")

    assert isinstance(await notes_scene.gate.apply(ANA, card.token), Refuse)
    assert (await notes_scene.state(card), notes_scene.notes.ran) == (State.REFUSED, [])


@pytest.mark.proves("T-14", "R001-9")
async def test_policy_that_changes_while_auto_applies_runs_nothing_and_leaves_no_card(
    notes_scene: NotesScene,
) -> None:
    turn = await notes_scene.turn("propose", mode="auto")
    dry_run = notes_scene.notes.dry_run

    async def dry_run_and_block(principal: Principal, call: Call) -> Preview:
        await notes_scene.gate.policy.set_tiers(ADA, "clerk", {"note.put": Tier.BLOCKED})
        return await dry_run(principal, call)

    notes_scene.notes.dry_run = dry_run_and_block  # type: ignore[method-assign]

    with pytest.raises(ConflictError, match="policy changed"):
        await turn.submit(PUT)
    assert notes_scene.notes.ran == []
    assert (await notes_scene.gate.pending(ANA)).approvals == ()


@pytest.mark.proves("R001-26")
async def test_switching_to_auto_does_not_apply_a_card_that_is_open(notes_scene: NotesScene) -> None:
    card = await notes_scene.propose()

    await notes_scene.gate.conversations.change(ANA, "c1", ConversationChanges(mode="auto"))
    await notes_scene.turn("propose")

    assert (await notes_scene.state(card), notes_scene.notes.ran) == (State.PENDING, [])


# ---- drafts that are wrong, twice, or not for proposing --------------------------------------


@pytest.mark.proves("R001-24")
@pytest.mark.parametrize("mode", ["approve", "auto"])
async def test_a_wrong_draft_goes_back_with_its_issues_and_may_be_corrected(
    notes_scene: NotesScene, mode: str
) -> None:
    turn = await notes_scene.turn("propose", mode=mode)

    outcome = await turn.submit(replace(PUT, args={"value": 1}))

    assert isinstance(outcome, Refuse)
    assert (outcome.code, outcome.issues) == (Code.INVALID, (Issue("key", "is required"),))
    assert (notes_scene.notes.tried, (await notes_scene.gate.pending(ANA)).approvals) == ([], ())
    assert isinstance(await turn.submit(PUT), Wait if mode == "approve" else Applied)


@pytest.mark.proves("R001-25")
@pytest.mark.supports("R001-29")
async def test_the_same_call_twice_in_a_turn_is_one_card(notes_scene: NotesScene) -> None:
    turn = await notes_scene.turn("propose")
    card = await notes_scene.propose(turn=turn)

    again = await turn.submit(replace(PUT, id="again"))

    assert isinstance(again, Refuse)
    assert (again.code, again.message) == (
        "awaiting_operator",
        "this call was already proposed and is pending",
    )
    assert [one.id for one in (await notes_scene.gate.pending(ANA)).approvals] == [card.approval.id]
    assert isinstance(await (await notes_scene.turn("propose")).submit(PUT), Wait)


@pytest.mark.proves("R001-25")
async def test_the_same_call_twice_in_auto_is_applied_once(notes_scene: NotesScene) -> None:
    turn = await notes_scene.turn("propose", mode="auto")

    outcomes = await asyncio.gather(*(turn.submit(replace(PUT, id=f"call-{one}")) for one in range(10)))

    assert Counter(type(one) for one in outcomes) == {Applied: 1, Refuse: 9}
    assert notes_scene.notes.ran == [("ana", "note.put")]


@pytest.mark.proves("R001-22")
@pytest.mark.parametrize("call", [SEND, PUBLISH])
@pytest.mark.parametrize("mode", ["approve", "auto"])
async def test_a_tool_that_cannot_be_tried_cannot_be_proposed(
    notes_scene: NotesScene, call: Call, mode: str
) -> None:
    outcome = await (await notes_scene.turn("propose", mode=mode)).submit(call)

    assert isinstance(outcome, Refuse)
    assert outcome.code is Code.NOT_PROPOSABLE


@pytest.mark.proves("T-41")
async def test_proposals_count_against_the_agents_cap(notes_scene: NotesScene) -> None:
    turn = await notes_scene.turn("propose")
    for number in range(100):
        notes_scene.clock.advance(timedelta(seconds=2))  # Slowly, or its budget would be used up first.
        await notes_scene.propose(replace(PUT, args={"key": f"k{number}"}), turn)

    outcome = await turn.submit(replace(PUT, args={"key": "one-more"}))

    assert isinstance(outcome, Refuse)
    assert outcome.code is Code.LIMIT


async def test_who_applies_while_somebody_denies_is_told_so(notes_scene: NotesScene) -> None:
    card = await notes_scene.propose()
    dry_run = notes_scene.notes.dry_run

    async def dry_run_and_deny(principal: Principal, call: Call) -> Preview:
        await notes_scene.answer(card.approval, DENY)
        return await dry_run(principal, call)

    notes_scene.notes.dry_run = dry_run_and_deny  # type: ignore[method-assign]

    outcome = await notes_scene.gate.apply(CHRIS, card.token)

    assert isinstance(outcome, Refuse)
    assert (outcome.code, notes_scene.notes.ran) == (Code.DENIED, [])


# ---- when running goes wrong ----------------------------------------------------------------


@pytest.mark.proves("R001-31")
@pytest.mark.supports("R001-43")
@pytest.mark.parametrize("error", [ValueError("with a secret in it"), asyncio.CancelledError()])
async def test_what_failed_is_written_down_without_its_words_and_not_run_again(
    notes_scene: NotesScene, error: BaseException
) -> None:
    notes_scene.notes.fails = error
    card = await notes_scene.propose()

    with pytest.raises(type(error)):
        await notes_scene.gate.apply(ANA, card.token)

    failed = await notes_scene.store.approval(card.approval.id)
    assert (failed.state, failed.note) == (State.FAILED, type(error).__name__)
    assert isinstance(await notes_scene.gate.apply(ANA, card.token), Refuse)
    assert notes_scene.notes.ran == [("ana", "note.put")]


@pytest.mark.proves("R001-43", "R-25")
async def test_a_process_that_dies_while_it_applies_leaves_it_unknown_and_never_run_again(
    notes_scene: NotesScene,
) -> None:
    card = await notes_scene.propose()
    started = asyncio.Event()

    async def run(principal: Principal, call: Call) -> object:
        notes_scene.notes.ran.append((principal.id, call.tool))
        started.set()
        return await asyncio.Event().wait()

    notes_scene.notes.run = run  # type: ignore[method-assign]
    applying = asyncio.create_task(notes_scene.gate.apply(ANA, card.token))
    await started.wait()
    notes_scene.clock.advance(timedelta(minutes=5))

    await notes_scene.store.sweep(timedelta(seconds=60))

    assert await notes_scene.state(card) is State.UNKNOWN
    outcome = await notes_scene.gate.apply(ANA, card.token)
    assert isinstance(outcome, Refuse)
    assert (outcome.code, notes_scene.notes.ran) == (Code.ALREADY_RUN, [("ana", "note.put")])
    applying.cancel()
    with pytest.raises(asyncio.CancelledError):
        await applying


@pytest.mark.proves("R001-31")
async def test_every_step_of_a_proposal_is_a_row(notes_scene: NotesScene) -> None:
    turn = await notes_scene.turn("propose")
    await turn.submit(READ)
    await notes_scene.gate.apply(CHRIS, (await notes_scene.propose(turn=turn)).token)

    assert [(one["verdict"], one["decision"]) for one in await notes_scene.entries()] == [
        ("run", "automatic"),
        ("ask", ""),
        ("", "approved"),
        ("", "claimed"),
        ("", "executed"),
    ]


async def test_an_agent_proposes_for_its_person_and_the_run_is_the_persons(notes_scene: NotesScene) -> None:
    card = await notes_scene.propose(turn=await notes_scene.turn("propose", principal=CLERK))

    await notes_scene.gate.apply(ANA, card.token)

    assert (card.approval.owner, notes_scene.notes.ran) == ("ana", [("ana", "note.put")])
