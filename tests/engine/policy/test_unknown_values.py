"""What a line hands to words of unknown value."""

import pytest

from assent.engine.bash.language import BASH
from assent.engine.lines.line import parse_line
from assent.engine.lines.part import Part
from assent.engine.policy.unknown_values import MOST_VALUES, Handed


def given_to(line: str, program: str = "rm") -> list[str]:
    parts = parse_line(line, BASH).all_parts
    part = next(one for one in parts if one.command is not None and one.command.program == program)
    return Handed(parts).to(part)


@pytest.mark.proves("T-25")
@pytest.mark.parametrize(
    ("line", "values"),
    [
        ('rm "$(echo /a)"', ["/a"]),
        ("rm `printf '/a'`", ["/a"]),
        ('rm "$(readlink -f /a)"', ["/a"]),
        ('rm "$(pwd -P)"', ["."]),
        ('sudo rm "$(echo /a)"', ["/a"]),
        ("rm $DISK", ["/dev/sda"]),
        ("rm /dev/x", []),
        ('x=$(echo /a); rm "$x"', ["/a"]),
        ('x=$(echo /a); rm "$y"', []),
        ('f() { rm "$1"; }; f /a "$X" b', ["/a"]),
        ('f() { rm "$y"; }; f /a', []),
        ('set -- /a; rm "$1"', ["/a"]),
        ('read x <<< "/a b"; rm "$x"', ["/a"]),
        ('read x <<< /a; rm "$y"', []),
        ('echo /a | while read -r x; do rm "$x"; done', ["/a"]),
        ('cat <<< /a; rm "$x"', []),
    ],
)
def test_an_unknown_word_may_be_what_the_line_spells_out(line: str, values: list[str]) -> None:
    assert given_to(line) == values


def test_a_part_without_a_command_hands_nothing() -> None:
    part = Part("rm $x")

    assert Handed((part,)).to(part) == []


def test_the_shortest_paths_are_tried_and_not_too_many() -> None:
    values = given_to('read x <<< "' + " ".join(f"/a/{number}" for number in range(100)) + ' /"; rm "$x"')

    assert (len(values), values[0]) == (MOST_VALUES, "/")


@pytest.mark.proves("T-25")
@pytest.mark.parametrize(
    ("line", "values"),
    [
        ('dd if=a of="$1"', ["/dev/sda"]),
        ("dd if=$FILE of=${X}", ["/dev/sda"]),
        ("dd if=a of=$OUT", []),
        ('dd if=a of="$tmpdir/x"', []),
        ("dd if=$X of=a", []),
    ],
)
def test_what_is_copied_to_an_unknown_target_may_go_to_a_disk(line: str, values: list[str]) -> None:
    assert given_to(line, "dd") == values
