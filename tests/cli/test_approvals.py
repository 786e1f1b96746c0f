"""`assent pending` lists open questions, and `assent answer` answers them."""

import asyncio
import json

import pytest

from assent.engine.base.tool import Call
from assent.gate.access import SubAgent
from assent.gate.approval import State
from assent.gate.calls import Refuse, Run, Wait
from assent.gate.gate import Gate, TurnOptions
from assent.gate.unknown_tools import UnknownAnswer
from tests.cli.questions import (
    LOCAL_PERSON,
    ask_question,
    ask_questions,
    begin_turn,
    make_call,
    open_gate_at,
    run_in_thread,
)
from tests.cli.running import Command, CommandSandbox
from tests.waiting import wait_until_async

COMMAND_WITH_ESCAPES = "echo \x1b]0;owned\x07 \x1b]52;c;aGk=\x07 \x9b31m \u202e"


async def test_the_list_names_sub_agents_and_undeclared_tools(sandbox: CommandSandbox) -> None:
    async with open_gate_at(sandbox) as gate:
        await gate.unknown_tools.set_answer(LOCAL_PERSON, "clerk", UnknownAnswer.ASK)
        options = TurnOptions(sub_agents=(SubAgent("a1b2", "Explore"), SubAgent("c3")))
        turn = await gate.begin(LOCAL_PERSON, conversation="c1", agent="clerk", options=options)
        await turn.submit(Call(tool="mcp__rocket__launch", args={"site": "a"}))
        ran = await run_in_thread(sandbox, "pending")

    assert ran.lines[0].endswith("clerk > Explore > c3")
    assert "    nobody declared this tool; only calls show its arguments" in ran.lines


@pytest.mark.proves("R002-27")
async def test_the_questions_of_several_agents_are_listed_oldest_first(sandbox: CommandSandbox) -> None:
    async with open_gate_at(sandbox) as gate:
        first = await ask_question(await begin_turn(gate, "clerk"), "npm pack")
        second = await ask_question(await begin_turn(gate, "scout"), "git push", "call-2")
        ran = await run_in_thread(sandbox, "pending")

    assert (ran.status, ran.err) == (0, "")
    assert [line.split()[0] for line in ran.lines if not line.startswith(" ")] == [
        first.id[:8],
        second.id[:8],
    ]
    assert [line.split()[-1] for line in ran.lines if not line.startswith(" ")] == ["clerk", "scout"]


async def test_a_question_shows_agent_call_reason_and_the_rule_of_always(
    sandbox: CommandSandbox, command: Command
) -> None:
    await ask_questions(sandbox, ["npm pack"])

    ran = command("pending")

    assert [line.strip() for line in ran.lines[1:]] == [
        "Bash(npm pack)",
        "`npm pack` runs this project's code",
        "always would allow Bash(npm pack)",
    ]


async def test_a_question_that_no_rule_can_avoid_offers_no_always(
    sandbox: CommandSandbox, command: Command
) -> None:
    await ask_questions(sandbox, ["rm -rf /"])

    assert "always would allow" not in command("pending").out


@pytest.mark.proves("R002-29")
async def test_a_long_command_is_shortened_with_a_mark_and_complete_in_json(
    sandbox: CommandSandbox, command: Command
) -> None:
    written = "npm pack " + "x" * 5000 + " --tag last"
    await ask_questions(sandbox, [written])

    shown = command("pending").lines[1]
    whole = json.loads(command("pending", "--json").out)[0]["call"]["args"]["command"]

    assert len(shown) < 400
    assert "more characters" in shown
    assert shown.endswith("--tag last)")
    assert whole == written


@pytest.mark.proves("T-10")
@pytest.mark.parametrize("words", [("pending",), ("pending", "--json")])
async def test_text_of_an_agent_never_reaches_the_terminal_as_an_escape_sequence(
    sandbox: CommandSandbox, command: Command, words: tuple[str, ...]
) -> None:
    await ask_questions(sandbox, [COMMAND_WITH_ESCAPES])

    ran = command(*words)

    assert ran.status == 0
    assert "\\u001b" in ran.out
    assert [character for character in ran.out if not character.isprintable() and character != "\n"] == []


