"""The bar at the bottom, which never moves: it shows the answers to the selected question."""

from collections import Counter

from textual.content import Content

from assent.surfaces.tui.dashboard import Dashboard, Pane
from assent.surfaces.tui.look import cut_middle, key_label, key_labels, padded_row, styled_line
from assent.surfaces.tui.panels import SMALL_BAR, TINY, WIDE, agent_rows
from assent.surfaces.tui.question import CONFIRMATION, Question
from assent.surfaces.tui.text import duration_text, visible_text
from assent.surfaces.tui.words import outcome_sentence


def answer_bar_lines(dashboard: Dashboard, width: int) -> list[Content]:
    """The lines of the bar at the bottom, where a person answers."""
    question = dashboard.selected_question
    if dashboard.pane is Pane.FILTER:
        return _text_field_lines(
            dashboard, width, styled_line(("Filter the questions", "bold $ink")), "by agent, tool or command"
        )
    if dashboard.pane is Pane.PAUSE:
        word = "Resume" if dashboard.overview.paused_by else "Pause"
        note = "Every call that is not a read waits until you resume." if word == "Pause" else ""
        return _bar_rows(
            width,
            styled_line((f"{word} all agents? ", "bold $ask"), (note, "$ink-2")),
            key_labels([("enter", f" {word.lower()}"), ("esc", " back")]),
        )
    if question is None:
        return _idle_bar_lines(dashboard, width)
    if not question.is_open or (question.is_postponed and dashboard.notice):
        return _ended_question_lines(dashboard, question, width)
    sentence = _permission_sentence(question, width)
    match dashboard.pane:
        case Pane.MESSAGE:
            prompt = "your answer" if question.words else "no, and tell the agent why"
            return _text_field_lines(dashboard, width, sentence, prompt)
        case Pane.CONFIRM | Pane.EDIT_CONFIRM:
            return _text_field_lines(dashboard, width, sentence, f"type `{CONFIRMATION}` to allow it")
        case Pane.TOOL_NAME:
            name = visible_text(question.approval.call.tool)
            return _text_field_lines(dashboard, width, sentence, f"every call of it: type `{name}`")
        case Pane.RULE:
            left = key_labels([("enter", " allow and write this rule"), ("esc", " back, nothing written")])
            return _bar_rows(width, sentence, left, key_labels([("← →", " change"), ("tab", " next field")]))
        case Pane.EDIT:
            left = key_labels([("ctrl+s", " allow the changed call"), ("esc", " back")])
            return _bar_rows(width, sentence, left, styled_line((visible_text(dashboard.notice), "$deny")))
        case Pane.TRACE | Pane.QUEUE | Pane.HISTORY | Pane.RULES | Pane.HELP:
            return _bar_rows(
                width, sentence, key_labels([("esc", " back to the card, where the keys answer")])
            )
        case _:
            return _open_question_lines(dashboard, question, width)


def answer_bar_title(dashboard: Dashboard) -> str:
    """The title of the bar: the number of questions, and the position of the selected question."""
    count = len(dashboard.queue.questions)
    if dashboard.selected_question is None or not count:
        return ""
    return "needs you" if count == 1 else f"{dashboard.queue.selected_index + 1} of {count}, oldest first"


def _idle_bar_lines(dashboard: Dashboard, width: int) -> list[Content]:
    if not dashboard.connection.is_up:
        why = visible_text(dashboard.connection.why) or "connecting to the server"
        return _bar_rows(
            width, styled_line(("✗ answers are off: no server", "bold $deny")), styled_line((why, "$ink-3"))
        )
    rows = agent_rows(dashboard)
    counted = Counter(one.state for one in rows)
    found = [f"{counted[state]} {state}" for state in ("working", "idle", "done", "failed") if counted[state]]
    agents = f"Agents: {', '.join(found)}. " if found else ""
    note = styled_line((f"{agents}A question shows here and rings the bell once.", "$ink-3"))
    if dashboard.notice:
        note = styled_line((visible_text(dashboard.notice), "$ink-2"))
    return _bar_rows(width, styled_line(("Nothing needs you.", "bold $ink")), note)


def _ended_question_lines(dashboard: Dashboard, question: Question, width: int) -> list[Content]:
    end = outcome_sentence(question.approval, dashboard.person_id)
    note = Content("")
    if dashboard.notice and dashboard.notice not in end:
        note = styled_line((visible_text(dashboard.notice), "$ink-2"))
    return _bar_rows(width, styled_line((end, "bold $ink")), key_labels([("j", " next")]), note)


def _permission_sentence(question: Question, width: int) -> Content:
    first, wants, call = question.heading
    if width < SMALL_BAR:
        return styled_line((f"⚠ {first}", "bold $ask"), (question.agent, "$ink"))
    text = cut_middle(call, max(12, width - len(wants) - len(first) - 4))
    return styled_line((f"⚠ {first}", "bold $ask"), (wants, "$ink"), (text, "bold $ink"))


