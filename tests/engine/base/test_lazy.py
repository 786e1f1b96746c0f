"""Patterns are compiled on first use, and every pattern of the engine compiles."""

import ast
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

import assent.engine
from assent.engine.base import lazy as module
from assent.engine.base.lazy import load_attribute, regex
from assent.engine.base.tool import Dialect

ENGINE = sorted(found.name for found in walk_packages(assent.engine.__path__, "assent.engine."))


def test_a_lazy_pattern_behaves_like_the_compiled_pattern() -> None:
    pattern = regex(r"(a+)b", re.IGNORECASE)

    assert pattern.fullmatch("AAB")[1] == "AA"
    assert pattern.sub("-", "xabx") == "x-x"
    assert pattern.flags == re.compile("a", re.IGNORECASE).flags


def test_a_lazy_pattern_is_compiled_on_its_first_use_and_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[object] = []
    monkeypatch.setattr(module.re, "compile", lambda source, flags: compiled.append(source) or re.Pattern)
    pattern = regex("never seen before")
    assert compiled == []

    first = pattern.fullmatch

    assert pattern.fullmatch is first
    assert compiled == ["never seen before"]


def test_a_missing_attribute_of_a_pattern_is_an_error() -> None:
    with pytest.raises(AttributeError):
        regex("a").no_such_method  # noqa: B018


def test_a_pattern_of_bytes_reads_bytes() -> None:
    assert regex(rb"[a-z]+").match(b"abc")


@pytest.mark.parametrize("name", ENGINE)
def test_every_pattern_of_the_engine_compiles(name: str) -> None:
    patterns = [
        value for value in vars(import_module(name)).values() if isinstance(value, module._LazyPattern)
    ]

    assert [pattern for pattern in patterns if not isinstance(pattern.pattern, str | bytes)] == []


def test_the_engine_compiles_no_pattern_while_it_is_loaded() -> None:
    sources = {name: Path(str(import_module(name).__file__)) for name in ENGINE if name != module.__name__}

    assert [name for name, path in sources.items() if _compiles(path)] == []


def _compiles(path: Path) -> bool:
    return any(
        isinstance(node, ast.Attribute) and (ast.unparse(node) == "re.compile")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
    )


def test_a_name_is_looked_up_in_its_module() -> None:
    assert load_attribute("base.tool", "Dialect") is Dialect


@pytest.mark.parametrize(("module", "name"), [("no_such_module", "x"), ("base.tool", "no_such_name")])
def test_a_missing_module_or_attribute_is_an_error(module: str, name: str) -> None:
    with pytest.raises((ModuleNotFoundError, AttributeError)):
        load_attribute(module, name)


LOADED = {
    "npm run build": {"programs.javascript": True, "programs.cloud": False, "bash.walk": False},
    "git log -2": {"programs.git": True, "programs.checks.git": True, "programs.checks.jq": False},
    "echo 'a b'": {"bash.walk": True, "powershell.language": False, "programs.checks.text": False},
}


@pytest.mark.parametrize("line", LOADED)
def test_a_line_loads_what_it_needs_and_little_more(line: str) -> None:
    program = (
        "import sys; from assent.engine.lines.line import load_language; from assent.engine.lines.line import parse_line;"
        "from assent.engine.base.tool import Dialect; parse_line(sys.argv[1], load_language(Dialect.SHELL));"
        "print(*sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", program, line], check=True, capture_output=True, text=True)

    loaded = run.stdout.split()

    assert {name: f"assent.engine.{name}" in loaded for name in LOADED[line]} == LOADED[line]