async def test_a_postponed_question_is_marked_as_later(sandbox: CommandSandbox, command: Command) -> None:
    async with open_gate_at(sandbox) as gate:
        approval = await ask_question(await begin_turn(gate))
        await gate.postpone(LOCAL_PERSON, approval.id)

    assert command("pending").lines[0].endswith("clerk  later")


async def test_without_open_questions_a_note_goes_to_standard_error(
    sandbox: CommandSandbox, command: Command
) -> None:
    async with open_gate_at(sandbox):
        pass

    ran, as_json = command("pending"), command("pending", "--json")

    assert (ran.status, ran.out, ran.err) == (0, "", "no open questions\n")
    assert (as_json.status, json.loads(as_json.out), as_json.err) == (0, [], "")


def test_without_a_database_the_error_says_how_to_name_one(sandbox: CommandSandbox, command: Command) -> None:
    ran = command("pending")

    assert (ran.status, ran.out) == (2, "")
    assert "does not exist; name one with" in ran.err
    assert "--database or $ASSENT_DATABASE" in ran.err
    assert not (sandbox.home / ".local").exists()


@pytest.mark.proves("T-49")
async def test_an_irreversible_act_is_shown(sandbox: CommandSandbox, command: Command) -> None:
    await ask_questions(sandbox, ["kubectl delete namespace prod"])

    assert "    cannot be undone: deletes the namespace `prod`" in command("pending").lines


@pytest.mark.proves("R002-18")
async def test_once_lets_the_waiting_call_run_and_the_next_call_asks(
    sandbox: CommandSandbox,
) -> None:
    async with open_gate_at(sandbox) as gate:
        turn = await begin_turn(gate)
        waiting = asyncio.create_task(turn.check(make_call()))
        approval = await _wait_for_only_question(gate, waiting)
        ran = await run_in_thread(sandbox, "answer", approval, "once")

        assert (ran.status, ran.out, ran.err) == (0, "approved: Bash(npm pack)\n", "")
        assert isinstance(await waiting, Run)
        assert isinstance(await turn.submit(make_call(id="call-2")), Wait)


@pytest.mark.proves("R002-19")
async def test_a_denial_and_its_reason_reach_the_agent(sandbox: CommandSandbox) -> None:
    async with open_gate_at(sandbox) as gate:
        waiting = asyncio.create_task((await begin_turn(gate)).check(make_call()))
        approval = await _wait_for_only_question(gate, waiting)
        ran = await run_in_thread(sandbox, "answer", approval, "deny", "--reason", "not on a Friday")
        outcome = await waiting

    assert (ran.status, ran.out) == (0, "denied: Bash(npm pack)\n")
    assert isinstance(outcome, Refuse)
    assert outcome.reason == "not on a Friday"


async def test_always_applies_to_the_next_call_of_the_waiting_process(sandbox: CommandSandbox) -> None:
    async with open_gate_at(sandbox) as gate:
        turn = await begin_turn(gate)
        approval = await ask_question(turn)
        ran = await run_in_thread(
            sandbox, "answer", approval.id, "always", "--rule", "Bash(npm *)", "--scope", "agent"
        )

        assert ran.status == 0
        assert isinstance(await turn.submit(make_call("npm version patch", "call-2")), Run)
        assert isinstance(
            await (await begin_turn(gate, "scout")).submit(make_call("npm version patch", "call-3")), Wait
        )


@pytest.mark.parametrize(
    ("lasting", "shown"), [("2h", "until "), ("5 uses", "5 uses left"), ("1 use", "1 uses left")]
)
async def test_always_lasts_as_long_as_the_option_lasting_says(
    sandbox: CommandSandbox, command: Command, lasting: str, shown: str
) -> None:
    (approval,) = await ask_questions(sandbox, ["npm pack"])

    command("answer", approval.id, "always", "--lasting", lasting)

    assert shown in command("grants", "list").out


