"""What is at a path; unlike `os.path`, an error other than a missing file is raised, so that a call asks."""

import errno
import os
import stat


def is_directory(path: str) -> bool:
    """Whether a path is a directory, after links are followed."""
    mode = _mode(path, follow=True)
    return mode is not None and stat.S_ISDIR(mode)


def is_regular_file(path: str) -> bool:
    """Whether a path is a regular file, after links are followed."""
    mode = _mode(path, follow=True)
    return mode is not None and stat.S_ISREG(mode)


def is_link(path: str) -> bool:
    """Whether a path is a link."""
    mode = _mode(path, follow=False)
    return mode is not None and stat.S_ISLNK(mode)


def exists(path: str) -> bool:
    """Whether something is at a path, also a link to nothing."""
    return _mode(path, follow=False) is not None


def _mode(path: str, *, follow: bool) -> int | None:
    """The mode of a path; None if nothing is there, or links below it form a cycle."""
    try:
        return (os.stat(path) if follow else os.lstat(path)).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            return None
        raise
