"""Circuit breakers: catastrophes that ask in every mode, whatever any rule says."""

import posixpath
from collections.abc import Callable, Sequence
from typing import NamedTuple

from assent.engine.facts import Facts, PathUse, Place, spelled
from assent.engine.globs import HOLE
from assent.engine.handed import Handed
from assent.engine.model import Effect
from assent.engine.part import Endangered, Part
from assent.engine.shell.dangers import Harm
from assent.engine.shell.disks import is_device

Breaker = Callable[[Part, Facts], str | None]
"""A breaker of one's own: a reason to ask about a part, or None."""

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

_GATES = frozenset(
    f"/etc/{name}" for name in "passwd shadow group gshadow sudoers ld.so.preload pam.conf".split()
)
_GATE_DIRECTORIES = ("/etc/sudoers.d/", "/etc/pam.d/")
_TREES = frozenset(
    {"", "bin", "boot", "etc", "lib", "lib64", "sbin", "usr", "usr/bin", "usr/lib", "usr/sbin"}
)


class Tripped(NamedTuple):
    """A breaker that tripped, and over what."""

    reason: str
    part: Part


def tripped(
    parts: Sequence[Part], effect: Effect, facts: Facts, more: Sequence[Breaker] = ()
) -> Tripped | None:
    """The first breaker that any part trips."""
    suspects = parts if more else [part for part in parts if _could_trip(part)]
    handed = Handed(parts)
    harmless: set[Endangered] = set()
    for part in suspects:
        reason = _reason(part, effect, facts, harmless) or _filled_in(part, handed, facts)
        for breaker in more:
            reason = reason or breaker(part, facts)
        if reason is not None:
            return Tripped(reason, part)
    return None


def _could_trip(part: Part) -> bool:
    return bool(part.endangered or part.catastrophe or part.bomb or part.path)


def _reason(part: Part, effect: Effect, facts: Facts, harmless: set[Endangered]) -> str | None:
    """Why a part is a catastrophe; what was found `harmless` in one part is so in every other."""
    if part.bomb:
        return f"the function `{part.bomb}` starts itself without end"
    if part.catastrophe is not None:
        return part.catastrophe
    for danger in part.endangered:
        if danger not in harmless and (reason := _endangers(danger, facts)) is not None:
            return reason
        harmless.add(danger)
    if part.path is not None and effect is not Effect.READ:
        where = _root(part.path, facts, workspace=True)
        return None if where is None else f"changes {where}"
    return None


def _filled_in(part: Part, handed: Handed, facts: Facts) -> str | None:
    """Why it is a catastrophe with what the line itself puts into its unknown words."""
    open_ended = [danger for danger in part.endangered if HOLE in danger.use.text]
    for text in handed.to(part) if open_ended else ():
        for harm, use in open_ended:
            tilde = use.tilde or (text.startswith("~") and use.text.startswith(HOLE))
            filled = use._replace(text=use.text.replace(HOLE, text), tilde=tilde, otherwise="")
            if (reason := _endangers(Endangered(harm, filled), facts)) is not None:
                return reason
    return None


def _endangers(danger: Endangered, facts: Facts) -> str | None:
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
            where = _gate_file(paths)
        case Harm.UNPACKS:
            where = _system_tree(paths) or _system_file(paths, any_file=False)
    return None if where is None else f"{harm} {where}"


def _root(use: PathUse, facts: Facts, *, workspace: bool) -> str | None:
    """Which root a path is: the file system's, one of its directories, a home, the workspace."""
    if use.absolute(facts.place) is None:
        return _unknown_root(use)
    if use.directory.endswith("/.") and not facts.real.get(use._replace(text="").absolute(facts.place) or ""):
        # The line may not have got there, so it would do this where it started.
        use = use._replace(directory="")
    for path in _paths(use, facts):
        emptied = _without_globs(path) if use.glob else path
        where = _named(emptied, facts.place, workspace=workspace, spelled_out=use.text.startswith(("/", "~")))
        if where is not None and not (emptied != path and emptied in _SCRATCH):
            return where
    return None


def _unknown_root(use: PathUse) -> str | None:
    """A path that would be a root if what is unknown in it were empty, or a home we do not know."""
    if use.tilde and _without_globs(use.text).rstrip("/") == "~":
        return "a home directory"
    if HOLE in use.directory and _without_globs(use.text).strip("./") == "":
        return "the directory it is in, which is not known"
    if HOLE not in use.text or (use.text == HOLE and not use.otherwise):
        return None
    known = use.otherwise or use.text.replace(HOLE, "")
    emptied = (_without_globs(known) if use.glob else known) or "/"
    if emptied.rstrip("/") == "~":
        return "a home directory if a variable is empty" if use.text == HOLE else "a home directory"
    if emptied.rstrip("/") == "." and use.otherwise:
        return "the directory it is in"
    if not emptied.startswith("/"):
        return None
    path = posixpath.normpath(emptied).lstrip("/")
    return f"`/{path}` if a variable is empty" if not path or path.casefold() in _SYSTEM else None


def _named(path: str, place: Place, *, workspace: bool, spelled_out: bool) -> str | None:
    if path == "/" or (path.startswith("/proc/") and path.endswith(("/root", "/cwd"))):
        return "the whole file system"
    roots = [spelled(root, place) for root in place.roots]
    if path in roots:
        return "the workspace" if workspace else None
    if workspace and any(root.startswith(path + "/") for root in roots):
        return f"`{path}`, which holds the workspace"
    if place.home and path == spelled(place.home, place):
        return "the home directory"
    components = path.strip("/").casefold().split("/")
    if len(components) == 1:
        # What a relative path calls by a name of its own is no directory of the system's.
        known = spelled_out or components[0] in _SYSTEM
        return f"`{path}`, a directory of the file system's root" if known else None
    if len(components) == 2 and components[0] in _HOMES:
        return f"the home directory `{path}`"
    return None


def _system_directory(paths: list[str]) -> str | None:
    """A directory right below those that hold the system, like `/usr/lib`."""
    for path in paths:
        components = path.strip("/").split("/")
        if len(components) == 2 and components[0] in ("etc", "boot", "usr") and components[1] != "local":
            return f"the system's `{path}`"
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


def _gate_file(paths: list[str]) -> str | None:
    """A file in which one more line gives somebody the machine."""
    found = [path for path in paths if path in _GATES or path.startswith(_GATE_DIRECTORIES)]
    return f"the system file `{found[0]}`" if found else None


def _system_tree(paths: list[str]) -> str | None:
    """The root, or a directory of the system's own, for many files to be written over."""
    found = [path for path in paths if path[1:] in _TREES]
    return f"`{found[0]}`" if found else None


def _paths(use: PathUse, facts: Facts) -> list[str]:
    """The path as written and the real ones behind it."""
    written = use.absolute(facts.place)
    if written is None:
        return []
    return list(dict.fromkeys(spelled(path, facts.place) for path in (written, *facts.real.get(written, ()))))


def _without_globs(path: str) -> str:
    """A path whose last components match everything is the directory they are in."""
    while True:
        head, slash, tail = path.rpartition("/")
        if not tail or tail.strip("*?.") or not ("*" in tail or "?" in tail):
            return path or "/"
        path = head or ("/" if slash else ".")
