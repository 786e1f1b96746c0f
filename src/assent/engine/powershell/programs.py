"""Programs that come with Windows and only read, with the flags they may do so with."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from assent.engine.powershell import places
from assent.engine.shell.command import Word
from assent.engine.shell.readonly import Reading


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
    "findstr": Program(
        "/b /e /l /r /s /i /x /v /n /m /o /p /offline /c: /a: /g:< /f:< /d:<", files=1, operands=True
    ),
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
_FLAG = re.compile(r"[/-][A-Za-z?]+")


def reading(words: tuple[Word, ...]) -> Reading | None:
    """What a program of Windows would read, or None when it might do more or is not known."""
    program = _PROGRAMS.get(words[0].text.lower().removesuffix(".exe").removesuffix(".com"))
    found = None if program is None else _sorted(program, words[1:])
    if program is None or found is None:
        return None
    operands, read = found
    if operands and not program.operands:
        return None
    paths = places.files([*read, *(operands[program.files :] if program.files is not None else [])])
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
        elif word.opaque or (_FLAG.match(text) and text not in known and f"{name}:" not in known):
            return None
        elif text not in known and not (colon and f"{name}:" in known):
            operands.append(word)
    return operands, files
