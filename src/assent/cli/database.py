"""The database that a command works on: which one, and a gate on it for as long as the command runs."""

import asyncio
import json
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from typing import NamedTuple, ParamSpec, TypeVar

import click

from assent.cli.standpoint import here
from assent.cli.terminal import visible
from assent.client.local_server import find_local_server
from assent.compose import local_person, open_gate
from assent.errors import AssentError, InputError, NotFoundError
from assent.gate.access import Principal
from assent.gate.approval import Approval, Excerpt
from assent.gate.gate import ALL_APPROVALS, Gate
from assent.gate.store import ApprovalFilter

Params = ParamSpec("Params")
Result = TypeVar("Result")

NAME = "assent.db"
WHOLE_ID = 32


def database_option(function: Callable[Params, Result]) -> Callable[Params, Result]:
    """`--database`, spelled the same for every command."""
    told = "an SQLite file or a postgresql:// address; otherwise $ASSENT_DATABASE, ./assent.db, or your own"
    return click.option("--database", metavar="ADDRESS", help=told)(function)


def json_option(function: Callable[Params, Result]) -> Callable[Params, Result]:
    """`--json`, spelled the same for every command."""
    return click.option("--json", "as_json", is_flag=True, help="print JSON")(function)


def address_of(database: str | None) -> str:
    """The database that is meant: said, in the environment, here, or the person's own."""
    if found := _said(database):
        return found
    return NAME if os.path.exists(NAME) else os.path.join(here().data, NAME)


def existing(database: str | None) -> str:
    """The same, for commands that would find nothing in a database made just now."""
    address = address_of(database)
    if "://" not in address and not os.path.exists(address):
        raise InputError(f"there is no database {address}; name one with --database or $ASSENT_DATABASE")
    if address == NAME and not _said(database):
        _tell_of_another()
    return address


def _said(database: str | None) -> str | None:
    return database or os.environ.get("ASSENT_DATABASE")


def _tell_of_another() -> None:
    """Say that the file in this directory was taken, lest a pause or a backup was meant for the server."""
    notice = find_local_server(here().data)
    if notice is not None and notice.database != os.path.abspath(NAME):
        told = f"this is about {NAME} in this directory; for your server add --database {notice.database}"
        click.echo(f"assent: {visible(told)}", err=True)


@contextmanager
def extra(name: str) -> Generator[None]:
    """Imports that only some installations can make; for the others, what to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise AssentError(f"{error.name} is not installed: pip install 'assent[{name}]'") from None


def begun(ids: Iterable[str], start: str) -> str:
    """The one id that begins so; nothing, as a variable that is not set leaves it, begins none."""
    if not start:
        raise InputError("say which question is meant: the id is empty; `assent pending` lists them")
    found = [one for one in ids if one.startswith(start)]
    if len(found) > 1:
        raise InputError(f"`{start}` is the beginning of {len(found)} questions; write more of it")
    if not found:
        raise NotFoundError("open question", start)
    return found[0]


class Desk(NamedTuple):
    """A gate, and the person who sits at this terminal."""

    gate: Gate
    person: Principal

    async def approval(self, start: str) -> Approval:
        """The approval whose id begins so; a few characters do where they are enough."""
        if len(start) >= WHOLE_ID:
            return await self.gate.approval(self.person, start)
        id_ = begun([one.approval.id for one in await self.pending()], start)
        return await self.gate.approval(self.person, id_)

    async def pending(self, which: ApprovalFilter = ALL_APPROVALS) -> list[Excerpt]:
        """Every open question that this person may see, in short, oldest first."""
        page = await self.gate.excerpts(self.person, which)
        found = list(page.excerpts)
        while page.after:
            page = await self.gate.excerpts(self.person, which, after=page.after)
            found += page.excerpts
        return found


@asynccontextmanager
async def gate_on(database: str | None) -> AsyncGenerator[Desk]:
    """A gate on the database that is meant, and the person at this terminal."""
    async with open_gate(existing(database)) as gate:
        yield Desk(gate, local_person())


def run(coroutine: Awaitable[Result]) -> Result:
    """Run a command's own coroutine to its end."""

    async def main() -> Result:
        return await coroutine

    return asyncio.run(main())


def print_json(value: object) -> None:
    """JSON for programs: one document, nothing else on standard output."""
    click.echo(json.dumps(value, indent=2).replace("\x7f", "\\u007f"))


def ago(moment: datetime | None) -> str:
    """How long ago, in the largest unit that fits."""
    if moment is None:
        return ""
    seconds = max(0, (datetime.now(UTC) - moment).total_seconds())
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= size:
            return f"{seconds // size:.0f}{unit}"
    return f"{seconds:.0f}s"
