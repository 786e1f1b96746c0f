"""Shells are loaded when the first line of their kind comes."""

import subprocess
import sys

import pytest

from assent.engine import languages
from assent.engine.lines.program_part import Language
from assent.engine.model import Dialect


@pytest.mark.parametrize("dialect", [Dialect.SHELL, Dialect.POWERSHELL])
def test_a_dialect_of_commands_has_a_language(dialect: Dialect) -> None:
    assert isinstance(languages.language_of(dialect), Language)


def test_what_is_not_a_language_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(languages._HOMES, Dialect.TEXT, ("model", "Dialect"))

    with pytest.raises(TypeError, match="is not a language"):
        languages.language_of(Dialect.TEXT)


def test_a_bash_line_does_not_load_powershell() -> None:
    program = (
        "import sys; from assent.engine.languages import language_of; from assent.engine.model import Dialect;"
        "language_of(Dialect.SHELL); sys.exit('assent.engine.powershell.language' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
