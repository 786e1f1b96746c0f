"""Messages and progress of a fleet survive a restart; each agent reads a message once."""

import os
from pathlib import Path

import pytest

from assent.hosts.claude.fleet_state import FILE_NAME, AgentRecord, FleetState


def read_message_texts(state: FleetState, agent: str, after: int | None = None) -> list[str]:
    return [f"{one.sender}: {one.content}" for one in state.take_messages(agent, after)]


def test_a_message_reaches_its_recipient_once_and_a_broadcast_everybody_else(tmp_path: Path) -> None:
    state = FleetState(str(tmp_path / "state"))
    state.add_message("archie", "qa", "test it")
    state.add_message("archie", "broadcast", "hello")

    assert read_message_texts(state, "qa") == ["archie: test it", "archie: hello"]
    assert read_message_texts(state, "qa") == []
    assert read_message_texts(state, "qa", after=0) == ["archie: test it", "archie: hello"]
    assert read_message_texts(state, "web") == ["archie: hello"]
    assert read_message_texts(state, "archie") == []


def test_everything_survives_a_restart(tmp_path: Path) -> None:
    state = FleetState(str(tmp_path))
    state.add_message("archie", "qa", "one")
    state.take_messages("qa")
    state.add_message("archie", "qa", "two")
    state.save(AgentRecord(id="qa", role="qa", session="s"))
    state.change("qa", progress={"next_steps": "more"}, status="working")
    state.change("nobody", status="working")
    state.count_always("Bash(npm test)")
    state.close()

    again = FleetState(str(tmp_path))

    assert read_message_texts(again, "qa") == ["archie: two"]
    record = AgentRecord(id="qa", role="qa", session="s", status="working", progress={"next_steps": "more"})
    assert (again.agent_record("qa"), again.records(), again.agent_record("web")) == (record, [record], None)
    assert again.count_always("Bash(npm test)") == 2


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    FleetState(str(tmp_path / "state")).close()

    assert (tmp_path / "state" / FILE_NAME).stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700
