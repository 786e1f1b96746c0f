"""The files of this project, as the contract tests see them."""

import ast
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src" / "assent"
TESTS = ROOT / "tests"
GENERATED_FOLDERS = {".git", ".venv", ".cache", ".hypothesis", "__pycache__", "build", "dist"}


def source_files(*layers: str) -> list[Path]:
    """The Python files of the package, or of some of its layers only."""
    roots = [SRC / layer for layer in layers] or [SRC]
    return sorted(path for root in roots for path in root.rglob("*.py"))


def relative_name(path: Path) -> str:
    """A path relative to the project's root."""
    return path.relative_to(ROOT).as_posix()


def tracked_files() -> list[Path]:
    """The files that git tracks or would add; without git, all files that no tool made."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode == 0:
        found = [ROOT / line for line in listing.stdout.split("\0") if line]
    else:
        found = [path for path in ROOT.rglob("*") if not GENERATED_FOLDERS.intersection(path.parts)]
    return sorted(path for path in found if path.is_file())


def parse_file(path: Path) -> ast.Module:
    """A module's syntax tree."""
    return ast.parse(path.read_text("utf-8"), filename=str(path))
