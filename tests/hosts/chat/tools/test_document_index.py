"""The document index: passages are found by their words, the same in SQLite and PostgreSQL."""

import asyncio
import stat
from collections.abc import Callable
from pathlib import Path

import asyncpg
import pytest

from assent.errors import InputError
from assent.hosts.chat.tools.document_index import (
    Collection,
    DocumentIndex,
    Passage,
    check_collection,
    open_index,
    query_words,
    read_documents,
    split_passages,
)
from tests.postgres import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]

BIRDS = [
    Passage("heron.md", 0, "The grey heron stands in the reeds and waits."),
    Passage("heron.md", 1, "It eats fish; it's patient."),
    Passage("stork.md", 0, "The white stork nests on Öfen and roofs."),
]


@pytest.fixture(params=["sqlite", "postgres"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> DocumentIndex:
    if request.param == "sqlite":
        return open_index(str(tmp_path / "new" / "collections.db"))
    url: str = request.getfixturevalue("postgres_url")
    asyncio.run(_emptied(url))
    return open_index(url)


async def _emptied(url: str) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute("DROP SCHEMA IF EXISTS assent_shelf CASCADE")
    await connection.close()


async def test_passages_are_found_by_their_words_the_best_first(index: DocumentIndex) -> None:
    await index.add("birds", BIRDS)
    await index.add("boats", [Passage("punt.txt", 0, "A punt goes through the reeds.")])

    every = await index.query(query_words("reeds"), collection=None, limit=10)
    birds = await index.query(query_words("grey REEDS"), collection="birds", limit=10)
    umlaut = await index.query(query_words("öfen"), collection="birds", limit=10)

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
async def test_nothing_in_a_question_is_an_operator(index: DocumentIndex, query: str) -> None:
    await index.add("birds", BIRDS)

    matches = await index.query(query_words(query), collection="birds", limit=10)

    assert {match.passage for match in matches} <= set(BIRDS)
    assert [one.name for one in await index.collections()] == ["birds"]


async def test_a_document_that_is_added_again_replaces_itself(index: DocumentIndex) -> None:
    await index.add("birds", BIRDS)
    await index.add("birds", [Passage("heron.md", 0, "The purple heron.")])

    assert await index.collections() == [Collection("birds", 2, 2)]
    assert [match.passage.text for match in await index.query(["heron"], collection=None, limit=9)] == [
        "The purple heron."
    ]


async def test_a_collection_that_was_removed_is_found_no_more(index: DocumentIndex) -> None:
    await index.add("birds", BIRDS)

    assert await index.remove("birds") is True
    assert await index.remove("birds") is False
    assert await index.collections() == []
    assert await index.query(["heron"], collection=None, limit=9) == []


async def test_an_empty_collection_is_there(index: DocumentIndex) -> None:
    await index.add("nothing", [])

    assert await index.collections() == [Collection("nothing", 0, 0)]


async def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    await open_index(str(tmp_path / "c.db")).add("birds", BIRDS)

    assert stat.S_IMODE((tmp_path / "c.db").stat().st_mode) == 0o600


def test_text_files_are_read_and_the_rest_is_named(tmp_path: Path) -> None:
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
    assert [Path(line.partition(":")[0]).name for line in read.left_out] == [".env", "c.bin"]
    assert read.documents == 2


def test_a_long_text_is_cut_between_paragraphs_and_loses_nothing() -> None:
    paragraphs = [f"{number} " + "word " * 30 for number in range(40)] + ["x" * 3_000]
    pieces = list(split_passages("\n\n".join(paragraphs)))

    assert max(map(len, pieces)) <= 1_500
    assert "".join("".join(pieces).split()) == "".join("".join(paragraphs).split())


@pytest.mark.parametrize("name", ["", "a b", "../x", "x" * 65, "a\n"])
def test_a_name_that_no_rule_could_spell_is_refused(name: str) -> None:
    check: Callable[[str], None] = check_collection

    with pytest.raises(InputError, match="cannot be called"):
        check(name)
