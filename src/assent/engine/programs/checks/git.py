"""What the flags of `git`, `gh` and `glab` do not show: formats that run programs, and hosts that are asked."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import cast

from assent.engine.base.lazy import load_attribute, regex
from assent.engine.programs import git
from assent.engine.programs.flags import Scan, parse_flags
from assent.engine.programs.word import UNKNOWN_MARK, Word

Files = tuple[Word, ...]

_SIGNATURE = regex(r"%[-+ ]?G|signature")
"""Asks for the signature of a commit, which git lets a program verify."""
_MAGIC = regex(r"^(\([^)]*\)|[/!^]+)")
"""The prefix of the path in a pathspec, after its colon."""
_TOP = regex(r":([!^]*/|\([^)]*top)")
"""A pathspec that begins at the top of the repository."""
_SETTING = regex(
    r"(?i:color\.[a-z.-]+|column\.ui|advice\.[a-z]+|status\.[a-z]+|core\.(?:quotepath|abbrev|precomposeunicode)"
    r"|log\.(?:date|decorate|abbrevcommit)|diff\.(?:renames|renamelimit|noprefix|mnemonicprefix|colormoved|context"
    r"|algorithm))=[a-z0-9-]+"
    r"|(?i:core\.(?:fsmonitor|untrackedcache)|log\.showsignature|gc\.auto)=(?:false|no|0)"
    r"|(?i:core\.pager|pager\.[a-z-]+)=(?:cat|false)?"
)
"""A setting that names no program, and what it may be set to."""
_FORMATS = ("--format", "--pretty", "--sort")
_LISTING = "-l --list --contains --no-contains --merged --no-merged --points-at"
_CONFIG_READS = "--get --get-all --get-regexp --get-urlmatch -l --list"
_REFLOG_COMMANDS = {"show", "list", "exists"}
_BRANCHES = {"HEAD", "main", "master", "trunk", "develop", "dev", "stash"}


def settings(words: Files) -> Files | None:
    """Before the sub-command: `-c` with settings that only change what git prints, `-C` with a known place."""
    if any(UNKNOWN_MARK in value.text for before, value in pairwise(words) if before.text == "-C"):
        # Each directory may be another repository, with a configuration that is not trusted.
        return None
    values = [value.text for before, value in pairwise(words) if before.text == "-c"]
    attached = any(word.text.startswith("-c") and word.text != "-c" for word in words)
    return () if not attached and all(map(_SETTING.fullmatch, values)) else None


def plain_format(words: Files, *, flags: str) -> Files | None:
    """Commits or refs, printed in a format that runs nothing."""
    scan = Scan(parse_flags(flags), words)
    return None if scan.operands() is None or not _is_plain(scan) else ()


def content(words: Files, *, flags: str, compares_files: bool = False, pattern: bool = False) -> Files | None:
    """A command that prints content reads each named file, even from an old commit."""
    scan = Scan(parse_flags(flags), words)
    operands = scan.operands()
    if operands is None or not _is_plain(scan):
        return None
    if pattern and not scan.pattern_given:
        operands = operands[1:]
    ranges = [word for word in scan.given.get("-L", []) if ":" in word.text]
    told = (*operands, *ranges)
    known = [
        word for word in told if (compares_files and not _is_commit(word)) or UNKNOWN_MARK not in word.text
    ]
    inside = [word._replace(text=_path_of(word.text)) for word in told if ":" in word.text]
    return (*known, *(word for word in inside if word.text))


def names_below(words: Files) -> Files | None:
    """Prints names below the current directory, unless a pathspec begins at the top of the repository."""
    operands = Scan(parse_flags(git.LS_FILES), words).operands()
    if operands is None or any(_TOP.match(word.text) for word in operands):
        return None
    return ()


def listing(words: Files, *, flags: str, with_names: str) -> Files | None:
    """Names are only looked up with one of some flags; without them they would be created."""
    scan = Scan(parse_flags(flags), words)
    operands = scan.operands()
    if operands is None or not _is_plain(scan) or (operands and not _has_flag(scan, with_names)):
        return None
    return ()


def config(words: Files) -> Files | None:
    """One name is read; a name and a value are written, unless a flag reads."""
    scan = Scan(parse_flags(git.CONFIG), words)
    operands = scan.operands()
    if operands is None:
        return None
    if not scan.leading_flags().isdisjoint(_CONFIG_READS.split()) or (
        operands and operands[0].text in ("get", "list")
    ):
        return ()
    # What follows the name is its new value, even if it looks like a flag.
    if scan.trailing:
        return None
    # A name without a dot may be a command: `git config edit` opens an editor.
    single = len(operands) == 1 and "." in operands[0].text and not operands[0].glob
    return () if single else None


def reflog(words: Files) -> Files | None:
    """A first word that is no known command must be a ref by its look: new commands may write."""
    scan = Scan(parse_flags(git.LOG), words)
    operands = scan.operands()
    if operands is None or not _is_plain(scan):
        return None
    first = operands[0].text if operands else "HEAD"
    known = first in _REFLOG_COMMANDS or first in _BRANCHES or any(mark in first for mark in "/@~^")
    return () if known else None


def _is_plain(scan: Scan) -> bool:
    """Whether no format asks for a signature."""
    formats = [word.text for flag in _FORMATS for word in scan.given.get(flag, [])]
    return not any(UNKNOWN_MARK in text or _SIGNATURE.search(text) for text in formats)


def _is_commit(word: Word) -> bool:
    """Whether a word of unknown value is sure to be a hash, or a range that begins or ends with one."""
    return word.plain and "/" not in word.text


def _path_of(text: str) -> str:
    """The path in `HEAD:path`, `:0:path`, `:(top)path`, `:!path` or `1,9:path`."""
    return _MAGIC.sub("", text.rpartition(":")[2])


def _has_flag(scan: Scan, flags: str) -> bool:
    return any(flag in scan.given for flag in flags.split())


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
    if any(_ADDRESS.search(word.text) or _HOST.search(word.text) for word in words) or not _are_filters_safe(
        words
    ):
        return None
    return None if any(UNKNOWN_MARK in value for value in _values_after(words, *_REPOSITORY)) else ()


def gitlab(words: Files) -> Files | None:
    """Only the server of this working copy is asked."""
    if no_address(words) is None or any(_ANY_HOST.search(word.text) for word in words):
        return None
    return None if any(UNKNOWN_MARK in value for value in _values_after(words, *_REPOSITORY)) else ()


def no_address(words: Files) -> Files | None:
    """Only the server of this working copy is asked."""
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
    return () if accepts and _are_filters_safe(words) else None


def _are_filters_safe(words: Files) -> bool:
    """Whether each `jq` filter is known and prints nothing but the response."""
    filters = _values_after(words, *_FILTER)
    if not filters:
        return True
    reaches_out = cast("Callable[[str], bool]", load_attribute("programs.checks.jq", "reaches_out"))
    return not any(UNKNOWN_MARK in value or reaches_out(value) for value in filters)


def _values_after(words: Files, short: str, long: str) -> list[str]:
    """The values of a flag, attached or as the next word."""
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
    return [
        word.text.removeprefix("=") or UNKNOWN_MARK for flag in flags for word in scan.given.get(flag, [])
    ]


CHECKS: dict[str, Callable[[Files], Files | None]] = {
    "git settings": settings,
    "git log": partial(content, flags=git.LOG),
    "git shortlog": partial(plain_format, flags=git.SHORTLOG),
    "git rev-list": partial(plain_format, flags=git.REV_LIST),
    "git diff": partial(content, flags=git.COMPARE, compares_files=True),
    "git diff-tree": partial(content, flags=git.DIFF_TREE),
    "git blame": partial(content, flags=git.BLAME),
    "git grep": partial(content, flags=git.GREP, pattern=True),
    "git ls-files": names_below,
    "git cat-file": partial(content, flags=git.CAT_FILE),
    "git stash show": partial(content, flags=git.STASH_SHOW),
    "git branch": partial(listing, flags=git.BRANCH, with_names=_LISTING + " --show-current"),
    "git tag": partial(listing, flags=git.TAG, with_names=_LISTING + " -n"),
    "git remote show": partial(listing, flags=git.REMOTE_SHOW, with_names="-n"),
    "git for-each-ref": partial(plain_format, flags=git.FOR_EACH_REF),
    "git config": config,
    "git reflog": reflog,
    "gh": github,
    "glab": gitlab,
    "gh api": partial(api, flags=git.GH_API),
    "glab api": partial(api, flags=git.GLAB_API),
    "no address": no_address,
}
