"""The dashboard with a real server: what keys answer, and when."""

import json
from dataclasses import replace

import pytest

from assent.gate.answer import Answer, Say
from assent.gate.approval import State
from assent.surfaces.tui.dashboard import Pane
from assent.surfaces.tui.overview import AgentUsage
from assent.surfaces.tui.question import Question
from tests.surfaces.tui.dashboard_setup import DashboardSetup

LONG = "python3 - <<'EOF'\n" + "\n".join(f"print('step {n}', {n} * {n})" for n in range(220)) + "\nEOF"


@pytest.mark.proves("R002-17", "R002-18")
async def test_y_allows_this_call_once_and_the_next_one_asks_again(setup: DashboardSetup) -> None:
    id = setup.ask("make build", agent="builder")
    async with setup.open() as screen:
        await screen.wait_until_asked()
        bar = screen.screen_part_text("bar")
        await screen.press("y")
        await screen.wait_until_over()

        assert "⚠ PERMISSION: builder wants to use Bash(make build)  [y]once [a]lways [n]o" in bar
        assert "Allowed once by you" in screen.screen_part_text("bar")
    assert setup.approval(id).state is State.APPROVED
    assert setup.approval(setup.ask("make build", agent="builder")).state is State.PENDING


@pytest.mark.proves("R002-24")
async def test_a_question_in_words_looks_different_and_its_answer_reaches_the_lead(
    setup: DashboardSetup,
) -> None:
    asked = {"question": "Which colour?", "options": ["blue", "red"], "answer": ""}
    id = setup.ask("", agent="archie", tool="fleet.question", **asked)
    async with setup.open() as screen:
        await screen.wait_until_asked()
        bar, card = screen.screen_part_text("bar"), screen.screen_part_text("card")
        queue = screen.screen_part_text("queue")
        await screen.press("a")  # "always" is not offered
        await screen.press("m")
        field = screen.screen_part_text("bar").splitlines()[1].partition("▏")[0]
        await screen.type("the blue one")
        await screen.press("enter")
        await screen.wait_until_over()
        ended = screen.screen_part_text("bar")

    assert "⚠ ARCHIE ASKS: Which colour?  [m] answer in words [y]es [n]o" in bar
    assert ("PERMISSION" in bar, "lways" in bar) == (False, False)
    assert field == "your answer > "
    assert ("- blue" in card, "options:" in card, "They allow nothing." in card) == (True, False, True)
    assert "Needs your answer: m opens the field for your words." in card
    assert "? Question  archie" in queue
    assert "✓ Answered by you at" in ended
    answer = setup.approval(id).answer
    assert answer is not None
    assert (answer.say, answer.reason) == (Say.DENY, "the blue one")


async def test_a_sub_agent_that_its_agent_names_is_on_the_card_and_always_is_for_the_agent(
    setup: DashboardSetup,
) -> None:
    lineage = [{"id": "a1b2", "kind": "Explore"}]
    setup.client.submit("Bash", {"command": "make build"}, id="named", agent="archie", lineage=lineage)
    async with setup.open() as screen:
        await screen.wait_until_asked()
        await screen.wait_until(lambda: "Explore" in screen.screen_part_text("agents"))

        assert "⚠ PERMISSION: archie › Explore wants to use Bash(make build)" in screen.screen_part_text(
            "bar"
        )
        card = screen.screen_part_text("card")
        assert "for its sub-agent Explore a1b2" in card
        assert "for archie, 30 minutes" in card
        rows = [line.split()[:3] for line in screen.screen_part_text("agents").splitlines()]
        assert ["└", "Explore", "◆"] in rows


async def test_tokens_and_cost_of_a_fleet_are_in_the_table_of_agents(setup: DashboardSetup) -> None:
    used = {
        "archie": AgentUsage(state="working", task="plans\x1b[31m", tokens=1_234_567, cost=12.5),
        "qa": AgentUsage(state="failed", tokens=42),
        "doc": AgentUsage(state="done"),
    }
    setup.ask("make build", agent="qa")
    async with setup.open(usage=lambda: used) as screen:
        await screen.wait_until_asked()
        lines = screen.screen_part_text("agents").splitlines()
        await screen.press("n")
        await screen.wait_until_over()
        after = screen.screen_part_text("agents").splitlines()

    assert lines[0].split() == ["agent", "state", "now", "tokens", "cost", "asks"]
    assert lines[1].split() == ["archie", "●", "working", "plans\\u001b[31m", "1,235k", "$12.50", "-"]
    assert lines[2].split() == ["qa", "◆", "waits", "Bash(make", "build)", "42", "-", "1"]
    assert lines[3].split() == ["doc", "✓", "done", "0", "-", "-"]
    assert after[2].split()[:3] == ["qa", "✗", "failed"]


