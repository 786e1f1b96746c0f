"""The catalog: the tools that hosts declared, where each comes from, and how far that is trusted."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from assent.engine.model import Tool
from assent.gate.binding import check_name, definition_digest
from assent.gate.current import Pin


class Trust(StrEnum):
    """Whose word a declaration is, the most trusted first."""

    SERVER = "server"
    TRUSTED = "trusted"
    CLIENT = "client"


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """A tool as its host declared it."""

    tool: Tool
    trust: Trust = Trust.SERVER
    provider: str = "operations"
    """Who offers it: `operations`, `mcp`, `rag` or a name of one's own."""

    @property
    def pin(self) -> Pin:
        """What a person accepts when they accept this definition."""
        return Pin(self.tool.origin, self.tool.name, definition_digest(self.tool))


class Catalog:
    """Tools by name; where two origins declare the same one, the more trusted word counts."""

    def __init__(self, declared: Iterable[Declared] = ()) -> None:
        self._declared: dict[str, Declared] = {}
        for one in declared:
            self.add(one)

    def add(self, declared: Declared) -> None:
        """Take a declaration in; one of a more trusted origin is never shadowed."""
        check_name("tool", declared.tool.name)
        known = self._declared.get(declared.tool.name)
        if known is None or _rank(declared) <= _rank(known):
            self._declared[declared.tool.name] = declared

    def remove(self, origin: str) -> None:
        """Whoever leaves takes their tools with them."""
        kept = {name: one for name, one in self._declared.items() if one.tool.origin != origin}
        self._declared = kept

    @property
    def tools(self) -> Mapping[str, Tool]:
        """The tools by name."""
        return {name: one.tool for name, one in self._declared.items()}

    def pinned(self) -> tuple[Pin, ...]:
        """The definitions to hold on to: of all tools that are not the server's own code."""
        return tuple(one.pin for one in self._declared.values() if one.trust is not Trust.SERVER)

    def changed(self, accepted: Mapping[tuple[str, str], str]) -> frozenset[str]:
        """The tools whose definition is another than the one that was accepted."""
        return frozenset(
            pin.tool
            for pin in self.pinned()
            if accepted.get((pin.origin, pin.tool), pin.digest) != pin.digest
        )


def _rank(declared: Declared) -> int:
    return list(Trust).index(declared.trust)
