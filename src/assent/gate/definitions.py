"""Definitions of tools that are not our own code: what changed since one was accepted, and accepting it."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from assent.engine.model import as_object
from assent.errors import ConflictError, NotFoundError
from assent.gate.access import Principal, check_administer
from assent.gate.binding import definition_text
from assent.gate.catalog import Catalog, Declared, Trust
from assent.gate.changes import Change, change_entry
from assent.gate.current import Pin
from assent.gate.ports import Store


class Difference(NamedTuple):
    """One field of a definition that is another now; each side as JSON, None where the field is not there."""

    field: str
    before: str | None
    after: str | None


class ChangedDefinition(NamedTuple):
    """A tool whose definition is another than the accepted one: its calls ask until a person accepts it."""

    origin: str
    tool: str
    agent: str
    """The one agent that it is offered to; empty is all of them."""
    digest: str
    """Of the definition as it is now: what a person accepts."""
    differences: tuple[Difference, ...]
    """Empty where the accepted definition was not kept, by a version that kept only its digest."""


class Definitions:
    """The definitions that a catalog knows, held against those that people accepted."""

    def __init__(self, store: Store, catalog: Catalog) -> None:
        self._store = store
        self._catalog = catalog

    async def changed(self, principal: Principal) -> list[ChangedDefinition]:
        """The tools whose definition changed since it was accepted, for whoever may change policy."""
        check_administer(principal)
        held = {(pin.origin, pin.tool): pin for pin in await self._store.pins()}
        return [
            ChangedDefinition(
                origin=one.tool.origin,
                tool=one.tool.name,
                agent=one.agent,
                digest=one.pin.digest,
                differences=tuple(differences(known, definition_text(one.tool))),
            )
            for one in _foreign(self._catalog)
            if (known := held.get((one.tool.origin, one.tool.name))) and known.digest != one.pin.digest
        ]

    async def accept(
        self, principal: Principal, tool: str, digest: str | None = None, origin: str | None = None
    ) -> None:
        """Accept the definition that a tool has now; with the digest that was shown, that one or none."""
        check_administer(principal)
        named = [one for one in _foreign(self._catalog) if one.tool.name == tool]
        named = [one for one in named if origin in (None, one.tool.origin)]
        if not named:
            raise NotFoundError("tool", tool)
        meant = [one for one in named if digest in (None, one.pin.digest)]
        if not meant:
            raise ConflictError(f"`{tool}` is no longer defined as it was shown")
        await self._store.pin([one.whole_pin for one in meant], by=principal.id, accept=True)
        self._store.record(change_entry(principal.id, Change.DEFINITION_ACCEPTED, tool))


def differences(known: Pin, now: str) -> Iterator[Difference]:
    """What a definition says now and did not say when it was accepted, field by field."""
    if not known.definition:
        return
    before, after = dict(_leaves(json.loads(known.definition))), dict(_leaves(json.loads(now)))
    for field in sorted(before.keys() | after.keys()):
        if before.get(field) != after.get(field):
            yield Difference(field, before.get(field), after.get(field))


def _foreign(catalog: Catalog) -> Iterable[Declared]:
    return (one for one in catalog.declared if one.trust is not Trust.SERVER)


def _leaves(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Every field that holds no object itself, by its path."""
    table: Mapping[str, object] | None = as_object(value)
    if not table:
        yield path, json.dumps(value, ensure_ascii=False)
        return
    for name, inner in table.items():
        yield from _leaves(inner, f"{path}.{name}" if path else name)
