"""An approval never lasts longer or has a wider scope than its answer and its preset allow."""

from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import product
from pathlib import Path

import pytest

from assent.config.preset import load_preset
from assent.engine.base.tool import Call
from assent.engine.policy.snapshot import GrantSet
from assent.errors import InputError
from assent.gate.always import PolicyAdditions, policy_additions
from assent.gate.answer import Answer, Say, lifetime_limits, narrowest_scope
from assent.gate.approval import State
from assent.gate.policy import StoredGrant
from assent.gate.preset import Always, Becomes, Lifetime, Preset, Scope
from tests.gate.samples import DAY, NOW, SECOND, sample_approval
from tests.gate.scene import PUBLISH, GateHarness, ask_person, does_call_run, open_harness

QUESTION = sample_approval(args={"command": "make publish"})
HOUR = timedelta(hours=1)
LASTING_ANSWERS = (Say.CONVERSATION, Say.ALWAYS)
CALLS = [
    replace(QUESTION.call, conversation=conversation, agent=agent, user=user)
    for conversation, agent, user in product(("c1", "c2"), ("clerk", "cook"), ("ana", "ben"))
]
FIXED_FIELDS = {
    Scope.CONVERSATION: ("conversation",),
    Scope.AGENT: ("agent",),
    Scope.USER_AGENT: ("agent", "user"),
    Scope.USER: ("user",),
    Scope.EVERYONE: (),
}
"""The fields of a call that each scope fixes."""


def custom_preset(**always: object) -> Preset:
    return Preset(name="own", always=Always(**always))  # type: ignore[arg-type]


def answers_with_lifetimes() -> Iterator[tuple[Answer, Preset]]:
    """Every combination of the fields that limit an answer's lifetime, under every preset."""
    becomes = (Becomes.RULE, Becomes.GRANT, Becomes.OVERRIDE)
    fields = product(LASTING_ANSWERS, (None, *Lifetime), (None, NOW + HOUR), (None, 1, 3))
    for (say, lifetime, until, uses), fixed, what in product(fields, (None, *Lifetime), becomes):
        answer = Answer(say=say, by="ana", lifetime=lifetime, until=until, uses=uses)
        yield answer, custom_preset(becomes=what, lifetime=fixed)


def answers_with_scopes() -> Iterator[tuple[Answer, Preset]]:
    for say, scope, fixed, widened in product(LASTING_ANSWERS, (None, *Scope), (None, *Scope), (True, False)):
        yield Answer(say=say, by="ana", scope=scope), custom_preset(scope=fixed, widened=widened)


def is_any_active(found: PolicyAdditions, *, at: datetime, boot: str, used: int) -> bool:
    """Whether any rule or grant is active at a time, in a process, after this number of uses."""
    return bool(found.rules) or any(
        replace(one, boot="boot-1", uses=None if one.uses is None else one.uses - used).is_active(
            at=at, boot=boot
        )
        for one in found.grants
    )


def applies_to(found: PolicyAdditions, call: Call) -> bool:
    given = (*found.grants, *found.rules)
    grants = [
        StoredGrant(
            id="",
            pattern="terminal.exec",
            lifetime=Lifetime.FOREVER,
            by="",
            conversation=one.conversation,
            agent=one.agent,
            user=one.user,
        )
        for one in given
    ]
    return bool(GrantSet(one.to_engine() for one in grants).rule_sets_for_call(call))


@pytest.mark.proves("T-46")
def test_an_approval_lasts_no_longer_than_each_of_its_limits() -> None:
    taken = 0
    for answer, preset in answers_with_lifetimes():
        try:
            found = policy_additions(QUESTION, answer, preset)
        except InputError:
            continue
        taken += 1
        limits = {answer.lifetime, preset.always.lifetime}
        assert is_any_active(found, at=NOW, boot="boot-1", used=0)
        if answer.until is not None or Lifetime.UNTIL in limits:
            assert not is_any_active(found, at=NOW + HOUR, boot="boot-1", used=0), (answer, preset)
        if answer.uses is not None or Lifetime.USES in limits:
            assert not is_any_active(found, at=NOW, boot="boot-1", used=answer.uses or 0), (answer, preset)
        if Lifetime.RESTART in limits:
            assert not is_any_active(found, at=NOW, boot="boot-2", used=0), (answer, preset)

    assert taken > 500


