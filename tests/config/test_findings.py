"""Each search of a call has a finding; a search that fails finds something."""

from pathlib import Path

import pytest

from assent.config import findings
from assent.config.findings import (
    code_digest,
    find_named_code,
    find_untrusted_code,
    make_searches,
    names_program_code,
)
from assent.config.repository import NO_TRUST
from assent.config.workspace import directories_on_disk
from assent.engine.base.facts import DirectorySearch, Search
from assent.engine.programs.catalog import topic_entries
from assent.engine.programs.code_files import CodeFile
from assent.engine.programs.index import NAMES
from assent.engine.programs.program import Program, ReadEntry, Reads

ENTRIES = tuple(
    {id(program): program for topic in NAMES for program in topic_entries(topic).values()}.values()
)


def test_a_finding_names_the_file_and_the_key(tmp_path: Path) -> None:
    (tmp_path / ".git" / "objects").mkdir(parents=True)
    (tmp_path / ".git" / "refs").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / ".git" / "config").write_text("[core]\n\tfsmonitor = ./x\n")
    directories = directories_on_disk(str(tmp_path), [str(tmp_path)], "")
    search = DirectorySearch(Search("git", "fsmonitor"), str(tmp_path))

    assert make_searches(directories, [search], None) == {
        search.key: "`.git/config` could run code: it sets `core.fsmonitor`, which this command uses"
    }


def test_a_program_without_known_files_finds_something(tmp_path: Path) -> None:
    directories = directories_on_disk(str(tmp_path), [str(tmp_path)], "")
    search = DirectorySearch(Search("ls"), str(tmp_path))

    assert make_searches(directories, [search], None)[search.key] != ""


