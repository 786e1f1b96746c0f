"""Definitions of tools that changed since a person accepted them, and their acceptance."""

from assent.errors import ConflictError
from assent.gate.access import Principal, check_administrator
from assent.gate.catalog import Catalog, ChangedDefinition, definition_differences
from assent.gate.changes import ChangeKind, authorize, change_entry
from assent.gate.ids import definition_text
from assent.gate.page_tools import PageCatalog
from assent.gate.store import Store


class Definitions:
    """Compares the tool definitions in a catalog with those that people accepted."""

    def __init__(self, store: Store, catalog: Catalog) -> None:
        self._store = store
        self._catalog = catalog

    async def changed_definitions(self, principal: Principal) -> list[ChangedDefinition]:
        """The tools whose definition changed since it was accepted."""
        check_administrator(principal)
        held = {(pin.origin, pin.tool): pin for pin in await self._store.pins()}
        return [
            ChangedDefinition(
                origin=one.tool.origin,
                tool=one.tool.name,
                agent=one.agent,
                digest=one.pin.digest,
                differences=tuple(definition_differences(known, definition_text(one.tool))),
            )
            for one in self._catalog.tools_to_pin
            if (known := held.get((one.tool.origin, one.tool.name))) and known.digest != one.pin.digest
        ]

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
