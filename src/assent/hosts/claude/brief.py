"""The brief of a project, BRIEF.md: its goal, its current status and its decisions."""

import os
import time

from assent.errors import AssentError, InputError

FILE_NAME = "BRIEF.md"
MAX_BYTES = 200_000
_HEADINGS = {"current_status": "## Current Status", "decisions_log": "## Decisions Log"}


class Brief:
    """The file in the root of the repository; a person may change it at any time."""

    def __init__(self, directory: str) -> None:
        self._path = os.path.join(directory, FILE_NAME)

    @property
    def text(self) -> str:
        """The whole brief; empty if there is none."""
        try:
            descriptor = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
        except FileNotFoundError:
            return ""
        except OSError as error:
            raise AssentError(f"{FILE_NAME} cannot be read: {(error.strerror or '').lower()}") from None
        with open(descriptor, encoding="utf-8", errors="replace") as file:
            return file.read(MAX_BYTES)

    def change(self, section: str, content: str) -> None:
        """Replace the current status, or add one line to the decisions."""
        if section not in _HEADINGS:
            raise InputError(f"`{section}` is no section; it must be one of {', '.join(_HEADINGS)}")
        text = changed_brief(self.text, section, content, today=time.strftime("%Y-%m-%d", time.gmtime()))
        if len(text.encode()) > MAX_BYTES:
            raise InputError(f"{FILE_NAME} would be larger than {MAX_BYTES} bytes")
        temporary = f"{self._path}.new"
        descriptor = os.open(
            temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644
        )
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, self._path)


def changed_brief(text: str, section: str, content: str, *, today: str) -> str:
    """The text of a brief after a change; a section that is missing is added at the end."""
    heading = _HEADINGS[section]
    # A heading inside the content would end the section early.
    lines = [f" {line}" if line.startswith("#") else line for line in content.strip().splitlines()]
    if section == "decisions_log":
        lines = [f"- {today}: {' '.join(lines)}"]
    before, found, rest = _split_at_section(text, heading)
    old, _, after = rest.partition("\n## ")
    kept = [line for line in old.strip().splitlines() if section == "decisions_log"]
    body = "\n".join([*kept, *lines])
    start = before if found else (f"{text.rstrip()}\n\n" if text.strip() else "")
    ending = f"\n\n## {after.lstrip()}" if found and after else "\n"
    return f"{start}{heading}\n{body}{ending}"


def _split_at_section(text: str, heading: str) -> tuple[str, bool, str]:
    """The text before a heading, whether there is one, and the text after it."""
    lines = text.splitlines(keepends=True)
    for index, line in enumerate(lines):
        if line.strip() == heading:
            return "".join(lines[:index]), True, "".join(lines[index + 1 :])
    return text, False, ""
