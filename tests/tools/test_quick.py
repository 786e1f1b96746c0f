"""`./dev quick` runs the tests that a change can affect, nearest first."""

import ast
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.import_graph import read_graph
from tools.quick import ROOT, affected_tests, mirrored_test

SAMPLE_PROJECT = {
    "src/assent/__init__.py": "",
    "src/assent/engine/__init__.py": "",
    "src/assent/engine/policy/__init__.py": "",
    "src/assent/engine/policy/modes.py": "",
    "src/assent/engine/decide.py": "from assent.engine.policy import modes\n",
    "src/assent/cli.py": 'LATE = "assent.engine.decide"\n',
    "tests/__init__.py": "",
    "tests/conftest.py": "",
    "tests/test_cli.py": "import assent.cli\n",
    "tests/engine/test_decide.py": "from assent.engine.decide import (\n    modes,\n)\n",
    "tests/engine/policy/test_modes.py": "from assent.engine.policy.modes import MODES\n",
    "tests/engine/test_other.py": "",
    "tests/test_golden.py": "text = open('x').read()\n",
    "tests/web/test_page.py": "from assent.engine.policy import modes\n",
}
EXAMPLE_MODULES = ("assent.engine.policy.modes", "assent.wire.call")
"""The modules that every test run breaks; a deep run breaks twenty modules, which depend on the commit."""
CHOSEN_FILES = 3
"""Number of nearest test files that run with a broken line."""
FUNCTIONS_TRIED = 3
"""Number of functions of a module that are broken one after another until a test fails."""


def test_the_nearest_tests_of_a_change_run_first(tmp_path: Path) -> None:
    for name, text in SAMPLE_PROJECT.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    graph = read_graph(tmp_path)

    assert affected_tests(graph, ["assent.engine.policy.modes"]) == [
        "tests.engine.policy.test_modes",
        "tests.engine.test_decide",
        "tests.test_cli",
        "tests.test_golden",
    ]
    assert set(affected_tests(graph, ["tests.conftest"])) == {
        "tests.engine.policy.test_modes",
        "tests.engine.test_decide",
        "tests.engine.test_other",
        "tests.test_cli",
        "tests.test_golden",
    }


def current_commit() -> str:
    """The id of the current commit; it determines which modules are broken."""
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def order_by_commit(names: list[str]) -> list[str]:
    """The names in an order that depends on the commit."""
    return sorted(names, key=lambda name: hashlib.sha256(f"{current_commit()} {name}".encode()).digest())


def last_statement_lines(path: Path) -> list[str]:
    """The line number of the last statement of each function of a module."""
    functions = [
        node
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not _is_stub(node)
    ]
    return [str(node.body[-1].lineno) for node in functions]


def _is_stub(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return isinstance(last := node.body[-1], ast.Expr) and isinstance(last.value, ast.Constant)


def choose_modules(count: int) -> list[str]:
    """Modules with their own test file, taken from all folders in turn, until there are enough."""
    graph = read_graph(ROOT)
    folders: dict[str, list[str]] = {}
    tested = {
        mirrored_test(name): name for name, path in graph.files.items() if _has_breakable_lines(name, path)
    }
    for module in order_by_commit([name for test, name in tested.items() if test in graph.files]):
        folders.setdefault(module.rpartition(".")[0], []).append(module)
    order = order_by_commit(list(folders))
    rounds = max(map(len, folders.values()))
    return [folders[name][at] for at in range(rounds) for name in order if at < len(folders[name])][:count]


def _has_breakable_lines(module: str, path: Path) -> bool:
    return module.startswith("assent.") and len(last_statement_lines(path)) >= FUNCTIONS_TRIED


@pytest.fixture(scope="module")
def tree_copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the working tree in which a test may break code."""
    copy = tmp_path_factory.mktemp("scratch")
    for name in ("src", "tests", "tools", "chaos", "bench", "docs"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    return copy


def is_noticed(tree_copy: Path, module: str, line: str) -> bool:
    """Whether one of the chosen tests fails when a line of a module raises an error."""
    graph = read_graph(tree_copy)
    path = graph.files[module]
    before = path.read_text("utf-8")
    lines = before.splitlines(keepends=True)
    at = int(line) - 1
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    lines.insert(at, f"{indent}raise ArithmeticError\n")
    path.write_text("".join(lines), "utf-8")
    try:
        tests = [str(graph.files[one]) for one in affected_tests(graph, [module])[:CHOSEN_FILES]]
        command = [sys.executable, "-m", "pytest", "-qx", "-p", "no:xdist", *tests]
        environment = os.environ | {"PYTHONPATH": str(tree_copy / "src")}
        done = subprocess.run(
            command, cwd=tree_copy, env=environment, capture_output=True, text=True, check=False
        )
        return done.returncode == pytest.ExitCode.TESTS_FAILED
    finally:
        path.write_text(before, "utf-8")


def test_a_broken_line_is_noticed_by_the_nearest_tests(tree_copy: Path, is_deep_run: bool) -> None:
    unnoticed = [
        module
        for module in (choose_modules(20) if is_deep_run else EXAMPLE_MODULES)
        if not any(
            is_noticed(tree_copy, module, line)
            for line in order_by_commit(last_statement_lines(read_graph(tree_copy).files[module]))[
                :FUNCTIONS_TRIED
            ]
        )
    ]

    assert unnoticed == []
