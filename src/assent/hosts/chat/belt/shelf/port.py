"""A shelf as the belt sees it: collections of passages, found by the words that are in them."""

import re
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from assent.errors import InputError

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_WORD = re.compile(r"\w+")
_MOST_WORDS = 32


class Passage(NamedTuple):
    """A piece of a document, short enough to be read whole."""

    source: str
    """The document: a path, as it was added."""
    position: int
    text: str


class Hit(NamedTuple):
    """A passage that was found, and how well it fits: more is better."""

    collection: str
    passage: Passage
    score: float


class Collection(NamedTuple):
    """A collection, and how much is in it."""

    name: str
    documents: int
    passages: int

    @property
    def size(self) -> str:
        """How much that is, in words."""
        counted = (self.documents, "document"), (self.passages, "passage")
        return ", ".join(f"{number} {noun}{'' if number == 1 else 's'}" for number, noun in counted)


class Shelf(Protocol):
    """Keeps collections; fails with `StoreError` when it cannot be used."""

    async def add(self, name: str, passages: Sequence[Passage]) -> None:
        """Put documents into a collection, which is made if need be; one that was there is replaced."""
        ...

    async def remove(self, name: str) -> bool:
        """Take a collection away; False when there was none."""
        ...

    async def collections(self) -> Sequence[Collection]:
        """Every collection, in order of its name."""
        ...

    async def query(self, words: Sequence[str], *, collection: str | None, limit: int) -> Sequence[Hit]:
        """The passages that hold some of these words, the best first."""
        ...

    async def close(self) -> None:
        """Let everything go."""
        ...


def check_collection(name: str) -> None:
    """Refuse a name that a rule or a command line could not spell."""
    if not _NAME.fullmatch(name):
        raise InputError(f"a collection cannot be called `{name}`: letters, digits and `_.-`, at most 64")


def words_of(query: str) -> list[str]:
    """The words of a question, each once: nothing in it is an operator of somebody's query language."""
    return list(dict.fromkeys(_WORD.findall(query.casefold())))[:_MOST_WORDS]
