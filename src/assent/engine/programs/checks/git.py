"""Checks of `git`, `gh` and `glab`: formats that run programs, and hosts that are contacted."""

import posixpath
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import cast

from assent.engine.base.lazy import load_attribute, regex
from assent.engine.programs import git
from assent.engine.programs.flags import FlagScan, parse_flags
from assent.engine.programs.word import UNKNOWN_MARK, Word

Words = tuple[Word, ...]

_SIGNATURE = regex(r"%[-+ ]?G|signature")
"""A format with the signature of a commit, which Git verifies by running a program."""
_PATHSPEC_PREFIX = regex(r"^(\([^)]*\)|[/!^]+)")
"""The prefix of the path in a pathspec, after its colon."""
_TOP_PATHSPEC = regex(r":([!^]*/|\([^)]*top)")
"""A pathspec that begins at the top of the repository."""
_HARMLESS_SETTING = regex(
    r"(?i:color\.[a-z.-]+|column\.ui|advice\.[a-z]+|status\.[a-z]+|core\.(?:quotepath|abbrev|precomposeunicode)"
    r"|log\.(?:date|decorate|abbrevcommit)|diff\.(?:renames|renamelimit|noprefix|mnemonicprefix|colormoved|context"
    r"|algorithm))=[a-z0-9-]+"
    r"|(?i:core\.(?:fsmonitor|untrackedcache)|log\.showsignature|gc\.auto)=(?:false|no|0)"
    r"|(?i:core\.pager|pager\.[a-z-]+)=(?:cat|false)?"
)
"""A setting that names no program, with its allowed values."""
_FORMAT_FLAGS = ("--format", "--pretty", "--sort")
_LIST_FLAGS = "-l --list --contains --no-contains --merged --no-merged --points-at"
_CONFIG_READ_FLAGS = "--get --get-all --get-regexp --get-urlmatch -l --list"
_REFLOG_COMMANDS = {"show", "list", "exists"}
_BRANCHES = {"HEAD", "main", "master", "trunk", "develop", "dev", "stash"}


def check_settings(words: Words) -> Words | None:
    """Check the flags before the sub-command. `-c` needs a harmless setting, and `-C` a known directory."""
    entered = [value for before, value in pairwise(words) if before.text == "-C"]
    if any(UNKNOWN_MARK in value.text for value in entered):
        # An unknown directory may be another repository, whose configuration is not known.
        return None
    values = [value.text for before, value in pairwise(words) if before.text == "-c"]
    attached = any(word.text.startswith("-c") and word.text != "-c" for word in words)
    if attached or not all(map(_HARMLESS_SETTING.fullmatch, values)):
        return None
    if len(entered) < 2 or any(value.tilde for value in entered[1:]):
        return () if len(entered) < 2 else None
    # Each directory is relative to the one before it.
    return (entered[0]._replace(text=posixpath.join(*(value.text for value in entered))),)


def check_format(words: Words, *, flags: str) -> Words | None:
    """Check that commits or refs are printed in a format that runs no program."""
    scan = FlagScan(parse_flags(flags), words)
    return None if scan.operands() is None or not _has_plain_format(scan) else ()


def check_content(
    words: Words, *, flags: str, compares_files: bool = False, pattern: bool = False
) -> Words | None:
    """The files whose content a command prints, even from an old commit; None if a format runs a program."""
    scan = FlagScan(parse_flags(flags), words)
    operands = scan.operands()
    if operands is None or not _has_plain_format(scan):
        return None
    if pattern and not scan.pattern_given:
        operands = operands[1:]
    ranges = [word for word in scan.given.get("-L", []) if ":" in word.text]
    told = (*operands, *ranges)
    known = [
        word
        for word in told
        if (compares_files and not _is_commit_hash(word)) or UNKNOWN_MARK not in word.text
    ]
    inside = [word._replace(text=_pathspec_path(word.text)) for word in told if ":" in word.text]
    return (*known, *(word for word in inside if word.text))


