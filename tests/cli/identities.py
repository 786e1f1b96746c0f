"""People in the database of a working directory, and their credentials."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from assent.compose import local_person
from assent.door.authentication import Authenticator
from assent.gate.people import Person
from assent.stores.sqlite.database import open_sqlite
from tests.cli.running import CommandSandbox

LOCAL_PERSON_ID = local_person().id


@asynccontextmanager
async def open_authenticator(sandbox: CommandSandbox) -> AsyncIterator[Authenticator]:
    """Open the authenticator of `assent.db` in a directory, where commands find it without an option."""
    store = await open_sqlite(str(sandbox.root / "assent.db"))
    try:
        yield Authenticator(store)
    finally:
        await store.close()


async def add_people(sandbox: CommandSandbox, *people: Person) -> None:
    async with open_authenticator(sandbox) as keeper:
        for person in people:
            await keeper.people.store.add_person(person, by="root")


def find_link_secret(text: str) -> str:
    """Find the URL of a log-in link in a text, and return its secret."""
    return text.strip().partition("#")[2]
