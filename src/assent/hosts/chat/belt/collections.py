"""`list_collections`, `search_collections` and `query_collection`: asking what was put on the shelf."""

from assent.errors import StoreError
from assent.hosts.chat.belt import schema
from assent.hosts.chat.belt.arguments import Arguments
from assent.hosts.chat.belt.context import Context
from assent.hosts.chat.belt.fault import FaultError
from assent.hosts.chat.belt.shelf.port import Hit, Shelf, words_of
from assent.hosts.chat.belt.tool import BeltTool, Result, Work, belt_tool

HITS = 8
_LOOKED_AT = 200
_QUERY = schema.text("What to look for, in words.", minLength=1, maxLength=1_000)


def collection_tools(shelf: Shelf) -> tuple[BeltTool, ...]:
    """The three tools that a shelf gives."""

    async def list_collections(_args: Arguments, _: Context) -> Result:
        found = await shelf.collections()
        lines = [f"{one.name}: {one.size}" for one in found]
        data = {"collections": [one._asdict() for one in found]}
        return Result(text="\n".join(lines) or "(there are no collections)", data=data)

    async def search_collections(args: Arguments, _: Context) -> Result:
        hits = await shelf.query(words_of(args.text("query")), collection=None, limit=_LOOKED_AT)
        best: dict[str, float] = {}
        for hit in hits:
            best[hit.collection] = max(best.get(hit.collection, 0.0), hit.score)
        ranked = sorted(best, key=lambda name: -best[name])
        return Result(text="\n".join(ranked) or "no collection speaks of it", data={"collections": ranked})

    async def query_collection(args: Arguments, _: Context) -> Result:
        name = args.text("collection")
        known = [one.name for one in await shelf.collections()]
        if name not in known:
            raise FaultError(f"there is no collection `{name}`; there are: {', '.join(known) or 'none'}")
        limit = args.number("count", HITS)
        hits = await shelf.query(words_of(args.text("query")), collection=name, limit=limit)
        text = "\n\n".join(f"[{hit.passage.source}]\n{hit.passage.text}" for hit in hits)
        return Result(text=text or "no passage speaks of it", data={"hits": [_shown(hit) for hit in hits]})

    listing = belt_tool("list_collections", "List the collections of documents.", schema.record({}))
    searching = belt_tool(
        "search_collections",
        "Find the collections that speak of something.",
        schema.record({"query": _QUERY}),
    )
    querying = belt_tool(
        "query_collection",
        "Find the passages of a collection that speak of something, the best first.",
        schema.record(
            {"collection": schema.text("Its name.", minLength=1), "query": _QUERY},
            {"count": schema.number(f"How many passages; {HITS} by default.", least=1, most=50)},
        ),
    )
    works: tuple[Work, ...] = (list_collections, search_collections, query_collection)
    tools = (listing, searching, querying)
    return tuple(
        BeltTool(tool=tool, work=_kept(work), provider="rag") for tool, work in zip(tools, works, strict=True)
    )


def _kept(work: Work) -> Work:
    """The same work; a shelf that cannot be used now is a fault that the model can be told of."""

    async def safe(args: Arguments, context: Context) -> Result:
        try:
            return await work(args, context)
        except StoreError:
            raise FaultError("the collections cannot be reached now") from None

    return safe


def _shown(hit: Hit) -> dict[str, object]:
    return {"source": hit.passage.source, "position": hit.passage.position, "text": hit.passage.text}