@pytest.mark.proves("T-46")
@pytest.mark.parametrize("say", ["always", "chat"])
async def test_several_limits_of_one_answer_all_apply(
    sandbox: CommandSandbox, command: Command, say: str
) -> None:
    (approval,) = await ask_questions(sandbox, ["npm pack"])

    command("answer", approval.id, say, "--lasting", "2h", "--lasting", "5 uses")
    (grant,) = json.loads(command("grants", "list", "--json").out)["grants"]
    shown = command("grants", "list").out

    assert (grant["uses"], bool(grant["until"])) == (5, True)
    assert "until " in shown
    assert "5 uses left" in shown


async def test_a_rule_that_would_not_have_covered_the_call_is_refused(
    sandbox: CommandSandbox, command: Command
) -> None:
    (approval,) = await ask_questions(sandbox, ["npm pack"])

    ran = command("answer", approval.id, "always", "--rule", "Bash(git *)")

    assert ran.status == 2
    assert "Bash(git *)" in ran.err
    assert json.loads(command("pending", "--json").out)[0]["state"] == "pending"


async def test_a_question_that_is_answered_later_stays_pending(
    sandbox: CommandSandbox, command: Command
) -> None:
    (approval,) = await ask_questions(sandbox, ["npm pack"])

    ran = command("answer", approval.id, "later")

    assert (ran.status, ran.out) == (0, "later: Bash(npm pack)\n")
    assert json.loads(command("pending", "--json").out)[0]["id"] == approval.id


async def test_the_first_characters_of_an_id_are_enough_if_they_are_unique(
    sandbox: CommandSandbox, command: Command
) -> None:
    one, other = await ask_questions(sandbox, ["npm pack", "git push"])
    ran = command("answer", one.id[:6], "deny")

    assert ran.status == 0
    assert [found["id"] for found in json.loads(command("pending", "--json").out)] == [other.id]


async def test_an_empty_id_answers_nothing_even_if_there_is_only_one_question(
    sandbox: CommandSandbox, command: Command
) -> None:
    await ask_questions(sandbox, ["npm pack"])

    ran = command("answer", "", "once")

    told = "assent: the id is empty; `assent pending` lists the open questions\n"
    assert (ran.status, ran.out, ran.err) == (2, "", told)
    assert [found["state"] for found in json.loads(command("pending", "--json").out)] == ["pending"]


@pytest.mark.proves("R002-26")
async def test_an_unknown_or_answered_question_is_an_error_and_changes_nothing(
    sandbox: CommandSandbox, command: Command
) -> None:
    (approval,) = await ask_questions(sandbox, ["npm pack"])
    command("answer", approval.id, "deny")

    again = command("answer", approval.id, "once")
    unknown = command("answer", "0" * 32, "once")
    short = command("answer", "zz", "once")

    assert (again.status, unknown.status, short.status) == (2, 2, 2)
    assert "cannot be answered: it is denied by " in again.err
    assert unknown.err == f"assent: there is no approval `{'0' * 32}`\n"
    assert short.err == "assent: there is no open question `zz`\n"


@pytest.mark.supports("R002-28")
async def test_a_late_yes_to_a_withdrawn_question_grants_nothing(
    sandbox: CommandSandbox, command: Command
) -> None:
    async with open_gate_at(sandbox) as gate:
        approval = await ask_question(await begin_turn(gate))
        await gate.withdraw(approval.id)
    ran = command("answer", approval.id, "always")

    assert ran.status == 2
    assert "it is withdrawn" in ran.err
    assert command("grants", "list").err == "no grants or rules\n"


@pytest.mark.parametrize("word", ["perhaps", "", "ONCE "])
async def test_an_unknown_answer_word_answers_nothing(
    sandbox: CommandSandbox, command: Command, word: str
) -> None:
    (approval,) = await ask_questions(sandbox, ["npm pack"])

    ran = command("answer", approval.id, word)

    assert (ran.status, ran.out) == (2, "")
    assert json.loads(command("pending", "--json").out)[0]["state"] == "pending"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("once", "--rule", "Bash"), "--rule requires `always`"),
        (("deny", "--scope", "agent"), "--scope requires `always`"),
        (("once", "--lasting", "2h"), "--lasting requires `always` or `chat`"),
        (
            ("always", "--lasting", "2h", "--lasting", "3h"),
            "--lasting has two limits of the same kind: remove one",
        ),
        (("always", "--lasting", "0m"), "`until` is in the past"),
        (("always", "--lasting", "0 uses"), "`uses` is required: 1 or more"),
        (("once", "--reason", "x"), "--reason requires `deny`"),
        (
            ("always", "--lasting", "a while"),
            "--lasting `a while` must be `restart`, 30m, 2h, 7d or `5 uses`",
        ),
    ],
)
async def test_an_option_without_effect_is_an_error(
    sandbox: CommandSandbox, command: Command, words: tuple[str, ...], told: str
) -> None:
    (approval,) = await ask_questions(sandbox, ["npm pack"])

    ran = command("answer", approval.id, *words)

    assert (ran.status, ran.out, ran.err) == (2, "", f"assent: {told}\n")
    assert json.loads(command("pending", "--json").out)[0]["state"] == "pending"


