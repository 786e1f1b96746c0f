"""Rows of the audit as a terminal shows them."""

from dataclasses import replace

import pytest

from assent.cli.records import line_of
from tests.gate.samples import DENIAL, ENTRY, a_link


def test_a_verdict_and_an_answer_each_say_what_and_whose_and_why() -> None:
    verdict, answer = line_of(a_link()), line_of(a_link(DENIAL))

    assert verdict.split()[2:] == ["ask", "Bash", "clerk", "ana", "mode"]
    assert answer.split()[2:] == ["denied_with_reason", "Bash", "clerk", "ana", "not", "today"]


def test_an_answer_for_longer_says_always() -> None:
    always = replace(ENTRY, verdict="", decision="approved", with_override=True)

    assert line_of(a_link(always)).endswith("approved            Bash  clerk  ana  always")


@pytest.mark.proves("T-10")
def test_a_line_shows_what_would_be_hidden() -> None:
    nasty = replace(DENIAL, tool="B\x1b[2J", agent="a\x9b", reason="x\r\n\u202e")

    assert line_of(a_link(nasty)).isprintable()
