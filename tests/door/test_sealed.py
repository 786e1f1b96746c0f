"""What was sealed is opened by us alone, for its purpose and in its time."""

import pytest

from assent.door.sealed import opened, sealed

KEY = b"k" * 32
VALUE = {"state": "ñ", "nonce": "2"}
TEXT = sealed(KEY, "sign-in", VALUE, until=100)


def test_what_was_sealed_is_read_back_while_its_time_lasts() -> None:
    assert opened(KEY, "sign-in", TEXT, at=99.9) == VALUE
    assert opened(KEY, "sign-in", TEXT, at=100) is None


def test_nobody_else_and_for_nothing_else() -> None:
    assert opened(b"x" * 32, "sign-in", TEXT, at=1) is None
    assert opened(KEY, "session", TEXT, at=1) is None


@pytest.mark.parametrize("at", range(len(TEXT)))
def test_one_changed_character_breaks_the_seal(at: int) -> None:
    other = "A" if TEXT[at] != "A" else "B"

    assert opened(KEY, "sign-in", TEXT[:at] + other + TEXT[at + 1 :], at=1) is None


@pytest.mark.parametrize("text", ["", ".", "a", "a.b", "ñ.ñ", TEXT + "0", TEXT[:-1], TEXT.partition(".")[0]])
def test_what_was_never_sealed_is_nothing(text: str) -> None:
    assert opened(KEY, "sign-in", text, at=1) is None
