"""The owner: who a server belongs to when nobody is known yet, and how they come in."""

import os
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from assent.client.notice import write_private
from assent.config.settings import ServerSettings
from assent.door.identity import Doorkeeper
from assent.errors import AssentError, ConflictError, NotFoundError
from assent.gate.access import Kind
from assent.gate.register import Person

TOKEN_FILE = "owner.token"
LABEL = "this machine"


class Welcome(NamedTuple):
    """What the owner is handed at the start; each is empty where there is none."""

    name: str
    token: str = ""
    link: str = ""


async def welcomed(keeper: Doorkeeper, directory: str, name: str, *, link: bool) -> Welcome:
    """Add the owner to a register that knows nobody, and give them what they need to come in.

    With `link` they get a log-in link at every start, otherwise only at the very first one.
    """
    is_first = not await keeper.register.people() and await _added(keeper, name)
    try:
        owner = await keeper.somebody(name)
    except NotFoundError:
        return Welcome(name)
    if not owner.administrator:
        return Welcome(name)
    token = await _token(keeper, os.path.join(directory, TOKEN_FILE), name)
    minted = await keeper.new_link(name, by=name) if is_first or link else None
    return Welcome(name, token, "" if minted is None else minted.secret)


def check_public_url(settings: ServerSettings) -> None:
    """Refuse to be reached from other machines before it is settled at which address."""
    if not settings.is_loopback and not settings.public_url:
        raise AssentError(
            f"cannot listen on {settings.host}, where other machines reach it: set `public_url` in [server]"
            " (or ASSENT_PUBLIC_URL) to the address that people will use"
        )


async def check_reachable(settings: ServerSettings, has_people: Callable[[], Awaitable[bool]]) -> None:
    """Refuse to be reached from other machines before it is settled who may come in.

    `has_people` says whether the store knows anybody; it is asked only where that decides.
    """
    if not settings.is_loopback and settings.oidc is None and not await has_people():
        raise AssentError(
            f"cannot listen on {settings.host} while nobody can prove who they are: add an administrator"
            " with `assent user create NAME --administrator`, or set [server.oidc]"
        )


async def _added(keeper: Doorkeeper, name: str) -> bool:
    try:
        await keeper.register.add_person(Person(id=name, administrator=True), by=name)
    except ConflictError:  # Another pod was first.
        return False
    return True


async def _token(keeper: Doorkeeper, path: str, name: str) -> str:
    """The token of this machine's own commands: the one there is, while it still holds."""
    try:
        with open(path, encoding="ascii") as file:
            kept = file.read().strip()
    except (OSError, UnicodeDecodeError):
        kept = ""
    known = await keeper.principal_of(kept) if kept else None
    if known is not None and known.id == name:
        return kept
    minted = await keeper.new_token(Kind.PERSON, name, by=name, label=LABEL)
    write_private(path, f"{minted.secret}\n")
    return minted.secret
