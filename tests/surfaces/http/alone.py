"""A server in a process of its own, for tools that speak HTTP: it prints where it is, and ends with its input."""

import asyncio
import json
import sys

from assent.door.authentication import Throttle
from tests.door.listening import listening
from tests.surfaces.http.house import HERE, House, a_house


async def serve() -> None:
    async with a_house() as house:
        await _furnish(house)
        house.keeper.throttle = Throttle(tries=1_000_000)
        # Whoever waits or listens comes back at once, so that no request takes long.
        house.service.stopping.set()
        async with listening(house.asgi) as url:
            print(json.dumps({"url": url, "token": house.tokens["ada"]}), flush=True)
            await asyncio.to_thread(sys.stdin.read)


async def _furnish(house: House) -> None:
    await house.furnished()
    await house.posts("ana", "/v1/conversations", {"title": "first"}, headers={"origin": HERE})


if __name__ == "__main__":
    asyncio.run(serve())
