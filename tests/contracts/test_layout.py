"""The source tree follows its rules: import layers, file sizes, first lines, and mirrored tests."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.contracts.tree import ROOT, SRC, TESTS, parse_file, relative_name, source_files

LATE_IMPORT_FILES = (SRC / "cli", SRC / "compose.py")
PROGRAMS_FOLDER = SRC / "engine" / "programs"
DATA_TABLES = (PROGRAMS_FOLDER, SRC / "engine" / "powershell" / "cmdlet_table.py")
MAX_LINES = 400
PURE_MODULES = {
    "__future__", "abc", "ahocorasick", "assent", "ast", "bisect", "builtins", "collections", "contextlib", "copy", "difflib",
    "dataclasses", "enum", "functools", "hashlib", "heapq", "hmac", "importlib", "itertools", "json", "math",
    "ntpath", "operator", "posixpath", "re", "shlex", "string", "textwrap", "tree_sitter", "types", "typing",
    "unicodedata",
}  # fmt: skip


def test_imports_point_down_only() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    command = [str(linter), "--no-logo", "--cache-dir", ".cache/importlinter"]

    linting = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert linting.returncode == 0, linting.stdout + linting.stderr


def test_the_first_line_of_a_module_states_its_purpose() -> None:
    silent = [
        relative_name(module)
        for module in source_files()
        if len(_first_line(module)) < len("A noun and its verbs.")
    ]

    assert silent == []


def test_no_module_is_too_long() -> None:
    sizes = {module: len(module.read_text("utf-8").splitlines()) for module in source_files()}

    assert {relative_name(module): size for module, size in sizes.items() if size > _max_lines(module)} == {}


def test_imports_stand_at_the_top() -> None:
    strict = [module for module in source_files() if not any(map(module.is_relative_to, LATE_IMPORT_FILES))]

    assert {relative_name(module): lines for module in strict if (lines := _late_imports(module))} == {}


def test_the_engine_imports_only_pure_modules() -> None:
    imported = {module: set(_imported_packages(parse_file(module))) for module in source_files("engine")}

    assert {
        relative_name(module): names - PURE_MODULES
        for module, names in imported.items()
        if names - PURE_MODULES
    } == {}


def test_every_module_with_functions_has_tests() -> None:
    active = [module for module in source_files() if _has_functions(module)]

    assert [relative_name(module) for module in active if not _has_test_file(module)] == []


def _first_line(module: Path) -> str:
    return (ast.get_docstring(parse_file(module)) or "").partition("\n")[0]


def _max_lines(module: Path) -> int:
    return sys.maxsize if any(map(module.is_relative_to, DATA_TABLES)) else MAX_LINES


def _late_imports(module: Path) -> list[int]:
    return [
        statement.lineno
        for function in ast.walk(parse_file(module))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for statement in ast.walk(function)
        if isinstance(statement, ast.Import | ast.ImportFrom)
    ]


def _imported_packages(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]


def _has_functions(module: Path) -> bool:
    if module.name.startswith("__") or module.is_relative_to(PROGRAMS_FOLDER):
        return False
    return any(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) for node in parse_file(module).body)


def _has_test_file(module: Path) -> bool:
    """Whether a module has a test file; the modules of a subpackage may share one."""
    directory = TESTS / module.relative_to(SRC).parent
    is_inner = len(module.relative_to(SRC).parts) > 2
    return (directory / f"test_{module.stem}.py").exists() or (is_inner and any(directory.glob("test_*.py")))
