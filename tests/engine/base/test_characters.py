"""Characters that make a text misleading: no call with such a character runs without asking."""

import unicodedata

import pytest

from assent.engine.base.characters import describe_deceptive_character, describe_hidden_character, to_visible
from assent.engine.policy.modes import Mode
from assent.engine.policy.verdict import Stage, Verdict
from tests.engine import given

DECEPTIVE_CHARACTERS = {
    "null": "\x00",
    "bell": "\x07",
    "backspace": "\x08",
    "escape": "\x1b",
    "delete": "\x7f",
    "C1 control sequence introducer": "\x9b",
    "next line": "\x85",
    "arabic letter mark": "\u061c",
    "zero-width space": "\u200b",
    "zero-width non-joiner": "\u200c",
    "left-to-right mark": "\u200e",
    "right-to-left mark": "\u200f",
    "left-to-right embedding": "\u202a",
    "right-to-left embedding": "\u202b",
    "pop directional formatting": "\u202c",
    "left-to-right override": "\u202d",
    "right-to-left override": "\u202e",
    "word joiner": "\u2060",
    "invisible separator": "\u2063",
    "left-to-right isolate": "\u2066",
    "pop directional isolate": "\u2069",
    "byte order mark": "\ufeff",
    "a lone surrogate": "\ud83d",
    "a tag": "\U000e0041",
    "the end of a tag": "\U000e007f",
}
HIDDEN_CHARACTERS = DECEPTIVE_CHARACTERS | {
    "carriage return": "\r",
    "no-break space": "\xa0",
    "soft hyphen": "\xad",
    "combining grapheme joiner": "\u034f",
    "hangul filler": "\u3164",
    "en space": "\u2002",
    "zero-width joiner": "\u200d",
    "line separator": "\u2028",
    "ideographic space": "\u3000",
    "variation selector": "\ufe0f",
    "private use": "\ue000",
    "supplementary private use": "\U000f0000",
    "interlinear annotation": "\ufff9",
    "mongolian vowel separator": "\u180e",
    "vertical tab": "\x0b",
}


@pytest.mark.parametrize("name", HIDDEN_CHARACTERS)
@pytest.mark.proves("D-4", "T-8", "T-22")
def test_a_shell_line_with_a_hidden_character_never_runs_without_asking(name: str) -> None:
    command = f"echo a{HIDDEN_CHARACTERS[name]}b"
    decision = given.decide_call(
        given.shell_call(command), given.make_snapshot(mode=Mode.AUTO, allow=["*"], grants=["*"])
    )

    assert (decision.verdict, decision.stage) == (Verdict.ASK, Stage.UNREADABLE)
    assert describe_hidden_character(command) is not None


@pytest.mark.parametrize("name", HIDDEN_CHARACTERS)
@pytest.mark.proves("D-4", "T-8")
def test_a_path_with_a_hidden_character_never_runs_without_asking(name: str) -> None:
    call = given.file_call(given.READ_FILE, f"src/a{HIDDEN_CHARACTERS[name]}b")

    assert (
        given.decide_call(call, given.make_snapshot(mode=Mode.AUTO, grants=["*"])).stage is Stage.UNREADABLE
    ), name


@pytest.mark.parametrize("name", DECEPTIVE_CHARACTERS)
@pytest.mark.parametrize("where", ["value", "key", "list", "object"])
@pytest.mark.proves("D-4", "T-8")
def test_an_argument_with_a_deceptive_character_never_runs_without_asking(name: str, where: str) -> None:
    text = f"a{DECEPTIVE_CHARACTERS[name]}b"
    args: dict[str, object] = {
        "value": {"to": text},
        "key": {text: 1},
        "list": {"to": ["a", [text]]},
        "object": {"to": {"x": {"y": text}}},
    }[where]

    decision = given.decide_call(given.mail_call(**args), given.make_snapshot(mode=Mode.AUTO, allow=["*"]))

    assert decision.stage is Stage.UNREADABLE


@pytest.mark.parametrize(
    "text", ["plain", "tab\tand\nnewline", "naïve café", "日本語", "emoji 🙂", "👩‍👩‍👧 family", "a\r\nb"]
)
def test_ordinary_text_has_no_deceptive_character(text: str) -> None:
    assert describe_deceptive_character(text) is None
    assert (
        given.decide_call(given.mail_call(body=text), given.make_snapshot(mode=Mode.AUTO)).verdict
        is Verdict.RUN
    )


@pytest.mark.parametrize(
    "text", ["echo plain", "echo 'naïve café'", "echo 日本語", "echo 🙂", "echo a\techo"]
)
def test_ordinary_text_has_no_hidden_character(text: str) -> None:
    assert describe_hidden_character(text) is None


def test_the_reason_names_the_character() -> None:
    assert (
        describe_hidden_character("a\u202eb")
        == "an invisible or control character (U+202E, right-to-left override)"
    )
    assert (
        describe_hidden_character("a\x01b") == "an invisible or control character (U+0001, control character)"
    )
    assert (
        describe_deceptive_character("a\u200bb")
        == "an invisible or control character (U+200B, zero width space)"
    )


def test_every_control_format_and_space_character_is_hidden() -> None:
    kinds = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp", "Zs"}
    # Format characters of these scripts are marks that one sees.
    visible = ("ARABIC", "SYRIAC", "KAITHI", "EGYPTIAN")
    every = (chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) in kinds)
    let_through = [
        one
        for one in every
        if describe_hidden_character(one) is None and not unicodedata.name(one, "").startswith(visible)
    ]

    assert let_through == ["\t", "\n", " "]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("git status", "git status"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("a\x1b[2Jb", "a\\u001b[2Jb"),
        ("a\u202eb", "a\\u202eb"),
        ("a\U000e0041b", "a\\U000e0041b"),
    ],
)
def test_untrusted_text_is_shown_on_one_line_with_hidden_characters_escaped(text: str, shown: str) -> None:
    assert to_visible(text) == shown
