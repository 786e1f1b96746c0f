"""Facts are gathered from the disk before deciding; what cannot be known has no fact."""

import os
from pathlib import Path

import pytest

from assent.config.workspace import gather, imagine, imagined_place, is_case_sensitive, place_on_disk


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "work" / "src").mkdir(parents=True)
    (tmp_path / "work" / "src" / "a.ts").write_text("")
    (tmp_path / "work" / "link").symlink_to("/etc")
    (tmp_path / "work" / "loop").symlink_to("loop")
    return tmp_path / "work"


def trusts(_directory: str) -> bool:
    return True


@pytest.mark.proves("T-27")
def test_each_path_gets_what_it_really_is(root: Path) -> None:
    place = place_on_disk(str(root), [str(root)], "/home/user")
    wanted = [f"{root}/src/a.ts", f"{root}/link/passwd", f"{root}/src/*.ts", f"{root}/none*"]

    facts = gather(place, wanted, trusts=trusts)

    assert facts.real == {
        f"{root}/src/a.ts": (f"{root}/src/a.ts",),
        f"{root}/link/passwd": ("/etc/passwd",),
        f"{root}/src/*.ts": (f"{root}/src/a.ts",),
        f"{root}/none*": (f"{root}/none*",),
    }


@pytest.mark.proves("T-27")
@pytest.mark.parametrize(
    "path", ["{root}/loop/x", "/proc/self/cwd/x", "{root}/a\0b", "{root}/src/a.ts/.", "/" + "a" * 5_000]
)
def test_a_path_that_cannot_be_resolved_has_no_fact(root: Path, path: str) -> None:
    place = place_on_disk(str(root), [str(root)], "/home/user")

    assert gather(place, [path.format(root=root)], trusts=trusts).real == {}


def test_a_person_without_a_home_has_none_in_the_facts(root: Path) -> None:
    assert place_on_disk(str(root), [str(root)], "").home == ""


def test_roots_are_kept_as_the_file_system_knows_them(root: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(root)

    place = place_on_disk(str(root), [str(tmp_path / "alias"), str(root), "/etc"], "/home/user")

    assert place.roots == (str(root), "/etc")


@pytest.mark.proves("T-32")
def test_a_line_that_enters_another_repository_needs_trust_in_both(root: Path) -> None:
    place = place_on_disk(str(root), [str(root)], "/home/user")
    trusted = {str(root)}

    assert gather(place, [], trusts=trusted.__contains__).trusted_repository is True
    assert gather(place, [f"{root}/src"], trusts=trusted.__contains__).trusted_repository is False
    assert gather(place, [f"{root}/src/a.ts"], trusts=trusted.__contains__).trusted_repository is True
    assert gather(place, [], trusts=set[str]().__contains__).trusted_repository is False


def test_an_imagined_place_needs_no_disk() -> None:
    place = imagined_place("/project/", "/home/user")

    facts = imagine(place, ["/project/a/../b", "/project/../etc"], trusted_repository=True)

    assert (place.roots, place.cwd, place.home) == (("/project",), "/project", "/home/user")
    assert facts.real == {"/project/a/../b": ("/project/b",), "/project/../etc": ("/etc",)}
    assert facts.trusted_repository is True


def test_letter_case_is_found_out_without_writing(root: Path) -> None:
    before = sorted(root.iterdir())

    assert is_case_sensitive(str(root)) is not (root / "SRC").exists()
    assert sorted(root.iterdir()) == before


@pytest.mark.proves("T-27")
def test_a_volume_that_folds_case_is_noticed(tmp_path: Path) -> None:
    # Two names of one file look from outside exactly like a volume that does not tell them apart.
    (tmp_path / "name").write_text("")
    os.link(tmp_path / "name", tmp_path / "NAME")

    assert is_case_sensitive(str(tmp_path)) is False


def test_where_nothing_can_be_compared_case_counts(tmp_path: Path) -> None:
    (tmp_path / "123").mkdir()

    assert is_case_sensitive(str(tmp_path / "123")) is True
    assert is_case_sensitive(str(tmp_path / "missing")) is True
