"""Breakers: catastrophic calls ask in every mode, whatever the rules allow."""

import posixpath
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from assent.engine.base.facts import CallDirectories, Facts, PathUse, normalize_path
from assent.engine.base.globs import UNKNOWN_MARK
from assent.engine.base.lazy import regex
from assent.engine.base.tool import Effect
from assent.engine.lines.command import RedirectAccess
from assent.engine.lines.dangers import Harm, is_device
from assent.engine.lines.part import EndangeredPath, Part

Breaker = Callable[[Part, Facts], str | None]
"""A custom breaker: a function that returns a reason to ask about a part, or None."""
_SYSTEM_DIRECTORIES = frozenset(
    """bin boot dev etc home lib lib32 lib64 libx32 media mnt opt private proc root run sbin snap srv sys tmp
    usr var users system library applications volumes""".split()
)
"""Directories in the root of the file system."""
_HOME_PARENTS = ("home", "users")
"""Directories that contain the home directories."""
_TEMPORARY_DIRECTORIES = ("/tmp", "/var/tmp", "/private/tmp")
_CRITICAL_FILES = frozenset(
    """passwd shadow group gshadow sudoers fstab crypttab hosts resolv.conf ld.so.preload ld.so.conf
    pam.conf""".split()
)
"""Files and directories below `/etc` without which the machine fails."""
_PRIVILEGE_FILES = frozenset(
    f"/etc/{name}" for name in "passwd shadow group gshadow sudoers ld.so.preload pam.conf".split()
)
"""Files in which one more line can give full rights on the machine."""
_PRIVILEGE_DIRECTORIES = ("/etc/sudoers.d/", "/etc/pam.d/")
_SYSTEM_TREES = frozenset(
    {"", "bin", "boot", "etc", "lib", "lib64", "sbin", "usr", "usr/bin", "usr/lib", "usr/sbin"}
)
"""System directories in which many files must not be overwritten."""
MAX_VALUES = 64
"""The maximal number of values that are tried; the shortest paths are tried first."""
_POSITIONAL_PARAMETER = regex(r"\$\{?[\d@*]")
_VARIABLE = regex(r"\$\{?([A-Za-z_]\w*)")
_PRINTED_VALUE = regex(
    r"(?:\$\(|`)\s*(?:echo|printf|realpath|readlink|dirname)\s+(?:-\w+\s+)*[\"']?([^\s\"'()`$]+)[\"']?\s*(?:\)|`)"
)
"""A substitution that prints a literal value, such as `$(echo /)`."""
_PRINTED_DIRECTORY = regex(r"(?:\$\(|`)\s*(?:git\s+rev-parse\s+--show-(?:toplevel|cdup)|pwd)\b")
"""A substitution that prints the current directory or the root of the repository."""
_DEVICE_NAME = regex(r"DEV|DISK|DRIVE|PARTITION", re.IGNORECASE)
"""Words in the names of variables that contain the path of a device."""
_IMAGE_COPY = regex(r"\b(?:dd|dcfldd|dc3dd)\b.*\bof=[\"']?\$\{?([A-Za-z_]\w*|[\d@*])", re.DOTALL)
"""A command that copies a disk image to a variable target; its group is the variable."""
_FILE_VARIABLE_NAME = regex(
    r"FILE|OUT|IMG|IMAGE|DEST|TARGET|TE?MP|PATH|DIR|NAME|LOG|BACKUP|BIN|SWAP|DUMP", re.IGNORECASE
)
"""Words in the names of variables that contain the path of a new file."""
_READING_BUILTINS = ("read", "mapfile", "readarray")
_EXAMPLE_DEVICE = "/dev/sda"


class TrippedBreaker(NamedTuple):
    """The reason of a tripped breaker, and the part that tripped it."""

    reason: str
    part: Part


