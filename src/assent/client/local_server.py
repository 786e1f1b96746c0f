"""The file in which a running server writes its address for the commands of the same user."""

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit, urlunsplit

SERVER_FILE_NAME = "server.json"
_OTHER_USERS_MODE = 0o077


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalServer:
    """The content of the file; the server may have been killed, so a reader must check that it replies."""

    url: str
    """The server's address, with the base path."""
    database: str
    """The server's database: an absolute path, or an address without the password."""
    token_file: str
    """The file with the owner's token, which only the owner can read."""
    pid: int
    socket: str = ""
    """The server's Unix socket; empty for a server of an earlier version."""

    @property
    def token(self) -> str:
        """The owner's token; empty if the token file cannot be read, or if other users may access it."""
        try:
            with open(self.token_file, encoding="ascii") as file:
                return "" if os.fstat(file.fileno()).st_mode & _OTHER_USERS_MODE else file.read().strip()
        except (OSError, UnicodeDecodeError):
            return ""


def without_password(address: str) -> str:
    """Remove the password from the address of a database; a path stays unchanged."""
    parts = urlsplit(address)
    if "://" not in address or parts.password is None:
        return address
    person, _, rest = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{person.partition(':')[0]}@{rest}"))


def write_local_server(directory: str, server: LocalServer) -> None:
    """Write the file that describes a running server."""
    write_private_file(os.path.join(directory, SERVER_FILE_NAME), json.dumps(asdict(server)) + "\n")


def remove_local_server(directory: str, pid: int) -> None:
    """Remove the file, if the process with this id wrote it."""
    found = find_local_server(directory)
    if found is not None and found.pid == pid:
        with suppress(OSError):
            os.unlink(os.path.join(directory, SERVER_FILE_NAME))


def find_local_server(directory: str) -> LocalServer | None:
    """Read the file; returns None if it is missing or invalid, or if other users may change it."""
    try:
        with open(os.path.join(directory, SERVER_FILE_NAME), encoding="utf-8") as file:
            if (
                os.fstat(file.fileno()).st_mode & _OTHER_USERS_MODE
                or os.fstat(file.fileno()).st_uid != os.getuid()
            ):
                return None
            content: object = json.load(file)
            return LocalServer(**content) if isinstance(content, dict) else None  # pyright: ignore[reportUnknownArgumentType]
    except (OSError, ValueError, TypeError):
        return None


def write_private_file(path: str, text: str) -> None:
    """Replace a file atomically with one that only its owner can read."""
    temporary = f"{path}.new"
    with suppress(FileNotFoundError):
        os.unlink(temporary)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
