"""A chat as routes know it, and its stream on the way out."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from typing import Protocol

from starlette.responses import StreamingResponse

from assent.gate.access import Principal
from assent.hosts.chat.chunk import Chunk, Client, for_client
from assent.hosts.chat.request import ChatRequest

STILL = 15.0
"""Seconds after which a stream that says nothing says that it is still there."""
_HEADERS = {
    "cache-control": "no-store",
    "x-accel-buffering": "no",
    "x-vercel-ai-ui-message-stream": "v1",
}


class Talk(Protocol):
    """A chat, as far as HTTP goes."""

    async def send(self, principal: Principal, id: str, request: ChatRequest) -> AsyncIterator[Chunk]:
        """Take a message or answers in."""
        ...

    async def check_key(self, principal: Principal, id: str, request: ChatRequest) -> None:
        """Refuse a key that belongs to another request."""
        ...

    async def attach(self, principal: Principal, id: str) -> AsyncIterator[Chunk] | None:
        """Look on at what runs in a conversation; None where nothing does."""
        ...

    async def stop(self, principal: Principal, id: str) -> None:
        """End what runs in a conversation."""
        ...

    async def messages(
        self, principal: Principal, id: str, *, live: bool = False, replaced: bool = False
    ) -> Sequence[Mapping[str, object]]:
        """What was said in a conversation."""
        ...

    def model_options(self) -> Sequence[Mapping[str, object]]:
        """The models on offer, the usual one first."""
        ...


class ChunkStream(StreamingResponse):
    """Chunks as server-sent events; whoever leaves only stops looking on."""

    def __init__(self, chunks: AsyncIterator[Chunk], client: Client, stopping: asyncio.Event) -> None:
        super().__init__(_events(chunks, client, stopping), media_type="text/event-stream", headers=_HEADERS)


async def _events(
    chunks: AsyncIterator[Chunk], client: Client, stopping: asyncio.Event
) -> AsyncIterator[bytes]:
    """Each chunk as this client takes it; a server that stops ends the stream, never the run."""
    ending = asyncio.ensure_future(stopping.wait())
    coming = asyncio.ensure_future(anext(chunks, None))
    try:
        while True:
            await asyncio.wait((coming, ending), timeout=STILL, return_when=asyncio.FIRST_COMPLETED)
            if coming.done():
                one = coming.result()
                if one is None:
                    yield b"data: [DONE]\n\n"
                    return
                taken = for_client(one, client)
                if taken is not None:
                    yield f"data: {json.dumps(taken, separators=(',', ':'))}\n\n".encode()
                coming = asyncio.ensure_future(anext(chunks, None))
            elif ending.done():
                return
            else:
                yield b": still here\n\n"
    finally:
        for task in (coming, ending):
            task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(coming, ending, return_exceptions=True)
