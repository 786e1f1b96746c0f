"""The collection tools: find a collection, query it, and report clearly if that fails."""

from pathlib import Path

import pytest

from assent.errors import StoreError
from assent.hosts.chat.tools.collections import collection_tools
from assent.hosts.chat.tools.document_index import Passage, open_index
from tests.hosts.chat.tools.support import a_context, named, told, workspace

BIRDS = [
    Passage("heron.md", 0, "The grey heron stands in the reeds and waits."),
    Passage("heron.md", 1, "It eats fish; it's patient."),
    Passage("stork.md", 0, "The white stork nests on Öfen and roofs."),
]


@pytest.mark.proves("R000-8", "R000-13")
async def test_the_tools_find_a_collection_and_ask_it(tmp_path: Path) -> None:
    shelf = open_index(str(tmp_path / "c.db"))
    await shelf.add("birds", BIRDS)
    await shelf.add("boats", [Passage("punt.txt", 0, "A punt.")])
    tools = collection_tools(shelf)
    context = a_context(workspace(tmp_path))

    listed = await named(tools, "list_collections").run({}, context)
    found = await named(tools, "search_collections").run({"query": "where do storks... stork nests"}, context)
    asked = await named(tools, "query_collection").run({"collection": "birds", "query": "fish"}, context)
    unknown = await named(tools, "query_collection").run({"collection": "fish", "query": "fish"}, context)

    assert told(listed) == (True, "birds: 2 documents, 3 passages\nboats: 1 document, 1 passage")
    assert told(found) == (True, "birds")
    assert told(asked) == (True, "[heron.md]\nIt eats fish; it's patient.")
    assert told(unknown) == (False, "there is no collection `fish`; there are: birds, boats")


@pytest.mark.parametrize("address", ["{tmp}/file/under/it.db", "postgresql://127.0.0.1:1/none"])
async def test_a_shelf_that_cannot_be_used_is_a_clear_result(tmp_path: Path, address: str) -> None:
    root = workspace(tmp_path)
    (tmp_path / "file").touch()
    shelf = open_index(address.format(tmp=tmp_path))

    result = await named(collection_tools(shelf), "list_collections").run({}, a_context(root))

    assert told(result) == (False, "the collections cannot be reached now")
    with pytest.raises(StoreError):
        await shelf.collections()
