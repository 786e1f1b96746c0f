"""Conversations belong to whoever opened them."""

from dataclasses import replace

import pytest

from assent.errors import AssentError, InputError, NotFoundError, UnknownWordError
from assent.gate.access import Principal
from assent.gate.conversations import ConversationChanges, Conversations, NewConversation
from tests.gate.samples import ADA, ANA, BEN, CHRIS, CLERK, ROBOT, VERA
from tests.gate.scene import Scene, preset_policy


def _conversations(scene: Scene) -> Conversations:
    return Conversations(scene.store, preset_policy)


async def test_a_conversation_is_opened_as_wished_under_an_id_that_nobody_chose(scene: Scene) -> None:
    conversations = _conversations(scene)
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
async def test_only_its_owner_changes_it(scene: Scene, who: Principal) -> None:
    conversations = _conversations(scene)
    await scene.turn()  # opens `c1` for ana
    known = await conversations.find(ANA, "c1")
    with pytest.raises(NotFoundError):
        await conversations.change(who, "c1", ConversationChanges(mode="auto"))

    assert await conversations.find(ANA, "c1") == known


async def test_who_may_look(scene: Scene) -> None:
    conversations = _conversations(scene)
    await scene.turn()
    seen = []
    for who in (ANA, ADA, CHRIS, VERA, ROBOT, BEN):
        try:
            await conversations.find(who, "c1")
        except NotFoundError:
            continue
        seen.append(who.id)

    assert seen == ["ana", "ada", "chris", "vera", "robot"]


async def test_what_is_not_wished_for_stays_as_it_is_by_then(scene: Scene) -> None:
    conversations = _conversations(scene)
    opened = await conversations.open(ANA, NewConversation(), ConversationChanges(mode="auto"))
    # Somebody made it stricter after another page had read it.
    await conversations.change(ANA, opened.id, ConversationChanges(mode="plan"))
    await scene.store.save_conversation(replace(opened, title="t"), fields=("title",))

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
async def test_a_wish_that_cannot_be_granted_changes_nothing(
    scene: Scene, wish: ConversationChanges, error: type[AssentError]
) -> None:
    conversations = _conversations(scene)
    opened = await conversations.open(ANA, NewConversation(preset="chat"), ConversationChanges())
    with pytest.raises(error):
        await conversations.change(ANA, opened.id, wish)

    assert await conversations.find(ANA, opened.id) == opened


async def test_an_agent_opens_none_for_others(scene: Scene) -> None:
    with pytest.raises(NotFoundError):
        await _conversations(scene).open(CLERK, NewConversation(agent="helper"), ConversationChanges())


@pytest.mark.proves("T-39")
async def test_a_changed_title_or_model_is_a_row_that_names_the_field_only(scene: Scene) -> None:
    conversations = _conversations(scene)
    opened = await conversations.open(ANA, NewConversation(), ConversationChanges())
    await conversations.change(ANA, opened.id, ConversationChanges(title="my taxes", model="m1"))

    await scene.store.flush_audit()
    row = (await scene.store.audit(limit=1000))[0][-1].entry
    assert (row.decision, row.reason, row.conversation) == ("conversation_changed", "title, model", opened.id)
    assert "taxes" not in repr(row)
