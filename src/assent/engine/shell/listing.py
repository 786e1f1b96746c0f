"""Which commands of a line print names of files below the workspace, for others to read."""

from assent.engine.places import is_secret_name
from assent.engine.shell.command import Command, Word
from assent.engine.shell.readonly import reading

_FILTERS = frozenset({"head", "tail", "sort", "uniq", "grep", "egrep", "fgrep", "tac", "rev"})


def listed(pipeline: list[Command]) -> tuple[Word, ...] | None:
    """The names that a pipeline prints, as far as known: what it looks through; else None.

    Where the names may lead is checked at the lister itself, by the paths that it reads.
    """
    if not pipeline or not pipeline[0].words:
        return None
    lister, *filters = pipeline
    found = reading(lister.words) if not lister.assignments else None
    if found is None or not found.lists:
        return None
    if any(is_secret_name(word.text.rsplit("/", 1)[-1]) for word in lister.words[1:]):
        return None
    if not all(_only_filters(command) for command in filters):
        return None
    return found.files


def _only_filters(command: Command) -> bool:
    if command.program not in _FILTERS or command.assignments:
        return False
    found = reading(command.words)
    return found is not None and not found.files


def printed(pipeline: list[Command]) -> tuple[Word, ...] | None:
    """The very words that an `echo` or a `printf` prints for the next command; else None."""
    if len(pipeline) != 1 or pipeline[0].program not in ("echo", "printf"):
        return None
    words = [word for word in pipeline[0].words[1:] if not word.text.startswith("-") and "%" not in word.text]
    return tuple(
        word._replace(text=piece, quoted=True)
        for word in words
        for piece in word.text.replace("\\n", " ").split()
    )
