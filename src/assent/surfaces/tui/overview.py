"""What the dashboard reads besides the questions: agents, recent decisions, counts, and the pause."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import cast
from urllib.parse import quote, urlencode

from assent.client.client import Client
from assent.errors import AssentError
from assent.surfaces.tui.text import value_text, visible
from assent.wire.fields import Fields, moment_from_json

ROWS = 100
"""Decisions that are read at a time."""
ACTIVE_FOR = timedelta(minutes=1)
"""An agent that made a call within this time works."""
_ARGUMENTS = ("command", "path", "file_path", "url", "pattern", "query")
"""The arguments that describe a call best, in this order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """The person at this terminal."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRow:
    """A row of the audit: a verdict, or the answer to a question."""

    at: datetime
    agent: str
    call: str
    """The tool, and the most telling argument if the server still keeps it."""
    verdict: str
    """`run`, `ask`, `deny`, `absent`; for an answer its decision, such as `approved`."""
    why: str
    """The deciding stage; for an answer who gave it, and the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """The decisions of today by verdict."""

    run: int = 0
    ask: int = 0
    deny: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.run + self.ask + self.deny


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The state of the server at one moment."""

    agents: tuple[str, ...] = ()
    decisions: tuple[DecisionRow, ...] = ()
    """Newest first."""
    counts: Counts = Counts()
    paused_by: str = ""
    """Who paused all agents; empty while they run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingRule:
    """A rule or grant of the store."""

    text: str
    list: str
    applies_to: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What rules would have done with recent questions, and whether they allow this one."""

    looked_at: int
    covered: tuple[Fields, ...]
    denied: int
    objection: str
    """Why the rules would be refused; empty if they are accepted."""
    warnings: tuple[str, ...] = ()


def read_person(client: Client) -> Person:
    """The person whose token this is."""
    fields = Fields(client.request("GET", "/v1/me"), "me")
    return Person(id=fields.text("id"))


def read_overview(client: Client, *, since: datetime) -> Overview:
    """Agents, decisions, counts since a moment, and the pause."""
    agents = Fields(client.request("GET", "/v1/agents"), "agents").items("items")
    tally = Fields(
        client.request("GET", f"/v1/audit/tally?{urlencode({'since': since.isoformat()})}"), "tally"
    )
    counted = Fields(tally.raw("decisions"), "tally.decisions")
    switch = Fields(client.request("GET", "/v1/switch"), "switch")
    return Overview(
        agents=tuple(Fields(one, "agent").text("id") for one in agents),
        decisions=tuple(read_decisions(client)),
        counts=Counts(
            run=counted.integer("run", 0),
            ask=counted.integer("ask", 0),
            deny=counted.integer("deny", 0) + counted.integer("absent", 0),
        ),
        paused_by=(switch.text("by", "") or "an administrator") if switch.flag("paused") else "",
    )


def read_decisions(client: Client, view: str = "entries") -> Iterable[DecisionRow]:
    """The newest decisions; `approvals` are people's answers only."""
    page = client.request("GET", f"/v1/audit?{urlencode({'calls': 'true', 'limit': ROWS, 'view': view})}")
    found = [_decision_row(one) for one in Fields(page, "audit").items("items")]
    # Rows without a call are changes of people and policy.
    return [one for one in found if one.call]


def read_rules(client: Client) -> list[StandingRule]:
    """The rules and grants of the store."""
    rules = [
        StandingRule(
            text=one.text,
            list=one.list.value,
            applies_to=_scope(one.agent, one.user, one.conversation),
            by=one.by,
        )
        for one in client.rules()
    ]
    return rules + [
        StandingRule(
            text=one.pattern,
            list="allow",
            applies_to=_scope(one.agent, one.user, one.conversation),
            by=one.by,
        )
        for one in client.grants()
    ]


def read_preview(client: Client, rules: tuple[str, ...], approval: str) -> Preview:
    """What allow rules would have done; rules that the server cannot read are an objection."""
    body = {"list": "allow", "rules": list(rules), "approval": approval}
    try:
        fields = Fields(client.request("POST", "/v1/rules/preview", body), "preview")
    except AssentError as refused:
        return Preview(looked_at=0, covered=(), denied=0, objection=str(refused))
    return Preview(
        looked_at=fields.integer("looked_at"),
        covered=tuple(Fields(one, "preview.covered") for one in fields.items("covered")),
        denied=len(fields.items("denied")),
        objection=fields.maybe_text("objection") or "",
        warnings=fields.texts("warnings", ()),
    )


def count_always(client: Client, tool: str, rules: tuple[str, ...]) -> int:
    """How often people allowed a call of this tool always, with the same rules."""
    states = [("state", one) for one in ("approved", "running", "done", "failed", "lapsed", "unknown")]
    query = urlencode([*states, ("tool", tool), ("limit", str(ROWS))])
    page = Fields(client.request("GET", f"/v1/approvals?{query}"), "approvals")
    answers = (Fields(one, "approval").maybe_table("answer") for one in page.items("items"))
    return sum(_is_always(one, rules) for one in answers)


def read_detail(client: Client, id: str) -> object:
    """One question with all of its call."""
    return client.request("GET", f"/v1/approvals/{quote(id, safe='')}")


def _is_always(answer: Mapping[str, object] | None, rules: tuple[str, ...]) -> bool:
    if answer is None or answer.get("say") != "always" or answer.get("released_by"):
        return False
    return tuple(cast("list[str]", answer.get("rules") or [])) == rules


def _decision_row(data: object) -> DecisionRow:
    row = Fields(data, "row")
    entry = Fields(row.raw("entry"), "row.entry")
    verdict, reason = entry.text("verdict", ""), entry.text("reason", "")
    by = entry.text("user", "")
    why = entry.text("stage", "").replace("-", " ") if verdict else f"{by}: “{reason}”" if reason else by
    return DecisionRow(
        at=moment_from_json(row.raw("at")),
        agent=entry.text("agent"),
        call=visible(entry.text("tool")) + _argument(row),
        verdict=verdict or entry.text("decision", ""),
        why=visible(why),
    )


def _argument(row: Fields) -> str:
    called = row.maybe_table("called")
    asked = None if called is None else called.get("asked")
    if not isinstance(asked, Mapping):
        return ""
    args = cast("Mapping[str, object]", asked)
    best = next((args[name] for name in _ARGUMENTS if name in args), next(iter(args.values()), ""))
    return f"({visible(' '.join(value_text(best).split()))})"


def _scope(agent: str | None, user: str | None, conversation: str | None) -> str:
    named = {"conversation": conversation, "agent": agent, "user": user}
    found = [f"{kind} {visible(name)}" for kind, name in named.items() if name is not None]
    return ", ".join(found) or "everyone"
