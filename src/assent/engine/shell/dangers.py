"""What a command would do to whole trees and devices: the words of catastrophes."""

import posixpath
from enum import StrEnum
from typing import NamedTuple

from assent.engine.regex import regex
from assent.engine.shell.command import HOLE, Access, Command, Word, base_name
from assent.engine.shell.options import TARS
from assent.engine.shell.outputs import addressed
from assent.engine.shell.writes import written


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

_DEVICE = regex(
    r"/dev/(?:r?(?:sd|hd|vd|xvd|wd|ad|ada|da|disk)[a-z*?\[\d\0]|\0|nvme|mmcblk|dm-|mapper/|md\d|md/|disk/|nbd\d|zd\d"
    r"|pmem|kmem|mem$|port$)"
)
_FORMATS = ("mkfs", "newfs", "mke2fs", "mkswap", "mkntfs", "mkdosfs", "wipefs", "blkdiscard", "badblocks")
_PARTITIONS = {
    "fdisk": "-l --list -s --getsz -V --version -h --help",
    "sfdisk": "-l --list -d --dump -J --json -s --show-size -F --list-free -V --version -h --help",
    "cfdisk": "-V --version -h --help",
    "gdisk": "-l",
    "sgdisk": "-p --print -i --info -v --verify -V --version",
    "parted": "print -l --list -v --version -h --help",
    "partx": "-s --show -l --list",
    "growpart": "--dry-run -N",
}
"""Partition tools, and the words with which they only show."""
_VOLUMES = {
    "lvremove": "", "vgremove": "", "pvremove": "", "lvreduce": "",
    "dmsetup": "remove remove_all wipe_table clear", "cryptsetup": "luksformat erase lukserase reencrypt",
    "zpool": "destroy labelclear", "zfs": "destroy", "mdadm": "--zero-superblock --stop --remove",
    "nvme": "format sanitize", "hdparm": "--security-erase --security-erase-enhanced --trim-sector-ranges",
    "diskutil": "erasedisk erasevolume partitiondisk reformat zerodisk randomdisk secureerase deletecontainer"
    " deletevolume",
    "gpart": "destroy delete", "camcontrol": "format sanitize security",
}  # fmt: skip
_RIGHTS = frozenset("chmod chown chgrp chattr setfacl restorecon chcon".split())
_REMOVERS = frozenset("rm srm grm unlink shred wipe trash rimraf del-cli".split())
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
_HARMFUL = frozenset({"find", "btrfs", "truncate", "tee"}).union(
    _PARTITIONS, _VOLUMES, _RIGHTS, _REMOVERS, _IMAGERS, _UNPACKERS, _MOVERS, _COPIERS
)
"""All programs that are asked about below, besides those that format; most are none of them."""
_FILTERS = regex(
    r"-(?:i?name|i?path|i?regex|i?wholename|[acm]time|[acm]min|newer\w*|size|empty|perm|user|group)$"
)


def dangers(command: Command) -> Dangers:
    """What the words of one simple command endanger."""
    found = [
        Danger(Harm.APPENDS if redirect.appends else Harm.TRUNCATES, redirect.target)
        for redirect in command.redirects
        if redirect.access is Access.WRITE
    ]
    words = command.words
    if not words:
        return Dangers(tuple(found), _to_device(found))
    name = base_name(words[0].text).removesuffix(".exe")
    if not found and name not in _HARMFUL and not name.startswith(_FORMATS):
        return _NONE
    catastrophe = _on_disk(name, words[1:])
    found.extend(_paths(name, words[1:]))
    whole = [one.path for one in found if name == "find" and one.harm is Harm.REMOVES]
    if any(path.text == HOLE and not path.listed for path in whole):
        catastrophe = "removes all that is below a directory that is not known"
    if command.fed is not None and any(
        one.path.listed and one.harm in (Harm.REMOVES, Harm.RIGHTS) for one in found
    ):
        found.extend(Danger(Harm.FILTERED, root) for root in command.fed)
    return Dangers(tuple(found), catastrophe or _to_device(found))


def _to_device(found: list[Danger]) -> str | None:
    hit = next((one for one in found if is_device(one.path.text)), None)
    return None if hit is None else f"writes to the device {hit.path.text}"


def is_device(path: str) -> bool:
    """Whether a path names a disk, a partition or the machine's memory."""
    return path.startswith("/") and _DEVICE.match("/" + posixpath.normpath(path).lstrip("/")) is not None


def _on_disk(name: str, words: tuple[Word, ...]) -> str | None:
    """Formatting, partitioning and volume tools."""
    texts = [word.text for word in words]
    devices = [text for text in texts if is_device(text)]
    if name.startswith(_FORMATS) and devices:
        return f"formats or wipes {devices[0]}"
    if name.startswith(_FORMATS) and any(word.text.startswith(HOLE) for word in words):
        return "formats or wipes something that is not known"
    if name in _PARTITIONS and devices and not any(text in _PARTITIONS[name].split() for text in texts):
        return f"changes the partitions of {devices[0]}"
    if name in _VOLUMES and _VOLUMES[name] == "":
        return f"removes volumes ({name})"
    if name in _VOLUMES and any(
        text.casefold().partition("=")[0] in _VOLUMES[name].split() for text in texts
    ):
        return f"destroys a volume or a disk ({name})"
    return None


def _paths(name: str, words: tuple[Word, ...]) -> list[Danger]:
    operands = _operands(words)
    if name == "find":
        return _find(words)
    if name in _REMOVERS:
        recursive = name in ("rimraf", "del-cli", "trash") or _has(words, "rR", "--recursive")
        return [Danger(Harm.REMOVES if recursive else Harm.OVERWRITES, path) for path in operands]
    if name in _RIGHTS and (_has(words, "R", "--recursive") or any(word.listed for word in operands)):
        return [Danger(Harm.RIGHTS, path) for path in operands]
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
    harm = Harm.FILTERED if any(_FILTERS.match(text) for text in texts) else Harm.REMOVES
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
