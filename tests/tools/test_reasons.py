"""Every reason has a sentence in each language of the web app, and a row in the reference."""

import re
from pathlib import Path

from assent.engine.base.reason import ReasonCode
from assent.engine.base.sentences import SENTENCES
from tools import reasons

SPANISH = Path(reasons.ROOT, "web/src/words/reasons.es.ts")
_ENTRY = re.compile(r'^  "?([\w-]+)"?:\s*"((?:[^"\\]|\\.)*)",$', re.MULTILINE)
_PLACE = re.compile(r"\{\w+\}")


def test_the_generated_files_are_up_to_date() -> None:
    assert reasons.PAGE.read_text() == reasons.reasons_page()
    assert reasons.WEB_SENTENCES.read_text() == reasons.web_sentences()


def test_every_code_has_a_spanish_sentence_with_the_same_values() -> None:
    spanish = {code: sorted(_PLACE.findall(text)) for code, text in _ENTRY.findall(SPANISH.read_text())}

    assert spanish == {code.value: sorted(_PLACE.findall(text)) for code, text in SENTENCES.items()}
    assert set(SENTENCES) == set(ReasonCode)


def test_a_piece_in_brackets_is_the_same_in_both_languages() -> None:
    spanish = dict(_ENTRY.findall(SPANISH.read_text()))
    optional = re.compile(r"\[[^\]]*\{(\w+)\}[^\]]*\]")

    assert {code: optional.findall(text) for code, text in spanish.items()} == {
        code.value: optional.findall(text) for code, text in SENTENCES.items()
    }