def check_ls_files(words: Words) -> Words | None:
    """Check that `git ls-files` prints only names below the current directory."""
    operands = FlagScan(parse_flags(git.LS_FILES), words).operands()
    if operands is None or any(_TOP_PATHSPEC.match(word.text) for word in operands):
        return None
    return ()


def check_listing(words: Words, *, flags: str, with_names: str) -> Words | None:
    """Check that branches or tags are only listed; without one of the flags, a name would be created."""
    scan = FlagScan(parse_flags(flags), words)
    operands = scan.operands()
    if operands is None or not _has_plain_format(scan) or (operands and not _has_flag(scan, with_names)):
        return None
    return ()


def check_config(words: Words) -> Words | None:
    """Check that `git config` only reads a name, or has a flag that reads."""
    scan = FlagScan(parse_flags(git.CONFIG), words)
    operands = scan.operands()
    if operands is None:
        return None
    if not scan.leading_flags().isdisjoint(_CONFIG_READ_FLAGS.split()) or (
        operands and operands[0].text in ("get", "list")
    ):
        return ()
    # The word after the name is its new value, even if it looks like a flag.
    if scan.trailing:
        return None
    # A name without a dot may be a command: `git config edit` opens an editor.
    single = len(operands) == 1 and "." in operands[0].text and not operands[0].glob
    return () if single else None


def check_reflog(words: Words) -> Words | None:
    """Check that the first word of `git reflog` is a command that reads, or clearly a ref."""
    scan = FlagScan(parse_flags(git.LOG), words)
    operands = scan.operands()
    if operands is None or not _has_plain_format(scan):
        return None
    first = operands[0].text if operands else "HEAD"
    known = first in _REFLOG_COMMANDS or first in _BRANCHES or any(mark in first for mark in "/@~^")
    return () if known else None


def _has_plain_format(scan: FlagScan) -> bool:
    """Whether no chosen format prints a signature, for which Git would run a program."""
    formats = [word.text for flag in _FORMAT_FLAGS for word in scan.given.get(flag, [])]
    return not any(UNKNOWN_MARK in text or _SIGNATURE.search(text) for text in formats)


def _is_commit_hash(word: Word) -> bool:
    """Whether an unknown word is certainly a hash, or a range that begins or ends with a hash."""
    return word.plain and "/" not in word.text


def _pathspec_path(text: str) -> str:
    """The path in `HEAD:path`, `:0:path`, `:(top)path`, `:!path` or `1,9:path`."""
    return _PATHSPEC_PREFIX.sub("", text.rpartition(":")[2])


def _has_flag(scan: FlagScan, flags: str) -> bool:
    """Whether one of the flags is given."""
    return any(flag in scan.given for flag in flags.split())


_OTHER_ADDRESS = regex(r"(?<!https)://|://(?!(?:gist\.)?github\.com/)|(?:^|=|-R)[^/\s]+@[\w.-]+:")
"""An address that is not on GitHub, as a URL or as `user@host:path`."""
_OTHER_HOST = regex(r"(?:^|=|-R)(?!github\.com/)[\w-]+(?:\.[\w-]+)+(?::\d+)?/[\w.-]+/[\w.-]+$")
"""A repository on another host: `HOST/OWNER/REPO`."""
_ANY_HOST = regex(r"(?:^|=|-R)[\w-]+(?:\.[\w-]+)+(?::\d+)?/")
_REPOSITORY_FLAGS = ("-R", "--repo")
_FILTER_FLAGS = ("-q", "--jq")
_ENDPOINT = regex(r"/?[\w{][^\0]*")
_GRAPHQL_PATHS = ("graphql", "/graphql")


def check_github(words: Words) -> Words | None:
    """Check that `gh` contacts only github.com, and that no filter prints the environment."""
    if any(
        _OTHER_ADDRESS.search(word.text) or _OTHER_HOST.search(word.text) for word in words
    ) or not _are_filters_safe(words):
        return None
    return None if any(UNKNOWN_MARK in value for value in _flag_values(words, *_REPOSITORY_FLAGS)) else ()


def check_gitlab(words: Words) -> Words | None:
    """Check that `glab` contacts only the server of this working copy."""
    if check_no_address(words) is None or any(_ANY_HOST.search(word.text) for word in words):
        return None
    return None if any(UNKNOWN_MARK in value for value in _flag_values(words, *_REPOSITORY_FLAGS)) else ()


