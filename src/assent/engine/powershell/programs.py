"""Programs that come with Windows and only read, with the flags they may do so with."""

from collections.abc import Mapping
from typing import NamedTuple

from assent.engine.lines.reading import Reading
from assent.engine.powershell import places
from assent.engine.programs.word import HOLE, Word
from assent.engine.regex import regex


class Program(NamedTuple):
    """A program, its harmless flags, and which of its operands are files.

    `/v` is a flag, `/fo=` takes the next word, `/c:` has its value attached, `/g:<` a file's name.
    """

    flags: str = ""
    files: int | None = None
    """How many operands come before the files; None when there are none, or no operand at all."""
    operands: bool = False


_PROGRAMS: Mapping[str, Program] = {
    "where": Program("/q /f /t", operands=True),
    "findstr": Program("/b /e /l /r /s /i /x /v /n /m /o /p /offline /c: /a: /g:<", files=1, operands=True),
    "tree": Program("/f /a", files=0, operands=True),
    "ipconfig": Program("/all /displaydns /allcompartments /?"),
    "tasklist": Program("/v /svc /apps /nh /m= /fi= /fo="),
    "systeminfo": Program("/nh /fo="),
    "whoami": Program("/all /user /groups /priv /claims /nh /upn /fqdn /logonid /fo="),
    "driverquery": Program("/v /si /nh /fo="),
    "getmac": Program("/v /nh /fo="),
    "ver": Program(),
    "arp": Program("-a -g"),
    "route": Program("print -4 -6"),
    "netstat": Program("-a -n -o -an -ano -ant -anp -b -e -f -r -s -t -q /a /n /o"),
}
_FLAG = regex(r"[/-][A-Za-z?]+")


def reading(words: tuple[Word, ...]) -> Reading | None:
    """What a program of Windows would read, or None when it might do more or is not known."""
    program = _PROGRAMS.get(words[0].text.lower().removesuffix(".exe").removesuffix(".com"))
    found = None if program is None else _sorted(program, words[1:])
    if program is None or found is None:
        return None
    operands, read = found
    if operands and not program.operands:
        return None
    # What is looked for may stand in a flag, and then all operands are files.
    patterns = 0 if any(word.text[:3].lower() in ("/c:", "/g:") for word in words[1:]) else program.files
    paths = places.files([*read, *(operands[patterns:] if patterns is not None else [])])
    return None if paths is None else Reading(paths)


def _sorted(program: Program, words: tuple[Word, ...]) -> tuple[list[Word], list[Word]] | None:
    """The operands, and the files that flags name; None when a flag is not listed."""
    known = program.flags.split()
    operands: list[Word] = []
    files: list[Word] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        text = word.text.lower()
        name, colon, value = text.partition(":")
        if f"{text}=" in known and rest:
            rest.pop(0)
        elif colon and f"{name}:<" in known:
            files.append(word._replace(text=value))
        elif text in known or (colon and f"{name}:" in known) or _is_bundle(text, known):
            continue
        elif HOLE in text or _FLAG.match(text):
            return None
        else:
            operands.append(word)
    return operands, files


def _is_bundle(text: str, known: list[str]) -> bool:
    """Whether a word is several flags of one letter, as `/sin`."""
    return text[:1] == "/" and len(text) > 1 and all(f"/{letter}" in known for letter in text[1:])
