"""Document collections: split into passages, searched by words, and the tools that search them."""

import os
import re
import sqlite3
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple, Protocol, TypeVar, cast

from assent.engine.base.sensitive_paths import is_secret
from assent.errors import AssentError, InputError, StoreError
from assent.hosts.chat.tools import schema
from assent.hosts.chat.tools.files import SKIPPED_DIRECTORIES, is_binary
from assent.hosts.chat.tools.text import page_title_and_text
from assent.hosts.chat.tools.tool import (
    FILE_THREADS,
    Arguments,
    ChatTool,
    ToolContext,
    ToolError,
    ToolResult,
    ToolWork,
    define_tool,
)

Result = TypeVar("Result")
DEFAULT_MATCHES = 8
PASSAGE_CHARACTERS = 1_500
"""Approximate length of a passage; a paragraph is split only if it is longer."""
MAX_FILE_BYTES = 20_000_000
_MAX_RANKED_MATCHES = 200
_QUERY_SCHEMA = schema.string_schema("What to look for, in words.", minLength=1, maxLength=1_000)
_COLLECTION_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_WORD = re.compile(r"\w+")
_MAX_QUERY_WORDS = 32
_SCHEMA = """
    CREATE TABLE IF NOT EXISTS collections (name TEXT PRIMARY KEY);
    CREATE VIRTUAL TABLE IF NOT EXISTS passages USING fts5(
        text, source UNINDEXED, position UNINDEXED, collection UNINDEXED,
        tokenize = 'unicode61 remove_diacritics 2'
    );
"""


class Passage(NamedTuple):
    """A part of a document, as the index stores it."""

    source: str
    """The path of the document."""
    position: int
    text: str


class PassageMatch(NamedTuple):
    """A found passage and its score; a higher score is a better match."""

    collection: str
    passage: Passage
    score: float


class Collection(NamedTuple):
    """A collection with the number of its documents and passages."""

    name: str
    documents: int
    passages: int

    @property
    def size_text(self) -> str:
        """The number of documents and passages, as a text."""
        counted = (self.documents, "document"), (self.passages, "passage")
        return ", ".join(f"{number} {noun}{'' if number == 1 else 's'}" for number, noun in counted)


class DocumentIndex(Protocol):
    """Stores and searches collections; raises `StoreError` if the database fails."""

    async def add_documents(self, name: str, passages: Sequence[Passage]) -> None:
        """Add documents to a new or existing collection; an existing document is replaced."""
        ...

    async def remove_collection(self, name: str) -> bool:
        """Remove a collection; returns False if it does not exist."""
        ...

    async def list_collections(self) -> Sequence[Collection]:
        """All collections, sorted by name."""
        ...

    async def find_passages(
        self, words: Sequence[str], *, collection: str | None, limit: int
    ) -> Sequence[PassageMatch]:
        """The passages that contain at least one of the words, best match first."""
        ...


