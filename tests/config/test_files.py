"""A file is read once and completely, and only if no other user could have written it."""

import hashlib
import os
from pathlib import Path

import pytest

from assent.config.files import (
    MAX_SOURCE_BYTES,
    Source,
    make_private_directory,
    open_parent,
    open_without_links,
    read_source,
)
from assent.errors import ConfigError


def write_private(path: Path, data: bytes = b"x = 1\n", mode: int = 0o600) -> Path:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    path.parent.chmod(0o700)
    path.write_bytes(data)
    path.chmod(mode)
    return path


def test_the_digest_is_that_of_the_read_content(tmp_path: Path) -> None:
    source = read_source(str(write_private(tmp_path / "a" / "config.toml", b"mode = 'plan'\n")))

    assert source.text == "mode = 'plan'\n"
    assert source.digest == hashlib.sha256(b"mode = 'plan'\n").hexdigest()


def test_a_file_that_cannot_be_read_is_an_error_with_its_reason(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        read_source(str(tmp_path / "none.toml"))

    assert caught.value.reason == "no such file or directory"


def test_a_directory_is_not_a_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="it is not a regular file"):
        read_source(str(tmp_path))


def test_an_endless_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="larger than"):
        read_source(str(write_private(tmp_path / "a" / "big.toml", b"#" * (MAX_SOURCE_BYTES + 1))))


@pytest.mark.proves("R-13")
def test_the_error_for_invalid_text_names_its_line() -> None:
    with pytest.raises(ConfigError) as caught:
        _ = Source("x.toml", b"a = 1\nb = '\xff'\n").text

    assert (caught.value.line, caught.value.reason) == (2, "it is not UTF-8 text")


@pytest.mark.proves("T-19")
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666, 0o777])
def test_a_guarded_file_that_other_users_can_write_is_refused(tmp_path: Path, mode: int) -> None:
    path = write_private(tmp_path / "a" / "config.toml", mode=mode)

    with pytest.raises(ConfigError, match=f"other users may write to `{path}`; run `chmod go-w {path}`"):
        read_source(str(path), guarded=True)


@pytest.mark.proves("T-19")
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o640, 0o400])
def test_a_guarded_file_that_other_users_can_only_read_is_accepted(tmp_path: Path, mode: int) -> None:
    assert (
        read_source(str(write_private(tmp_path / "a" / "config.toml", mode=mode)), guarded=True).text
        == "x = 1\n"
    )


@pytest.mark.proves("T-19")
def test_a_guarded_file_in_a_directory_that_others_can_write_is_refused(tmp_path: Path) -> None:
    path = write_private(tmp_path / "a" / "config.toml")
    path.parent.chmod(0o777)

    with pytest.raises(ConfigError, match=f"other users may write to `{path.parent}`"):
        read_source(str(path), guarded=True)


def test_a_guarded_file_in_a_sticky_directory_is_accepted(tmp_path: Path) -> None:
    path = write_private(tmp_path / "a" / "config.toml")
    path.parent.chmod(0o1777)

    assert read_source(str(path), guarded=True).text == "x = 1\n"


@pytest.mark.proves("T-19")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_refused(tmp_path: Path) -> None:
    path = write_private(tmp_path / "a" / "config.toml", mode=0o644)
    os.chown(path, 12_345, 12_345)

    with pytest.raises(ConfigError, match="belongs to another user"):
        read_source(str(path), guarded=True)


def test_the_target_of_a_link_is_checked(tmp_path: Path) -> None:
    target = write_private(tmp_path / "a" / "real.toml", mode=0o666)
    link = tmp_path / "a" / "config.toml"
    link.symlink_to(target)

    with pytest.raises(ConfigError, match="other users may write"):
        read_source(str(link), guarded=True)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("mode",), 2),
        (("tools", "effect"), 6),
        (("tools", "b", "effect"), 8),
        (('Bash(echo "x")',), 9),
        (("nowhere",), None),
        (("tools", "nowhere"), 5),
    ],
)
def test_a_line_is_found_by_a_sequence_of_words(words: tuple[str, ...], line: int | None) -> None:
    text = '# mode is explained here\nmode = "plan"\n\n\n[tools.a]\neffect = "read"\n'
    text += '[tools.b]\neffect = "edit"\ndeny = ["Bash(echo \\"x\\")"]\n'
    source = Source("x.toml", text.encode())

    assert source.find_line(*words) == line


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_file_that_could_block_is_not_opened(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "config.toml"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")

    with pytest.raises(ConfigError, match="it is not a regular file"):
        read_source(str(path))


def test_a_pipe_is_read_on_request() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"mode = 'plan'")
    os.close(writing)

    assert read_source(f"/dev/fd/{reading}", piped=True).text == "mode = 'plan'"
    os.close(reading)


@pytest.mark.proves("T-19")
def test_a_new_private_directory_is_accessible_only_to_its_owner(tmp_path: Path) -> None:
    path = make_private_directory(str(tmp_path / "new" / "assent"))

    assert Path(path).stat().st_mode & 0o777 == 0o700
    assert make_private_directory(path) == path


@pytest.mark.proves("T-19")
@pytest.mark.parametrize("mode", [0o701, 0o710, 0o704, 0o740, 0o702, 0o720, 0o777])
def test_an_existing_directory_that_other_users_can_access_is_refused(tmp_path: Path, mode: int) -> None:
    directory = tmp_path / "loose"
    directory.mkdir()
    directory.chmod(mode)

    with pytest.raises(ConfigError, match="chmod 700"):
        make_private_directory(str(directory))


def test_a_path_that_is_not_a_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(ConfigError, match="it is not a directory"):
        make_private_directory(str(tmp_path / "file"))
    with pytest.raises(ConfigError, match="it cannot be created"):
        make_private_directory(str(tmp_path / "file" / "below"))


def test_no_link_in_a_path_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.txt").write_text("text")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "real" / "b.txt").symlink_to("a.txt")

    os.close(open_without_links(f"{tmp_path}/real/a.txt", os.O_RDONLY))
    for path in ("link/a.txt", "real/b.txt"):
        with pytest.raises(OSError, match=r"symbolic links|Not a directory"):
            open_without_links(f"{tmp_path}/{path}", os.O_RDONLY)


def test_missing_directories_are_created_on_request(tmp_path: Path) -> None:
    for _ in range(2):
        with open_parent(f"{tmp_path}/a/b/c.txt", create=True) as (_, name):
            assert (name, (tmp_path / "a" / "b").is_dir()) == ("c.txt", True)
