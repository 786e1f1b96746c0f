"""What a person sees while a row is measured: one line on standard error that comes and goes."""

import sys


def say(text: str) -> None:
    """Tell what is going on; a terminal shows only the newest line."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
    else:
        print(text, file=sys.stderr, flush=True)


def note(text: str) -> None:
    """Tell something that stays to be read."""
    clear()
    print(text, file=sys.stderr, flush=True)


def clear() -> None:
    """Make room for the table."""
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
