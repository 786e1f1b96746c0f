"""Another process with a gate of its own: `python -m tests.gate.pod ADDRESS MODE CALL…`, one word out per step.

It makes each call in turn and waits for it, saying `calls NAME` before and what came of it after.
"""

import asyncio
import sys
from dataclasses import replace

from assent.stores.postgres.database import is_postgres, open_postgres
from assent.stores.sqlite.database import open_sqlite
from tests.gate.scene import PUT, READ, SEND, Scene
from tests.stores.promises.given import SetClock

CALLS = {"read": READ, "put": PUT, "send": SEND}


async def main(address: str, mode: str, *names: str) -> None:
    store = await (open_postgres(address) if is_postgres(address) else open_sqlite(address))
    scene = Scene(store, SetClock())
    async with scene.gate:
        turn = await scene.turn(mode=mode)
        for number, name in enumerate(names):
            print_line(f"calls {name}")
            outcome = await turn.check(replace(CALLS[name], id=f"{name}-{number}"))
            print_line(type(outcome).__name__)


def print_line(word: str) -> None:
    print(word, flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
