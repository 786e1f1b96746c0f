"""Files that a command removes: those that can be made again are no loss.

What a build, a package manager or a test run left behind comes back with the next one. By the names that
every tool uses for it we tell it from a person's own files.
"""

import posixpath

from assent.engine.globs import HOLE
from assent.engine.irreversible.act import Irreversible, to_name
from assent.engine.irreversible.words import is_flag, operands
from assent.engine.lines.command import Command
from assent.engine.programs.catalog import lookup
from assent.engine.programs.program import Damage, Loss, RunsBy

REMADE = frozenset(
    """node_modules dist build out target coverage htmlcov __pycache__ venv env tmp temp obj .next .nuxt
    .output .svelte-kit .turbo .parcel-cache .cache .pytest_cache .mypy_cache .ruff_cache .tox .nox .venv
    .gradle .eggs .coverage .eslintcache .DS_Store .hypothesis .ipynb_checkpoints .terraform .angular .vite
    .stylelintcache DerivedData Pods bower_components _build cmake-build-debug cmake-build-release
    test-results playwright-report""".split()
)
"""Directories and files that tools make, and make again."""
_REMADE_ENDS = (".pyc", ".pyo", ".o", ".obj", ".class", ".log", ".tmp", ".swp", ".egg-info", ".tsbuildinfo")
_TEMPORARY = ("/tmp/", "/var/tmp/", "/private/tmp/")
_NAME_TESTS = frozenset({"-name", "-iname"})


def lost_files(name: str, command: Command) -> Irreversible | None:
    """The files that a command removes for good, or None where all of them can be made again."""
    texts = [word.text for word in command.words[1:]]
    known = lookup(name)
    if known.runs_by is RunsBy.FOUND_FILES:
        tests = [texts[at + 1] for at, text in enumerate(texts[:-1]) if text in _NAME_TESTS]
        first = next((at for at, text in enumerate(texts) if is_flag(text) or text in "(!"), len(texts))
        lost = [] if tests and all(map(_is_remade, tests)) else texts[:first] or ["."]
    else:
        lost = operands(texts, frozenset())[-1 if known.damage is Damage.SYNCHRONIZES else 0 :]
        if not lost and command.fed is None and command.given is None and not command.piped:
            return None
    at_home = not any(place.startswith(("/", "~", HOLE)) for place in command.directories)
    lost = [path for path in lost if not _comes_back(path, at_home=at_home)]
    if not lost and operands(texts, frozenset()):
        return None
    return Irreversible(Loss.REMOVES_FILES, "", to_name([path for path in lost if path != HOLE]))


def _comes_back(path: str, *, at_home: bool) -> bool:
    """Whether a path is what a tool made, in the project, or is temporary."""
    plain = posixpath.normpath(path)
    if plain.startswith(_TEMPORARY):
        return True
    steps = plain.split("/")
    if not at_home or plain.startswith(("/", "~")) or ".." in steps or HOLE in plain:
        return False
    return any(map(_is_remade, steps))


def _is_remade(name: str) -> bool:
    return name in REMADE or name.endswith(_REMADE_ENDS)
