"""A notice: where a server of this machine is reached, left for this person's own commands."""

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit, urlunsplit

NAME = "server.json"
_OTHERS = 0o077


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A server that runs, or ran until it was killed: whoever reads this looks whether it still answers."""

    url: str
    """Where it is reached, the base path included."""
    database: str
    """What it serves: an absolute path, or an address without its password."""
    token_file: str
    """Holds a token of the owner, for them alone."""
    pid: int

    @property
    def token(self) -> str:
        """The owner's token, or nothing."""
        try:
            with open(self.token_file, encoding="ascii") as file:
                return "" if os.fstat(file.fileno()).st_mode & _OTHERS else file.read().strip()
        except (OSError, UnicodeDecodeError):
            return ""


def without_password(address: str) -> str:
    """A database's address as it may be shown and kept; a path is itself."""
    parts = urlsplit(address)
    if "://" not in address or parts.password is None:
        return address
    person, _, rest = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{person.partition(':')[0]}@{rest}"))


def leave_notice(directory: str, notice: Notice) -> None:
    """Say that a server runs."""
    write_private(os.path.join(directory, NAME), json.dumps(asdict(notice)) + "\n")


def remove_notice(directory: str, pid: int) -> None:
    """Take one's own notice away."""
    found = find_notice(directory)
    if found is not None and found.pid == pid:
        with suppress(OSError):
            os.unlink(os.path.join(directory, NAME))


def find_notice(directory: str) -> Notice | None:
    """The notice that was left; one that others may write, or that is none of ours, says nothing."""
    try:
        with open(os.path.join(directory, NAME), encoding="utf-8") as file:
            if os.fstat(file.fileno()).st_mode & _OTHERS or os.fstat(file.fileno()).st_uid != os.getuid():
                return None
            said: object = json.load(file)
            return Notice(**said) if isinstance(said, dict) else None  # pyright: ignore[reportUnknownArgumentType]
    except (OSError, ValueError, TypeError):
        return None


def write_private(path: str, text: str) -> None:
    """Write a whole file for its owner alone; whoever reads it meanwhile finds the old one."""
    beside = f"{path}.new"
    with suppress(FileNotFoundError):
        os.unlink(beside)
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)
