"""A simple PostgreSQL store that users could write themselves: eight connections, one commit per change."""

import asyncio
import itertools
import json
from typing import Any

import asyncpg

from bench.harness import WrongAnswerError
from bench.stores import MAIL_ARGS, MAIL_TOOL

CONNECTION_COUNT = 8
CHANNEL = "peer_decided"
CREATE_TABLES = """
    CREATE TABLE IF NOT EXISTS peer_approvals (id TEXT PRIMARY KEY, tool TEXT, args TEXT, state TEXT,
        asked_at TIMESTAMPTZ DEFAULT now(), answered_by TEXT, answered_at TIMESTAMPTZ);
    CREATE TABLE IF NOT EXISTS peer_audit (number BIGSERIAL PRIMARY KEY, approval TEXT, decision TEXT);
"""
INSERT_APPROVAL = "INSERT INTO peer_approvals (id, tool, args, state) VALUES ($1, $2, $3, 'pending')"
UPDATE_APPROVAL = """
    UPDATE peer_approvals SET state = 'approved', answered_by = 'ana', answered_at = now()
    WHERE id = $1 AND state = 'pending'
"""
INSERT_AUDIT_ROW = "INSERT INTO peer_audit (approval, decision) VALUES ($1, 'approved')"
NOTIFY = "SELECT pg_notify($1, $2)"

_id_counter = itertools.count()


class PoolApprovals:
    """Stores questions of this pod, and answers questions of any pod."""

    def __init__(self, pool: Any, listening: Any) -> None:
        self._pool = pool
        self._listening = listening
        self._waiting: dict[str, asyncio.Future[None]] = {}

    @classmethod
    async def open(cls, url: str) -> "PoolApprovals":
        pool = await asyncpg.create_pool(url, min_size=CONNECTION_COUNT, max_size=CONNECTION_COUNT)
        await pool.execute(CREATE_TABLES)
        opened = cls(pool, await asyncpg.connect(url))
        await opened._listening.add_listener(CHANNEL, opened._on_notify)
        return opened

    async def close(self) -> None:
        await self._listening.close()
        await self._pool.close()

    async def ask(self) -> str:
        """Store a question and return its id."""
        id_ = f"{next(_id_counter):032x}"
        self._waiting[id_] = asyncio.get_running_loop().create_future()
        await self._pool.execute(INSERT_APPROVAL, id_, MAIL_TOOL.name, json.dumps(MAIL_ARGS))
        return id_

    async def answer(self, id_: str) -> None:
        """Approve a question of any pod, and notify the waiter."""
        async with self._pool.acquire() as connection, connection.transaction():
            if await connection.execute(UPDATE_APPROVAL, id_) != "UPDATE 1":
                raise WrongAnswerError(f"the answer to {id_} went nowhere")
            await connection.execute(INSERT_AUDIT_ROW, id_)
            await connection.execute(NOTIFY, CHANNEL, id_)

    async def wait_for_answer(self, id_: str) -> None:
        """Wait until the question is answered."""
        await self._waiting[id_]
        del self._waiting[id_]

    async def insert(self) -> None:
        """Insert one question and commit."""
        await self._pool.execute(
            INSERT_APPROVAL, f"{next(_id_counter):032x}", MAIL_TOOL.name, json.dumps(MAIL_ARGS)
        )

    def _on_notify(self, _connection: object, _pid: int, _channel: str, id_: str) -> None:
        if id_ in self._waiting:
            self._waiting[id_].set_result(None)
