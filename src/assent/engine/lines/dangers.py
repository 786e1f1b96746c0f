"""Find the damage that a command would do to directories, devices and disks."""

import posixpath
import re
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from assent.engine.base.lazy import regex
from assent.engine.lines.command import Command, RedirectAccess
from assent.engine.lines.writes import files_in_addresses, find_changes
from assent.engine.programs.catalog import find_program, formats_disks
from assent.engine.programs.checks.files import has_filter
from assent.engine.programs.program import Damage, DiskUse, Program
from assent.engine.programs.word import UNKNOWN_MARK, Word, base_name, without_version


class Harm(StrEnum):
    """The kind of damage to a path; it decides for which paths the damage is a catastrophe."""

    REMOVES = "removes"
    REMOVES_SOME = "removes a part of"
    MOVES = "moves"
    CHANGES_RIGHTS = "changes the rights of"
    OVERWRITES = "overwrites"
    TRUNCATES = "truncates"
    APPENDS = "appends to"
    UNPACKS = "unpacks over"


class Danger(NamedTuple):
    """A path that a command would damage, and the kind of damage."""

    harm: Harm
    path: Word


class CommandDangers(NamedTuple):
    """All paths that a command would damage, and the reason if the words alone are catastrophic."""

    paths: tuple[Danger, ...] = ()
    catastrophe: str | None = None


_NO_DANGERS = CommandDangers()

_DRIVE = regex(r"[A-Za-z]:[\\/]*\*?")
r"""A drive of Windows, such as `C:\*`."""
_IMAGE_PREFIXES = ("of=", "hof=", "ofs=", "wipe=", "hwipe=", "dest=", "id=0,dest=")
"""Prefixes of words that name the target of a program that copies disk images."""
_STARTED_PROCESS = regex(
    r"(?:\b|_)fork\b|\bspawn\w*\b|\bPopen\b|\bThread\b|\bProcess\b|\b(?:system|exec\w*)\b.*(?:\$0|__file__|argv)"
)
"""A call that starts a process, or the same program again."""
_ENDLESS_LOOP = regex(
    r"\bwhile\W{0,3}(?:1|true|!0|not\s+0|:)\b|\bwhile\s*:|\b(?:fork|spawn)\W*\b(?:while|until)\b"
    r"|\b(?:while|until)\W*(?:os\.)?fork\b|\bfor\s*\(\s*;\s*;\s*\)|\bloop\b|\buntil\W{0,3}(?:0|false)\b"
    r"|\b1\s+while\b|\bitertools\.(?:count|repeat|cycle)\b|\biter\(int,\s*1\)|\bredo\b",
    re.IGNORECASE,
)
_SELF_START = regex(
    r"\bfork\b.{0,40}\bexec\w*\b.{0,40}(?:\$0|\$\^X|__file__|argv)|\bdef\s+(\w+)\b.*\bfork\b.*\b\1\b"
    r"|\bsub\s+(\w+)\b.*\bfork\b.*\b\2\b",
    re.DOTALL,
)
"""Code that starts itself again in each new process."""
_QUOTED = regex(r"\"[^\"$]*\"|'[^'$]*'")
"""A text inside code."""
_KILL_EVERYTHING = "-1"
_REMOVING_DAMAGE = (Damage.REMOVES, Damage.REMOVES_TREES)


