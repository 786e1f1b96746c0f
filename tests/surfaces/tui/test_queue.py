"""Tests of the dashboard without a screen: the queue, the delay before keys work, and the text fields."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from assent.client.client import Client
from assent.gate.approval import State
from assent.surfaces.tui.dashboard import QUIET_SECONDS, Arming
from assent.surfaces.tui.field import TextField
from assent.surfaces.tui.look import cut_middle, default_theme_name
from assent.surfaces.tui.question import Question
from assent.surfaces.tui.queue import QuestionQueue
from assent.surfaces.tui.text import duration_text, editable_json, visible_lines, visible_text
from tests.surfaces.tui.dashboard_setup import Clock, DashboardSetup


def test_keys_arm_after_the_card_was_painted_and_half_a_second_without_a_key() -> None:
    clock = Clock()
    arming = Arming(clock)
    clock.seconds += 10
    assert not arming.is_armed
    arming.record_painted_card("card")
    clock.seconds += QUIET_SECONDS - 0.01
    assert not arming.is_armed
    arming.record_key_press()
    clock.seconds += QUIET_SECONDS - 0.01
    assert not arming.is_armed
    clock.seconds += 0.02
    arming.record_painted_card("card")
    assert arming.is_armed
    arming.record_painted_card("the card with another call")
    assert not arming.is_armed


def test_a_field_takes_text_and_the_keys_that_edit() -> None:
    field = TextField.with_cursor_at_end("ab")
    for key, character in [("left", None), ("x", "x"), ("delete", None), ("f5", None), ("home", None)]:
        field = field.after_key(key, character)

    assert field == TextField("ax", 0)
    assert field.with_inserted_text("1\n2\x1b").text == "1 2\\u001bax"
    assert TextField.with_cursor_at_end("ab").after_key("backspace", None) == TextField("a", 1)
    assert TextField.with_cursor_at_end("ab").after_key("ctrl+u", None) == TextField("", 0)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 s"),
        (42.9, "42 s"),
        (200, "3 min 20 s"),
        (3600, "1 h"),
        (86399, "23 h 59 min"),
        (90000, "1 d 1 h"),
    ],
)
def test_a_duration_has_its_two_largest_units(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


def test_a_cut_is_in_the_middle_and_tells_how_much_is_left_out() -> None:
    cut = cut_middle("x" * 50 + "end", 20)

    assert cut.endswith("xend")
    assert "…39…" in cut
    assert len(cut) <= 20
    assert cut_middle("short", 20) == "short"


def test_hidden_characters_are_escaped_also_where_a_person_edits() -> None:
    assert visible_text("a\x1b\u202eb\n") == "a\\u001b\\u202eb\\n"
    assert visible_lines("a\tb\nc") == ["a→   b", "c"]
    assert editable_json({"x": "é\u202e\U000e0041\x7f"}) == '{\n  "x": "é\\u202e\\udb40\\udc41\\u007f"\n}'


@pytest.mark.parametrize(
    ("environment", "name"),
    [
        ({"TERM": "xterm-256color"}, "dark"),
        ({"COLORTERM": "truecolor"}, "dark"),
        ({"TERM": "xterm"}, "16"),
        ({"COLORTERM": "truecolor", "NO_COLOR": "1"}, "16"),
    ],
)
def test_the_theme_is_what_the_terminal_promises(environment: dict[str, str], name: str) -> None:
    assert default_theme_name(environment) == name


def test_only_the_person_moves_the_selection(setup: DashboardSetup) -> None:
    ids = [setup.ask(f"make {n}") for n in range(3)]
    client: Client = setup.client
    queue = QuestionQueue()
    for id in ids:
        assert queue.update_question(Question(approval=client.approval(id)))
    queue.select_question(ids[1])
    client.withdraw(ids[1])
    client.withdraw(ids[0])
    for id in ids[:2]:
        queue.update_question(Question(approval=client.approval(id)))

    assert queue.selected_question is not None
    assert (queue.selected_question.id, queue.selected_question.approval.state) == (ids[1], State.WITHDRAWN)
    assert [one.id for one in queue.questions] == ids[1:]
    queue.move_selection(1)
    assert [one.id for one in queue.questions] == [ids[2]]
    assert queue.selected_question.id == ids[2]


def test_what_was_loaded_is_dropped_when_the_question_is_asked_again(setup: DashboardSetup) -> None:
    approval = setup.approval(setup.ask("make 1"))
    loaded = Question(approval=approval, is_loaded=True)
    later = Question(approval=replace(approval, asked_at=datetime.now(UTC) + timedelta(1)))
    other = Question(approval=replace(approval, call_digest="0" * 64))

    assert loaded.with_latest_state(later).is_loaded
    assert not loaded.with_latest_state(other).is_loaded
