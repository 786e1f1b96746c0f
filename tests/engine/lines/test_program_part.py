"""A program that a line runs: what its words alone say of it."""

import pytest

from assent.engine.bash.language import BASH
from assent.engine.lines.command import Command
from assent.engine.lines.nested import Carried
from assent.engine.lines.part import Part
from assent.engine.lines.program_part import TOO_MUCH, part_of_program
from assent.engine.programs.word import Word


def part(
    text: str, *, left: bool = True, carried: Carried | None = None, inner: tuple[Part, ...] = ()
) -> Part:
    command = Command(tuple(map(Word, text.split())))
    return part_of_program(text, command, BASH, lambda _work: left, carried, inner)


@pytest.mark.parametrize(
    ("text", "reads", "writes"),
    [("cat a", ["a"], []), ("touch b", [], ["b"]), ("cp a b", ["a"], ["b", "b/a"]), ("frob c", [], ["c"])],
)
def test_a_program_reads_and_writes_what_its_words_say(
    text: str, reads: list[str], writes: list[str]
) -> None:
    found = part(text)

    assert [use.text for use in found.reads] == reads
    assert [use.text for use in found.writes] == writes


def test_a_program_that_runs_another_only_reads_if_that_does() -> None:
    carried = Carried(at=2, transparent=True, covers=True)
    found = [
        part("timeout 3 x", carried=carried, inner=(Part("x", only_reads=reads),)) for reads in (True, False)
    ]

    assert [(one.only_reads, one.passes_through, one.carried_at) for one in found] == [
        (True, True, 2),
        (False, True, 2),
    ]


def test_a_program_of_more_paths_than_may_be_read_is_left_to_a_person() -> None:
    assert part("cp a b c d", left=False).unreadable == TOO_MUCH
