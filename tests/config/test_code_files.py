"""Files that make programs run code are found where the program looks for them."""

from pathlib import Path

import pytest

from assent.config import code_files
from assent.config.code_files import find_named_code
from assent.config.workspace import directories_on_disk
from assent.engine.programs.code_files import CodeFile

KEYED = CodeFile("settings.ini", keys="runner shell")


def named(start: Path, *files: CodeFile, home: Path | None = None) -> tuple[str, str] | None:
    """What is found from a directory, and in which file."""
    directories = directories_on_disk(str(start), [str(start)], str(home or ""))
    found = find_named_code(str(start), files, (), directories)
    return None if found is None else (found.what, found.file)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Runner = x\n", "it contains `Runner`"),
        ("a = b\n", None),
        ("a\\u0062 = c\n", "its keys may be written in another way"),
        ("a = ${HOME}\n", None),
        ("runners = x\npre-shell = y\n", None),
    ],
)
def test_a_key_in_a_file_is_found(tmp_path: Path, text: str, what: str | None) -> None:
    (tmp_path / "settings.ini").write_text(text)

    assert named(tmp_path, KEYED) == (what and (what, str(tmp_path / "settings.ini")))


def test_files_above_are_found_but_not_those_of_the_home_directory(tmp_path: Path) -> None:
    start = tmp_path / "home" / "work" / "src"
    start.mkdir(parents=True)
    (tmp_path / "home" / "settings.ini").write_text("shell = x\n")
    assert named(start, KEYED, home=tmp_path / "home") is None
    assert named(start, KEYED, home=tmp_path / "other") is not None
    assert named(start, KEYED._replace(above=False)) is None

    (start.parent / "settings.ini").write_text("shell = x\n")

    assert named(start, KEYED, home=tmp_path / "home") is not None


def test_a_file_without_keys_is_code_and_its_name_may_be_a_glob(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "a.toml").write_text("")

    assert named(tmp_path, CodeFile("conf/*.toml")) is not None
    assert named(tmp_path, CodeFile("conf/*.yaml"), CodeFile("none/*.toml")) is None


def test_a_directory_with_too_many_names_is_found_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_files, "MAX_NAMES", 1)
    for name in ("a", "b"):
        (tmp_path / name).write_text("")

    assert named(tmp_path, CodeFile("*.x")) == ("this program would run or load it", str(tmp_path))
