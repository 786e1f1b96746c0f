"""The fixed parts of the screen: header, agents, activity, queue, the bar that answers, and the keys."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from textual.content import Content

from assent.surfaces.tui.dashboard import Dashboard, Pane
from assent.surfaces.tui.look import (
    cut_middle,
    effect_style,
    key_label,
    key_labels,
    padded_row,
    paragraph_lines,
    styled_line,
)
from assent.surfaces.tui.overview import ACTIVE_FOR, AgentUsage, DecisionRow
from assent.surfaces.tui.question import Question
from assent.surfaces.tui.text import STARTED, age_text, clock_text, visible_text
from assent.surfaces.tui.words import EFFECTS

WIDE = 100
"""From this width the queue is beside the card."""
SMALL_BAR = 90
TINY = 50
_STATES = {
    "waits": ("◆", "$ask"),
    "working": ("●", "$run"),
    "idle": ("○", "$ink-3"),
    "done": ("✓", "$run"),
    "failed": ("✗", "$deny"),
    "unknown": ("·", "$ink-3"),
}
"""Symbol and colour of the state of an agent."""
_COUNTED = {"waits": "waiting"}
"""The word of a state after a number of agents, where it is another one."""
_RESULTS = {
    "run": ("✓", "ran", "$run"),
    "executed": ("✓", "ran", "$run"),
    "approved": ("✓", "allowed", "$run"),
    "released": ("✓", "allowed", "$run"),
    "ask": ("?", "asked", "$ask"),
    "failed": ("?", "failed", "$ask"),
    "deny": ("✗", "denied", "$deny"),
    "denied": ("✗", "denied", "$deny"),
    "denied_with_reason": ("✗", "denied", "$deny"),
    "absent": ("✗", "no tool", "$deny"),
    "refused": ("✗", "stopped", "$deny"),
}
"""Symbol, word and colour of a verdict or decision in the audit."""


class AgentRow(NamedTuple):
    """An agent in the table."""

    name: str
    depth: int
    state: str
    now: str
    asks: int
    rank: int
    """How many decisions are newer than its last one."""
    usage: AgentUsage | None = None


def header_lines(dashboard: Dashboard, width: int) -> list[Content]:
    """The header: product name, pause, number of questions, server and time; below it a line or a warning."""
    count = dashboard.queue.open_question_count
    paused = dashboard.overview.paused_by
    left = styled_line((" assent ", "bold reverse"), "  ")
    if paused:
        left = styled_line(
            left,
            ("‖ paused", "bold $ask"),
            (f" by {visible_text(paused)}" if width >= WIDE else "", "$ink-2"),
        )
    waiting = styled_line((f"{count} waiting", "bold $ask" if count else "$ink-3"))
    clock = clock_text(dashboard.now(), seconds=width >= TINY)
    top = padded_row(
        width,
        left,
        styled_line(waiting, "   ", _server_status(dashboard, width), "   ", (clock, "$ink"), " "),
    )
    return [top, _connection_row(dashboard, width)]


def agent_rows(dashboard: Dashboard) -> list[AgentRow]:
    """A row for every agent of the fleet, and that made a call or asks; sub-agents follow their agent."""
    asking = {one.approval.call.agent: one for one in reversed(dashboard.queue.questions) if one.is_open}
    parents = {agent: one.approval.lineage[0] for agent, one in asking.items() if one.approval.lineage}
    usage = dashboard.usage()
    names = list(dict.fromkeys([*usage, *dashboard.overview.agents, *(parents.values()), *asking]))
    for name in names:
        head, slash, _ = name.rpartition("/")
        if slash and head in names:
            parents.setdefault(name, head)
    rows: list[AgentRow] = []
    for name, depth in _agents_with_depth(names, parents):
        rows.append(_agent_row(dashboard, name, depth, usage.get(name)))
        rows += _named_sub_agent_rows(dashboard, name, depth + 1, rows[-1].rank)
    return rows


def agents_title(dashboard: Dashboard) -> str:
    """The title of the table: the number of agents."""
    count = len(agent_rows(dashboard))
    return "1 agent" if count == 1 else f"{count} agents"


def agents_table_lines(dashboard: Dashboard, width: int, height: int) -> list[Content]:
    """The table of agents; if only one line fits, the number of agents by state."""
    found = agent_rows(dashboard)
    if height <= 1:
        counted = Counter(one.state for one in found)
        shown = [
            styled_line(
                (f"{_STATES[state][0]} {counted[state]} {_COUNTED.get(state, state)}", _STATES[state][1])
            )
            for state in _STATES
            if state in counted
        ]
        return [
            padded_row(
                width,
                styled_line(("Agents  ", "$ink-3"), Content("  ").join(shown))
                if shown
                else styled_line(("no agents yet", "$ink-3")),
            )
        ]
    has_usage = width >= SMALL_BAR and any(one.usage is not None for one in found)
    head = styled_line((f"{'agent':<24}{'state':<11}now", "$ink-3"))
    right = f"{'tokens':>9}{'cost':>10}  asks" if has_usage else "asks"
    lines = [padded_row(width, head, styled_line((right, "$ink-3")))]
    # Where not all of them fit, those that wait come first, then those that made the last calls.
    if len(found) > height - 1:
        found = sorted(found, key=lambda one: (one.asks == 0, one.rank))
    lines += [_agent_line(one, width, has_usage=has_usage) for one in found[: height - 1]]
    if not found:
        lines.append(styled_line(("No agent has made a call yet.", "$ink-3")))
    return lines


def activity_lines(dashboard: Dashboard, width: int, height: int) -> list[Content]:
    """The newest decisions."""
    return decision_lines(dashboard.overview.decisions, width)[:height]


def decision_lines(decided: tuple[DecisionRow, ...], width: int) -> list[Content]:
    """Decisions, one per line."""
    lines: list[Content] = []
    for one in decided:
        symbol, word, style = _RESULTS.get(one.verdict, ("◌", visible_text(one.verdict), "$ink-3"))
        right = styled_line((f"{symbol} {_fixed_width(word, 9)} ", style))
        if width >= SMALL_BAR:
            right = styled_line(right, (f"{_fixed_width(one.why, 26)}", "$ink-3"))
        if width >= 70:
            left = styled_line(
                (f"{clock_text(one.at)}  ", "$ink-3"),
                (f"{_fixed_width(visible_text(one.agent), 18)} ", "$ink-2"),
                (one.call, "$ink"),
            )
        else:
            left = styled_line((f"{clock_text(one.at, seconds=False)} ", "$ink-3"), (one.call, "$ink"))
        lines.append(padded_row(width, left, right))
    return lines


def queue_lines(dashboard: Dashboard, width: int, height: int) -> list[Content]:
    """The open questions, oldest first; the selected one is always on the screen."""
    shown = dashboard.queue.questions
    lines: list[Content] = []
    for one in shown:
        lines += _queue_item_lines(dashboard, one, width)
    at = dashboard.queue.selected_index * 3
    first = max(0, at + 2 - height) if height else 0
    note = paragraph_lines(width, "Oldest first. A new question is added at the end.", "$ink-3", indent=1)
    if dashboard.queue.filter:
        note = paragraph_lines(
            width, f"Filter: {visible_text(dashboard.queue.filter)}. [/] changes it.", "$ink-3", indent=1
        )
    return [*lines, *note][first : first + height]


def footer_lines(dashboard: Dashboard, width: int) -> list[Content]:
    """The line at the bottom with the keys that do not answer a question."""
    me = styled_line((f"{visible_text(dashboard.person_id)} ", "$ink-3")) if width >= WIDE else Content("")
    if dashboard.pane.takes_text or dashboard.pane in (Pane.RULE, Pane.EDIT):
        return [
            padded_row(
                width,
                styled_line(
                    " ",
                    key_labels([("esc", " back"), ("F1", " keys")]),
                    ("   letters are text while you write", "$ink-3"),
                ),
                me,
            )
        ]
    if width < TINY:
        return [
            padded_row(width, key_labels([("j k", " move"), ("m", " why"), ("x", " all"), ("?", "")], " "))
        ]
    pairs = [("j k", " move"), ("/", " filter"), ("h", " history")]
    if width < WIDE:
        pairs += [("tab", " queue"), ("?", " keys")]
    else:
        resume = " resume all" if dashboard.overview.paused_by else " pause all"
        pairs += [("u", " rules"), ("t", " theme"), ("p", resume), ("?", " keys"), ("q", " quit")]
    return [padded_row(width, styled_line(" ", key_labels(pairs)), me)]


def _server_status(dashboard: Dashboard, width: int) -> Content:
    if dashboard.connection.is_up:
        text = f"● {visible_text(dashboard.url)}" if width >= WIDE else "● online" if width >= TINY else "●"
        return styled_line((text, "$run"))
    if not dashboard.connection.was_up and not dashboard.connection.since:
        return styled_line(("◌ connecting" if width >= TINY else "◌", "$ink-3"))
    return styled_line(("✗ unreachable" if width >= TINY else "✗", "bold $deny"))


def _connection_row(dashboard: Dashboard, width: int) -> Content:
    connection = dashboard.connection
    if connection.is_up or connection.since is None:
        return styled_line(("─" * width, "$line"))
    at = clock_text(connection.since)
    text = (
        f" ✗ Cannot reach {visible_text(dashboard.url)} since {at}."
        if width >= WIDE
        else f" ✗ No server since {at[:5]}."
    )
    wait = max(0, round(connection.retry_at - dashboard.clock()))
    soon = styled_line(
        (f"next try in {wait} s  " if width >= WIDE else "", "$ink-2"), key_label("r", " now"), " "
    )
    return padded_row(
        width, styled_line((text, "bold $deny"), (" No call is allowed.", "$ink")), soon, "$deny-soft"
    )


def _agents_with_depth(names: list[str], parents: dict[str, str]) -> Iterator[tuple[str, int]]:
    def with_sub_agents(name: str, depth: int, path: frozenset[str]) -> Iterator[tuple[str, int]]:
        yield name, depth
        for child in names:
            if parents.get(child) == name and child not in path:
                yield from with_sub_agents(child, depth + 1, path | {child})

    for name in names:
        if parents.get(name) not in names:
            yield from with_sub_agents(name, 0, frozenset({name}))


def _agent_row(dashboard: Dashboard, name: str, depth: int, usage: AgentUsage | None) -> AgentRow:
    asking = dashboard.queue.open_questions_of(name)
    own = [one for one in asking if not one.approval.sub_agents]
    decided = dashboard.overview.decisions
    rank = next((at for at, one in enumerate(decided) if one.agent == name), len(decided))
    last = decided[rank] if rank < len(decided) else None
    shown = visible_text(name.rpartition("/")[2] if depth else name) or "an agent"
    if own:
        return AgentRow(shown, depth, "waits", own[0].words or own[0].call_text, len(own), rank, usage)
    now = "" if last is None else last.call
    if not dashboard.connection.is_up:
        return AgentRow(shown, depth, "unknown", now, 0, rank, usage)
    is_active = last is not None and dashboard.now() - last.at < ACTIVE_FOR
    if last is not None and not is_active:
        now = f"{now}  {age_text((dashboard.now() - last.at).total_seconds())} ago"
    if usage is None:
        state = "working" if is_active or asking else "idle"
        return AgentRow(shown, depth, state, now, 0, rank)
    return AgentRow(shown, depth, usage.state, visible_text(usage.task) or now, 0, rank, usage)


def _named_sub_agent_rows(dashboard: Dashboard, name: str, depth: int, rank: int) -> list[AgentRow]:
    """A row for every sub-agent that an open question of an agent names."""
    asking: dict[str, list[Question]] = {}
    for one in dashboard.queue.open_questions_of(name):
        if one.approval.sub_agents:
            shown = STARTED.join(visible_text(each.name) for each in one.approval.sub_agents)
            asking.setdefault(shown, []).append(one)
    return [
        AgentRow(shown, depth, "waits", found[0].call_text, len(found), rank)
        for shown, found in asking.items()
    ]


def _agent_line(one: AgentRow, width: int, *, has_usage: bool) -> Content:
    symbol, style = _STATES[one.state]
    name = _fixed_width(("  " * one.depth + "└ " if one.depth else "") + one.name, 23)
    left = styled_line(
        (f"{name} ", "bold $ink" if one.asks else "$ink"),
        (f"{symbol} {one.state:<9}", style),
        (one.now, "$ink-2"),
    )
    asks = (f"{one.asks or '-':>4}", "bold $ask" if one.asks else "$ink-3")
    used = (f"{_usage_text(one.usage)}  ", "$ink-2") if has_usage else ""
    return padded_row(width, left, styled_line(used, asks))


def _usage_text(usage: AgentUsage | None) -> str:
    """Tokens and cost of an agent, in two columns; a cost that is not known is a dash."""
    if usage is None:
        return f"{'-':>9}{'-':>10}"
    tokens = str(usage.tokens) if usage.tokens < 10_000 else f"{usage.tokens / 1000:,.0f}k"
    cost = f"${usage.cost:,.2f}" if usage.cost else "-"
    return f"{tokens:>9}{cost:>10}"


def _queue_item_lines(dashboard: Dashboard, one: Question, width: int) -> list[Content]:
    is_on = dashboard.selected_question is not None and one.id == dashboard.selected_question.id
    ground, mark = ("$sel-soft", ("▌", "$sel")) if is_on else ("", (" ", "$ink"))
    age = age_text((dashboard.now() - one.approval.asked_at).total_seconds())
    state = age if one.is_open else "over"
    text = cut_middle(one.headline, width - len(state) - 3)
    symbol, word = EFFECTS[one.approval.tool.effect]
    effect = (f"{symbol} {word}", effect_style(one.approval.tool.effect))
    if one.words:
        effect = ("? Question", "$ask")
    later = ("  later", "$ink-3") if one.is_postponed and one.is_open else ""
    return [
        padded_row(
            width,
            styled_line(mark, (text, "bold $ink" if is_on else "$ink")),
            styled_line((f"{state} ", "$ink-3")),
            ground,
        ),
        padded_row(width, styled_line(mark, effect, (f"  {one.agent}", "$ink-2"), later), "", ground),
        Content(""),
    ]


def _fixed_width(text: str, width: int) -> str:
    """A text, shortened or padded to exactly `width` cells."""
    content = Content(text).truncate(width, ellipsis=True)
    return content.plain + " " * max(0, width - content.cell_length)
