"""What a PowerShell command would do to whole trees, disks and the registry."""

import ntpath
import re

from assent.engine.globs import parse_glob
from assent.engine.powershell import cmdlets, places
from assent.engine.powershell.aliases import NATIVE_ELSEWHERE
from assent.engine.powershell.cmdlets import Given
from assent.engine.powershell.readonly import native
from assent.engine.regex import regex
from assent.engine.shell import dangers as other
from assent.engine.shell.command import HOLE, Access, Command, Word, base_name
from assent.engine.shell.dangers import Danger, Dangers, Harm

_DISK_COMMANDS = {
    "Format-Volume": "formats a volume",
    "Clear-Disk": "wipes a disk",
    "Initialize-Disk": "initializes a disk",
    "New-Partition": "changes the partitions of a disk",
    "Set-Partition": "changes the partitions of a disk",
    "Resize-Partition": "changes the partitions of a disk",
    "Remove-Partition": "removes a partition",
    "Reset-PhysicalDisk": "resets a disk",
    "Remove-PhysicalDisk": "removes a disk",
    "Remove-VirtualDisk": "removes a disk",
    "Remove-StoragePool": "removes a storage pool",
}
_SYSTEM = frozenset(
    [
        *"windows users boot recovery perflogs programdata winnt $recycle.bin efi".split(),
        *("program files", "program files (x86)", "system volume information", "documents and settings"),
    ]
)
"""Directories of a drive's root that a machine or its users cannot do without."""

_HIVES = regex(
    r"(?:registry::|microsoft\.powershell\.core\\registry::)?"
    r"(?:hk(?:lm|cu|cr|u|cc):?|hkey_(?:local_machine|current_user|classes_root|users|current_config):?)"
    r"(?:\\+[^\\]+)?\\*"
)
_DEVICE = regex(r"\\\\[.?]\\(?:physicaldrive|harddisk|[a-z]:$|volume\{|globalroot)", re.IGNORECASE)
_SYSTEM_FILE = regex(r"[a-z]:\\(?:windows\\(?!temp\\)|boot\\|efi\\)")
_DRIVE = regex(r"[a-z]:\\?")
_DISPLAYS = frozenset({"/?", "-?", "/enum", "/v"})


def dangers(command: Command) -> Dangers:
    """What the words of one simple command endanger."""
    found = [
        Danger(Harm.OVERWRITES if redirect.appends else Harm.TRUNCATES, redirect.target)
        for redirect in command.redirects
        if redirect.access is Access.WRITE
    ]
    if not command.words:
        return Dangers(tuple(found), _written_system(found))
    cmdlet = cmdlets.find(command.program)
    given = None if cmdlet is None else cmdlets.bind(cmdlet, command.words[1:])
    if cmdlet is not None and given is not None and not cmdlets.is_on(given, "WhatIf"):
        found.extend(_paths(cmdlet.name, given))
    if cmdlet is None or command.program.lower() in NATIVE_ELSEWHERE:
        plain = native(command.words)
        if plain is not None:
            found.extend(other.dangers(command._replace(words=plain, redirects=())).paths)
    return Dangers(tuple(found), catastrophe(command) or _written_system(found))


def catastrophe(command: Command) -> str | None:
    """Why a command is a catastrophe by its words alone, or None."""
    words = command.words
    name = cmdlets.spelled(words[0].text)
    cmdlet = cmdlets.find(name)
    given = None if cmdlet is None else cmdlets.bind(cmdlet, words[1:])
    if given is not None and cmdlets.is_on(given, "WhatIf"):
        return None
    if any(word.text.lower() in ("-whatif", "-wi") for word in words[1:]):
        return None
    if name in _DISK_COMMANDS:
        return _DISK_COMMANDS[name]
    if name in ("Remove-Item", "Move-Item", "Rename-Item"):
        return _on_root(name, command, given)
    plain = base_name(name).lower()
    return _by_program(plain.removesuffix(".exe").removesuffix(".com"), command)


def _paths(name: str, given: tuple[Given, ...]) -> list[Danger]:
    """The paths that a command removes, moves or overwrites."""
    found: list[Danger] = []
    filtered = any(item.parameter.name in ("Include", "Exclude", "Filter") for item in given)
    for item in given:
        harm = Harm.OVERWRITES
        if item.parameter.kind == "~" and name != "Remove-Item":
            harm = Harm.MOVES
        elif item.parameter.kind == "~" and cmdlets.is_on(given, "Recurse"):
            harm = Harm.FILTERED if filtered else Harm.REMOVES
        elif item.parameter.kind == ">" and name in ("Clear-Content", "Set-Content", "Out-File"):
            harm = Harm.OVERWRITES if cmdlets.is_on(given, "Append") else Harm.TRUNCATES
        if item.parameter.kind in ("~", ">"):
            found.extend(Danger(harm, places.as_file(value) or value) for value in item.values)
            deep = [value._replace(text=value.text[:-1]) for value in item.values if _is_deep(value)]
            found.extend(Danger(Harm.FILTERED, value) for value in deep)
    return found


