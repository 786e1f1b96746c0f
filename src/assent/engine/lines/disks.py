"""Tools that format, partition and wipe disks, and the words with which they only look."""

import posixpath

from assent.engine.programs.word import HOLE, Word
from assent.engine.regex import regex

_DEVICE = regex(
    r"/dev/(?:r?(?:sd|hd|vd|xvd|wd|ad|ada|da|disk)[a-z*?\[\d\0]|\0|nvme|mmcblk|dm-|mapper/|md\d|md/|disk/|nbd\d|zd\d"
    r"|pmem|kmem|mem$|port$)"
)
_FORMATS = ("mkfs", "newfs", "mke2fs", "mkswap", "mkntfs", "mkdosfs", "wipefs", "blkdiscard", "badblocks")
PARTITIONS = {
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
_BESIDES = {
    "sfdisk": "-o --output -q --quiet -u --bytes --color",
    "sgdisk": "-L --list-types -D --display-alignment -F -f -E",
    "parted": "-s --script -m --machine -a unit free all devices list s B kB MB GB TB KiB MiB GiB TiB %",
    "partx": "-g --noheadings -o --output -r --raw -P --pairs -b --bytes -n --nr -t --type -v --verbose",
}
"""Of those that do several things in one go, the words that may stand beside."""
VOLUMES = {
    "lvremove": "", "vgremove": "", "pvremove": "", "pvcreate": "", "lvreduce": "",
    "dmsetup": "remove remove_all wipe_table clear", "cryptsetup": "luksformat erase lukserase reencrypt",
    "zpool": "destroy labelclear", "zfs": "destroy", "nvme": "format sanitize",
    "mdadm": "--zero-superblock --stop --remove --create --build -C -B -S",
    "hdparm": "--security-erase --security-erase-enhanced --trim-sector-ranges",
    "diskutil": "erasedisk erasevolume partitiondisk reformat zerodisk randomdisk secureerase deletecontainer"
    " deletevolume",
    "gpart": "destroy delete", "camcontrol": "format sanitize security",
}  # fmt: skip
_WIPES = {"wipefs": ("a", "o", "--all", "--offset"), "badblocks": ("w", "n")}
"""Tools that only look unless they get one of these."""


def is_device(path: str) -> bool:
    """Whether a path names a disk, a partition or the machine's memory."""
    return path.startswith("/") and _DEVICE.match("/" + posixpath.normpath(path).lstrip("/")) is not None


def formats(name: str) -> bool:
    """Whether a program makes file systems, or wipes what was there."""
    return name.startswith(_FORMATS)


def on_disk(name: str, words: tuple[Word, ...]) -> str | None:
    """Formatting, partitioning and volume tools."""
    texts = [word.text for word in words]
    devices = [text for text in texts if is_device(text)]
    if formats(name) and _only_looks(name, texts):
        return None
    if formats(name) and devices:
        return f"formats or wipes {devices[0]}"
    if formats(name) and any(word.text.startswith(HOLE) for word in words):
        return "formats or wipes something that is not known"
    if name in PARTITIONS and devices and not _only_shows(name, texts):
        return f"changes the partitions of {devices[0]}"
    if name in VOLUMES and VOLUMES[name] == "":
        return f"removes volumes ({name})"
    if name in VOLUMES and any(_spellings(text) & {*VOLUMES[name].split()} for text in texts):
        return f"destroys a volume or a disk ({name})"
    return None


def _only_shows(name: str, texts: list[str]) -> bool:
    """Whether a partition tool is told to show something, and nothing besides that it might change."""
    shows = PARTITIONS[name].split()
    if not any(text in shows for text in texts):
        return False
    if name not in _BESIDES:
        return True
    harmless = {*shows, *_BESIDES[name].split()}
    # `parted` is told by plain words, the others by flags; what is not known may be either.
    told = [text for text in texts if name == "parted" or text.startswith(("-", HOLE))]
    return all(text.isdecimal() or is_device(text) or _name(text) in harmless for text in told)


def _name(text: str) -> str:
    return text.partition("=")[0]


def _spellings(text: str) -> set[str]:
    """How a word may be listed: whatever its case, without its value, or as the first flag of several."""
    return {_name(text).casefold(), text[:2]}


def _only_looks(name: str, texts: list[str]) -> bool:
    """`wipefs` and `badblocks` without the flag that makes them write."""
    writes = _WIPES.get(name)
    if writes is None or any(HOLE in text for text in texts):
        return False
    short = "".join(text[1:] for text in texts if text[:1] == "-" and text[:2] != "--")
    long = [text for text in texts if text[:2] == "--"]
    return not any(flag in short if len(flag) == 1 else any(map(flag.startswith, long)) for flag in writes)
