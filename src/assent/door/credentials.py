"""Secrets and cookies: a secret is shown once and stored as a digest only."""

import hashlib
import re
import secrets
from collections.abc import Iterable
from enum import StrEnum

from assent.gate.access import Kind


class SecretPrefix(StrEnum):
    """Prefix of a secret, so that scanners recognize leaked secrets."""

    PERSON = "assent_p_"
    AGENT = "assent_a_"
    SERVICE = "assent_s_"
    SESSION = "assent_c_"
    LINK = "assent_l_"
    PAGE = "assent_w_"


_SECRET_PATTERN = re.compile(r"assent_[pasclw]_[A-Za-z0-9_-]{43}", re.ASCII)
_RANDOM_BYTES = 32
_VISIBLE_CHARACTERS = 6
"""Number of random characters that identify a secret when failed attempts are counted."""


def new_secret(prefix: SecretPrefix) -> str:
    """Create a secret: a prefix and 256 random bits."""
    return prefix + secrets.token_urlsafe(_RANDOM_BYTES)


def digest_of(secret: str) -> str:
    """The digest of a secret, for the store; a fast hash is enough for 256 random bits."""
    return hashlib.sha256(secret.encode()).hexdigest()


def is_secret(text: str) -> bool:
    """Whether a text has the form of a secret."""
    return _SECRET_PATTERN.fullmatch(text) is not None


def contains_secret(text: str) -> bool:
    """Whether a text contains something in the form of a secret."""
    return _SECRET_PATTERN.search(text) is not None


def visible_start(secret: str) -> str:
    """The prefix and first characters of a secret, which are safe to keep in memory."""
    return secret[: len(SecretPrefix.LINK) + _VISIBLE_CHARACTERS]


def prefix_of(kind: Kind) -> SecretPrefix:
    """The prefix of a token for this kind of principal."""
    match kind:
        case Kind.PERSON:
            return SecretPrefix.PERSON
        case Kind.AGENT:
            return SecretPrefix.AGENT
        case Kind.SERVICE:
            return SecretPrefix.SERVICE


SESSION_COOKIE = "assent_session"
_COOKIE_VALUE = re.compile(r"[A-Za-z0-9._-]*", re.ASCII)


def read_cookie(lines: Iterable[str], name: str = SESSION_COOKIE) -> str:
    """The value of a cookie in `Cookie` headers; empty if it is missing or repeated."""
    found = [
        value.strip()
        for line in lines
        for key, _, value in (pair.partition("=") for pair in line.split(";"))
        if key.strip() == name
    ]
    # A server on another port of this host could set a second cookie; it must not select the session.
    return found[0] if len(found) == 1 else ""


def set_cookie(
    value: str, *, secure: bool, path: str, seconds: int, name: str = SESSION_COOKIE, from_links: bool = False
) -> str:
    """A `Set-Cookie` header; scripts cannot read the cookie, and requests of other sites do not send it.

    With `from_links`, links from other sites send it, as the redirect from a provider requires.
    """
    if not _COOKIE_VALUE.fullmatch(value):
        raise ValueError("the value of a cookie must not need quotes")
    same_site = "Lax" if from_links else "Strict"
    header = f"{name}={value}; HttpOnly; Max-Age={seconds}; Path={path}; SameSite={same_site}"
    return f"{header}; Secure" if secure else header


def expired_cookie(*, secure: bool, path: str, name: str = SESSION_COOKIE) -> str:
    """A `Set-Cookie` header that removes a cookie."""
    return set_cookie("", secure=secure, path=path, seconds=0, name=name)
