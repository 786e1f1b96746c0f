"""Words are compared with a row of the table: sub-commands, flags, names, and words between them."""

import pytest

from assent.engine.irreversible.words import (
    find_operands,
    find_option_values,
    find_sub_command_end,
    has_flag,
    is_dry_run,
)


@pytest.mark.parametrize(
    ("line", "path", "end"),
    [
        ("push", "push", 1),
        ("-C dir push x", "push", 3),
        ("--verbose push", "push", 2),
        ("status push", "push", None),
        ("compute instances delete vm", "** delete", 3),
        ("compute --zone z instances delete", "** delete", 5),
        ("s3 --profile p rb x", "s3|storage rb|rm", 4),
        ("a=b", "push", None),
        ("--x=push push", "push", 2),
        ("", "push", None),
        ("anything", "", 0),
    ],
)
def test_options_and_their_values_may_be_between_the_words(line: str, path: str, end: int | None) -> None:
    assert find_sub_command_end(line.split(), path.split()) == end


def test_very_many_options_cost_no_more_than_their_number() -> None:
    assert find_sub_command_end(["-a", "b"] * 128, ["**", "delete"]) is None


@pytest.mark.parametrize(
    ("line", "flags", "has"),
    [
        ("-f", "-f", True),
        ("-xdf", "-f", True),
        ("-bfeature", "-f", False),
        ("--force", "--force -f", True),
        ("--forc", "--force", True),
        ("--fo", "--force", False),
        ("--force=x", "--force", True),
        ("-delete", "-delete", True),
        ("-delete=x", "-delete", True),
        ("force", "--force", False),
        ("-- -f", "-f", False),
    ],
)
def test_a_flag_is_found_short_bundled_long_or_abbreviated(line: str, flags: str, *, has: bool) -> None:
    assert has_flag(line.split(), flags.split()) is has


@pytest.mark.parametrize(
    ("line", "shows"),
    [
        ("--dry-run", True),
        ("--dry-run=client", True),
        ("--dry-run=none", False),
        ("--dry-run=false", False),
        ("--help", True),
        ("-h db.example", False),
        ("-- --dry-run", False),
        ("", False),
    ],
)
def test_a_dry_run_does_nothing(line: str, *, shows: bool) -> None:
    assert is_dry_run(line.split()) is shows


def test_operands_are_words_that_are_neither_options_nor_their_values() -> None:
    words = "a -n prod --all b -- -c".split()

    assert find_operands(words, frozenset({"-n"})) == ["a", "b", "-c"]
    assert find_option_values(["-n", "prod", "--name=x", "-n"], frozenset({"-n", "--name"})) == ["prod", "x"]
