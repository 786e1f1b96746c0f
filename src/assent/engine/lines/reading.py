"""Decide whether a command only reads, by the entry of its program in the catalog."""

from typing import NamedTuple

from assent.engine.base.lazy import regex
from assent.engine.programs import catalog
from assent.engine.programs.flags import FlagScan, parse_flags
from assent.engine.programs.program import Operands, ReadCommands, ReadEntry, Reads
from assent.engine.programs.word import UNKNOWN_MARK, Word

_DIRECTORY_FLAGS = ("-d", "--directories")
"""Options of `grep` that state what it does with directories."""
_LIMIT_FLAGS = frozenset("--exclude --include -g --glob".split())
"""Flags with which a search leaves out files, or reads only some."""
_PLAIN_GLOB = regex(r"!?[\w.*?-]+")
"""A glob of file names without directories and lists."""


class ReadResult(NamedTuple):
    """The files that a command reads, if it does nothing else."""

    files: tuple[Word, ...] = ()
    needs_trust: bool = False
    """True if files of the workspace can make the command run code."""
    settings: str = ""
    """The groups of Git settings that the command uses."""
    lists: bool = False
    """True if the command prints names of files below the workspace."""
    selectors: tuple[Word, ...] = ()
    """Patterns that select, by their names, the files that the command reads in a directory tree."""
    follows: str = ""
    """The search for links, if the command follows links of a tree."""
    walks: str | None = None
    """What the command reads of a tree, as settings of a search; None if it reads no whole tree."""
    leaves_out: str = ""
    """How an option leaves out files with a name."""


def find_reads(words: tuple[Word, ...]) -> ReadResult | None:
    """The files that a command reads; None if it may do more than read."""
    entry = catalog.find_read_entry(words[0].text)
    return None if entry is None else _check_by_entry(entry, words[1:])


def _check_by_entry(entry: ReadEntry, words: tuple[Word, ...]) -> ReadResult | None:
    """Check the words by an entry of the catalog."""
    match entry:
        case ReadCommands():
            return _check_subcommand(entry, words)
        case Reads(check=""):
            return _check_flags(entry, words)
        case Reads():
            return _apply_check_function(entry, words)


def _check_subcommand(entry: ReadCommands, words: tuple[Word, ...]) -> ReadResult | None:
    """Skip the flags before the sub-command, then check the words after it by its own entry."""
    scan = FlagScan(parse_flags(entry.flags), words)
    at = scan.first_operand()
    if at is None or any(word.splits or word.glob for word in words[:at]):
        return None
    checked = catalog.find_check_function(entry.check)(words[:at]) if entry.check else ()
    if checked is None:
        return None
    if at == len(words):
        is_allowed = entry.bare if words else entry.empty
        return ReadResult(tuple(scan.files), entry.trust, entry.settings) if is_allowed else None
    found = None if _has_any_flag(entry.alone, scan) else entry.commands.get(words[at].text)
    inner = None if found is None else _check_by_entry(found, words[at + 1 :])
    if inner is None:
        return None
    settings = f"{entry.settings} {inner.settings}"
    for flag, without in entry.settings_without:
        if flag in scan.given:
            settings = " ".join(name for name in settings.split() if name.partition(".")[0] != without)
    return inner._replace(
        files=(*scan.files, *checked, *inner.files),
        needs_trust=entry.trust or inner.needs_trust,
        settings=settings.strip(),
    )


def _apply_check_function(entry: Reads, words: tuple[Word, ...]) -> ReadResult | None:
    """Apply the check function of an entry, and its list of flags if there is one."""
    files = catalog.find_check_function(entry.check)(words)
    if files is None:
        return None
    if not entry.flags:
        lists = entry.lists and not any(word.text in entry.lists_without.split() for word in words)
        follows = not {word.text for word in words}.isdisjoint(entry.follows.split())
        trust = entry.trust and not (len(words) == 1 and words[0].text in entry.trust_without.split())
        return ReadResult(files, trust, entry.settings, lists, follows=_link_search(entry) if follows else "")
    listed = _check_flags(entry, words)
    return None if listed is None else listed._replace(files=(*listed.files, *files))


