"""Text for a terminal contains no hidden characters, and colours only if they are supported."""

import io

import pytest

from assent.cli.base.terminal import Style, styled_verdict, supports_colour, visible_text, with_style
from assent.engine.policy.verdict import Verdict


@pytest.mark.proves("T-10", "T-8")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, é and 漢字", "plain text, é and 漢字"),
        ("a\x1b[31mb", "a\\u001b[31mb"),
        ("a\x9bb", "a\\u009bb"),
        ("a\rb\nc\td", "a\\u000db\\nc\\td"),
        ("a\u202eb\u200bc", "a\\u202eb\\u200bc"),
        ("a\U000e0041", "a\\U000e0041"),
        ("\x00\x7f", "\\u0000\\u007f"),
        ("\ud800", "\\ud800"),
        ("", ""),
    ],
)
def test_hidden_characters_are_replaced_by_escapes(text: str, shown: str) -> None:
    assert visible_text(text) == shown


class FakeTerminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def without_colour_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")


def test_a_terminal_gets_colours_and_a_file_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert supports_colour(FakeTerminal())
    assert not supports_colour(io.StringIO())
    monkeypatch.setenv("TERM", "dumb")
    assert not supports_colour(FakeTerminal())


def test_environment_variables_override_the_use_of_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert supports_colour(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not supports_colour(FakeTerminal())


def test_a_style_is_reset_after_the_word() -> None:
    assert with_style("word", Style.GOOD, FakeTerminal()) == "\x1b[32mword\x1b[0m"
    assert with_style("word", Style.GOOD, io.StringIO()) == "word"


@pytest.mark.parametrize("verdict", Verdict)
def test_a_verdict_is_shown_as_a_word_in_its_colour(
    verdict: Verdict, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")

    assert f"m{verdict.word}\x1b" in styled_verdict(verdict)


@pytest.mark.proves("T-49")
def test_a_right_to_left_word_is_isolated_from_other_words() -> None:
    assert visible_text("rm \u05d0\u05d1/\u05d2 x") == "rm \u2067\u05d0\u05d1\u2069/\u2067\u05d2\u2069 x"
    assert visible_text("\u2067\u05d0") == "\\u2067\u2067\u05d0\u2069"
    assert visible_text("plain é") == "plain é"
