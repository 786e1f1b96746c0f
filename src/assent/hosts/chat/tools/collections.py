"""`list_collections`, `search_collections` and `query_collection`: the tools that search documents."""

from assent.errors import StoreError
from assent.hosts.chat.tools import schema
from assent.hosts.chat.tools.context import Arguments, ToolContext, ToolError
from assent.hosts.chat.tools.document_index import DocumentIndex, PassageMatch, query_words
from assent.hosts.chat.tools.tool import ChatTool, ToolResult, Work, define_tool

DEFAULT_MATCHES = 8
_RANKED_MATCHES = 200
_QUERY = schema.string("What to look for, in words.", minLength=1, maxLength=1_000)


def collection_tools(index: DocumentIndex) -> tuple[ChatTool, ...]:
    """The three tools of a document index."""

    async def list_collections(_args: Arguments, _: ToolContext) -> ToolResult:
        found = await index.collections()
        lines = [f"{one.name}: {one.size}" for one in found]
        data = {"collections": [one._asdict() for one in found]}
        return ToolResult(text="\n".join(lines) or "(there are no collections)", data=data)

    async def search_collections(args: Arguments, _: ToolContext) -> ToolResult:
        matches = await index.query(query_words(args.text("query")), collection=None, limit=_RANKED_MATCHES)
        best: dict[str, float] = {}
        for match in matches:
            best[match.collection] = max(best.get(match.collection, 0.0), match.score)
        ranked = sorted(best, key=lambda name: -best[name])
        return ToolResult(
            text="\n".join(ranked) or "no collection speaks of it", data={"collections": ranked}
        )

    async def query_collection(args: Arguments, _: ToolContext) -> ToolResult:
        name = args.text("collection")
        known = [one.name for one in await index.collections()]
        if name not in known:
            raise ToolError(f"there is no collection `{name}`; there are: {', '.join(known) or 'none'}")
        limit = args.number("count", DEFAULT_MATCHES)
        matches = await index.query(query_words(args.text("query")), collection=name, limit=limit)
        text = "\n\n".join(f"[{match.passage.source}]\n{match.passage.text}" for match in matches)
        return ToolResult(
            text=text or "no passage speaks of it", data={"hits": [_match_json(match) for match in matches]}
        )

    listing = define_tool("list_collections", "List the collections of documents.", schema.object_of({}))
    searching = define_tool(
        "search_collections",
        "Find the collections that speak of something.",
        schema.object_of({"query": _QUERY}),
    )
    querying = define_tool(
        "query_collection",
        "Find the passages of a collection that speak of something, the best first.",
        schema.object_of(
            {"collection": schema.string("Its name.", minLength=1), "query": _QUERY},
            {"count": schema.integer(f"How many passages; {DEFAULT_MATCHES} by default.", least=1, most=50)},
        ),
    )
    works: tuple[Work, ...] = (list_collections, search_collections, query_collection)
    tools = (listing, searching, querying)
    return tuple(
        ChatTool(tool=tool, work=_report_store_errors(work), provider="rag")
        for tool, work in zip(tools, works, strict=True)
    )


def _report_store_errors(work: Work) -> Work:
    """The same work; an index that cannot be used becomes an error message for the model."""

    async def safe(args: Arguments, context: ToolContext) -> ToolResult:
        try:
            return await work(args, context)
        except StoreError:
            raise ToolError("the collections cannot be reached now") from None

    return safe


def _match_json(match: PassageMatch) -> dict[str, object]:
    return {"source": match.passage.source, "position": match.passage.position, "text": match.passage.text}
