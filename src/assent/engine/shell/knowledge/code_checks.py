"""What the flags of a forge's or a version control's client cannot say: whom it asks, and with which method."""

import re
from collections.abc import Callable
from functools import partial

from assent.engine.shell.command import HOLE, Word
from assent.engine.shell.knowledge import code_flags
from assent.engine.shell.knowledge.entry import parse_flags
from assent.engine.shell.knowledge.scan import Scan

Files = tuple[Word, ...]

_ADDRESS = re.compile(r"(?<!https)://|://(?!(?:gist\.)?github\.com/)|(?:^|=|-R)[^/\s]+@[\w.-]+:")
"""An address that is not GitHub's, as a URL or as `user@host:path`."""
_HOST = re.compile(r"(?:^|=|-R)(?!github\.com/)[\w-]+(?:\.[\w-]+)+(?::\d+)?/[\w.-]+/[\w.-]+$")
"""`HOST/OWNER/REPO`: a repository somewhere else."""
_ENDPOINT = re.compile(r"/?[\w{][^\0]*")
_QUERY = ("graphql", "/graphql")


def github(words: Files) -> Files | None:
    """Only github.com is asked, where the person has logged in."""
    return None if any(_ADDRESS.search(word.text) or _HOST.search(word.text) for word in words) else ()


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
    return None if any(not header.lower().startswith("accept:") for header in headers) else ()


def _is_path(word: Word) -> bool:
    text = word.text
    known = _ENDPOINT.match(text) is not None and "://" not in text and not word.splits and not word.glob
    return known and text.partition("?")[0] not in _QUERY


def _values(scan: Scan, *flags: str) -> list[str]:
    """What was given to a flag by either name; `-X=GET` is `GET`, and an unknown piece stays one."""
    return [word.text.removeprefix("=") or HOLE for flag in flags for word in scan.given.get(flag, [])]


CHECKS: dict[str, Callable[[Files], Files | None]] = {
    "gh": github,
    "gh api": partial(api, flags=code_flags.GH_API),
    "glab api": partial(api, flags=code_flags.GLAB_API),
    "no address": no_address,
}
