"""What the flags of a git command cannot say: formats that run programs, words that create something."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise

from assent.engine.programs import git
from assent.engine.programs.checks.scan import Scan
from assent.engine.programs.flags import parse_flags
from assent.engine.programs.word import HOLE, Word
from assent.engine.regex import regex

Files = tuple[Word, ...]

_SIGNATURE = regex(r"%[-+ ]?G|signature")
"""Asks for the signature of a commit, which git lets a program verify."""
_MAGIC = regex(r"^(\([^)]*\)|[/!^]+)")
"""What may stand before the path in a pathspec, after its colon."""
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
    if any(HOLE in value.text for before, value in pairwise(words) if before.text == "-C"):
        # Each directory may be a repository of its own, with a configuration that nobody trusted.
        return None
    values = [value.text for before, value in pairwise(words) if before.text == "-c"]
    attached = any(word.text.startswith("-c") and word.text != "-c" for word in words)
    return () if not attached and all(map(_SETTING.fullmatch, values)) else None


def formatted(words: Files, *, flags: str) -> Files | None:
    """Commits or refs, printed in a format that runs nothing."""
    scan = Scan(parse_flags(flags), words)
    return None if scan.operands() is None or not _is_plain(scan) else ()


def content(words: Files, *, flags: str, compares_files: bool = False, pattern: bool = False) -> Files | None:
    """What prints file contents reads each file it is told, be it from an old commit."""
    scan = Scan(parse_flags(flags), words)
    operands = scan.operands()
    if operands is None or not _is_plain(scan):
        return None
    if pattern and not scan.pattern_given:
        operands = operands[1:]
    ranges = [word for word in scan.given.get("-L", []) if ":" in word.text]
    told = (*operands, *ranges)
    known = [word for word in told if (compares_files and not _is_commit(word)) or HOLE not in word.text]
    inside = [word._replace(text=_path(word.text)) for word in told if ":" in word.text]
    return (*known, *(word for word in inside if word.text))


def names_below(words: Files) -> Files | None:
    """Names are printed from where we stand, unless a pathspec begins at the top of the repository."""
    operands = Scan(parse_flags(git.LS_FILES), words).operands()
    if operands is None or any(_TOP.match(word.text) for word in operands):
        return None
    return ()


def listing(words: Files, *, flags: str, with_names: str) -> Files | None:
    """Names are only looked up with one of some flags; without them they would be created."""
    scan = Scan(parse_flags(flags), words)
    operands = scan.operands()
    if operands is None or not _is_plain(scan) or (operands and not _given(scan, with_names)):
        return None
    return ()


def config(words: Files) -> Files | None:
    """One name is read; a name and a value are written, unless a flag says otherwise."""
    scan = Scan(parse_flags(git.CONFIG), words)
    operands = scan.operands()
    if operands is None:
        return None
    if not scan.leading().isdisjoint(_CONFIG_READS.split()) or (
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
    return not any(HOLE in text or _SIGNATURE.search(text) for text in formats)


def _is_commit(word: Word) -> bool:
    """Whether a word of unknown value is sure to be a hash, or a range that begins or ends with one."""
    return word.plain and "/" not in word.text


def _path(text: str) -> str:
    """The path in `HEAD:path`, `:0:path`, `:(top)path`, `:!path` or `1,9:path`."""
    return _MAGIC.sub("", text.rpartition(":")[2])


def _given(scan: Scan, flags: str) -> bool:
    return any(flag in scan.given for flag in flags.split())


CHECKS: dict[str, Callable[[Files], Files | None]] = {
    "git settings": settings,
    "git log": partial(content, flags=git.LOG),
    "git shortlog": partial(formatted, flags=git.SHORTLOG),
    "git rev-list": partial(formatted, flags=git.REV_LIST),
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
    "git for-each-ref": partial(formatted, flags=git.FOR_EACH_REF),
    "git config": config,
    "git reflog": reflog,
}
