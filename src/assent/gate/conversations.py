"""Conversations: opened, found and changed by whoever owns them, and by nobody else."""

from dataclasses import dataclass, replace
from typing import NamedTuple

from assent.errors import InputError, NotFoundError
from assent.gate.access import Principal, Subject, check_begin, check_own, sees
from assent.gate.binding import check_id
from assent.gate.changes import Change, change_entry
from assent.gate.conversation import Conversation, in_mode, opened
from assent.gate.live import START_MODE
from assent.gate.mark import fresh
from assent.gate.policy import Grounds
from assent.gate.ports import Store

LONGEST_TITLE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a conversation is to be like; what is None stays as it is."""

    mode: str | None = None
    title: str | None = None
    model: str | None = None

    @property
    def fields(self) -> tuple[str, ...]:
        """What it speaks of."""
        told = {"mode": self.mode, "title": self.title, "model": self.model}
        return tuple(name for name, value in told.items() if value is not None)


class Beginning(NamedTuple):
    """A conversation that somebody wants to have; its id is ours, so that nobody's can be met or guessed."""

    agent: str = ""
    preset: str = ""
    id: str = ""
    """Made from a secret where the same request must find the same conversation; otherwise a new one."""


class Conversations:
    """The conversations in a store, as their owners see them."""

    def __init__(self, store: Store, grounds: Grounds) -> None:
        self._store = store
        self._grounds = grounds

    async def open(self, principal: Principal, beginning: Beginning, wish: Wish) -> Conversation:
        """Begin a conversation, in the mode that is wished or the preset's first."""
        check_id("agent", beginning.agent)
        subject = Subject(owner=principal.user, conversation="", agent=beginning.agent)
        check_begin(principal, subject)
        known = await self._store.conversation(beginning.id) if beginning.id else None
        if known is not None:
            return known
        preset = self._grounds(beginning.preset).preset
        starts_in = await self._store.setting(START_MODE) or ""
        new = opened(beginning.id or fresh(), principal.user, beginning.agent, preset, starts_in)
        return await self._store.save(self._changed(new, wish, principal))

    async def find(self, principal: Principal, id: str) -> Conversation:
        """One conversation; what is not yours does not exist for you."""
        known = await self._store.conversation(id)
        if known is None or not sees(principal, known.subject):
            raise NotFoundError("conversation", id)
        return known

    async def change(self, principal: Principal, id: str, wish: Wish) -> Conversation:
        """Change the mode of the turns to come, the title or the model."""
        known = await self.find(principal, id)
        check_own(principal, known.subject)
        # What is not wished for may have been changed by somebody else meanwhile.
        saved = await self._store.save(self._changed(known, wish, principal), fields=wish.fields)
        if wish.mode is not None:
            self._store.record(
                change_entry(principal.id, Change.MODE_CHANGED, conversation=saved.id, mode=saved.mode)
            )
        return saved

    def _changed(self, known: Conversation, wish: Wish, principal: Principal) -> Conversation:
        for field, text in (("title", wish.title or ""), ("model", wish.model or "")):
            if len(text) > LONGEST_TITLE or "\0" in text:
                raise InputError(f"a {field} has at most {LONGEST_TITLE} characters, and no NUL")
        if wish.mode is not None:
            known = in_mode(known, wish.mode, self._grounds(known.preset).preset, principal)
        title = known.title if wish.title is None else wish.title
        return replace(known, title=title, model=known.model if wish.model is None else wish.model)
