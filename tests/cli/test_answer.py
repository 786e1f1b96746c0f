"""`assent answer` answers from another process whatever waits in this one."""

import asyncio
import json

import pytest

from assent.gate.approval import State
from assent.gate.gate import Gate
from assent.gate.outcome import Refuse, Run, Wait
from tests.cli.asking import ME, a_call, a_turn, ask, gate_at, left, run
from tests.cli.running import Command, Place


@pytest.mark.proves("R002-18")
async def test_once_lets_this_call_run_in_the_process_that_waits_and_the_next_one_asks(place: Place) -> None:
    async with gate_at(place) as gate:
        turn = await a_turn(gate)
        waiting = asyncio.create_task(turn.check(a_call()))
        approval = await _only_question(gate, waiting)
        ran = await run(place, "answer", approval, "once")

        assert (ran.status, ran.out, ran.err) == (0, "approved: Bash(npm pack)\n", "")
        assert isinstance(await waiting, Run)
        assert isinstance(await turn.submit(a_call(id="call-2")), Wait)


@pytest.mark.proves("R002-19")
async def test_a_denial_and_its_reason_reach_the_agent(place: Place) -> None:
    async with gate_at(place) as gate:
        waiting = asyncio.create_task((await a_turn(gate)).check(a_call()))
        approval = await _only_question(gate, waiting)
        ran = await run(place, "answer", approval, "deny", "--reason", "not on a Friday")
        outcome = await waiting

    assert (ran.status, ran.out) == (0, "denied: Bash(npm pack)\n")
    assert isinstance(outcome, Refuse)
    assert outcome.reason == "not on a Friday"


async def test_always_counts_for_the_next_call_of_the_process_that_waits(place: Place) -> None:
    async with gate_at(place) as gate:
        turn = await a_turn(gate)
        approval = await ask(turn)
        ran = await run(place, "answer", approval.id, "always", "--rule", "Bash(npm *)", "--scope", "agent")

        assert ran.status == 0
        assert isinstance(await turn.submit(a_call("npm version patch", "call-2")), Run)
        assert isinstance(
            await (await a_turn(gate, "scout")).submit(a_call("npm version patch", "call-3")), Wait
        )


@pytest.mark.parametrize(
    ("lasting", "shown"), [("2h", "until "), ("5 uses", "5 uses left"), ("1 use", "1 uses left")]
)
async def test_always_lasts_as_long_as_was_said(
    place: Place, command: Command, lasting: str, shown: str
) -> None:
    (approval,) = await left(place, ["npm pack"])

    command("answer", approval.id, "always", "--lasting", lasting)

    assert shown in command("grants", "list").out


@pytest.mark.proves("T-46")
@pytest.mark.parametrize("say", ["always", "chat"])
async def test_several_limits_all_hold(place: Place, command: Command, say: str) -> None:
    (approval,) = await left(place, ["npm pack"])

    command("answer", approval.id, say, "--lasting", "2h", "--lasting", "5 uses")
    (grant,) = json.loads(command("grants", "list", "--json").out)["grants"]
    shown = command("grants", "list").out

    assert (grant["uses"], bool(grant["until"])) == (5, True)
    assert "until " in shown
    assert "5 uses left" in shown


async def test_a_rule_that_would_not_have_covered_the_call_is_refused(place: Place, command: Command) -> None:
    (approval,) = await left(place, ["npm pack"])

    ran = command("answer", approval.id, "always", "--rule", "Bash(git *)")

    assert ran.status == 2
    assert "Bash(git *)" in ran.err
    assert json.loads(command("pending", "--json").out)[0]["state"] == "pending"


async def test_later_keeps_it_pending(place: Place, command: Command) -> None:
    (approval,) = await left(place, ["npm pack"])

    ran = command("answer", approval.id, "later")

    assert (ran.status, ran.out) == (0, "later: Bash(npm pack)\n")
    assert json.loads(command("pending", "--json").out)[0]["id"] == approval.id


async def test_the_first_characters_of_an_id_are_enough_where_they_mean_one_question(
    place: Place, command: Command
) -> None:
    one, other = await left(place, ["npm pack", "git push"])
    ran = command("answer", one.id[:6], "deny")

    assert ran.status == 0
    assert [found["id"] for found in json.loads(command("pending", "--json").out)] == [other.id]


async def test_an_empty_id_answers_nothing_even_where_there_is_one_question(
    place: Place, command: Command
) -> None:
    await left(place, ["npm pack"])

    ran = command("answer", "", "once")

    told = "assent: say which question is meant: the id is empty; `assent pending` lists them\n"
    assert (ran.status, ran.out, ran.err) == (2, "", told)
    assert [found["state"] for found in json.loads(command("pending", "--json").out)] == ["pending"]


@pytest.mark.proves("R002-26")
async def test_what_is_unknown_or_answered_already_is_told_and_changes_nothing(
    place: Place, command: Command
) -> None:
    (approval,) = await left(place, ["npm pack"])
    command("answer", approval.id, "deny")

    again = command("answer", approval.id, "once")
    unknown = command("answer", "0" * 32, "once")
    short = command("answer", "zz", "once")

    assert (again.status, unknown.status, short.status) == (2, 2, 2)
    assert "cannot be answered: it is denied by " in again.err
    assert unknown.err == f"assent: there is no approval `{'0' * 32}`\n"
    assert short.err == "assent: there is no open question `zz`\n"