async def test_a_key_before_half_a_second_of_quiet_answers_nothing_and_starts_the_time_anew(
    setup: DashboardSetup,
) -> None:
    id = setup.ask("make build")
    async with setup.open() as screen:
        await screen.wait_until_asked()
        for _ in range(3):
            screen.pass_time(0.4)
            await screen.pilot.press("y")
        screen.pass_time(0.4)
        await screen.pilot.press("h")
        await screen.pilot.press("escape", "y", "n", "a", "m", "e", "l")

        assert setup.approval(id).state is State.PENDING
        assert screen.dashboard.pane is Pane.CARD
        screen.pass_time()
        await screen.pilot.press("n")
        await screen.wait_until_over()
    assert setup.approval(id).state is State.DENIED


async def test_moving_to_another_question_arms_the_keys_anew(setup: DashboardSetup) -> None:
    first, second = setup.ask("make one"), setup.ask("make two")
    async with setup.open() as screen:
        await screen.wait_until_asked(2)
        screen.pass_time()
        await screen.pilot.press("j", "y")
        await screen.wait_until(lambda: screen.question.id == second and screen.question.is_loaded)
        await screen.pilot.press("y")
        await screen.press("y")
        await screen.wait_until_over()

    assert (setup.approval(first).state, setup.approval(second).state) == (State.PENDING, State.APPROVED)


@pytest.mark.proves("R002-19")
async def test_n_denies_and_m_denies_with_a_message(setup: DashboardSetup) -> None:
    first, second = setup.ask("make one"), setup.ask("make two")
    async with setup.open() as screen:
        await screen.wait_until_asked(2)
        await screen.press("n")
        await screen.wait_until_over()
        await screen.press("j")
        await screen.wait_until_asked()
        await screen.press("m")
        await screen.type("use npm")
        await screen.press("enter")
        await screen.wait_until_over()

        assert "Denied by you" in screen.screen_part_text("bar")
        assert "use npm" in screen.screen_part_text("bar")
    assert setup.approval(first).answer == Answer(say=Say.DENY, by=setup.approval(first).owner)
    answer = setup.approval(second).answer
    assert answer is not None
    assert (answer.say, answer.reason) == (Say.DENY, "use npm")


async def test_always_opens_the_exact_rule_and_enter_writes_what_was_shown(setup: DashboardSetup) -> None:
    id = setup.ask("npm run build")
    async with setup.open() as screen:
        await screen.wait_until_asked()
        assert "allow Bash(npm run build)" in screen.screen_part_text("card")
        await screen.press("a")
        await screen.wait_until(
            lambda: screen.dashboard.editor is not None and screen.dashboard.editor.current_preview
        )
        assert "✓ covers this call" in screen.screen_part_text("card")
        await screen.press("right")
        await screen.wait_until(
            lambda: screen.dashboard.editor is not None and screen.dashboard.editor.current_preview
        )
        await screen.press("tab", "tab", "tab", "right", "right", "right", "enter")
        await screen.wait_until_over()

        assert "Allowed always by you" in screen.screen_part_text("bar")
    assert setup.approval(id).state is State.APPROVED
    assert [rule.text for rule in setup.client.rules()] == ["Bash(npm run *)"]
    assert setup.client.submit("Bash", {"command": "npm run build"}, id="again", agent="clerk").kind == "run"


async def test_a_rule_that_does_not_cover_the_call_is_refused_while_it_is_written(
    setup: DashboardSetup,
) -> None:
    id = setup.ask("npm run build")
    async with setup.open() as screen:
        await screen.wait_until_asked()
        await screen.press("a", "tab")
        await screen.pilot.press("backspace", "backspace")
        await screen.type("X)")
        await screen.wait_until(
            lambda: screen.dashboard.editor is not None and screen.dashboard.editor.rule_objection
        )
        await screen.press("enter")

        assert "would not allow this call" in screen.screen_part_text("card")
        await screen.press("escape")
        assert screen.dashboard.pane is Pane.CARD
    assert setup.approval(id).state is State.PENDING


