"""Lines to a PostgreSQL server: statements go straight to its driver, each of them one trip."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Self, TypeVar, cast

from sqlalchemy import Connection, Dialect, bindparam, func, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from sqlalchemy.util.concurrency import await_only, greenlet_spawn

from assent.errors import AssentError
from assent.gate.approval import Approval
from assent.stores.sql.errors import committing
from assent.stores.sql.statement import Statement
from assent.stores.store import Shared

T = TypeVar("T")


class Line:
    """One connection, which stands where statements expect one of SQLAlchemy's.

    That one connects, and knows how a statement is spelled; on the way of every statement it took
    several times as long as the server did.
    """

    def __init__(self, held: AsyncConnection, driver: Any) -> None:
        self._held = held
        self._driver = driver
        self._prepared: dict[str, Any] = {}

    @classmethod
    async def opened(cls, engine: AsyncEngine) -> Self:
        """Call the server."""
        held = await engine.connect()
        return cls(held, (await held.get_raw_connection()).driver_connection)

    @property
    def dialect(self) -> Dialect:
        """How statements are spelled here."""
        return self._held.dialect

    @property
    def connection(self) -> Self:
        """What gives cursors."""
        return self

    def cursor(self) -> "Cursor":
        """What runs a statement."""
        return Cursor(self)

    async def run(self, work: Callable[[Connection], T]) -> T:
        """Do some work that is written as if the server were in this process."""
        return await greenlet_spawn(work, cast("Connection", self))

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[None]:
        """All of it or nothing; after a fault the line is of no more use, and whoever holds it hangs up."""
        await self._driver.execute("BEGIN")
        yield
        with committing():
            await self._driver.execute("COMMIT")

    async def set(self, name: str, value: str) -> None:
        """Give the session a setting, for as long as it lives."""
        await self._driver.execute("SELECT set_config($1, $2, false)", name, value)

    async def prepared(self, text: str) -> Any:
        """The statement of a text, which the server reads and plans only once."""
        found = self._prepared.get(text)
        if found is None:
            found = self._prepared[text] = await self._driver.prepare(text)
        return found

    async def hang_up(self) -> None:
        """Let it go, whatever state it is in; what was not committed is rolled back."""
        with suppress(Exception):
            await self._held.invalidate()
            await self._held.close()


class Cursor:
    """Runs one statement at a time, and holds what it brought."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._rows: Sequence[Any] = ()
        self._status = ""

    def execute(self, text: str, values: Sequence[object]) -> None:
        """Run it once."""
        statement = await_only(self._line.prepared(text))
        self._rows = await_only(statement.fetch(*values))
        self._status = statement.get_statusmsg()

    def executemany(self, text: str, rows: Sequence[Sequence[object]]) -> None:
        """Run it for each of these, in one trip."""
        if len(rows) == 1:
            self.execute(text, rows[0])
        else:
            await_only(await_only(self._line.prepared(text)).executemany(rows))

    def fetchall(self) -> list[tuple[Any, ...]]:
        """The rows that it brought."""
        return [tuple(row) for row in self._rows]

    @property
    def rowcount(self) -> int:
        """How many rows it touched: the server says `UPDATE 3`."""
        return int(self._status.rpartition(" ")[2])

    def close(self) -> None:
        """There is nothing to close."""


class Lines:
    """A few lines to read on; the one that was used last is taken first."""

    def __init__(self, engine: AsyncEngine, most: int) -> None:
        self._engine = engine
        self._room = asyncio.Semaphore(most)
        self._idle: list[Line] = []

    async def run(self, work: Callable[[Connection], T]) -> T:
        """Run a read; a line on which something went wrong is not used again."""
        async with self._room:
            line = self._idle.pop() if self._idle else await Line.opened(self._engine)
            try:
                found = await line.run(work)
            except AssentError:
                self._idle.append(line)
                raise
            except BaseException:
                await line.hang_up()
                raise
            self._idle.append(line)
            return found

    async def close(self) -> None:
        """Let those go that nobody uses."""
        while self._idle:
            await self._idle.pop().hang_up()


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
        self._stirs = shared.stirs
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


CHANNEL = "assent_ended"
STIRRED = "assent_stirred"
"""Says only that something happened, and in which process."""
_LONGEST = 7900
"""Bytes of one notice; the server takes fewer than 8000."""
_NOTIFY = Statement(select(func.pg_notify(bindparam("channel"), bindparam("ids"))))


def notify(connection: Connection, ids: Sequence[str]) -> None:
    """Send word of these approvals when the transaction commits; never before, never without it."""
    for text in _texts(ids):
        _NOTIFY.all(connection, channel=CHANNEL, ids=text)


def heard(text: str) -> list[str]:
    """The approvals that a notice is about; what anybody else sends on our channel says nothing."""
    try:
        said: object = json.loads(text)
    except ValueError:
        return []
    ids = cast("list[object]", said) if isinstance(said, list) else []
    return [id_ for id_ in ids if isinstance(id_, str)]


def _texts(ids: Iterable[str]) -> Iterator[str]:
    """As few notices as hold all of them."""
    held: list[str] = []
    length = 2
    for id_ in ids:
        size = len(json.dumps(id_)) + 2
        if held and length + size > _LONGEST:
            yield json.dumps(held)
            held, length = [], 2
        held.append(id_)
        length += size
    if held:
        yield json.dumps(held)
