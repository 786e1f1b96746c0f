"""What a line does not need is not loaded; what it needs is there when it does."""

import subprocess
import sys

import pytest

from assent.engine.late import late
from assent.engine.model import Dialect


def test_a_name_is_looked_up_in_its_module() -> None:
    assert late("model", "Dialect") is Dialect


@pytest.mark.parametrize(("module", "name"), [("no_such_module", "x"), ("model", "no_such_name")])
def test_what_is_not_there_is_an_error_and_never_nothing(module: str, name: str) -> None:
    with pytest.raises((ModuleNotFoundError, AttributeError)):
        late(module, name)


LOADED = {
    "npm run build": {"programs.javascript": True, "programs.cloud": False, "bash.walk": False},
    "git log -2": {"programs.git": True, "programs.checks.git": True, "programs.checks.jq": False},
    "echo 'a b'": {"bash.walk": True, "powershell.language": False, "programs.checks.awk": False},
}


@pytest.mark.parametrize("line", LOADED)
def test_a_line_loads_what_it_needs_and_little_more(line: str) -> None:
    program = (
        "import sys; from assent.engine.lines.program_part import language_of; from assent.engine.lines.line import parse_line;"
        "from assent.engine.model import Dialect; parse_line(sys.argv[1], language_of(Dialect.SHELL));"
        "print(*sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", program, line], check=True, capture_output=True, text=True)

    loaded = run.stdout.split()

    assert {name: f"assent.engine.{name}" in loaded for name in LOADED[line]} == LOADED[line]
