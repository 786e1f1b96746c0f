"""Lists and parses the files of this project for the contract tests."""

import ast
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src" / "assent"
TESTS = ROOT / "tests"
GENERATED_FOLDERS = {".git", ".venv", ".cache", ".hypothesis", "__pycache__", "build", "dist"}


def source_files(*layers: str) -> list[Path]:
    """The Python files of the package, or only of the given layers."""
    roots = [SRC / layer for layer in layers] or [SRC]
    return sorted(path for root in roots for path in root.rglob("*.py"))


def relative_name(path: Path) -> str:
    """The path of a file relative to the root of the project."""
    return path.relative_to(ROOT).as_posix()


def tracked_files() -> list[Path]:
    """The files that Git tracks or would add; without Git, all files outside generated folders."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode == 0:
        found = [ROOT / line for line in listing.stdout.split("\0") if line]
    else:
        found = [path for path in ROOT.rglob("*") if not GENERATED_FOLDERS.intersection(path.parts)]
    return sorted(path for path in found if path.is_file())


def parse_file(path: Path) -> ast.Module:
    """Parse a module into its syntax tree."""
    return ast.parse(path.read_text("utf-8"), filename=str(path))
