"""Files of the workspace: opened by the exact path that was decided, and never through a link."""

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from typing import BinaryIO

from assent.config.files import open_parent, open_without_links
from assent.engine.base.facts import PathUse, is_inside
from assent.hosts.chat.tools.tool import ToolContext, ToolError

SKIPPED_DIRECTORIES = frozenset(
    {".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".cache"}
)
"""Directories that a recursive walk does not enter; a call that names one gets its content."""
_CONTROLS = frozenset(map(chr, range(32))) - frozenset("\t\n\r\f\v\b\x1b")


def resolve_path(text: str, context: ToolContext) -> str:
    """The absolute path of a text; refuses links, and paths outside the workspace unless allowed."""
    written = PathUse(text, tilde=text.startswith("~")).absolute(context.place)
    if written is None or "\0" in written:
        raise ToolError(f"`{text}` is not a path here")
    _refuse_links(written, text, context)
    path = os.path.normpath(written).replace("//", "/")
    if not context.may_leave_workspace and not is_inside(path, context.place):
        roots = ", ".join(f"`{root}`" for root in context.place.roots)
        raise ToolError(f"`{text}` is outside of the workspace, which is {roots}")
    return path


def display_path(path: str, context: ToolContext) -> str:
    """A path relative to the workspace's root."""
    for root in context.place.roots[:1]:
        if path.startswith(root.rstrip("/") + "/"):
            return path[len(root.rstrip("/")) + 1 :]
    return path


def exists(path: str, name: str) -> bool:
    """Whether there is a file or directory at a path."""
    with translate_os_errors(name):
        try:
            with open_parent(path) as (directory, last):
                os.stat(last, dir_fd=directory, follow_symlinks=False)
        except FileNotFoundError:
            return False
    return True


@contextmanager
def open_file(path: str, name: str) -> Generator[tuple[BinaryIO, int]]:
    """A regular file, open for reading, and its size."""
    with translate_os_errors(name):
        descriptor = open_without_links(path, os.O_RDONLY)
    try:
        size = check_regular_file(descriptor, name).st_size
    except ToolError:
        os.close(descriptor)
        raise
    with os.fdopen(descriptor, "rb") as file:
        yield file, size


def read_text(path: str, name: str, max_bytes: int) -> str | None:
    """The text of a file, which encodes back to the same bytes; None if there is no file."""
    if not exists(path, name):
        return None
    with open_file(path, name) as (file, size):
        if size > max_bytes:
            raise ToolError(f"`{name}` is larger than {max_bytes:,} bytes")
        # Surrogates represent bytes that are not UTF-8, so that no two contents look the same.
        return file.read().decode("utf-8", "surrogateescape")


def is_binary(beginning: bytes) -> bool:
    """Whether a file with this beginning is not text; a few invalid bytes are allowed."""
    text = beginning.decode("utf-8", errors="replace")
    invalid = sum(character == "\N{REPLACEMENT CHARACTER}" or character in _CONTROLS for character in text)
    return "\0" in text or invalid > max(1, len(text) // 10)


@contextmanager
def translate_os_errors(name: str) -> Generator[None]:
    """Turn errors of the file system into messages for the model."""
    try:
        yield
    except FileNotFoundError:
        raise ToolError(f"there is no `{name}`") from None
    except IsADirectoryError:
        raise ToolError(f"`{name}` is a directory") from None
    except PermissionError:
        raise ToolError(f"`{name}` may not be opened: permission denied") from None
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise ToolError(f"`{name}` cannot be opened as it was decided: {reason}") from None
    except ValueError:
        raise ToolError(f"`{name}` is not a path here") from None


def check_regular_file(descriptor: int, name: str) -> os.stat_result:
    """The status of an open file; refuses everything but regular files."""
    status = os.fstat(descriptor)
    if stat.S_ISDIR(status.st_mode):
        raise ToolError(f"`{name}` is a directory")
    if not stat.S_ISREG(status.st_mode):
        raise ToolError(f"`{name}` is not a regular file")
    return status


def _refuse_links(written: str, text: str, context: ToolContext) -> None:
    """Refuse a path with a link in it: the gate decides about the target only when a call names it."""
    root = next((one for one in context.place.roots if written.startswith(one.rstrip("/") + "/")), "")
    current = root
    for name in filter(None, written[len(root) :].split("/")):
        current = f"{current}/{name}"
        try:
            is_link = stat.S_ISLNK(os.lstat(current).st_mode)
        except OSError:
            return
        except ValueError:
            raise ToolError(f"`{text}` is not a path here") from None
        if is_link:
            target = os.path.realpath(current)
            leads = (
                f"; it leads to `{display_path(target, context)}`" if is_inside(target, context.place) else ""
            )
            raise ToolError(
                f"`{display_path(current, context)}` is a link, and links are not followed{leads}"
            )
