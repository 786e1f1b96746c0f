"""Tests of opening, reading and changing conversations."""

from dataclasses import replace

import pytest

from assent.errors import AssentError, InputError, NotFoundError, UnknownWordError
from assent.gate.access import Principal
from assent.gate.conversations import ConversationChanges, Conversations, NewConversation
from tests.gate.samples import ADA, ANA, BEN, CHRIS, CLERK, ROBOT, VERA
from tests.gate.scene import GateHarness, preset_policy


def _conversations(harness: GateHarness) -> Conversations:
    return Conversations(harness.store, preset_policy)


async def test_a_conversation_is_opened_with_the_given_values_and_a_random_id(harness: GateHarness) -> None:
    conversations = _conversations(harness)
    wish = ConversationChanges(mode="plan", title="tax", model="m")
    one = await conversations.open(ANA, NewConversation(agent="clerk", preset="workbench"), wish)
    two = await conversations.open(ANA, NewConversation(), ConversationChanges())

    assert (one.owner, one.agent, one.preset, one.mode, one.title, one.model) == (
        "ana", "clerk", "workbench", "plan", "tax", "m",
    )  # fmt: skip
    assert (two.preset, two.mode) == ("assent", "default")
    assert one.id != two.id
    assert await conversations.find(ANA, one.id) == one


@pytest.mark.proves("R001-11", "T-38")
@pytest.mark.parametrize("who", [BEN, ROBOT, CLERK, CHRIS, VERA])
async def test_only_the_owner_can_change_a_conversation(harness: GateHarness, who: Principal) -> None:
    conversations = _conversations(harness)
    await harness.turn()  # opens `c1` for ana
    known = await conversations.find(ANA, "c1")
    with pytest.raises(NotFoundError):
        await conversations.change(who, "c1", ConversationChanges(mode="auto"))

    assert await conversations.find(ANA, "c1") == known


async def test_only_principals_with_a_role_can_read_a_conversation(harness: GateHarness) -> None:
    conversations = _conversations(harness)
    await harness.turn()
    seen = []
    for who in (ANA, ADA, CHRIS, VERA, ROBOT, BEN):
        try:
            await conversations.find(who, "c1")
        except NotFoundError:
            continue
        seen.append(who.id)

    assert seen == ["ana", "ada", "chris", "vera", "robot"]


async def test_fields_that_are_not_given_keep_their_latest_value(harness: GateHarness) -> None:
    conversations = _conversations(harness)
    opened = await conversations.open(ANA, NewConversation(), ConversationChanges(mode="auto"))
    # The mode was made stricter after another page had read the conversation.
    await conversations.change(ANA, opened.id, ConversationChanges(mode="plan"))
    await harness.store.save_conversation(replace(opened, title="t"), fields=("title",))

    assert replace(await conversations.find(ANA, opened.id), at=None) == replace(
        opened, mode="plan", title="t", at=None
    )


@pytest.mark.parametrize(
    ("wish", "error"),
    [
        (ConversationChanges(mode="yolo"), UnknownWordError),
        (ConversationChanges(mode="accept_edits"), AssentError),
        (ConversationChanges(title="x" * 501), InputError),
        (ConversationChanges(model="a\0b"), InputError),
    ],
)
async def test_a_refused_change_changes_nothing(
    harness: GateHarness, wish: ConversationChanges, error: type[AssentError]
) -> None:
    conversations = _conversations(harness)
    opened = await conversations.open(ANA, NewConversation(preset="chat"), ConversationChanges())
    with pytest.raises(error):
        await conversations.change(ANA, opened.id, wish)

    assert await conversations.find(ANA, opened.id) == opened


async def test_an_agent_cannot_open_a_conversation_of_another_agent(harness: GateHarness) -> None:
    with pytest.raises(NotFoundError):
        await _conversations(harness).open(CLERK, NewConversation(agent="helper"), ConversationChanges())


@pytest.mark.proves("T-39")
async def test_a_change_of_title_or_model_is_an_audit_row_that_names_only_the_field(
    harness: GateHarness,
) -> None:
    conversations = _conversations(harness)
    opened = await conversations.open(ANA, NewConversation(), ConversationChanges())
    await conversations.change(ANA, opened.id, ConversationChanges(title="my taxes", model="m1"))

    await harness.store.flush_audit()
    row = (await harness.store.audit(limit=1000))[0][-1].entry
    assert (row.decision, row.reason, row.conversation) == ("conversation_changed", "title, model", opened.id)
    assert "taxes" not in repr(row)