def _open_question_lines(dashboard: Dashboard, question: Question, width: int) -> list[Content]:
    is_live = dashboard.can_answer_by_key
    answers = _answer_keys(dashboard, question, is_live=is_live)
    arming = _arming_status(dashboard, question, width)
    heading, wants, call = question.heading
    if width < SMALL_BAR:
        short = wants.rstrip() if width >= TINY or not wants else question.agent
        who = styled_line((f"⚠ {heading}", "bold $ask"), (short, "$ink"))
        what = styled_line((cut_middle(call, width), "bold $ink"))
        return [padded_row(width, who), padded_row(width, what), padded_row(width, answers, arming)]
    room = max(12, width - len(wants) - len(heading) - 2 - answers.cell_length - 3)
    text = cut_middle(call, room)
    first = styled_line((f"⚠ {heading}", "bold $ask"), (wants, "$ink"), (text, "bold $ink"), "  ", answers)
    say = [] if question.words else [("m", " no, say why"), ("e", "dit")]
    more = key_labels([*say, ("l", "ater"), ("x", " whole trace")])
    return [padded_row(width, first), padded_row(width, arming, more if dashboard.connection.is_up else "")]


def _answer_keys(dashboard: Dashboard, question: Question, *, is_live: bool) -> Content:
    """The keys that answer; a question in words is answered in words, by yes, or by no."""
    can_allow = is_live and dashboard.can_allow
    keys = [
        key_label("y", "once", is_on=can_allow),
        key_label("a", "lways", is_on=is_live and dashboard.can_answer_always),
        key_label("n", "o", is_on=is_live),
    ]
    if question.words:
        answer = key_label("m", " answer in words", is_on=is_live)
        keys = [answer, key_label("y", "es", is_on=can_allow), keys[-1]]
    return Content(" ").join(keys)


def _arming_status(dashboard: Dashboard, question: Question, width: int) -> Content:
    if not dashboard.connection.is_up:
        return styled_line(("✗ answers are off: no server", "bold $deny"))
    if dashboard.is_busy:
        return styled_line(("sending …", "$ink-2"))
    if dashboard.notice:
        return styled_line((visible_text(dashboard.notice), "$deny"))
    size = 12 if width >= SMALL_BAR else 6
    done = int(dashboard.arming.arming_progress * size)
    is_armed = dashboard.arming.is_armed
    word = "arming" if not is_armed else "keys are armed" if width >= TINY else "armed"
    shown = styled_line(
        ("━" * done, "$run" if is_armed else "$ask"),
        ("╌" * (size - done), "$line-strong"),
        (f" {word}", "$ink-2" if is_armed else "$ask"),
    )
    if is_armed and not dashboard.can_allow and width >= SMALL_BAR:
        shown = styled_line(shown, (f", except y: {_reason_for_blocked_allow(dashboard, question)}", "$ink"))
    return shown


def _reason_for_blocked_allow(dashboard: Dashboard, question: Question) -> str:
    """Why the question cannot be allowed yet."""
    if not question.is_loaded:
        return "the call is not loaded yet"
    if not question.can_allow:
        return "a proposal is applied in its conversation"
    return "read to the end first" if not dashboard.scroll.is_call_read else ""


def _text_field_lines(dashboard: Dashboard, width: int, first: Content, prompt: str) -> list[Content]:
    """A sentence, and below it a text field."""
    text, at = dashboard.entry.text, dashboard.entry.cursor
    # The end of a long text is shown, where the person types.
    room = max(8, width - len(prompt) - 8)
    start = max(0, at - room)
    before, after = visible_text(text[start:at]), visible_text(text[at : start + room])
    typed = styled_line(
        (f"{prompt} ", "$ink-2"), ("> ", "bold $sel"), (before, "$ink"), ("▏", "$sel"), (after, "$ink")
    )
    side = key_labels([("enter", " send"), ("esc", " back")]) if width >= WIDE else ""
    note = (
        [styled_line((visible_text(dashboard.notice), "$deny"))]
        if dashboard.notice and width < SMALL_BAR
        else []
    )
    right = (
        styled_line((f"{visible_text(dashboard.notice)}  ", "$deny"), side)
        if dashboard.notice and width >= SMALL_BAR
        else side
    )
    return [padded_row(width, first), padded_row(width, typed, right), *note]


def _bar_rows(width: int, first: Content, second: Content | str, right: Content | str = "") -> list[Content]:
    """Two rows; on a narrow screen, the text at the right is in a third row."""
    if width < SMALL_BAR:
        return [padded_row(width, first), padded_row(width, second), padded_row(width, right)]
    return [padded_row(width, first), padded_row(width, second, right)]


def waiting_time_text(dashboard: Dashboard, question: Question) -> str:
    """How long a question waits, and when it expires."""
    now = dashboard.now()
    text = f"waiting {duration_text((now - question.approval.asked_at).total_seconds())}"
    until = question.approval.expires_at
    return text if until is None else f"{text} · expires in {duration_text((until - now).total_seconds())}"
