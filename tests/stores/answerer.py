"""A process that asks, answers and claims calls until it is killed, and prints what was acknowledged."""

import asyncio
import itertools
import sys

from assent.stores.postgres.database import is_postgres, open_postgres
from assent.stores.sqlite.database import open_sqlite
from assent.stores.store import SqlStore
from tests.gate.samples import make_question
from tests.stores.promises.given import MANY, answer_change, claim_change, sample_entry

CONCURRENT_TASKS = 8


async def main(address: str, prefix: str) -> None:
    store = await (open_postgres(address) if is_postgres(address) else open_sqlite(address))
    await asyncio.gather(
        *(answer_calls_forever(store, f"{prefix}-{lane}") for lane in range(CONCURRENT_TASKS))
    )


async def answer_calls_forever(store: SqlStore, prefix: str) -> None:
    for number in itertools.count():
        id_ = f"{prefix}-{number}"
        await store.add_approval(id_, make_question(id_, boot=store.boot), MANY)
        store.record(sample_entry(number, id=f"run-{id_}"))
        await store.change_approval(id_, answer_change())
        print(f"approved {id_}", flush=True)
        await store.change_approval(id_, claim_change(f"k-{id_}", store.boot))
        print(f"claimed {id_}", flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
