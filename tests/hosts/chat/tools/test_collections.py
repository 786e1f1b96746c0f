"""The collection tools: find a collection, query it, and report clearly if that fails."""

import asyncio
import stat
from collections.abc import Callable
from pathlib import Path

import asyncpg
import pytest

from assent.errors import InputError, StoreError
from assent.hosts.chat.tools.collections import (
    Collection,
    DocumentIndex,
    Passage,
    check_collection_name,
    collection_tools,
    open_index,
    read_documents,
    split_passages,
    split_query_words,
)
from tests.hosts.chat.tools.support import find_tool, make_context, succeeded_and_text, workspace
from tests.postgres import postgres_server, postgres_url

BIRDS = [
    Passage("heron.md", 0, "The grey heron stands in the reeds and waits."),
    Passage("heron.md", 1, "It eats fish; it's patient."),
    Passage("stork.md", 0, "The white stork nests on Öfen and roofs."),
]


@pytest.mark.supports("R000-8", "R000-13")
async def test_the_tools_find_and_query_a_collection(tmp_path: Path) -> None:
    shelf = open_index(str(tmp_path / "c.db"))
    await shelf.add_documents("birds", BIRDS)
    await shelf.add_documents("boats", [Passage("punt.txt", 0, "A punt.")])
    tools = collection_tools(shelf)
    context = make_context(workspace(tmp_path))

    listed = await find_tool(tools, "list_collections").run_call({}, context)
    found = await find_tool(tools, "search_collections").run_call(
        {"query": "where do storks... stork nests"}, context
    )
    asked = await find_tool(tools, "query_collection").run_call(
        {"collection": "birds", "query": "fish"}, context
    )
    unknown = await find_tool(tools, "query_collection").run_call(
        {"collection": "fish", "query": "fish"}, context
    )

    assert succeeded_and_text(listed) == (
        True,
        "birds: 2 documents, 3 passages\nboats: 1 document, 1 passage",
    )
    assert succeeded_and_text(found) == (True, "birds")
    assert succeeded_and_text(asked) == (True, "[heron.md]\nIt eats fish; it's patient.")
    assert succeeded_and_text(unknown) == (False, "there is no collection `fish`; there are: birds, boats")


@pytest.mark.parametrize("address", ["{tmp}/file/under/it.db", "postgresql://127.0.0.1:1/none"])
async def test_an_unusable_index_gives_a_clear_error(tmp_path: Path, address: str) -> None:
    root = workspace(tmp_path)
    (tmp_path / "file").touch()
    shelf = open_index(address.format(tmp=tmp_path))

    result = await find_tool(collection_tools(shelf), "list_collections").run_call({}, make_context(root))

    assert succeeded_and_text(result) == (False, "the collections cannot be reached now")
    with pytest.raises(StoreError):
        await shelf.list_collections()


__all__ = ["postgres_server", "postgres_url"]


@pytest.fixture(params=["sqlite", "postgres"])
def document_index(request: pytest.FixtureRequest, tmp_path: Path) -> DocumentIndex:
    if request.param == "sqlite":
        return open_index(str(tmp_path / "new" / "collections.db"))
    url: str = request.getfixturevalue("postgres_url")
    asyncio.run(_drop_index(url))
    return open_index(url)


async def _drop_index(url: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute("DROP SCHEMA IF EXISTS assent_shelf CASCADE")
    await connection.close()


async def test_passages_are_found_by_their_words_the_best_first(document_index: DocumentIndex) -> None:
    await document_index.add_documents("birds", BIRDS)
    await document_index.add_documents("boats", [Passage("punt.txt", 0, "A punt goes through the reeds.")])

    every = await document_index.find_passages(split_query_words("reeds"), collection=None, limit=10)
    birds = await document_index.find_passages(split_query_words("grey REEDS"), collection="birds", limit=10)
    umlaut = await document_index.find_passages(split_query_words("öfen"), collection="birds", limit=10)

    assert sorted(match.collection for match in every) == ["birds", "boats"]
    assert [match.passage for match in birds] == [BIRDS[0]]
    assert [match.passage for match in umlaut] == [BIRDS[2]]


@pytest.mark.proves("T-42")
@pytest.mark.parametrize(
    "query",
    [
        '"',
        "' OR 1=1 --",
        "NEAR(a b)",
        "a AND NOT b",
        "text:*",
        "!&|()",
        "it's",
        "\\",
        "%",
        "collection:birds",
        "",
    ],
)
async def test_search_operators_in_a_query_are_plain_words(document_index: DocumentIndex, query: str) -> None:
    await document_index.add_documents("birds", BIRDS)

    matches = await document_index.find_passages(split_query_words(query), collection="birds", limit=10)

    assert {match.passage for match in matches} <= set(BIRDS)
    assert [one.name for one in await document_index.list_collections()] == ["birds"]


async def test_a_document_that_is_added_again_is_replaced(document_index: DocumentIndex) -> None:
    await document_index.add_documents("birds", BIRDS)
    await document_index.add_documents("birds", [Passage("heron.md", 0, "The purple heron.")])

    assert await document_index.list_collections() == [Collection("birds", 2, 2)]
    assert [
        match.passage.text
        for match in await document_index.find_passages(["heron"], collection=None, limit=9)
    ] == ["The purple heron."]


async def test_a_removed_collection_is_no_longer_found(document_index: DocumentIndex) -> None:
    await document_index.add_documents("birds", BIRDS)

    assert await document_index.remove_collection("birds") is True
    assert await document_index.remove_collection("birds") is False
    assert await document_index.list_collections() == []
    assert await document_index.find_passages(["heron"], collection=None, limit=9) == []


async def test_an_empty_collection_exists(document_index: DocumentIndex) -> None:
    await document_index.add_documents("nothing", [])

    assert await document_index.list_collections() == [Collection("nothing", 0, 0)]


async def test_only_the_owner_can_read_the_index_file(tmp_path: Path) -> None:
    await open_index(str(tmp_path / "c.db")).add_documents("birds", BIRDS)

    assert stat.S_IMODE((tmp_path / "c.db").stat().st_mode) == 0o600


def test_text_files_are_read_and_skipped_files_are_listed(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Herons\n\nThey wait.", "utf-8")
    (tmp_path / "b.html").write_text("<script>x</script><p>Storks fly.</p>", "utf-8")
    (tmp_path / "c.bin").write_bytes(b"\0\1")
    (tmp_path / ".env").write_text("TOKEN=x", "utf-8")
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "d.md").write_text("no", "utf-8")

    read = read_documents([str(tmp_path)])

    assert [(Path(one.source).name, one.text) for one in read.passages] == [
        ("a.md", "# Herons\n\nThey wait."),
        ("b.html", "Storks fly."),
    ]
    assert [Path(line.partition(":")[0]).name for line in read.skipped_files] == [".env", "c.bin"]
    assert read.documents == 2


def test_a_long_text_is_split_between_paragraphs_without_loss() -> None:
    paragraphs = [f"{number} " + "word " * 30 for number in range(40)] + ["x" * 3_000]
    pieces = list(split_passages("\n\n".join(paragraphs)))

    assert max(map(len, pieces)) <= 1_500
    assert "".join("".join(pieces).split()) == "".join("".join(paragraphs).split())


@pytest.mark.parametrize("name", ["", "a b", "../x", "x" * 65, "a\n"])
def test_an_invalid_collection_name_is_refused(name: str) -> None:
    check: Callable[[str], None] = check_collection_name

    with pytest.raises(InputError, match="cannot be called"):
        check(name)