async def test_a_rule_for_the_whole_tool_needs_the_name_of_the_tool(setup: DashboardSetup) -> None:
    id = setup.ask("", tool="Write", file_path="a.txt", content="hello")
    async with setup.open() as screen:
        await screen.wait_until_asked()
        await screen.press("a", "right", "right", "right", "right")
        await screen.wait_until(
            lambda: screen.dashboard.editor is not None and screen.dashboard.editor.current_preview
        )
        await screen.press("enter")
        assert screen.dashboard.pane is Pane.TOOL_NAME
        await screen.type("Wri")
        await screen.press("enter")
        assert setup.approval(id).state is State.PENDING
        await screen.type("te")
        await screen.press("enter")
        await screen.wait_until_over()
    assert setup.approval(id).state is State.APPROVED
    assert [one.pattern for one in setup.client.grants()] == ["Write"]


async def test_an_edited_call_is_allowed_with_its_changed_arguments(setup: DashboardSetup) -> None:
    id = setup.ask("npm run build", description="build it")
    async with setup.open() as screen:
        await screen.wait_until_asked()
        await screen.press("e")
        await screen.pilot.press("end", "space", "x", "ctrl+s")
        await screen.wait_until_over()

    answer = setup.approval(id).answer
    assert answer is not None
    assert answer.args == {"command": "npm run build x", "description": "build it"}


async def test_text_that_is_no_json_object_is_not_sent(setup: DashboardSetup) -> None:
    id = setup.ask("", tool="Write", file_path="a.txt", content="hello")
    async with setup.open() as screen:
        await screen.wait_until_asked()
        await screen.press("e")
        await screen.pilot.press("x", "ctrl+s")

        assert "this is not a JSON object" in screen.screen_part_text("bar")
    assert setup.approval(id).state is State.PENDING


@pytest.mark.supports("T-49")
async def test_what_cannot_be_undone_is_allowed_with_a_typed_word_only(setup: DashboardSetup) -> None:
    id = setup.ask("git push --force origin main")
    async with setup.open() as screen:
        await screen.wait_until_asked()
        assert "Cannot be undone: overwrites what others pushed" in screen.screen_part_text("card")
        await screen.press("a")
        assert screen.dashboard.pane is Pane.CARD
        await screen.press("y")
        await screen.type("yes")
        await screen.press("enter")
        assert setup.approval(id).state is State.PENDING
        await screen.press("escape", "y")
        await screen.type("allow")
        await screen.press("enter")
        await screen.wait_until_over()
    assert setup.approval(id).state is State.APPROVED


async def test_a_locked_question_says_why_and_offers_no_always(setup: DashboardSetup) -> None:
    id = setup.ask("echo x >> .git/config")
    async with setup.open() as screen:
        await screen.wait_until_asked()
        card = screen.screen_part_text("card")
        await screen.press("a", "y")

        assert "Locked: it uses a protected path" in card
        assert screen.dashboard.pane is Pane.CONFIRM
    assert setup.approval(id).state is State.PENDING


@pytest.mark.proves("R002-29")
async def test_a_long_call_is_allowed_only_after_its_end_was_on_the_screen(setup: DashboardSetup) -> None:
    assert len(LONG) > 5000
    id = setup.ask(LONG)
    async with setup.open() as screen:
        await screen.wait_until_asked()
        await screen.press("y", "a", "e", "space", "y")
        assert screen.dashboard.pane is Pane.CARD
        screen.pass_time()
        assert "read to the end first" in screen.screen_part_text("bar")
        assert setup.approval(id).state is State.PENDING
        await screen.press("end", "a")
        assert "print('step 219', 219 * 219)" in screen.screen_part_text("card")
        assert "seen to the end" in screen.screen_part_text("card")
        await screen.press("y")
        await screen.wait_until_over()
    assert setup.approval(id).state is State.APPROVED


async def test_a_long_call_can_be_denied_unread(setup: DashboardSetup) -> None:
    id = setup.ask(LONG)
    async with setup.open() as screen:
        await screen.wait_until_asked()
        await screen.press("n")
        await screen.wait_until_over()
    assert setup.approval(id).state is State.DENIED


async def test_a_question_that_was_answered_elsewhere_stays_and_says_so(setup: DashboardSetup) -> None:
    first, second = setup.ask("make one"), setup.ask("make two")
    async with setup.open() as screen:
        await screen.wait_until_asked(2)
        shown = setup.approval(first)
        setup.client.answer(first, shown.digest, Answer(say=Say.DENY, reason="not today"))
        await screen.wait_until_over()
        await screen.press("y", "n")

        assert screen.question.id == first
        assert "not today" in screen.screen_part_text("bar")
        assert setup.approval(second).state is State.PENDING
        await screen.press("j")
        await screen.wait_until_asked()
        assert screen.question.id == second


