"""Paths as PowerShell writes them: backslashes, drives, providers, and what they mean to others."""

import re
from collections.abc import Iterable

from assent.engine.globs import parse_glob
from assent.engine.regex import regex
from assent.engine.secret_paths import could_be_secret, is_secret_name
from assent.engine.shell.assignments import secret_variable
from assent.engine.shell.command import HOLE, Word

_DRIVE = regex(r"[A-Za-z]:(?!:)")
_MEMORY = regex(r"(?:variable|function|alias):", re.IGNORECASE)
_ENVIRONMENT = regex(r"env:[\\/]?([^\\/*?\[\0]+)", re.IGNORECASE)
_HIDDEN_SECRETS = (".env", ".envrc", ".secrets", ".htpasswd", ".vault-token")
"""Secrets that lie in projects, under names that begin with a dot."""
_WILD = regex(r"\?|\[[^\]]*\]?")
_SHORT_NAME = regex(r"~\d")


def files(words: Iterable[Word]) -> tuple[Word, ...] | None:
    """The files that paths mean; None when one may mean something other than a file."""
    found: list[Word] = []
    for word in words:
        if _is_in_memory(word.text):
            continue
        file = as_file(word)
        if file is None:
            return None
        found.append(file)
    return tuple(found)


def as_file(word: Word) -> Word | None:
    """A path as the rest of the engine writes it; None when it is not surely one of the file system."""
    text = word.text
    drive = _DRIVE.match(text)
    if ":" in (text[2:] if drive else text) or "`" in text or _SHORT_NAME.search(text):
        return None
    if any(_is_trimmed(part) for part in re.split(r"[\\/]", text)):
        return None
    glob = any(mark in text for mark in "*?[")
    if drive or text.startswith(("\\\\", "//")):
        return word._replace(glob=glob, tilde=False)
    text = text.replace("\\", "/")
    if text[:1] in ("*", "?", "["):
        text = "./" + text
    return word._replace(text=text, glob=glob, tilde=text == "~" or text.startswith("~/"))


def child(directory: Word, name: str) -> Word:
    """Something below a directory."""
    text = directory.text
    if text in ("", "."):
        text = "./"
    elif text[-1] not in "\\/":
        text += "\\" if "\\" in text or _DRIVE.match(text) else "/"
    glob = any(mark in text + name for mark in "*?[")
    return Word(text + name, glob=glob, tilde=directory.tilde, quoted=True, listed=True)


def some_of(word: Word) -> Word:
    """What a path stands for when only some of what it matches is meant."""
    if not word.glob or word.text[-1:] != "*":
        return word
    return word._replace(text=word.text.rstrip("*") + HOLE, glob=False)


def is_elsewhere(text: str) -> bool:
    """Whether a path is in a provider other than the file system, such as the registry."""
    return ":" in text and not _DRIVE.match(text)


def is_near(word: Word) -> bool:
    """Whether a place is surely on this machine and in the file system, or a mere name."""
    text = word.text.replace("\\", "/")
    return not text.startswith(("//", HOLE)) and not is_elsewhere(text)


def may_be_secret(name: str) -> bool:
    """Whether a file's name, or a pattern of one, may mean a secret; to PowerShell a star matches a dot."""
    glob = any(mark in name for mark in "*?[")
    if is_secret_name(name) or (glob and could_be_secret(name)):
        return True
    pattern = _WILD.sub("*", name.lower()) if glob else f".{name.lower()}"
    return pattern.strip("*.") != "" and any(parse_glob(pattern).matches(one) for one in _HIDDEN_SECRETS)


def _is_in_memory(text: str) -> bool:
    """Whether a path names something of the session, and no secret of it."""
    found = _ENVIRONMENT.fullmatch(text)
    return bool(_MEMORY.match(text)) or (found is not None and not secret_variable(found[1]))


def _is_trimmed(part: str) -> bool:
    """Whether Windows would cut something off the end of a name."""
    return part not in (".", "..") and part[-1:] in (".", " ")
