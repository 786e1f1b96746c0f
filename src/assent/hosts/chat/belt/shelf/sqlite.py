"""A shelf in an SQLite file, by its full-text search."""

import os
import sqlite3
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager
from typing import TypeVar

from assent.errors import StoreError
from assent.hosts.chat.belt.shelf.port import Collection, Hit, Passage
from assent.hosts.chat.belt.threads import FILES

Result = TypeVar("Result")

_SCHEMA = """
    CREATE TABLE IF NOT EXISTS collections (name TEXT PRIMARY KEY);
    CREATE VIRTUAL TABLE IF NOT EXISTS passages USING fts5(
        text, source UNINDEXED, position UNINDEXED, collection UNINDEXED,
        tokenize = 'unicode61 remove_diacritics 2'
    );
"""


class SqliteShelf:
    """Opens its file for each piece of work, in a thread; several processes may use one file."""

    def __init__(self, path: str) -> None:
        self._path = path

    async def add(self, name: str, passages: Sequence[Passage]) -> None:
        """Put documents into a collection, which is made if need be; one that was there is replaced."""

        def work(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT OR IGNORE INTO collections VALUES (?)", (name,))
            gone = [(name, source) for source in {passage.source for passage in passages}]
            connection.executemany("DELETE FROM passages WHERE collection = ? AND source = ?", gone)
            rows = [(one.text, one.source, one.position, name) for one in passages]
            connection.executemany("INSERT INTO passages VALUES (?, ?, ?, ?)", rows)

        await self._do(work)

    async def remove(self, name: str) -> bool:
        """Take a collection away; False when there was none."""

        def work(connection: sqlite3.Connection) -> bool:
            connection.execute("DELETE FROM passages WHERE collection = ?", (name,))
            return connection.execute("DELETE FROM collections WHERE name = ?", (name,)).rowcount > 0

        return await self._do(work)

    async def collections(self) -> Sequence[Collection]:
        """Every collection, in order of its name."""
        query = """
            SELECT name, count(DISTINCT source), count(source)
            FROM collections LEFT JOIN passages ON collection = name GROUP BY name ORDER BY name
        """
        return [Collection(*row) for row in await self._do(lambda one: one.execute(query).fetchall())]

    async def query(self, words: Sequence[str], *, collection: str | None, limit: int) -> Sequence[Hit]:
        """The passages that hold some of these words, the best first."""
        if not words:
            return []
        query = """
            SELECT collection, source, position, text, -bm25(passages) AS score FROM passages
            WHERE passages MATCH ? AND (? IS NULL OR collection = ?) ORDER BY score DESC LIMIT ?
        """
        match = " OR ".join(f'"{word}"' for word in words)
        rows = await self._do(
            lambda one: one.execute(query, (match, collection, collection, limit)).fetchall()
        )
        return [Hit(row[0], Passage(row[1], row[2], row[3]), row[4]) for row in rows]

    async def close(self) -> None:
        """Nothing is open between two pieces of work."""

    async def _do(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        def done() -> Result:
            with self._connected() as connection, connection:
                return work(connection)

        return await FILES.run(done)

    @contextmanager
    def _connected(self) -> Generator[sqlite3.Connection]:
        try:
            os.makedirs(os.path.dirname(self._path) or ".", mode=0o700, exist_ok=True)
            # Whatever somebody added may be private: the file is its owner's alone.
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            with closing(sqlite3.connect(self._path, timeout=5)) as connection:
                connection.executescript(_SCHEMA)
                yield connection
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"the collections in {self._path} cannot be used: {error}") from None
