"""Draws names and sentences of the project at random, for a reader who did not write them.

    python -m tools.sample [COUNT [SEED]]    COUNT names and COUNT sentences; 40 by default

The commit's hash is the seed: the same commit gives the same sample, and nobody chooses it.
Another SEED, such as the hash of an earlier commit, draws another sample of the same tree.
"""

import ast
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tools.spec import ROOT

COUNT = 40
PYTHON = ("src", "tests", "bench", "chaos", "tools")
WEB = "web/src"
FIXED_PATHS = ("src/assent/stores/migrations/versions", "web/src/api/schema.ts")
"""Released migrations, which must not change, and types that are generated from the routes."""
DOCS = (
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "docs/guides",
    "docs/reference",
    "docs/why",
    "docs/adr",
)

_WEB_NAME = re.compile(
    r"^(?:export )?(?:async )?(?:function|class|const|type|interface) (\w+)(.*)$", re.MULTILINE
)
_WEB_SENTENCE = re.compile(r"/\*\* (.+?) ?\*/|^\s*// (.+)$", re.MULTILINE)
_DOC_SENTENCE = re.compile(r"^(?:- )?([A-Z][^|`#].{20,}[.:])$", re.MULTILINE)

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def main(arguments: list[str]) -> int:
    """Print the sample."""
    count = int(arguments[0]) if arguments else COUNT
    seed = arguments[1] if len(arguments) > 1 else _run_git("rev-parse", "HEAD").strip()
    chosen = random.Random(seed)
    names, sentences = sorted(find_names()), sorted(find_sentences())
    print(f"seed {seed}: {len(names)} names, {len(sentences)} sentences")
    for title, found in (("names", names), ("sentences", sentences)):
        print(f"\n{title}")
        for number, line in enumerate(chosen.sample(found, count), start=1):
            print(f"{number:3} {line}")
    return 0


def find_names() -> Iterator[str]:
    """The names of functions and classes, with their file, line and arguments."""
    for path in _tracked_files(".py", *PYTHON):
        for node, owner in _find_definitions(path):
            if not node.name.startswith(("__", "test_")):
                yield f"{_file_and_line(path, node.lineno)} {owner}{_signature(node)}"
    for path in _tracked_files((".ts", ".tsx"), WEB):
        for match in _WEB_NAME.finditer(path.read_text("utf-8")):
            yield f"{_file_and_line(path)} {match[1]}{match[2].rstrip(' {')}"


def find_sentences() -> Iterator[str]:
    """Docstrings, comments of the web app, and sentences of the documents, with their file."""
    for path in _tracked_files(".py", *PYTHON):
        if text := ast.get_docstring(ast.parse(path.read_text("utf-8"))):
            yield f"{_file_and_line(path, 1)} (module): {_first_paragraph(text)}"
        for node, owner in _find_definitions(path):
            if text := ast.get_docstring(node):
                yield f"{_file_and_line(path, node.lineno)} {owner}{node.name}: {_first_paragraph(text)}"
    for suffix, pattern, folders in (((".ts", ".tsx"), _WEB_SENTENCE, (WEB,)), (".md", _DOC_SENTENCE, DOCS)):
        for path in _tracked_files(suffix, *folders):
            for match in pattern.finditer(path.read_text("utf-8")):
                yield f"{_file_and_line(path)} {next(filter(None, match.groups()))}"


def _tracked_files(suffix: str | tuple[str, ...], *folders: str) -> list[Path]:
    """The files of the repository in some folders, without generated and frozen ones."""
    names = _run_git("ls-files", *folders, *(f":!{path}" for path in FIXED_PATHS)).splitlines()
    return [ROOT / name for name in names if name.endswith(suffix)]


def _find_definitions(path: Path) -> Iterator[tuple[Definition, str]]:
    """Each function and class of a file, with the name of its class and a dot."""
    yield from _find_definitions_in(ast.parse(path.read_text("utf-8")), "")


def _find_definitions_in(parent: ast.AST, owner: str) -> Iterator[tuple[Definition, str]]:
    for node in ast.iter_child_nodes(parent):
        if isinstance(node, Definition):
            yield node, owner
        yield from _find_definitions_in(node, f"{node.name}." if isinstance(node, ast.ClassDef) else owner)


def _signature(node: Definition) -> str:
    if isinstance(node, ast.ClassDef):
        return f"{node.name} (class)"
    result = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    return f"{node.name}({ast.unparse(node.args)}){result}"


def _first_paragraph(text: str) -> str:
    return " ".join(text.partition("\n\n")[0].split())


def _file_and_line(path: Path, line: int | None = None) -> str:
    name = path.relative_to(ROOT).as_posix()
    return name if line is None else f"{name}:{line}"


def _run_git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
