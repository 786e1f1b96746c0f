"""Trust is given to exact content, kept where only its owner writes, and lost with any change."""

import json
import stat
import subprocess
from pathlib import Path

import pytest

from assent.config.repository import find_repository
from assent.config.trust import NO_TRUST, Trust, load_trust, save_trust
from assent.errors import ConfigError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir(mode=0o700)
    return tmp_path / "data" / "trust.json"


def test_nothing_is_trusted_where_nothing_was(file: Path) -> None:
    assert load_trust(str(file)) is NO_TRUST


@pytest.mark.proves("T-19")
def test_what_was_trusted_is_kept_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "assent" / "trust.json"
    trust = Trust(files={"/a": "1"}, repositories={"/b": "2"})

    save_trust(str(path), trust)

    assert load_trust(str(path)) == trust
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [entry.name for entry in path.parent.iterdir()] == ["trust.json"]


@pytest.mark.proves("T-12")
def test_a_file_is_trusted_as_it_was_and_not_as_it_became(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    trust = NO_TRUST.with_file(str(path), "digest")

    assert trust.trusts_file(str(path), "digest")
    assert not trust.trusts_file(str(path), "other")
    assert not trust.trusts_file(str(tmp_path / "elsewhere.toml"), "digest")
    assert not NO_TRUST.trusts_file(str(path), "digest")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    path = tmp_path / "repo"
    path.mkdir()
    subprocess.run(["git", "init", "-q", str(path)], check=True)
    return path


def trusting(path: Path) -> Trust:
    repository = find_repository(str(path))
    assert repository is not None
    return NO_TRUST.with_repository(repository)


@pytest.mark.proves("T-32")
def test_a_repository_is_not_trusted_until_a_person_says_so(repo: Path) -> None:
    assert not NO_TRUST.trusts_directory(str(repo))
    assert trusting(repo).trusts_directory(str(repo))


@pytest.mark.proves("T-32")
@pytest.mark.parametrize(
    "key", ["core.fsmonitor", "diff.x.textconv", "gpg.program", "core.hooksPath", "alias.st"]
)
def test_a_change_of_its_configuration_takes_the_trust_away(repo: Path, key: str) -> None:
    trust = trusting(repo)

    subprocess.run(["git", "-C", str(repo), "config", key, "./evil"], check=True)

    assert not trust.trusts_directory(str(repo))


@pytest.mark.proves("T-32")
def test_trust_in_one_repository_says_nothing_of_another_inside_it(repo: Path) -> None:
    trust = trusting(repo)
    subprocess.run(["git", "init", "-q", "--bare", str(repo / "docs")], check=True)

    assert trust.trusts_directory(str(repo))
    assert not trust.trusts_directory(str(repo / "docs"))


def test_where_there_is_no_repository_there_is_nothing_to_trust(tmp_path: Path) -> None:
    assert not NO_TRUST.trusts_directory(str(tmp_path))


@pytest.mark.proves("T-32")
def test_what_cannot_be_read_whole_cannot_be_trusted(repo: Path) -> None:
    (repo / ".git" / "config").write_text("[core")

    with pytest.raises(ConfigError, match="a change would not be noticed"):
        trusting(repo)


@pytest.mark.proves("R-13")
@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "{}", '{"files": {}}', '{"files": [], "repositories": {}}',
     '{"files": {"/a": 1}, "repositories": {}}', '{"files": {}, "files": {}, "repositories": {}}'],
)  # fmt: skip
def test_a_broken_file_is_an_error_and_not_an_empty_one(file: Path, text: str) -> None:
    file.write_text(text)
    file.chmod(0o600)

    with pytest.raises(ConfigError, match="to trust nothing"):
        load_trust(str(file))


@pytest.mark.proves("R-13")
def test_a_file_cut_short_anywhere_is_an_error(file: Path) -> None:
    save_trust(str(file), Trust(files={"/a": "1"}, repositories={"/b": "2"}))
    whole = file.read_bytes().rstrip()

    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        with pytest.raises(ConfigError):
            load_trust(str(file))


@pytest.mark.proves("T-19")
def test_a_file_that_others_may_write_is_refused(file: Path) -> None:
    file.write_text(json.dumps({"files": {}, "repositories": {}}))
    file.chmod(0o666)

    with pytest.raises(ConfigError, match="other users may write"):
        load_trust(str(file))


def test_a_place_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(ConfigError, match="cannot be written"):
        save_trust(str(tmp_path / "file" / "trust.json"), NO_TRUST)
