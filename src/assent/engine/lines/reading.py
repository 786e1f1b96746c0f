"""Whether a command only reads, by the table of what is known to be harmless."""

from typing import NamedTuple

from assent.engine.programs import catalog
from assent.engine.programs.checks import registry as checks
from assent.engine.programs.checks.scan import Scan
from assent.engine.programs.flags import parse_flags
from assent.engine.programs.program import Operands, ReadCommands, ReadEntry, Reads
from assent.engine.programs.word import HOLE, Word


class Reading(NamedTuple):
    """What a command that only reads would read."""

    files: tuple[Word, ...] = ()
    trust: bool = False
    """It needs a trusted repository."""
    lists: bool = False
    """It prints names of files below the workspace."""


def reading(words: tuple[Word, ...]) -> Reading | None:
    """What these words would read, or None when they might do more than read."""
    entry = catalog.reads(words[0].text)
    return None if entry is None else _read(entry, words[1:])


def _read(entry: ReadEntry, words: tuple[Word, ...]) -> Reading | None:
    match entry:
        case ReadCommands():
            return _read_command(entry, words)
        case Reads(check=""):
            return _read_flags(entry, words)
        case Reads():
            return _read_checked(entry, words)


def _read_command(entry: ReadCommands, words: tuple[Word, ...]) -> Reading | None:
    """Skip the flags before the sub-command, then read the rest by its own entry."""
    scan = Scan(parse_flags(entry.flags), words)
    at = scan.first_operand()
    if at is None or any(word.splits or word.glob for word in words[:at]):
        return None
    if entry.check and checks.named(entry.check)(words[:at]) is None:
        return None
    if at == len(words):
        return Reading(tuple(scan.files), entry.trust) if (entry.bare if words else entry.empty) else None
    found = None if _any(entry.alone, scan) else entry.commands.get(words[at].text)
    inner = None if found is None else _read(found, words[at + 1 :])
    if inner is None:
        return None
    return Reading((*scan.files, *inner.files), entry.trust or inner.trust, inner.lists)


def _read_checked(entry: Reads, words: tuple[Word, ...]) -> Reading | None:
    """By its check alone or, where flags are listed too, by both."""
    files = checks.named(entry.check)(words)
    if files is None:
        return None
    if not entry.flags:
        lists = entry.lists and not any(word.text in entry.lists_without.split() for word in words)
        return Reading(files, entry.trust, lists)
    listed = _read_flags(entry, words)
    return None if listed is None else listed._replace(files=(*listed.files, *files))


def _read_flags(entry: Reads, words: tuple[Word, ...]) -> Reading | None:
    if entry.only:
        known = len(words) == 1 and words[0].text in parse_flags(entry.flags).known
        return Reading(trust=entry.trust) if known else None
    scan = Scan(parse_flags(entry.flags), words, careful=not entry.every_flag)
    operands = scan.operands()
    if operands is None or not (operands or entry.bare) or (entry.needs and not _first(entry.needs, scan)):
        return None
    if entry.operands is Operands.SINGLE and scan.trailing:
        # What takes no flag after its operand would take this one for the file to write.
        return None
    if entry.operands is Operands.FILES and entry.every_flag:
        operands = [*operands, *scan.late]
    files = _files(entry.operands, operands, pattern_given=scan.pattern_given)
    if files is None or any(_is_address(word) for word in (*scan.files, *files)):
        return None
    lists = (entry.lists or _any(entry.lists_with, scan)) and not _any(entry.lists_without, scan)
    follows = _any(entry.follows, scan) and "--no-dereference" not in scan.given
    return Reading((*scan.files, *files), entry.trust or follows, lists)


def _first(flags: str, scan: Scan) -> bool:
    """Whether one of the flags stands before all operands: some programs take none after the first."""
    return not scan.leading().isdisjoint(flags.split())


def _any(flags: str, scan: Scan) -> bool:
    return bool(flags) and not scan.given.keys().isdisjoint(flags.split())


def _files(kind: Operands, operands: list[Word], *, pattern_given: bool) -> tuple[Word, ...] | None:
    match kind:
        case Operands.FILES:
            return tuple(operands)
        case Operands.PATTERN_FILES:
            return tuple(operands if pattern_given or _several(operands[:1]) else operands[1:])
        case Operands.NAMES:
            return tuple(word for word in operands if _leads_out(word))
        case Operands.TEXT:
            return ()
        case Operands.SINGLE:
            return None if len(operands) > 1 or _several(operands) else tuple(operands)
        case Operands.BINARIES:
            return None if any(word.text.startswith("@") for word in operands) else tuple(operands)
        case Operands.NONE:
            return None if operands else ()


def _several(operands: list[Word]) -> bool:
    """Whether what looks like one word may become several."""
    return any(word.splits or word.glob for word in operands)


def _is_address(word: Word) -> bool:
    """Whether a program could take a file's name for something to connect to."""
    return ":/" in word.text


def _leads_out(word: Word) -> bool:
    """Whether a name could be a path that leaves the working directory."""
    text = word.text
    unknown = text.startswith(HOLE) and not word.plain
    return word.tilde or unknown or text.startswith("/") or ".." in text.split("/")
