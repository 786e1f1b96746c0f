"""Checks of package managers: a word may be a package name, but nothing to download and run."""

from collections.abc import Callable

from assent.engine.base.lazy import regex
from assent.engine.programs.flags import FlagScan, parse_flags
from assent.engine.programs.word import UNKNOWN_MARK, Word

Words = tuple[Word, ...]

GO_LIST = "-m -f= -json? -deps -test -e -find -versions -u -retracted -tags= -mod=readonly -mod=vendor"
_VERSION_FLAGS = frozenset({"-versions", "-u", "-retracted"})
_LOCK_FLAGS = frozenset({"--locked", "--frozen", "--no-deps", "--help"})
"""Flags with which the lock file stays unchanged."""
_VALUE_FLAGS = frozenset({"--color", "--output-format"})
_OWN_PACKAGES = frozenset({"all", ".", "./..."})

_PLAIN_NAME = regex(r"[A-Za-z0-9][\w@.+=-]*")
_PACKAGE_NAME = regex(r"(?:@[\w.~-]+/)?[A-Za-z0-9~*][^/:\\\0]*")
_PYTHON_VERSION = regex(r"(?:(?:cpython|pypy|python|graalpy)[@-]?)?[<>=~!]*\d[\d.,*<>=~!]*[a-z]{0,4}\d*")
_RPM_QUERY = regex(r"-q[acdfgilRs]*|--query")
_PACMAN_QUERY = regex(r"-(?:Q[cdegiklmnoqstu]*|S[gilqs]*[gils][gilqs]*|T)")


def check_plain_names(words: Words) -> Words | None:
    """Check that all words are plain names. A formula from a path or an address is code that would run."""
    known = all(
        _PLAIN_NAME.fullmatch(word.text) and not word.text.endswith(".rb")
        for word in words
        if not _is_flag(word)
    )
    return () if known else None


def check_registry_names(words: Words) -> Words | None:
    """Check that all words are packages of the registry.

    Addresses, paths and `user/repository` would be downloaded.
    """
    return () if all(_PACKAGE_NAME.fullmatch(word.text) for word in words if not _is_flag(word)) else None


def check_python_versions(words: Words) -> Words | None:
    """Check that all words are versions of Python, because a path would be run as a program."""
    return (
        () if all(_PYTHON_VERSION.fullmatch(word.text) for word in _without_flags_and_values(words)) else None
    )


def check_lock_flag(words: Words) -> Words | None:
    """Check that the lock file stays unchanged, or that dependencies are not resolved."""
    return () if any(word.text in _LOCK_FLAGS for word in words) else None


def check_go_list(words: Words) -> Words | None:
    """Check that `go list` asks only about modules of this project.

    Other modules would be looked up on the network.
    """
    scan = FlagScan(parse_flags(GO_LIST), words)
    operands = scan.operands()
    if operands is None or check_no_versions(tuple(operands)) is None:
        return None
    asks = scan.given.keys() & _VERSION_FLAGS
    return None if asks and any(word.text not in _OWN_PACKAGES for word in operands) else ()


def check_no_versions(words: Words) -> Words | None:
    """Check that no word contains a version, because that version would be downloaded."""
    return None if any("@" in word.text or UNKNOWN_MARK in word.text for word in words) else ()


def check_rpm(words: Words) -> Words | None:
    """Check that the first word of `rpm` is a query."""
    return () if words and _RPM_QUERY.fullmatch(words[0].text) else None


def check_pacman(words: Words) -> Words | None:
    """Check that `pacman` only queries: one query operation, then names."""
    if (
        not words
        or not _PACMAN_QUERY.fullmatch(words[0].text)
        or any(word.splits or _may_be_flag(word) for word in words[1:])
    ):
        return None
    return ()


def _without_flags_and_values(words: Words) -> Words:
    """The words that are neither flags nor values of flags."""
    return tuple(
        word
        for before, word in zip((None, *words), words, strict=False)
        if not _is_flag(word) and not (before and before.text in _VALUE_FLAGS)
    )


def _is_flag(word: Word) -> bool:
    return word.text.startswith("-")


def _may_be_flag(word: Word) -> bool:
    return word.is_opaque or _is_flag(word)


CHECKS: dict[str, Callable[[Words], Words | None]] = {
    "plain names": check_plain_names,
    "registry names": check_registry_names,
    "python versions": check_python_versions,
    "locked": check_lock_flag,
    "go list": check_go_list,
    "no versions": check_no_versions,
    "rpm": check_rpm,
    "pacman": check_pacman,
}
