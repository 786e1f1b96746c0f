"""What the dashboard reads besides the questions: agents, recent decisions, counts, and the pause."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import cast
from urllib.parse import quote, urlencode

from assent.client.client import Client
from assent.errors import AssentError
from assent.surfaces.tui.text import value_text, visible_text
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
class AgentUsage:
    """What the fleet of this process knows about an agent; a server does not know it."""

    state: str
    """`working`, `idle`, `done` or `failed`."""
    task: str = ""
    tokens: int = 0
    cost: float = 0.0
    """In US dollars; 0 if the agent has not reported it yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictCounts:
    """The number of today's decisions, by verdict."""

    run: int = 0
    ask: int = 0
    deny: int = 0

    @property
    def decision_count(self) -> int:
        """The number of all decisions."""
        return self.run + self.ask + self.deny


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOverview:
    """The state of the server at one moment."""

    agents: tuple[str, ...] = ()
    decisions: tuple[DecisionRow, ...] = ()
    """Newest first."""
    counts: VerdictCounts = VerdictCounts()
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
class RulePreview:
    """The effect that rules would have had on recent questions, and whether they cover this one."""

    looked_at: int
    covered: tuple[Fields, ...]
    denied: int
    objection: str
    """Why the rules would be refused; empty if they are accepted."""
    warnings: tuple[str, ...] = ()


def read_person(client: Client) -> Person:
    """Read the person to whom the token belongs."""
    fields = Fields(client.request("GET", "/v1/me"), "me")
    return Person(id=fields.text("id"))


def read_overview(client: Client, *, since: datetime) -> ServerOverview:
    """Read the agents, the newest decisions, the counts since a time, and the pause."""
    agents = Fields(client.request("GET", "/v1/agents"), "agents").items("items")
    tally = Fields(
        client.request("GET", f"/v1/audit/tally?{urlencode({'since': since.isoformat()})}"), "tally"
    )
    counted = Fields(tally.raw("decisions"), "tally.decisions")
    switch = Fields(client.request("GET", "/v1/switch"), "switch")
    return ServerOverview(
        agents=tuple(Fields(one, "agent").text("id") for one in agents),
        decisions=tuple(read_decisions(client)),
        counts=VerdictCounts(
            run=counted.integer("run", 0),
            ask=counted.integer("ask", 0),
            deny=counted.integer("deny", 0) + counted.integer("absent", 0),
        ),
        paused_by=(switch.text("by", "") or "an administrator") if switch.flag("paused") else "",
    )


def read_decisions(client: Client, view: str = "entries") -> Iterable[DecisionRow]:
    """Read the newest decisions; the view `approvals` contains only the answers of people."""
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
            applies_to=_scope_text(one.agent, one.user, one.conversation),
            by=one.by,
        )
        for one in client.rules()
    ]
    return rules + [
        StandingRule(
            text=one.pattern,
            list="allow",
            applies_to=_scope_text(one.agent, one.user, one.conversation),
            by=one.by,
        )
        for one in client.grants()
    ]


def read_rule_preview(client: Client, rules: tuple[str, ...], approval: str) -> RulePreview:
    """Read the preview of allow rules; if the server rejects the rules, its message is the objection."""
    body = {"list": "allow", "rules": list(rules), "approval": approval}
    try:
        fields = Fields(client.request("POST", "/v1/rules/preview", body), "preview")
    except AssentError as refused:
        return RulePreview(looked_at=0, covered=(), denied=0, objection=str(refused))
    return RulePreview(
        looked_at=fields.integer("looked_at"),
        covered=tuple(Fields(one, "preview.covered") for one in fields.items("covered")),
        denied=len(fields.items("denied")),
        objection=fields.maybe_text("objection") or "",
        warnings=fields.texts("warnings", ()),
    )


def count_always_answers(client: Client, tool: str, rules: tuple[str, ...]) -> int:
    """Count how often people answered "always" with the same rules for this tool."""
    states = [("state", one) for one in ("approved", "running", "done", "failed", "lapsed", "unknown")]
    query = urlencode([*states, ("tool", tool), ("limit", str(ROWS))])
    page = Fields(client.request("GET", f"/v1/approvals?{query}"), "approvals")
    answers = (Fields(one, "approval").maybe_table("answer") for one in page.items("items"))
    return sum(_is_always_answer(one, rules) for one in answers)


def read_question_detail(client: Client, id: str) -> object:
    """Read one complete question."""
    return client.request("GET", f"/v1/approvals/{quote(id, safe='')}")


def _is_always_answer(answer: Mapping[str, object] | None, rules: tuple[str, ...]) -> bool:
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
        call=visible_text(entry.text("tool")) + _main_argument_text(row),
        verdict=verdict or entry.text("decision", ""),
        why=visible_text(why),
    )


def _main_argument_text(row: Fields) -> str:
    called = row.maybe_table("called")
    asked = None if called is None else called.get("asked")
    if not isinstance(asked, Mapping):
        return ""
    args = cast("Mapping[str, object]", asked)
    best = next((args[name] for name in _ARGUMENTS if name in args), next(iter(args.values()), ""))
    return f"({visible_text(' '.join(value_text(best).split()))})"


def _scope_text(agent: str | None, user: str | None, conversation: str | None) -> str:
    named = {"conversation": conversation, "agent": agent, "user": user}
    found = [f"{kind} {visible_text(name)}" for kind, name in named.items() if name is not None]
    return ", ".join(found) or "everyone"
