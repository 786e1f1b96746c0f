"""Marks: ids that nobody can guess, and ids that sort by time."""

import hashlib
import hmac
import secrets
import time


def fresh() -> str:
    """128 random bits."""
    return secrets.token_hex(16)


def keyed(secret: bytes, *words: str) -> str:
    """The same id for the same words, wherever it is made; without the secret it cannot be guessed."""
    # Each word with its length: no two lists of words are spelled the same.
    text = "".join(f"{len(word)}:{word}" for word in words)
    return hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()[:32]


def timed() -> str:
    """A UUID of version 7: sorts by when it was made."""
    stamp = time.time_ns() // 1_000_000
    high, low = divmod(secrets.randbits(74), 1 << 62)
    number = stamp << 80 | 7 << 76 | high << 64 | 2 << 62 | low
    digits = f"{number:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