async def test_a_withdrawn_question_stays_and_says_so(setup: DashboardSetup) -> None:
    id = setup.ask("make one")
    async with setup.open() as screen:
        await screen.wait_until_asked()
        await screen.press("m")
        setup.client.withdraw(id)
        await screen.wait_until_over()

        assert "Withdrawn" in screen.screen_part_text("bar")
        assert screen.dashboard.pane is Pane.CARD


@pytest.mark.proves("R002-27")
async def test_questions_of_several_agents_are_listed_oldest_first_and_answered_each_by_itself(
    setup: DashboardSetup,
) -> None:
    ids = [setup.ask(f"make part{n}", agent=f"dev-{n}") for n in range(5)]
    async with setup.open() as screen:
        await screen.wait_until_asked(5)
        await screen.wait_until(
            lambda: all(f"dev-{n}" in screen.screen_part_text("agents") for n in range(5))
        )
        assert [one.id for one in screen.dashboard.queue.questions] == ids
        assert "1 of 5, oldest first" in screen.text()
        await screen.press("j")
        await screen.wait_until(lambda: screen.question.is_loaded)
        await screen.press("y")
        await screen.wait_until_over()
    assert [setup.approval(one).state for one in ids] == [
        State.PENDING,
        State.APPROVED,
        *[State.PENDING] * 3,
    ]


async def test_a_question_that_arrives_joins_below_and_moves_nothing(setup: DashboardSetup) -> None:
    first = setup.ask("make one")
    async with setup.open() as screen:
        await screen.wait_until_asked()
        region = screen.app.query_one("#bar").region
        setup.ask("make two")
        await screen.wait_until(lambda: screen.dashboard.queue.open_question_count == 2)

        assert screen.question.id == first
        assert screen.app.query_one("#bar").region == region
        assert screen.dashboard.arming.is_armed is False


async def test_later_moves_a_question_to_the_end_and_leaves_it_open(setup: DashboardSetup) -> None:
    first, second = setup.ask("make one"), setup.ask("make two")
    async with setup.open() as screen:
        await screen.wait_until_asked(2)
        await screen.press("l")
        await screen.wait_until(
            lambda: [one.id for one in screen.dashboard.queue.questions] == [second, first]
        )

        assert "Postponed" in screen.screen_part_text("bar")
        assert screen.question.id == first
    assert setup.approval(first).state is State.PENDING


async def test_a_sub_agent_that_the_caller_named_is_on_the_bar_and_the_card(setup: DashboardSetup) -> None:
    lineage = [{"id": "a1b2", "kind": "Explore"}]
    setup.client.submit("Bash", {"command": "make it"}, id="named", agent="clerk", lineage=lineage)
    async with setup.open() as screen:
        await screen.wait_until_asked()

        assert "clerk › Explore wants to use Bash(make it)" in screen.screen_part_text("bar")
        assert "for its sub-agent Explore a1b2" in screen.screen_part_text("card")


async def test_the_card_states_that_nobody_declared_the_tool(setup: DashboardSetup) -> None:
    token = {"kind": "agent", "name": "clerk", "unknown": "ask"}
    setup.client.request("POST", "/v1/tokens", token)
    setup.client.submit("mcp__rocket__launch", {"site": "a"}, id="launch", agent="clerk")
    async with setup.open() as screen:
        await screen.wait_until_asked()

        assert "nobody declared this tool" in screen.screen_part_text("card")


async def test_a_sub_agent_is_named_after_the_agent_that_started_it(setup: DashboardSetup) -> None:
    task = f"/call run_command {json.dumps({'command': 'make thing'})}"
    call = f"/call run_subtask {json.dumps({'name': 'e2e', 'task': task})}"
    message = {"id": "m1", "role": "user", "parts": [{"type": "text", "text": call}]}
    setup.client.request("POST", "/v1/conversations", {"agent": "qa-1", "preset": "chat", "message": message})
    async with setup.open() as screen:
        await screen.wait_until_asked()

        assert "qa-1 › e2e wants to use run_command(make thing)" in screen.screen_part_text("bar")
        assert "a sub-agent that qa-1 started" in screen.screen_part_text("card")
        await screen.wait_until(lambda: "└ e2e" in screen.screen_part_text("agents"))
        await screen.press("n")
        await screen.wait_until_over()


async def test_the_filter_shows_only_what_it_names(setup: DashboardSetup) -> None:
    setup.ask("make one", agent="alpha")
    second = setup.ask("make two", agent="beta")
    async with setup.open() as screen:
        await screen.wait_until_asked(2)
        await screen.press("slash")
        await screen.type("beta y")
        assert setup.approval(second).state is State.PENDING
        await screen.pilot.press("backspace", "backspace", "enter")
        await screen.pilot.pause()

        assert screen.question.id == second
        assert [one.id for one in screen.dashboard.queue.questions] == [second]


