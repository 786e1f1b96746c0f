"""Serves an app on loopback during a test."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn

from tests.waiting import wait_until_async


@asynccontextmanager
async def serve_app(app: Any, **settings: Any) -> AsyncIterator[str]:
    """Serve an app on a free port; yields its address."""
    config = uvicorn.Config(
        app, host="127.0.0.1", port=0, log_level="critical", lifespan="off", proxy_headers=False, **settings
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server._serve())
    await wait_until_async(lambda: server.started)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        await serving
