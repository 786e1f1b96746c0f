"""What a command is fed, and the names by which a rule can mean just that."""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple, cast

from assent.engine.facts import Facts, PathUse, is_inside, normalize_path, to_rule_path
from assent.engine.late import late
from assent.engine.lines.quoting import quote_word, unquote
from assent.engine.regex import regex

MOST_FED = 1_000_000
"""How long a text, and how large a file may be that a rule can name."""

_DIGEST = r"(?:sha256|hmac):[0-9a-f]{64}"
_WORD = r"[^\s'\"\\]+|'[^'\\]*(?:'\\''[^'\\]*)*'"
_TEXT = rf"<< (?P<text>{_DIGEST})(?: '[^'\\]*')?"
_FILE = rf"< (?P<file>{_WORD}) (?P<content>{_DIGEST})"
_NAMED = regex(rf"(?s)(?P<words>.+?) (?:{_TEXT}|{_FILE})")
_ALMOST = regex(r"(?s).+ <<? (?:.* )?(?:sha256|hmac):[^']*")


class InputSource(StrEnum):
    """Where the standard input of a command comes from."""

    TEXT = "text"
    """A text that stands in the call."""
    FILE = "file"
    WRITTEN_FILE = "written-file"
    """A file that the same line may write before it is read."""
    PIPE = "pipe"
    """What another command prints, or what a construct around the command is fed."""
    SEVERAL = "several"
    UNKNOWN_TEXT = "unknown-text"
    """A text that is not known before the line runs."""
    UNKNOWN_FILE = "unknown-file"
    """A device, a pipe, or a file whose name or directory is not known."""
    LARGE_TEXT = "large-text"
    """More than 1 MB."""


class Fed(NamedTuple):
    """What is on a command's standard input: a text, a file, or what no rule can name."""

    text: str | None = None
    file: PathUse | None = None
    unnamed: InputSource | None = None
    """What it is, where no rule can name it."""
    must: bool = True
    """Only a rule that names it covers the command; one with a last star covers an unknown program, too."""


class FedInput(NamedTuple):
    """What some commands of a call are fed and may act on, for a person to read."""

    source: InputSource
    commands: tuple[str, ...] = ()
    """The commands that are fed it, as a person is shown them."""
    path: str = ""
    """Of a file: from the workspace's root where it is inside."""
    digest: str = ""
    """Of a file: the SHA-256 of its content; empty where nobody read it."""
    argument: str = ""
    """Of a text: the argument of the call that holds it, from `start` to `end`."""
    start: int = 0
    end: int = 0
    text: str = ""
    """Of a text that stands in no argument as it is fed, such as one with escapes: the text itself."""
    can_be_named: bool = False
    """A rule can name it, so that a lasting yes is possible and is for exactly this input."""
    must_be_named: bool = True
    """Only a rule that names it covers the commands."""


class Named(NamedTuple):
    """A pattern of words, and the input that it names."""

    words: str
    input: str
    """`text DIGEST` or `file PATH DIGEST`; empty for a pattern that names none."""


def named_input(specifier: str) -> Named:
    """Divide a specifier into its words and the input that it names.

    `python3 - << sha256:…` names a text, `psql < /seed.sql sha256:…` a file of the workspace.
    """
    found = _NAMED.fullmatch(specifier) if " <" in specifier else None
    # Where the mark stands between quotes it is a word like any other.
    if found is None or unquote(found["words"]) is None:
        return Named(specifier, "")
    if found["text"]:
        return Named(found["words"], f"text {found['text']}")
    path = unquote(found["file"]) or ("",)
    return Named(found["words"], f"file {path[0]} {found['content']}")


def is_almost_named(specifier: str) -> bool:
    """Whether a specifier looks as if it named an input and does not."""
    if " <" not in specifier or _ALMOST.fullmatch(specifier) is None or named_input(specifier).input:
        return False
    return unquote(specifier.partition(" <")[0]) is not None


def names_of(fed: Fed, facts: Facts, key: bytes) -> tuple[str, ...]:
    """All names that a rule may give to what is fed; none when nothing can name it."""
    digests = _digests(fed, facts, key)
    if fed.file is None:
        return tuple(f"text {digest}" for digest in digests)
    path = _path(fed.file, facts)
    return () if path is None else tuple(f"file {path} {digest}" for digest in digests)


def written_name(fed: Fed, facts: Facts, key: bytes) -> str | None:
    """How a suggested rule names what is fed, with a preview for people; None when nothing can."""
    digests = _digests(fed, facts, key)
    if not digests:
        return None
    if fed.text is not None:
        return f"<< {digests[-1]} '{_digesting('preview')(fed.text)}'"
    path = None if fed.file is None else _path(fed.file, facts)
    return None if path is None else f"< {quote_word(path)} {digests[-1]}"


def _path(use: PathUse, facts: Facts) -> str | None:
    """A file of the workspace as a rule writes it; None for one that is elsewhere."""
    written = use.absolute(facts.place)
    real = () if written is None else facts.real.get(written, ())
    if len(real) != 1 or not is_inside(real[0], facts.place):
        return None
    return to_rule_path(normalize_path(real[0], facts.place), facts.place)


def _digests(fed: Fed, facts: Facts, key: bytes) -> tuple[str, ...]:
    """The digest that anybody can make, and the one for which the key is needed, if there is one."""
    if fed.text is not None:
        plain = _digesting("text_digest")(fed.text)
    else:
        written = None if fed.file is None else fed.file.absolute(facts.place)
        plain = "" if written is None else facts.contents.get(written, "")
    if not plain:
        return ()
    return (
        (f"sha256:{plain}", f"hmac:{_digesting('keyed_digest')(plain, key)}") if key else (f"sha256:{plain}",)
    )


def _digesting(name: str) -> Callable[..., str]:
    """Loaded with the first command that is fed something: most are fed nothing."""
    return cast("Callable[..., str]", late("lines.digests", name))
