"""The command line; a command loads only the modules that it needs."""

import gc
import os
import sys
from collections.abc import Callable

from assent.errors import AssentError

_GC_THRESHOLD = 200_000
"""Start-up creates many objects and drops few: collections below this number would take 10 % of the time."""


def main(argv: list[str] | None = None) -> int:
    """Run a command; return the exit status of the process."""
    gc.set_threshold(_GC_THRESHOLD)
    status = _run(sys.argv[1:] if argv is None else argv)
    gc.freeze()  # The remaining objects end with the process.
    return status


def _run(words: list[str]) -> int:
    # An agent may run `check` before every call, so a plain `check` does not load click.
    if words[:1] == ["check"]:
        from assent.cli.check import parse_plain, run_check

        options = parse_plain(words[1:])
        if options is not None:
            return _exit_status(lambda: run_check(options))
    # Claude Code runs the hook of a project before every call, with these options only.
    if words[:2] == ["hook", "claude"] and set(words[2:]) <= {"--local", "--record-commands"}:
        from assent.cli.hook_claude import HookOptions
        from assent.cli.hook_claude import main as answer_event

        return answer_event(HookOptions(record_commands="--record-commands" in words))
    from assent.cli.root import run_root

    return _exit_status(lambda: run_root(words))


def _exit_status(command: Callable[[], int]) -> int:
    """Run a command; an error becomes one line on standard error and never status 0."""
    from assent.cli.terminal import configure_streams, visible

    configure_streams()
    try:
        status = command()
        sys.stdout.flush()
    except AssentError as error:
        print(f"assent: {visible(str(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of standard output has gone; without this the interpreter complains again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return status