def find_dangers(command: Command) -> CommandDangers:
    """Return the damage that one simple command would do."""
    words = command.words
    found = _redirect_dangers(command) if command.redirects else []
    if not words:
        return CommandDangers(tuple(found), _device_reason(found))
    if not found and not _may_be_harmful(words[0].text):
        return _NO_DANGERS
    name = base_name(words[0].text).removesuffix(".exe")
    known = _find_harmful_program(name)
    removes = known.damage in _REMOVING_DAMAGE
    catastrophe = (
        disk_catastrophe(name, words[1:])
        or _drive_reason(known, words[1:])
        or _process_reason(known, words[1:])
    )
    found.extend(_harmed_paths(name, known, words[1:]))
    finds = known.damage is Damage.FOUND_FILES
    whole = [one.path for one in found if finds and one.harm is Harm.REMOVES]
    if any(path.text == UNKNOWN_MARK and not path.listed for path in whole):
        catastrophe = "removes all that is below a directory that is not known"
    harmed = [one.harm for one in found if one.path.listed]
    if command.listing_roots is not None and (
        removes or {Harm.REMOVES, Harm.CHANGES_RIGHTS}.intersection(harmed)
    ):
        found.extend(Danger(Harm.REMOVES_SOME, root) for root in (command.listing_roots if harmed else ()))
    # If all files are listed, removing each of them removes everything, even without the directories.
    deep = "*" if Harm.REMOVES in harmed else "**"
    swept = [one for one in command.complete_listing if one.text.endswith(deep)] if removes and harmed else []
    found.extend(Danger(Harm.REMOVES, one) for one in swept)
    return CommandDangers(tuple(found), catastrophe or _device_reason(found))


def _redirect_dangers(command: Command) -> list[Danger]:
    """The files that the redirections of a command truncate or append to."""
    return [
        Danger(Harm.APPENDS if redirect.appends else Harm.TRUNCATES, redirect.target)
        for redirect in command.redirects
        if redirect.access is RedirectAccess.WRITE
    ]


def _find_harmful_program(name: str) -> Program:
    """The entry of a program; `python3.12` has that of `python`."""
    known = find_program(name)
    plain = find_program(without_version(name))
    return plain if plain.is_interpreter else known


@lru_cache(maxsize=4096)
def _may_be_harmful(program: str) -> bool:
    """Whether the catalog lists damage that the program can do."""
    name = base_name(program).removesuffix(".exe")
    known = _find_harmful_program(name)
    damages = (
        known.damage is not None or known.is_interpreter or known.image is not None or known.disk is not None
    )
    return damages or formats_disks(name)


def _device_reason(found: list[Danger]) -> str | None:
    """The reason why writing to a device is a catastrophe; None if no path is a device."""
    hit = next((one for one in found if is_device(one.path.text)), None)
    return None if hit is None else f"writes to the device {hit.path.text}"


def _drive_reason(known: Program, words: tuple[Word, ...]) -> str | None:
    """Why the command is a catastrophe for a drive of Windows; None if it removes or formats no drive."""
    if known.damage not in (*_REMOVING_DAMAGE, Damage.REMOVES_DRIVES, Damage.FORMATS):
        return None
    drives = [word.text for word in words if _DRIVE.fullmatch(word.text)]
    verb = "formats" if known.damage is Damage.FORMATS else "removes"
    return f"{verb} the drive {drives[0]}" if drives else None


def _process_reason(known: Program, words: tuple[Word, ...]) -> str | None:
    """Why the command ends every process, or starts processes without end; None if it does not."""
    texts = [word.text for word in words]
    if known.damage is Damage.SIGNALS:
        targets = texts[texts.index("--") + 1 :] if "--" in texts else texts[1:]
        return "ends every process" if _KILL_EVERYTHING in targets else None
    if not known.is_interpreter:
        return None
    for code in (_QUOTED.sub('""', text) for text in texts if " " in text or "(" in text):
        if _SELF_START.search(code) or (_STARTED_PROCESS.search(code) and _ENDLESS_LOOP.search(code)):
            return "starts processes without end"
    return None


