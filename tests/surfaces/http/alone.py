"""A server process for HTTP test tools: it prints its address, and exits when its input ends."""

import asyncio
import json
import sys

from assent.door.authentication import Throttle
from tests.door.listening import serve_app
from tests.surfaces.http.api_server import HERE, ApiServer, open_api_server


async def serve_until_input_ends() -> None:
    async with open_api_server() as api:
        await _create_samples(api)
        api.authenticator.throttle = Throttle(tries=1_000_000)
        # Long polls and streams return immediately, so that no request takes long.
        api.service.stopping.set()
        async with serve_app(api.asgi) as url:
            print(json.dumps({"url": url, "token": api.tokens["ada"]}), flush=True)
            await asyncio.to_thread(sys.stdin.read)


async def _create_samples(api: ApiServer) -> None:
    await api.create_samples()
    await api.post("ana", "/v1/conversations", {"title": "first"}, headers={"origin": HERE})


if __name__ == "__main__":
    asyncio.run(serve_until_input_ends())
