"""Measures the structure of the source tree: folders, files, imports, cycles, and the path of a call.

python tools/house.py            folders, cycles and files with one importer
python tools/house.py paths      the path of a call: `check`, ask, answer and wait, a chat message
python tools/house.py --json     the same figures as JSON
"""

import ast
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
PACKAGE = "assent"
MAX_LINES = 400
"""Maximum number of lines of a file; longer files are listed."""


@dataclass(frozen=True)
class SourceTree:
    """The modules of a package, and the imports between them."""

    lines: Mapping[str, int]
    imports: Mapping[str, frozenset[str]]
    packages: frozenset[str]

    @cached_property
    def importers(self) -> Mapping[str, frozenset[str]]:
        """For each module, the modules that import it."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        for module, imported in self.imports.items():
            for name in imported:
                found[name].add(module)
        return {module: frozenset(found[module]) for module in self.lines}

    def folder_of(self, module: str) -> str:
        """The folder of a module; a module directly in the package counts as a folder."""
        folder = module if module in self.packages else module.rpartition(".")[0]
        return module if "." not in folder else folder

    @cached_property
    def folders(self) -> Mapping[str, tuple[str, ...]]:
        """The modules of each folder."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for module in sorted(self.lines):
            found[self.folder_of(module)].append(module)
        return {folder: tuple(found[folder]) for folder in sorted(found)}

    @cached_property
    def cycles(self) -> tuple[tuple[str, ...], ...]:
        """Groups of folders that import each other, directly or indirectly."""
        edges: defaultdict[str, set[str]] = defaultdict(set)
        for module, imported in self.imports.items():
            edges[self.folder_of(module)] |= {self.folder_of(one) for one in imported} - {
                self.folder_of(module)
            }
        groups = {frozenset({folder, *_folders_in_cycle_with(folder, edges)}) for folder in self.folders}
        return tuple(sorted(tuple(sorted(group)) for group in groups if len(group) > 1))

    @cached_property
    def single_importers(self) -> tuple[tuple[str, str], ...]:
        """Modules that exactly one other module imports, with that other module."""
        return tuple(
            (module, next(iter(importers)))
            for module, importers in sorted(self.importers.items())
            if len(importers) == 1 and module not in self.packages
        )

    @property
    def long_files(self) -> tuple[tuple[str, int], ...]:
        """Modules with more lines than `MAX_LINES`."""
        return tuple((module, count) for module, count in sorted(self.lines.items()) if count > MAX_LINES)


def _folders_in_cycle_with(start: str, edges: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """The folders that `start` imports and that import `start`, directly or indirectly."""
    ahead = _reachable_folders(start, edges)
    return frozenset(folder for folder in ahead if start in _reachable_folders(folder, edges))


def _reachable_folders(start: str, edges: Mapping[str, Iterable[str]]) -> frozenset[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for folder in edges.get(waiting.pop(), ()):
            if folder not in seen:
                seen.add(folder)
                waiting.append(folder)
    return frozenset(seen)


def read_tree(source: Path = SOURCE, package: str = PACKAGE) -> SourceTree:
    """Read all modules of a package and their imports."""
    files = sorted((source / package).rglob("*.py"))
    packages = frozenset(_dotted_name(path.parent, source) for path in files if path.name == "__init__.py")
    lines: dict[str, int] = {}
    found: dict[str, frozenset[str]] = {}
    names = {_module_name(path, source) for path in files}
    for path in files:
        text = path.read_text("utf-8")
        module = _module_name(path, source)
        lines[module] = text.count("\n")
        found[module] = frozenset(_imported_modules(ast.parse(text), names)) - {module}
    return SourceTree(lines=lines, imports=found, packages=packages)


def _dotted_name(path: Path, source: Path) -> str:
    return ".".join(path.relative_to(source).with_suffix("").parts)


def _module_name(path: Path, source: Path) -> str:
    return _dotted_name(path.parent if path.name == "__init__.py" else path, source)


def _imported_modules(tree: ast.AST, names: set[str]) -> Iterable[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                if whole in names:
                    yield whole
                elif node.module in names:
                    yield node.module


def tree_report(tree: SourceTree) -> str:
    """The folders, cycles and long files as text."""
    rows = [f"{'folder':40} {'files':>5} {'lines':>6} {'imported by':>11}"]
    for folder, modules in tree.folders.items():
        outside = {user for one in modules for user in tree.importers[one] if tree.folder_of(user) != folder}
        rows.append(
            f"{folder:40} {len(modules):5} {sum(tree.lines[one] for one in modules):6} {len(outside):11}"
        )
    rows.append(f"{'all':40} {len(tree.lines):5} {sum(tree.lines.values()):6}")
    rows.append("")
    rows += [f"cycle: {', '.join(group)}" for group in tree.cycles] or ["no folder cycles"]
    rows += [f"long: {module}, {count} lines" for module, count in tree.long_files]
    rows += [f"one importer: {module} (by {importer})" for module, importer in tree.single_importers]
    fan = Counter({module: len(importers) for module, importers in tree.importers.items()})
    rows += [f"most imported: {module}, by {count}" for module, count in fan.most_common(10)]
    return "\n".join(rows)


def tree_figures(tree: SourceTree) -> dict[str, int]:
    """The numbers that `docs/why/house.md` shows."""
    return {
        "files": len(tree.lines),
        "lines": sum(tree.lines.values()),
        "largest folder": max(len(modules) for modules in tree.folders.values()),
        "folder cycles": len(tree.cycles),
        "files with one importer": len(tree.single_importers),
        "files over 400 lines": len(tree.long_files),
    }


def main(arguments: list[str]) -> int:
    """Print the report that the arguments choose."""
    tree = read_tree()
    if "paths" in arguments:
        from tools import call_paths  # it loads the whole product

        found = call_paths.measure_all_paths()
        print(json.dumps(found) if "--json" in arguments else call_paths.counts_to_text(found))
    elif "--json" in arguments:
        print(json.dumps(tree_figures(tree)))
    else:
        print(tree_report(tree))
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main(sys.argv[1:]))
