"""The first start: the owner becomes the first administrator, and gets a token and a log-in link."""

import os
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from assent.client.local_server import write_private_file
from assent.config.settings import ServerSettings
from assent.door.authentication import Authenticator
from assent.errors import AssentError, ConflictError, NotFoundError
from assent.gate.access import Kind, Principal
from assent.gate.people import Person

TOKEN_FILE = "owner.token"
TOKEN_LABEL = "this machine"


class OwnerAccess(NamedTuple):
    """How the owner gets in; the token and the link are empty where there is none."""

    name: str
    token: str = ""
    link: str = ""


async def ensure_owner(
    authenticator: Authenticator, directory: str, name: str, *, always_link: bool
) -> OwnerAccess:
    """Add the owner to an empty register, and make the token and the log-in link.

    There is a link at the first start, and with `always_link` at every start.
    """
    is_first = await authenticator.people.is_empty() and await _add_owner(authenticator, name)
    try:
        owner = await authenticator.people.active_person(name)
    except NotFoundError:
        return OwnerAccess(name)
    if not owner.administrator:
        return OwnerAccess(name)
    token = await _token(authenticator, os.path.join(directory, TOKEN_FILE), name)
    minted = await authenticator.new_link(name, by=_owner(name)) if is_first or always_link else None
    return OwnerAccess(name, token, "" if minted is None else minted.secret)


def check_public_url(settings: ServerSettings) -> None:
    """Refuse to listen for other machines without a public address."""
    if not settings.is_loopback and not settings.public_url:
        raise AssentError(
            f"cannot listen on {settings.host}, which other machines can reach: set `public_url` in [server]"
            " (or ASSENT_PUBLIC_URL) to the address that people will use"
        )


async def check_reachable(settings: ServerSettings, has_people: Callable[[], Awaitable[bool]]) -> None:
    """Refuse to listen for other machines while nobody can log in.

    `has_people` reads whether the store has any person; it is called only if that decides.
    """
    if not settings.is_loopback and settings.oidc is None and not await has_people():
        raise AssentError(
            f"cannot listen on {settings.host} while nobody can log in: add an administrator"
            " with `assent user create NAME --administrator`, or set [server.oidc]"
        )


async def _add_owner(authenticator: Authenticator, name: str) -> bool:
    try:
        await authenticator.people.add_person(_owner(name), Person(id=name, administrator=True))
    except ConflictError:  # Another pod added the owner.
        return False
    return True


async def _token(authenticator: Authenticator, path: str, name: str) -> str:
    """The token for the commands of this machine: the stored one while it is valid, otherwise a new one."""
    try:
        with open(path, encoding="ascii") as file:
            stored = file.read().strip()
    except (OSError, UnicodeDecodeError):
        stored = ""
    known = await authenticator.principal_of(stored) if stored else None
    if known is not None and known.id == name:
        return stored
    minted = await authenticator.new_token(Kind.PERSON, name, by=_owner(name), label=TOKEN_LABEL)
    write_private_file(path, f"{minted.secret}\n")
    return minted.secret


def _owner(name: str) -> Principal:
    return Principal(id=name, administrator=True)