def _check_flags(entry: Reads, words: tuple[Word, ...]) -> ReadResult | None:
    """Check that every flag is in the list of the entry."""
    if entry.only:
        known = len(words) == 1 and words[0].text in parse_flags(entry.flags).known
        return ReadResult(needs_trust=entry.trust, settings=entry.settings) if known else None
    scan = FlagScan(parse_flags(entry.flags), words, careful=not entry.every_flag)
    operands = scan.operands()
    if (
        operands is None
        or not (operands or entry.bare)
        or (entry.needs and not _has_leading_flag(entry.needs, scan))
    ):
        return None
    if entry.operands is Operands.SINGLE and scan.trailing:
        # A program that takes no flags after its operand would take this flag as the file to write.
        return None
    if entry.operands is Operands.FILES and entry.every_flag:
        operands = [*operands, *scan.late_values]
    files = _operand_files(entry.operands, operands, pattern_given=scan.pattern_given)
    if files is None or any(_may_be_network_address(word) for word in (*scan.files, *files)):
        return None
    lists = (entry.lists or _has_any_flag(entry.lists_with, scan)) and not _has_any_flag(
        entry.lists_without, scan
    )
    follows = _has_any_flag(entry.follows, scan) and "--no-dereference" not in scan.given
    added = (groups for flag, groups in entry.settings_with if flag in scan.given)
    settings = " ".join((entry.settings, *added)) if entry.settings_with else entry.settings
    return ReadResult(
        (*scan.files, *files),
        entry.trust,
        settings,
        lists,
        tuple(scan.selectors),
        _link_search(entry) if follows else "",
        _walk_settings(entry, scan) if entry.walks else None,
        entry.leaves_out,
    )


def _link_search(entry: Reads) -> str:
    """The settings of the search for links; `always` if trust in the repository does not replace it."""
    return "links" if entry.trusted_links else "links always"


def _walk_settings(entry: Reads, scan: FlagScan) -> str | None:
    """What a command reads of a tree, as settings of a search; None if it reads no whole tree."""
    is_walk = entry.walks == "*" or _has_any_flag(entry.walks, scan) or _recurses(scan)
    if not is_walk or _has_any_flag(entry.walks_without, scan):
        return None
    is_hidden = entry.walks_hidden == "*" or _has_any_flag(entry.walks_hidden, scan)
    always = "always" if entry.walks == "*" else ""
    return " ".join(filter(None, (always, "" if is_hidden else "visible", *_walk_limits(scan))))


def _recurses(scan: FlagScan) -> bool:
    """Whether an option states that directories are read as a whole; `recurse` may be abbreviated."""
    values = [word.text.removeprefix("=") for flag in _DIRECTORY_FLAGS for word in scan.given.get(flag, ())]
    return any(value[:1] in ("r", UNKNOWN_MARK) for value in values)


def _walk_limits(scan: FlagScan) -> list[str]:
    """The patterns of files that a walk leaves out or reads alone, as settings of a search."""
    if _LIMIT_FLAGS.isdisjoint(scan.given):
        return []
    limits: list[str] = []
    for flag, mark in (("--exclude", "exclude"), ("--include", "include")):
        texts = [word.text for word in scan.given.get(flag, [])]
        plain = [text for text in texts if text and UNKNOWN_MARK not in text and " " not in text]
        # A pattern that is not known may match any file.
        limits += [f"{mark}={text}" for text in plain] if mark == "exclude" or plain == texts else []
    globs = [word.text for flag in ("-g", "--glob") for word in scan.given.get(flag, [])]
    if any(not _PLAIN_GLOB.fullmatch(text) for text in globs):
        return []
    limits += [f"exclude={text[1:]}" if text.startswith("!") else f"include={text}" for text in globs]
    # If both are given, the program's order of patterns decides; then no file is left out.
    return limits if len({limit.partition("=")[0] for limit in limits}) < 2 else []


def _has_leading_flag(flags: str, scan: FlagScan) -> bool:
    """Whether one of the flags is before all operands; some programs accept flags only there."""
    return not scan.leading_flags().isdisjoint(flags.split())


def _has_any_flag(flags: str, scan: FlagScan) -> bool:
    """Whether one of the flags is among the words."""
    return bool(flags) and not scan.given.keys().isdisjoint(flags.split())


def _operand_files(kind: Operands, operands: list[Word], *, pattern_given: bool) -> tuple[Word, ...] | None:
    """The operands that are files; None if the operands are not allowed for a read."""
    match kind:
        case Operands.FILES:
            return tuple(operands)
        case Operands.PATTERN_FILES:
            return tuple(
                operands if pattern_given or _may_become_several_words(operands[:1]) else operands[1:]
            )
        case Operands.NAMES:
            return tuple(word for word in operands if _may_leave_directory(word))
        case Operands.TEXT:
            return ()
        case Operands.SINGLE:
            return None if len(operands) > 1 or _may_become_several_words(operands) else tuple(operands)
        case Operands.BINARIES:
            return None if any(word.text.startswith("@") for word in operands) else tuple(operands)
        case Operands.NONE:
            return None if operands else ()


def _may_become_several_words(operands: list[Word]) -> bool:
    """Whether the shell may expand one of these words to several words."""
    return any(word.splits or word.glob for word in operands)


def _may_be_network_address(word: Word) -> bool:
    """Whether a program may treat a file name as a network address."""
    return ":/" in word.text


def _may_leave_directory(word: Word) -> bool:
    """Whether a path may lead out of the working directory."""
    text = word.text
    unknown = text.startswith(UNKNOWN_MARK) and not word.plain
    return word.tilde or unknown or text.startswith("/") or ".." in text.split("/")
