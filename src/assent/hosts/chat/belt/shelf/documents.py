"""Documents on their way to the shelf: files of text, cut into passages."""

import os
from collections.abc import Iterator
from typing import NamedTuple

from assent.engine.secret_paths import is_secret
from assent.hosts.chat.belt.listing import SKIPPED
from assent.hosts.chat.belt.page import page_text
from assent.hosts.chat.belt.read import is_binary
from assent.hosts.chat.belt.shelf.port import Passage

LENGTH = 1_500
"""Characters of a passage, about; a paragraph is not cut unless it is longer by itself."""
LARGEST = 20_000_000


class Read(NamedTuple):
    """What came of reading some files."""

    passages: list[Passage]
    documents: int
    left_out: list[str]
    """Files that are no text, too large, or secret by their name, each with the reason."""


def read_documents(paths: list[str]) -> Read:
    """Every text file that is named, or below a directory that is named."""
    passages: list[Passage] = []
    left_out: list[str] = []
    documents = 0
    for path in (file for named in paths for file in _files(os.path.abspath(named))):
        found = _read(path)
        if isinstance(found, str):
            left_out.append(f"{path}: {found}")
            continue
        documents += 1
        passages += found
    return Read(passages, documents, left_out)


def cut(text: str, length: int = LENGTH) -> Iterator[str]:
    """A text in passages, cut between paragraphs where that can be."""
    held = ""
    for paragraph in text.replace("\0", "").split("\n\n"):
        for piece in _pieces(paragraph.strip(), length):
            if held and len(held) + len(piece) > length:
                yield held
                held = ""
            held = f"{held}\n\n{piece}" if held else piece
    if held:
        yield held


def _pieces(paragraph: str, length: int) -> Iterator[str]:
    for start in range(0, len(paragraph), length):
        yield paragraph[start : start + length]


def _files(path: str) -> Iterator[str]:
    if not os.path.isdir(path):
        yield path
        return
    for directory, below, names in os.walk(path):
        below[:] = sorted(set(below) - SKIPPED)
        yield from (os.path.join(directory, name) for name in sorted(names))


def _read(path: str) -> list[Passage] | str:
    """The passages of a file, or why it is left out."""
    if is_secret(path):
        return "its name says that it holds secrets"
    try:
        if not os.path.isfile(path):
            return "it is not a file"
        if os.path.getsize(path) > LARGEST:
            return f"it is larger than {LARGEST:,} bytes"
        with open(path, "rb") as file:
            content = file.read(LARGEST)
    except OSError as error:
        return (error.strerror or type(error).__name__).lower()
    if is_binary(content[:8_192]):
        return "it is not text"
    text = content.decode("utf-8", errors="replace")
    if path.endswith((".html", ".htm")):
        text = page_text(text, "")[1]
    return [Passage(path, number, piece) for number, piece in enumerate(cut(text))]
