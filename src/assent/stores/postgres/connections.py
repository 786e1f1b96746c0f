"""Connections to a PostgreSQL server: those that execute statements, and the one that listens for notices."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Self, TypeVar, cast

from sqlalchemy import URL, Dialect, bindparam, func, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool
from sqlalchemy.util.concurrency import await_only, greenlet_spawn

from assent.errors import AssentError
from assent.gate.approval import Approval
from assent.stores import migrations as schema
from assent.stores.backup import detect_restore
from assent.stores.sql.errors import mark_unknown_outcome, to_store_error
from assent.stores.sql.policy import read_secret
from assent.stores.sql.statement import Connection, CoreConnection, Statement
from assent.stores.store import SharedState

T = TypeVar("T")
_log = logging.getLogger("assent.store")
POLL_SECONDS = 5.0
"""Seconds between checks of all approvals that tasks wait for, even without a notice."""

_FIRST_DELAY, _LONGEST_DELAY = 0.05, 1.0

_NOTIFY_INTERVAL = 0.02
"""Seconds for which changes are collected into one notice."""
_LOCK_SHARE = 0.2
"""The share of the timeout for which a statement waits for a lock."""
ENDED_CHANNEL = "assent_ended"
CHANGED_CHANNEL = "assent_stirred"
"""The channel of notices that a process changed something; the payload is the id of the process."""
_MAX_NOTICE = 7900
"""The maximum size of a notice in bytes; the server accepts fewer than 8000."""
_NOTIFY = Statement(select(func.pg_notify(bindparam("channel"), bindparam("ids"))))


class PgConnection:
    """One connection to a server; the driver executes prepared statements directly.

    SQLAlchemy opens the connection and compiles the statements; executing them through SQLAlchemy takes
    several times as long as the server does.
    """

    def __init__(self, opened: AsyncConnection, driver: Any) -> None:
        self._opened = opened
        self._driver = driver
        self._prepared: dict[str, Any] = {}
        self.dialect: Dialect = opened.dialect

    @classmethod
    async def open(cls, engine: AsyncEngine) -> Self:
        """Connect to the server."""
        opened = await engine.connect()
        return cls(opened, (await opened.get_raw_connection()).driver_connection)

    def fetch(self, text: str, values: Sequence[object]) -> Sequence[Any]:
        """Run a statement and return its rows; only within `run_sync`."""
        return [tuple(row) for row in await_only(self._execute(text, values))[0]]

    def run(self, text: str, values: Sequence[object]) -> int:
        """Run a statement and return the number of rows it changed; only within `run_sync`."""
        # The server answers `UPDATE 3`.
        return int(await_only(self._execute(text, values))[1].rpartition(" ")[2])

    def run_many(self, text: str, rows: Sequence[Sequence[object]]) -> None:
        """Run a statement once for each row of values, in one round trip; only within `run_sync`."""
        if len(rows) == 1:
            await_only(self._execute(text, rows[0]))
        else:
            await_only(self._execute_many(text, rows))

    async def run_sync(self, work: Callable[[Connection], T]) -> T:
        """Run synchronous code that executes statements on this connection."""
        return await greenlet_spawn(work, self)

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[None]:
        """Commit everything or nothing; after an error the caller must discard this connection."""
        await self._driver.execute("BEGIN")
        yield
        with mark_unknown_outcome():
            await self._driver.execute("COMMIT")

    async def set_parameter(self, name: str, value: str) -> None:
        """Set a parameter of the server for this connection."""
        await self._driver.execute("SELECT set_config($1, $2, false)", name, value)

    async def discard(self) -> None:
        """Close the connection in any state; uncommitted changes are rolled back."""
        with suppress(Exception):
            await self._opened.invalidate()
            await self._opened.close()

    async def _execute(self, text: str, values: Sequence[object]) -> tuple[Sequence[Any], str]:
        statement = await self._prepare(text)
        rows = await statement.fetch(*values)
        return rows, statement.get_statusmsg()

    async def _execute_many(self, text: str, rows: Sequence[Sequence[object]]) -> None:
        await (await self._prepare(text)).executemany(rows)

    async def _prepare(self, text: str) -> Any:
        """Prepare a statement, which the server then parses and plans only once."""
        found = self._prepared.get(text)
        if found is None:
            found = self._prepared[text] = await self._driver.prepare(text)
        return found


class PgPool:
    """A small pool of connections for reads; the connection that was used last is taken first."""

    def __init__(self, engine: AsyncEngine, most: int) -> None:
        self._engine = engine
        self._room = asyncio.Semaphore(most)
        self._idle: list[PgConnection] = []

    async def run(self, work: Callable[[Connection], T]) -> T:
        """Run a read; a connection on which a read failed is not used again."""
        async with self._room:
            connection = self._idle.pop() if self._idle else await PgConnection.open(self._engine)
            try:
                found = await connection.run_sync(work)
            except AssentError:
                self._idle.append(connection)
                raise
            except BaseException:
                await connection.discard()
                raise
            self._idle.append(connection)
            return found

    async def close(self) -> None:
        """Close the idle connections."""
        while self._idle:
            await self._idle.pop().discard()


ReadEnded = Callable[[Sequence[str]], Awaitable[Sequence[Approval]]]
"""A function that reads those of some approvals that are no longer pending."""


class Listener:
    """Listens for notices of other processes; a lost notice delays an answer by at most one poll."""

    def __init__(
        self, engine: AsyncEngine, shared: SharedState, ended: ReadEnded, *, poll: float = POLL_SECONDS
    ) -> None:
        self._engine = engine
        self._boot = shared.boot
        self._wakes = shared.waiters
        self._signal = shared.signal
        self._signal.on_publish = self._request_publish
        self._untold = False
        self._telling: asyncio.TimerHandle | None = None
        self._ended = ended
        self._poll = poll
        self._news = asyncio.Event()
        self._ids: set[str] = set()
        self._cut = False
        self._ending = False
        self._task = asyncio.create_task(self._run_listener())

    async def close(self) -> None:
        """Stop listening."""
        self._ending = True
        if self._telling is not None:
            self._telling.cancel()
        self._news.set()
        # The task ends by itself, unless it is connecting to a server that does not respond.
        await asyncio.wait([self._task], timeout=_LONGEST_DELAY)
        self._task.cancel()
        await asyncio.wait([self._task])

    async def _run_listener(self) -> None:
        pause = _FIRST_DELAY
        while not self._ending:
            try:
                async with self._engine.connect() as connection:
                    await self._add_listeners(connection)
                    pause = _FIRST_DELAY
                    await self._listen_for_notices(connection)
            except Exception:  # noqa: BLE001 - the server is away; callers hear of it, we come back
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_DELAY)

    async def _add_listeners(self, connection: AsyncConnection) -> None:
        driver: Any = (await connection.get_raw_connection()).driver_connection
        self._cut = False
        # The close handler is registered first; otherwise a connection that ends now would never be noticed.
        driver.add_termination_listener(self._on_close)
        await driver.add_listener(ENDED_CHANNEL, self._on_approval_ended)
        await driver.add_listener(CHANGED_CHANNEL, self._on_change)
        # A change notice may be lost in a crash of the server.
        await driver.execute("SET synchronous_commit TO off")

    async def _listen_for_notices(self, connection: AsyncConnection) -> None:
        """Notify waiting tasks until the connection is lost; answers from before are read first."""
        await self._notify_waiters(self._wakes.ids())
        self._signal.notify()
        while not (self._cut or self._ending):
            try:
                async with asyncio.timeout(self._poll):
                    await self._news.wait()
            except TimeoutError:
                await self._notify_waiters(self._wakes.ids())
                continue
            self._news.clear()
            ids, self._ids = self._ids, set()
            await self._notify_waiters([id_ for id_ in ids if id_ in self._wakes])
            if self._untold:
                await self._publish_changes(connection)

    async def _publish_changes(self, connection: AsyncConnection) -> None:
        """Notify other processes of collected changes, outside of the writer's transaction."""
        self._untold = False
        driver: Any = (await connection.get_raw_connection()).driver_connection
        await driver.execute("SELECT pg_notify($1, $2)", CHANGED_CHANNEL, self._boot)

    def _request_publish(self) -> None:
        if self._telling is None and not self._ending:
            self._telling = asyncio.get_running_loop().call_later(_NOTIFY_INTERVAL, self._publish_now)

    def _publish_now(self) -> None:
        self._telling, self._untold = None, True
        self._news.set()

    def _on_change(self, _connection: object, _pid: int, _channel: str, boot: object) -> None:
        if boot != self._boot:
            self._signal.notify()

    async def _notify_waiters(self, ids: Sequence[str]) -> None:
        if ids:
            self._wakes.notify(await self._ended(ids))

    def _on_approval_ended(self, _connection: object, _pid: int, _channel: str, text: object) -> None:
        self._ids.update(parse_notice(str(text)))
        self._news.set()

    def _on_close(self, _connection: object) -> None:
        self._cut = True
        self._news.set()