async def test_history_rules_trace_and_help_are_one_key_away_and_take_no_answers(
    setup: DashboardSetup,
) -> None:
    id = setup.ask("make one")
    answered = setup.ask("make two")
    shown = setup.approval(answered)
    always = Answer(say=Say.ALWAYS, rules=("Bash(make two)",))
    setup.client.answer(answered, shown.digest, always)
    async with setup.open() as screen:
        await screen.wait_until_asked()
        await screen.press("h")
        await screen.wait_until(lambda: "Bash(make two)" in screen.screen_part_text("card"))
        await screen.press("escape", "u")
        await screen.wait_until(lambda: "allow Bash(make two)" in screen.screen_part_text("card"))
        await screen.press("y", "n", "escape", "x")
        assert "`make one` runs this project's code" in screen.screen_part_text("card")
        await screen.press("y", "n", "escape", "question_mark")
        assert "pause all agents" in screen.screen_part_text("card")
        await screen.press("y", "n", "escape")
    assert setup.approval(id).state is State.PENDING


async def test_all_agents_are_paused_and_resumed(setup: DashboardSetup) -> None:
    async with setup.open() as screen:
        await screen.press("p")
        assert "Pause all agents?" in screen.screen_part_text("bar")
        await screen.press("enter")
        await screen.wait_until(lambda: "paused by" in screen.screen_part_text("head"))
        await screen.press("p", "enter")
        await screen.wait_until(lambda: "paused" not in screen.screen_part_text("head"))


async def test_each_theme_has_its_colours(setup: DashboardSetup) -> None:
    setup.ask("make one")
    async with setup.open() as screen:
        await screen.wait_until_asked()
        found = [screen.app.theme]
        for _ in range(3):
            await screen.press("t")
            found.append(screen.app.theme)

        assert found == ["dark", "light", "16", "dark"]


async def test_without_questions_the_activity_is_shown(setup: DashboardSetup) -> None:
    setup.client.submit("Bash", {"command": "ls"}, id="look", agent="reader")
    async with setup.open() as screen:
        await screen.wait_until(
            lambda: (
                "reader" in screen.screen_part_text("agents") and "reader" in screen.screen_part_text("card")
            )
        )

        assert "Nothing needs you." in screen.screen_part_text("bar")
        assert "✓ ran" in screen.screen_part_text("card")


async def test_at_the_third_always_for_a_rule_the_line_for_the_policy_file_is_shown(
    setup: DashboardSetup,
) -> None:
    async with setup.open() as screen:
        for number in range(3):
            setup.ask("npm run lint")
            await screen.wait_until_asked()
            await screen.press("a")
            await screen.wait_until(
                lambda: screen.dashboard.editor is not None and screen.dashboard.editor.current_preview
            )
            await screen.press("enter")
            await screen.wait_until_over()
            if number < 2:
                assert screen.dashboard.hint == ""
                for grant in [*setup.client.rules(), *setup.client.grants()]:
                    setup.client.revoke(grant.id)
                await screen.press("j")
        await screen.wait_until(lambda: screen.dashboard.hint)

        assert 'allow = ["Bash(npm run lint)"]' in screen.screen_part_text("card")


async def test_a_question_that_is_asked_again_with_another_file_closes_what_was_open_about_it(
    setup: DashboardSetup,
) -> None:
    id = setup.ask("", tool="Write", file_path="again.txt", content="hello")
    async with setup.open() as screen:
        await screen.wait_until_asked()
        await screen.press("e")
        news = replace(screen.question.approval, call_digest="0" * 64)
        screen.dashboard.queue.update_question(Question(approval=news))
        await screen.pilot.press("ctrl+s")
        await screen.pilot.pause()

        assert setup.approval(id).state is State.PENDING


async def test_a_key_for_a_card_that_is_gone_does_not_answer_the_next_one(setup: DashboardSetup) -> None:
    first, second = setup.ask("make one"), setup.ask("make two")
    async with setup.open() as screen:
        await screen.wait_until_asked(2)
        await screen.press("j")
        await screen.wait_until(lambda: screen.question.id == second and screen.question.is_loaded)
        await screen.pilot.pause()
        screen.pass_time()
        screen.dashboard.queue.remove_question(second)
        screen.app.controller.press_key("y", "y")
        screen.app.controller.press_key("n", "n")
        await screen.pilot.pause()

        assert setup.approval(first).state is State.PENDING
