"""The fixed parts of the screen: header, agents, activity, queue, the bar that answers, and the keys."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from textual.content import Content

from assent.surfaces.tui.dashboard import Dashboard, Pane
from assent.surfaces.tui.look import cut_middle, effect_style, key, keys, line, paragraph, row
from assent.surfaces.tui.overview import ACTIVE_FOR, DecisionRow
from assent.surfaces.tui.question import Question
from assent.surfaces.tui.text import age_text, clock_text, visible
from assent.surfaces.tui.words import EFFECTS

WIDE = 100
"""From this width the queue is beside the card."""
SMALL_BAR = 90
TINY = 50
_STATES = {
    "waits": ("◆", "$ask"),
    "working": ("●", "$run"),
    "idle": ("○", "$ink-3"),
    "unknown": ("·", "$ink-3"),
}
"""Symbol and colour of the state of an agent."""
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


def header(dashboard: Dashboard, width: int) -> list[Content]:
    """The product, the pause, the number of questions, the server, the time; below, a line or a warning."""
    count = dashboard.queue.open_count
    paused = dashboard.overview.paused_by
    left = line((" assent ", "bold reverse"), "  ")
    if paused:
        left = line(
            left, ("‖ paused", "bold $ask"), (f" by {visible(paused)}" if width >= WIDE else "", "$ink-2")
        )
    waiting = line((f"{count} waiting", "bold $ask" if count else "$ink-3"))
    clock = clock_text(dashboard.now(), seconds=width >= TINY)
    top = row(width, left, line(waiting, "   ", _server(dashboard, width), "   ", (clock, "$ink"), " "))
    return [top, _second_row(dashboard, width)]


def agent_rows(dashboard: Dashboard) -> list[AgentRow]:
    """Every agent that made a call or asks; sub-agents follow the agent that started them."""
    asking = {one.approval.call.agent: one for one in reversed(dashboard.queue.questions) if one.is_open}
    parents = {agent: one.approval.lineage[0] for agent, one in asking.items() if one.approval.lineage}
    names = list(dict.fromkeys([*dashboard.overview.agents, *(parents.values()), *asking]))
    for name in names:
        head, slash, _ = name.rpartition("/")
        if slash and head in names:
            parents.setdefault(name, head)
    return [_agent_row(dashboard, name, depth) for name, depth in _tree(names, parents)]


def agents_title(dashboard: Dashboard) -> str:
    """How many agents there are."""
    count = len(agent_rows(dashboard))
    return "1 agent" if count == 1 else f"{count} agents"


def agents_table(dashboard: Dashboard, width: int, height: int) -> list[Content]:
    """The table of agents; where there is one line only, their number by state."""
    found = agent_rows(dashboard)
    if height <= 1:
        counted = Counter(one.state for one in found)
        shown = [
            line((f"{_STATES[state][0]} {counted[state]} {state}", _STATES[state][1]))
            for state in _STATES
            if state in counted
        ]
        return [row(width, Content("  ").join(shown) if shown else line(("no agents yet", "$ink-3")))]
    head = line((f"{'agent':<24}{'state':<11}now", "$ink-3"))
    lines = [row(width, head, line(("asks", "$ink-3")))]
    # Where not all of them fit, those that wait come first, then those that made the last calls.
    if len(found) > height - 1:
        found = sorted(found, key=lambda one: (one.asks == 0, one.rank))
    lines += [_agent_line(one, width) for one in found[: height - 1]]
    if not found:
        lines.append(line(("No agent has made a call yet.", "$ink-3")))
    return lines


def activity(dashboard: Dashboard, width: int, height: int) -> list[Content]:
    """The newest decisions."""
    return decision_lines(dashboard.overview.decisions, width)[:height]


def decision_lines(decided: tuple[DecisionRow, ...], width: int) -> list[Content]:
    """Decisions, one per line."""
    lines: list[Content] = []
    for one in decided:
        symbol, word, style = _RESULTS.get(one.verdict, ("◌", visible(one.verdict), "$ink-3"))
        right = line((f"{symbol} {_fixed_width(word, 9)} ", style))
        if width >= SMALL_BAR:
            right = line(right, (f"{_fixed_width(one.why, 26)}", "$ink-3"))
        if width >= 70:
            left = line(
                (f"{clock_text(one.at)}  ", "$ink-3"),
                (f"{_fixed_width(visible(one.agent), 18)} ", "$ink-2"),
                (one.call, "$ink"),
            )
        else:
            left = line((f"{clock_text(one.at, seconds=False)} ", "$ink-3"), (one.call, "$ink"))
        lines.append(row(width, left, right))
    return lines


def queue_list(dashboard: Dashboard, width: int, height: int) -> list[Content]:
    """The open questions, oldest first; the selected one is always on the screen."""
    shown = dashboard.queue.questions
    lines: list[Content] = []
    for one in shown:
        lines += _queue_item(dashboard, one, width)
    at = dashboard.queue.position * 3
    first = max(0, at + 2 - height) if height else 0
    note = paragraph(width, "Oldest first. A new one joins below; your place stays.", "$ink-3", indent=1)
    if dashboard.queue.filter:
        note = paragraph(
            width, f"Filter: {visible(dashboard.queue.filter)}. [/] changes it.", "$ink-3", indent=1
        )
    return [*lines, *note][first : first + height]


def footer(dashboard: Dashboard, width: int) -> list[Content]:
    """The keys that do not answer."""
    me = line((f"{visible(dashboard.me)} ", "$ink-3")) if width >= WIDE else Content("")
    if dashboard.pane.is_typing or dashboard.pane in (Pane.RULE, Pane.EDIT):
        return [
            row(
                width,
                line(
                    " ",
                    keys([("esc", " back"), ("F1", " keys")]),
                    ("   letters are text while you write", "$ink-3"),
                ),
                me,
            )
        ]
    if width < TINY:
        return [row(width, keys([("j k", " move"), ("m", " why"), ("x", " all"), ("?", "")], " "))]
    pairs = [("j k", " move"), ("/", " filter"), ("h", " history")]
    if width < WIDE:
        pairs += [("tab", " queue"), ("?", " keys")]
    else:
        resume = " resume all" if dashboard.overview.paused_by else " pause all"
        pairs += [("u", " rules"), ("t", " theme"), ("p", resume), ("?", " keys"), ("q", " quit")]
    return [row(width, line(" ", keys(pairs)), me)]


def _server(dashboard: Dashboard, width: int) -> Content:
    if dashboard.connection.is_up:
        text = f"● {visible(dashboard.url)}" if width >= WIDE else "● online" if width >= TINY else "●"
        return line((text, "$run"))
    if not dashboard.connection.was_up and not dashboard.connection.since:
        return line(("◌ connecting" if width >= TINY else "◌", "$ink-3"))
    return line(("✗ unreachable" if width >= TINY else "✗", "bold $deny"))


def _second_row(dashboard: Dashboard, width: int) -> Content:
    connection = dashboard.connection
    if connection.is_up or connection.since is None:
        return line(("─" * width, "$line"))
    at = clock_text(connection.since)
    text = (
        f" ✗ Cannot reach {visible(dashboard.url)} since {at}."
        if width >= WIDE
        else f" ✗ No server since {at[:5]}."
    )
    wait = max(0, round(connection.retry_at - dashboard.clock()))
    soon = line((f"next try in {wait} s  " if width >= WIDE else "", "$ink-2"), key("r", " now"), " ")
    return row(width, line((text, "bold $deny"), (" Nothing is let through.", "$ink")), soon, "$deny-soft")


def _tree(names: list[str], parents: dict[str, str]) -> Iterator[tuple[str, int]]:
    def below(name: str, depth: int, path: frozenset[str]) -> Iterator[tuple[str, int]]:
        yield name, depth
        for child in names:
            if parents.get(child) == name and child not in path:
                yield from below(child, depth + 1, path | {child})

    for name in names:
        if parents.get(name) not in names:
            yield from below(name, 0, frozenset({name}))


def _agent_row(dashboard: Dashboard, name: str, depth: int) -> AgentRow:
    asking = dashboard.queue.open_questions_of(name)
    decided = dashboard.overview.decisions
    rank = next((at for at, one in enumerate(decided) if one.agent == name), len(decided))
    last = decided[rank] if rank < len(decided) else None
    shown = visible(name.rpartition("/")[2] if depth else name) or "an agent"
    if asking:
        return AgentRow(shown, depth, "waits", asking[0].call_text, len(asking), rank)
    now = "" if last is None else last.call
    if not dashboard.connection.is_up:
        return AgentRow(shown, depth, "unknown", now, 0, rank)
    is_active = last is not None and dashboard.now() - last.at < ACTIVE_FOR
    if last is not None and not is_active:
        now = f"{now}  {age_text((dashboard.now() - last.at).total_seconds())} ago"
    return AgentRow(shown, depth, "working" if is_active else "idle", now, 0, rank)


def _agent_line(one: AgentRow, width: int) -> Content:
    symbol, style = _STATES[one.state]
    name = _fixed_width(("  " * one.depth + "└ " if one.depth else "") + one.name, 23)
    left = line(
        (f"{name} ", "bold $ink" if one.asks else "$ink"),
        (f"{symbol} {one.state:<9}", style),
        (one.now, "$ink-2"),
    )
    return row(width, left, line((f"{one.asks or '-':>4}", "bold $ask" if one.asks else "$ink-3")))


def _queue_item(dashboard: Dashboard, one: Question, width: int) -> list[Content]:
    is_on = dashboard.question is not None and one.id == dashboard.question.id
    ground, mark = ("$sel-soft", ("▌", "$sel")) if is_on else ("", (" ", "$ink"))
    age = age_text((dashboard.now() - one.approval.asked_at).total_seconds())
    state = age if one.is_open else "over"
    text = cut_middle(one.headline, width - len(state) - 3)
    symbol, word = EFFECTS[one.approval.tool.effect]
    effect = (f"{symbol} {word}", effect_style(one.approval.tool.effect))
    later = ("  later", "$ink-3") if one.is_later and one.is_open else ""
    return [
        row(
            width, line(mark, (text, "bold $ink" if is_on else "$ink")), line((f"{state} ", "$ink-3")), ground
        ),
        row(width, line(mark, effect, (f"  {one.agent}", "$ink-2"), later), "", ground),
        Content(""),
    ]


def _fixed_width(text: str, width: int) -> str:
    """A text of exactly some cells."""
    content = Content(text).truncate(width, ellipsis=True)
    return content.plain + " " * max(0, width - content.cell_length)
