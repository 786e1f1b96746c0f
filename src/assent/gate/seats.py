"""Seats: who sits in a turn, where, and in which mode, as of the moment it begins."""

from typing import NamedTuple

from assent.engine.modes import Mode, narrower
from assent.errors import ForbiddenError, NotFoundError
from assent.gate.access import Principal, Subject, check_begin
from assent.gate.approval import Approval
from assent.gate.binding import check_id
from assent.gate.conversation import Conversation, mode_for, opened
from assent.gate.current import About, Current
from assent.gate.judge import Seat
from assent.gate.mark import fresh
from assent.gate.policy import Ground, Grounds
from assent.gate.ports import Store
from assent.gate.preset import Delivery


class Opening(NamedTuple):
    """How a turn begins, where that is not what the conversation says."""

    preset: str = ""
    """For a conversation that is new; empty is the default one."""
    mode: str | None = None
    attended: bool = True
    delivery: Delivery | None = None
    """How answers reach the calls, where the host knows better than the preset."""
    turn: str = ""
    """The id of a turn that goes on, perhaps in another process."""
    claimed: bool = False
    """An agent far away says so itself: it may narrow its mode, and choose nothing that could widen it."""


AS_USUAL = Opening()


class Sitting(NamedTuple):
    """The conversation and the agent of a turn, and the turn that started it, if one did."""

    conversation: str = ""
    agent: str = ""
    parent: Seat | None = None


class Seats:
    """Gives everybody who begins a turn their seat; a conversation that is new is opened for it."""

    def __init__(self, store: Store, grounds: Grounds) -> None:
        self._store = store
        self._grounds = grounds

    async def taken(
        self, principal: Principal, place: Sitting, opening: Opening, *, kept: bool = True
    ) -> Seat:
        """A seat; without `kept`, no conversation is opened for it."""
        parent = place.parent
        if parent is not None:
            # A sub-agent asks where its parent does, unless it was given a place of its own.
            place = place._replace(conversation=place.conversation or parent.conversation.id)
            opening = opening._replace(preset=opening.preset or parent.ground.preset.name)
        for field, text in (
            ("conversation", place.conversation),
            ("agent", place.agent),
            ("turn", opening.turn),
        ):
            check_id(field, text)
        if opening.claimed and opening.preset:
            raise ForbiddenError(principal.id, "the preset of a conversation is chosen by a person")
        current = await self._store.current(About(principal.user, place.agent, place.conversation))
        preset = opening.preset if current.conversation is None else current.conversation.preset
        ground = self._grounds(preset)
        known = current.conversation or await self._open(principal, place, ground, current, kept=kept)
        check_begin(principal, Subject(owner=known.owner, conversation=known.id, agent=place.agent))
        if known.preset != ground.preset.name:  # Somebody opened it just before us.
            ground = self._grounds(known.preset)
        mode, word = _mode(known, place, ground, opening)
        return Seat(
            turn=opening.turn or fresh(),
            principal=principal,
            conversation=known,
            agent=place.agent,
            mode=mode,
            mode_word=word,
            ground=ground,
            began_with=current,
            delivery=_delivery(principal, ground, opening),
            attended=opening.attended and ground.attended and (parent is None or parent.attended),
            parent=parent,
        )

    async def of(self, approval: Approval) -> Seat:
        """The seat that a question was asked from, in the name of whoever it belongs to."""
        opening = Opening(
            preset=approval.preset, mode=approval.mode, delivery=approval.delivery, turn=approval.turn
        )
        place = Sitting(approval.call.conversation, approval.call.agent)
        return await self.taken(Principal(id=approval.owner), place, opening)

    async def _open(
        self, principal: Principal, place: Sitting, ground: Ground, current: Current, *, kept: bool
    ) -> Conversation:
        """A conversation that begins now; one without an id is not kept."""
        subject = Subject(owner=principal.user, conversation=place.conversation, agent=place.agent)
        check_begin(principal, subject)
        new = opened(place.conversation, principal.user, place.agent, ground.preset, current.starts_in)
        # Whoever was first has it as they opened it.
        return await self._store.save(new, fields=()) if kept and new.id else new


def _mode(known: Conversation, place: Sitting, ground: Ground, opening: Opening) -> tuple[Mode | None, str]:
    """The mode of a turn; where it is only claimed, never one that is wider than the conversation's."""
    usual = mode_for(known.mode, ground.preset)
    if opening.claimed and known.agent not in ("", place.agent):
        # Another agent's conversation may be trusted further than this one's own.
        raise NotFoundError("conversation", known.id)
    if opening.mode is None:
        return usual
    wanted = mode_for(opening.mode, ground.preset)
    return usual if opening.claimed and narrower(wanted[0], usual[0]) is usual[0] else wanted


def _delivery(principal: Principal, ground: Ground, opening: Opening) -> Delivery:
    """How answers reach the calls; where it is only claimed, who runs them stays as the preset says."""
    usual = ground.preset.delivery
    wanted = opening.delivery or usual
    if opening.claimed and (wanted is Delivery.PROPOSE) != (usual is Delivery.PROPOSE):
        raise ForbiddenError(principal.id, "whether calls are proposed is for the conversation to say")
    return wanted
