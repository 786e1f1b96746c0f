"""What a user would write instead of a store: plain SQLite with one commit per change."""

import asyncio
import itertools
import json
import sqlite3
import time
from pathlib import Path

import aiosqlite

from bench.harness import WrongAnswerError
from bench.stores import ARGS, TOOL

TABLES = """
    CREATE TABLE approvals (id TEXT PRIMARY KEY, tool TEXT, args TEXT, state TEXT, asked_at REAL,
                            answered_by TEXT, answered_at REAL);
    CREATE TABLE audit (number INTEGER PRIMARY KEY, approval TEXT, user TEXT, decision TEXT, at REAL);
"""
INSERT = "INSERT INTO approvals (id, tool, args, state, asked_at) VALUES (?, ?, ?, 'pending', ?)"
DECIDE = "UPDATE approvals SET state = ?, answered_by = ?, answered_at = ? WHERE id = ? AND state = 'pending'"
AUDIT = "INSERT INTO audit (approval, user, decision, at) VALUES (?, ?, ?, ?)"
PRAGMAS = ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL")

_numbers = itertools.count()


class BareSqlite:
    """Two commits, one for the question and one for the answer: the lower bound."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        for pragma in PRAGMAS:
            self._connection.execute(pragma)
        self._connection.executescript(TABLES)

    async def approve(self) -> None:
        id_ = _new_id()
        self._commit(INSERT, (id_, TOOL.name, json.dumps(ARGS), time.time()))
        if self._commit(DECIDE, ("approved", "ana", time.time(), id_)) != 1:
            raise WrongAnswerError("an answer went nowhere")

    def _commit(self, statement: str, values: tuple[object, ...]) -> int:
        self._connection.execute("BEGIN IMMEDIATE")
        touched = self._connection.execute(statement, values).rowcount
        self._connection.execute("COMMIT")
        return touched

    def close(self) -> None:
        self._connection.close()


class CommitEach:
    """aiosqlite: insert, then update and audit row, then wake the waiter; one commit per change."""

    def __init__(self, connection: aiosqlite.Connection) -> None:
        self._connection = connection
        self._waiting: dict[str, asyncio.Future[str]] = {}
        self._writing = asyncio.Lock()
        """One connection has one transaction at a time."""

    @classmethod
    async def open(cls, path: Path) -> "CommitEach":
        connection = await aiosqlite.connect(path, isolation_level=None)
        for pragma in PRAGMAS:
            await connection.execute(pragma)
        await connection.executescript(TABLES)
        return cls(connection)

    async def approve(self) -> None:
        id_ = _new_id()
        await self._ask(id_)
        said, _ = await asyncio.gather(self._waiting[id_], self._decide(id_))
        if said != "approved":
            raise WrongAnswerError(f"whoever waited heard {said}")

    async def close(self) -> None:
        await self._connection.close()

    async def _ask(self, id_: str) -> None:
        self._waiting[id_] = asyncio.get_running_loop().create_future()
        async with self._writing:
            await self._connection.execute("BEGIN IMMEDIATE")
            await self._connection.execute(INSERT, (id_, TOOL.name, json.dumps(ARGS), time.time()))
            await self._connection.commit()

    async def _decide(self, id_: str) -> None:
        async with self._writing:
            await self._connection.execute("BEGIN IMMEDIATE")
            decided = await self._connection.execute(DECIDE, ("approved", "ana", time.time(), id_))
            await self._connection.execute(AUDIT, (id_, "ana", "approved", time.time()))
            await self._connection.commit()
        if decided.rowcount != 1:
            raise WrongAnswerError("an answer went nowhere")
        self._waiting.pop(id_).set_result("approved")


def _new_id() -> str:
    return f"{next(_numbers):032x}"
