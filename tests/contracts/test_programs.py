"""Knowledge about a program is only in its entry: other code of the engine names no programs."""

import ast
from pathlib import Path

from assent.engine.programs.catalog import TOPICS
from tests.contracts.tree import SRC, parse_file, source_files

ENGINE_FOLDER = SRC / "engine"
PROGRAMS_FOLDER = ENGINE_FOLDER / "programs"
POWERSHELL_FOLDER = ENGINE_FOLDER / "powershell"

# Words of the shell's syntax, and English words that are also names of programs.
SHELL_WORDS = set(
    """. : [ [[ (( alias and begin break builtin cd command continue coproc declare echo eval exec exit export
    false getopts let local mapfile not or popd printf pushd pwd read readarray readonly return set shift shopt
    source test time trap true typeset unset wait""".split()
)
ENGLISH_WORDS = set(
    """R apply as at build code column coverage env erase ex file free go id install last more n pass passwd pkg
    powershell repeat repo snap split start trash truncate type users venv view w which wipe write yes""".split()
)
ALLOWED_NAMES = {
    "base/sentences.py": {"make", "service"},  # words of sentences
    "irreversible/powershell.py": {"rm"},  # the program that a cmdlet is like
    "irreversible/commands.py": {"ss"},  # an ending of words
    "lines/dangers.py": {"convert", "dd"},  # sub-commands of an image tool
    "lines/options.py": {"git"},  # an alias of git runs a command of git
    "lines/embedded_commands.py": {"rimraf", "tee"},  # programs that calls of other languages are like
    "lines/writes.py": {"mv", "rm", "python"},  # sub-commands of version control and of a version manager
    "policy/patterns.py": {"git"},  # a refspec
    "policy/tool_rules.py": {"git", "kill", "pkill", "killall"},  # words that stand for an option of theirs
}


def test_the_engine_names_programs_in_their_entries_only() -> None:
    files = [
        path for path in source_files("engine") if not {PROGRAMS_FOLDER, POWERSHELL_FOLDER} & {*path.parents}
    ]
    found = {str(path.relative_to(ENGINE_FOLDER)): _program_names_in(path) for path in files}

    assert {path: names for path, names in found.items() if names} == ALLOWED_NAMES


def _program_names_in(path: Path) -> set[str]:
    tree = parse_file(path)
    docstrings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings
    ]
    return {word for text in texts for word in text.split()} & TOPICS.keys() - SHELL_WORDS - ENGLISH_WORDS
