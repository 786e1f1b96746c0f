"""What the API says of rules that name a tool which nobody declared."""

from collections.abc import Iterable, Sequence

from assent.errors import AssentError
from assent.gate.stored_policy import StoredRule
from assent.gate.unknown_tools import unknown_tool_warnings
from assent.surfaces.http.service import Service
from assent.wire.policy import rule_to_json


async def rules_shown(service: Service, rules: Sequence[StoredRule]) -> list[dict[str, object]]:
    """Rules with what is to be said of each."""
    known = await known_tools(service)
    return [{**rule_to_json(one), "warnings": unknown_tool_warnings([one.text], known)} for one in rules]


async def rule_warnings(service: Service, texts: Iterable[str]) -> list[str]:
    """What is to be said of rules that are only thought of, or listed as texts."""
    return unknown_tool_warnings(texts, await known_tools(service))


async def known_tools(service: Service) -> frozenset[str]:
    """Every tool that was declared, or that a preset or a file knows."""
    names = set(await service.gate.tool_names())
    for preset in service.grounds.presets:
        try:
            names.update(service.grounds(preset).tools)
        except AssentError:  # A preset that cannot be used has no tools.
            continue
    return frozenset(names)
