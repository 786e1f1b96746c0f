"""Catastrophes ask in every mode; similar commands do not."""

import pytest

from assent.engine.lines.command import Command
from assent.engine.lines.dangers import CommandDangers, Danger, Harm
from assent.engine.policy.modes import Mode
from assent.engine.policy.verdict import Verdict
from assent.engine.powershell.dangers import find_catastrophe, find_dangers
from assent.engine.programs.word import Word
from tests.engine.powershell.line_decisions import decide_line, parse_commands, stage_names
from tests.engine.powershell.lines import CATASTROPHES, NEAR_MISSES


@pytest.mark.proves("T-25")
@pytest.mark.parametrize("line", CATASTROPHES)
def test_a_catastrophe_asks_although_everything_is_allowed(line: str) -> None:
    found = decide_line(line, Mode.AUTO, allow=["*"])

    assert found.verdict is Verdict.ASK
    assert "breaker" in stage_names(found)


@pytest.mark.proves("T-25")
@pytest.mark.parametrize("line", NEAR_MISSES)
def test_a_near_miss_trips_no_breaker(line: str) -> None:
    assert "breaker" not in stage_names(decide_line(line, Mode.AUTO))


@pytest.mark.parametrize(
    ("line", "harm", "path"),
    [
        ("Remove-Item x -Recurse", Harm.REMOVES, "x"),
        ("Remove-Item x", Harm.OVERWRITES, "x"),
        ("Remove-Item x -Recurse -Include *.tmp", Harm.REMOVES_SOME, "x"),
        ("Remove-Item x -Recurse:$false", Harm.OVERWRITES, "x"),
        (r"Move-Item .\x y", Harm.MOVES, "./x"),
        ("Clear-Content x", Harm.TRUNCATES, "x"),
        ("Out-File x", Harm.TRUNCATES, "x"),
        ("Out-File x -Append", Harm.OVERWRITES, "x"),
        ("ls > x", Harm.TRUNCATES, "x"),
        ("ls >> x", Harm.OVERWRITES, "x"),
        ("'a' > x", Harm.TRUNCATES, "x"),
        ("rm -rf x", Harm.REMOVES, "x"),
        ("chmod -R 777 x", Harm.CHANGES_RIGHTS, "x"),
    ],
)
def test_a_command_shows_the_paths_that_it_would_damage(line: str, harm: Harm, path: str) -> None:
    found = find_dangers(parse_commands(line)[-1])

    assert [(danger.harm, danger.path.text) for danger in found.paths if danger.path.text == path] == [
        (harm, path)
    ]


def test_an_unknown_path_is_no_root() -> None:
    assert find_catastrophe(parse_commands("Remove-Item $x -Recurse")[0]) is None


def test_a_device_is_a_root() -> None:
    found = find_catastrophe(parse_commands(r"Remove-Item \\.\PhysicalDrive0 -Recurse")[0])

    assert found == r"removes the device `\\.\PhysicalDrive0`"


def test_ending_every_process_is_a_catastrophe() -> None:
    assert find_catastrophe(parse_commands("Stop-Process -Name *")[0]) == "ends every process"
    assert find_catastrophe(parse_commands("Stop-Process -Name node")[0]) is None


def test_what_if_damages_nothing() -> None:
    assert find_dangers(parse_commands("Remove-Item x -Recurse -WhatIf")[0]) == CommandDangers()
    assert find_catastrophe(parse_commands("Clear-Disk -Number 0 -wi")[0]) is None


def test_words_that_a_program_may_get_differently_endanger_nothing_by_themselves() -> None:
    assert find_dangers(parse_commands("rsync --delete a ''")[0]) == CommandDangers()


def test_a_root_is_found_from_the_drive_that_the_line_went_to() -> None:
    command = Command((Word("Remove-Item"), Word("x"), Word("-Recurse")), directories=("", "C:/"))

    assert find_catastrophe(command) is None
    assert (
        find_catastrophe(command._replace(words=(Word("ri"), Word("*"), Word("-Recurse")))) == "removes `*`"
    )
    assert find_dangers(command).paths == (Danger(Harm.REMOVES, Word("x")),)
