"""The file of a fleet: the tools that its lead and its agents may use without asking."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from assent.config.files import Source
from assent.config.table import Table
from assent.engine.policy.rule import parse_rule
from assent.errors import RuleSyntaxError
from assent.gate.preset import Preset

LEAD = "archie"
"""The key of the lead in the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """The tools that each agent of a fleet may use besides the defaults."""

    lead: tuple[str, ...] = ()
    agents: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def allowed_to_lead(self, preset: Preset) -> tuple[str, ...]:
        """All allowed tools of the lead: the defaults, the preset's for the lead, and the file's."""
        return preset.allowed("lead", self.lead)

    def allowed_to(self, agent: str, preset: Preset) -> tuple[str, ...]:
        """All allowed tools of an agent of the pool."""
        return preset.allowed("", self.agents.get(agent, ()))


def read_fleet(source: Source, document: object) -> Fleet:
    """Read the permissions of a parsed fleet file; a missing section means only the defaults."""
    if not isinstance(document, dict):
        raise source.error("it must be a mapping with `archie` and `agent_pool`")
    table = Table(source, cast("dict[str, object]", document))
    return Fleet(lead=_allowed(table.table(LEAD)), agents=dict(_agents(table)))


def _agents(table: Table) -> Iterator[tuple[str, tuple[str, ...]]]:
    for number, item in enumerate(table.items("agent_pool"), start=1):
        if not isinstance(item, dict):
            raise table.error(f"entry {number} of `agent_pool` must be a table", "agent_pool")
        agent = Table(table.source, cast("dict[str, object]", item), (f"agent_pool[{number}]",))
        name = agent.text("id")
        if name is None:
            raise agent.error(f"entry {number} of `agent_pool` has no `id`", "agent_pool")
        yield name, _allowed(agent)


def _allowed(table: Table) -> tuple[str, ...]:
    permissions = table.table("permissions")
    found = permissions.texts("allowed_tools")
    for text in found:
        try:
            parse_rule(text)
        except RuleSyntaxError as error:
            raise permissions.error(str(error), text) from None
    return found