@pytest.mark.parametrize("error", [OSError("x"), ValueError("x")])
def test_a_search_that_fails_finds_something(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(path: str) -> str:
        raise error

    directories = directories_on_disk(str(tmp_path), [str(tmp_path)], "")
    search = DirectorySearch(Search("git", ""), str(tmp_path))
    monkeypatch.setattr(findings, "resolve_path", fail)

    tasks = DirectorySearch(Search("@make"), str(tmp_path))
    found = make_searches(directories, [search, tasks], {})
    assert "cannot be searched" in found[search.key]
    assert found[tasks.key] == f"- {tmp_path}"


CODE_FILES = [
    pytest.param(program, file, key, id=f"{program.names.split()[0]}: {file.path} {key}")
    for program in ENTRIES
    for file in program.code_files
    for key in file.keys.split() or [""]
]


@pytest.mark.proves("T-32")
@pytest.mark.parametrize(("program", "file", "key"), CODE_FILES)
def test_each_file_that_an_entry_lists_is_found_with_each_key(
    tmp_path: Path, program: Program, file: CodeFile, key: str
) -> None:
    directories = directories_on_disk(str(tmp_path), [str(tmp_path)], "")
    inner = tmp_path / "src" / "deep"
    inner.mkdir(parents=True)
    search = Search(program.names.split()[0], f"objects {file.settings}".strip())
    here, below = (DirectorySearch(search, str(place)) for place in (tmp_path, inner))
    assert make_searches(directories, [here, below], None) == {here.key: "", below.key: ""}

    path = tmp_path / file.path.replace("*", "x")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{key}: x\n")

    found = make_searches(directories, [here, below], None)
    assert f"`{file.path.replace('*', 'x')}` could run code" in found[here.key]
    assert bool(found[below.key]) is file.above


@pytest.mark.proves("T-32")
@pytest.mark.parametrize(
    "program", [pytest.param(program, id=program.names.split()[0]) for program in ENTRIES]
)
def test_each_program_that_files_can_make_run_code_lists_these_files(program: Program) -> None:
    assert bool(program.code_files) or not any(_entries_with_trust(program.reads)) or program.names == "git"


def _entries_with_trust(entry: ReadEntry | None) -> list[ReadEntry]:
    """The entry and its sub-commands that files of the workspace can make run code."""
    if entry is None:
        return []
    inner = [] if isinstance(entry, Reads) else [*entry.commands.values()]
    return [*([entry] if entry.trust else []), *(one for own in inner for one in _entries_with_trust(own))]


KEYED = CodeFile("settings.ini", keys="runner shell")


def find_code(start: Path, *files: CodeFile, home: Path | None = None) -> tuple[str, str] | None:
    """Find code from a directory; returns what was found, and its file."""
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

    assert find_code(tmp_path, KEYED) == (what and (what, str(tmp_path / "settings.ini")))


def test_files_above_are_found_but_not_those_of_the_home_directory(tmp_path: Path) -> None:
    start = tmp_path / "home" / "work" / "src"
    start.mkdir(parents=True)
    (tmp_path / "home" / "settings.ini").write_text("shell = x\n")
    assert find_code(start, KEYED, home=tmp_path / "home") is None
    assert find_code(start, KEYED, home=tmp_path / "other") is not None
    assert find_code(start, KEYED._replace(above=False)) is None

    (start.parent / "settings.ini").write_text("shell = x\n")

    assert find_code(start, KEYED, home=tmp_path / "home") is not None


def test_a_file_without_keys_is_code_and_its_name_may_be_a_glob(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "a.toml").write_text("")

    assert find_code(tmp_path, CodeFile("conf/*.toml")) is not None
    assert find_code(tmp_path, CodeFile("conf/*.yaml"), CodeFile("none/*.toml")) is None


def test_a_directory_with_too_many_names_is_found_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(findings, "MAX_NAMES", 1)
    for name in ("a", "b"):
        (tmp_path / name).write_text("")

    assert find_code(tmp_path, CodeFile("*.x")) == ("this program would run or load it", str(tmp_path))


def test_a_path_of_a_pack_that_leads_out_cannot_be_read(tmp_path: Path) -> None:
    root = tmp_path / "work"
    root.mkdir()
    (root / "out").symlink_to("..")
    (root / "src").mkdir()
    directories = directories_on_disk(str(root), [str(root)], "")
    found = make_searches(
        directories,
        [
            DirectorySearch(Search("@python", "inside"), str(root / "out")),
            DirectorySearch(Search("@python"), str(root / "out")),
            DirectorySearch(Search("@python", "inside"), str(root / "src")),
        ],
        {},
    )

    assert [text != "" for text in found.values()] == [True, True, False]


def test_only_a_file_with_the_trusted_content_names_nothing(tmp_path: Path) -> None:
    directories = directories_on_disk(str(tmp_path), [str(tmp_path)], "")
    settings = tmp_path / ".yarnrc.yml"
    settings.write_text("yarnPath: ./a.js\n", "utf-8")
    search = DirectorySearch(Search("yarn"), str(tmp_path))
    trust = NO_TRUST.with_file(str(settings), code_digest(str(settings)))

    assert make_searches(directories, [search], None, trust) == {search.key: ""}
    assert find_untrusted_code(str(tmp_path), directories, trust) == {}
    settings.write_text("yarnPath: ./b.js\n", "utf-8")
    changed = make_searches(directories, [search], None, trust)
    assert names_program_code([search], changed)
    assert list(find_untrusted_code(str(tmp_path), directories, trust)) == [str(settings)]


def test_what_cannot_be_read_has_no_digest_and_is_never_trusted(tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to("/etc/hostname")
    trust = NO_TRUST.with_file(str(tmp_path), "")

    assert code_digest(str(tmp_path)) == code_digest(str(tmp_path / "out")) == ""
    assert code_digest(str(tmp_path / "missing")) == ""
    assert not trust.trusts_file(str(tmp_path), "")


def test_trust_in_a_repository_answers_no_search_for_other_programs() -> None:
    git, yarn, pack = (DirectorySearch(Search(name), "/w") for name in ("git", "yarn", "@make"))

    assert names_program_code([git, yarn], {yarn.key: "x"})
    assert not names_program_code([git, yarn, pack], {git.key: "x", yarn.key: "", pack.key: "x"})
