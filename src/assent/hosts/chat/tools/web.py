"""`web_fetch` and `web_search`: the tools for the public web; they reach no private network."""

import json
from collections.abc import Iterator
from urllib.parse import urlencode

from assent.engine.model import as_list, as_object
from assent.hosts.chat.tools import schema
from assent.hosts.chat.tools.context import Arguments, ToolContext, ToolError
from assent.hosts.chat.tools.fetch import Fetcher, FetchRequest, FetchResponse, parse_address
from assent.hosts.chat.tools.text import page_text
from assent.hosts.chat.tools.tool import ChatTool, ToolResult, define_tool

DEFAULT_RESULTS = 10
_TEXTS = ("text/", "application/json", "application/xml", "application/xhtml+xml", "application/javascript")

_RESULT_FIELDS = (("title", "title"), ("url", "url"), ("text", "content"))
"""The fields of a search result, and their names in the service's answer."""

_FETCH = schema.object_of(
    {"url": schema.string("The address: http:// or https://.", minLength=8, maxLength=4_000)}
)
_SEARCH = schema.object_of(
    {"query": schema.string("What to search for.", minLength=1, maxLength=500)},
    {"count": schema.integer(f"How many results; {DEFAULT_RESULTS} by default.", least=1, most=30)},
)


def web_fetch_tool(fetcher: Fetcher) -> ChatTool:
    """The tool that fetches a page."""

    async def work(args: Arguments, context: ToolContext) -> ToolResult:
        await context.progress(f"fetching {args.text('url')[:200]}")
        return _page_result(await fetcher.fetch(FetchRequest(url=args.text("url"))))

    description = (
        "Fetch a page of the web as text. A redirect to another host is not followed: "
        "the result says where it leads, and you may fetch that. Private addresses are refused."
    )
    return ChatTool(tool=define_tool("web_fetch", description, _FETCH), work=work)


def web_search_tool(fetcher: Fetcher, endpoint: str) -> ChatTool:
    """The tool that uses the operator's search service, which has the API of SearXNG."""
    address = parse_address(endpoint)
    guard = fetcher.guard.allowing(f"{address.host}:{address.port}")
    search_fetcher = Fetcher(guard, max_bytes=2_000_000)

    async def work(args: Arguments, _: ToolContext) -> ToolResult:
        query = args.text("query")
        url = f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode({'q': query, 'format': 'json'})}"
        response = await search_fetcher.fetch(FetchRequest(url=url, headers={"Accept": "application/json"}))
        if response.status != 200 or response.redirect:
            raise ToolError(f"the search service answered with status {response.status}")
        results = list(_search_results(response))[: args.number("count", DEFAULT_RESULTS)]
        text = "\n\n".join(f"{one['title']}\n{one['url']}\n{one['text']}".strip() for one in results)
        return ToolResult(text=text or f"nothing was found for `{query}`", data={"hits": results})

    return ChatTool(tool=define_tool("web_search", "Search the web.", _SEARCH), work=work)


def _page_result(response: FetchResponse) -> ToolResult:
    data = {
        "url": response.url,
        "status": response.status,
        "kind": response.media_type,
        "bytes": len(response.body),
    }
    if response.redirect:
        text = f"{response.url} has moved to another host: {response.redirect}"
        return ToolResult(text=text, data={**data, "moved": response.redirect})
    if not response.media_type.startswith(_TEXTS) or b"\0" in response.body[:8_192]:
        size = f"more than {len(response.body):,}" if response.is_truncated else f"{len(response.body):,}"
        raise ToolError(
            f"{response.url} is {response.media_type} of {size} bytes, which is not shown as text"
        )
    title, text = (
        page_text(response.text, response.url) if "html" in response.media_type else ("", response.text)
    )
    more = ["… there is more, which was not fetched"] if response.is_truncated else []
    status = [f"(status {response.status})"] if response.status != 200 else []
    lines = [*status, *([f"# {title}"] if title else []), text, *more]
    return ToolResult(text="\n\n".join(lines), data={**data, "title": title}, failed=response.status >= 400)


def _search_results(response: FetchResponse) -> Iterator[dict[str, str]]:
    try:
        found = as_object(json.loads(response.text))
    except ValueError:
        raise ToolError("the search service did not answer with JSON") from None
    for one in as_list((found or {}).get("results")) or ():
        result = as_object(one) or {}
        if isinstance(result.get("url"), str):
            yield {key: str(result.get(source) or "") for key, source in _RESULT_FIELDS}