async def test_json_output_is_the_answered_approval(sandbox: CommandSandbox, command: Command) -> None:
    (approval,) = await ask_questions(sandbox, ["npm pack"])

    found = json.loads(command("answer", approval.id, "once", "--json").out)

    assert (found["id"], found["state"], found["answer"]["say"]) == (approval.id, State.APPROVED, "once")


@pytest.mark.proves("T-10")
async def test_an_answered_call_is_shown_without_escape_sequences(
    sandbox: CommandSandbox, command: Command
) -> None:
    (approval,) = await ask_questions(sandbox, ["echo \x1b]0;owned\x07"])

    ran = command("answer", approval.id, "deny")

    assert ran.out == "denied: Bash(echo \\u001b]0;owned\\u0007)\n"


async def _wait_for_only_question(gate: Gate, waiting: asyncio.Task[Run | Refuse]) -> str:
    """Wait until a task has asked its question; return the id of the question."""

    async def find_question() -> str | None:
        assert not waiting.done(), await waiting
        found = (await gate.pending_approvals(LOCAL_PERSON)).approvals
        return found[0].id if found else None

    return await wait_until_async(find_question)


FORCE_PUSH = "git push --force origin main"


@pytest.mark.proves("T-49")
@pytest.mark.parametrize(
    ("command_line", "why"),
    [
        (FORCE_PUSH, "cannot be undone: overwrites what others pushed to `origin main`"),
        ("rm -rf ~/", "cannot be undone: removes `~/`"),
        ("echo hi >> .git/hooks/pre-commit", "always asks"),
    ],
    ids=["irreversible", "a catastrophe", "locked"],
)
async def test_a_call_that_needs_confirmation_is_not_allowed_without_it(
    sandbox: CommandSandbox, command: Command, command_line: str, why: str
) -> None:
    (approval,) = await ask_questions(sandbox, [command_line])

    ran = command("answer", approval.id, "once")

    assert (ran.status, ran.out) == (2, "")
    assert why in ran.err
    assert "--confirm" in ran.err
    assert command("answer", approval.id, "once", "--confirm").out.startswith("approved: ")


@pytest.mark.proves("T-49")
async def test_a_terminal_shows_the_whole_call_and_asks_for_a_typed_word(sandbox: CommandSandbox) -> None:
    wrong, right = await ask_questions(sandbox, [FORCE_PUSH, f"{FORCE_PUSH} other"])

    refused, shown = sandbox.run_at_terminal("answer", wrong.id, "once", typed="y\n")
    allowed, _ = sandbox.run_at_terminal("answer", right.id, "once", typed="allow\n")

    assert (refused, allowed) == (2, 0)
    assert FORCE_PUSH in shown
    assert "cannot be undone" in shown
    assert "not confirmed" in shown


async def test_a_denial_needs_no_confirmation(sandbox: CommandSandbox, command: Command) -> None:
    (approval,) = await ask_questions(sandbox, [FORCE_PUSH])

    assert command("answer", approval.id, "deny").status == 0


async def test_the_error_for_a_wrong_scope_lists_the_scopes_of_answers(sandbox: CommandSandbox) -> None:
    ran = await run_in_thread(sandbox, "answer", "abcd", "always", "--scope", "choice")

    assert ran.status != 0
    assert "'choice' is not one of 'conversation', 'agent', 'user', 'user-agent', 'everyone'" in ran.err
