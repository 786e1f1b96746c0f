"""Opens files of the workspace, by the exact path that the gate decided about, never through a link."""

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
"""Directories that a recursive walk skips, unless the call names the directory."""
_CONTROL_CHARACTERS = frozenset(map(chr, range(32))) - frozenset("\t\n\r\f\v\b\x1b")


def resolve_path(text: str, context: ToolContext) -> str:
    """The absolute path; raises `ToolError` for a link, or a path outside the workspace if not allowed."""
    written = PathUse(text, tilde=text.startswith("~")).to_absolute_path(context.directories)
    if written is None or "\0" in written:
        raise ToolError(f"`{text}` is not a path here")
    _refuse_links(written, text, context)
    path = os.path.normpath(written).replace("//", "/")
    if not context.may_leave_workspace and not is_inside(path, context.directories):
        roots = ", ".join(f"`{root}`" for root in context.directories.roots)
        raise ToolError(f"`{text}` is outside of the workspace, which is {roots}")
    return path


def display_path(path: str, context: ToolContext) -> str:
    """The path relative to the workspace's root, for messages."""
    for root in context.directories.roots[:1]:
        if path.startswith(root.rstrip("/") + "/"):
            return path[len(root.rstrip("/")) + 1 :]
    return path


def path_exists(path: str, name: str) -> bool:
    """Whether a file or directory exists at a path."""
    with report_os_errors(name):
        try:
            with open_parent(path) as (directory, last):
                os.stat(last, dir_fd=directory, follow_symlinks=False)
        except FileNotFoundError:
            return False
    return True


@contextmanager
def open_file(path: str, name: str) -> Generator[tuple[BinaryIO, int]]:
    """Open a regular file for reading; yields the file and its size."""
    with report_os_errors(name):
        descriptor = open_without_links(path, os.O_RDONLY)
    try:
        size = check_regular_file(descriptor, name).st_size
    except ToolError:
        os.close(descriptor)
        raise
    with os.fdopen(descriptor, "rb") as file:
        yield file, size


def read_text(path: str, name: str, max_bytes: int) -> str | None:
    """Read a file as text that can be encoded to the same bytes; None if the file does not exist."""
    if not path_exists(path, name):
        return None
    with open_file(path, name) as (file, size):
        if size > max_bytes:
            raise ToolError(f"`{name}` is larger than {max_bytes:,} bytes")
        # Invalid UTF-8 bytes become surrogates, so that different contents never compare equal.
        return file.read().decode("utf-8", "surrogateescape")


def is_binary(beginning: bytes) -> bool:
    """Whether the first bytes of a file are binary; a few invalid bytes are accepted as text."""
    text = beginning.decode("utf-8", errors="replace")
    invalid = sum(
        character == "\N{REPLACEMENT CHARACTER}" or character in _CONTROL_CHARACTERS for character in text
    )
    return "\0" in text or invalid > max(1, len(text) // 10)


@contextmanager
def report_os_errors(name: str) -> Generator[None]:
    """Convert an `OSError` to a `ToolError` with a message for the model."""
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
    """The `stat` result of an open file; raises `ToolError` unless it is a regular file."""
    status = os.fstat(descriptor)
    if stat.S_ISDIR(status.st_mode):
        raise ToolError(f"`{name}` is a directory")
    if not stat.S_ISREG(status.st_mode):
        raise ToolError(f"`{name}` is not a regular file")
    return status


def _refuse_links(written: str, text: str, context: ToolContext) -> None:
    """Raise `ToolError` for a path with a symbolic link: the gate must decide about the real path."""
    root = next((one for one in context.directories.roots if written.startswith(one.rstrip("/") + "/")), "")
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
                f"; it leads to `{display_path(target, context)}`"
                if is_inside(target, context.directories)
                else ""
            )
            raise ToolError(
                f"`{display_path(current, context)}` is a link, and links are not followed{leads}"
            )
