"""Shows progress on standard error while a benchmark runs."""

import sys


def show_progress(text: str) -> None:
    """Show a progress text; in a terminal it replaces the previous one."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
    else:
        print(text, file=sys.stderr, flush=True)


def show_note(text: str) -> None:
    """Print a line that is not replaced by later progress."""
    clear_progress()
    print(text, file=sys.stderr, flush=True)


def clear_progress() -> None:
    """Clear the progress line."""
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
