"""The specifier of a command rule: its words, its quotes, and the standard input that it names."""

from collections.abc import Callable
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple, cast

from assent.engine.base.facts import Facts, PathUse, is_inside, normalize_path, to_rule_path
from assent.engine.base.lazy import load_attribute, regex

MAX_NAMED_INPUT = 1_000_000
"""The maximal length of a text, and size of a file in bytes, that a rule can name."""
_DIGEST = r"(?:sha256|hmac):[0-9a-f]{64}"
_QUOTED_WORD = r"[^\s'\"\\]+|'[^'\\]*(?:'\\''[^'\\]*)*'"
_NAMED_TEXT = rf"<< (?P<text>{_DIGEST})(?: '[^'\\]*')?"
_NAMED_FILE = rf"< (?P<file>{_QUOTED_WORD}) (?P<content>{_DIGEST})"
_SPECIFIER_WITH_INPUT = regex(rf"(?s)(?P<words>.+?) (?:{_NAMED_TEXT}|{_NAMED_FILE})")
"""A specifier that names a standard input by its digest."""
_POSSIBLE_INPUT = regex(r"(?s).+ <<? (?:.* )?(?:sha256|hmac):[^']*")
"""A specifier that seems to name a standard input, possibly with a mistake."""


class InputSource(StrEnum):
    """Where the standard input of a command comes from."""

    TEXT = "text"
    """A text in the call itself."""
    FILE = "file"
    WRITTEN_FILE = "written-file"
    """A file that the same line may write before the command reads it."""
    PIPE = "pipe"
    """The output of another command, or the input of a construct around the command."""
    SEVERAL = "several"
    """Several inputs at the same time."""
    UNKNOWN_TEXT = "unknown-text"
    """A text that is known only when the line runs."""
    UNKNOWN_FILE = "unknown-file"
    """A device, a pipe, or a file whose name or directory is unknown."""
    LARGE_TEXT = "large-text"
    """A text of more than 1 MB."""


class StandardInput(NamedTuple):
    """The standard input of a command: a text, a file, or an input that no rule can name."""

    text: str | None = None
    file: PathUse | None = None
    unnamed_source: InputSource | None = None
    """The kind of input, if no rule can name the input."""
    must_be_named: bool = True
    """True if only a rule that names the input covers the command.

    If False, a rule that ends in a star covers the command as well.
    """


class DisclosedInput(NamedTuple):
    """A standard input that commands of a call read and may act on, as people see it."""

    source: InputSource
    commands: tuple[str, ...] = ()
    """The commands that read the input, as people see them."""
    path: str = ""
    """For a file: its path, relative to the root of the workspace if the file is inside."""
    digest: str = ""
    """For a file: the SHA-256 of its content; empty if the file was not read."""
    argument: str = ""
    """For a text: the argument of the call that contains the text, from `start` to `end`."""
    start: int = 0
    end: int = 0
    text: str = ""
    """The text itself, if no argument contains it literally, for example because of escape sequences."""
    can_be_named: bool = False
    """True if a rule can name the input, so that a lasting approval is possible for exactly this input."""
    must_be_named: bool = True
    """True if only a rule that names the input covers the commands."""


class SplitSpecifier(NamedTuple):
    """The words of a specifier, and the input that it names."""

    words: str
    input: str
    """`text DIGEST` or `file PATH DIGEST`; empty if the specifier names no input."""


_LITERAL_STAR = "\\*"
"""How a pattern writes a star that is no wildcard."""


def split_specifier(specifier: str) -> SplitSpecifier:
    """Split a specifier into its words and the input that it names.

    `python3 - << sha256:…` names a text, `psql < /seed.sql sha256:…` a file of the workspace.
    """
    found = _SPECIFIER_WITH_INPUT.fullmatch(specifier) if " <" in specifier else None
    # Inside quotes, `<` is an ordinary character.
    if found is None or unquote_words(found["words"]) is None:
        return SplitSpecifier(specifier, "")
    if found["text"]:
        return SplitSpecifier(found["words"], f"text {found['text']}")
    path = unquote_words(found["file"]) or ("",)
    return SplitSpecifier(found["words"], f"file {path[0]} {found['content']}")


