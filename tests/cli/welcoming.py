"""People in a place's database, and what a secret that a command printed is worth there."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from assent.compose import local_person
from assent.door.authentication import Authenticator
from assent.gate.people import Person
from assent.stores.sqlite.database import open_sqlite
from tests.cli.running import Place

ME = local_person().id


@asynccontextmanager
async def keeper_at(place: Place) -> AsyncIterator[Authenticator]:
    """The doorkeeper of `assent.db` in a place, which is what commands there find by themselves."""
    store = await open_sqlite(str(place.root / "assent.db"))
    try:
        yield Authenticator(store)
    finally:
        await store.close()


async def with_people(place: Place, *people: Person) -> None:
    async with keeper_at(place) as keeper:
        for person in people:
            await keeper.people.store.add_person(person, by="root")


def link_in(text: str) -> str:
    """The secret of a log-in link's address."""
    return text.strip().partition("#")[2]
