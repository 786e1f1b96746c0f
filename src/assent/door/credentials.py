"""Secrets and cookies: a secret is shown once and stored as a digest only."""

import hashlib
import re
import secrets
from collections.abc import Iterable
from enum import StrEnum

from assent.gate.access import Kind


class Prefix(StrEnum):
    """The prefix of a secret, by which scanners recognise one that leaked."""

    PERSON = "assent_p_"
    AGENT = "assent_a_"
    SERVICE = "assent_s_"
    SESSION = "assent_c_"
    LINK = "assent_l_"


_SECRET_PATTERN = re.compile(r"assent_[pascl]_[A-Za-z0-9_-]{43}", re.ASCII)
_RANDOM_BYTES = 32
_VISIBLE_CHARACTERS = 6
"""Random characters by which attempts with the same secret are counted."""


def new_secret(prefix: Prefix) -> str:
    """A prefix and 256 random bits."""
    return prefix + secrets.token_urlsafe(_RANDOM_BYTES)


def digest_of(secret: str) -> str:
    """The digest that is stored; a slow hash would add nothing to 256 random bits."""
    return hashlib.sha256(secret.encode()).hexdigest()


def is_secret(text: str) -> bool:
    """Whether a text has the form of a secret; any other text need not be looked up."""
    return _SECRET_PATTERN.fullmatch(text) is not None


def contains_secret(text: str) -> bool:
    """Whether a text contains a secret."""
    return _SECRET_PATTERN.search(text) is not None


def visible_start(secret: str) -> str:
    """The start of a secret, which may be kept in memory."""
    return secret[: len(Prefix.LINK) + _VISIBLE_CHARACTERS]


def prefix_of(kind: Kind) -> Prefix:
    """The prefix of a token for this kind of principal."""
    match kind:
        case Kind.PERSON:
            return Prefix.PERSON
        case Kind.AGENT:
            return Prefix.AGENT
        case Kind.SERVICE:
            return Prefix.SERVICE


SESSION_COOKIE = "assent_session"
_COOKIE_VALUE = re.compile(r"[A-Za-z0-9._-]*", re.ASCII)


def read_cookie(lines: Iterable[str], name: str = SESSION_COOKIE) -> str:
    """The value of a cookie in the headers of a request; empty if it is missing or repeated."""
    found = [
        value.strip()
        for line in lines
        for key, _, value in (pair.partition("=") for pair in line.split(";"))
        if key.strip() == name
    ]
    # Another port of this host could set a second cookie: it must not choose the session.
    return found[0] if len(found) == 1 else ""


def set_cookie(
    value: str, *, secure: bool, path: str, seconds: int, name: str = SESSION_COOKIE, from_links: bool = False
) -> str:
    """A `Set-Cookie` header of a cookie that scripts cannot read and other sites cannot send.

    With `from_links` links on other sites send it: a provider redirects back by a link.
    """
    if not _COOKIE_VALUE.fullmatch(value):
        raise ValueError("the value of a cookie must not need quotes")
    same_site = "Lax" if from_links else "Strict"
    header = f"{name}={value}; HttpOnly; Max-Age={seconds}; Path={path}; SameSite={same_site}"
    return f"{header}; Secure" if secure else header


def expired_cookie(*, secure: bool, path: str, name: str = SESSION_COOKIE) -> str:
    """A `Set-Cookie` header that removes a cookie."""
    return set_cookie("", secure=secure, path=path, seconds=0, name=name)
