"""A conversation starts in its preset's first mode, and only its owner changes it."""

from dataclasses import replace
from itertools import permutations

import pytest

from assent.engine.policy.modes import MODE_ALIASES, Mode, narrower_mode, parse_mode
from assent.errors import AssentError, ConflictError, NotFoundError, UnknownWordError
from assent.gate.access import Principal, Resource
from assent.gate.conversation import (
    ChatRun,
    Conversation,
    Post,
    RunStatus,
    StartedRun,
    StartResult,
    check_post,
    effective_mode,
    new_conversation,
    requested_mode,
    start_run,
    with_mode,
)
from assent.gate.preset import Preset
from tests.gate.samples import ADA, ANA, BEN, CHRIS, CLERK, ROBOT, VERA

CHAT = Preset(name="chat", modes=("default", "plan", "auto"))
PROPOSE = Preset(name="propose", modes=("approve", "auto"))
TIERS = Preset(name="tiers")
CONVERSATION = new_conversation("c1", "ana", "clerk", CHAT)


@pytest.mark.proves("R000-35", "R001-2")
def test_a_new_conversation_starts_in_the_first_mode_of_its_preset() -> None:
    assert Conversation(id="c1", owner="ana", agent="clerk", preset="chat", mode="default") == CONVERSATION
    assert new_conversation("c1", "ana", "clerk", PROPOSE).mode == "approve"
    assert new_conversation("c1", "ana", "clerk", TIERS).mode == ""


def test_the_owner_can_change_the_mode_and_its_spelling_is_stored() -> None:
    assert with_mode(CONVERSATION, "autonomous", CHAT, ANA) == replace(CONVERSATION, mode="autonomous")
    assert with_mode(CONVERSATION, "plan", CHAT, ADA).mode == "plan"


@pytest.mark.proves("R001-11")
@pytest.mark.parametrize("who", [BEN, CHRIS, VERA, CLERK, ROBOT], ids=lambda one: one.id)
def test_a_conversation_is_not_found_for_other_principals(who: Principal) -> None:
    with pytest.raises(NotFoundError):
        with_mode(CONVERSATION, "auto", CHAT, who)


@pytest.mark.parametrize(
    ("preset", "said"),
    [
        (CHAT, "mode `accept_edits` cannot be used: the preset `chat` offers default, plan, auto"),
        (TIERS, "mode `accept_edits` cannot be used: the preset `tiers` has no modes"),
    ],
)
def test_a_mode_that_the_preset_does_not_offer_is_refused(preset: Preset, said: str) -> None:
    with pytest.raises(AssentError) as caught:
        with_mode(CONVERSATION, "accept_edits", preset, ANA)

    assert str(caught.value) == said


def test_an_unknown_mode_is_an_error() -> None:
    with pytest.raises(UnknownWordError):
        with_mode(CONVERSATION, "turbo", CHAT, ANA)


@pytest.mark.supports("R000-34")
@pytest.mark.parametrize(
    ("word", "mode", "spelled"),
    [
        ("plan", Mode.PLAN, "plan"),
        ("autonomous", Mode.AUTO, "autonomous"),
        ("", Mode.DEFAULT, "default"),
        ("turbo", Mode.DEFAULT, "default"),
        ("accept_edits", Mode.DEFAULT, "default"),
    ],
)
def test_a_stored_mode_that_is_unknown_or_not_offered_becomes_the_first_mode(
    word: str, mode: Mode, spelled: str
) -> None:
    assert effective_mode(word, CHAT) == (mode, spelled)


@pytest.mark.proves("T-47")
@pytest.mark.parametrize("offered", [one for size in range(1, 5) for one in permutations(Mode, size)])
def test_a_stored_mode_never_becomes_a_wider_one(offered: tuple[Mode, ...]) -> None:
    preset = replace(CHAT, modes=tuple(one.value for one in offered))

    for word in (*Mode, *MODE_ALIASES):
        mode, _ = effective_mode(word, preset)
        assert mode is narrower_mode(mode, parse_mode(word))
        assert mode in (parse_mode(word), offered[0])
    assert effective_mode("turbo", preset)[0] in (Mode.DEFAULT, Mode.PLAN)


@pytest.mark.proves("T-47")
@pytest.mark.parametrize("word", [*Mode, *MODE_ALIASES])
def test_a_requested_mode_is_used_as_named_or_refused(word: str) -> None:
    if parse_mode(word) is Mode.ACCEPT_EDITS:
        with pytest.raises(AssentError, match="the preset `chat` offers"):
            requested_mode(word, CHAT)
    else:
        assert requested_mode(word, CHAT) is parse_mode(word)


def test_a_preset_without_modes_has_none() -> None:
    assert effective_mode("auto", TIERS) == (None, "")


def test_the_resource_of_a_conversation_has_its_owner_and_agent() -> None:
    assert CONVERSATION.resource == Resource(owner="ana", conversation="c1", agent="clerk")


OLD = ChatRun(
    id="r1",
    conversation="c",
    owner="ana",
    agent="chat",
    message='{"id":"m1"}',
    status=RunStatus.DONE,
    digest="one",
)
NEW = replace(OLD, id="r2", status=RunStatus.RUNNING)


def test_a_new_message_begins_a_run() -> None:
    other = replace(NEW, message='{"id":"m2"}')

    assert start_run(other, [OLD], ()) == StartedRun(other, StartResult.NEW)


@pytest.mark.parametrize("status", [RunStatus.RUNNING, RunStatus.SUSPENDED])
def test_an_open_run_prevents_a_run_for_another_message(status: RunStatus) -> None:
    still = replace(OLD, status=status)

    assert start_run(replace(NEW, message='{"id":"m2"}'), [still], ()) == StartedRun(
        still, StartResult.OCCUPIED
    )


@pytest.mark.proves("T-53")
@pytest.mark.parametrize("status", list(RunStatus))
def test_a_repeated_message_returns_its_run_in_any_status(status: RunStatus) -> None:
    known = replace(OLD, status=status)

    assert start_run(NEW, [known], ()) == StartedRun(known, StartResult.REPEATED)


def test_messages_without_an_id_are_never_repeats() -> None:
    nameless = replace(OLD, message="{}")

    assert start_run(replace(NEW, message="{}"), [nameless], ()).start is StartResult.NEW


def test_replacing_a_run_that_was_already_replaced_is_a_conflict() -> None:
    replaced = replace(OLD, replaced_by="r0")

    with pytest.raises(ConflictError, match="replaced meanwhile"):
        start_run(NEW, [replaced], ["r1"])


@pytest.mark.proves("T-53")
def test_a_key_belongs_to_one_request() -> None:
    check_post(Post("person ana", "k", "one"), "one")
    with pytest.raises(ConflictError, match="k"):
        check_post(Post("person ana", "k", "two"), "one")
