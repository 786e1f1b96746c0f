"""A diff shows removed, added and unchanged lines with their line numbers."""

import random
import re

import pytest

from assent.gate.diff import (
    CONTEXT_LINES,
    MAX_EDITS,
    NO_NEWLINE,
    Diff,
    changed_blocks,
    split_lines,
    text_diff,
)

FIVE = "one\ntwo\nthree\nfour\nfive\n"


@pytest.mark.proves("T-49")
def test_a_change_is_shown_with_line_numbers_and_context() -> None:
    before = "".join(f"line {n}\n" for n in range(1, 21))
    after = before.replace("line 12\n", "line twelve\nand more\n")

    assert text_diff(before, after) == Diff(
        join_lines(
            "@@ -9,7 +9,8 @@",
            " line 9",
            " line 10",
            " line 11",
            "-line 12",
            "+line twelve",
            "+and more",
            " line 13",
            " line 14",
            " line 15",
        ),
        added=2,
        removed=1,
    )


def test_a_text_that_replaces_another_removes_its_lines() -> None:
    assert text_diff(FIVE, "a\nb\nc\n")[1:] == (3, 5)


def test_distant_changes_are_two_hunks_and_near_changes_are_one() -> None:
    before = "".join(f"{n}\n" for n in range(30))
    far = before.replace("3\n4\n", "3\nx\n").replace("\n20\n", "\ny\n")
    near = before.replace("\n4\n", "\nx\n").replace("\n9\n", "\ny\n")

    assert text_diff(before, far).text.count("@@ -") == 2
    assert text_diff(before, near).text.count("@@ -") == 1


def test_a_missing_line_feed_at_the_end_is_marked() -> None:
    assert text_diff("a\nb", "a\nb\n").text == f"@@ -1,2 +1,2 @@\n a\n-b\n{NO_NEWLINE}\n+b"


@pytest.mark.parametrize(
    ("before", "after", "heading"),
    [("", "a\n", "@@ -0,0 +1,1 @@"), ("a\n", "", "@@ -1,1 +0,0 @@"), ("a\nb\n", "a\n", "@@ -1,2 +1,1 @@")],
)
def test_an_empty_side_has_the_number_of_the_line_before(before: str, after: str, heading: str) -> None:
    assert text_diff(before, after).text.startswith(heading)


def test_equal_texts_have_an_empty_diff() -> None:
    assert text_diff(FIVE, FIVE) == text_diff("", "") == Diff("", 0, 0)


def test_only_a_line_feed_ends_a_line() -> None:
    assert split_lines("a\x0bb\u2028c\r\nd") == ["a\x0bb\u2028c\r\n", "d"]


@pytest.mark.parametrize("seed", range(40))
def test_applying_a_diff_gives_the_second_text(seed: int) -> None:
    chance = random.Random(seed)
    before = "".join(chance.choice("abcd") + "\n" for _ in range(chance.randrange(60)))
    lines = split_lines(before)
    for _ in range(chance.randrange(12)):
        at = chance.randrange(len(lines) + 1)
        lines[at : at + chance.randrange(3)] = [chance.choice("abcxyz") + "\n"] * chance.randrange(3)
    after = "".join(lines) + chance.choice(["", "end"])

    assert apply_diff(before, text_diff(before, after).text) == after


def test_texts_without_common_lines_are_replaced_quickly_as_a_whole() -> None:
    old = [f"{n % 7}\n" for n in range(20_000)]
    new = [f"{n % 5}!\n" for n in range(20_000)]

    blocks = changed_blocks(old, new)

    assert [one.is_unchanged for one in blocks] == [False]
    assert len(old) > MAX_EDITS


def test_a_long_text_with_few_changes_is_compared_line_by_line() -> None:
    old = [f"{n}\n" for n in range(20_000)]
    new = [*old[:5000], "new\n", *old[5000:15_000], *old[15_001:]]

    changed = [one for one in changed_blocks(old, new) if not one.is_unchanged]

    assert [(one.b - one.a, one.d - one.c) for one in changed] == [(0, 1), (1, 0)]
    assert CONTEXT_LINES == 3


def join_lines(*lines: str) -> str:
    return "\n".join(lines)


def apply_diff(before: str, diff: str) -> str:
    """Apply a unified diff to a text; fails if a line does not match."""
    old, new, at = split_lines(before), list[str](), 0
    rows = diff.split("\n") if diff else []
    for index, row in enumerate(rows):
        if heading := re.fullmatch(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@", row):
            first = int(heading[1]) - (heading[2] != "0")
            new += old[at:first]
            at = first
            assert len(new) == int(heading[3]) - (heading[4] != "0")
            continue
        if row == NO_NEWLINE:
            continue
        ended = "" if index + 1 < len(rows) and rows[index + 1] == NO_NEWLINE else "\n"
        if row[0] != "+":
            assert old[at] == row[1:] + ended
            at += 1
        if row[0] != "-":
            new.append(row[1:] + ended)
    return "".join([*new, *old[at:]])
