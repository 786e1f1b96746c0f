"""The searches of a command: what it reads of a tree, and what it lists."""

import pytest

from assent.engine.base.facts import Search
from assent.engine.bash.language import BASH
from assent.engine.lines.line import parse_line
from assent.engine.lines.part_searches import PartSearches


def searches(line: str) -> PartSearches:
    """The searches of the first command of a line."""
    return parse_line(line, BASH).parts[0].searches


@pytest.mark.parametrize(
    ("line", "settings"),
    [
        ("grep -r x .", "secrets"),
        ("grep x a", None),
        ("grep -d recurse x .", "secrets"),
        ("grep --directories=rec x", "secrets"),
        ('grep -d "$A" x .', "secrets"),
        ("grep -d skip x .", None),
        ("git grep --untracked x", "secrets"),
        ("git grep x", None),
        ("grep -r x . --exclude='.env*' --exclude=a", "secrets exclude=.env* exclude=a"),
        ("grep -r x . --include='*.go'", "secrets include=*.go"),
        ("grep -r x . --include='*.go' --exclude=a", "secrets"),
        ('grep -r x . --include="$A"', "secrets"),
        ("rg x", "secrets visible"),
        ("rg --hidden x", "secrets"),
        ("rg -uu x", "secrets"),
        ("rg -g '!.env' x", "secrets visible exclude=.env"),
        ("rg -g '*.go' x", "secrets visible include=*.go"),
        ("rg -g '{a,.env}' x", "secrets visible"),
        ("rg -t go x", None),
        ("rg --files", None),
    ],
)
def test_what_a_command_reads_of_a_tree(line: str, settings: str | None) -> None:
    assert searches(line).secrets == (settings and Search("", settings))


def test_a_search_of_the_input_reads_no_tree() -> None:
    assert parse_line("cat a | rg x", BASH).parts[1].searches.secrets is None
    assert parse_line("cat a | rg x b", BASH).parts[1].searches.secrets is not None


@pytest.mark.parametrize(
    ("line", "limits"),
    [
        ("ls | xargs cat", " flat visible"),
        ("ls -A | xargs cat", " flat"),
        ("ls -R | xargs cat", " visible"),
        ("find . | xargs cat", ""),
        ("find . -name '*.Go' | xargs cat", " include=*.Go include=*.go"),
        ("find . -not -name a | xargs cat", ""),
        ("find . -name '*.go' -not -path './vendor/*' | xargs cat", " include=*.go"),
        ("find . -name '*.go' ! -name '*_test.go' | xargs cat", " include=*.go"),
        ("find . -name '*.go' -not '(' -name a ')' | xargs cat", ""),
        ("find . -name '*.go' ! ! -name a | xargs cat", ""),
        ("find . -name '*.go' -o -name a | xargs cat", ""),
        ("find . -name '[a]' | xargs cat", ""),
        ("fd -e go -X cat", " visible include=*.go"),
        ("fd -H -X cat", ""),
        ("git ls-files | xargs cat", " tracked"),
    ],
)
def test_what_a_command_lists(line: str, limits: str) -> None:
    found = searches(line)

    assert found.listing == Search("", f"links names{limits}")
    assert found.listed_secrets == Search("", f"secrets{limits}")


def test_a_listing_that_nothing_reads_needs_no_search() -> None:
    assert searches("ls").listing is None
    assert searches("cat a").listing is None


@pytest.mark.parametrize("line", ["grep -R x", "rg -L x", "find -L .", "ls -RL", "tree -l", "du -L"])
def test_a_command_that_follows_links_needs_a_search_for_links(line: str) -> None:
    assert [one.settings.partition(" ")[0] for one in searches(line).code] == ["links"]


def test_a_wrapper_has_the_searches_for_code_of_its_command() -> None:
    assert [one.program for one in searches("timeout 5 yarn --version").code] == ["yarn"]


@pytest.mark.parametrize(
    ("line", "settings"),
    [
        ("git ls-files | xargs cat", "secrets tracked"),
        ("git ls-files -o | xargs cat", "secrets"),
        ("git ls-files -co | xargs cat", "secrets"),
        ("git ls-files --others --exclude-standard | xargs cat", "secrets"),
        ("ls -I a -A | xargs cat", None),
    ],
)
def test_what_a_listing_of_git_may_name(line: str, settings: str | None) -> None:
    assert searches(line).listed_secrets == (settings and Search("", settings))
