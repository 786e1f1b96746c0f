"""Joined writes: the head of a reply and its body leave together, and whoever reads is woken once."""

import asyncio

MOST = 65_536
"""Bytes that are held back; more are on their way before the next turn of the loop."""


class Joined(asyncio.Transport):
    """A transport that writes once in a turn of the loop what was written to it in pieces."""

    def __init__(self, below: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self.below = below
        self._loop = loop
        self._held: list[bytes | bytearray | memoryview] = []
        self._size = 0

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Write this, with whatever follows at once."""
        if not data:
            return
        if not self._held:
            self._loop.call_soon(self.flush)
        self._held.append(data)
        self._size += len(data)
        if self._size > MOST:
            self.flush()

    def flush(self) -> None:
        """Let go of what is held back."""
        held, self._held, self._size = self._held, [], 0
        if held and not self.below.is_closing():
            self.below.write(held[0] if len(held) == 1 else b"".join(held))

    def close(self) -> None:
        """Close it once all is written."""
        self.flush()
        self.below.close()

    def abort(self) -> None:
        """Close it at once."""
        self.below.abort()

    def is_closing(self) -> bool:
        """Whether it is closed, or about to be."""
        return self.below.is_closing()

    def get_extra_info(self, name: str, default: object = None) -> object:
        """What is known of the connection."""
        return self.below.get_extra_info(name, default)

    def pause_reading(self) -> None:
        """Take nothing in for now."""
        self.below.pause_reading()

    def resume_reading(self) -> None:
        """Take in what comes."""
        self.below.resume_reading()

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Hand what comes to another."""
        self.below.set_protocol(protocol)
