"""Checks of package managers: whether a word is a package name or something to fetch and run."""

from collections.abc import Callable

from assent.engine.base.lazy import regex
from assent.engine.programs.flags import Scan, parse_flags
from assent.engine.programs.word import UNKNOWN_MARK, Word

Files = tuple[Word, ...]

GO_LIST = "-m -f= -json? -deps -test -e -find -versions -u -retracted -tags= -mod=readonly -mod=vendor"
_ASKS_ABOUT_VERSIONS = frozenset({"-versions", "-u", "-retracted"})
_LEAVES_LOCK = frozenset({"--locked", "--frozen", "--no-deps", "--help"})
_TAKE_VALUES = frozenset({"--color", "--output-format"})
_OWN_PACKAGES = frozenset({"all", ".", "./..."})

_PLAIN = regex(r"[A-Za-z0-9][\w@.+=-]*")
_SPECIFIER = regex(r"(?:@[\w.~-]+/)?[A-Za-z0-9~*][^/:\\\0]*")
_PYTHON_VERSION = regex(r"(?:(?:cpython|pypy|python|graalpy)[@-]?)?[<>=~!]*\d[\d.,*<>=~!]*[a-z]{0,4}\d*")
_QUERY = regex(r"-q[acdfgilRs]*|--query")
_PACMAN = regex(r"-(?:Q[cdegiklmnoqstu]*|S[gilqs]*[gils][gilqs]*|T)")


def plain_names(words: Files) -> Files | None:
    """Only names: a formula from a path, a tap or an address is code that would be run."""
    known = all(
        _PLAIN.fullmatch(word.text) and not word.text.endswith(".rb") for word in words if not _is_flag(word)
    )
    return () if known else None


def registry_names(words: Files) -> Files | None:
    """Packages of the registry: an address, a path or `user/repository` would be fetched, and perhaps built."""
    return () if all(_SPECIFIER.fullmatch(word.text) for word in words if not _is_flag(word)) else None


def python_versions(words: Files) -> Files | None:
    """Only versions: a path would be a program, which is run to print its version."""
    return () if all(_PYTHON_VERSION.fullmatch(word.text) for word in _without_values(words)) else None


def locked(words: Files) -> Files | None:
    """The lock file stays unchanged, or the dependencies are not resolved."""
    return () if any(word.text in _LEAVES_LOCK for word in words) else None


def go_list(words: Files) -> Files | None:
    """Modules this project has: a version, or the question for all of them, goes to whatever host the name says."""
    scan = Scan(parse_flags(GO_LIST), words)
    operands = scan.operands()
    if operands is None or no_versions(tuple(operands)) is None:
        return None
    asks = scan.given.keys() & _ASKS_ABOUT_VERSIONS
    return None if asks and any(word.text not in _OWN_PACKAGES for word in operands) else ()


def no_versions(words: Files) -> Files | None:
    """No word with a version, which would be fetched."""
    return None if any("@" in word.text or UNKNOWN_MARK in word.text for word in words) else ()


def rpm(words: Files) -> Files | None:
    """The first word is a query; without it `-i` installs."""
    return () if words and _QUERY.fullmatch(words[0].text) else None


def pacman(words: Files) -> Files | None:
    """One operation with its letters, then names: `-S` alone, or with `y` or `u`, would install."""
    if (
        not words
        or not _PACMAN.fullmatch(words[0].text)
        or any(word.splits or _may_be_flag(word) for word in words[1:])
    ):
        return None
    return ()


def _without_values(words: Files) -> Files:
    """The words that are neither a flag nor the value of one that takes it as the next word."""
    return tuple(
        word
        for before, word in zip((None, *words), words, strict=False)
        if not _is_flag(word) and not (before and before.text in _TAKE_VALUES)
    )


def _is_flag(word: Word) -> bool:
    return word.text.startswith("-")


def _may_be_flag(word: Word) -> bool:
    return word.opaque or _is_flag(word)


CHECKS: dict[str, Callable[[Files], Files | None]] = {
    "plain names": plain_names,
    "registry names": registry_names,
    "python versions": python_versions,
    "locked": locked,
    "go list": go_list,
    "no versions": no_versions,
    "rpm": rpm,
    "pacman": pacman,
}
