"""What conversations made outside of the workspace, with a person's yes; kept in this process only."""

import os
import stat
import threading
from collections import OrderedDict
from collections.abc import Iterable

from assent.engine.base.tool import Call

MAX_CONVERSATIONS = 1_000
MAX_PATHS = 64
"""The maximal number of paths of one conversation; the oldest is forgotten."""
_Key = tuple[str, str, str]


class MadePaths:
    """The paths that each conversation made; threads may use it at the same time.

    INVARIANT: a path is noted only if nothing was there before the call that may make it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: OrderedDict[_Key, OrderedDict[str, None]] = OrderedDict()

    def note(self, call: Call, paths: Iterable[str]) -> None:
        """Note the paths that a call is about to make; a call without a conversation makes none."""
        new = list(filter(_is_free, paths))
        if not new or not call.conversation:
            return
        with self._lock:
            known = self._made.setdefault(_key(call), OrderedDict())
            self._made.move_to_end(_key(call))
            for path in new:
                known[path] = None
                known.move_to_end(path)
                if len(known) > MAX_PATHS:
                    known.popitem(last=False)
            if len(self._made) > MAX_CONVERSATIONS:
                self._made.popitem(last=False)

    def existing(self, call: Call) -> tuple[str, ...]:
        """What the conversation of a call made and this user owns: files with one name, and directories."""
        with self._lock:
            known = tuple(self._made.get(_key(call), ()))
        return tuple(filter(_is_own, known))


def _key(call: Call) -> _Key:
    return call.user, call.agent, call.conversation


def _is_free(path: str) -> bool:
    """Whether certainly nothing is at a path."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def _is_own(path: str) -> bool:
    """Whether a path is no link, belongs to this user, and has no second name."""
    try:
        status = os.lstat(path)
    except OSError:
        return False
    if status.st_uid != os.getuid():
        return False
    if stat.S_ISDIR(status.st_mode):
        return not status.st_mode & stat.S_IWOTH
    return stat.S_ISREG(status.st_mode) and status.st_nlink == 1
