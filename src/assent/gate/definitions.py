"""Definitions of tools that nobody accepted, and their acceptance."""

from collections.abc import Iterator
from typing import NamedTuple

from assent.errors import ConflictError
from assent.gate.access import Principal, check_administrator
from assent.gate.catalog import Catalog, DeclaredTool, FieldChange, Pin, definition_differences
from assent.gate.changes import ChangeKind, authorize, change_entry
from assent.gate.ids import definition_text
from assent.gate.page_tools import PageCatalog, Review, is_new
from assent.gate.store import Store


class DefinitionToReview(NamedTuple):
    """A tool whose present definition nobody accepted."""

    origin: str
    tool: str
    agent: str
    """The agent that may use the tool; empty is all agents."""
    digest: str
    """The digest of the present definition, which a person accepts."""
    review: Review
    """`new` if nobody accepted any definition of a page's tool, `changed` if the definition changed since."""
    differences: tuple[FieldChange, ...]
    """The changed fields, of a new tool all fields; empty if only the digest of the other was stored."""

    @property
    def key(self) -> str:
        """The place of the definition in the list."""
        return f"{self.origin} {self.tool} {self.digest}"


class DefinitionPage(NamedTuple):
    """A page of the definitions to review."""

    definitions: tuple[DefinitionToReview, ...]
    after: str = ""
    """Where the next page begins; empty after the last one."""


class Definitions:
    """Compares the tool definitions in a catalog with those that people accepted."""

    def __init__(self, store: Store, catalog: Catalog) -> None:
        self._store = store
        self._catalog = catalog

    async def to_review(self, principal: Principal, *, limit: int = 100, after: str = "") -> DefinitionPage:
        """A page of the tools whose definition is new or changed, by origin and name."""
        check_administrator(principal)
        held = {(pin.origin, pin.tool): pin for pin in await self._store.pins()}
        found = sorted(self._list_unaccepted(held), key=lambda one: one.key)
        rest = [one for one in found if one.key > after]
        shown = tuple(rest[:limit])
        return DefinitionPage(shown, shown[-1].key if len(rest) > len(shown) else "")

    def _list_unaccepted(self, held: dict[tuple[str, str], Pin]) -> Iterator[DefinitionToReview]:
        changed: set[tuple[str, str]] = set()
        for one in self._catalog.tools_to_pin:
            key = one.tool.origin, one.tool.name
            known = held.get(key)
            if known is not None and known.digest != one.pin.digest:
                changed.add(key)
                yield _to_review(one, known)
        # What a connected page declares now replaces a first definition that nobody accepted.
        for key, pin in held.items():
            if is_new(pin) and key not in changed:
                differences = tuple(definition_differences(None, pin.definition))
                yield DefinitionToReview(pin.origin, pin.tool, "", pin.digest, Review.NEW, differences)

    async def accept(
        self, principal: Principal, tool: str, digest: str | None = None, origin: str | None = None
    ) -> None:
        """Accept the current definition of a tool; with a digest, only if the definition still has it."""
        change = authorize(self._store, principal, check_administrator)
        named = [one for one in self._catalog.tools_to_pin if one.tool.name == tool]
        named = [one for one in named if origin in (None, one.tool.origin)]
        if not named:
            await PageCatalog(self._store, self._catalog).accept(principal, tool, digest, origin)
            return
        meant = [one for one in named if digest in (None, one.pin.digest)]
        if not meant:
            raise ConflictError(f"`{tool}` changed again after it was shown")
        pins = [one.full_pin for one in meant]
        await change.write(
            self._store.pin_definitions(pins, by=principal.id, accept=True),
            change_entry(principal.id, ChangeKind.DEFINITION_ACCEPTED, tool),
        )


def _to_review(one: DeclaredTool, known: Pin) -> DefinitionToReview:
    # INVARIANT: a difference is shown only from a definition that counts; nobody read an unaccepted one.
    review = Review.NEW if is_new(known) else Review.CHANGED
    before = None if review is Review.NEW else known
    return DefinitionToReview(
        origin=one.tool.origin,
        tool=one.tool.name,
        agent=one.agent,
        digest=one.pin.digest,
        review=review,
        differences=tuple(definition_differences(before, definition_text(one.tool))),
    )
