"""The bar at the bottom: the one place that answers, which never moves."""

from collections import Counter

from textual.content import Content

from assent.surfaces.tui.dashboard import Dashboard, Pane
from assent.surfaces.tui.look import cut_middle, key, keys, line, row
from assent.surfaces.tui.panels import SMALL_BAR, TINY, WIDE, agent_rows
from assent.surfaces.tui.question import CONFIRMATION, Question
from assent.surfaces.tui.text import duration_text, visible
from assent.surfaces.tui.words import outcome_sentence


def bar_lines(dashboard: Dashboard, width: int) -> list[Content]:
    """The one place that answers."""
    question = dashboard.question
    if dashboard.pane is Pane.FILTER:
        return _entry(
            dashboard, width, line(("Filter the questions", "bold $ink")), "by agent, tool or command"
        )
    if dashboard.pane is Pane.PAUSE:
        word = "Resume" if dashboard.overview.paused_by else "Pause"
        note = "Every call that is not a read waits until you resume." if word == "Pause" else ""
        return _two_rows(
            width,
            line((f"{word} all agents? ", "bold $ask"), (note, "$ink-2")),
            keys([("enter", f" {word.lower()}"), ("esc", " back")]),
        )
    if question is None:
        return _idle_bar(dashboard, width)
    if not question.is_open or (question.is_later and dashboard.notice):
        return _over_bar(dashboard, question, width)
    sentence = _sentence(question, width)
    match dashboard.pane:
        case Pane.MESSAGE:
            return _entry(dashboard, width, sentence, "no, and tell the agent why")
        case Pane.CONFIRM | Pane.EDIT_CONFIRM:
            return _entry(dashboard, width, sentence, f"type `{CONFIRMATION}` to allow it")
        case Pane.TOOL_NAME:
            name = visible(question.approval.call.tool)
            return _entry(dashboard, width, sentence, f"every call of it: type `{name}`")
        case Pane.RULE:
            left = keys([("enter", " allow and write this rule"), ("esc", " back, nothing written")])
            return _two_rows(width, sentence, left, keys([("← →", " change"), ("tab", " next field")]))
        case Pane.EDIT:
            left = keys([("ctrl+s", " allow the changed call"), ("esc", " back")])
            return _two_rows(width, sentence, left, line((visible(dashboard.notice), "$deny")))
        case Pane.TRACE | Pane.QUEUE | Pane.HISTORY | Pane.RULES | Pane.HELP:
            return _two_rows(width, sentence, keys([("esc", " back to the card, where the keys answer")]))
        case _:
            return _question_bar(dashboard, question, width)


def bar_title(dashboard: Dashboard) -> str:
    """How many questions wait, and which of them is shown."""
    count = len(dashboard.queue.questions)
    if dashboard.question is None or not count:
        return ""
    return "needs you" if count == 1 else f"{dashboard.queue.position + 1} of {count}, oldest first"


def _idle_bar(dashboard: Dashboard, width: int) -> list[Content]:
    if not dashboard.connection.is_up:
        why = visible(dashboard.connection.why) or "connecting to the server"
        return _two_rows(width, line(("✗ answers are off: no server", "bold $deny")), line((why, "$ink-3")))
    rows = agent_rows(dashboard)
    counted = Counter(one.state for one in rows)
    found = [f"{counted[state]} {state}" for state in ("working", "idle") if counted[state]]
    agents = f"Agents: {', '.join(found)}. " if found else ""
    note = line((f"{agents}A question shows here and rings the bell once.", "$ink-3"))
    if dashboard.notice:
        note = line((visible(dashboard.notice), "$ink-2"))
    return _two_rows(width, line(("Nothing needs you.", "bold $ink")), note)


def _over_bar(dashboard: Dashboard, question: Question, width: int) -> list[Content]:
    end = outcome_sentence(question.approval, dashboard.me)
    note = Content("")
    if dashboard.notice and dashboard.notice not in end:
        note = line((visible(dashboard.notice), "$ink-2"))
    return _two_rows(width, line((end, "bold $ink")), keys([("j", " next")]), note)


def _sentence(question: Question, width: int) -> Content:
    if width < SMALL_BAR:
        return line(("⚠ PERMISSION: ", "bold $ask"), (question.agent, "$ink"))
    wants = f"{question.agent} wants to use "
    text = cut_middle(question.call_text, max(12, width - len(wants) - 16))
    return line(("⚠ PERMISSION: ", "bold $ask"), (wants, "$ink"), (text, "bold $ink"))


