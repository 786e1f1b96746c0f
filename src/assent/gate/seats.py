"""Seats: who sits in a turn, where, and in which mode, as of the moment it begins."""

from dataclasses import replace
from typing import NamedTuple

from assent.engine.modes import Mode, narrower_mode, parse_mode
from assent.errors import ForbiddenError, NotFoundError
from assent.gate.access import Kind, Principal, Subject, check_begin
from assent.gate.approval import Approval
from assent.gate.binding import check_id
from assent.gate.conversation import Conversation, mode_for, opened, requested_mode
from assent.gate.current import About, Current
from assent.gate.judge import Judge, Seat
from assent.gate.mark import fresh, keyed
from assent.gate.policy import Ground, Grounds
from assent.gate.ports import Store
from assent.gate.preset import Delivery


class Opening(NamedTuple):
    """How a turn begins, where that is not what the conversation says."""

    preset: str = ""
    """For a conversation that is new; empty is the default one."""
    mode: str | None = None
    """The mode of this turn; None or empty is the conversation's. An unknown or unoffered one is refused."""
    attended: bool = True
    delivery: Delivery | None = None
    """How answers reach the calls, where the host knows better than the preset."""
    turn: str = ""
    """The id of a turn that goes on, perhaps in another process."""
    claimed: bool = False
    """An agent far away says so itself: it may narrow its mode, and choose nothing that could widen it."""
    continued: bool = False
    """The mode comes from our own record of a turn, not from a request: it is not refused, nor widened."""


AS_USUAL = Opening()


class Sitting(NamedTuple):
    """The conversation and the agent of a turn, and the turn that started it, if one did."""

    conversation: str = ""
    agent: str = ""
    parent: Seat | None = None


class Seats:
    """Gives everybody who begins a turn their seat; a conversation that is new is opened for it."""

    def __init__(self, store: Store, grounds: Grounds, judge: Judge) -> None:
        self._store = store
        self._grounds = grounds
        self._judge = judge

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
        if opening.mode and not opening.continued:
            parse_mode(opening.mode)
        known, current = await self._meant(principal, place, opening, kept=kept)
        ground = self._grounds(known.preset)
        mode, word = _mode(known, ground, opening)
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
            preset=approval.preset,
            mode=approval.mode,
            delivery=approval.delivery,
            turn=approval.turn,
            continued=True,
        )
        place = Sitting(approval.call.conversation, approval.call.agent)
        return await self.taken(Principal(id=approval.owner), place, opening)

    async def _meant(
        self, principal: Principal, place: Sitting, opening: Opening, *, kept: bool
    ) -> tuple[Conversation, Current]:
        """The conversation that somebody names, and what holds there."""
        subject = Subject(owner=principal.user, conversation=place.conversation, agent=place.agent)
        check_begin(principal, subject)
        for id_ in _ids(self._store.secret, principal, place):
            current = await self._current(About(principal.user, place.agent, id_))
            named = replace(subject, conversation=id_)
            known = current.conversation or await self._open(named, opening, current, kept=kept)
            if _is_own(known, subject, opening):
                return known, current
        raise NotFoundError("conversation", place.conversation)

    async def _current(self, about: About) -> Current:
        """Policy as it is now, from what was read before where nothing changed since."""
        known = await self._judge.current(about)
        # A conversation that begins changes no policy: one that was not there may be by now.
        return known if known.conversation or not about.conversation else await self._store.current(about)

    async def _open(
        self, subject: Subject, opening: Opening, current: Current, *, kept: bool
    ) -> Conversation:
        """A conversation that begins now; one without an id is not kept."""
        ground = self._grounds(opening.preset)
        new = opened(subject.conversation, subject.owner, subject.agent, ground.preset, current.starts_in)
        # A mode that will be refused must not leave an empty conversation behind.
        _mode(new, ground, opening)
        # Whoever was first has it as they opened it.
        return await self._store.save(new, fields=()) if kept and new.id else new


def _ids(secret: bytes, principal: Principal, place: Sitting) -> tuple[str, ...]:
    """What a name may stand for: itself or, for an agent that meets somebody else's, one of its own.

    What is not theirs does not exist for them, and so must not stand in their way, either. A person is told
    that there is no such conversation, and takes another name.
    """
    name = place.conversation
    if principal.kind is Kind.PERSON or not name:
        return (name,)
    return name, keyed(secret, principal.user, place.agent, name)


def _is_own(known: Conversation, subject: Subject, opening: Opening) -> bool:
    """Whether a conversation is there for whoever names it."""
    # Another agent's conversation may be trusted further than that of one who only claims to be in it.
    is_apart = opening.claimed and known.agent not in ("", subject.agent)
    return known.owner == subject.owner and not is_apart


def _mode(known: Conversation, ground: Ground, opening: Opening) -> tuple[Mode | None, str]:
    """The mode of a turn; where it is only claimed, never one that is wider than the conversation's."""
    usual = mode_for(known.mode, ground.preset)
    if not opening.mode:
        return usual
    if opening.continued:
        return mode_for(opening.mode, ground.preset)
    if opening.claimed and narrower_mode(parse_mode(opening.mode), usual[0]) is usual[0]:
        return usual
    return requested_mode(opening.mode, ground.preset), opening.mode


def _delivery(principal: Principal, ground: Ground, opening: Opening) -> Delivery:
    """How answers reach the calls; where it is only claimed, who runs them stays as the preset says."""
    usual = ground.preset.delivery
    wanted = opening.delivery or usual
    if opening.claimed and (wanted is Delivery.PROPOSE) != (usual is Delivery.PROPOSE):
        raise ForbiddenError(principal.id, "whether calls are proposed is for the conversation to say")
    return wanted