def _on_root(name: str, command: Command, given: tuple[Given, ...] | None) -> str | None:
    """Removing or moving a drive, what the system lives in, or a hive of the registry."""
    verb = "removes" if name == "Remove-Item" else "moves"
    if given is None:
        operands = [word for word in command.words[1:] if not word.text.startswith("-") or word.quoted]
        recursive = any(_looks_recursive(word) for word in command.words[1:])
    else:
        operands = [value for item in given if item.parameter.kind == "~" for value in item.values]
        recursive = cmdlets.is_on(given, "Recurse") or any(map(_is_deep, operands))
    if verb == "removes" and not recursive:
        return None
    return _first_root(verb, operands, command.directories)


def _is_deep(word: Word) -> bool:
    """Whether a word stands for all that a listing found, however far below."""
    return word.listed and word.text.find(HOLE) == len(word.text) - 1


def _looks_recursive(word: Word) -> bool:
    """`-r`, `-Recurse`, `-rf`, `/s`: recursion in any of the languages that share these names."""
    return (
        re.fullmatch(r"-r(?:e(?:c(?:u(?:r(?:s(?:e)?)?)?)?)?)?:?|-[a-z]*r[a-z]*|/s", word.text.lower())
        is not None
    )


def _first_root(verb: str, operands: list[Word], directories: tuple[str, ...]) -> str | None:
    for word in operands:
        for directory in directories:
            if (where := _root(word, directory)) is not None:
                return f"{verb} {where}"
    return None


def _root(word: Word, directory: str) -> str | None:
    """Which root of Windows a path is, if what is unknown in it were empty."""
    text = word.text.replace(HOLE, "*")
    path = word.text.lower().replace("/", "\\").replace(HOLE, "")
    base = directory.lower().replace("/", "\\")
    if re.match(r"[a-z]+:", base) and not re.match(r"[a-z]+:|\\|~", path):
        path = f"{base}\\{path}"
    elif not path:
        return None
    if word.tilde and _emptied(path) == "~":
        return "the home directory"
    if _HIVES.fullmatch(_emptied(path)) is not None:
        return f"`{text}`, a root of the registry"
    if _DEVICE.match(path):
        return f"the device `{text}`"
    path = _emptied(re.sub(r"^\\\\[.?]\\(?=[a-z]:)", "", path))
    return f"`{text}`" if _is_root(path) else None


def _emptied(path: str) -> str:
    """A path without last components that match everything."""
    path = ntpath.normpath(path)
    while re.search(r"\\[*?.]+$", path) and not path.endswith(".."):
        path = path.rpartition("\\")[0]
    return path.rstrip("\\")


def _is_root(path: str) -> bool:
    drive, rest = ntpath.splitdrive(path)
    if not drive:
        return False
    parts = [part for part in rest.split("\\") if part]
    if not parts:
        return True
    if len(parts) == 1:
        pattern = parse_glob(parts[0])
        return any(pattern.matches(name) for name in _SYSTEM)
    return len(parts) == 2 and (
        parts[0] == "users" or parts in (["windows", "system32"], ["windows", "syswow64"])
    )


def _written_system(found: list[Danger]) -> str | None:
    """Overwriting a device, or a file that Windows lives in."""
    for danger in found:
        path = ntpath.normpath(danger.path.text.lower().replace("/", "\\"))
        if _DEVICE.match(path):
            return f"writes to the device `{danger.path.text}`"
        if danger.harm in (Harm.TRUNCATES, Harm.OVERWRITES) and _SYSTEM_FILE.match(path):
            return f"overwrites the system file `{danger.path.text}`"
    return None


def _by_program(name: str, command: Command) -> str | None:
    """Programs of Windows that wipe disks, backups, rights or trees."""
    words = command.words[1:]
    texts = [word.text.lower() for word in words]
    if _DISPLAYS.intersection(texts[:1]):
        return None
    match name:
        case "diskpart":
            return "changes the partitions of a disk"
        case "format" if any(_DRIVE.fullmatch(text) or text.startswith("\\\\?\\volume") for text in texts):
            return "formats a volume"
        case "cipher" if any(text.startswith("/w") for text in texts):
            return "wipes the free space of a volume"
        case "vssadmin" if texts[:1] == ["delete"] or texts[:1] == ["resize"]:
            return "removes the backups of a volume"
        case "wbadmin" if texts[:1] == ["delete"]:
            return "removes the backups of the machine"
        case "wmic" if "delete" in texts and {"shadowcopy", "volume", "logicaldisk"}.intersection(texts):
            return "removes the backups of a volume"
        case "bcdedit" if texts:
            return "changes how the machine starts"
        case "reg" if texts[:1] == ["delete"]:
            return _first_root("removes", list(words[1:2]), ("",))
        case "takeown" | "icacls" | "cacls" if {"/r", "/t"}.intersection(texts):
            return _first_root("changes the rights of", list(words), command.directories)
        case "robocopy" if {"/mir", "/purge"}.intersection(texts):
            return _first_root("empties", list(words[1:2]), command.directories)
        case _:
            return None
