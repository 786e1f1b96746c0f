"""Cookies: the one that holds a session, and how it is read, set and taken away."""

import re
from collections.abc import Iterable

SESSION = "assent_session"
_PLAIN = re.compile(r"[A-Za-z0-9._-]*", re.ASCII)


def cookie_in(lines: Iterable[str], name: str = SESSION) -> str:
    """The value of a cookie in a request's headers; empty where there is none, or more than one."""
    found = [
        value.strip()
        for line in lines
        for key, _, value in (pair.partition("=") for pair in line.split(";"))
        if key.strip() == name
    ]
    # Who can set a second one, on another path or from another port, does not choose the session.
    return found[0] if len(found) == 1 else ""


def set_cookie(
    value: str, *, secure: bool, path: str, seconds: int, name: str = SESSION, from_links: bool = False
) -> str:
    """A `Set-Cookie` header: no script reads it, and no other site sends it along.

    With `from_links` a link on another site may: a provider that sends somebody back is one.
    """
    if not _PLAIN.fullmatch(value):
        raise ValueError("this would need quotes, which not everybody takes off again")
    same_site = "Lax" if from_links else "Strict"
    said = f"{name}={value}; HttpOnly; Max-Age={seconds}; Path={path}; SameSite={same_site}"
    return f"{said}; Secure" if secure else said


def ended_cookie(*, secure: bool, path: str, name: str = SESSION) -> str:
    """A `Set-Cookie` header that takes it away."""
    return set_cookie("", secure=secure, path=path, seconds=0, name=name)