def _harmed_paths(name: str, known: Program, words: tuple[Word, ...]) -> list[Danger]:
    """The operands that the program damages, each with the kind of damage."""
    operands = _operand_words(words)
    images = [Danger(Harm.TRUNCATES, path) for path in _image_targets(known.image, words, operands)]
    match known.damage:
        case Damage.FOUND_FILES:
            return _dangers_of_find(words)
        case Damage.REMOVES | Damage.REMOVES_TREES:
            recursive = known.damage is Damage.REMOVES_TREES or _has_flag(words, "rR", "--recursive")
            return [Danger(Harm.REMOVES if recursive else Harm.OVERWRITES, path) for path in operands]
        case Damage.RIGHTS if _has_flag(words, "R", "--recursive") or any(word.listed for word in operands):
            return [Danger(Harm.CHANGES_RIGHTS, path) for path in operands]
        case Damage.TRASH:
            removes = [word.text for word in operands[:1]] in (["trash"], ["remove"])
            return [Danger(Harm.REMOVES, path) for path in operands[1:] if removes]
        case Damage.MOVES:
            return _move_dangers(words, operands)
        case Damage.SUBVOLUMES if "delete" in [word.text for word in operands]:
            return [Danger(Harm.REMOVES, path) for path in operands]
        case Damage.SYNCHRONIZES if any(word.text.startswith("--del") for word in words):
            return [Danger(Harm.REMOVES, path) for path in operands[-1:]]
        case Damage.UNPACKS | Damage.SYNCHRONIZES:
            found = find_changes((Word(name), *words))
            return [] if found is None else [Danger(Harm.UNPACKS, path) for path in found.paths]
        case Damage.TRUNCATES:
            return [Danger(Harm.TRUNCATES, path) for path in operands]
        case Damage.COPIES:
            return [Danger(_harm_of_copy(operands[:-1]), path) for path in operands[-1:]]
        case Damage.OVERWRITES:
            harm = Harm.APPENDS if _has_flag(words, "a", "--append") else Harm.OVERWRITES
            return [Danger(harm, path) for path in operands]
        case _:  # The program writes disk images, or damages nothing with these words.
            return images


def _move_dangers(words: tuple[Word, ...], operands: list[Word]) -> list[Danger]:
    """The paths that `mv` moves away and the path that it overwrites."""
    target = any(word.text.startswith(("-t", "--target-directory")) for word in words)
    moved = [Danger(Harm.MOVES, path) for path in (operands if target else operands[:-1])]
    return moved if target else [*moved, *(Danger(Harm.OVERWRITES, path) for path in operands[-1:])]


def _harm_of_copy(sources: list[Word]) -> Harm:
    """The kind of damage that a copy of these sources does to its target."""
    if any(word.text.endswith(("/.", "/*")) for word in sources):
        return Harm.UNPACKS
    return Harm.TRUNCATES if [word.text for word in sources[:1]] == ["/dev/null"] else Harm.OVERWRITES


def _image_targets(image: str | None, words: tuple[Word, ...], operands: list[Word]) -> list[Word]:
    """The targets to which a program copies whole disk images."""
    if image is None:
        return []
    options, _, position = image.partition("#")
    assigned = [
        path
        for word in words
        for prefix in _IMAGE_PREFIXES
        if (path := _remove_prefix(prefix, word)) is not None
    ]
    valued = [words[at + 1] for at in range(len(words) - 1) if words[at].text in options.split()]
    placed: list[Word] = []
    match position:
        case "*":
            placed = operands
        case "2":
            placed = operands[1:2]
        case "last":
            placed = operands[1:][-1:]
        case "address":
            placed = [*operands[1:][-1:], *files_in_addresses(words)]
        case "command":
            copies = bool(words) and words[0].text in ("convert", "create", "dd")
            placed = operands[1:][-1:] if copies else []
        case _:  # No operand names the disk.
            pass
    return [*assigned, *valued, *placed]


def _dangers_of_find(words: tuple[Word, ...]) -> list[Danger]:
    """The directories in which `find` deletes or changes files, by `-delete` or `-exec`."""
    texts = [word.text for word in words]
    start = next((at for at, text in enumerate(texts) if text not in ("-H", "-L", "-P")), len(texts))
    end = next((at for at in range(start, len(texts)) if texts[at][:1] in ("-", "(", "!")), len(texts))
    roots = list(words[start:end]) or [Word(".")]
    harm = Harm.REMOVES_SOME if has_filter(words) else Harm.REMOVES
    if "-delete" in texts:
        return [Danger(harm, root) for root in roots]
    first = next(
        (at for at, text in enumerate(texts) if text in ("-exec", "-execdir", "-ok", "-okdir")), len(texts)
    )
    rest = [base_name(one) for text in texts[first + 1 :] for one in text.split()]
    if any(find_program(one).damage in _REMOVING_DAMAGE for one in rest):
        return [Danger(harm, root) for root in roots]
    if any(find_program(one).damage is Damage.RIGHTS for one in rest):
        return [Danger(Harm.CHANGES_RIGHTS, root) for root in roots if harm is Harm.REMOVES]
    return []


