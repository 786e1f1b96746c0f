"""The house stands as drawn: layers, sizes, first lines, and tests that mirror the source."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.contracts.tree import ROOT, SRC, TESTS, modules, name, parsed

MAY_IMPORT_LATE = (SRC / "cli", SRC / "compose.py")
KNOWLEDGE = SRC / "engine" / "programs"
TABLES = (KNOWLEDGE, SRC / "engine" / "powershell" / "cmdlet_table.py")
LONGEST_MODULE = 400
PURE = {
    "__future__", "abc", "ahocorasick", "assent", "bisect", "collections", "contextlib", "copy", "difflib",
    "dataclasses", "enum", "functools", "hashlib", "heapq", "hmac", "importlib", "itertools", "json", "math",
    "ntpath", "operator", "posixpath", "re", "shlex", "string", "textwrap", "tree_sitter", "types", "typing",
    "unicodedata",
}  # fmt: skip


def test_imports_point_down_only() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    command = [str(linter), "--no-logo", "--cache-dir", ".cache/importlinter"]

    linting = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert linting.returncode == 0, linting.stdout + linting.stderr


def test_a_module_says_its_purpose_in_its_first_line() -> None:
    silent = [name(module) for module in modules() if len(_first_line(module)) < len("A noun and its verbs.")]

    assert silent == []


def test_a_module_is_short_enough_to_know() -> None:
    sizes = {module: len(module.read_text("utf-8").splitlines()) for module in modules()}

    assert {name(module): size for module, size in sizes.items() if size > _limit(module)} == {}


def test_imports_stand_at_the_top() -> None:
    strict = [module for module in modules() if not any(map(module.is_relative_to, MAY_IMPORT_LATE))]

    assert {name(module): lines for module in strict if (lines := _late_imports(module))} == {}


def test_the_engine_imports_only_what_is_pure() -> None:
    imported = {module: set(_imported(parsed(module))) for module in modules("engine")}

    assert {name(module): names - PURE for module, names in imported.items() if names - PURE} == {}


def test_a_module_that_does_something_has_its_own_tests() -> None:
    active = [module for module in modules() if _does_something(module)]

    assert [name(module) for module in active if not _is_tested(module)] == []


def _first_line(module: Path) -> str:
    return (ast.get_docstring(parsed(module)) or "").partition("\n")[0]


def _limit(module: Path) -> int:
    return sys.maxsize if any(map(module.is_relative_to, TABLES)) else LONGEST_MODULE


def _late_imports(module: Path) -> list[int]:
    return [
        statement.lineno
        for function in ast.walk(parsed(module))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for statement in ast.walk(function)
        if isinstance(statement, ast.Import | ast.ImportFrom)
    ]


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]


def _does_something(module: Path) -> bool:
    if module.name.startswith("__") or module.is_relative_to(KNOWLEDGE):
        return False
    return any(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in parsed(module).body)


def _is_tested(module: Path) -> bool:
    """Whether a module has a test file; modules of an inner package may share the tests of that package."""
    place = TESTS / module.relative_to(SRC).parent
    is_inner = len(module.relative_to(SRC).parts) > 2
    return (place / f"test_{module.stem}.py").exists() or (is_inner and any(place.glob("test_*.py")))