class SqliteIndex:
    """An index in an SQLite file; the file is opened for each operation, so processes can share it."""

    def __init__(self, path: str) -> None:
        self._path = path

    async def add_documents(self, name: str, passages: Sequence[Passage]) -> None:
        """Add documents to a new or existing collection; an existing document is replaced."""

        def replace_documents(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT OR IGNORE INTO collections VALUES (?)", (name,))
            gone = [(name, source) for source in {passage.source for passage in passages}]
            connection.executemany("DELETE FROM passages WHERE collection = ? AND source = ?", gone)
            rows = [(one.text, one.source, one.position, name) for one in passages]
            connection.executemany("INSERT INTO passages VALUES (?, ?, ?, ?)", rows)

        await self._run_in_thread(replace_documents)

    async def remove_collection(self, name: str) -> bool:
        """Remove a collection; returns False if it does not exist."""

        def delete_collection(connection: sqlite3.Connection) -> bool:
            connection.execute("DELETE FROM passages WHERE collection = ?", (name,))
            return connection.execute("DELETE FROM collections WHERE name = ?", (name,)).rowcount > 0

        return await self._run_in_thread(delete_collection)

    async def list_collections(self) -> Sequence[Collection]:
        """All collections, sorted by name."""
        query = """
            SELECT name, count(DISTINCT source), count(source)
            FROM collections LEFT JOIN passages ON collection = name GROUP BY name ORDER BY name
        """
        return [
            Collection(*row) for row in await self._run_in_thread(lambda one: one.execute(query).fetchall())
        ]

    async def find_passages(
        self, words: Sequence[str], *, collection: str | None, limit: int
    ) -> Sequence[PassageMatch]:
        """The passages that contain at least one of the words, best match first."""
        if not words:
            return []
        query = """
            SELECT collection, source, position, text, -bm25(passages) AS score FROM passages
            WHERE passages MATCH ? AND (? IS NULL OR collection = ?) ORDER BY score DESC LIMIT ?
        """
        match = " OR ".join(f'"{word}"' for word in words)
        rows = await self._run_in_thread(
            lambda one: one.execute(query, (match, collection, collection, limit)).fetchall()
        )
        return [PassageMatch(row[0], Passage(row[1], row[2], row[3]), row[4]) for row in rows]

    async def _run_in_thread(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        def run_in_transaction() -> Result:
            with self._connect() as connection, connection:
                return work(connection)

        return await FILE_THREADS.run_in_thread(run_in_transaction)

    @contextmanager
    def _connect(self) -> Generator[sqlite3.Connection]:
        try:
            os.makedirs(os.path.dirname(self._path) or ".", mode=0o700, exist_ok=True)
            # Documents may be private: only the owner can read the file.
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            with closing(sqlite3.connect(self._path, timeout=5)) as connection:
                connection.executescript(_SCHEMA)
                yield connection
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"the collections in {self._path} cannot be used: {error}") from None


def open_index(address: str) -> DocumentIndex:
    """The index at a `postgresql://` address or in an SQLite file."""
    if not address.startswith(("postgresql://", "postgres://")):
        return SqliteIndex(address)
    if find_spec("asyncpg") is None:
        raise AssentError("asyncpg is not installed: pip install 'assent[postgres]'")
    return cast(
        "DocumentIndex", import_module("assent.hosts.chat.tools.postgres_index").PostgresIndex(address)
    )


def check_collection_name(name: str) -> None:
    """Raise `InputError` for an invalid collection name."""
    if not _COLLECTION_NAME.fullmatch(name):
        raise InputError(f"a collection cannot be called `{name}`: letters, digits and `_.-`, at most 64")


def split_query_words(query: str) -> list[str]:
    """The distinct words of a query; search operators such as OR are treated as plain words."""
    return list(dict.fromkeys(_WORD.findall(query.casefold())))[:_MAX_QUERY_WORDS]


class DocumentsReadResult(NamedTuple):
    """The passages of files that were read, and the files that were skipped."""

    passages: list[Passage]
    documents: int
    skipped_files: list[str]
    """Each skipped file with the reason."""


def read_documents(paths: list[str]) -> DocumentsReadResult:
    """Read files, and all files below directories, and split them into passages."""
    passages: list[Passage] = []
    skipped_files: list[str] = []
    documents = 0
    for path in (file for named in paths for file in _find_files(os.path.abspath(named))):
        found = _read_document(path)
        if isinstance(found, str):
            skipped_files.append(f"{path}: {found}")
            continue
        documents += 1
        passages += found
    return DocumentsReadResult(passages, documents, skipped_files)


def split_passages(text: str, length: int = PASSAGE_CHARACTERS) -> Iterator[str]:
    """Split a text into passages, between paragraphs if possible."""
    held = ""
    for paragraph in text.replace("\0", "").split("\n\n"):
        for piece in _split_paragraph(paragraph.strip(), length):
            if held and len(held) + len(piece) > length:
                yield held
                held = ""
            held = f"{held}\n\n{piece}" if held else piece
    if held:
        yield held


def collection_tools(index: DocumentIndex) -> tuple[ChatTool, ...]:
    """The tools that list, search and query the collections of an index."""

    async def list_collections(_args: Arguments, _: ToolContext) -> ToolResult:
        found = await index.list_collections()
        lines = [f"{one.name}: {one.size_text}" for one in found]
        data = {"collections": [one._asdict() for one in found]}
        return ToolResult(text="\n".join(lines) or "(there are no collections)", data=data)

    async def search_collections(args: Arguments, _: ToolContext) -> ToolResult:
        matches = await index.find_passages(
            split_query_words(args.get_text("query")), collection=None, limit=_MAX_RANKED_MATCHES
        )
        best: dict[str, float] = {}
        for match in matches:
            best[match.collection] = max(best.get(match.collection, 0.0), match.score)
        ranked = sorted(best, key=lambda name: -best[name])
        return ToolResult(
            text="\n".join(ranked) or "no collection speaks of it", data={"collections": ranked}
        )

    async def query_collection(args: Arguments, _: ToolContext) -> ToolResult:
        name = args.get_text("collection")
        known = [one.name for one in await index.list_collections()]
        if name not in known:
            raise ToolError(f"there is no collection `{name}`; there are: {', '.join(known) or 'none'}")
        limit = args.get_number("count", DEFAULT_MATCHES)
        matches = await index.find_passages(
            split_query_words(args.get_text("query")), collection=name, limit=limit
        )
        text = "\n\n".join(f"[{match.passage.source}]\n{match.passage.text}" for match in matches)
        return ToolResult(
            text=text or "no passage speaks of it", data={"hits": [_match_json(match) for match in matches]}
        )

    listing = define_tool("list_collections", "List the collections of documents.", schema.object_schema({}))
    searching = define_tool(
        "search_collections",
        "Find the collections that speak of something.",
        schema.object_schema({"query": _QUERY_SCHEMA}),
    )
    querying = define_tool(
        "query_collection",
        "Find the passages of a collection that speak of something, the best first.",
        schema.object_schema(
            {"collection": schema.string_schema("Its name.", minLength=1), "query": _QUERY_SCHEMA},
            {
                "count": schema.integer_schema(
                    f"How many passages; {DEFAULT_MATCHES} by default.", least=1, most=50
                )
            },
        ),
    )
    works: tuple[ToolWork, ...] = (list_collections, search_collections, query_collection)
    tools = (listing, searching, querying)
    return tuple(
        ChatTool(tool=tool, work=_report_store_errors(work), provider="rag")
        for tool, work in zip(tools, works, strict=True)
    )


def _split_paragraph(paragraph: str, length: int) -> Iterator[str]:
    for start in range(0, len(paragraph), length):
        yield paragraph[start : start + length]


def _find_files(path: str) -> Iterator[str]:
    if not os.path.isdir(path):
        yield path
        return
    for directory, below, names in os.walk(path):
        below[:] = sorted(set(below) - SKIPPED_DIRECTORIES)
        yield from (os.path.join(directory, name) for name in sorted(names))


def _read_document(path: str) -> list[Passage] | str:
    """The passages of a file, or the reason why the file is skipped."""
    if is_secret(path):
        return "its name says that it holds secrets"
    try:
        if not os.path.isfile(path):
            return "it is not a file"
        if os.path.getsize(path) > MAX_FILE_BYTES:
            return f"it is larger than {MAX_FILE_BYTES:,} bytes"
        with open(path, "rb") as file:
            content = file.read(MAX_FILE_BYTES)
    except OSError as error:
        return (error.strerror or type(error).__name__).lower()
    if is_binary(content[:8_192]):
        return "it is not text"
    text = content.decode("utf-8", errors="replace")
    if path.endswith((".html", ".htm")):
        text = page_title_and_text(text, "")[1]
    return [Passage(path, number, piece) for number, piece in enumerate(split_passages(text))]


def _report_store_errors(work: ToolWork) -> ToolWork:
    """Wrap a tool function, so that a failing index returns an error message to the model."""

    async def run_and_report_errors(args: Arguments, context: ToolContext) -> ToolResult:
        try:
            return await work(args, context)
        except StoreError:
            raise ToolError("the collections cannot be reached now") from None

    return run_and_report_errors


def _match_json(match: PassageMatch) -> dict[str, object]:
    return {"source": match.passage.source, "position": match.passage.position, "text": match.passage.text}
