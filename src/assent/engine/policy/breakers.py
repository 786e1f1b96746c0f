"""Circuit breakers: catastrophes that ask in every mode, whatever the rules say."""

import posixpath
from collections.abc import Callable, Sequence
from typing import NamedTuple

from assent.engine.facts import Facts, PathUse, Place, normalize_path
from assent.engine.globs import HOLE
from assent.engine.lines.dangers import Harm, is_device
from assent.engine.lines.part import Endangered, Part
from assent.engine.model import Effect
from assent.engine.policy.unknown_values import Handed

Breaker = Callable[[Part, Facts], str | None]
"""A custom breaker: returns a reason to ask about a part, or None."""

_SYSTEM = frozenset(
    """bin boot dev etc home lib lib32 lib64 libx32 media mnt opt private proc root run sbin snap srv sys tmp
    usr var users system library applications volumes""".split()
)
_HOMES = ("home", "users")
_SCRATCH = ("/tmp", "/var/tmp", "/private/tmp")
_CRITICAL = frozenset(
    """passwd shadow group gshadow sudoers fstab crypttab hosts resolv.conf ld.so.preload ld.so.conf
    pam.conf""".split()
)

_PRIVILEGE_FILES = frozenset(
    f"/etc/{name}" for name in "passwd shadow group gshadow sudoers ld.so.preload pam.conf".split()
)
_PRIVILEGE_DIRECTORIES = ("/etc/sudoers.d/", "/etc/pam.d/")
_SYSTEM_TREES = frozenset(
    {"", "bin", "boot", "etc", "lib", "lib64", "sbin", "usr", "usr/bin", "usr/lib", "usr/sbin"}
)


class TrippedBreaker(NamedTuple):
    """Why a breaker tripped, and the part that tripped it."""

    reason: str
    part: Part


def find_tripped(
    parts: Sequence[Part], effect: Effect, facts: Facts, more: Sequence[Breaker] = ()
) -> TrippedBreaker | None:
    """The first breaker that a part trips; `more` are custom breakers."""
    suspects = parts if more else [part for part in parts if _could_trip(part)]
    values = Handed(parts)
    harmless: set[Endangered] = set()
    for part in suspects:
        reason = _reason(part, effect, facts, harmless) or _reason_with_values(part, values, facts)
        for breaker in more:
            reason = reason or breaker(part, facts)
        if reason is not None:
            return TrippedBreaker(reason, part)
    return None


def _could_trip(part: Part) -> bool:
    return bool(part.endangered or part.catastrophe or part.bomb or part.path)


def _reason(part: Part, effect: Effect, facts: Facts, harmless: set[Endangered]) -> str | None:
    """Why a part is a catastrophe; dangers found `harmless` in one part are not checked again."""
    if part.bomb:
        return f"the function `{part.bomb}` starts itself without end"
    if part.catastrophe is not None:
        return part.catastrophe
    for danger in part.endangered:
        if danger not in harmless and (reason := _danger_reason(danger, facts)) is not None:
            return reason
        harmless.add(danger)
    if part.path is not None and effect is not Effect.READ:
        where = _root(part.path, facts, workspace=True)
        return None if where is None else f"changes {where}"
    return None


def _reason_with_values(part: Part, values: Handed, facts: Facts) -> str | None:
    """Why a part is a catastrophe with the values that the line gives to its unknown words."""
    open_ended = [danger for danger in part.endangered if HOLE in danger.use.text]
    for text in values.to(part) if open_ended else ():
        for harm, use in open_ended:
            tilde = use.tilde or (text.startswith("~") and use.text.startswith(HOLE))
            filled = use._replace(text=use.text.replace(HOLE, text), tilde=tilde, otherwise="")
            if (reason := _danger_reason(Endangered(harm, filled), facts)) is not None:
                return reason
    return None


def _danger_reason(danger: Endangered, facts: Facts) -> str | None:
    harm, use = danger
    paths = _paths(use, facts)
    if harm is not Harm.RIGHTS and (device := next(filter(is_device, (use.text, *paths)), None)) is not None:
        return f"writes to the device {device}"
    match harm:
        case Harm.REMOVES:
            emptied = [_without_globs(path) for path in paths] if use.glob else paths
            where = _root(use, facts, workspace=True) or _system_directory(emptied)
        case Harm.MOVES:
            where = _root(use, facts, workspace=not use.glob) or _system_file(paths, any_file=False)
        case Harm.RIGHTS:
            where = _root(use, facts, workspace=False)
        case Harm.FILTERED:
            where = "the whole file system" if set(map(_without_globs, paths)) == {"/"} else None
        case Harm.TRUNCATES | Harm.OVERWRITES:
            where = _system_file(paths, any_file=harm is Harm.TRUNCATES)
        case Harm.APPENDS:
            where = _privilege_file(paths)
        case Harm.UNPACKS:
            where = _system_tree(paths) or _system_file(paths, any_file=False)
    return None if where is None else f"{harm} {where}"


