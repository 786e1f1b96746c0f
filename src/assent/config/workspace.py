"""What the file system says about the paths of a call: gathered before deciding, never during it."""

import os
import posixpath
from collections.abc import Callable, Iterable, Mapping

from assent.config.resolve import Unresolvable, expand, resolve
from assent.engine.facts import Facts, Place
from assent.engine.globs import has_glob

MOST_PROBES = 16


def place_on_disk(cwd: str, roots: Iterable[str], home: str) -> Place:
    """A place that exists, with its roots as the file system knows them."""
    real = tuple(dict.fromkeys(os.path.realpath(root) for root in roots))
    return Place(
        roots=real, cwd=cwd, home=home and os.path.realpath(home), case_sensitive=is_case_sensitive(real[0])
    )


def imagined_place(root: str, home: str) -> Place:
    """A place that exists in somebody's mind only; its paths mean what they say."""
    root = posixpath.normpath(root)
    return Place(roots=(root,), cwd=root, home=home)


def gather(
    place: Place,
    wanted: Iterable[str],
    *,
    trusts: Callable[[str], bool],
    contents: Mapping[str, str] | None = None,
) -> Facts:
    """Resolve the paths that deciding asks for; one that cannot be resolved has no fact, so it is outside.

    `trusts` says whether the repository that holds a directory is trusted; a line may go to several.
    `contents` are the digests of files that are fed to commands as instructions.
    """
    real: dict[str, tuple[str, ...]] = {}
    for path in wanted:
        try:
            real[path] = _real_paths(path)
        except (OSError, Unresolvable, ValueError):
            continue
    trusted = _all_trusted(place, real, trusts)
    return Facts(place=place, real=real, contents=contents or {}, trusted_repository=trusted)


def imagine(place: Place, wanted: Iterable[str], *, trusted_repository: bool) -> Facts:
    """The same without a disk: no links, no content, and every `..` means what it says."""
    real = {path: (posixpath.normpath(path),) for path in wanted}
    return Facts(place=place, real=real, trusted_repository=trusted_repository)


def is_case_sensitive(directory: str) -> bool:
    """Whether `A` and `a` are two files here; found out by looking, not by writing."""
    try:
        with os.scandir(directory) as entries:
            names = [entry.name for entry, _ in zip(entries, range(MOST_PROBES), strict=False)]
    except OSError:
        return True
    for path in (*(os.path.join(directory, name) for name in names), directory):
        other = os.path.join(os.path.dirname(path), os.path.basename(path).swapcase())
        if other != path:
            return not _is_same(path, other)
    return True


def _all_trusted(place: Place, real: Mapping[str, tuple[str, ...]], trusts: Callable[[str], bool]) -> bool:
    """Whether every repository that a line may work in is trusted; one may lie inside another."""
    if not trusts(place.cwd):
        return False
    directories = {path for paths in real.values() for path in paths if os.path.isdir(path)}
    return all(map(trusts, directories))


def _real_paths(path: str) -> tuple[str, ...]:
    """The files that a path stands for; a glob that matches nothing stands for itself."""
    if path.endswith("/.") and not os.path.isdir(path):
        raise Unresolvable(f"{path} is not a directory")
    if not has_glob(path):
        return (resolve(path),)
    found = {resolve(match) for match in expand(path)}
    return tuple(sorted(found)) or (resolve(path),)


def _is_same(path: str, other: str) -> bool:
    try:
        one, two = os.lstat(path), os.lstat(other)
    except OSError:
        return False
    return (one.st_dev, one.st_ino) == (two.st_dev, two.st_ino)
