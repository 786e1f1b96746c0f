"""The command line; a command loads only the modules that it needs."""

import gc
import os
import sys
from collections.abc import Callable

from assent.errors import AssentError

_GC_THRESHOLD = 200_000
"""Number of new objects that starts a garbage collection; the default would slow start-up by 10 %."""


def main(argv: list[str] | None = None) -> int:
    """Run a command; return the exit status of the process."""
    gc.set_threshold(_GC_THRESHOLD)
    status = _run_command_line(sys.argv[1:] if argv is None else argv)
    gc.freeze()  # The process ends now: collecting its objects would only take time.
    return status


def _run_command_line(words: list[str]) -> int:
    # An agent may run `check` before every call, so a plain `check` does not load click.
    if words[:1] == ["check"]:
        from assent.cli.check import parse_plain_options, run_check

        options = parse_plain_options(words[1:])
        if options is not None:
            return _run_and_report_errors(lambda: run_check(options))
    # Claude Code runs the hook of a project before every call, with these options only.
    if words[:2] == ["hook", "claude"] and set(words[2:]) <= {"--local", "--record-commands"}:
        from assent.cli.hook.claude import HookOptions, run_hook

        return run_hook(HookOptions(record_commands="--record-commands" in words))
    from assent.cli.root import run_root

    return _run_and_report_errors(lambda: run_root(words))


def _run_and_report_errors(command: Callable[[], int]) -> int:
    """Run a command; print an error as one line on standard error and return an exit status other than 0."""
    from assent.cli.base.terminal import configure_streams, visible_text

    configure_streams()
    try:
        status = command()
        sys.stdout.flush()
    except AssentError as error:
        print(f"assent: {visible_text(str(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of standard output has exited; without this, Python prints a second error at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return status
