"""Simple approval stores that users could write themselves: plain SQLite with one commit per change."""

import asyncio
import itertools
import json
import sqlite3
import time
from pathlib import Path

import aiosqlite

from bench.harness import WrongAnswerError
from bench.stores import MAIL_ARGS, MAIL_TOOL

CREATE_TABLES = """
    CREATE TABLE approvals (id TEXT PRIMARY KEY, tool TEXT, args TEXT, state TEXT, asked_at REAL,
                            answered_by TEXT, answered_at REAL);
    CREATE TABLE audit (number INTEGER PRIMARY KEY, approval TEXT, user TEXT, decision TEXT, at REAL);
"""
INSERT_APPROVAL = "INSERT INTO approvals (id, tool, args, state, asked_at) VALUES (?, ?, ?, 'pending', ?)"
UPDATE_APPROVAL = (
    "UPDATE approvals SET state = ?, answered_by = ?, answered_at = ? WHERE id = ? AND state = 'pending'"
)
INSERT_AUDIT_ROW = "INSERT INTO audit (approval, user, decision, at) VALUES (?, ?, ?, ?)"
PRAGMAS = ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL")

_id_counter = itertools.count()


class BareSqlite:
    """The minimum work of an approval: one commit for the question and one for the answer."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        for pragma in PRAGMAS:
            self._connection.execute(pragma)
        self._connection.executescript(CREATE_TABLES)

    async def approve(self) -> None:
        id_ = _new_id()
        self._commit(INSERT_APPROVAL, (id_, MAIL_TOOL.name, json.dumps(MAIL_ARGS), time.time()))
        if self._commit(UPDATE_APPROVAL, ("approved", "ana", time.time(), id_)) != 1:
            raise WrongAnswerError("an answer went nowhere")

    def _commit(self, statement: str, values: tuple[object, ...]) -> int:
        self._connection.execute("BEGIN IMMEDIATE")
        touched = self._connection.execute(statement, values).rowcount
        self._connection.execute("COMMIT")
        return touched

    def close(self) -> None:
        self._connection.close()


class CommitPerChange:
    """A store with aiosqlite: commit the question, commit the answer with an audit row, wake the waiter."""

    def __init__(self, connection: aiosqlite.Connection) -> None:
        self._connection = connection
        self._waiting: dict[str, asyncio.Future[str]] = {}
        self._writing = asyncio.Lock()
        """Allows one transaction at a time on the connection."""

    @classmethod
    async def open(cls, path: Path) -> "CommitPerChange":
        connection = await aiosqlite.connect(path, isolation_level=None)
        for pragma in PRAGMAS:
            await connection.execute(pragma)
        await connection.executescript(CREATE_TABLES)
        return cls(connection)

    async def approve(self) -> None:
        id_ = _new_id()
        await self._insert_question(id_)
        said, _ = await asyncio.gather(self._waiting[id_], self._answer(id_))
        if said != "approved":
            raise WrongAnswerError(f"the waiter got {said}")

    async def close(self) -> None:
        await self._connection.close()

    async def _insert_question(self, id_: str) -> None:
        self._waiting[id_] = asyncio.get_running_loop().create_future()
        async with self._writing:
            await self._connection.execute("BEGIN IMMEDIATE")
            await self._connection.execute(
                INSERT_APPROVAL, (id_, MAIL_TOOL.name, json.dumps(MAIL_ARGS), time.time())
            )
            await self._connection.commit()

    async def _answer(self, id_: str) -> None:
        async with self._writing:
            await self._connection.execute("BEGIN IMMEDIATE")
            decided = await self._connection.execute(UPDATE_APPROVAL, ("approved", "ana", time.time(), id_))
            await self._connection.execute(INSERT_AUDIT_ROW, (id_, "ana", "approved", time.time()))
            await self._connection.commit()
        if decided.rowcount != 1:
            raise WrongAnswerError("an answer went nowhere")
        self._waiting.pop(id_).set_result("approved")


def _new_id() -> str:
    return f"{next(_id_counter):032x}"
