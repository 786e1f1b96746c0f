"""Secrets that a part reads without naming them."""

import pytest

from assent.engine.base.facts import PathUse
from assent.engine.base.globs import UNKNOWN_MARK
from assent.engine.base.tool import Dialect
from assent.engine.lines.line import load_language, parse_line
from assent.engine.lines.part import Part
from assent.engine.secret_reads import find_secret_selector, reads_hidden_listing, selected_names


@pytest.mark.parametrize(
    ("line", "selector"),
    [
        ("grep -r a . --include='.env*'", ".env*"),
        ("rg -g '*.pem' a", "*.pem"),
        ("rg -g '{a,.env}' a", "{a,.env}"),
        ("ag -G '\\.env$' a", "\\.env$"),
        ("rg --type-add 'e:.env' a", "e:.env"),
        ("rg -g '!.env' a", None),
        ("rg -g '*secret' a", None),
        ("rg -g my-secret a", "my-secret"),
        ("grep -r a . --include='*.py'", None),
    ],
)
def test_a_pattern_of_names_may_select_secrets(line: str, selector: str | None) -> None:
    part = parse_line(line, load_language(Dialect.SHELL)).parts[0]

    assert find_secret_selector(part) == selector


@pytest.mark.parametrize(
    ("line", "prints"),
    [
        ("ls -A | xargs cat", True),
        ("ls | xargs cat", False),
        ("ls -A | xargs wc -l", False),
        ("find . -type f -exec cat {} +", True),
        ("find . -name '*.py' -exec cat {} +", False),
        ("fd -H . -x cat", True),
        ("git ls-files | xargs cat", False),
        ("rg a $(ls -A)", False),
    ],
)
def test_a_list_may_hold_hidden_files(line: str, prints: bool) -> None:
    parts = parse_line(line, load_language(Dialect.SHELL)).all_parts

    assert any(reads_hidden_listing(part, parts) for part in parts) is prints


def test_a_pattern_with_braces_means_several_names() -> None:
    assert selected_names("{a,b}.py") == ("a.py", "b.py")
    assert selected_names("!a") == ()


def test_a_part_without_a_command_prints_and_lists_nothing() -> None:
    listed = Part("x", reads=(PathUse(UNKNOWN_MARK, listed=True),))
    printing = parse_line("ls -A | xargs cat", load_language(Dialect.SHELL)).all_parts

    assert not reads_hidden_listing(listed, [listed])
    assert not any(reads_hidden_listing(part, [listed]) for part in printing)
