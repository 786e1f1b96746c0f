"""Writes src/assent/engine/programs/index.py, which names the topic file of each program."""

import textwrap
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from assent.engine.programs.program import Program

ROOT = Path(__file__).parent.parent
PROGRAMS_FOLDER = ROOT / "src" / "assent" / "engine" / "programs"
INDEX_FILE = PROGRAMS_FOLDER / "index.py"
INDEX_HEAD = '''"""The topic of each program, and the names that rules need. Written by `./dev programs`."""

from collections.abc import Mapping

NAMES: Mapping[str, str] = {
'''


def read_topics() -> dict[str, tuple[Program, ...]]:
    """Read the entries of each topic file in the folder."""
    files = sorted(
        path for path in PROGRAMS_FOLDER.glob("*.py") if "\nPROGRAMS = (\n" in path.read_text("utf-8")
    )
    return {path.stem: import_module(f"assent.engine.programs.{path.stem}").PROGRAMS for path in files}


def index_text() -> str:
    """The text of the index file; a program with two entries is an error."""
    seen: dict[str, str] = {}
    text = INDEX_HEAD
    found = read_topics()
    for topic, programs in found.items():
        for name in (name for program in programs for name in program.names.split()):
            if name in seen:
                raise SystemExit(f"`{name}` has two entries: in {seen[name]}.py and in {topic}.py")
            seen[name] = topic
        text += (
            f'    "{topic}": """\n{_wrapped_block(name for name in seen if seen[name] == topic)}    """,\n'
        )
    entries = [program for programs in found.values() for program in programs]
    same = "".join(f"{line}\n" for program in entries for line in program.same_as)
    modules = _wrapped_block(program.names for program in entries if program.is_module)
    versioned = _wrapped_block(program.names for program in entries if program.is_versioned)
    return (
        f'{text}}}\n\nSAME = """\n{same}"""\n"""Commands that are called by several names."""\n\n'
        f'MODULES = """\n{modules}"""\n"""Programs that Python runs as modules, too."""\n\n'
        f'VERSIONED = """\n{versioned}"""\n"""Programs that are called by their name and a version, too."""\n'
    )


def _wrapped_block(names: Iterable[str]) -> str:
    words = " ".join(sorted(word for name in names for word in name.split()))
    lines = textwrap.wrap(words, 104, break_on_hyphens=False, break_long_words=False)
    return "".join(f"    {line}\n" for line in lines)


if __name__ == "__main__":
    INDEX_FILE.write_text(index_text(), "utf-8")
