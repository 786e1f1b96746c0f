"""Shells complete our commands and options."""

import pytest

from tests.cli.running import Place


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_its_script(place: Place, shell: str) -> None:
    ran = place.run("completion", shell)

    assert ran.status == 0
    assert "_ASSENT_COMPLETE" in ran.out
    assert "assent" in ran.out


def test_another_shell_is_a_usage_error(place: Place) -> None:
    assert place.run("completion", "tcsh").status == 2


def completed(place: Place, line: str) -> list[str]:
    words = line.split(" ")
    ran = place.run(_ASSENT_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1))
    return [found.partition(",")[2] for found in ran.lines]


def test_commands_are_completed(place: Place) -> None:
    assert completed(place, "assent co") == ["collections", "completion", "config"]
    assert completed(place, "assent rules ") == ["explain", "test"]


def test_the_options_of_check_are_completed_although_it_has_its_own_parser(place: Place) -> None:
    assert completed(place, "assent check --ex") == ["--explain"]
    assert "--batch" in completed(place, "assent check --")
