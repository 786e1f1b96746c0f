"""A private directory: made for its owner alone, and refused where others could reach into it."""

import os
import stat

from assent.errors import ConfigError

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def private_directory(path: str) -> str:
    """Make a directory with mode 0700, or refuse one that somebody else may use; its absolute path."""
    path = os.path.abspath(path)
    try:
        if not os.path.lexists(path):
            os.makedirs(path, mode=0o700)
        _check(path)
    except OSError as error:
        raise ConfigError(path, f"it cannot be made: {(error.strerror or str(error)).lower()}") from None
    return path


def _check(path: str) -> None:
    found = os.stat(path)
    if not stat.S_ISDIR(found.st_mode):
        raise ConfigError(path, "it is not a directory")
    if os.name != "posix":
        return
    if found.st_uid != os.geteuid():
        raise ConfigError(path, "it belongs to another user")
    if found.st_mode & _OTHERS:
        raise ConfigError(
            path,
            f"other users may reach into it; run `chmod 700 {path}` if it is yours alone, or name another",
        )
