"""What is written in pieces leaves together, in its order, and nothing of it is lost at the end."""

import asyncio

from assent.surfaces.http.joined import MOST, Joined


class Wire(asyncio.Transport):
    """A transport that keeps what is written to it, and where it was closed."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []
        self.is_closed = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        assert not self.is_closed
        self.written.append(bytes(data))

    def close(self) -> None:
        self.is_closed = True

    def abort(self) -> None:
        self.is_closed = True

    def is_closing(self) -> bool:
        return self.is_closed


def joined() -> tuple[Wire, Joined]:
    wire = Wire()
    return wire, Joined(wire, asyncio.get_running_loop())


async def test_head_and_body_leave_in_one_piece() -> None:
    wire, transport = joined()
    for piece in (b"HTTP/1.1 200 OK\r\n\r\n", b"", b"{}"):
        transport.write(piece)
    before = list(wire.written)
    await asyncio.sleep(0)

    assert (before, wire.written) == ([], [b"HTTP/1.1 200 OK\r\n\r\n{}"])


async def test_what_comes_in_another_turn_leaves_by_itself() -> None:
    wire, transport = joined()
    for piece in (b"data: 1\n\n", b"data: 2\n\n"):
        transport.write(piece)
        await asyncio.sleep(0)

    assert wire.written == [b"data: 1\n\n", b"data: 2\n\n"]


async def test_more_than_is_held_back_leaves_at_once() -> None:
    wire, transport = joined()
    transport.write(b"head")
    transport.write(b"x" * MOST)

    assert wire.written == [b"head" + b"x" * MOST]
    await asyncio.sleep(0)
    assert len(wire.written) == 1


async def test_a_reply_leaves_before_its_connection_is_closed() -> None:
    wire, transport = joined()
    transport.write(b"reply")
    transport.close()
    await asyncio.sleep(0)

    assert (wire.written, transport.is_closing()) == ([b"reply"], True)


async def test_nothing_is_written_where_the_other_side_is_gone() -> None:
    wire, transport = joined()
    transport.write(b"reply")
    transport.abort()
    await asyncio.sleep(0)

    assert wire.written == []
