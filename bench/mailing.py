"""Shared parts of the benchmarked agents: a mail tool that needs approval, a history, and a table of texts.

Their fake models reply immediately: first they call the tool, then they report that the mail is sent.
"""

import itertools
import sqlite3
from pathlib import Path

from bench.harness import WrongAnswerError

USER_PROMPT = "Please send the report."
FINAL_REPLY = "It is sent."

_id_counter = itertools.count()


def send_mail(to: str, text: str) -> str:
    """Send a mail."""
    return f"sent {len(text)} characters to {to}"


def new_call_id() -> str:
    """Make a unique call id; all ids have the same length."""
    return f"call-{next(_id_counter):08d}"


def sample_history(many: int) -> list[str]:
    """Make a history of different messages, alternately of a person and an agent."""
    return [
        " ".join(f"word{(message * 977 + index * 131) % 9973:04d}" for index in range(25))
        for message in range(many)
    ]


def check_final_reply(reply: object, *, questions: int = 1) -> None:
    """Raise an error unless the agent asked one question and ended with the expected reply."""
    if reply != FINAL_REPLY or questions != 1:
        raise WrongAnswerError(f"after {questions} questions the agent said {reply!r}, not {FINAL_REPLY!r}")


class TextTable:
    """An SQLite table of texts, for frameworks without a store of their own."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path)
        self._connection.execute("CREATE TABLE kept (id TEXT PRIMARY KEY, text TEXT)")

    def put(self, id_: str, text: str) -> None:
        self._connection.execute("INSERT INTO kept VALUES (?, ?)", (id_, text))
        self._connection.commit()

    def get(self, id_: str) -> str:
        (text,) = self._connection.execute("SELECT text FROM kept WHERE id = ?", (id_,)).fetchone()
        return str(text)

    def close(self) -> None:
        self._connection.close()