def has_malformed_input(specifier: str) -> bool:
    """Whether a specifier seems to name an input, but in a wrong format."""
    if (
        " <" not in specifier
        or _POSSIBLE_INPUT.fullmatch(specifier) is None
        or split_specifier(specifier).input
    ):
        return False
    return unquote_words(specifier.partition(" <")[0]) is not None


def input_names(standard_input: StandardInput, facts: Facts, key: bytes) -> tuple[str, ...]:
    """All names that a rule may use for an input; empty if no rule can name the input."""
    digests = _input_digests(standard_input, facts, key)
    if standard_input.file is None:
        return tuple(f"text {digest}" for digest in digests)
    path = _rule_path(standard_input.file, facts)
    return () if path is None else tuple(f"file {path} {digest}" for digest in digests)


def suggested_input_name(standard_input: StandardInput, facts: Facts, key: bytes) -> str | None:
    """The name of an input in a suggested rule, with a preview for people; None if no rule can name it."""
    digests = _input_digests(standard_input, facts, key)
    if not digests:
        return None
    if standard_input.text is not None:
        return f"<< {digests[-1]} '{_load_digest_function('preview_text')(standard_input.text)}'"
    path = None if standard_input.file is None else _rule_path(standard_input.file, facts)
    return None if path is None else f"< {quote_word(path)} {digests[-1]}"


@lru_cache(maxsize=1024)
def pattern_words(specifier: str) -> tuple[str, ...]:
    """The words of a specifier, split as a shell splits them; a quoted star is no wildcard.

    Also accepts `npm run test:*`, the syntax of Claude Code for `npm run test *`.
    """
    if specifier.endswith(":*"):
        specifier = specifier[:-2] + " *"
    return unquote_words(specifier) or tuple(specifier.split())


def unquote_words(text: str) -> tuple[str, ...] | None:
    """Split a text into words and remove their quotes; None if a quote is not closed."""
    words: list[str] = []
    word: str | None = None
    quote = ""
    position = 0
    while position < len(text):
        character = text[position]
        if quote:
            if character == quote:
                quote = ""
            else:
                word = (word or "") + (_LITERAL_STAR if character == "*" else character)
        elif character in "'\"":
            quote, word = character, word or ""
        elif character == "\\" and position + 1 < len(text):
            position += 1
            escaped = text[position]
            word = (word or "") + (_LITERAL_STAR if escaped == "*" else escaped)
        elif character in " \t\n":
            if word is not None:
                words.append(word)
            word = None
        else:
            word = (word or "") + character
        position += 1
    if quote:
        return None
    if word is not None:
        words.append(word)
    return tuple(words)


def quote_words(words: tuple[str, ...]) -> str:
    """The specifier that matches exactly these words."""
    return " ".join(quote_word(word) for word in words)


def quote_word(word: str) -> str:
    """Quote a word if it contains blanks, quotes, stars or `<`."""
    if word and not any(mark in word for mark in " \t\n'\"\\*<"):
        return word
    return "'" + word.replace("'", "'\\''") + "'"


def _rule_path(use: PathUse, facts: Facts) -> str | None:
    """The path of a file in the syntax of rules; None for a file outside the workspace."""
    written = use.to_absolute_path(facts.directories)
    real = () if written is None else facts.real.get(written, ())
    if len(real) != 1 or not is_inside(real[0], facts.directories):
        return None
    return to_rule_path(normalize_path(real[0], facts.directories), facts.directories)


def _input_digests(standard_input: StandardInput, facts: Facts, key: bytes) -> tuple[str, ...]:
    """The plain digest of an input and, if there is a key, the keyed digest."""
    if standard_input.text is not None:
        plain = _load_digest_function("text_digest")(standard_input.text)
    else:
        written = (
            None if standard_input.file is None else standard_input.file.to_absolute_path(facts.directories)
        )
        plain = "" if written is None else facts.contents.get(written, "")
    if not plain:
        return ()
    return (
        (f"sha256:{plain}", f"hmac:{_load_digest_function('keyed_digest')(plain, key)}")
        if key
        else (f"sha256:{plain}",)
    )


def _load_digest_function(name: str) -> Callable[..., str]:
    """Load a function of the module `digests` on first use; most commands have no input."""
    return cast("Callable[..., str]", load_attribute("lines.digests", name))
