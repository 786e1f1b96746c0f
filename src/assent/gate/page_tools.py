"""Tools that web pages declare: their first definitions are pinned, and administrators review them."""

from collections.abc import Iterable, Mapping
from enum import StrEnum

from assent.engine.base.tool import Tool
from assent.errors import ConflictError, NotFoundError
from assent.gate.access import Principal, check_administrator
from assent.gate.catalog import Catalog, DeclaredTool, PageTool, PageTools, Pin, TrustLevel
from assent.gate.changes import ChangeKind, authorize, change_entry
from assent.gate.ids import check_name
from assent.gate.store import Store

ORIGIN_PREFIX = "page "
"""The start of the origin of a tool that a web page declares."""
MAX_DEFINITIONS = 5_000
"""The maximum number of kept definitions of one origin; further tools of that origin are not offered."""


class Review(StrEnum):
    """What is known about a tool that a page declares."""

    KNOWN = "known"
    REVIEWED = "reviewed"
    NEW = "new"
    CHANGED = "changed"
    REFUSED = "refused"


class PageCatalog:
    """The tools of web pages in the catalog of this process, and the reviews of their definitions."""

    def __init__(self, store: Store, catalog: Catalog) -> None:
        self._store = store
        self._catalog = catalog

    def make_tool(self, tool: Tool, page: str, *, is_known: bool = False) -> PageTool:
        """The tool of a page; a known one needs no review, because this program defines its effect."""
        check_name("tool", tool.name)
        trust = TrustLevel.SERVER if is_known else TrustLevel.CLIENT
        declared = DeclaredTool(tool=tool, trust=trust, provider="page")
        return PageTool(declared=declared, page=page, pin=declared.pin)

    async def pin(self, by: str, conversation: str, tools: Iterable[PageTool]) -> Mapping[str, Review]:
        """Pin the first definitions of tools, and return what is known about each tool by name.

        INVARIANT: called before the tools are offered: a tool without a pin could change unnoticed.
        """
        wanted = tuple(tools)
        held = {(pin.origin, pin.tool): pin for pin in await self._store.pins()}
        to_review = [one for one in wanted if one.declared.trust is not TrustLevel.SERVER]
        new = [one for one in to_review if (one.pin.origin, one.pin.tool) not in held]
        counts: dict[str, int] = {}
        for origin, _ in held:
            counts[origin] = counts.get(origin, 0) + 1
        too_many = {
            one.pin.tool
            for number, one in enumerate(new, start=1)
            if counts.get(one.pin.origin, 0) + number > MAX_DEFINITIONS
        }
        pins = [one.declared.full_pin for one in new if one.pin.tool not in too_many]
        if pins:
            await self._store.pin_definitions(pins)
            about = f"{pins[0].origin}: {len(pins)}"
            self._store.record(change_entry(by, ChangeKind.TOOLS_DECLARED, about, conversation=conversation))
        return {
            one.pin.tool: Review.REFUSED if one.pin.tool in too_many else _review(one, held) for one in wanted
        }

    def offer(self, conversation: str, tools: Iterable[PageTool]) -> None:
        """Replace the tools that the pages of a conversation offer, from now on."""
        found = PageTools(tools)
        self._catalog.set_page_tools(conversation, found if found.names else None)

    def reserved_names(self, agent: str) -> frozenset[str]:
        """The names of the tools that an agent has without a page."""
        return self._catalog.offered_names(agent)

    async def accept(self, principal: Principal, tool: str, digest: str | None, origin: str | None) -> None:
        """Accept the first definition of a page's tool, also while the page is not connected."""
        change = authorize(self._store, principal, check_administrator)
        named = [pin for pin in await self._store.pins() if pin.tool == tool and is_new(pin)]
        named = [pin for pin in named if origin in (None, pin.origin)]
        if not named:
            raise NotFoundError("tool", tool)
        meant = [pin for pin in named if digest in (None, pin.digest)]
        if not meant:
            raise ConflictError(f"`{tool}` changed again after it was shown")
        await change.write(
            self._store.pin_definitions(meant, by=principal.id, accept=True),
            change_entry(principal.id, ChangeKind.DEFINITION_ACCEPTED, tool),
        )


def is_new(pin: Pin) -> bool:
    """Whether it is the first definition of a page's tool, which nobody accepted."""
    return pin.origin.startswith(ORIGIN_PREFIX) and not pin.accepted_by


def _review(one: PageTool, held: Mapping[tuple[str, str], Pin]) -> Review:
    if one.declared.trust is TrustLevel.SERVER:
        return Review.KNOWN
    pin = held.get((one.pin.origin, one.pin.tool), one.pin)
    if pin.digest != one.pin.digest:
        return Review.CHANGED
    return Review.REVIEWED if pin.accepted_by else Review.NEW