@pytest.mark.supports("R002-28")
async def test_a_late_yes_to_a_question_that_was_withdrawn_grants_nothing(
    place: Place, command: Command
) -> None:
    async with gate_at(place) as gate:
        approval = await ask(await a_turn(gate))
        await gate.withdraw(approval.id)
    ran = command("answer", approval.id, "always")

    assert ran.status == 2
    assert "it is withdrawn" in ran.err
    assert command("grants", "list").err == "nothing was granted\n"


@pytest.mark.parametrize("word", ["perhaps", "", "ONCE "])
async def test_a_word_that_is_no_answer_answers_nothing(place: Place, command: Command, word: str) -> None:
    (approval,) = await left(place, ["npm pack"])

    ran = command("answer", approval.id, word)

    assert (ran.status, ran.out) == (2, "")
    assert json.loads(command("pending", "--json").out)[0]["state"] == "pending"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("once", "--rule", "Bash"), "--rule only goes with `always`"),
        (("deny", "--scope", "agent"), "--scope only goes with `always`"),
        (("once", "--lasting", "2h"), "--lasting only goes with `always` and `chat`"),
        (
            ("always", "--lasting", "2h", "--lasting", "3h"),
            "--lasting names two limits of one kind: leave one of them out",
        ),
        (("always", "--lasting", "0m"), "`until` is in the past"),
        (("always", "--lasting", "0 uses"), "`uses` is required: 1 or more"),
        (("once", "--reason", "x"), "--reason only goes with `deny`"),
        (
            ("always", "--lasting", "a while"),
            "--lasting `a while` must be `restart`, 30m, 2h, 7d or `5 uses`",
        ),
    ],
)
async def test_an_option_without_effect_is_a_mistake_worth_telling(
    place: Place, command: Command, words: tuple[str, ...], told: str
) -> None:
    (approval,) = await left(place, ["npm pack"])

    ran = command("answer", approval.id, *words)

    assert (ran.status, ran.out, ran.err) == (2, "", f"assent: {told}\n")
    assert json.loads(command("pending", "--json").out)[0]["state"] == "pending"


async def test_json_is_the_approval_as_it_stands_then(place: Place, command: Command) -> None:
    (approval,) = await left(place, ["npm pack"])

    found = json.loads(command("answer", approval.id, "once", "--json").out)

    assert (found["id"], found["state"], found["answer"]["say"]) == (approval.id, State.APPROVED, "once")


@pytest.mark.proves("T-10")
async def test_what_was_answered_is_shown_without_its_escapes(place: Place, command: Command) -> None:
    (approval,) = await left(place, ["echo \x1b]0;owned\x07"])

    ran = command("answer", approval.id, "deny")

    assert ran.out == "denied: Bash(echo \\u001b]0;owned\\u0007)\n"


async def _only_question(gate: Gate, waiting: asyncio.Task[Run | Refuse]) -> str:
    """The id of the question that a task has just asked."""
    while not waiting.done():
        page = await gate.pending(ME)
        if page.approvals:
            return page.approvals[0].id
        await asyncio.sleep(0.01)
    raise AssertionError(await waiting)


FORCED = "git push --force origin main"


@pytest.mark.proves("T-49")
@pytest.mark.parametrize(
    ("command_line", "why"),
    [
        (FORCED, "cannot be undone: overwrites what others pushed to `origin main`"),
        ("rm -rf ~/", "cannot be undone: removes `~/`"),
        ("echo hi >> .git/hooks/pre-commit", "always asks"),
    ],
    ids=["irreversible", "a catastrophe", "locked"],
)
async def test_what_a_card_holds_for_is_not_allowed_by_one_word(
    place: Place, command: Command, command_line: str, why: str
) -> None:
    (approval,) = await left(place, [command_line])

    ran = command("answer", approval.id, "once")

    assert (ran.status, ran.out) == (2, "")
    assert why in ran.err
    assert "--sure" in ran.err
    assert command("answer", approval.id, "once", "--sure").out.startswith("approved: ")


@pytest.mark.proves("T-49")
async def test_at_a_terminal_all_of_it_is_shown_and_a_word_is_typed(place: Place) -> None:
    wrong, right = await left(place, [FORCED, f"{FORCED} other"])

    refused, shown = place.run_at_terminal("answer", wrong.id, "once", typed="y\n")
    allowed, _ = place.run_at_terminal("answer", right.id, "once", typed="allow\n")

    assert (refused, allowed) == (2, 0)
    assert FORCED in shown
    assert "cannot be undone" in shown
    assert "not confirmed" in shown


async def test_a_denial_needs_no_confirmation(place: Place, command: Command) -> None:
    (approval,) = await left(place, [FORCED])

    assert command("answer", approval.id, "deny").status == 0


async def test_a_wrong_scope_is_told_the_words_of_answers_and_none_of_presets(place: Place) -> None:
    ran = await run(place, "answer", "abcd", "always", "--scope", "choice")

    assert ran.status != 0
    assert "'choice' is not one of 'conversation', 'agent', 'user', 'user-agent', 'everyone'" in ran.err
