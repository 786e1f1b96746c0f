"""Lines to a PostgreSQL server: statements go straight to its driver, each of them one trip."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Self, TypeVar, cast

from sqlalchemy import Connection, Dialect
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from sqlalchemy.util.concurrency import await_only, greenlet_spawn

from assent.errors import AssentError
from assent.stores.faults import committing

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