def _operand_words(words: tuple[Word, ...]) -> list[Word]:
    """The words that are no options, and all words after `--`."""
    found: list[Word] = []
    for at, word in enumerate(words):
        if word.text == "--":
            return [*found, *words[at + 1 :]]
        if not word.text.startswith("-") or word.text == "-":
            found.append(word)
    return found


def _has_flag(words: tuple[Word, ...], letters: str, long: str) -> bool:
    """Whether a flag is among the words: short, in a bundle, long or abbreviated."""
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


def _remove_prefix(prefix: str, word: Word) -> Word | None:
    """The word without the prefix; None if the word does not start with the prefix."""
    return word._replace(text=word.text[len(prefix) :]) if word.text.startswith(prefix) else None


_DEVICE = regex(
    r"/dev/(?:r?(?:sd|hd|vd|xvd|wd|ad|ada|da|disk)[a-z*?\[\d\0]|\0|nvme|mmcblk|dm-|mapper/|md\d|md/|disk/|nbd\d|zd\d"
    r"|pmem|kmem|mem$|port$)|/proc/sysrq-trigger$"
)
"""Paths of disks, partitions and memory devices."""


def is_device(path: str) -> bool:
    """Whether a path names a disk, a partition or the machine's memory."""
    return path.startswith("/") and _DEVICE.match("/" + posixpath.normpath(path).lstrip("/")) is not None


def disk_catastrophe(name: str, words: tuple[Word, ...]) -> str | None:
    """Why a formatting, partitioning or volume tool destroys a disk; None if it does not."""
    texts = [word.text for word in words]
    devices = [text for text in texts if is_device(text)]
    disk = find_program(name).disk or _NO_DISK
    if formats_disks(name):
        return _format_catastrophe(disk, texts, devices)
    if disk.shows is not None and devices and not _only_prints_partitions(disk.shows, disk.beside, texts):
        return f"changes the partitions of {devices[0]}"
    if disk.destroys == "":
        return f"removes volumes ({name})"
    if disk.destroys and any(_option_spellings(text) & {*disk.destroys.split()} for text in texts):
        return f"destroys a volume or a disk ({name})"
    return None


def _format_catastrophe(disk: DiskUse, texts: list[str], devices: list[str]) -> str | None:
    """Why a program that formats disks destroys data; None if it only inspects a disk or formats a file."""
    if disk.wipes and _only_inspects_disk(disk.wipes.split(), texts):
        return None
    if devices:
        return f"formats or wipes {devices[0]}"
    unknown = any(text.startswith(UNKNOWN_MARK) for text in texts)
    return "formats or wipes something that is not known" if unknown else None


def _only_prints_partitions(words: str, beside: str | None, texts: list[str]) -> bool:
    """Whether a partition tool only prints information, and has no words that may change the disk."""
    shows = words.split()
    if not any(text in shows for text in texts):
        return False
    if beside is None:
        return True
    harmless = {*shows, *beside.split()}
    # Some tools use plain words as commands, others use flags; an unknown word may be either.
    plain = not shows[0].startswith("-")
    told = [text for text in texts if plain or text.startswith(("-", UNKNOWN_MARK))]
    return all(text.isdecimal() or is_device(text) or _option_name(text) in harmless for text in told)


def _option_name(text: str) -> str:
    """The name of an option without its value."""
    return text.partition("=")[0]


def _option_spellings(text: str) -> set[str]:
    """The spellings under which the table may list a word: in lower case without value, or its first flag."""
    return {_option_name(text).casefold(), text[:2]}


def _only_inspects_disk(flags: list[str], texts: list[str]) -> bool:
    """Whether a tool is called without the flags that make it write."""
    if any(UNKNOWN_MARK in text for text in texts):
        return False
    short = "".join(text[1:] for text in texts if text[:1] == "-" and text[:2] != "--")
    long = [text for text in texts if text[:2] == "--"]
    return not any(flag in short if len(flag) == 1 else any(map(flag.startswith, long)) for flag in flags)


_NO_DISK = DiskUse()
