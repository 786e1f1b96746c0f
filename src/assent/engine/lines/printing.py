"""What commands print, as far as a line spells it out."""

from collections.abc import Iterable

from assent.engine.lines.command import Access, Command, Content, Redirect
from assent.engine.programs.catalog import lookup
from assent.engine.programs.program import Prints
from assent.engine.programs.word import HOLE, base_name
from assent.engine.regex import regex

LONGEST_CONTENT = 16_384
"""A longer text is taken for an unknown one, or a line that repeats itself would grow without end."""
MOST_DRAFTS = 64
"""Files of its own that a line may write; one that writes more is not followed but left to a person."""
NOTHING = Content()
UNKNOWN = Content(unknown=True)
_ESCAPED = regex(
    r"\\(?:x(?P<hex>[0-9a-fA-F]{1,2})|u(?P<wide>[0-9a-fA-F]{1,4})|0?(?P<octal>[0-7]{1,3})|(?P<sign>[ntr\\c]))"
)
_SIGNS = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "c": ""}
_PLACE = regex(r"%[-\d.]*[a-zA-Z]")
_ECHO_FLAG = regex(r"-[neE]+")


def printed(command: Command) -> Content:
    """What a command prints."""
    if not command.words:
        return fed(command) or NOTHING
    match prints := lookup(base_name(command.program)).prints:
        case Prints.WORDS:
            return bounded(_echoed([word.text for word in command.words[1:]]))
        case Prints.FORMAT:
            return bounded(_formatted([word.text for word in command.words[1:] if word.text != "--"]))
        case Prints.NOTHING:
            return NOTHING
        case None:
            return UNKNOWN
        case Prints.PASSES | Prints.CHANGES:
            found = [*([own] if (own := fed(command)) is not None else []), *_read(command)]
            whole = together(found) if found else UNKNOWN
            return whole._replace(unknown=whole.unknown or prints is Prints.CHANGES)


def fed(command: Command) -> Content | None:
    """What stands in the standard input of a command, or None when nothing is known of it."""
    found = [
        one for one in (_redirected(command, redirect) for redirect in command.redirects) if one is not None
    ]
    return together(found) if found else command.input


def together(contents: Iterable[Content]) -> Content:
    """One content behind the other."""
    every = tuple(contents)
    text = "".join(one.text for one in every)
    guessed = "\n".join(dict.fromkeys(one.guessed for one in every if one.guessed))
    return bounded(Content(text, any(one.unknown for one in every), guessed))


def bounded(content: Content) -> Content:
    """The content, unless it is too long to be followed."""
    return content if len(content.text) + len(content.guessed) <= LONGEST_CONTENT else UNKNOWN


def _redirected(command: Command, redirect: Redirect) -> Content | None:
    if redirect.access is Access.TEXT:
        return Content(f"{redirect.target.otherwise or redirect.target.text}\n")
    if redirect.access is not Access.READ:
        return None
    named = base_name(redirect.target.text)
    return next((content for name, content in command.drafts if name == named), UNKNOWN)


def _read(command: Command) -> list[Content]:
    """The files of the line's own among the operands of a command."""
    named = {base_name(word.text) for word in command.words[1:]}
    return [content for name, content in command.drafts if name in named]


def _echoed(words: list[str]) -> Content:
    """What `echo` prints; whether it takes escapes for what they mean depends on the shell."""
    flags = next((at for at, word in enumerate(words) if not _ECHO_FLAG.fullmatch(word)), len(words))
    end = "" if any("n" in word for word in words[:flags]) else "\n"
    return Content(_unescaped(" ".join(words[flags:])) + end)


def _formatted(words: list[str]) -> Content:
    """What `printf` makes of its words, near enough."""
    form, *values = words or [""]
    whole: list[str] = []
    left = values
    while True:
        places = len(_PLACE.findall(form))
        taken, left = left[:places], left[places:]
        whole.append(_filled(form, taken))
        if not places or not left or len(whole) > len(values):
            return Content(_unescaped("".join(whole)))


def _filled(form: str, values: list[str]) -> str:
    rest = iter(values)
    return _PLACE.sub(lambda _: next(rest, HOLE), form)


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(
        lambda found: _character(found["hex"], found["wide"], found["octal"], found["sign"]), text
    )


def _character(hexadecimal: str | None, wide: str | None, octal: str | None, sign: str | None) -> str:
    if sign:
        return _SIGNS[sign]
    code = int(octal, 8) if octal else int(hexadecimal or wide or "0", 16)
    # What no text may hold is no command either.
    return chr(code) if code and not 0xD800 <= code < 0xE000 else ""
