"""The command line: one file for each command, and nothing loaded that a command does not need."""

import gc
import os
import sys
from collections.abc import Callable

from assent.cli.terminal import prepare, visible
from assent.errors import AssentError

_MANY = 200_000
"""Loading makes many objects and drops few: looking for garbage among fewer is a tenth of a start."""


def main(argv: list[str] | None = None) -> int:
    """Run a command; the console script exits with what it returns."""
    gc.set_threshold(_MANY)
    status = _run(sys.argv[1:] if argv is None else argv)
    gc.freeze()  # What is left goes with the process.
    return status


def _run(words: list[str]) -> int:
    # `check` may run before every call of an agent, so it does not wait for the other commands' parser.
    if words[:1] == ["check"]:
        from assent.cli.check import check

        return _guarded(check, words[1:])
    from assent.cli.root import root

    return _guarded(root, words)


def _guarded(command: Callable[[list[str]], int], words: list[str]) -> int:
    """Run a command to its exit status; whatever goes wrong is one line and never status 0."""
    prepare()
    try:
        status = command(words)
        sys.stdout.flush()
    except AssentError as error:
        print(f"assent: {visible(str(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read our output is gone; the interpreter must not complain about it once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return status
