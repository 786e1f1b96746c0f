"""The file service: bounded, atomic, bound to the content that was shown, and never through a link."""

import errno
import os
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

import pytest

from assent.gate.file_preview import MAX_FILE_BYTES
from assent.hosts.workbench import files, tree
from assent.hosts.workbench.files import EntryKind, FileShown
from assent.hosts.workbench.refusal import Reason, WorkbenchError

SECRET = b"the secret of another project"
Operation = Callable[[str], object]
OPERATIONS: Mapping[str, Operation] = {
    "list": lambda root: files.list_directory(root, "/src/deep"),
    "read": lambda root: files.read_file(root, "/src/deep/a.ts"),
    "create": lambda root: files.create_file(root, "/src/deep/new.ts", b"new"),
    "create directory": lambda root: files.create_directory(root, "/src/deep/new"),
    "write": lambda root: files.write_file(root, "/src/deep/a.ts", b"new", digest(b"old")),
    "write anew": lambda root: files.write_file(root, "/src/deep/new.ts", b"new", "absent"),
    "rename": lambda root: files.rename(root, "/src/deep/a.ts", "/src/deep/b.ts"),
    "move out of": lambda root: files.rename(root, "/src/deep/a.ts", "/b.ts"),
    "move into": lambda root: files.rename(root, "/other.ts", "/src/deep/b.ts"),
    "delete": lambda root: files.delete(root, "/src/deep/a.ts", by_agent=True),
    "delete directory": lambda root: files.delete(root, "/src/deep", by_agent=True),
}
"""Everything that the service does, on a path of three names."""
SWAPPED = ("src", "src/deep", "src/deep/a.ts", "src/deep/new.ts", "src/deep/b.ts", "other.ts")
"""What is replaced by a link to the same path outside of the root."""


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with files, and a directory outside of it that looks the same."""
    for name, data in (("root", b"old"), ("outside", SECRET)):
        (tmp_path / name / "src/deep").mkdir(parents=True)
        for path in ("src/deep/a.ts", "other.ts"):
            (tmp_path / name / path).write_bytes(data)
    return tmp_path / "root"


def snapshot(directory: Path) -> dict[str, bytes | None]:
    """Every path below a directory, with the content of files."""
    return {
        str(path.relative_to(directory)): path.read_bytes() if path.is_file() else None
        for path in sorted(directory.rglob("*"))
    }


def swap(root: Path, path: str) -> None:
    """Replace a path in the root by a link to the same path outside."""
    inside, outside = root / path, root.parent / "outside" / path
    if inside.is_symlink() or not inside.parent.exists() or inside.parent.resolve() != inside.parent:
        return
    if inside.exists():
        inside.rename(root.parent / "moved-away")
    inside.symlink_to(outside)


class SwappingOs:
    """The module `os`, which replaces a path by a link before one of its calls."""

    def __init__(self, swap_path: Callable[[], None], at: int) -> None:
        self._swap_path = swap_path
        self._at = at
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        found = getattr(os, name)
        if not callable(found) or isinstance(found, type):
            return found

        def call(*args: Any, **more: Any) -> Any:
            if self.calls == self._at:
                self._swap_path()
            self.calls += 1
            return found(*args, **more)

        return call


def run_with_swap(root: Path, operation: Operation, path: str, at: int) -> tuple[object, bool]:
    """Run an operation and replace a path before its system call `at`; also whether that call was made."""
    fake: Any = SwappingOs(lambda: swap(root, path), at)
    with pytest.MonkeyPatch.context() as patch:
        for module in (files, tree):
            patch.setattr(module, "os", fake)
        # Without the single step of Linux, so that each step is a call that can be interrupted.
        patch.setattr(files, "_load_renameat2", lambda: None)
        try:
            result: object = operation(str(root))
        except WorkbenchError as error:
            result = error
    return result, fake.calls > at


@pytest.mark.supports("R003-52", "R003-51")
@pytest.mark.parametrize("path", SWAPPED)
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_link_that_appears_at_any_step_leads_nowhere(tmp_path: Path, name: str, path: str) -> None:
    at, was_made = 0, True
    while was_made:
        directory = tmp_path / str(at)
        for side, data in (("root", b"old"), ("outside", SECRET)):
            (directory / side / "src/deep").mkdir(parents=True)
            for file in ("src/deep/a.ts", "other.ts"):
                (directory / side / file).write_bytes(data)
        before = snapshot(directory / "outside")
        result, was_made = run_with_swap(directory / "root", OPERATIONS[name], path, at)

        assert snapshot(directory / "outside") == before, (name, path, at)
        assert not (isinstance(result, FileShown) and result.data == SECRET), (name, path, at)
        assert isinstance(result, WorkbenchError) or SECRET not in repr(result).encode()
        at += 1
    assert at > 3


@pytest.mark.supports("R003-52")
@pytest.mark.parametrize("path", ["/src", "/src/deep"])
@pytest.mark.parametrize("name", OPERATIONS)
def test_a_path_through_a_link_is_refused(root: Path, name: str, path: str) -> None:
    swap(root, path[1:])
    before = snapshot(root.parent / "outside")
    with pytest.raises(WorkbenchError) as refused:
        OPERATIONS[name](str(root))

    assert refused.value.reason is Reason.LINK
    assert snapshot(root.parent / "outside") == before


@pytest.mark.supports("R003-52")
@pytest.mark.parametrize(
    "path", ["/..", "/../outside/a", "/src/../../outside", "../outside", "/src/./a", "//src", "/a\0b", "/a\\b",
             "/src/\u202ea", "/" + "a/" * 3000]
)  # fmt: skip
def test_a_path_that_could_leave_the_root_is_refused(root: Path, path: str) -> None:
    for operation in (
        lambda: files.list_directory(str(root), path),
        lambda: files.read_file(str(root), path),
        lambda: files.create_file(str(root), path, b""),
        lambda: files.create_directory(str(root), path),
        lambda: files.write_file(str(root), path, b"", None),
        lambda: files.rename(str(root), "/other.ts", path),
        lambda: files.rename(str(root), path, "/b"),
        lambda: files.delete(str(root), path),
    ):
        with pytest.raises(WorkbenchError) as refused:
            operation()

        assert refused.value.reason is Reason.OUTSIDE


def test_a_listing_shows_kinds_and_where_links_lead(root: Path) -> None:
    (root / "inside").symlink_to("src/deep/a.ts")
    (root / "outside").symlink_to("../outside")
    os.mkfifo(root / "pipe")
    found = {one.name: (one.kind, one.target) for one in files.list_directory(str(root), "/").entries}

    assert found == {
        "src": (EntryKind.DIRECTORY, None),
        "other.ts": (EntryKind.FILE, None),
        "inside": (EntryKind.LINK, "/src/deep/a.ts"),
        "outside": (EntryKind.LINK, None),
        "pipe": (EntryKind.OTHER, None),
    }


def test_a_long_listing_is_cut(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_ENTRIES", 1)
    listing = files.list_directory(str(root), "/")

    assert (len(listing.entries), listing.truncated) == (1, True)


def test_a_text_is_read_with_its_digest_and_a_binary_file_without_text(root: Path) -> None:
    (root / "binary").write_bytes(b"a\0b")
    (root / "latin").write_bytes(b"\xe9")
    text = files.read_file(str(root), "/src/deep/a.ts")

    assert (text.text, text.digest, text.size) == ("old", digest(b"old"), 3)
    assert [files.read_file(str(root), name).text for name in ("/binary", "/latin")] == [None, None]


@pytest.mark.parametrize("name", ["pipe", "src"])
def test_only_regular_files_are_read(root: Path, name: str) -> None:
    os.mkfifo(root / "pipe")
    with pytest.raises(WorkbenchError) as refused:
        files.read_file(str(root), name)

    assert refused.value.reason is Reason.KIND


def test_a_large_file_or_text_is_refused(root: Path) -> None:
    (root / "large").write_bytes(b"x" * (MAX_FILE_BYTES + 1))
    for operation in (
        lambda: files.read_file(str(root), "/large"),
        lambda: files.write_file(str(root), "/large", b"", None),
        lambda: files.create_file(str(root), "/new", b"x" * (MAX_FILE_BYTES + 1)),
    ):
        with pytest.raises(WorkbenchError) as refused:
            operation()

        assert refused.value.reason is Reason.LARGE
    assert (root / "large").stat().st_size == MAX_FILE_BYTES + 1
    assert not (root / "new").exists()


def test_a_file_is_replaced_with_its_permissions(root: Path) -> None:
    (root / "other.ts").chmod(0o750)
    written = files.write_file(str(root), "/other.ts", b"new", digest(b"old"))

    assert (root / "other.ts").read_bytes() == b"new"
    assert (root / "other.ts").stat().st_mode & 0o777 == 0o750
    assert (written.path, written.digest, written.size) == ("/other.ts", digest(b"new"), 3)
    assert sorted(os.listdir(root)) == ["other.ts", "src"]


@pytest.mark.parametrize(
    ("path", "seen", "reason", "current"),
    [
        ("/other.ts", digest(b"older"), Reason.CHANGED, digest(b"old")),
        ("/other.ts", "absent", Reason.CHANGED, digest(b"old")),
        ("/none.ts", digest(b"old"), Reason.CHANGED, "absent"),
    ],
)
def test_a_file_that_changed_since_it_was_shown_is_kept(
    root: Path, path: str, seen: str, reason: Reason, current: str
) -> None:
    before = snapshot(root)
    with pytest.raises(WorkbenchError) as refused:
        files.write_file(str(root), path, b"new", seen)

    assert (refused.value.reason, refused.value.facts) == (reason, {"digest": current})
    assert snapshot(root) == before


def test_a_file_that_changes_during_the_write_is_kept(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fsync = os.fsync

    def change_meanwhile(descriptor: int) -> None:
        (root / "other.ts").write_bytes(b"changed by an editor")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", change_meanwhile)
    with pytest.raises(WorkbenchError) as refused:
        files.write_file(str(root), "/other.ts", b"new", digest(b"old"))

    assert refused.value.reason is Reason.CHANGED
    assert (root / "other.ts").read_bytes() == b"changed by an editor"
    assert sorted(os.listdir(root)) == ["other.ts", "src"]


@pytest.mark.parametrize("single_step", [True, False])
def test_nothing_is_created_or_moved_over_an_existing_file(
    root: Path, monkeypatch: pytest.MonkeyPatch, *, single_step: bool
) -> None:
    if not single_step:
        monkeypatch.setattr(files, "_load_renameat2", lambda: None)
    before = snapshot(root)
    for operation in (
        lambda: files.create_file(str(root), "/other.ts", b"new"),
        lambda: files.create_directory(str(root), "/other.ts"),
        lambda: files.rename(str(root), "/src/deep/a.ts", "/other.ts"),
        lambda: files.rename(str(root), "/other.ts", "/src"),
    ):
        with pytest.raises(WorkbenchError) as refused:
            operation()

        assert refused.value.reason is Reason.EXISTS
    assert snapshot(root) == before


def test_files_and_directories_are_moved(root: Path) -> None:
    moved = files.rename(str(root), "/other.ts", "/src/b.ts")
    directory = files.rename(str(root), "/src", "/lib")

    assert (moved.path, moved.digest) == ("/src/b.ts", digest(b"old"))
    assert (directory.path, directory.digest) == ("/lib", "")
    assert snapshot(root) == {"lib": None, "lib/b.ts": b"old", "lib/deep": None, "lib/deep/a.ts": b"old"}


def test_a_directory_is_deleted_with_its_links_and_not_what_they_lead_to(root: Path) -> None:
    (root / "src/link").symlink_to(root.parent / "outside")
    deleted = files.delete(str(root), "/src", by_agent=True)

    assert (deleted.path, deleted.digest) == ("/src", "absent")
    assert snapshot(root) == {"other.ts": b"old"}
    assert (root.parent / "outside/other.ts").read_bytes() == SECRET


def test_a_person_deletes_and_renames_a_link_itself_and_an_agent_does_not(root: Path) -> None:
    (root / "one").symlink_to(root.parent / "outside")
    for operation in (
        lambda: files.delete(str(root), "/one", by_agent=True),
        lambda: files.rename(str(root), "/one", "/two"),
    ):
        with pytest.raises(WorkbenchError) as refused:
            operation()

        assert refused.value.reason is Reason.LINK
    files.rename(str(root), "/one", "/two", links=True)
    files.delete(str(root), "/two")

    assert sorted(os.listdir(root)) == ["other.ts", "src"]
    assert (root.parent / "outside/other.ts").read_bytes() == SECRET


@pytest.mark.parametrize("protected", [".git/config", "deep/.claude/settings.json", "deep/.envrc"])
def test_an_agent_deletes_no_directory_with_a_protected_path_in_it(root: Path, protected: str) -> None:
    (root / "src" / protected).parent.mkdir(parents=True, exist_ok=True)
    (root / "src" / protected).write_bytes(b"kept")
    with pytest.raises(WorkbenchError) as refused:
        files.delete(str(root), "/src", by_agent=True)

    assert refused.value.reason is Reason.PROTECTED
    assert (root / "src" / protected).read_bytes() == b"kept"


def test_a_large_directory_and_a_root_are_not_deleted(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_DELETED_ENTRIES", 1)
    before = snapshot(root)
    with pytest.raises(WorkbenchError) as large:
        files.delete(str(root), "/src")
    with pytest.raises(WorkbenchError) as whole:
        files.delete(str(root), "/")

    assert (large.value.reason, whole.value.reason) == (Reason.LARGE, Reason.KIND)
    assert snapshot(root) == before


def test_a_file_that_changed_is_not_deleted(root: Path) -> None:
    with pytest.raises(WorkbenchError) as refused:
        files.delete(str(root), "/other.ts", digest(b"older"))
    files.delete(str(root), "/other.ts", digest(b"old"))

    assert refused.value.reason is Reason.CHANGED
    assert not (root / "other.ts").exists()


@pytest.mark.parametrize("name", OPERATIONS)
def test_a_root_that_is_gone_or_replaced_is_refused(root: Path, name: str) -> None:
    root.rename(root.parent / "moved")
    with pytest.raises(WorkbenchError) as gone:
        OPERATIONS[name](str(root))
    root.symlink_to(root.parent / "outside")
    before = snapshot(root.parent / "outside")
    with pytest.raises(WorkbenchError) as replaced:
        OPERATIONS[name](str(root))

    assert (gone.value.reason, replaced.value.reason) == (Reason.ABSENT, Reason.LINK)
    assert snapshot(root.parent / "outside") == before


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (errno.ENOSPC, Reason.FULL),
        (errno.EDQUOT, Reason.FULL),
        (errno.EACCES, Reason.DENIED),
        (errno.EROFS, Reason.DENIED),
        (errno.EIO, Reason.FAILED),
    ],
)
@pytest.mark.parametrize("step", ["open", "write", "fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_file_and_no_draft(
    root: Path, monkeypatch: pytest.MonkeyPatch, number: int, reason: Reason, step: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    def open_or_fail(path: Any, flags: int, *rest: Any, **more: Any) -> int:
        if flags & os.O_CREAT:
            fail()
        return os.open(path, flags, *rest, **more)

    def open_file_or_fail(descriptor: int, mode: str) -> Any:
        return _FailingFile(descriptor, fail) if mode == "wb" else os.fdopen(descriptor, mode)

    broken: dict[str, Any] = {name: getattr(os, name) for name in dir(os)}
    if step == "write":
        broken["fdopen"] = open_file_or_fail
    else:
        broken[step] = open_or_fail if step == "open" else fail
    monkeypatch.setattr(files, "os", SimpleNamespace(**broken))
    with pytest.raises(WorkbenchError) as refused:
        files.write_file(str(root), "/other.ts", b"new", digest(b"old"))

    assert refused.value.reason is reason
    assert snapshot(root) == {"other.ts": b"old", "src": None, "src/deep": None, "src/deep/a.ts": b"old"}


class _FailingFile:
    """A file whose content cannot be written."""

    def __init__(self, descriptor: int, fail: Callable[..., None]) -> None:
        self._descriptor = descriptor
        self.write = fail

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)
