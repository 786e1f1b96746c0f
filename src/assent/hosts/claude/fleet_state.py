"""The data that a fleet keeps over a restart: messages, the progress of each agent, and counted answers."""

import json
import os
import sqlite3
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, fields, replace
from typing import cast

FILE_NAME = "fleet.db"
EVERYBODY = "broadcast"
"""The recipient of a message to all agents."""
MAX_TEXT = 20_000
"""The longest message, status or report, in characters; longer ones are refused."""
_MAX_MESSAGES = 200
"""How many messages one request returns."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, sender TEXT NOT NULL, recipient TEXT NOT NULL,
    content TEXT NOT NULL, at TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS cursors (agent TEXT PRIMARY KEY, last INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS agents (id TEXT PRIMARY KEY, record TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS always (rule TEXT PRIMARY KEY, times INTEGER NOT NULL);
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message of one agent to another one, or to all."""

    id: int
    sender: str
    recipient: str
    content: str
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRecord:
    """The stored facts about an agent, which survive a restart."""

    id: str
    role: str
    status: str = "starting"
    task: str = ""
    session: str = ""
    """The id of the client's session, with which the agent is resumed."""
    directory: str = ""
    branch: str = ""
    assignment: str = ""
    progress: Mapping[str, object] | None = None
    """What the agent saved last."""
    summary: str = ""
    """What the agent reported at its end."""
    tokens: int = 0
    cost: float = 0.0
    """In US dollars, as the client reports it."""


class FleetState:
    """The database of a fleet; each method is one transaction."""

    def __init__(self, directory: str) -> None:
        os.makedirs(directory, mode=0o700, exist_ok=True)
        path = os.path.join(directory, FILE_NAME)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA synchronous=FULL")
        self._connection.executescript(_SCHEMA)

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    def add_message(self, sender: str, recipient: str, content: str) -> Message:
        """Store a message."""
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        with closing(
            self._connection.execute(
                "INSERT INTO messages (sender, recipient, content, at) VALUES (?, ?, ?, ?)",
                (sender, recipient, content, at),
            )
        ) as cursor:
            return Message(
                id=cursor.lastrowid or 0, sender=sender, recipient=recipient, content=content, at=at
            )

    def take_messages(self, agent: str, after: int | None = None) -> list[Message]:
        """The messages to an agent after the last one that it read, or after a given one."""
        start = self._last_read(agent) if after is None else after
        rows = self._connection.execute(
            "SELECT id, sender, recipient, content, at FROM messages"
            " WHERE id > ? AND sender <> ? AND recipient IN (?, ?) ORDER BY id LIMIT ?",
            (start, agent, agent, EVERYBODY, _MAX_MESSAGES),
        ).fetchall()
        found = [
            Message(id=row[0], sender=row[1], recipient=row[2], content=row[3], at=row[4]) for row in rows
        ]
        if found:
            self._connection.execute(
                "INSERT INTO cursors VALUES (?, ?) ON CONFLICT (agent) DO UPDATE SET last = max(last, ?)",
                (agent, found[-1].id, found[-1].id),
            )
        return found

    def newest_unread(self, agent: str) -> int:
        """The id of the newest message that an agent has not read; 0 if there is none."""
        row = self._connection.execute(
            "SELECT max(id) FROM messages WHERE id > ? AND sender <> ? AND recipient IN (?, ?)",
            (self._last_read(agent), agent, agent, EVERYBODY),
        ).fetchone()
        return int(row[0] or 0)

    def agent_record(self, id: str) -> AgentRecord | None:
        """The record of an agent; None if it never ran."""
        row = self._connection.execute("SELECT record FROM agents WHERE id = ?", (id,)).fetchone()
        return None if row is None else _read_record(str(row[0]))

    def records(self) -> list[AgentRecord]:
        """The records of all agents, by id."""
        rows = self._connection.execute("SELECT record FROM agents ORDER BY id").fetchall()
        return [_read_record(str(row[0])) for row in rows]

    def save(self, record: AgentRecord) -> None:
        """Store the record of an agent."""
        self._connection.execute(
            "INSERT INTO agents VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET record = excluded.record",
            (record.id, json.dumps(asdict(record))),
        )

    def change(self, id: str, **changes: object) -> None:
        """Change fields of a record; does nothing for an agent that never ran."""
        known = self.agent_record(id)
        if known is not None:
            self.save(replace(known, **changes))  # type: ignore[arg-type]

    def count_always(self, rule: str) -> int:
        """Count another "always" for a rule; return the total."""
        row = self._connection.execute(
            "INSERT INTO always VALUES (?, 1) ON CONFLICT (rule) DO UPDATE SET times = times + 1"
            " RETURNING times",
            (rule,),
        ).fetchone()
        return int(row[0])

    def _last_read(self, agent: str) -> int:
        row = self._connection.execute("SELECT last FROM cursors WHERE agent = ?", (agent,)).fetchone()
        return 0 if row is None else int(row[0])


_RECORD_FIELDS = frozenset(one.name for one in fields(AgentRecord))


def _read_record(text: str) -> AgentRecord:
    stored = cast("dict[str, object]", json.loads(text))
    known = {name: value for name, value in stored.items() if name in _RECORD_FIELDS}
    return AgentRecord(**known)  # type: ignore[arg-type]
