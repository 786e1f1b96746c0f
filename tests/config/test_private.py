"""A private directory is its owner's alone, or none of ours."""

from pathlib import Path

import pytest

from assent.config.private import private_directory
from assent.errors import ConfigError


@pytest.mark.proves("T-19")
def test_a_new_one_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = private_directory(str(tmp_path / "new" / "assent"))

    assert Path(path).stat().st_mode & 0o777 == 0o700
    assert private_directory(path) == path


@pytest.mark.proves("T-19")
@pytest.mark.parametrize("mode", [0o701, 0o710, 0o704, 0o740, 0o702, 0o720, 0o777])
def test_one_that_others_may_use_is_refused(tmp_path: Path, mode: int) -> None:
    directory = tmp_path / "loose"
    directory.mkdir()
    directory.chmod(mode)

    with pytest.raises(ConfigError, match="chmod 700"):
        private_directory(str(directory))


def test_what_is_no_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(ConfigError, match="it is not a directory"):
        private_directory(str(tmp_path / "file"))
    with pytest.raises(ConfigError, match="it cannot be made"):
        private_directory(str(tmp_path / "file" / "below"))
