"""`assent pause` stops every agent from another process, and `assent unpause` lets them go on."""

import json

from assent.client.local_server import LocalServer, write_local_server
from assent.engine.policy.rule import RuleList
from assent.engine.verdict import Stage
from assent.gate.outcome import Run, Wait
from assent.gate.stored_policy import StoredRule
from tests.cli.asking import ME, a_call, a_turn, gate_at, run
from tests.cli.running import Command, Place

PUBLISH = StoredRule(id="r1", list=RuleList.ALLOW, text="Bash(npm pack)", by="")


async def test_what_another_process_pauses_waits_until_it_is_over(place: Place) -> None:
    async with gate_at(place) as gate:
        await gate.policy.add_rule(ME, PUBLISH)
        turn = await a_turn(gate)
        paused = await run(place, "pause")
        held = await turn.submit(a_call(id="held"))
        switch = await gate.pause_state(ME)
        over = await run(place, "unpause")
        after = await turn.submit(a_call(id="after"))

    assert (paused.status, paused.out, paused.err) == (0, "every agent is paused: only reads run\n", "")
    assert (over.status, over.out, over.err) == (0, "agents go on\n", "")
    assert isinstance(held, Wait)
    assert held.approval.decision.stage is Stage.PAUSED
    assert switch is not None
    assert switch.by == ME.id
    assert isinstance(after, Run)


async def test_programs_are_told_what_counts_now(place: Place, command: Command) -> None:
    async with gate_at(place):
        pass

    assert json.loads(command("pause", "--json").out) == {"paused": True}
    assert json.loads(command("unpause", "--json").out) == {"paused": False}


async def test_who_may_have_meant_their_server_is_told_which_database_it_was(place: Place) -> None:
    async with gate_at(place):
        pass
    data = place.home / ".local" / "share" / "assent"
    data.mkdir(mode=0o700, parents=True)
    served = str(data / "assent.db")
    write_local_server(
        str(data), LocalServer(url="http://127.0.0.1:1", database=served, token_file="", pid=1)
    )

    guessed = await run(place, "pause")
    said = await run(place, "pause", "--database", "assent.db")

    assert guessed.out == said.out == "every agent is paused: only reads run\n"
    assert guessed.err == (
        f"assent: this is about assent.db in this directory; for your server add --database {served}\n"
    )
    assert said.err == ""
