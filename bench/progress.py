"""Progress on standard error while a row is measured."""

import sys


def show_progress(text: str) -> None:
    """Show progress; a terminal shows only the newest line."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
    else:
        print(text, file=sys.stderr, flush=True)


def show_note(text: str) -> None:
    """Show a line that stays."""
    clear()
    print(text, file=sys.stderr, flush=True)


def clear() -> None:
    """Clear the progress line."""
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
