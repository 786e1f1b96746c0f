"""The one listener of a process on PostgreSQL: hears what others answered, and looks behind it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from assent.gate.approval import Approval
from assent.stores.notices import CHANNEL, STIRRED, heard
from assent.stores.shared import Shared

POLL = 5.0
"""Seconds after which everything that somebody waits for is looked at, notice or not."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 1.0
_BREATH = 0.02
"""Seconds for which signs to others are gathered: however much happens, they are few."""

Ended = Callable[[Sequence[str]], Awaitable[Sequence[Approval]]]
"""Finds those of some approvals that are no longer pending."""


class Listener:
    """A lost notice delays an answer by one poll at most, and never loses it."""

    def __init__(self, engine: AsyncEngine, shared: Shared, ended: Ended, *, poll: float = POLL) -> None:
        self._engine = engine
        self._boot = shared.boot
        self._wakes = shared.wakes
        self._stirs = shared.change_count
        self._stirs.spread = self._tell_others
        self._untold = False
        self._telling: asyncio.TimerHandle | None = None
        self._ended = ended
        self._poll = poll
        self._news = asyncio.Event()
        self._ids: set[str] = set()
        self._cut = False
        self._ending = False
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Stop listening."""
        self._ending = True
        if self._telling is not None:
            self._telling.cancel()
        self._news.set()
        # It ends by itself unless it is connecting to a server that does not answer.
        await asyncio.wait([self._task], timeout=_LONGEST_PAUSE)
        self._task.cancel()
        await asyncio.wait([self._task])

    async def _run(self) -> None:
        pause = _FIRST_PAUSE
        while not self._ending:
            try:
                async with self._engine.connect() as connection:
                    await self._attach(connection)
                    pause = _FIRST_PAUSE
                    await self._listen(connection)
            except Exception:  # noqa: BLE001 - the server is away; callers hear of it, we come back
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)

    async def _attach(self, connection: AsyncConnection) -> None:
        driver: Any = (await connection.get_raw_connection()).driver_connection
        self._cut = False
        # Before anything is waited for: an end that nobody hears of would leave us deaf until we are closed.
        driver.add_termination_listener(self._hear_end)
        await driver.add_listener(CHANNEL, self._hear)
        await driver.add_listener(STIRRED, self._hear_stir)
        # A sign without words that is lost in a crash of the server is not missed.
        await driver.execute("SET synchronous_commit TO off")

    async def _listen(self, connection: AsyncConnection) -> None:
        """Wake people until the connection is gone; what was said before it came is looked up first."""
        await self._wake(self._wakes.ids())
        self._stirs.stir()
        while not (self._cut or self._ending):
            try:
                async with asyncio.timeout(self._poll):
                    await self._news.wait()
            except TimeoutError:
                await self._wake(self._wakes.ids())
                continue
            self._news.clear()
            ids, self._ids = self._ids, set()
            await self._wake([id_ for id_ in ids if id_ in self._wakes])
            if self._untold:
                await self._spread(connection)

    async def _spread(self, connection: AsyncConnection) -> None:
        """Let others know that something happened here: at most now and then, and beside the writing."""
        self._untold = False
        driver: Any = (await connection.get_raw_connection()).driver_connection
        await driver.execute("SELECT pg_notify($1, $2)", STIRRED, self._boot)

    def _tell_others(self) -> None:
        if self._telling is None and not self._ending:
            self._telling = asyncio.get_running_loop().call_later(_BREATH, self._tell_now)

    def _tell_now(self) -> None:
        self._telling, self._untold = None, True
        self._news.set()

    def _hear_stir(self, _connection: object, _pid: int, _channel: str, boot: object) -> None:
        if boot != self._boot:
            self._stirs.stir()

    async def _wake(self, ids: Sequence[str]) -> None:
        if ids:
            self._wakes.wake(await self._ended(ids))

    def _hear(self, _connection: object, _pid: int, _channel: str, text: object) -> None:
        self._ids.update(heard(str(text)))
        self._news.set()

    def _hear_end(self, _connection: object) -> None:
        self._cut = True
        self._news.set()
