"""A change of a file before it is made: what was there, what would be, and how to tell if that moved."""

import difflib
import hashlib
from dataclasses import dataclass

from assent.gate.ports import Preview
from assent.hosts.chat.belt.clip import clip
from assent.hosts.chat.belt.fault import FaultError
from assent.hosts.chat.belt.plain import plain_object, plain_text
from assent.hosts.chat.belt.reach import exists, opened

_MOST_SHOWN = 100_000
ABSENT = "absent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A file's text before and after; before is None where there is no file yet."""

    name: str
    before: str | None
    after: str

    @property
    def fingerprint(self) -> str:
        """What the state hashes to that the change was made on."""
        return fingerprint(self.before)

    @property
    def diff(self) -> str:
        """The change as a unified diff."""
        return "\n".join(
            difflib.unified_diff(
                (self.before or "").splitlines(),
                self.after.splitlines(),
                f"a/{self.name}" if self.before is not None else "/dev/null",
                f"b/{self.name}",
                lineterm="",
            )
        )

    def preview(self, **more: object) -> Preview:
        """The change as a person sees it before it is made."""
        lines = self.diff.splitlines()[2:]
        added = sum(line.startswith("+") for line in lines)
        removed = sum(line.startswith("-") for line in lines)
        verb = "create" if self.before is None else "change"
        details: dict[str, object] = {
            "path": self.name,
            "before": None if self.before is None else clip(self.before, _MOST_SHOWN),
            "after": clip(self.after, _MOST_SHOWN),
            "diff": clip(self.diff, _MOST_SHOWN),
            **more,
        }
        summary = plain_text(f"{verb} {self.name}: +{added} -{removed} lines")
        return Preview(summary, plain_object(details), self.fingerprint)


def fingerprint(text: str | None) -> str:
    """What a file's text hashes to; a file that is not there has a word of its own."""
    return ABSENT if text is None else hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def current(path: str, name: str, largest: int) -> str | None:
    """The text of a file as it is now, byte for byte; None where there is none."""
    if not exists(path, name):
        return None
    with opened(path, name) as (file, size):
        if size > largest:
            raise FaultError(f"`{name}` is larger than {largest:,} bytes")
        # Surrogates stand for bytes that are no text, so that even they are told apart.
        return file.read().decode("utf-8", "surrogateescape")
