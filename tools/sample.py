"""Draws names and sentences of the project at random, for a reader who did not write them.

    python -m tools.sample [COUNT]    COUNT names and COUNT sentences; 40 by default

The commit's hash is the seed: the same commit gives the same sample, and nobody chooses it.
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
    commit = _git("rev-parse", "HEAD").strip()
    chosen = random.Random(commit)
    names, sentences = sorted(find_names()), sorted(find_sentences())
    print(f"commit {commit}: {len(names)} names, {len(sentences)} sentences")
    for title, found in (("names", names), ("sentences", sentences)):
        print(f"\n{title}")
        for number, line in enumerate(chosen.sample(found, count), start=1):
            print(f"{number:3} {line}")
    return 0


def find_names() -> Iterator[str]:
    """The names of functions and classes, with their place and their arguments."""
    for path in _files(".py", *PYTHON):
        for node in _definitions(path):
            if not node.name.startswith(("__", "test_")):
                yield f"{_place(path, node.lineno)} {_signature(node)}"
    for path in _files((".ts", ".tsx"), WEB):
        for match in _WEB_NAME.finditer(path.read_text("utf-8")):
            yield f"{_place(path)} {match[1]}{match[2].rstrip(' {')}"


def find_sentences() -> Iterator[str]:
    """Docstrings, comments of the web app, and sentences of the documents, with their place."""
    for path in _files(".py", *PYTHON):
        for node in (ast.parse(path.read_text("utf-8")), *_definitions(path)):
            if text := ast.get_docstring(node):
                line, name = (1, "(module)") if isinstance(node, ast.Module) else (node.lineno, node.name)
                yield f"{_place(path, line)} {name}: {_first_paragraph(text)}"
    for suffix, pattern, folders in (((".ts", ".tsx"), _WEB_SENTENCE, (WEB,)), (".md", _DOC_SENTENCE, DOCS)):
        for path in _files(suffix, *folders):
            for match in pattern.finditer(path.read_text("utf-8")):
                yield f"{_place(path)} {next(filter(None, match.groups()))}"


def _files(suffix: str | tuple[str, ...], *folders: str) -> list[Path]:
    """The files of the repository in some folders."""
    return [ROOT / name for name in _git("ls-files", *folders).splitlines() if name.endswith(suffix)]


def _definitions(path: Path) -> list[Definition]:
    tree = ast.parse(path.read_text("utf-8"))
    return [node for node in ast.walk(tree) if isinstance(node, Definition)]


def _signature(node: Definition) -> str:
    return (
        f"class {node.name}" if isinstance(node, ast.ClassDef) else f"{node.name}({ast.unparse(node.args)})"
    )


def _first_paragraph(text: str) -> str:
    return " ".join(text.partition("\n\n")[0].split())


def _place(path: Path, line: int | None = None) -> str:
    name = path.relative_to(ROOT).as_posix()
    return name if line is None else f"{name}:{line}"


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
