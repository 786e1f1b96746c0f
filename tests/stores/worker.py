"""A program that works on the same store: `python -m tests.stores.worker ADDRESS COMMAND ID…`; prints one word per step."""

import asyncio
import resource
import sys

from assent.errors import AssentError
from assent.gate.store import Store
from assent.stores.postgres.database import is_postgres, open_postgres
from assent.stores.sqlite.database import open_sqlite
from tests.gate.samples import make_question
from tests.stores.promises.given import MANY, answer_change


async def open_store(address: str) -> Store:
    return await (open_postgres(address) if is_postgres(address) else open_sqlite(address))


async def answer_questions(store: Store, *ids: str) -> None:
    """Answer each of these questions."""
    for id_ in ids:
        print_line((await store.change_approval(id_, answer_change())).state)


async def ask_and_wait(store: Store, *ids: str) -> None:
    """Add approvals, print `asked`, and wait for the answers."""
    for id_ in ids:
        await store.add_approval(id_, make_question(id_, boot=store.boot), MANY)
    print_line("asked")
    for id_ in ids:
        print_line((await store.wait_for_answer(id_)).state)


async def add_questions(store: Store, *ids: str) -> None:
    """Add an approval with a full disk, then again with free space."""
    size = 1 << 20
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    large = {"command": "x" * size}
    try:
        await store.add_approval(ids[0], make_question(ids[0], args=large), MANY)
    except AssentError as error:
        print_line(f"{type(error).__name__}: {error}")
    print_line(f"pending: {(await store.approval(ids[1])).state}")
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    print_line((await store.add_approval(ids[0], make_question(ids[0], args=large), MANY)).state)


def print_line(word: str) -> None:
    print(word, flush=True)


async def main(address: str, command: str, *ids: str) -> None:
    store = await open_store(address)
    await {"answer": answer_questions, "ask": ask_and_wait, "fill": add_questions}[command](store, *ids)
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
