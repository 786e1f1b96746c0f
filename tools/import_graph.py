"""Reads the import graph of all Python files in the working tree."""

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

MODULE_ROOTS = {"src": "src", "tests": "", "tools": "", "chaos": "", "bench": ""}
"""Each folder with Python files, and the folder that its module names are relative to."""
# Regular expressions, because parsing a thousand files into syntax trees takes five seconds.
FROM_IMPORT = re.compile(r"^\s*from\s+([\w.]+)\s+import\s+(\([^)]*\)|[^\n]+)", re.MULTILINE)
PLAIN_IMPORT = re.compile(r"^\s*import\s+([^\n]+)", re.MULTILINE)
MODULE_STRING = re.compile(r"""["']((?:assent|tests|tools|chaos|bench)\.[\w.]+)["']""")
PROCESS_OR_FILE_USE = re.compile(r"\b(subprocess|multiprocessing|Popen|read_text|read_bytes|open)\b")
"""Words that show that a test file starts processes or reads files."""


@dataclass(frozen=True)
class ImportGraph:
    """The modules of a working tree and their imports."""

    files: Mapping[str, Path]
    imports: Mapping[str, frozenset[str]]
    tests_using_files_or_processes: frozenset[str]
    """Test modules that start processes or read files, so that any change can affect them."""

    def distances(self, changed: Iterable[str]) -> dict[str, int]:
        """For each module that depends on a changed module, the number of imports between them."""
        importers: defaultdict[str, set[str]] = defaultdict(set)
        for module, imported in self.imports.items():
            for name in imported:
                importers[name].add(module)
        found = dict.fromkeys(changed, 0)
        waiting = deque(found)
        while waiting:
            module = waiting.popleft()
            for importer in importers[module] - found.keys():
                found[importer] = found[module] + 1
                waiting.append(importer)
        return found

    def modules_of(self, paths: Iterable[Path]) -> list[str]:
        """The module names of those paths that are Python files."""
        by_path = {path: module for module, path in self.files.items()}
        return [by_path[path] for path in paths if path in by_path]

    def count_tests(self) -> int:
        """The number of test files."""
        return sum(map(is_test, self.files))


def is_test(module: str) -> bool:
    """Whether a module is a test module that pytest collects."""
    return module.startswith("tests.") and module.rpartition(".")[2].startswith("test_")


def read_graph(root: Path) -> ImportGraph:
    """Read every Python file of a working tree."""
    files = dict(_find_modules(root))
    texts = {module: path.read_text("utf-8") for module, path in files.items()}
    imports = {
        module: frozenset(_find_imports(text, module, files)) - {module} for module, text in texts.items()
    }
    outside = {
        module
        for module in files
        if module.startswith("tests.") and PROCESS_OR_FILE_USE.search(texts[module])
    }
    tests = filter(is_test, files)
    return ImportGraph(
        files, imports, frozenset(test for test in tests if test in outside or imports[test] & outside)
    )


def _find_modules(root: Path) -> Iterator[tuple[str, Path]]:
    for folder, start in MODULE_ROOTS.items():
        for path in sorted((root / folder).rglob("*.py")):
            parts = path.relative_to(root / start).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def _find_imports(text: str, module: str, files: Mapping[str, Path]) -> Iterator[str]:
    """Find the imports of a module; a string with the name of a module counts as an import."""
    for name in _find_dotted_names(text):
        if name in files:
            yield name
            yield from (package for package in _parent_packages(name) if package in files)
    if module.startswith("tests."):
        yield from (one for package in _parent_packages(module) if (one := f"{package}.conftest") in files)


def _find_dotted_names(text: str) -> Iterator[str]:
    for source, names in FROM_IMPORT.findall(text):
        yield source
        yield from (f"{source}.{name}" for name in re.findall(r"\w+", names))
    yield from (name for names in PLAIN_IMPORT.findall(text) for name in re.findall(r"[\w.]+", names))
    yield from MODULE_STRING.findall(text)


def _parent_packages(module: str) -> Iterator[str]:
    """The packages that contain a module; their `__init__` is imported first."""
    while module := module.rpartition(".")[0]:
        yield module
