"""The sub-agents that a remote caller names with its call; their policy can only narrow."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple, cast

from assent.errors import InputError
from assent.gate.ids import check_id
from assent.gate.policy import FilePolicy, StoredPolicy

MAX_SUB_AGENTS = 8
"""The maximum depth of sub-agents that a call can name."""


class SubAgent(NamedTuple):
    """A sub-agent as its caller names it: an id for this run, and the kind of agent, if it is known."""

    id: str
    kind: str = ""

    @property
    def name(self) -> str:
        """The kind, which is the same in every run; else the id."""
        return self.kind or self.id

    def policy_name(self, agent: str) -> str:
        """The name under which rules and tiers for such sub-agents of an agent are stored."""
        return f"{agent}/{self.name}"


def check_sub_agents(named: Sequence[SubAgent]) -> None:
    """Raise `InputError` for too many sub-agents, or for one without a usable id."""
    if len(named) > MAX_SUB_AGENTS:
        raise InputError(f"a call names at most {MAX_SUB_AGENTS} sub-agents, not {len(named)}")
    for one in named:
        if not one.id:
            raise InputError("a sub-agent needs an id")
        check_id("sub-agent", one.id)
        check_id("kind of the sub-agent", one.kind)


def sub_agents_to_text(named: Iterable[SubAgent]) -> str:
    """The sub-agents as compact JSON for a column; empty if there are none."""
    rows = [list(one) for one in named]
    return json.dumps(rows, separators=(",", ":")) if rows else ""


def sub_agents_from_text(text: str) -> tuple[SubAgent, ...]:
    """The sub-agents of such a column."""
    rows = cast("list[list[str]]", json.loads(text) if text else [])
    return tuple(SubAgent(*row) for row in rows)


def narrowed_policy(
    files: FilePolicy, current: StoredPolicy, own: StoredPolicy, name: str
) -> StoredPolicy | None:
    """The stored policy of an agent with the rules and tiers of a sub-agent; None if it has none."""
    rules = tuple(one for one in own.rules if one.agent == name)
    if not rules and not own.tiers and all(agent != name for agent, _ in files.tiers):
        return None
    return replace(current, rules=(*current.rules, *rules), tiers={**current.tiers, **own.tiers})
