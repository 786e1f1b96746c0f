"""Renames a file or directory only if the new name is free, in one step where the system can."""

import ctypes
import errno
import os
from functools import cache
from typing import Any

from assent.hosts.workbench.tree import Place

_NO_REPLACE = 1
"""RENAME_NOREPLACE of Linux."""
_NOT_SUPPORTED = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP})


def rename_to_new(source: Place, target: Place) -> None:
    """Rename; raises `FileExistsError` if something has the new name."""
    call = _load_renameat2()
    if call is not None:
        old, new = os.fsencode(source.name), os.fsencode(target.name)
        if call(source.directory, old, target.directory, new, _NO_REPLACE) == 0:
            return
        number = ctypes.get_errno()
        if number not in _NOT_SUPPORTED:
            raise OSError(number, os.strerror(number))
    _check_then_rename(source, target)


def _check_then_rename(source: Place, target: Place) -> None:
    """Two steps, for systems and file systems without the single one."""
    try:
        os.stat(target.name, dir_fd=target.directory, follow_symlinks=False)
    except FileNotFoundError:
        os.rename(source.name, target.name, src_dir_fd=source.directory, dst_dir_fd=target.directory)
    else:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))


@cache
def _load_renameat2() -> Any:
    """The function of the C library; None if it has none."""
    return getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
