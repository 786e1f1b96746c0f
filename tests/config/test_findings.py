"""Each search of a call has a finding; a search that fails finds something."""

from pathlib import Path

import pytest

from assent.config import findings
from assent.config.findings import make_searches
from assent.config.workspace import directories_on_disk
from assent.engine.base.facts import DirectorySearch, Search


def test_a_finding_names_the_file_and_the_key(tmp_path: Path) -> None:
    (tmp_path / ".git" / "objects").mkdir(parents=True)
    (tmp_path / ".git" / "refs").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / ".git" / "config").write_text("[core]\n\tfsmonitor = ./x\n")
    directories = directories_on_disk(str(tmp_path), [str(tmp_path)], "")
    search = DirectorySearch(Search("git", "fsmonitor"), str(tmp_path))

    assert make_searches(directories, [search]) == {
        search.key: "`.git/config` could run code: it sets `core.fsmonitor`, which this command uses"
    }


def test_a_program_without_known_files_finds_something(tmp_path: Path) -> None:
    directories = directories_on_disk(str(tmp_path), [str(tmp_path)], "")
    search = DirectorySearch(Search("ls"), str(tmp_path))

    assert make_searches(directories, [search])[search.key] != ""


@pytest.mark.parametrize("error", [OSError("x"), ValueError("x")])
def test_a_search_that_fails_finds_something(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(path: str) -> str:
        raise error

    directories = directories_on_disk(str(tmp_path), [str(tmp_path)], "")
    search = DirectorySearch(Search("git", ""), str(tmp_path))
    monkeypatch.setattr(findings, "resolve_path", fail)

    assert "cannot be searched" in make_searches(directories, [search])[search.key]
