"""`assent pending` lists what waits for a person, from a process of its own."""

import json

import pytest

from tests.cli.asking import ME, a_turn, ask, gate_at, left, run
from tests.cli.running import Command, Place

ESCAPES = "echo \x1b]0;owned\x07 \x1b]52;c;aGk=\x07 \x9b31m \u202e"


@pytest.mark.proves("R002-27")
async def test_the_questions_of_several_agents_are_listed_oldest_first(place: Place) -> None:
    async with gate_at(place) as gate:
        first = await ask(await a_turn(gate, "clerk"), "npm pack")
        second = await ask(await a_turn(gate, "scout"), "git push", "call-2")
        ran = await run(place, "pending")

    assert (ran.status, ran.err) == (0, "")
    assert [line.split()[0] for line in ran.lines if not line.startswith(" ")] == [
        first.id[:8],
        second.id[:8],
    ]
    assert [line.split()[-1] for line in ran.lines if not line.startswith(" ")] == ["clerk", "scout"]


async def test_a_question_says_who_wants_what_and_why_it_asks_and_what_always_would_write(
    place: Place, command: Command
) -> None:
    await left(place, ["npm pack"])

    ran = command("pending")

    assert [line.strip() for line in ran.lines[1:]] == [
        "Bash(npm pack)",
        "default mode asks before running commands",
        "always would allow Bash(npm pack)",
    ]


async def test_a_question_that_nothing_lifts_offers_no_always(place: Place, command: Command) -> None:
    await left(place, ["rm -rf /"])

    assert "always would allow" not in command("pending").out


@pytest.mark.proves("R002-29")
async def test_a_long_command_is_cut_the_cut_is_marked_and_json_has_it_whole(
    place: Place, command: Command
) -> None:
    written = "npm pack " + "x" * 5000 + " --tag last"
    await left(place, [written])

    shown = command("pending").lines[1]
    whole = json.loads(command("pending", "--json").out)[0]["call"]["args"]["command"]

    assert len(shown) < 400
    assert "more characters" in shown
    assert shown.endswith("--tag last)")
    assert whole == written


@pytest.mark.proves("T-10")
@pytest.mark.parametrize("words", [("pending",), ("pending", "--json")])
async def test_nothing_that_an_agent_wrote_reaches_the_terminal_as_an_escape(
    place: Place, command: Command, words: tuple[str, ...]
) -> None:
    await left(place, [ESCAPES])

    ran = command(*words)

    assert ran.status == 0
    assert "\\u001b" in ran.out
    assert [character for character in ran.out if not character.isprintable() and character != "\n"] == []


async def test_what_was_put_off_says_so(place: Place, command: Command) -> None:
    async with gate_at(place) as gate:
        approval = await ask(await a_turn(gate))
        await gate.postpone(ME, approval.id)

    assert command("pending").lines[0].endswith("clerk  later")


async def test_where_nothing_waits_it_says_so_and_prints_nothing(place: Place, command: Command) -> None:
    async with gate_at(place):
        pass

    ran, as_json = command("pending"), command("pending", "--json")

    assert (ran.status, ran.out, ran.err) == (0, "", "nothing waits for you\n")
    assert (as_json.status, json.loads(as_json.out), as_json.err) == (0, [], "")


def test_where_there_is_no_database_it_says_how_to_name_one(place: Place, command: Command) -> None:
    ran = command("pending")

    assert (ran.status, ran.out) == (2, "")
    assert "there is no database" in ran.err
    assert "--database or $ASSENT_DATABASE" in ran.err
    assert not (place.home / ".local").exists()


@pytest.mark.proves("T-49")
async def test_what_cannot_be_undone_is_said(place: Place, command: Command) -> None:
    await left(place, ["kubectl delete namespace prod"])

    assert "    cannot be undone: deletes the namespace `prod`" in command("pending").lines