def _root(use: PathUse, facts: Facts, *, workspace: bool) -> str | None:
    """The root that a path means: the file system, one of its directories, a home, or the workspace."""
    if use.absolute(facts.place) is None:
        return _unknown_root(use)
    if use.directory.endswith("/.") and not facts.real.get(use._replace(text="").absolute(facts.place) or ""):
        # If the change of directory fails, the line does this where it started.
        use = use._replace(directory="")
    for path in _paths(use, facts):
        emptied = _without_globs(path) if use.glob else path
        where = _named(emptied, facts.place, workspace=workspace, spelled_out=use.text.startswith(("/", "~")))
        if where is not None and not (emptied != path and emptied in _SCRATCH):
            return where
    return None


def _unknown_root(use: PathUse) -> str | None:
    """The root that a path means if its unknown pieces are empty, or an unknown home directory."""
    if use.tilde and _without_globs(use.text).rstrip("/") == "~":
        return "a home directory"
    if HOLE in use.directory and _without_globs(use.text).strip("./") == "":
        return "its current directory, which is not known"
    if HOLE not in use.text or (use.text == HOLE and not use.otherwise):
        return None
    known = use.otherwise or use.text.replace(HOLE, "")
    emptied = (_without_globs(known) if use.glob else known) or "/"
    if emptied.rstrip("/") == "~":
        return "a home directory if a variable is empty" if use.text == HOLE else "a home directory"
    if emptied.rstrip("/") == "." and use.otherwise:
        return "its current directory"
    if not emptied.startswith("/"):
        return None
    path = posixpath.normpath(emptied).lstrip("/")
    return f"`/{path}` if a variable is empty" if not path or path.casefold() in _SYSTEM else None


def _named(path: str, place: Place, *, workspace: bool, spelled_out: bool) -> str | None:
    if path == "/" or (path.startswith("/proc/") and path.endswith(("/root", "/cwd"))):
        return "the whole file system"
    roots = [normalize_path(root, place) for root in place.roots]
    if path in roots:
        return "the workspace" if workspace else None
    if workspace and any(root.startswith(path + "/") for root in roots):
        return f"`{path}`, which holds the workspace"
    if place.home and path == normalize_path(place.home, place):
        return "the home directory"
    components = path.strip("/").casefold().split("/")
    if len(components) == 1:
        # A name in a relative path is not a directory of the system unless it is a known one.
        known = spelled_out or components[0] in _SYSTEM
        return f"`{path}`, a directory in the root of the file system" if known else None
    if len(components) == 2 and components[0] in _HOMES:
        return f"the home directory `{path}`"
    return None


def _system_directory(paths: list[str]) -> str | None:
    """The directory directly below a system directory, such as `/usr/lib`."""
    for path in paths:
        components = path.strip("/").split("/")
        if len(components) == 2 and components[0] in ("etc", "boot", "usr") and components[1] != "local":
            return f"the system directory `{path}`"
    return None


def _system_file(paths: list[str], *, any_file: bool) -> str | None:
    for path in paths:
        top, _, rest = path[1:].partition("/")
        if top == "boot" and rest:
            return f"the system file `{path}`"
        if top == "usr" and rest and not rest.startswith("local/") and (any_file or "/" in rest):
            return f"the system file `{path}`"
        if (
            top == "etc"
            and rest
            and (any_file or rest in _CRITICAL or rest.startswith(("pam.d/", "sudoers.d/")))
        ):
            return f"the system file `{path}`"
    return None


def _privilege_file(paths: list[str]) -> str | None:
    """The file in which one more line can give full rights on the machine."""
    found = [path for path in paths if path in _PRIVILEGE_FILES or path.startswith(_PRIVILEGE_DIRECTORIES)]
    return f"the system file `{found[0]}`" if found else None


def _system_tree(paths: list[str]) -> str | None:
    """The root or a system directory in which many files are overwritten."""
    found = [path for path in paths if path[1:] in _SYSTEM_TREES]
    return f"`{found[0]}`" if found else None


def _paths(use: PathUse, facts: Facts) -> list[str]:
    """The path as written and its real paths."""
    written = use.absolute(facts.place)
    if written is None:
        return []
    return list(
        dict.fromkeys(normalize_path(path, facts.place) for path in (written, *facts.real.get(written, ())))
    )


def _without_globs(path: str) -> str:
    """The path without its last components that match everything."""
    while True:
        head, slash, tail = path.rpartition("/")
        if not tail or tail.strip("*?.") or not ("*" in tail or "?" in tail):
            return path or "/"
        path = head or ("/" if slash else ".")