def send_notices(connection: Connection, ids: Sequence[str]) -> None:
    """Notify other processes that these approvals ended, when the transaction commits."""
    for text in _notice_texts(ids):
        _NOTIFY.fetch(connection, channel=ENDED_CHANNEL, ids=text)


def parse_notice(text: str) -> list[str]:
    """The approval ids in a notice; anything else on our channel is ignored."""
    try:
        said: object = json.loads(text)
    except ValueError:
        return []
    ids = cast("list[object]", said) if isinstance(said, list) else []
    return [id_ for id_ in ids if isinstance(id_, str)]


def postgres_engine(address: URL, timeout: float, **options: Any) -> AsyncEngine:
    """An engine whose connections time out on a slow server or a locked row."""
    settings = {
        "application_name": "assent",
        # A process that is suspended during a transaction must not block other processes for long.
        "idle_in_transaction_session_timeout": str(int(timeout * 1000)),
        # Another program that keeps a row or a table locked must not block this one for long either.
        "lock_timeout": str(int(timeout * 1000 * _LOCK_SHARE)),
    }
    arguments = {"timeout": timeout, "command_timeout": timeout, "server_settings": settings}
    return create_async_engine(address, connect_args=arguments, **options)


async def prepare_postgres(address: URL, where: str, *, upgrade: bool) -> bytes:
    """Check the database before it is used."""
    engine = create_async_engine(address, poolclass=NullPool)
    try:
        async with engine.begin() as connection:
            return await connection.run_sync(
                lambda core: _check_database(CoreConnection(core), where, upgrade=upgrade)
            )
    except Exception as error:
        raise to_store_error(error, where) from error
    finally:
        await engine.dispose()


def _notice_texts(ids: Iterable[str]) -> Iterator[str]:
    """The texts of as few notices as possible that contain all ids."""
    held: list[str] = []
    length = 2
    for id_ in ids:
        size = len(json.dumps(id_)) + 2
        if held and length + size > _MAX_NOTICE:
            yield json.dumps(held)
            held, length = [], 2
        held.append(id_)
        length += size
    if held:
        yield json.dumps(held)


def _check_database(connection: CoreConnection, where: str, *, upgrade: bool) -> bytes:
    found = schema.read_version(connection)
    if upgrade and not found.is_usable and not found.is_newer:
        schema.upgrade(connection)
        found = schema.read_version(connection)
    schema.check_version(found, where, backup=True)
    ended = detect_restore(connection)
    if ended is not None:
        _log.warning("this database was restored from a backup: %d approvals are `unknown` now", ended)
    return read_secret(connection)
