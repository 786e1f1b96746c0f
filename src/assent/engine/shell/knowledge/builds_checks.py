"""What the flags of a package manager cannot say: whether a word names a package or something to fetch and run."""

import re
from collections.abc import Callable

from assent.engine.shell.command import Word

Files = tuple[Word, ...]

_PLAIN = re.compile(r"[A-Za-z0-9][\w@.+=-]*").fullmatch
_SPECIFIER = re.compile(r"(?:@[\w.~-]+/)?[A-Za-z0-9~*][^/:\\\0]*").fullmatch
_QUERY = re.compile(r"-q[acdfgilRs]*|--query").fullmatch
_PACMAN = re.compile(r"-(?:Q[cdegiklmnoqstu]*|S[gilqs]*[gils][gilqs]*|T)").fullmatch


def plain_names(words: Files) -> Files | None:
    """Names alone: a formula given by a path, a tap or an address is code that would be run."""
    known = all(_PLAIN(word.text) and not word.text.endswith(".rb") for word in words if not _is_flag(word))
    return () if known else None


def registry_names(words: Files) -> Files | None:
    """Packages of the registry: an address, a path or `user/repository` would be fetched, and perhaps built."""
    return () if all(_SPECIFIER(word.text) for word in words if not _is_flag(word)) else None


def rpm(words: Files) -> Files | None:
    """A query comes first; without it `-i` installs."""
    return () if words and _QUERY(words[0].text) else None


def pacman(words: Files) -> Files | None:
    """One operation with its letters, then names: `-S` alone, or with `y` or `u`, would install."""
    if not words or not _PACMAN(words[0].text) or any(word.splits or _may_be_flag(word) for word in words[1:]):
        return None
    return ()


def _is_flag(word: Word) -> bool:
    return word.text.startswith("-")


def _may_be_flag(word: Word) -> bool:
    return word.opaque or _is_flag(word)


CHECKS: dict[str, Callable[[Files], Files | None]] = {
    "plain names": plain_names,
    "registry names": registry_names,
    "rpm": rpm,
    "pacman": pacman,
}
