"""What the flags of a forge's or a version control's client cannot say: whom it asks, and with which method."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise

from assent.engine.programs import git
from assent.engine.programs.checks.jq import reaches_out
from assent.engine.programs.checks.scan import Scan
from assent.engine.programs.flags import parse_flags
from assent.engine.programs.word import HOLE, Word
from assent.engine.regex import regex

Files = tuple[Word, ...]

_ADDRESS = regex(r"(?<!https)://|://(?!(?:gist\.)?github\.com/)|(?:^|=|-R)[^/\s]+@[\w.-]+:")
"""An address that is not GitHub's, as a URL or as `user@host:path`."""
_HOST = regex(r"(?:^|=|-R)(?!github\.com/)[\w-]+(?:\.[\w-]+)+(?::\d+)?/[\w.-]+/[\w.-]+$")
"""`HOST/OWNER/REPO`: a repository somewhere else."""
_ANY_HOST = regex(r"(?:^|=|-R)[\w-]+(?:\.[\w-]+)+(?::\d+)?/")
_REPOSITORY = ("-R", "--repo")
_FILTER = ("-q", "--jq")
_ENDPOINT = regex(r"/?[\w{][^\0]*")
_QUERY = ("graphql", "/graphql")


def github(words: Files) -> Files | None:
    """Only github.com is asked, where the person has logged in, and no filter prints the environment."""
    if any(_ADDRESS.search(word.text) or _HOST.search(word.text) for word in words) or not _stays(words):
        return None
    return None if any(HOLE in value for value in _after(words, *_REPOSITORY)) else ()


def gitlab(words: Files) -> Files | None:
    """Only the server this working copy knows is asked."""
    if no_address(words) is None or any(_ANY_HOST.search(word.text) for word in words):
        return None
    return None if any(HOLE in value for value in _after(words, *_REPOSITORY)) else ()


def no_address(words: Files) -> Files | None:
    """Nothing but the server this working copy knows is asked."""
    return None if any("://" in word.text or word.text.startswith("git@") for word in words) else ()


def api(words: Files, *, flags: str) -> Files | None:
    """A GET request to a path of the known server: no other method, no body, no header but `Accept`."""
    scan = Scan(parse_flags(flags), words)
    operands = scan.operands()
    if operands is None or len(operands) != 1 or not _is_path(operands[0]):
        return None
    methods = _values(scan, "-X", "--method")
    # A field turns the request into a POST unless a method is given.
    has_fields = bool(_values(scan, "-f", "--raw-field"))
    if any(method.upper() != "GET" for method in methods) or (has_fields and not methods):
        return None
    headers = _values(scan, "-H", "--header")
    accepts = all(header.lower().startswith("accept:") for header in headers)
    return () if accepts and _stays(words) else None


def _stays(words: Files) -> bool:
    """Whether each filter, which is one of `jq`, is known and prints nothing but the answer."""
    return not any(HOLE in value or reaches_out(value) for value in _after(words, *_FILTER))


def _after(words: Files, short: str, long: str) -> list[str]:
    """What stands behind a flag, attached or as the next word."""
    found = [word.text for before, word in pairwise(words) if before.text in (short, long)]
    for word in words:
        if word.text.startswith(f"{long}="):
            found.append(word.text.partition("=")[2])
        elif word.text.startswith(short):
            found.append(word.text.removeprefix(short))
    return found


def _is_path(word: Word) -> bool:
    text = word.text
    known = _ENDPOINT.match(text) is not None and "://" not in text and not word.splits and not word.glob
    return known and text.partition("?")[0] not in _QUERY


def _values(scan: Scan, *flags: str) -> list[str]:
    """What was given to a flag by either name; `-X=GET` is `GET`, and an unknown piece stays one."""
    return [word.text.removeprefix("=") or HOLE for flag in flags for word in scan.given.get(flag, [])]


CHECKS: dict[str, Callable[[Files], Files | None]] = {
    "gh": github,
    "glab": gitlab,
    "gh api": partial(api, flags=git.GH_API),
    "glab api": partial(api, flags=git.GLAB_API),
    "no address": no_address,
}
