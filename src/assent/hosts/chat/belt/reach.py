"""Reaching a file: by the very path that was decided, through no link, at the moment of use."""

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from typing import BinaryIO

from assent.config.opening import open_path, parent_of
from assent.engine.facts import PathUse, is_inside
from assent.hosts.chat.belt.context import Context
from assent.hosts.chat.belt.fault import FaultError


def reach(text: str, context: Context) -> str:
    """The absolute path that a text means; outside of the workspace, or through a link, is a fault."""
    written = PathUse(text, tilde=text.startswith("~")).absolute(context.place)
    if written is None or "\0" in written:
        raise FaultError(f"`{text}` is not a path here")
    _refuse_links(written, text, context)
    path = os.path.normpath(written).replace("//", "/")
    if not context.outside and not is_inside(path, context.place):
        roots = ", ".join(f"`{root}`" for root in context.place.roots)
        raise FaultError(f"`{text}` is outside of the workspace, which is {roots}")
    return path


def shown(path: str, context: Context) -> str:
    """A path as it reads from the workspace's root."""
    for root in context.place.roots[:1]:
        if path.startswith(root.rstrip("/") + "/"):
            return path[len(root.rstrip("/")) + 1 :]
    return path


def exists(path: str, text: str) -> bool:
    """Whether there is anything at a path; a way to it that is blocked is a fault."""
    with faults(text):
        try:
            with parent_of(path) as (directory, name):
                os.stat(name, dir_fd=directory, follow_symlinks=False)
        except FileNotFoundError:
            return False
    return True


@contextmanager
def opened(path: str, text: str) -> Generator[tuple[BinaryIO, int]]:
    """A regular file, open for reading, and its size; anything else is a fault."""
    with faults(text):
        descriptor = open_path(path, os.O_RDONLY)
    try:
        size = regular(descriptor, text).st_size
    except FaultError:
        os.close(descriptor)
        raise
    with os.fdopen(descriptor, "rb") as file:
        yield file, size


@contextmanager
def faults(text: str) -> Generator[None]:
    """Turn what the file system says of a path into words for the model."""
    try:
        yield
    except FileNotFoundError:
        raise FaultError(f"there is no `{text}`") from None
    except IsADirectoryError:
        raise FaultError(f"`{text}` is a directory") from None
    except PermissionError:
        raise FaultError(f"`{text}` may not be opened: permission denied") from None
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise FaultError(f"`{text}` cannot be opened as it was decided: {reason}") from None
    except ValueError:
        raise FaultError(f"`{text}` is not a path here") from None


def regular(descriptor: int, text: str) -> os.stat_result:
    """What is known of an open file; anything but a regular file is a fault."""
    status = os.fstat(descriptor)
    if stat.S_ISDIR(status.st_mode):
        raise FaultError(f"`{text}` is a directory")
    if not stat.S_ISREG(status.st_mode):
        raise FaultError(f"`{text}` is not a regular file")
    return status


def _refuse_links(written: str, text: str, context: Context) -> None:
    """A link is refused, not followed: the place it leads to is decided when it is asked for by name."""
    root = next((one for one in context.place.roots if written.startswith(one.rstrip("/") + "/")), "")
    at = root
    for word in filter(None, written[len(root) :].split("/")):
        at = f"{at}/{word}"
        try:
            is_link = stat.S_ISLNK(os.lstat(at).st_mode)
        except OSError:
            return
        except ValueError:
            raise FaultError(f"`{text}` is not a path here") from None
        if is_link:
            target = os.path.realpath(at)
            leads = f"; it leads to `{shown(target, context)}`" if is_inside(target, context.place) else ""
            raise FaultError(f"`{shown(at, context)}` is a link, and links are not followed{leads}")
