"""Texts that editors of files and scripts of other languages may put into files."""

import re
from collections.abc import Iterator
from itertools import islice

from assent.engine.lines.command import Command, Content
from assent.engine.programs.catalog import lookup
from assent.engine.programs.program import Edits, Script
from assent.engine.programs.script_shapes import SED_COMMAND, STRING
from assent.engine.programs.word import base_name, versionless
from assent.engine.regex import regex

MOST_TEXTS = 32
"""How many texts of one script are taken for what it may write."""
_IN_PLACE = regex(r"-\w*i|--in-place")
_ADDS = regex(SED_COMMAND + r"[aic]\\?\s*(?P<text>[^\n]+)")
_REPLACES = regex(r"s([/|,:#@!%])(?:\\.|(?!\1)[^\\])*\1(?P<text>(?:\\.|(?!\1)[^\\])*)\1")
_WRITES = regex(r"write|open|put|print|dump|save|>|echo|spew|spurt", re.IGNORECASE)
"""How a script may say that it writes."""


def edited(program: str, command: Command, given: Content | None) -> Iterator[tuple[str, str]]:
    """The last names of files that a command may write, each with the lines it may put there."""
    words = [word.text for word in command.words[1:]]
    known, plain = lookup(program), lookup(versionless(program))
    if plain.edits is Edits.IN_PLACE and any(map(_IN_PLACE.match, words)):
        lines = [
            match["text"] for text in words for shape in (_ADDS, _REPLACES) for match in shape.finditer(text)
        ]
        yield from ((base_name(word), "\n".join(lines)) for word in words if lines and word[:1] != "-")
    elif known.edits is Edits.FROM_INPUT and given is not None:
        yield from ((base_name(word), given.text) for word in words if word[:1] not in ("-", "+"))
    elif Script.CALLS in plain.scripts:
        texts = [*words, *([given.text] if given is not None else [])]
        yield from _literals([text for text in texts if _WRITES.search(text)])
    elif known.edits is Edits.PROJECT_SCRIPTS and words[:2] == ["pkg", "set"]:
        values = [word.partition("=")[2] for word in words[2:] if word.startswith("scripts.")]
        yield from (("package.json", f': "{value}"') for value in values)


def _literals(texts: list[str]) -> Iterator[tuple[str, str]]:
    """Every text of a script may be the name of a file, and every other one what it writes there."""
    found = list(islice((match["text"] for text in texts for match in STRING.finditer(text)), MOST_TEXTS))
    lines = [text for text in found if " " in text]
    names = [text for text in found if text and " " not in text]
    said = "\n".join(lines).replace("\\n", "\n")
    if said:
        yield from ((base_name(name), said) for name in names)
