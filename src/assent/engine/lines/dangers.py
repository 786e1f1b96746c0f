"""What a command would do to whole trees and devices: the words of catastrophes."""

from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from assent.engine.lines.command import Access, Command
from assent.engine.lines.disks import PARTITIONS, VOLUMES, formats, is_device, on_disk
from assent.engine.lines.options import TARS
from assent.engine.lines.outputs import addressed
from assent.engine.lines.writes import written
from assent.engine.programs.word import HOLE, Word, base_name
from assent.engine.regex import regex
from assent.engine.shell.knowledge.find import leaves_out


class Harm(StrEnum):
    """What happens to the path; how much of the world it takes to matter differs."""

    REMOVES = "removes"
    FILTERED = "removes a part of"
    MOVES = "moves"
    RIGHTS = "changes the rights of"
    OVERWRITES = "overwrites"
    TRUNCATES = "truncates"
    APPENDS = "appends to"
    UNPACKS = "unpacks over"


class Danger(NamedTuple):
    """A path that a command would harm."""

    harm: Harm
    path: Word


class Dangers(NamedTuple):
    """What a command endangers, and whether it is a catastrophe by its words alone."""

    paths: tuple[Danger, ...] = ()
    catastrophe: str | None = None


_NONE = Dangers()

_RIGHTS = frozenset("chmod chown chgrp chattr setfacl restorecon chcon".split())
_WHOLLY = frozenset("trash trash-put rip rimraf del-cli".split())
"""Programs that remove directories without being told to go into them."""
_REMOVERS = frozenset("rm srm grm unlink shred wipe".split()) | _WHOLLY
_WINDOWS_REMOVERS = frozenset({"rd", "rmdir", "del", "erase", "deltree"})
_DRIVE = regex(r"[A-Za-z]:[\\/]*\*?")
_PARTCLONES = "restore dd ext2 ext3 ext4 extfs ntfs fat vfat exfat xfs btrfs hfsp hfsplus apfs f2fs".split()
_IMAGES = ("of=", "hof=", "ofs=", "wipe=", "hwipe=", "dest=", "id=0,dest=")
_IMAGERS = {
    **dict.fromkeys(("dd", "gdd", "dcfldd", "dc3dd", "fsarchiver"), ""),
    **dict.fromkeys(("ddrescue", "dd_rescue", "sg_dd"), "#2"),
    **dict.fromkeys(("bmaptool", "etcher", "rpi-imager", "partimage", "sg_write_buffer"), "#last"),
    "qemu-img": "",
    "pv": "-o --output",
    "ntfsclone": "-O --overwrite",
    "balena": "--drive",
    **{f"partclone.{kind}": "-o -O --output --overwrite" for kind in _PARTCLONES},
    "socat": "#last",
    **dict.fromkeys(("nwipe", "scrub", "sg_format", "sg_sanitize", "sponge"), "#*"),
}
"""Programs that copy to whole disks: options that name the disk and, after `#`, which operand does."""
_UNPACKERS = frozenset({*TARS, "unzip", "cpio", "7z", "7za", "ditto", "rsync"})
_MOVERS = frozenset({"mv", "gmv"})
_COPIERS = frozenset({"cp", "install", "gcp", "ln"})
_HARMFUL = frozenset({"find", "btrfs", "gio", "truncate", "tee", "format"}).union(
    _WINDOWS_REMOVERS, PARTITIONS, VOLUMES, _RIGHTS, _REMOVERS, _IMAGERS, _UNPACKERS, _MOVERS, _COPIERS
)
"""All programs that are asked about below, besides those that format; most are none of them."""


def dangers(command: Command) -> Dangers:
    """What the words of one simple command endanger."""
    words = command.words
    found = _redirected(command) if command.redirects else []
    if not words:
        return Dangers(tuple(found), _to_device(found))
    if not found and not _harmful(words[0].text):
        return _NONE
    name = base_name(words[0].text).removesuffix(".exe")
    catastrophe = on_disk(name, words[1:]) or _whole_drive(name, words[1:])
    found.extend(_paths(name, words[1:]))
    whole = [one.path for one in found if name == "find" and one.harm is Harm.REMOVES]
    if any(path.text == HOLE and not path.listed for path in whole):
        catastrophe = "removes all that is below a directory that is not known"
    harmed = [one.harm for one in found if one.path.listed]
    if command.fed is not None and (name in _REMOVERS or {Harm.REMOVES, Harm.RIGHTS}.intersection(harmed)):
        found.extend(Danger(Harm.FILTERED, root) for root in (command.fed if harmed else ()))
    # Where all files below are named, they need not be removed with their directories.
    deep = "*" if Harm.REMOVES in harmed else "**"
    swept = [one for one in command.swept if one.text.endswith(deep)] if name in _REMOVERS and harmed else []
    found.extend(Danger(Harm.REMOVES, one) for one in swept)
    return Dangers(tuple(found), catastrophe or _to_device(found))


def _redirected(command: Command) -> list[Danger]:
    return [
        Danger(Harm.APPENDS if redirect.appends else Harm.TRUNCATES, redirect.target)
        for redirect in command.redirects
        if redirect.access is Access.WRITE
    ]


@lru_cache(maxsize=4096)
def _harmful(program: str) -> bool:
    """Whether a program is one of those that are asked about below."""
    name = base_name(program).removesuffix(".exe")
    return name in _HARMFUL or formats(name)


def _to_device(found: list[Danger]) -> str | None:
    hit = next((one for one in found if is_device(one.path.text)), None)
    return None if hit is None else f"writes to the device {hit.path.text}"


