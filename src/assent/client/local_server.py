"""The file with the address of a running server, for the commands of the same user."""

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit, urlunsplit

NAME = "server.json"
_OTHERS = 0o077


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalServer:
    """A server that runs, or ran until it was killed: a reader must check that it still replies."""

    url: str
    """Its address, with the base path."""
    database: str
    """Its database: an absolute path, or an address without the password."""
    token_file: str
    """The file with the owner's token, which only the owner can read."""
    pid: int

    @property
    def token(self) -> str:
        """The owner's token; empty if it cannot be read or others could read it."""
        try:
            with open(self.token_file, encoding="ascii") as file:
                return "" if os.fstat(file.fileno()).st_mode & _OTHERS else file.read().strip()
        except (OSError, UnicodeDecodeError):
            return ""


def without_password(address: str) -> str:
    """The address of a database without its password; a path is unchanged."""
    parts = urlsplit(address)
    if "://" not in address or parts.password is None:
        return address
    person, _, rest = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{person.partition(':')[0]}@{rest}"))


def write_local_server(directory: str, server: LocalServer) -> None:
    """Write the file of a running server."""
    write_private(os.path.join(directory, NAME), json.dumps(asdict(server)) + "\n")


def remove_local_server(directory: str, pid: int) -> None:
    """Remove the file, if it is that of this process."""
    found = find_local_server(directory)
    if found is not None and found.pid == pid:
        with suppress(OSError):
            os.unlink(os.path.join(directory, NAME))


def find_local_server(directory: str) -> LocalServer | None:
    """The server in the file; None for a file that others could write or that is not valid."""
    try:
        with open(os.path.join(directory, NAME), encoding="utf-8") as file:
            if os.fstat(file.fileno()).st_mode & _OTHERS or os.fstat(file.fileno()).st_uid != os.getuid():
                return None
            content: object = json.load(file)
            return LocalServer(**content) if isinstance(content, dict) else None  # pyright: ignore[reportUnknownArgumentType]
    except (OSError, ValueError, TypeError):
        return None


def write_private(path: str, text: str) -> None:
    """Replace a file that only its owner can read; a concurrent reader sees the old content."""
    temporary = f"{path}.new"
    with suppress(FileNotFoundError):
        os.unlink(temporary)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
