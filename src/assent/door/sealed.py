"""Sealed values: what a browser keeps for us for a few minutes, and cannot change or make up."""

import base64
import binascii
import hashlib
import hmac
import json
from collections.abc import Mapping


def sealed(secret: bytes, purpose: str, value: Mapping[str, str], *, until: float) -> str:
    """A text that holds the value until a moment; whoever has it can read it."""
    written = json.dumps({**value, "until": str(int(until))}).encode()
    # Without what it is filled up with: a cookie would put that in quotes.
    body = base64.urlsafe_b64encode(written).decode().rstrip("=")
    return f"{body}.{_mark(secret, purpose, body)}"


def opened(secret: bytes, purpose: str, text: str, *, at: float) -> Mapping[str, str] | None:
    """The value of a text that we sealed for this purpose, if its time is not over."""
    body, _, mark = text.partition(".")
    if not text.isascii() or not hmac.compare_digest(mark, _mark(secret, purpose, body)):
        return None
    try:
        value: dict[str, str] = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    except (binascii.Error, ValueError):
        return None
    return value if at < int(value.pop("until")) else None


def _mark(secret: bytes, purpose: str, body: str) -> str:
    return hmac.new(secret, f"sealed {purpose} {body}".encode(), hashlib.sha256).hexdigest()
