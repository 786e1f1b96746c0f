"""The live part of a store in memory: what happened, is paused, declared, set and spent."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from assent.gate.approval import Approval
from assent.gate.catalog import DeclaredTool
from assent.gate.conversation import Conversation
from assent.gate.events import EVENT_RETENTION, Event, EventKind, EventPage, event_kinds
from assent.gate.ids import new_id
from assent.gate.pods import Pod
from assent.gate.store import START_MODE, BudgetResult, ConversationPage
from assent.gate.stored_policy import Pause
from assent.stores.spending import Purse
from assent.stores.stirs import Stirs
from assent.stores.talks import after_of, place_of
from assent.stores.times import kept, kept_span


class MemoryLive:
    """Keeps it in one process; see `gate.store.Store` for what each method promises."""

    _conversations: dict[str, Conversation]

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._live_now = now
        self._version = 0
        self._stirs = Stirs()
        self._life = new_id()
        self._events: list[Event] = []
        self._swept = 0
        self._paused: Pause | None = None
        self._declared_at = 0
        self._declarations: dict[tuple[str, str, str], DeclaredTool] = {}
        self._settings: dict[str, str] = {}
        self._purses: dict[str, Purse] = {}

    # ---- what happens ---------------------------------------------------------------------------

    async def events(self, after: str, *, limit: int = 200) -> EventPage:
        """What happened after a cursor."""
        self._live_now()
        life, _, number = after.partition(".") if after else (self._life, "", "0")
        is_number = number.isascii() and number.isdigit() and len(number) < len(str(2**63))
        if life != self._life or not is_number or int(number) < self._swept:
            return EventPage((), await self.latest_cursor(), reset=True)
        start = int(number) - self._swept
        told = tuple(self._events[start : start + limit])
        return EventPage(told, told[-1].cursor if told else f"{self._life}.{number}")

    async def latest_cursor(self) -> str:
        """The cursor after which everything is that happens from now on."""
        self._live_now()
        return f"{self._life}.{self._swept + len(self._events)}"

    @property
    def change_count(self) -> int:
        """A number that is another one after something happened."""
        return self._stirs.count

    async def wait_for_change(self, since: int) -> int:
        """Come back when `stirs` is another number."""
        return await self._stirs.after(since)

    # ---- the switch, settings and budgets -------------------------------------------------------

    async def pause(self, by: str) -> None:
        """Let each call that is not a read wait."""
        now = self._live_now()
        if self._paused is None:
            self._paused = Pause(by, now)
            self._tell(EventKind.PAUSED)
            self._bump()

    async def unpause(self, by: str) -> None:  # noqa: ARG002 - the audit says who did
        """Let calls go on."""
        now = self._live_now()
        if self._paused is not None:
            self._paused = None
            self._revive(now)
            self._tell(EventKind.RESUMED)
            self._bump()

    async def setting(self, name: str) -> str | None:
        """What a setting says."""
        self._live_now()
        return self._settings.get(name)

    async def save_setting(self, name: str, value: str | None, *, by: str) -> None:  # noqa: ARG002
        """Write a setting, or with None remove it."""
        self._live_now()
        if value is not None:
            self._settings[name] = value
            self._bump()
        elif self._settings.pop(name, None) is not None:
            self._bump()

    async def count_call(self, principal: str, calls: int, window: timedelta) -> BudgetResult:
        """Count one call of somebody who may make so many in any such time, or refuse it."""
        at = kept(self._live_now())
        purse = self._purses.setdefault(principal, Purse())
        purse.forget(at - 2 * kept_span(window))
        return purse.spent(at, calls, kept_span(window))

    # ---- tools and conversations ----------------------------------------------------------------

    async def set_declarations(
        self,
        agent: str,
        origin: str,
        declared: Sequence[DeclaredTool],
        *,
        by: str,  # noqa: ARG002
    ) -> None:
        """What an origin offers to an agent is this and nothing else."""
        self._live_now()
        offered = {(agent, origin, one.tool.name): one for one in declared}
        kept_ones = {key: one for key, one in self._declarations.items() if key[:2] != (agent, origin)}
        if self._declarations != kept_ones | offered:
            self._declarations = kept_ones | offered
            self._bump()
            self._declared_at = self._version

    async def declarations(self) -> Sequence[DeclaredTool]:
        """Every tool that was declared."""
        self._live_now()
        return tuple(one for _, one in sorted(self._declarations.items(), key=lambda item: item[0]))

    async def join(self, pod: Pod) -> Sequence[Pod]:  # noqa: ARG002 - nobody else sees this memory
        """There are no others."""
        self._live_now()
        return ()

    async def leave(self) -> None:
        """Nobody needs to know."""

    async def conversations(
        self, owner: str | None = None, *, limit: int = 100, after: str = ""
    ) -> ConversationPage:
        """A page of somebody's conversations, or of everybody's."""
        self._live_now()
        place = place_of(after) if after else None
        every = sorted(self._conversations.values(), key=_place, reverse=True)
        meant = [
            one for one in every if owner in (None, one.owner) and (place is None or _place(one) < place)
        ]
        return ConversationPage(
            tuple(meant[:limit]), after_of(meant[limit - 1]) if len(meant) > limit else ""
        )

    # ---- within ---------------------------------------------------------------------------------

    @property
    def _starts_in(self) -> str:
        return self._settings.get(START_MODE, "")

    def _revive(self, now: datetime) -> None:
        """Let each yes that waited have its whole time from now on."""
        raise NotImplementedError

    def _bump(self) -> None:
        """Policy is another one from now on."""
        self._version += 1
        self._tell(EventKind.POLICY)

    def _step(self, before: Approval | None, after: Approval) -> None:
        """Tell of a step of an approval."""
        for kind in event_kinds(before, after):
            self._tell(kind, after)

    def _tell(self, kind: EventKind, about: Approval | None = None) -> None:
        number = self._swept + len(self._events) + 1
        event = Event(cursor=f"{self._life}.{number}", at=self._live_now(), kind=kind)
        if about is not None:
            call = about.call
            event = replace(
                event, approval=about.id, owner=about.owner, conversation=call.conversation, agent=call.agent
            )
        self._events.append(event)
        self._stirs.happened()

    def _forget_old(self) -> None:
        old = sum(event.at <= self._live_now() - EVENT_RETENTION for event in self._events)
        del self._events[:old]
        self._swept += old


def _place(conversation: Conversation) -> tuple[int, str]:
    return 0 if conversation.at is None else kept(conversation.at), conversation.id