def check_no_address(words: Words) -> Words | None:
    """Check that no word is an address, so that only the server of this working copy is contacted."""
    return None if any("://" in word.text or word.text.startswith("git@") for word in words) else ()


def check_api(words: Words, *, flags: str) -> Words | None:
    """Check that the request is a GET of a path of the known server.

    A body, or a header other than `Accept`, is not allowed.
    """
    scan = FlagScan(parse_flags(flags), words)
    operands = scan.operands()
    if operands is None or len(operands) != 1 or not _is_api_path(operands[0]):
        return None
    methods = _values_in_scan(scan, "-X", "--method")
    # A field turns the request into a POST unless a method is given.
    has_fields = bool(_values_in_scan(scan, "-f", "--raw-field"))
    if any(method.upper() != "GET" for method in methods) or (has_fields and not methods):
        return None
    headers = _values_in_scan(scan, "-H", "--header")
    accepts = all(header.lower().startswith("accept:") for header in headers)
    return () if accepts and _are_filters_safe(words) else None


def _are_filters_safe(words: Words) -> bool:
    """Whether each `jq` filter is known and prints nothing but the response."""
    filters = _flag_values(words, *_FILTER_FLAGS)
    if not filters:
        return True
    reads_other_sources = cast(
        "Callable[[str], bool]", load_attribute("programs.checks.jq", "reads_other_sources")
    )
    return not any(UNKNOWN_MARK in value or reads_other_sources(value) for value in filters)


def _flag_values(words: Words, short: str, long: str) -> list[str]:
    """The values of a flag, attached or as the next word."""
    found = [word.text for before, word in pairwise(words) if before.text in (short, long)]
    for word in words:
        if word.text.startswith(f"{long}="):
            found.append(word.text.partition("=")[2])
        elif word.text.startswith(short):
            found.append(word.text.removeprefix(short))
    return found


def _is_api_path(word: Word) -> bool:
    """Whether a word is a path of the API, and not of GraphQL."""
    text = word.text
    known = _ENDPOINT.match(text) is not None and "://" not in text and not word.splits and not word.glob
    return known and text.partition("?")[0] not in _GRAPHQL_PATHS


def _values_in_scan(scan: FlagScan, *flags: str) -> list[str]:
    """The values of a flag under each of its names; `-X=GET` gives `GET`."""
    return [
        word.text.removeprefix("=") or UNKNOWN_MARK for flag in flags for word in scan.given.get(flag, [])
    ]


CHECKS: dict[str, Callable[[Words], Words | None]] = {
    "git settings": check_settings,
    "git log": partial(check_content, flags=git.LOG),
    "git shortlog": partial(check_format, flags=git.SHORTLOG),
    "git rev-list": partial(check_format, flags=git.REV_LIST),
    "git diff": partial(check_content, flags=git.COMPARE, compares_files=True),
    "git diff-tree": partial(check_content, flags=git.DIFF_TREE),
    "git blame": partial(check_content, flags=git.BLAME),
    "git grep": partial(check_content, flags=git.GREP, pattern=True),
    "git ls-files": check_ls_files,
    "git cat-file": partial(check_content, flags=git.CAT_FILE),
    "git stash show": partial(check_content, flags=git.STASH_SHOW),
    "git branch": partial(check_listing, flags=git.BRANCH, with_names=_LIST_FLAGS + " --show-current"),
    "git tag": partial(check_listing, flags=git.TAG, with_names=_LIST_FLAGS + " -n"),
    "git remote show": partial(check_listing, flags=git.REMOTE_SHOW, with_names="-n"),
    "git for-each-ref": partial(check_format, flags=git.FOR_EACH_REF),
    "git config": check_config,
    "git reflog": check_reflog,
    "gh": check_github,
    "glab": check_gitlab,
    "gh api": partial(check_api, flags=git.GH_API),
    "glab api": partial(check_api, flags=git.GLAB_API),
    "no address": check_no_address,
}
