"""Which commands of a line print names of files below the workspace, for others to read."""

from assent.engine.places import mentions_secret
from assent.engine.shell.command import Command, Word
from assent.engine.shell.readonly import reading

_FILTERS = {
    "head": frozenset({"-n"}),
    "tail": frozenset({"-n"}),
    "sort": frozenset({"-u", "-r", "-f"}),
    "uniq": frozenset[str](),
    "tac": frozenset[str](),
    **dict.fromkeys(
        ("grep", "egrep", "fgrep"), frozenset({"-v", "-i", "-E", "-F", "-w", "-e", "-vE", "-iE"})
    ),
}
"""Programs that pass whole lines on or leave them out, and the flags with which they do just that."""


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
    if not all(_only_filters(command) for command in filters):
        return None
    if any(mentions_secret(word.text) for command in pipeline for word in command.words[1:]):
        return None
    return found.files


def _only_filters(command: Command) -> bool:
    """Whether a command passes on some of the lines it gets, each as it is."""
    flags = _FILTERS.get(command.program)
    if flags is None or command.assignments:
        return False
    given = [word.text for word in command.words[1:] if word.text.startswith("-")]
    if any(flag not in flags and not flag[1:].isdecimal() for flag in given):
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
