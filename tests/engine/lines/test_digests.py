"""Digests of inputs, and previews without secrets."""

import pytest

from assent.engine.lines.digests import MAX_PREVIEW_LENGTH, keyed_digest, preview_text, text_digest
from assent.engine.policy.rule import parse_rule


def test_a_keyed_digest_depends_on_its_key() -> None:
    digest = text_digest("select 1")

    assert digest == "822ae07d4783158bc1912bb623e5107cc9002d519e1143a9c200ed6ee18b6d0f"
    assert keyed_digest(digest, b"one") != keyed_digest(digest, b"two")
    assert len(keyed_digest(digest, b"one")) == 64


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("print(1)", "print(1)"),
        ("import os\nos.remove('secret.txt')", "import os os.remove(…)"),
        ("alter role app password 'hunter2'", "alter role app password …"),
        ("export TOKEN=abc; make", "export TOKEN …"),
        ("x = 5\ny: 6", "x = … y: …"),
        ("mysql -phunter2 db", "mysql -p… db"),
        ("curl https://ana:hunter2@host/", "curl https:…"),
        ("psql postgres//ana:hunter2@host", "psql postgres//…@host"),
        ("run ghp_abcdefghijklmnopqrstuvwxyz0123", "run …"),
        ("# don't use 'hunter2' here", "# don…"),
        ('say "it is hunter2', "say …"),
        ("a\x00b\u202ec*d\\e", "abcde"),
        ("", ""),
    ],
)
def test_a_preview_shows_the_beginning_and_no_literal(text: str, shown: str) -> None:
    assert preview_text(text) == shown
    assert "hunter2" not in preview_text(text)


def test_a_preview_is_short_and_fits_in_a_rule() -> None:
    shown = preview_text("select a from b where c in d and " * 40)

    assert len(shown) <= MAX_PREVIEW_LENGTH
    assert shown.endswith("…")
    assert parse_rule(f"sh(psql << sha256:{'0' * 64} '{shown}')")
