"""Starts one program on a terminal, waits for it, and kills every process below it at the end.

It runs as a process of its own and uses the standard library only: `python -I -S terminal_process.py
CONTROL TERMINAL DIRECTORY PROGRAM [ARGUMENT …]`, where the first three are file descriptors. It ends when
the program ends, or when the other end of CONTROL is closed, also because the server was killed.
"""

import ctypes
import fcntl
import os
import select
import signal
import sys
import termios
import time
from contextlib import suppress

_SET_CHILD_SUBREAPER = 36
_SET_PARENT_DEATH_SIGNAL = 1
_HANG_UP_SECONDS = 0.3
"""Seconds in which programs may save their work after SIGHUP."""
_NOT_STARTED_STATUS = 127


def main(words: list[str]) -> int:
    """Run a program to its end; returns its exit status, or 128 and the number of its signal."""
    control, terminal, directory = map(int, words[:3])
    _set_process_option(_SET_CHILD_SUBREAPER, 1)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, _ignore_signal)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    child = os.fork()
    if child == 0:
        _run_program(terminal, directory, words[3:])
    os.close(terminal)
    os.close(directory)
    status = None
    while status is None:
        readable, _, _ = select.select([control, woken], [], [])
        if control in readable:
            break
        os.read(woken, 512)
        status = _reap_until(child)
    return _kill_all(child, status)


def _ignore_signal(number: int, frame: object) -> None:
    """Let the signal wake the main loop by its file descriptor."""


def _run_program(terminal: int, directory: int, program: list[str]) -> None:
    """Replace this process by the program, in a session with the terminal; never returns."""
    try:
        _set_process_option(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        os.setsid()
        fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
        os.fchdir(directory)
        for number in (0, 1, 2):
            os.dup2(terminal, number)
        os.closerange(3, 4096)
        for ignored in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(ignored, signal.SIG_DFL)
        os.execv(program[0], program)  # noqa: S606 - the gate decided about the command, or a person types
    except OSError as error:
        os.write(2, f"{program[0]}: {error.strerror}\r\n".encode())
    finally:
        os._exit(_NOT_STARTED_STATUS)


def _reap_until(child: int) -> int | None:
    """Collect ended processes; returns the status of the child if it is among them."""
    found = None
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            if pid == child:
                found = status
    return found


def _kill_all(child: int, status: int | None) -> int:
    """Hang up on all processes below this one, then kill them until none is left."""
    deadline = time.monotonic() + _HANG_UP_SECONDS
    _signal_all(child, signal.SIGHUP)
    _signal_all(child, signal.SIGCONT)
    while True:
        ended = _reap_until(child)
        status = status if ended is None else ended
        if not _has_children():
            break
        if time.monotonic() >= deadline:
            _signal_all(child, signal.SIGKILL)
        time.sleep(0.01)
    if status is None:
        return 128 + signal.SIGHUP
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def _has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _signal_all(child: int, number: int) -> None:
    for pid in _list_descendants() or [-child]:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _list_descendants() -> list[int]:
    """All processes below this one; a process that left its session is still below its reaper."""
    parents: dict[int, int] = {}
    with suppress(OSError):
        for name in os.listdir("/proc"):
            if name.isdigit():
                with suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as file:
                    parents[int(name)] = int(file.read().rpartition(b")")[2].split()[1])
    found: list[int] = []
    waiting = [os.getpid()]
    while waiting:
        here = waiting.pop()
        below = [pid for pid, parent in parents.items() if parent == here]
        found += below
        waiting += below
    return found


def _set_process_option(option: int, value: int) -> None:
    """Set an option of this process on Linux; elsewhere only the process group is killed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