def find_tripped_breaker(
    parts: Sequence[Part], effect: Effect, facts: Facts, custom: Sequence[Breaker] = ()
) -> TrippedBreaker | None:
    """The first breaker that one of the parts trips, built-in or custom; None if there is none."""
    values = KnownValues(parts)
    harmless: set[EndangeredPath] = set()
    for part in parts:
        reason = _find_catastrophe_reason(
            part, effect, facts, harmless
        ) or _find_catastrophe_reason_with_values(part, values, facts)
        for breaker in custom:
            reason = reason or breaker(part, facts)
        if reason is not None:
            return TrippedBreaker(reason, part)
    return None


class KnownValues:
    """The literal values in a line that its unknown words may have."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = parts

    def values_for_part(self, part: Part) -> list[str]:
        """The values that unknown words of a part may have.

        Only paths that may be roots or system files are returned.
        """
        texts = [part.text, *self._outer_texts.get(id(part), ())]
        found = [value for text in texts for value in _find_printed_values(text)]
        names = {name for text in texts for name in _VARIABLE.findall(text)}
        if any(map(_DEVICE_NAME.search, names)) or any(map(_copies_to_unknown_target, texts)):
            found.append(_EXAMPLE_DEVICE)
        found.extend(self._parameter_values)
        for setter in (setter for name in names for setter in self._parts_by_variable.get(name, ())):
            found.extend(_find_printed_values(setter.text))
            found.extend(self._input_words if _reads_variables(setter) else ())
        likely = {value for value in found if value[:1] in ("/", "~", ".")}
        return sorted(likely, key=lambda value: (value.count("/"), len(value), value))[:MAX_VALUES]

    @cached_property
    def _outer_texts(self) -> dict[int, list[str]]:
        """The texts of the outer parts, by the id of each nested part."""
        found: dict[int, list[str]] = {}
        for part in self.parts:
            for inner in _iterate_nested(part):
                found.setdefault(id(inner), []).append(part.text)
        return found

    @cached_property
    def _parameter_values(self) -> list[str]:
        """The arguments of function calls and of `set`, if the line uses positional parameters."""
        if not any(_POSITIONAL_PARAMETER.search(part.text) for part in self.parts):
            return []
        commands = [part.command for part in self.parts if part.command is not None]
        called = [command for command in commands if command.is_function_call or command.program == "set"]
        return [word.text for command in called for word in command.words[1:]]

    @cached_property
    def _parts_by_variable(self) -> dict[str, list[Part]]:
        """For each variable, the parts that assign it or read a value into it."""
        found: dict[str, list[Part]] = {}
        for part in self.parts:
            command = part.command
            names = [] if command is None else [one.name for one in command.assignments]
            if command is not None and _reads_variables(part):
                names.extend(word.text for word in command.words[1:])
            for name in names:
                found.setdefault(name, []).append(part)
        return found

    @cached_property
    def _input_words(self) -> list[str]:
        """The words that the line itself writes to the input of a command."""
        commands = [part.command for part in self.parts if part.command is not None]
        here = [
            one.target.text
            for command in commands
            for one in command.redirects
            if one.access is RedirectAccess.TEXT
        ]
        given = [word.text for command in commands for word in command.input_words or ()]
        return [value for text in (*here, *given) for value in text.split()]


def _find_catastrophe_reason(
    part: Part, effect: Effect, facts: Facts, harmless: set[EndangeredPath]
) -> str | None:
    """Why a part is a catastrophe.

    Dangers are added to `harmless` once they are checked, and are not checked again.
    """
    if part.fork_bomb:
        if part.fork_bomb == "while":
            return "a loop starts processes without end"
        return f"the function `{part.fork_bomb}` starts itself without end"
    if part.catastrophe is not None:
        return part.catastrophe
    for danger in part.endangered_paths:
        if danger not in harmless and (reason := _find_danger_reason(danger, facts)) is not None:
            return reason
        harmless.add(danger)
    if part.path is not None and effect is not Effect.READ:
        where = _find_root(part.path, facts, workspace=True)
        return None if where is None else f"changes {where}"
    return None


def _find_catastrophe_reason_with_values(part: Part, values: KnownValues, facts: Facts) -> str | None:
    """Why a part is a catastrophe if its unknown words have one of the literal values in the line."""
    open_ended = [danger for danger in part.endangered_paths if UNKNOWN_MARK in danger.use.text]
    for text in values.values_for_part(part) if open_ended else ():
        for harm, use in open_ended:
            tilde = use.tilde or (text.startswith("~") and use.text.startswith(UNKNOWN_MARK))
            filled = use._replace(text=use.text.replace(UNKNOWN_MARK, text), tilde=tilde, if_unset="")
            if (reason := _find_danger_reason(EndangeredPath(harm, filled), facts)) is not None:
                return reason
    return None


def _find_danger_reason(danger: EndangeredPath, facts: Facts) -> str | None:
    """Why the damage to one path is a catastrophe; None if it is not."""
    harm, use = danger
    paths = _written_and_real_paths(use, facts)
    if (
        harm is not Harm.CHANGES_RIGHTS
        and (device := next(filter(is_device, (use.text, *paths)), None)) is not None
    ):
        return f"writes to the device {device}"
    match harm:
        case Harm.REMOVES:
            emptied = [_without_globs(path) for path in paths] if use.glob else paths
            where = _find_root(use, facts, workspace=True) or _find_system_directory(emptied)
        case Harm.MOVES:
            where = _find_root(use, facts, workspace=not use.glob) or _find_system_file(paths, any_file=False)
        case Harm.CHANGES_RIGHTS:
            where = _find_root(use, facts, workspace=False)
        case Harm.REMOVES_SOME:
            where = "the whole file system" if set(map(_without_globs, paths)) == {"/"} else None
        case Harm.TRUNCATES | Harm.OVERWRITES:
            where = _find_system_file(paths, any_file=harm is Harm.TRUNCATES)
        case Harm.APPENDS:
            where = _find_privilege_file(paths)
        case Harm.UNPACKS:
            where = _find_system_tree(paths) or _find_system_file(paths, any_file=False)
    return None if where is None else f"{harm} {where}"


def _find_root(use: PathUse, facts: Facts, *, workspace: bool) -> str | None:
    """A description of the root that a path means; None for other paths.

    Roots are the file system, system directories, homes and, with `workspace`, the workspace.
    """
    if use.to_absolute_path(facts.directories) is None:
        return _find_unknown_root(use)
    if use.directory.endswith("/.") and not facts.real.get(
        use._replace(text="").to_absolute_path(facts.directories) or ""
    ):
        # If the change of directory fails, the command runs in the directory in which the line started.
        use = use._replace(directory="")
    for path in _written_and_real_paths(use, facts):
        emptied = _without_globs(path) if use.glob else path
        where = _describe_root(
            emptied, facts.directories, workspace=workspace, spelled_out=use.text.startswith(("/", "~"))
        )
        if where is not None and not (emptied != path and emptied in _TEMPORARY_DIRECTORIES):
            return where
    return None


def _find_unknown_root(use: PathUse) -> str | None:
    """The root that a path means if its unknown pieces are empty, or an unknown home directory."""
    if use.tilde and _without_globs(use.text).rstrip("/") == "~":
        return "a home directory"
    if UNKNOWN_MARK in use.directory and _without_globs(use.text).strip("./") == "":
        return "its current directory, which is not known"
    if UNKNOWN_MARK not in use.text or (use.text == UNKNOWN_MARK and not use.if_unset):
        return None
    known = use.if_unset or use.text.replace(UNKNOWN_MARK, "")
    emptied = (_without_globs(known) if use.glob else known) or "/"
    if emptied.rstrip("/") == "~":
        return "a home directory if a variable is empty" if use.text == UNKNOWN_MARK else "a home directory"
    if emptied.rstrip("/") == "." and use.if_unset:
        return "its current directory"
    if not emptied.startswith("/"):
        return None
    path = posixpath.normpath(emptied).lstrip("/")
    return f"`/{path}` if a variable is empty" if not path or path.casefold() in _SYSTEM_DIRECTORIES else None


def _describe_root(
    path: str, directories: CallDirectories, *, workspace: bool, spelled_out: bool
) -> str | None:
    """A description of the root that an absolute path is; None for other paths."""
    if path == "/" or (path.startswith("/proc/") and path.endswith(("/root", "/cwd"))):
        return "the whole file system"
    roots = [normalize_path(root, directories) for root in directories.roots]
    if path in roots:
        return "the workspace" if workspace else None
    if workspace and any(root.startswith(path + "/") for root in roots):
        return f"`{path}`, which holds the workspace"
    if directories.home and path == normalize_path(directories.home, directories):
        return "the home directory"
    components = path.strip("/").casefold().split("/")
    if len(components) == 1:
        # A relative path names a system directory only if its name is a known one.
        known = spelled_out or components[0] in _SYSTEM_DIRECTORIES
        return f"`{path}`, a directory in the root of the file system" if known else None
    if len(components) == 2 and components[0] in _HOME_PARENTS:
        return f"the home directory `{path}`"
    return None


def _find_system_directory(paths: list[str]) -> str | None:
    """The directory directly below a system directory, such as `/usr/lib`."""
    for path in paths:
        components = path.strip("/").split("/")
        if len(components) == 2 and components[0] in ("etc", "boot", "usr") and components[1] != "local":
            return f"the system directory `{path}`"
    return None


def _find_system_file(paths: list[str], *, any_file: bool) -> str | None:
    """The first path that is a critical file of the system; with `any_file`, any file of the system."""
    for path in paths:
        top, _, rest = path[1:].partition("/")
        if top == "boot" and rest:
            return f"the system file `{path}`"
        if top == "usr" and rest and not rest.startswith("local/") and (any_file or "/" in rest):
            return f"the system file `{path}`"
        if (
            top == "etc"
            and rest
            and (any_file or rest in _CRITICAL_FILES or rest.startswith(("pam.d/", "sudoers.d/")))
        ):
            return f"the system file `{path}`"
    return None


def _find_privilege_file(paths: list[str]) -> str | None:
    """The first file in which one more line can give full rights on the machine."""
    found = [path for path in paths if path in _PRIVILEGE_FILES or path.startswith(_PRIVILEGE_DIRECTORIES)]
    return f"the system file `{found[0]}`" if found else None


def _find_system_tree(paths: list[str]) -> str | None:
    """The root or system directory in which many files would be overwritten."""
    found = [path for path in paths if path[1:] in _SYSTEM_TREES]
    return f"`{found[0]}`" if found else None


def _written_and_real_paths(use: PathUse, facts: Facts) -> list[str]:
    """The path as written, and its real paths after links are followed."""
    written = use.to_absolute_path(facts.directories)
    if written is None:
        return []
    return list(
        dict.fromkeys(
            normalize_path(path, facts.directories) for path in (written, *facts.real.get(written, ()))
        )
    )


def _without_globs(path: str) -> str:
    """The path without its last components that match everything."""
    while True:
        head, slash, tail = path.rpartition("/")
        if not tail or tail.strip("*?.") or not ("*" in tail or "?" in tail):
            return path or "/"
        path = head or ("/" if slash else ".")


def _find_printed_values(text: str) -> list[str]:
    """The values that the substitutions in a text print."""
    return [*_PRINTED_VALUE.findall(text), *(["."] if _PRINTED_DIRECTORY.search(text) else [])]


def _copies_to_unknown_target(text: str) -> bool:
    """Whether a text copies a disk image to a variable whose name does not suggest a file."""
    return any(not _FILE_VARIABLE_NAME.search(name) for name in _IMAGE_COPY.findall(text))


def _reads_variables(part: Part) -> bool:
    """Whether a part reads its input into variables."""
    return part.command is not None and part.command.program in _READING_BUILTINS


def _iterate_nested(part: Part) -> Iterable[Part]:
    """Yield all nested parts of a part, at every depth."""
    for inner in part.nested:
        yield inner
        yield from _iterate_nested(inner)
