"""A program that runs its own gate:

`python -m tests.gate.pod ADDRESS MODE CALL…`. It makes one call after the other; before each it prints `calls
NAME`, and after each the type of the outcome.
"""

import asyncio
import sys
from dataclasses import replace

from assent.stores.postgres.database import is_postgres, open_postgres
from assent.stores.sqlite.database import open_sqlite
from tests.gate.scene import PUT, READ, SEND, GateHarness
from tests.stores.promises.given import SetClock

CALLS = {"read": READ, "put": PUT, "send": SEND}


async def main(address: str, mode: str, *names: str) -> None:
    store = await (open_postgres(address) if is_postgres(address) else open_sqlite(address))
    harness = GateHarness(store, SetClock())
    async with harness.gate:
        turn = await harness.turn(mode=mode)
        for number, name in enumerate(names):
            print_word(f"calls {name}")
            outcome = await turn.check(replace(CALLS[name], id=f"{name}-{number}"))
            print_word(type(outcome).__name__)


def print_word(word: str) -> None:
    print(word, flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