@pytest.mark.proves("T-46")
def test_only_contradictory_limits_are_refused() -> None:
    for answer, preset in answers_with_lifetimes():
        needed = {answer.lifetime, preset.always.lifetime}
        limited = answer.until is not None or answer.uses is not None
        contradicts = (
            (answer.lifetime is Lifetime.FOREVER and limited)
            or (Lifetime.UNTIL in needed and answer.until is None)
            or (Lifetime.USES in needed and answer.uses is None)
        )
        if contradicts:
            with pytest.raises(InputError):
                lifetime_limits(answer, preset.always)
        else:
            term = lifetime_limits(answer, preset.always)
            assert (term.until, term.uses) == (answer.until, answer.uses)


@pytest.mark.proves("T-46", "T-9")
def test_an_approval_is_limited_to_its_scope_and_to_the_scope_of_the_preset() -> None:
    for answer, preset in answers_with_scopes():
        try:
            found = policy_additions(QUESTION, answer, preset)
        except InputError:
            assert answer.say is Say.CONVERSATION
            continue
        always = preset.always
        bounds = [] if answer.scope is None else [FIXED_FIELDS[answer.scope]]
        if answer.say is Say.CONVERSATION:
            bounds.append(FIXED_FIELDS[Scope.CONVERSATION])
        elif always.scope is not None and (answer.scope is None or not always.widened):
            bounds.append(FIXED_FIELDS[always.scope])
        for call in CALLS:
            outside = any(
                getattr(call, name) != getattr(QUESTION.call, name) for bound in bounds for name in bound
            )
            assert not (outside and applies_to(found, call)), (answer, preset, call)
        assert applies_to(found, QUESTION.call)
        given = (*found.grants, *found.rules)[0]
        named = {name for name in ("conversation", "agent", "user") if getattr(given, name) is not None}
        assert set(FIXED_FIELDS[narrowest_scope(answer, always)]) <= named


@pytest.mark.proves("T-46")
@pytest.mark.parametrize(
    ("name", "wish", "limits"),
    [
        ("tiers", {"uses": 2}, (Lifetime.USES, None, 2)),
        ("workbench", {"until": NOW + HOUR}, (Lifetime.UNTIL, NOW + HOUR, None)),
        ("workbench", {"lifetime": Lifetime.RESTART}, (Lifetime.RESTART, None, None)),
        ("chat", {"uses": 2}, (Lifetime.RESTART, None, 2)),
        ("fleet", {"until": NOW + HOUR, "uses": 2}, (Lifetime.RESTART, NOW + HOUR, 2)),
        ("assent", {"until": NOW + HOUR, "uses": 2}, (Lifetime.USES, NOW + HOUR, 2)),
    ],
)
def test_a_shorter_lifetime_applies_under_a_preset_with_a_fixed_lifetime(
    name: str, wish: dict[str, object], limits: tuple[object, ...]
) -> None:
    answer = replace(Answer(say=Say.ALWAYS, by="ana"), **wish)  # type: ignore[arg-type]
    (grant,) = policy_additions(QUESTION, answer, load_preset(name)).grants

    assert (grant.lifetime, grant.until, grant.uses) == limits


@pytest.mark.proves("T-46")
def test_a_narrower_scope_applies_under_a_preset_with_a_fixed_scope() -> None:
    answer = Answer(say=Say.ALWAYS, by="ana", scope=Scope.CONVERSATION)
    (tier,) = policy_additions(QUESTION, answer, load_preset("tiers")).grants
    agent = replace(answer, scope=Scope.USER_AGENT)
    (chat,) = policy_additions(QUESTION, agent, load_preset("chat")).grants

    assert (tier.conversation, tier.agent, tier.user) == ("c1", "clerk", "ana")
    assert (chat.conversation, chat.agent, chat.user) == ("c1", "clerk", "ana")