def _whole_drive(name: str, words: tuple[Word, ...]) -> str | None:
    """A drive of Windows, which is no path to other systems."""
    if name not in _REMOVERS and name not in _WINDOWS_REMOVERS and name != "format":
        return None
    drives = [word.text for word in words if _DRIVE.fullmatch(word.text)]
    return f"{'formats' if name == 'format' else 'removes'} the drive {drives[0]}" if drives else None


def _paths(name: str, words: tuple[Word, ...]) -> list[Danger]:
    operands = _operands(words)
    if name == "find":
        return _find(words)
    if name in _REMOVERS:
        recursive = name in _WHOLLY or _has(words, "rR", "--recursive")
        return [Danger(Harm.REMOVES if recursive else Harm.OVERWRITES, path) for path in operands]
    if name in _RIGHTS and (_has(words, "R", "--recursive") or any(word.listed for word in operands)):
        return [Danger(Harm.RIGHTS, path) for path in operands]
    if name == "gio":
        removes = [word.text for word in operands[:1]] in (["trash"], ["remove"])
        return [Danger(Harm.REMOVES, path) for path in operands[1:] if removes]
    if name in _MOVERS:
        target = any(word.text.startswith(("-t", "--target-directory")) for word in words)
        moved = [Danger(Harm.MOVES, path) for path in (operands if target else operands[:-1])]
        return moved if target else [*moved, *(Danger(Harm.OVERWRITES, path) for path in operands[-1:])]
    if name == "btrfs" and "delete" in [word.text for word in operands]:
        return [Danger(Harm.REMOVES, path) for path in operands]
    return _written_over(name, words, operands)


def _written_over(name: str, words: tuple[Word, ...], operands: list[Word]) -> list[Danger]:
    """What programs that copy, unpack and write put something else in the place of."""
    if name in _IMAGERS:
        return [Danger(Harm.TRUNCATES, path) for path in _images(name, words, operands)]
    if name == "rsync" and any(word.text.startswith("--del") for word in words):
        return [Danger(Harm.REMOVES, path) for path in operands[-1:]]
    if name in _UNPACKERS:
        found = written((Word(name), *words))
        return [] if found is None else [Danger(Harm.UNPACKS, path) for path in found.paths]
    if name == "truncate":
        return [Danger(Harm.TRUNCATES, path) for path in operands]
    if name in _COPIERS:
        return [Danger(_harm_of_copy(operands[:-1]), path) for path in operands[-1:]]
    if name == "tee":
        harm = Harm.APPENDS if _has(words, "a", "--append") else Harm.OVERWRITES
        return [Danger(harm, path) for path in operands]
    return []


def _harm_of_copy(sources: list[Word]) -> Harm:
    if any(word.text.endswith(("/.", "/*")) for word in sources):
        return Harm.UNPACKS
    return Harm.TRUNCATES if [word.text for word in sources[:1]] == ["/dev/null"] else Harm.OVERWRITES


def _images(name: str, words: tuple[Word, ...], operands: list[Word]) -> list[Word]:
    """Where programs that copy whole disks write to."""
    options, _, position = _IMAGERS[name].partition("#")
    if name == "qemu-img":
        position = "last" if words and words[0].text in ("convert", "create", "dd") else ""
    assigned = [path for word in words for prefix in _IMAGES if (path := _after(prefix, word)) is not None]
    valued = [words[at + 1] for at in range(len(words) - 1) if words[at].text in options.split()]
    placed = {"": [], "*": operands, "2": operands[1:2], "last": operands[1:][-1:]}[position]
    return [*assigned, *valued, *placed, *(addressed(words) if name == "socat" else ())]


def _find(words: tuple[Word, ...]) -> list[Danger]:
    """`find` with `-delete`, or with an action that removes or changes what it finds."""
    texts = [word.text for word in words]
    start = next((at for at, text in enumerate(texts) if text not in ("-H", "-L", "-P")), len(texts))
    end = next((at for at in range(start, len(texts)) if texts[at][:1] in ("-", "(", "!")), len(texts))
    roots = list(words[start:end]) or [Word(".")]
    harm = Harm.FILTERED if leaves_out(words) else Harm.REMOVES
    if "-delete" in texts:
        return [Danger(harm, root) for root in roots]
    first = next(
        (at for at, text in enumerate(texts) if text in ("-exec", "-execdir", "-ok", "-okdir")), len(texts)
    )
    rest = [base_name(one) for text in texts[first + 1 :] for one in text.split()]
    if any(one in _REMOVERS for one in rest):
        return [Danger(harm, root) for root in roots]
    if any(one in _RIGHTS for one in rest):
        return [Danger(Harm.RIGHTS, root) for root in roots if harm is Harm.REMOVES]
    return []


def _operands(words: tuple[Word, ...]) -> list[Word]:
    found: list[Word] = []
    for at, word in enumerate(words):
        if word.text == "--":
            return [*found, *words[at + 1 :]]
        if not word.text.startswith("-") or word.text == "-":
            found.append(word)
    return found


def _has(words: tuple[Word, ...], letters: str, long: str) -> bool:
    """Whether a flag is given, short, bundled, long or abbreviated."""
    for word in words:
        text = word.text
        if text == "--":
            return False
        if text.startswith("--"):
            if len(text) > 3 and long.startswith(text):
                return True
        elif text.startswith("-") and any(letter in text for letter in letters):
            return True
    return False


def _after(prefix: str, word: Word) -> Word | None:
    return word._replace(text=word.text[len(prefix) :]) if word.text.startswith(prefix) else None
