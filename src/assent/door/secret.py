"""Secrets that prove who somebody is: made here, shown once, and kept nowhere but as a digest."""

import hashlib
import re
import secrets
from enum import StrEnum

from assent.gate.access import Kind


class Prefix(StrEnum):
    """What a secret says of itself, so that one that leaked is recognised wherever it turns up."""

    PERSON = "assent_p_"
    AGENT = "assent_a_"
    SERVICE = "assent_s_"
    SESSION = "assent_c_"
    LINK = "assent_l_"


_SHAPE = re.compile(r"assent_[pascl]_[A-Za-z0-9_-]{43}", re.ASCII)
_RANDOM_BYTES = 32
_SHOWN = 6
"""Random characters by which tries with the same secret are counted together."""


def new_secret(prefix: Prefix) -> str:
    """256 random bits behind a prefix."""
    return prefix + secrets.token_urlsafe(_RANDOM_BYTES)


def digest_of(secret: str) -> str:
    """What is kept of a secret; slow hashing would add nothing to 256 random bits."""
    return hashlib.sha256(secret.encode()).hexdigest()


def is_secret(text: str) -> bool:
    """Whether a text has the shape of a secret of ours; anything else need not be looked up."""
    return _SHAPE.fullmatch(text) is not None


def holds_secret(text: str) -> bool:
    """Whether a secret of ours stands anywhere in a text."""
    return _SHAPE.search(text) is not None


def start_of(secret: str) -> str:
    """The part of a secret that may be remembered."""
    return secret[: len(Prefix.LINK) + _SHOWN]


def prefix_of(kind: Kind) -> Prefix:
    """The prefix of a token for somebody of this kind."""
    match kind:
        case Kind.PERSON:
            return Prefix.PERSON
        case Kind.AGENT:
            return Prefix.AGENT
        case Kind.SERVICE:
            return Prefix.SERVICE
