"""The document search index in PostgreSQL, with its full-text search."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

import asyncpg

from assent.errors import StoreError
from assent.hosts.chat.tools.collections import Collection, Passage, PassageMatch

# `simple` does no stemming, so that results are the same as with SQLite.
_SCHEMA = """
    CREATE SCHEMA IF NOT EXISTS assent_shelf;
    CREATE TABLE IF NOT EXISTS assent_shelf.collections (name text PRIMARY KEY);
    CREATE TABLE IF NOT EXISTS assent_shelf.passages (
        collection text NOT NULL REFERENCES assent_shelf.collections ON DELETE CASCADE,
        source text NOT NULL,
        position integer NOT NULL,
        text text NOT NULL,
        words tsvector GENERATED ALWAYS AS (to_tsvector('simple', text)) STORED,
        PRIMARY KEY (collection, source, position)
    );
    CREATE INDEX IF NOT EXISTS passages_words ON assent_shelf.passages USING gin (words);
"""
_INSERT_PASSAGE = (
    "INSERT INTO assent_shelf.passages (collection, source, position, text) VALUES ($1, $2, $3, $4)"
)
_LOCK_SCHEMA = "SELECT pg_advisory_xact_lock(hashtext('assent_shelf'))"


class PostgresIndex:
    """An index in PostgreSQL; it opens a connection for each operation, because queries are rare."""

    def __init__(self, url: str) -> None:
        self._url = url.replace("postgres://", "postgresql://", 1)
        self._has_schema = False

    async def add_documents(self, name: str, passages: Sequence[Passage]) -> None:
        """Add documents to a new or existing collection; an existing document is replaced."""
        rows = [(name, one.source, one.position, one.text) for one in passages]
        sources = list({one.source for one in passages})
        async with self._connect() as connection, connection.transaction():
            await connection.execute(
                "INSERT INTO assent_shelf.collections VALUES ($1) ON CONFLICT DO NOTHING", name
            )
            await connection.execute(
                "DELETE FROM assent_shelf.passages WHERE collection = $1 AND source = ANY ($2)", name, sources
            )
            await connection.executemany(_INSERT_PASSAGE, rows)

    async def remove_collection(self, name: str) -> bool:
        """Remove a collection; returns False if it does not exist."""
        async with self._connect() as connection:
            done = await connection.execute("DELETE FROM assent_shelf.collections WHERE name = $1", name)
        return done != "DELETE 0"

    async def list_collections(self) -> Sequence[Collection]:
        """All collections, sorted by name."""
        query = """
            SELECT name, count(DISTINCT source), count(source)
            FROM assent_shelf.collections LEFT JOIN assent_shelf.passages ON collection = name
            GROUP BY name ORDER BY name
        """
        async with self._connect() as connection:
            found = await connection.fetch(query)
        return [Collection(str(row[0]), int(str(row[1])), int(str(row[2]))) for row in found]

    async def find_passages(
        self, words: Sequence[str], *, collection: str | None, limit: int
    ) -> Sequence[PassageMatch]:
        """The passages that contain at least one of the words, best match first."""
        if not words:
            return []
        query = """
            SELECT collection, source, position, text, ts_rank_cd(words, asked) AS score
            FROM assent_shelf.passages, to_tsquery('simple', $1) AS asked
            WHERE words @@ asked AND ($2::text IS NULL OR collection = $2) ORDER BY score DESC LIMIT $3
        """
        asked = " | ".join(f"'{word}'" for word in words)
        async with self._connect() as connection:
            rows = await connection.fetch(query, asked, collection, limit)
        return [
            PassageMatch(str(row[0]), Passage(str(row[1]), int(str(row[2])), str(row[3])), float(str(row[4])))
            for row in rows
        ]

    @asynccontextmanager
    async def _connect(self) -> AsyncGenerator[asyncpg.Connection]:
        try:
            connection = await asyncpg.connect(self._url, timeout=10, command_timeout=60)
        except (OSError, TimeoutError, asyncpg.PostgresError) as error:
            raise StoreError(f"the collections' database cannot be reached: {error}") from None
        try:
            await self._create_schema(connection)
            yield connection
        except (OSError, TimeoutError, asyncpg.PostgresError) as error:
            raise StoreError(f"the collections cannot be used: {error}") from None
        finally:
            await connection.close()

    async def _create_schema(self, connection: asyncpg.Connection) -> None:
        if self._has_schema:
            return
        async with connection.transaction():
            await connection.execute(
                _LOCK_SCHEMA
            )  # Without the lock, two processes that create the schema at the same time would fail.
            await connection.execute(_SCHEMA)
        self._has_schema = True
