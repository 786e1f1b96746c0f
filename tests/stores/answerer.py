"""A process that asks, answers and takes calls until somebody ends it, and says what was acknowledged."""

import asyncio
import itertools
import sys

from assent.stores.postgres.database import is_postgres, open_postgres
from assent.stores.sqlite.database import open_sqlite
from assent.stores.store import SqlStore
from tests.gate.samples import asking
from tests.stores.promises.given import MANY, an_entry, answering, claiming

AT_ONCE = 8


async def main(address: str, prefix: str) -> None:
    store = await (open_postgres(address) if is_postgres(address) else open_sqlite(address))
    await asyncio.gather(*(stream(store, f"{prefix}-{lane}") for lane in range(AT_ONCE)))


async def stream(store: SqlStore, prefix: str) -> None:
    for number in itertools.count():
        id_ = f"{prefix}-{number}"
        await store.add_approval(id_, asking(id_, boot=store.boot), MANY)
        store.record(an_entry(number, id=f"run-{id_}"))
        await store.change_approval(id_, answering())
        print(f"approved {id_}", flush=True)
        await store.change_approval(id_, claiming(f"k-{id_}", store.boot))
        print(f"claimed {id_}", flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
