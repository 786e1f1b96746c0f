"""Find what a PowerShell command endangers: directory trees, disks and the registry."""

import ntpath
import re

from assent.engine.base.globs import parse_glob
from assent.engine.base.lazy import regex
from assent.engine.lines import dangers as programs
from assent.engine.lines.command import Command, RedirectAccess
from assent.engine.lines.dangers import CommandDangers, Danger, Harm
from assent.engine.powershell import cmdlets, paths
from assent.engine.powershell.cmdlet_table import ALSO_PROGRAMS, ParameterKind
from assent.engine.powershell.cmdlets import Argument
from assent.engine.powershell.file_access import to_program_words
from assent.engine.programs.word import UNKNOWN_MARK, Word, base_name

_SYSTEM_DIRECTORIES = frozenset(
    [
        *"windows users boot recovery perflogs programdata winnt $recycle.bin efi".split(),
        *("program files", "program files (x86)", "system volume information", "documents and settings"),
    ]
)
"""Directories in the root of a drive that the system or its users need."""

_REGISTRY_ROOT = regex(
    r"(?:registry::|microsoft\.powershell\.core\\registry::)?"
    r"(?:hk(?:lm|cu|cr|u|cc):?|hkey_(?:local_machine|current_user|classes_root|users|current_config):?)"
    r"(?:\\+[^\\]+)?\\*"
)
"""A root of the registry."""
_DEVICE = regex(r"\\\\[.?]\\(?:physicaldrive|harddisk|[a-z]:$|volume\{|globalroot)", re.IGNORECASE)
r"""A path of a disk or a volume, such as `\\.\PhysicalDrive0`."""
_SYSTEM_FILE = regex(r"[a-z]:\\(?:windows\\(?!temp\\)|boot\\|efi\\)")
_DRIVE = regex(r"[a-z]:\\?")
_HELP_FLAGS = frozenset({"/?", "-?", "/enum", "/v"})
"""Flags with which a program only prints information."""


def find_dangers(command: Command) -> CommandDangers:
    """Return the damage that one simple command would do."""
    found = [
        Danger(Harm.OVERWRITES if redirect.appends else Harm.TRUNCATES, redirect.target)
        for redirect in command.redirects
        if redirect.access is RedirectAccess.WRITE
    ]
    if not command.words:
        return CommandDangers(tuple(found), _system_file_catastrophe(found))
    cmdlet = cmdlets.find_cmdlet(command.program)
    arguments = None if cmdlet is None else cmdlets.bind_arguments(cmdlet, command.words[1:])
    if cmdlet is not None and arguments is not None and not cmdlets.is_switch_on(arguments, "WhatIf"):
        found.extend(_endangered_paths(cmdlet.name, arguments))
    if cmdlet is None or command.program.lower() in ALSO_PROGRAMS:
        program_words = to_program_words(command.words)
        if program_words is not None:
            found.extend(programs.find_dangers(command._replace(words=program_words, redirects=())).paths)
    return CommandDangers(tuple(found), find_catastrophe(command) or _system_file_catastrophe(found))


def find_catastrophe(command: Command) -> str | None:
    """Why the words of a command alone are a catastrophe; None if they are not."""
    words = command.words
    name = cmdlets.canonical_name(words[0].text)
    cmdlet = cmdlets.find_cmdlet(name)
    arguments = None if cmdlet is None else cmdlets.bind_arguments(cmdlet, words[1:])
    if arguments is not None and cmdlets.is_switch_on(arguments, "WhatIf"):
        return None
    if any(word.text.lower() in ("-whatif", "-wi") for word in words[1:]):
        return None
    if cmdlet is not None and cmdlet.entry.catastrophe:
        return cmdlet.entry.catastrophe
    if name in ("Remove-Item", "Move-Item", "Rename-Item"):
        return _root_catastrophe(name, command, arguments)
    if name == "Stop-Process" and any(word.text == "*" for word in words[1:]):
        return "ends every process"
    program = base_name(name).lower()
    return _program_catastrophe(program.removesuffix(".exe").removesuffix(".com"), command)


def _endangered_paths(name: str, arguments: tuple[Argument, ...]) -> list[Danger]:
    """The paths that a cmdlet removes, moves or overwrites."""
    found: list[Danger] = []
    for argument in arguments:
        if argument.parameter.kind.is_changed_path:
            harm = _harm_of_argument(name, argument, arguments)
            found.extend(Danger(harm, paths.to_file(value) or value) for value in argument.values)
            deep = [
                value._replace(text=value.text[:-1])
                for value in argument.values
                if _is_recursive_listing(value)
            ]
            found.extend(Danger(Harm.REMOVES_SOME, value) for value in deep)
    return found


def _harm_of_argument(name: str, argument: Argument, arguments: tuple[Argument, ...]) -> Harm:
    """The kind of damage that a cmdlet does to the paths of an argument."""
    removed = argument.parameter.kind is ParameterKind.REMOVED_PATH
    if removed and name != "Remove-Item":
        return Harm.MOVES
    if removed and cmdlets.is_switch_on(arguments, "Recurse"):
        filtered = any(one.parameter.name in ("Include", "Exclude", "Filter") for one in arguments)
        return Harm.REMOVES_SOME if filtered else Harm.REMOVES
    if not removed and name in ("Clear-Content", "Set-Content", "Out-File"):
        return Harm.OVERWRITES if cmdlets.is_switch_on(arguments, "Append") else Harm.TRUNCATES
    return Harm.OVERWRITES


