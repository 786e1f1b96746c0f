"""Files that programs run, some without being told their names, and programs that bring such files."""

from assent.engine.shell.knowledge.interpreters import SHELLS
from assent.engine.shell.knowledge.script_shapes import SCRIPTED

_MAKEFILES = ("Makefile", "makefile", "GNUmakefile", "BSDmakefile")
_PACKAGE = ("package.json",)
_PYTHON_TESTS = ("conftest.py", "test_*.py", "*_test.py", "noxfile.py", "tasks.py", "setup.py")
PROJECT_FILES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("make", "gmake", "bmake", "remake"), _MAKEFILES),
    **dict.fromkeys(("npm", "npx", "pnpm", "yarn", "yarnpkg", "bun"), _PACKAGE),
    "just": ("justfile", "Justfile", ".justfile"),
    **dict.fromkeys(("task", "go-task"), ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml")),
    "mask": ("maskfile.md",),
    "rake": ("Rakefile", "rakefile", "Rakefile.rb"),
    **dict.fromkeys(("foreman", "honcho", "overmind", "hivemind"), ("Procfile", "Procfile.dev")),
    **dict.fromkeys(("python", "pypy", "pytest", "tox", "nox", "invoke", "pip", "uv"), _PYTHON_TESTS),
    "pre-commit": (".pre-commit-config.yaml",),
    "lefthook": ("lefthook.yml", "lefthook.yaml"),
    "mprocs": ("mprocs.yaml",),
    **dict.fromkeys(("jest", "vitest", "mocha", "ava"), ("*.test.*", "*.spec.*")),
    "cargo": ("build.rs", "main.rs", "lib.rs"),
    "go": ("*.go",),
}
"""The names, or patterns of them, by the program that looks for them."""

RUN_FILES = SHELLS | {".", "source", "at", "batch", "parallel", "run-parts"}
"""Programs that take each file they are given for shell text."""
RUNNING = RUN_FILES.union(SCRIPTED, PROJECT_FILES)
"""Programs that may run what stands in a file."""
LOADERS = frozenset("curl wget wget2 aria2c openssl gpg gpg2 age uudecode".split())
"""Programs that write files which hold what nobody knows yet."""