def _question_bar(dashboard: Dashboard, question: Question, width: int) -> list[Content]:
    is_live = dashboard.is_live
    answers = line(
        key("y", "once", is_on=is_live and dashboard.can_allow),
        " ",
        key("a", "lways", is_on=is_live and dashboard.can_remember),
        " ",
        key("n", "o", is_on=is_live),
    )
    arming = _arming(dashboard, question, width)
    if width < SMALL_BAR:
        wants = f"{question.agent} wants to use" if width >= TINY else question.agent
        who = line(("⚠ PERMISSION: ", "bold $ask"), (wants, "$ink"))
        what = line((cut_middle(question.call_text, width), "bold $ink"))
        return [row(width, who), row(width, what), row(width, answers, arming)]
    wants = f"{question.agent} wants to use "
    room = max(12, width - len(wants) - 14 - answers.cell_length - 3)
    text = cut_middle(question.call_text, room)
    first = line(("⚠ PERMISSION: ", "bold $ask"), (wants, "$ink"), (text, "bold $ink"), "  ", answers)
    more = keys([("m", " no, say why"), ("e", "dit"), ("l", "ater"), ("x", " whole trace")])
    return [row(width, first), row(width, arming, more if dashboard.connection.is_up else "")]


def _arming(dashboard: Dashboard, question: Question, width: int) -> Content:
    if not dashboard.connection.is_up:
        return line(("✗ answers are off: no server", "bold $deny"))
    if dashboard.is_busy:
        return line(("sending …", "$ink-2"))
    if dashboard.notice:
        return line((visible(dashboard.notice), "$deny"))
    size = 12 if width >= SMALL_BAR else 6
    done = int(dashboard.arming.progress * size)
    is_armed = dashboard.arming.is_armed
    word = "arming" if not is_armed else "keys are armed" if width >= TINY else "armed"
    shown = line(
        ("━" * done, "$run" if is_armed else "$ask"),
        ("╌" * (size - done), "$line-strong"),
        (f" {word}", "$ink-2" if is_armed else "$ask"),
    )
    if is_armed and not dashboard.can_allow and width >= SMALL_BAR:
        shown = line(shown, (f", except y: {_obstacle(dashboard, question)}", "$ink"))
    return shown


def _obstacle(dashboard: Dashboard, question: Question) -> str:
    """Why the question cannot be allowed yet."""
    if not question.is_loaded:
        return "the call is not loaded yet"
    if not question.can_allow:
        return "a proposal is applied in its conversation"
    return "read to the end first" if not dashboard.scroll.is_read else ""


def _entry(dashboard: Dashboard, width: int, first: Content, prompt: str) -> list[Content]:
    """A field below a sentence."""
    text, at = dashboard.entry.text, dashboard.entry.cursor
    # The end of a long text is shown, where the person types.
    room = max(8, width - len(prompt) - 8)
    start = max(0, at - room)
    before, after = visible(text[start:at]), visible(text[at : start + room])
    typed = line(
        (f"{prompt} ", "$ink-2"), ("> ", "bold $sel"), (before, "$ink"), ("▏", "$sel"), (after, "$ink")
    )
    side = keys([("enter", " send"), ("esc", " back")]) if width >= WIDE else ""
    note = [line((visible(dashboard.notice), "$deny"))] if dashboard.notice and width < SMALL_BAR else []
    right = (
        line((f"{visible(dashboard.notice)}  ", "$deny"), side)
        if dashboard.notice and width >= SMALL_BAR
        else side
    )
    return [row(width, first), row(width, typed, right), *note]


def _two_rows(width: int, first: Content, second: Content | str, right: Content | str = "") -> list[Content]:
    """Two rows; where there is little room, the text at the right gets a row of its own."""
    if width < SMALL_BAR:
        return [row(width, first), row(width, second), row(width, right)]
    return [row(width, first), row(width, second, right)]


def waiting_text(dashboard: Dashboard, question: Question) -> str:
    """How long a question waits, and when it expires."""
    now = dashboard.now()
    text = f"waiting {duration_text((now - question.approval.asked_at).total_seconds())}"
    until = question.approval.expires_at
    return text if until is None else f"{text} · expires in {duration_text((until - now).total_seconds())}"
