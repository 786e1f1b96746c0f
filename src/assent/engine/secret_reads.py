"""Secrets that a part reads without naming them: by a pattern of names, or by a list of hidden files."""

from collections.abc import Iterable

from assent.engine.base.globs import has_glob
from assent.engine.base.lazy import regex
from assent.engine.base.sensitive_paths import could_be_secret, is_secret_name, mentions_secret
from assent.engine.lines.part import Part
from assent.engine.programs.catalog import find_program, find_read_entry
from assent.engine.programs.checks.files import searched_names
from assent.engine.programs.program import Operands, PrintedOutput, Reads
from assent.engine.programs.runs import RunsBy
from assent.engine.programs.word import UNKNOWN_MARK, base_name

HIDDEN_FILES = "hidden files"
"""Stands for the hidden files that a part reads because another part lists them."""
_REGEX_SIGNS = regex(r"[\\^$()]|\.[*+?]|\[\^?\.\]")
"""Signs of a regular expression around the name that it selects."""
_SHORT_ALL = regex(r"-\w*[aA]\w*")
_HIDDEN_FLAGS = frozenset("--all --almost-all --hidden --unrestricted --no-ignore -H -u -uu -uuu".split())
_SHORT_HIDDEN = regex(r"-\w*[Hu]\w*")


def find_secret_selector(part: Part) -> str | None:
    """The first pattern with which a part selects files that usually contain secrets."""
    return next((use.text for use in part.selectors if _selects_secret(use.text)), None)


def reads_hidden_listing(part: Part, parts: Iterable[Part]) -> bool:
    """Whether a part prints the content of files that another part lists, hidden files included."""
    return (
        any(use.listed and UNKNOWN_MARK in use.text for use in part.reads)
        and _prints_content(part)
        and any(map(_lists_hidden_files, parts))
    )


def selected_names(pattern: str) -> tuple[str, ...]:
    """The patterns of file names that a selector means; empty if it excludes files."""
    if pattern.startswith("!"):
        return ()
    plain = pattern if "\\" not in pattern else _REGEX_SIGNS.sub("", pattern)
    before, brace, rest = plain.partition("{")
    inside, close, after = rest.partition("}")
    if brace and close:
        return tuple(f"{before}{item}{after}" for item in inside.split(","))
    return (plain,)


def _selects_secret(pattern: str) -> bool:
    for name in selected_names(pattern):
        last = name.rstrip("/").rpartition("/")[2].rpartition(":")[2].casefold()
        if is_secret_name(last) or could_be_secret(last):
            return True
        if ("\\" in pattern or not has_glob(last)) and "." not in last.strip(".") and mentions_secret(last):
            return True
    return False


def _prints_content(part: Part) -> bool:
    """Whether the program prints the files that it reads; programs that search print only what matches."""
    if part.command is None or not part.command.words:
        return False
    program = base_name(part.command.program)
    entry = find_read_entry(program)
    searches = isinstance(entry, Reads) and entry.operands is Operands.PATTERN_FILES
    prints = find_program(program).prints
    return prints in (PrintedOutput.PASSES, PrintedOutput.CHANGES) and not (
        searches and prints is PrintedOutput.CHANGES
    )


def _lists_hidden_files(part: Part) -> bool:
    """Whether a part lists hidden files together with the others."""
    if part.command is None or not part.command.words:
        return False
    known = find_program(base_name(part.command.program))
    words = part.command.words[1:]
    if known.lists_whole_directory:
        return any(word.text in _HIDDEN_FLAGS or _SHORT_ALL.fullmatch(word.text) for word in words)
    if known.runs_by is RunsBy.FOUND_NAMES:
        return any(word.text in _HIDDEN_FLAGS or _SHORT_HIDDEN.fullmatch(word.text) for word in words)
    if known.runs_by is not RunsBy.FOUND_FILES:
        return False
    return not searched_names(words) and not any(word.text in ("-regex", "-iregex") for word in words)
