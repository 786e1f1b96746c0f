"""The first start: creates the owner as administrator, with a token and a log-in link."""

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
    """The owner's token and log-in link; empty if there is none."""

    name: str
    token: str = ""
    link: str = ""


async def ensure_owner(
    authenticator: Authenticator, directory: str, name: str, *, always_link: bool
) -> OwnerAccess:
    """Add the owner if the store has no people yet, and create the token and the log-in link.

    A link is created at the first start, and with `always_link` at every start.
    """
    is_first = await authenticator.people.is_empty() and await _add_owner(authenticator, name)
    try:
        owner = await authenticator.people.active_person(name)
    except NotFoundError:
        return OwnerAccess(name)
    if not owner.administrator:
        return OwnerAccess(name)
    token = await _get_or_create_token(authenticator, os.path.join(directory, TOKEN_FILE), name)
    minted = (
        await authenticator.new_link(name, by=_owner_principal(name)) if is_first or always_link else None
    )
    return OwnerAccess(name, token, "" if minted is None else minted.secret)


def check_public_url(settings: ServerSettings) -> None:
    """Raise an error if other machines can connect but no public URL is configured."""
    if not settings.is_loopback and not settings.public_url:
        raise AssentError(
            f"cannot listen on {settings.host}, which other machines can reach: set `public_url` in [server]"
            " (or ASSENT_PUBLIC_URL) to the address that people will use"
        )


async def check_people_can_log_in(
    settings: ServerSettings, has_people: Callable[[], Awaitable[bool]]
) -> None:
    """Raise an error if other machines can connect but no person can log in.

    `has_people` returns whether the store has any person; it is called only if needed.
    """
    if not settings.is_loopback and settings.oidc is None and not await has_people():
        raise AssentError(
            f"cannot listen on {settings.host} while nobody can log in: add an administrator"
            " with `assent user create NAME --administrator`, or set [server.oidc]"
        )


async def _add_owner(authenticator: Authenticator, name: str) -> bool:
    try:
        await authenticator.people.add_person(_owner_principal(name), Person(id=name, administrator=True))
    except ConflictError:  # Another pod has already added the owner.
        return False
    return True


async def _get_or_create_token(authenticator: Authenticator, path: str, name: str) -> str:
    """The token for commands on this machine; a missing or invalid token is replaced by a new one."""
    try:
        with open(path, encoding="ascii") as file:
            stored = file.read().strip()
    except (OSError, UnicodeDecodeError):
        stored = ""
    known = await authenticator.principal_of(stored) if stored else None
    if known is not None and known.id == name:
        return stored
    minted = await authenticator.new_token(Kind.PERSON, name, by=_owner_principal(name), label=TOKEN_LABEL)
    write_private_file(path, f"{minted.secret}\n")
    return minted.secret


def _owner_principal(name: str) -> Principal:
    return Principal(id=name, administrator=True)