def _root_catastrophe(name: str, command: Command, arguments: tuple[Argument, ...] | None) -> str | None:
    """Why removing or moving a drive, a system directory or a root of the registry is a catastrophe."""
    verb = "removes" if name == "Remove-Item" else "moves"
    if arguments is None:
        operands = [word for word in command.words[1:] if not word.text.startswith("-") or word.quoted]
        recursive = any(_looks_recursive(word) for word in command.words[1:])
    else:
        removed = [one for one in arguments if one.parameter.kind is ParameterKind.REMOVED_PATH]
        operands = [value for argument in removed for value in argument.values]
        recursive = cmdlets.is_switch_on(arguments, "Recurse") or any(map(_is_recursive_listing, operands))
    if verb == "removes" and not recursive:
        return None
    return _first_root_reason(verb, operands, command.directories)


def _is_recursive_listing(word: Word) -> bool:
    """Whether a word means everything that a recursive listing found."""
    return word.listed and word.text.find(UNKNOWN_MARK) == len(word.text) - 1


def _looks_recursive(word: Word) -> bool:
    """Whether a word may switch recursion on: `-r`, `-Recurse`, `-rf`, `/s`."""
    return (
        re.fullmatch(r"-r(?:e(?:c(?:u(?:r(?:s(?:e)?)?)?)?)?)?:?|-[a-z]*r[a-z]*|/s", word.text.lower())
        is not None
    )


def _first_root_reason(verb: str, operands: list[Word], directories: tuple[str, ...]) -> str | None:
    """Why the command damages a root of Windows; None if no operand is a root."""
    for word in operands:
        for directory in directories:
            if (where := _describe_root(word, directory)) is not None:
                return f"{verb} {where}"
    return None


def _describe_root(word: Word, directory: str) -> str | None:
    """A description of the root of Windows that a path means, if unknown pieces are empty; otherwise None."""
    text = word.text.replace(UNKNOWN_MARK, "*")
    path = word.text.lower().replace("/", "\\").replace(UNKNOWN_MARK, "")
    base = directory.lower().replace("/", "\\")
    if re.match(r"[a-z]+:", base) and not re.match(r"[a-z]+:|\\|~", path):
        path = f"{base}\\{path}"
    elif not path:
        return None
    if word.tilde and _without_globs(path) == "~":
        return "the home directory"
    if _REGISTRY_ROOT.fullmatch(_without_globs(path)) is not None:
        return f"`{text}`, a root of the registry"
    if _DEVICE.match(path):
        return f"the device `{text}`"
    path = _without_globs(re.sub(r"^\\\\[.?]\\(?=[a-z]:)", "", path))
    return f"`{text}`" if _is_root(path) else None


def _without_globs(path: str) -> str:
    """A path without its last components that match everything."""
    path = ntpath.normpath(path)
    while re.search(r"\\[*?.]+$", path) and not path.endswith(".."):
        path = path.rpartition("\\")[0]
    return path.rstrip("\\")


def _is_root(path: str) -> bool:
    """Whether a path is a drive, a system directory or the directory of a user."""
    drive, rest = ntpath.splitdrive(path)
    if not drive:
        return False
    parts = [part for part in rest.split("\\") if part]
    if not parts:
        return True
    if len(parts) == 1:
        pattern = parse_glob(parts[0])
        return any(pattern.matches(name) for name in _SYSTEM_DIRECTORIES)
    return len(parts) == 2 and (
        parts[0] == "users" or parts in (["windows", "system32"], ["windows", "syswow64"])
    )


def _system_file_catastrophe(found: list[Danger]) -> str | None:
    """Why overwriting a device or a file of Windows is a catastrophe."""
    for danger in found:
        path = ntpath.normpath(danger.path.text.lower().replace("/", "\\"))
        if _DEVICE.match(path):
            return f"writes to the device `{danger.path.text}`"
        if danger.harm in (Harm.TRUNCATES, Harm.OVERWRITES) and _SYSTEM_FILE.match(path):
            return f"overwrites the system file `{danger.path.text}`"
    return None


def _program_catastrophe(name: str, command: Command) -> str | None:
    """Why a program of Windows is a catastrophe: it destroys disks, backups, rights or directory trees."""
    words = command.words[1:]
    texts = [word.text.lower() for word in words]
    if _HELP_FLAGS.intersection(texts[:1]):
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
            return _first_root_reason("removes", list(words[1:2]), ("",))
        case "takeown" | "icacls" | "cacls" if {"/r", "/t"}.intersection(texts):
            return _first_root_reason("changes the rights of", list(words), command.directories)
        case "robocopy" if {"/mir", "/purge"}.intersection(texts):
            return _first_root_reason("empties", list(words[1:2]), command.directories)
        case _:
            return None
