"""What the agents of several rows share: one mail that needs approval after a history, and a table of texts.

Their models answer immediately and always the same: call the tool, then report that it is done.
"""

import itertools
import sqlite3
from pathlib import Path

from bench.harness import WrongAnswerError

ASKED = "Please send the report."
DONE = "It is sent."

_numbers = itertools.count()


def send_mail(to: str, text: str) -> str:
    """Sends a mail."""
    return f"sent {len(text)} characters to {to}"


def new_call() -> str:
    """A new unique call id, always of the same length."""
    return f"call-{next(_numbers):08d}"


def sample_history(many: int) -> list[str]:
    """A history of messages of person and agent in turns; no two are equal."""
    return [
        " ".join(f"word{(message * 977 + place * 131) % 9973:04d}" for place in range(25))
        for message in range(many)
    ]


def check_done(said: object, *, questions: int = 1) -> None:
    """Check that the tool ran after one question, and that the agent finished."""
    if said != DONE or questions != 1:
        raise WrongAnswerError(f"after {questions} questions the agent said {said!r}, not {DONE!r}")


class Table:
    """A table of texts, for frameworks that leave storage to the user."""

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
