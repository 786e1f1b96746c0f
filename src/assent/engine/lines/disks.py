"""Tools that format, partition and wipe disks, and the words with which they only look."""

import posixpath

from assent.engine.programs.catalog import formats_disks, lookup
from assent.engine.programs.program import Disk
from assent.engine.programs.word import HOLE, Word
from assent.engine.regex import regex

_DEVICE = regex(
    r"/dev/(?:r?(?:sd|hd|vd|xvd|wd|ad|ada|da|disk)[a-z*?\[\d\0]|\0|nvme|mmcblk|dm-|mapper/|md\d|md/|disk/|nbd\d|zd\d"
    r"|pmem|kmem|mem$|port$)"
)


def is_device(path: str) -> bool:
    """Whether a path names a disk, a partition or the machine's memory."""
    return path.startswith("/") and _DEVICE.match("/" + posixpath.normpath(path).lstrip("/")) is not None


def on_disk(name: str, words: tuple[Word, ...]) -> str | None:
    """What formatting, partitioning and volume tools do to a disk."""
    texts = [word.text for word in words]
    devices = [text for text in texts if is_device(text)]
    disk = lookup(name).disk or _NO_DISK
    if formats_disks(name):
        return _formatted(disk, texts, devices)
    if disk.shows is not None and devices and not _only_shows(disk.shows, disk.beside, texts):
        return f"changes the partitions of {devices[0]}"
    if disk.destroys == "":
        return f"removes volumes ({name})"
    if disk.destroys and any(_spellings(text) & {*disk.destroys.split()} for text in texts):
        return f"destroys a volume or a disk ({name})"
    return None


def _formatted(disk: Disk, texts: list[str], devices: list[str]) -> str | None:
    """What a program wipes that makes file systems; None where it only looks, or works on a file."""
    if disk.wipes and _only_looks(disk.wipes.split(), texts):
        return None
    if devices:
        return f"formats or wipes {devices[0]}"
    unknown = any(text.startswith(HOLE) for text in texts)
    return "formats or wipes something that is not known" if unknown else None


def _only_shows(words: str, beside: str | None, texts: list[str]) -> bool:
    """Whether a partition tool is told to show something, and nothing besides that might change it."""
    shows = words.split()
    if not any(text in shows for text in texts):
        return False
    if beside is None:
        return True
    harmless = {*shows, *beside.split()}
    # A tool that shows by a plain word takes plain words, the others flags; an unknown word may be either.
    plain = not shows[0].startswith("-")
    told = [text for text in texts if plain or text.startswith(("-", HOLE))]
    return all(text.isdecimal() or is_device(text) or _name(text) in harmless for text in told)


def _name(text: str) -> str:
    return text.partition("=")[0]


def _spellings(text: str) -> set[str]:
    """How a word may be listed: whatever its case, without its value, or as the first flag of several."""
    return {_name(text).casefold(), text[:2]}


def _only_looks(flags: list[str], texts: list[str]) -> bool:
    """Whether a tool is used without the flags that make it write."""
    if any(HOLE in text for text in texts):
        return False
    short = "".join(text[1:] for text in texts if text[:1] == "-" and text[:2] != "--")
    long = [text for text in texts if text[:2] == "--"]
    return not any(flag in short if len(flag) == 1 else any(map(flag.startswith, long)) for flag in flags)


_NO_DISK = Disk()