# ---- in a gate, with a store ----------------------------------------------------------------


@pytest.fixture(params=["memory", "sqlite"])
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[GateHarness]:
    return open_harness(request.param, tmp_path)


async def count_runs_after(harness: GateHarness, *, preset: str = "assent", **wish: object) -> int:
    """How many of five further calls run after this answer."""
    turn = await harness.turn(preset)
    question = await ask_person(turn, PUBLISH)
    answer = replace(Answer(say=Say.ALWAYS), **wish)  # type: ignore[arg-type]
    await harness.answer(question, answer)
    await turn.resume(question.id)
    return sum([await does_call_run(turn, PUBLISH) for _ in range(5)])


@pytest.mark.proves("T-46")
@pytest.mark.parametrize("lifetime", [None, Lifetime.USES, Lifetime.RESTART])
async def test_an_approval_with_a_number_of_uses_ends_after_them(
    harness: GateHarness, lifetime: Lifetime | None
) -> None:
    assert await count_runs_after(harness, lifetime=lifetime, uses=2) == 2


@pytest.mark.proves("T-46")
@pytest.mark.parametrize("preset", ["chat", "workbench"])
async def test_a_number_of_uses_applies_under_a_preset_with_a_fixed_lifetime(
    harness: GateHarness, preset: str
) -> None:
    assert await count_runs_after(harness, preset=preset, uses=2) == 2


@pytest.mark.proves("T-46")
@pytest.mark.parametrize("wish", [{}, {"lifetime": Lifetime.RESTART}, {"uses": 100}])
async def test_an_approval_with_an_end_time_ends_by_the_stores_clock(
    harness: GateHarness, wish: dict[str, object]
) -> None:
    until = harness.clock() + DAY
    turn = await harness.turn()

    assert await count_runs_after(harness, until=until, **wish) == 5
    harness.clock.advance(DAY - SECOND)
    assert await does_call_run(turn, PUBLISH)
    harness.clock.advance(SECOND)
    assert not await does_call_run(turn, PUBLISH)


@pytest.mark.proves("T-46")
@pytest.mark.parametrize("say", [Say.ONCE, Say.CONVERSATION, Say.ALWAYS])
async def test_an_end_time_in_the_past_is_refused_by_the_stores_clock(harness: GateHarness, say: Say) -> None:
    question = await ask_person(await harness.turn(), PUBLISH)

    for until in (harness.clock(), harness.clock() - SECOND):
        with pytest.raises(InputError):
            await harness.answer(question, Answer(say=say, until=until))
    assert (await harness.store.approval(question.id)).answer is None
    assert not await harness.store.rules()
    assert not await harness.store.grants()


@pytest.mark.proves("T-46")
async def test_a_revoked_until_restart_grant_is_not_restored(harness: GateHarness) -> None:
    turn = await harness.turn()
    question = await ask_person(turn, PUBLISH)
    await harness.answer(question, Answer(say=Say.ALWAYS, lifetime=Lifetime.RESTART))
    await turn.resume(question.id)
    (grant,) = await harness.gate.policy.grants(turn.context.principal)
    await harness.gate.policy.revoke(turn.context.principal, grant.id)
    harness.gate._decider.keep_grants([grant])

    assert not await does_call_run(turn, PUBLISH)


@pytest.mark.proves("T-46")
@pytest.mark.parametrize("wish", [{"uses": 2}, {"lifetime": Lifetime.FOREVER}, {"scope": Scope.USER}])
async def test_limits_on_the_approval_of_one_call_are_refused_and_a_denial_is_always_accepted(
    harness: GateHarness, wish: dict[str, object]
) -> None:
    question = await ask_person(await harness.turn(), PUBLISH)

    with pytest.raises(InputError, match="goes with `always`"):
        await harness.answer(question, replace(Answer(say=Say.ONCE), **wish))  # type: ignore[arg-type]
    denied = await harness.answer(question, replace(Answer(say=Say.DENY), **wish))  # type: ignore[arg-type]
    assert denied.state is State.DENIED
