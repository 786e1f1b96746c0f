"""The roots of workspaces on disk: which may be registered, and which one contains a directory."""

import hmac
import os
import posixpath
import pwd
import re
import secrets
import stat
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager, suppress

from assent.config.files import open_without_links
from assent.config.paths import ConfigPaths, find_home, find_root
from assent.config.workspace import UnresolvableError, resolve_path
from assent.errors import InputError
from assent.gate.workspaces import CheckedRoot, RegisteredWorkspace, RootProof, WantedRoot, is_below

_PROOF_FILE = re.compile(r"\.assent-proof-[0-9a-f]{32}")
_PROOF_TEXT = re.compile(r"[0-9a-f]{64}")
_HOME_PARENTS = ("/home", "/Users", "/var/home", "/export/home", "/root", "/var/root")
"""Where home directories usually are; used for remote machines, whose users are unknown."""
_HOMES_BELOW = frozenset({"/home", "/Users", "/var/home", "/export/home"})


def check_root(wanted: WantedRoot, paths: ConfigPaths) -> CheckedRoot:
    """Check a root that a person wants to register; it is local if its proof can be read on this disk.

    INVARIANT: the path of a root without a proof is never looked up on this disk.
    """
    if wanted.proof is None:
        _refuse_home(wanted.root, _usual_homes(wanted.root))
        return CheckedRoot(wanted.root, remote=True)
    root = _real_directory(wanted.root)
    if root is None:
        raise InputError(f"`{wanted.root}` is not a directory that this server can read")
    check_location(root, paths)
    if not _is_proven(root, wanted.proof):
        raise InputError(
            f"`{wanted.root}` is not proven to be on this server's disk: the proof cannot be read there"
        )
    return CheckedRoot(root, remote=False)


def check_project(directory: str, paths: ConfigPaths) -> CheckedRoot:
    """The repository that contains a directory of this disk, or the directory itself.

    Only for a directory that a program on this disk named. Raises `InputError` if it may not be registered.
    """
    real = _real_directory(directory) if posixpath.isabs(directory) else None
    if real is None:
        raise InputError(f"`{directory}` is not a directory that this server can read")
    root = find_root(real, os.path.realpath(paths.home))
    check_location(root, paths)
    return CheckedRoot(root, remote=False)


def check_location(root: str, paths: ConfigPaths) -> None:
    """Raise `InputError` if a directory of this machine may not be a workspace; `root` is a real path."""
    _refuse_home(root, _homes_on_this_machine())
    for own in map(os.path.realpath, (paths.user, paths.data, paths.managed)):
        if is_below(root, own) or is_below(own, root):
            raise InputError(f"`{root}` cannot be a workspace: it shares files with `{own}`, Assent's own")


@contextmanager
def write_proof(root: str) -> Generator[RootProof]:
    """Write a proof into a root for the duration of the context."""
    proof = RootProof(f".assent-proof-{secrets.token_hex(16)}", secrets.token_hex(32))
    path = os.path.join(root, proof.file)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with open(handle, "w", encoding="ascii") as file:
            file.write(proof.text)
    except OSError as error:
        raise InputError(f"cannot write to `{root}`: {(error.strerror or str(error)).lower()}") from None
    try:
        yield proof
    finally:
        with suppress(OSError):
            os.remove(path)


def find_workspace(
    cwd: str, workspaces: Sequence[RegisteredWorkspace], own_root: str
) -> RegisteredWorkspace | None:
    """The deepest workspace that really contains a directory; None if there is none.

    `own_root` is the root of this process's own workspace, which needs no registration: None is also
    returned if it is at least as deep. A remote workspace contains a directory by its text alone, and
    without `..`, which may leave it through a link; then the directory is not looked up on this disk.
    """
    if not posixpath.isabs(cwd):
        return None
    written = _sort_by_depth(one for one in workspaces if is_below(_normal_path(cwd), one.root))
    if written and written[0].remote:
        return None if ".." in cwd.split("/") else written[0]
    real = _real_directory(cwd)
    if real is None:
        return None
    found = _sort_by_depth(one for one in workspaces if not one.remote and is_below(real, one.root))
    if not found or (is_below(real, own_root) and len(own_root) >= len(found[0].root)):
        return None
    return found[0]


def _sort_by_depth(workspaces: Iterable[RegisteredWorkspace]) -> list[RegisteredWorkspace]:
    """Sort workspaces: deepest first; of equal roots the agent's own first, then remote before local."""
    return sorted(workspaces, key=lambda one: (-len(one.root), not one.agent, not one.remote))


def _normal_path(path: str) -> str:
    normal = posixpath.normpath(path)
    return normal[1:] if normal.startswith("//") else normal


def _real_directory(path: str) -> str | None:
    """The real path of a directory; None if it does not exist, or differs between processes."""
    try:
        real = resolve_path(path)
        return real if stat.S_ISDIR(os.lstat(real).st_mode) else None
    except (OSError, UnresolvableError, ValueError):
        return None


def _refuse_home(root: str, homes: Iterable[str]) -> None:
    """Raise `InputError` for `/`, a home directory, or a directory that contains one."""
    if root == "/":
        raise InputError("`/` cannot be a workspace: it contains every file of the machine")
    for home in homes:
        if is_below(home, root):
            what = "is" if home == root else "contains"
            raise InputError(
                f"`{root}` cannot be a workspace: it {what} the home directory `{home}`; name a project in it"
            )


def _homes_on_this_machine() -> set[str]:
    """The real home directories of all users, and that of this process."""
    homes = {find_home(), *(one.pw_dir for one in pwd.getpwall())}
    return {os.path.realpath(home) for home in homes if posixpath.isabs(home)} - {"/"}


def _usual_homes(root: str) -> list[str]:
    """The usual home directories (such as `/home/ana`) that a path on another machine equals or contains."""
    parent = posixpath.dirname(root)
    return [*_HOME_PARENTS, *([root] if parent in _HOMES_BELOW else [])]


def _is_proven(root: str, proof: RootProof) -> bool:
    """Whether the proof is a regular file directly in the root, with the text that the client wrote."""
    if not _PROOF_FILE.fullmatch(proof.file) or not _PROOF_TEXT.fullmatch(proof.text):
        return False
    try:
        handle = open_without_links(os.path.join(root, proof.file), os.O_RDONLY)
    except OSError:
        return False
    try:
        status = os.fstat(handle)
        # A second name of the file could be outside of the root.
        if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1:
            return False
        return hmac.compare_digest(os.read(handle, len(proof.text) + 1), proof.text.encode())
    except OSError:
        return False
    finally:
        os.close(handle)
