"""The live part of a store in an SQL database: what its processes tell each other."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import cast

from sqlalchemy import Connection

from assent.gate.catalog import DeclaredTool
from assent.gate.events import EVENT_RETENTION, EventPage
from assent.gate.pods import Pod
from assent.gate.store import BudgetResult, ConversationPage, Moment
from assent.stores import declarations, events, pods, spending, switches, talks
from assent.stores.batch import Edit, Spend
from assent.stores.policy import Edited
from assent.stores.register import Keeping
from assent.stores.shared import Shared


class SqlLive:
    """Keeps it in tables; see `gate.store.Store` for what each method promises."""

    def __init__(self, keeping: Keeping, shared: Shared) -> None:
        self._live = keeping
        self._shared_live = shared

    # ---- what happens ---------------------------------------------------------------------------

    async def events(self, after: str, *, limit: int = 200) -> EventPage:
        """What happened after a cursor."""
        return await self._live.look(partial(events.events_of, after=after, limit=limit))

    async def latest_cursor(self) -> str:
        """The cursor after which everything is that happens from now on."""
        return await self._live.look(events.newest_of)

    @property
    def change_count(self) -> int:
        """A number that is another one after something happened, here or elsewhere."""
        return self._shared_live.change_count.count

    async def wait_for_change(self, since: int) -> int:
        """Come back when `stirs` is another number."""
        return await self._shared_live.change_count.after(since)

    # ---- the switch, settings and budgets -------------------------------------------------------

    async def pause(self, by: str) -> None:
        """Let each call that is not a read wait."""
        await self._do(partial(switches.paused, by=by))

    async def unpause(self, by: str) -> None:  # noqa: ARG002 - the audit says who did
        """Let calls go on."""
        await self._do(partial(switches.unpaused, questions=self._shared_live.questions))

    async def setting(self, name: str) -> str | None:
        """What a setting says."""
        return await self._live.look(partial(switches.setting_of, name=name))

    async def save_setting(self, name: str, value: str | None, *, by: str) -> None:
        """Write a setting, or with None remove it."""
        await self._do(partial(switches.saved_setting, name=name, value=value, by=by))

    async def count_call(self, principal: str, calls: int, window: timedelta) -> BudgetResult:
        """Count one call of somebody who may make so many in any such time, or refuse it."""
        return cast("BudgetResult", await self._live.put(Spend(principal, calls, window)))

    # ---- tools and conversations ----------------------------------------------------------------

    async def set_declarations(
        self, agent: str, origin: str, declared: Sequence[DeclaredTool], *, by: str
    ) -> None:
        """What an origin offers to an agent is this and nothing else."""
        offered = tuple(declared)
        await self._do(partial(declarations.declared, agent=agent, origin=origin, offered=offered, by=by))

    async def declarations(self) -> Sequence[DeclaredTool]:
        """Every tool that was declared to all processes."""
        return await self._live.read(declarations.declarations_of)

    async def join(self, pod: Pod) -> Sequence[Pod]:
        """Say what this process is; what the others are that live."""
        joining = partial(pods.joined, boot=self._shared_live.boot, pod=pod)
        return cast("Sequence[Pod]", await self._do(joining))

    async def leave(self) -> None:
        """Say that this process ends."""
        await self._do(partial(pods.left, boot=self._shared_live.boot))

    async def conversations(
        self, owner: str | None = None, *, limit: int = 100, after: str = ""
    ) -> ConversationPage:
        """A page of somebody's conversations, or of everybody's."""
        return await self._live.read(partial(talks.talks_of, owner=owner, limit=limit, after=after))

    async def _forget_old(self) -> None:
        """Let go of what nobody can ask for any more."""
        await self._live.look(events.place)
        await self._do(partial(events.swept, keep=EVENT_RETENTION))
        await self._do(spending.forget)

    async def _do(self, edit: Callable[[Connection, Moment], Edited]) -> object:
        return await self._live.put(Edit(edit))
