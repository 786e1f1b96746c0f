"""`assent init` writes a file that explains itself and loosens nothing."""

import json
import stat

from tests.cli.running import Place


def test_a_commented_file_is_written_with_its_schema(place: Place) -> None:
    ran = place.run("init")

    directory = place.root / ".assent"
    text = (directory / "config.toml").read_text()
    assert (ran.status, ran.err) == (0, "")
    assert ran.lines == [
        f"wrote {directory / name}" for name in ("config.toml", "assent.schema.json", ".gitignore")
    ]
    assert text.startswith("#:schema ./assent.schema.json\n")
    assert text.endswith("# end\n")
    assert json.loads((directory / "assent.schema.json").read_text())["title"] == "Assent policy file"
    assert (directory / ".gitignore").read_text() == "config.local.toml\n"


def test_what_it_writes_is_read_and_changes_nothing(place: Place) -> None:
    before = place.run("check", "Bash(make)", "--json").out
    place.run("init")

    after = place.run("check", "Bash(make)", "--json")

    assert (after.out, after.err) == (before, "")


def test_a_file_that_is_there_is_not_written_over_unless_one_insists(place: Place) -> None:
    path = place.write(".assent/config.toml", 'mode = "plan"\n')

    refused = place.run("init")
    assert (refused.status, path.read_text()) == (2, 'mode = "plan"\n')
    assert refused.err == f"assent: cannot use {path}: it exists already; `--force` writes over it\n"

    assert place.run("init", "--force").status == 0
    assert path.read_text() != 'mode = "plan"\n'


def test_it_goes_to_the_root_of_the_repository(place: Place) -> None:
    (place.root / ".git").mkdir()
    (place.root / "deep" / "down").mkdir(parents=True)

    place.run("init", cwd=place.root / "deep" / "down")

    assert (place.root / ".assent" / "config.toml").exists()


def test_the_persons_own_file_is_one_that_only_they_can_change(place: Place) -> None:
    assert place.run("init", "--user").status == 0

    path = place.user / "config.toml"
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert place.run("check", "Bash(ls)").status == 0
    assert not (place.root / ".assent").exists()


def test_a_place_that_cannot_be_written_is_a_clear_error(place: Place) -> None:
    place.write(".assent", "a file in the way")

    ran = place.run("init")

    assert ran.status == 2
    assert "cannot be written" in ran.err
