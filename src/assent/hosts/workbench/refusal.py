"""Why a service of the workbench refuses a request, and the error that says so."""

import errno
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from enum import StrEnum

from assent.errors import AssentError


class Reason(StrEnum):
    """Why a request is refused; pages tell the reasons apart."""

    OFF = "off"
    OUTSIDE = "outside"
    LINK = "link"
    PROTECTED = "protected"
    TICKET = "ticket"
    DENIED = "denied"
    ABSENT = "absent"
    EXISTS = "exists"
    CHANGED = "changed"
    KIND = "kind"
    BUSY = "busy"
    LARGE = "large"
    BINARY = "binary"
    UNFIT = "unfit"
    FULL = "full"
    LIMIT = "limit"
    FAILED = "failed"


class WorkbenchError(AssentError):
    """A service of the workbench refuses a request."""

    def __init__(self, reason: Reason, message: str, **facts: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.facts: Mapping[str, str] = facts
        """More facts for the page, such as the current digest of a file."""


@contextmanager
def report_os_errors(path: str) -> Generator[None]:
    """Convert an error of the operating system to a refusal that names the path."""
    try:
        yield
    except OSError as error:
        raise os_refusal(error, path) from None


def os_refusal(error: OSError, path: str) -> WorkbenchError:
    """The refusal for an error of the operating system."""
    reason, message = _ERRORS.get(error.errno or 0, (Reason.FAILED, ""))
    return WorkbenchError(reason, f"`{path}`: {message or (error.strerror or type(error).__name__).lower()}")


_ERRORS: Mapping[int, tuple[Reason, str]] = {
    errno.ENOENT: (Reason.ABSENT, "there is no such file or directory"),
    errno.ELOOP: (Reason.LINK, "the path contains a link"),
    errno.EEXIST: (Reason.EXISTS, "there is already a file or directory"),
    errno.ENOTEMPTY: (Reason.EXISTS, "the directory is not empty"),
    errno.ENOTDIR: (Reason.KIND, "it is not a directory"),
    errno.EISDIR: (Reason.KIND, "it is a directory"),
    errno.EACCES: (Reason.DENIED, "the operating system denies it"),
    errno.EPERM: (Reason.DENIED, "the operating system denies it"),
    errno.EROFS: (Reason.DENIED, "the file system is read-only"),
    errno.ENOSPC: (Reason.FULL, "the disk is full"),
    errno.EDQUOT: (Reason.FULL, "the disk quota is used up"),
    errno.ENAMETOOLONG: (Reason.OUTSIDE, "the path is too long"),
    errno.EXDEV: (Reason.FAILED, "it cannot be moved to another file system"),
    errno.EINVAL: (Reason.FAILED, "the operating system refuses it"),
}
