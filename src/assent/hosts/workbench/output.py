"""The output of terminals: what is kept of it, and its text without control sequences."""

import re
from collections import deque

_CONTROL_SEQUENCES = re.compile(
    r"""
    \x1b\[[0-?]*[ -/]*[@-~]?             # CSI
    | \x1b[\]PX^_][^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?  # OSC, DCS, SOS, PM and APC, with their text
    | \x1b[ -/]*[0-~]?                   # other escapes
    | \x9b[0-?]*[ -/]*[@-~]?             # CSI in one character
    | [\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]
    """,
    re.VERBOSE,
)
_LINE_ENDS = re.compile(r"\r*\n|\r")


class RecentOutput:
    """The end of an output; older output is dropped."""

    def __init__(self, max_bytes: int) -> None:
        self._pieces: deque[bytes] = deque()
        self._max_bytes = max_bytes
        self._size = 0
        self.is_truncated = False

    def add(self, piece: bytes) -> None:
        """Add output."""
        self._pieces.append(piece)
        self._size += len(piece)
        while self._size > self._max_bytes:
            first = self._pieces.popleft()
            excess = self._size - self._max_bytes
            self.is_truncated = True
            self._size -= min(excess, len(first))
            if excess < len(first):
                self._pieces.appendleft(first[excess:])

    @property
    def data(self) -> bytes:
        """The output that is kept."""
        return b"".join(self._pieces)


class CommandOutput:
    """The beginning and the end of the output of one command; the middle is dropped and only counted."""

    def __init__(self, max_bytes: int) -> None:
        self._head = bytearray()
        self._max_head = max_bytes * 3 // 4
        self._tail = RecentOutput(max_bytes - self._max_head)
        self.total = 0

    def add(self, piece: bytes) -> None:
        """Add output."""
        self.total += len(piece)
        room = self._max_head - len(self._head)
        self._head += piece[:room]
        if len(piece) > room:
            self._tail.add(piece[room:])

    @property
    def is_truncated(self) -> bool:
        """Whether output was dropped."""
        return self._tail.is_truncated

    @property
    def text(self) -> str:
        """The output without control sequences, with a line for what was dropped."""
        tail = self._tail.data
        if not self.is_truncated:
            return plain_text(bytes(self._head) + tail)
        missing = self.total - len(self._head) - len(tail)
        return f"{plain_text(bytes(self._head))}\n… {missing:,} more bytes …\n{plain_text(tail)}"


def plain_text(data: bytes) -> str:
    """The text of an output without control sequences; bytes that are not UTF-8 are replaced."""
    text = data.decode("utf-8", errors="replace")
    return _CONTROL_SEQUENCES.sub("", _LINE_ENDS.sub("\n", text))
