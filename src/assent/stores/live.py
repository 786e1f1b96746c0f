"""The live part of a store in an SQL database: what its processes tell each other."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import cast

from sqlalchemy import Connection

from assent.gate.catalog import Declared
from assent.gate.live import KEPT, Happened, Spent, Talks
from assent.gate.pods import Pod
from assent.gate.ports import Moment
from assent.stores import declarations, spending, talks
from assent.stores.batch import Edit, Spend
from assent.stores.policy import Edited
from assent.stores.register import Keeping
from assent.stores.shared import Shared


class SqlLive:
    """Keeps it in tables; see `gate.live.Live` for what each method promises."""

    def __init__(self, keeping: Keeping, shared: Shared) -> None:
        self._live = keeping
        self._shared_live = shared

    # ---- what happens ---------------------------------------------------------------------------

    async def events(self, after: str, *, limit: int = 200) -> Happened:
        """What happened after a cursor."""
        return await self._live.look(partial(events_of, after=after, limit=limit))

    async def newest(self) -> str:
        """The cursor after which everything is that happens from now on."""
        return await self._live.look(newest_of)

    @property
    def stirs(self) -> int:
        """A number that is another one after something happened, here or elsewhere."""
        return self._shared_live.stirs.count

    async def stirred(self, since: int) -> int:
        """Come back when `stirs` is another number."""
        return await self._shared_live.stirs.after(since)

    # ---- the switch, settings and budgets -------------------------------------------------------

    async def pause(self, by: str) -> None:
        """Let each call that is not a read wait."""
        await self._do(partial(paused, by=by))

    async def unpause(self, by: str) -> None:  # noqa: ARG002 - the audit says who did
        """Let calls go on."""
        await self._do(partial(unpaused, questions=self._shared_live.questions))

    async def setting(self, name: str) -> str | None:
        """What a setting says."""
        return await self._live.look(partial(setting_of, name=name))

    async def save_setting(self, name: str, value: str | None, *, by: str) -> None:
        """Write a setting, or with None remove it."""
        await self._do(partial(saved_setting, name=name, value=value, by=by))

    async def spend(self, principal: str, calls: int, window: timedelta) -> Spent:
        """Count one call of somebody who may make so many in any such time, or refuse it."""
        return cast("Spent", await self._live.put(Spend(principal, calls, window)))

    # ---- tools and conversations ----------------------------------------------------------------

    async def declare(self, agent: str, origin: str, declared: Sequence[Declared], *, by: str) -> None:
        """What an origin offers to an agent is this and nothing else."""
        offered = tuple(declared)
        await self._do(partial(declarations.declared, agent=agent, origin=origin, offered=offered, by=by))

    async def declarations(self) -> Sequence[Declared]:
        """Every tool that was declared to all processes."""
        return await self._live.read(declarations.declarations_of)

    async def join(self, pod: Pod) -> Sequence[Pod]:
        """Say what this process is; what the others are that live."""
        joining = partial(joined, boot=self._shared_live.boot, pod=pod)
        return cast("Sequence[Pod]", await self._do(joining))

    async def leave(self) -> None:
        """Say that this process ends."""
        await self._do(partial(left, boot=self._shared_live.boot))

    async def conversations(self, owner: str | None = None, *, limit: int = 100, after: str = "") -> Talks:
        """A page of somebody's conversations, or of everybody's."""
        return await self._live.read(partial(talks.talks_of, owner=owner, limit=limit, after=after))

    async def _forget_old(self) -> None:
        """Let go of what nobody can ask for any more."""
        await self._live.look(place)
        await self._do(partial(swept, keep=KEPT))
        await self._do(spending.forget)

    async def _do(self, edit: Callable[[Connection, Moment], Edited]) -> object:
        return await self._live.put(Edit(edit))
