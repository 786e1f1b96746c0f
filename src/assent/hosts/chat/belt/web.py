"""`web_fetch` and `web_search`: pages of the open web, and nothing of anybody's own network."""

import json
from collections.abc import Iterator
from urllib.parse import urlencode

from assent.engine.model import as_list, as_object
from assent.hosts.chat.belt import schema
from assent.hosts.chat.belt.addresses import web
from assent.hosts.chat.belt.arguments import Arguments
from assent.hosts.chat.belt.context import Context
from assent.hosts.chat.belt.fault import FaultError
from assent.hosts.chat.belt.fetch import Answer, Fetcher, Request
from assent.hosts.chat.belt.page import page_text
from assent.hosts.chat.belt.tool import BeltTool, Result, belt_tool

MOST_HITS = 10
_TEXTS = ("text/", "application/json", "application/xml", "application/xhtml+xml", "application/javascript")

_FETCH = schema.record(
    {"url": schema.text("The address: http:// or https://.", minLength=8, maxLength=4_000)}
)
_SEARCH = schema.record(
    {"query": schema.text("What to search for.", minLength=1, maxLength=500)},
    {"count": schema.number(f"How many hits; {MOST_HITS} by default.", least=1, most=30)},
)


def web_fetch(fetcher: Fetcher) -> BeltTool:
    """The tool that fetches a page."""

    async def work(args: Arguments, context: Context) -> Result:
        await context.progress(f"fetching {args.text('url')[:200]}")
        return _shown(await fetcher.fetch(Request(url=args.text("url"))))

    description = (
        "Fetch a page of the web as text. A redirect to another host is not followed: "
        "the result says where it leads, and you may fetch that. Private addresses are refused."
    )
    return BeltTool(tool=belt_tool("web_fetch", description, _FETCH), work=work)


def web_search(fetcher: Fetcher, endpoint: str) -> BeltTool:
    """The tool that asks a search service, one that answers as SearXNG does, at an operator's endpoint."""
    place = web(endpoint)
    own = Fetcher(fetcher.guard.and_also(f"{place.host}:{place.port}"), most=2_000_000)

    async def work(args: Arguments, _: Context) -> Result:
        query = args.text("query")
        asked = f"{endpoint}{'&' if '?' in endpoint else '?'}{urlencode({'q': query, 'format': 'json'})}"
        answer = await own.fetch(Request(url=asked, headers={"Accept": "application/json"}))
        if answer.status != 200 or answer.moved:
            raise FaultError(f"the search service answered with status {answer.status}")
        hits = list(_hits(answer))[: args.number("count", MOST_HITS)]
        text = "\n\n".join(f"{hit['title']}\n{hit['url']}\n{hit['text']}".strip() for hit in hits)
        return Result(text=text or f"nothing was found for `{query}`", data={"hits": hits})

    return BeltTool(tool=belt_tool("web_search", "Search the web.", _SEARCH), work=work)


def _shown(answer: Answer) -> Result:
    data = {"url": answer.url, "status": answer.status, "kind": answer.kind, "bytes": len(answer.body)}
    if answer.moved:
        text = f"{answer.url} has moved to another host: {answer.moved}"
        return Result(text=text, data={**data, "moved": answer.moved})
    if not answer.kind.startswith(_TEXTS) or b"\0" in answer.body[:8_192]:
        size = f"more than {len(answer.body):,}" if answer.more else f"{len(answer.body):,}"
        raise FaultError(f"{answer.url} is {answer.kind} of {size} bytes, which is not shown as text")
    title, text = page_text(answer.text, answer.url) if "html" in answer.kind else ("", answer.text)
    more = ["… there is more, which was not fetched"] if answer.more else []
    status = [f"(status {answer.status})"] if answer.status != 200 else []
    lines = [*status, *([f"# {title}"] if title else []), text, *more]
    return Result(text="\n\n".join(lines), data={**data, "title": title}, failed=answer.status >= 400)


def _hits(answer: Answer) -> Iterator[dict[str, str]]:
    try:
        found = as_object(json.loads(answer.text))
    except ValueError:
        raise FaultError("the search service did not answer with JSON") from None
    for one in as_list((found or {}).get("results")) or ():
        hit = as_object(one) or {}
        if isinstance(hit.get("url"), str):
            yield {key: str(hit.get(source) or "") for key, source in _NAMES}


_NAMES = (("title", "title"), ("url", "url"), ("text", "content"))
