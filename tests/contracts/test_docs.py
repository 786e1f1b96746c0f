"""The documentation is true: its examples run, and its reference leaves nothing out."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from assent.cli.check import STATUS
from assent.cli.root import group
from assent.engine.base.tool import Dialect, Effect
from assent.engine.policy.modes import MODE_ALIASES, Mode
from assent.engine.policy.tiers import Tier
from assent.engine.policy.verdict import Stage, Verdict
from assent.gate.events import EventKind
from assent.gate.store import Store
from tests.contracts.examples import blocks, matches_output, problems, python_failures
from tests.contracts.tree import ROOT, SRC, modules, name, parsed

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
WITH_COMMANDS = [page for page in PAGES if any(block.language == "console" for block in blocks(page))]
WITH_PYTHON = [page for page in PAGES if any(block.language == "python" for block in blocks(page))]
REFERENCE = "\n".join(page.read_text("utf-8") for page in sorted((ROOT / "docs" / "reference").rglob("*.md")))
WORDS = [
    *Stage,
    *EventKind,
    *Mode,
    *MODE_ALIASES,
    *Effect,
    *Dialect,
    *Tier,
    *(verdict.word for verdict in Verdict),
]

MOST_WORDS = 40
"""How many words of our own a reader may have to learn."""
FEWEST_USES = 5
"""How often the source uses a word of the glossary, at least."""
SETTINGS_FILE = re.compile(r"`([\w.<>/-]+(?:/|\.(?:py|md|ts|tsx|toml|txt|json)))`")
"""A path in backticks: it ends with a slash or with the name of a file."""
FOLDER_OF_SECTION = re.compile(r"^The files of this list are in `([^`]+)`", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)")
OURS = ("src/assent/", "docs/", "tools/", "web/src/", "tests/contracts/", "tests/golden/", "tests/corpus/")
"""How paths of this repository begin in a guide; guides also name files of other projects."""


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "AGENTS.md", "CONTRIBUTING.md"])
def test_every_path_on_the_map_exists(page: str) -> None:
    sections = (ROOT / page).read_text("utf-8").split("\n## ")
    named = [(section, path) for section in sections for path in SETTINGS_FILE.findall(section)]

    assert named
    assert [path for section, path in named if not _exists(path, *FOLDER_OF_SECTION.findall(section))] == []


def test_every_folder_on_the_map_exists_and_none_is_missing() -> None:
    block = next(block for block in blocks(ROOT / "ARCHITECTURE.md") if block.language == "")
    source, rest = block.body.split("\nweb/")
    shown = {line.split()[0].rstrip("/") for line in source.splitlines()[1:]}
    rooms = {path.name for path in SRC.iterdir() if (path / "__init__.py").exists()}

    assert {room for room in rooms if not any(path.split("/")[0] == room for path in shown)} == set()
    assert [path for path in shown if not any(SRC.glob(f"**/{path}"))] == []
    assert [line for line in f"web/{rest}".splitlines() if not (ROOT / line.split()[0]).exists()] == []


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "guides").glob("*.md")), ids=name)
def test_every_path_of_this_repository_in_a_guide_exists(page: Path) -> None:
    named = [path for path in SETTINGS_FILE.findall(page.read_text("utf-8")) if path.startswith(OURS)]

    assert [path for path in named if not _exists(path)] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_to_a_file_leads_to_one(page: Path) -> None:
    links = LINK.findall(page.read_text("utf-8"))

    assert [link for link in links if not (page.parent / link).exists()] == []


def _exists(path: str, *folders: str) -> bool:
    """Whether a path is there, from the root, the package or the folder of its section; `<topic>` is any name."""
    bases = (ROOT, SRC, *(ROOT / folder for folder in folders))
    return any(next(base.glob(re.sub("<[^>]*>", "*", path)), None) is not None for base in bases)


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=name)
def test_every_command_prints_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    assert "\n\n".join(problems(page, tmp_path)) == ""


@pytest.mark.parametrize("page", WITH_PYTHON, ids=name)
def test_every_python_example_is_a_program_that_runs(page: Path, tmp_path: Path) -> None:
    assert "\n\n".join(python_failures(page, tmp_path)) == ""


def test_the_readme_shows_real_output() -> None:
    assert ROOT / "README.md" in WITH_COMMANDS


def test_every_word_of_a_decision_is_in_the_reference() -> None:
    assert [word for word in WORDS if f"`{word}`" not in REFERENCE] == []


def test_every_command_and_option_is_in_the_reference() -> None:
    told = [word for path, command in _commands(group, "assent") for word in _words(path, command)]

    assert sorted({word for word in told if word not in REFERENCE}) == []


def test_every_exit_status_is_in_the_reference() -> None:
    returned = {status for module in modules("cli") for status in _statuses(parsed(module))}

    assert (
        sorted(status for status in {*returned, *STATUS.values()} if f"| `{status}` |" not in REFERENCE) == []
    )


def test_every_preset_and_setting_is_in_the_reference() -> None:
    presets = {path.stem for path in (SRC / "config" / "presets").glob("*.toml")}
    settings = {key for module in modules("config") for key in _keys(parsed(module))}

    assert {"allow", "mode", "privilege_wrappers"} <= settings
    assert sorted(word for word in presets | settings if f"`{word}`" not in REFERENCE) == []


def test_three_dots_stand_for_any_lines() -> None:
    assert matches_output(["a", "...", "z"], ["a", "b", "c", "z"])
    assert not matches_output(["a", "...", "z"], ["a", "b", "c"])
    assert not matches_output([], ["a"])
    assert not matches_output(["a"], [])


def test_the_glossary_explains_at_most_forty_words_that_the_code_uses() -> None:
    words, sentences = zip(*_glossary(), strict=True)
    text = "\n".join(path.read_text("utf-8") for path in modules())
    used = Counter(word.lower() for word in re.findall(r"[A-Z]?[a-z]+", text))

    assert len(words) <= MOST_WORDS
    assert list(words) == sorted(set(words))
    assert [word for word in words if used[word] + used[f"{word}s"] < FEWEST_USES] == []
    assert [line for line in sentences if not line.endswith(".") or line.count(". ")] == []
    assert [
        w for w, line in zip(words, sentences, strict=True) if w.removesuffix("s") not in line.lower()
    ] == []


def test_the_reference_of_the_store_names_its_methods_and_no_other() -> None:
    section = (ROOT / "docs" / "reference" / "store.md").read_text("utf-8").partition("\n## Methods\n")[2]
    rows = [line.split(" | ")[0] for line in section.splitlines() if line.startswith("| `")]
    named = re.findall(r"`(\w+)`", " ".join([*rows, section.rpartition("other methods:")[2]]))

    assert sorted(named) == sorted(name for name in dir(Store) if not name.startswith("_"))


def _glossary() -> list[tuple[str, str]]:
    lines = (ROOT / "docs" / "reference" / "glossary.md").read_text("utf-8").splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")][1:]
    return [(word, meaning) for word, meaning in rows]


def _commands(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for word in command.list_commands(context):
            inner = command.get_command(context, word)
            assert inner is not None
            yield from _commands(inner, f"{path} {word}")


def _words(path: str, command: click.Command) -> Iterator[str]:
    yield f"`{path}"
    for parameter in command.get_params(click.Context(command)):
        if isinstance(parameter, click.Option):
            yield from (f"`{option}" for option in parameter.opts)


def _statuses(tree: ast.Module) -> Iterator[int]:
    """The numbers that a function of the command line returns as its exit status."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.FunctionDef)
            and isinstance(node.returns, ast.Name)
            and node.returns.id == "int"
        ):
            returns = [inner.value for inner in ast.walk(node) if isinstance(inner, ast.Return)]
            literals = [inner for value in returns if value for inner in ast.walk(value)]
            yield from (
                inner.value
                for inner in literals
                if isinstance(inner, ast.Constant) and type(inner.value) is int
            )


def _keys(tree: ast.Module) -> Iterator[str]:
    """The keys that a file may hold: what `only` is given, by itself or through a tuple of KEYS."""
    for node in ast.walk(tree):
        is_only = (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "only"
        )
        is_keys = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).endswith("KEYS")
        if is_only or is_keys:
            literals = [inner.value for inner in ast.walk(node) if isinstance(inner, ast.Constant)]
            yield from (value for value in literals if isinstance(value, str))


def test_the_index_lists_every_decision_record_with_its_title_and_status() -> None:
    rows = []
    for path in sorted((ROOT / "docs/adr").glob("0*.md")):
        title, _, status = path.read_text("utf-8").splitlines()[:3]
        number, _, name = title.removeprefix("# ").partition(". ")
        rows.append(f"| [{number}]({path.name}) | {name} | {status.removeprefix('Status: ')} |")
    index = (ROOT / "docs/adr/README.md").read_text("utf-8").splitlines()

    assert [line for line in index if line.startswith("| [")] == rows
