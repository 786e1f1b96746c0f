"""The examples of the documentation run, and the reference is complete."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from assent.cli.check import EXIT_STATUS
from assent.cli.root import root_group
from assent.engine.base.tool import Dialect, Effect
from assent.engine.policy.modes import MODE_ALIASES, Mode
from assent.engine.policy.snapshot import Tier
from assent.engine.policy.verdict import Stage, Verdict
from assent.gate.events import EventKind
from assent.gate.store import Store
from tests.contracts.examples import matches_output, read_blocks, run_console_blocks, run_python_blocks
from tests.contracts.tree import ROOT, SRC, parse_file, relative_name, source_files

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
PAGES_WITH_COMMANDS = [
    page for page in PAGES if any(block.language == "console" for block in read_blocks(page))
]
PAGES_WITH_PYTHON = [page for page in PAGES if any(block.language == "python" for block in read_blocks(page))]
REFERENCE_TEXT = "\n".join(
    page.read_text("utf-8") for page in sorted((ROOT / "docs" / "reference").rglob("*.md"))
)
WORDS_OF_DECISIONS = [
    *Stage,
    *EventKind,
    *Mode,
    *MODE_ALIASES,
    *Effect,
    *Dialect,
    *Tier,
    *(verdict.word for verdict in Verdict),
]

MAX_GLOSSARY_WORDS = 40
"""Maximum number of words in the glossary."""
MIN_WORD_USES = 5
"""Minimum number of uses of a glossary word in the source."""
PATH_IN_BACKTICKS = re.compile(r"`([\w.<>/-]+(?:/|\.(?:py|md|ts|tsx|toml|txt|json)))`")
"""A path in backticks, which ends with a slash or a file name."""
FOLDER_OF_SECTION = re.compile(r"^The files of this list are in `([^`]+)`", re.MULTILINE)
LINK_TO_FILE = re.compile(r"\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)")
OUR_PATH_PREFIXES = (
    "src/assent/",
    "docs/",
    "tools/",
    "web/src/",
    "tests/contracts/",
    "tests/golden/",
    "tests/corpus/",
)
"""Prefixes of paths of this repository in guides; guides also name files of other projects."""


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "AGENTS.md", "CONTRIBUTING.md"])
def test_every_path_in_the_architecture_page_exists(page: str) -> None:
    sections = (ROOT / page).read_text("utf-8").split("\n## ")
    named = [(section, path) for section in sections for path in PATH_IN_BACKTICKS.findall(section)]

    assert named
    assert [
        path for section, path in named if not _does_path_exist(path, *FOLDER_OF_SECTION.findall(section))
    ] == []


def test_the_architecture_page_lists_every_folder() -> None:
    block = next(block for block in read_blocks(ROOT / "ARCHITECTURE.md") if block.language == "")
    source, rest = block.body.split("\nweb/")
    shown = {line.split()[0].rstrip("/") for line in source.splitlines()[1:]}
    rooms = {path.name for path in SRC.iterdir() if (path / "__init__.py").exists()}

    assert {room for room in rooms if not any(path.split("/")[0] == room for path in shown)} == set()
    assert [path for path in shown if not any(SRC.glob(f"**/{path}"))] == []
    assert [line for line in f"web/{rest}".splitlines() if not (ROOT / line.split()[0]).exists()] == []


@pytest.mark.parametrize("page", sorted((ROOT / "docs" / "guides").glob("*.md")), ids=relative_name)
def test_every_path_of_this_repository_in_a_guide_exists(page: Path) -> None:
    named = [
        path
        for path in PATH_IN_BACKTICKS.findall(page.read_text("utf-8"))
        if path.startswith(OUR_PATH_PREFIXES)
    ]

    assert [path for path in named if not _does_path_exist(path)] == []


@pytest.mark.parametrize("page", PAGES, ids=relative_name)
def test_every_link_to_a_file_is_valid(page: Path) -> None:
    links = LINK_TO_FILE.findall(page.read_text("utf-8"))

    assert [link for link in links if not (page.parent / link).exists()] == []


def _does_path_exist(path: str, *folders: str) -> bool:
    """Whether a path exists below the root, the package or a folder; `<topic>` matches any name."""
    bases = (ROOT, SRC, *(ROOT / folder for folder in folders))
    return any(next(base.glob(re.sub("<[^>]*>", "*", path)), None) is not None for base in bases)


@pytest.mark.parametrize("page", PAGES_WITH_COMMANDS, ids=relative_name)
def test_every_command_prints_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    assert "\n\n".join(run_console_blocks(page, tmp_path)) == ""


@pytest.mark.parametrize("page", PAGES_WITH_PYTHON, ids=relative_name)
def test_every_python_example_is_a_program_that_runs(page: Path, tmp_path: Path) -> None:
    assert "\n\n".join(run_python_blocks(page, tmp_path)) == ""


def test_the_readme_shows_real_output() -> None:
    assert ROOT / "README.md" in PAGES_WITH_COMMANDS


def test_every_word_of_a_decision_is_in_the_reference() -> None:
    assert [word for word in WORDS_OF_DECISIONS if f"`{word}`" not in REFERENCE_TEXT] == []


def test_every_command_and_option_is_in_the_reference() -> None:
    told = [
        word
        for path, command in _all_commands(root_group, "assent")
        for word in _words_of_command(path, command)
    ]

    assert sorted({word for word in told if word not in REFERENCE_TEXT}) == []


def test_every_exit_status_is_in_the_reference() -> None:
    returned = {status for module in source_files("cli") for status in _returned_statuses(parse_file(module))}

    assert (
        sorted(
            status for status in {*returned, *EXIT_STATUS.values()} if f"| `{status}` |" not in REFERENCE_TEXT
        )
        == []
    )


def test_every_preset_and_setting_is_in_the_reference() -> None:
    presets = {path.stem for path in (SRC / "config" / "presets").glob("*.toml")}
    settings = {key for module in source_files("config") for key in _checked_keys(parse_file(module))}

    assert {"allow", "mode", "privilege_wrappers"} <= settings
    assert sorted(word for word in presets | settings if f"`{word}`" not in REFERENCE_TEXT) == []


def test_three_dots_match_any_lines() -> None:
    assert matches_output(["a", "...", "z"], ["a", "b", "c", "z"])
    assert not matches_output(["a", "...", "z"], ["a", "b", "c"])
    assert not matches_output([], ["a"])
    assert not matches_output(["a"], [])


def test_the_glossary_explains_at_most_forty_words_that_the_code_uses() -> None:
    words, sentences = zip(*_glossary_rows(), strict=True)
    text = "\n".join(path.read_text("utf-8") for path in source_files())
    used = Counter(word.lower() for word in re.findall(r"[A-Z]?[a-z]+", text))

    assert len(words) <= MAX_GLOSSARY_WORDS
    assert list(words) == sorted(set(words))
    assert [word for word in words if used[word] + used[f"{word}s"] < MIN_WORD_USES] == []
    assert [line for line in sentences if not line.endswith(".") or line.count(". ")] == []
    assert [
        w for w, line in zip(words, sentences, strict=True) if w.removesuffix("s") not in line.lower()
    ] == []


def test_the_reference_of_the_store_names_its_methods_and_no_other() -> None:
    section = (ROOT / "docs" / "reference" / "store.md").read_text("utf-8").partition("\n## Methods\n")[2]
    rows = [line.split(" | ")[0] for line in section.splitlines() if line.startswith("| `")]
    named = re.findall(r"`(\w+)`", " ".join([*rows, section.rpartition("other methods:")[2]]))

    assert sorted(named) == sorted(name for name in dir(Store) if not name.startswith("_"))


def _glossary_rows() -> list[tuple[str, str]]:
    lines = (ROOT / "docs" / "reference" / "glossary.md").read_text("utf-8").splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")][1:]
    return [(word, meaning) for word, meaning in rows]


def _all_commands(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for word in command.list_commands(context):
            inner = command.get_command(context, word)
            assert inner is not None
            yield from _all_commands(inner, f"{path} {word}")


def _words_of_command(path: str, command: click.Command) -> Iterator[str]:
    yield f"`{path}"
    for parameter in command.get_params(click.Context(command)):
        if isinstance(parameter, click.Option):
            yield from (f"`{option}" for option in parameter.opts)


def _returned_statuses(tree: ast.Module) -> Iterator[int]:
    """The numbers that functions of the command line return as exit status."""
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


def _checked_keys(tree: ast.Module) -> Iterator[str]:
    """The keys that a configuration file may contain, from the source of the readers."""
    for node in ast.walk(tree):
        is_check = (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "check_keys"
        )
        is_keys = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).endswith("KEYS")
        if is_check or is_keys:
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
