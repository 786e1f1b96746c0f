"""A fleet with a small program in place of Claude Code: starts, ends, messages and a restart."""

import json
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from assent.errors import AssentError, InputError
from assent.hosts.claude.fleet_host import ALWAYS_HINT, LEAD_PROMPT, NEW_MESSAGES_PROMPT
from tests.hosts.claude.running_fleet import FLEET, RunningFleet, make_repository, run_fleet
from tests.hosts.claude.test_agent_calls import hook_event, send_hook_event
from tests.serving import RunningServer
from tests.waiting import wait_until_async


@pytest.fixture
def fleet(
    fleet_server: RunningServer, repository: Path, tmp_path: Path
) -> AbstractAsyncContextManager[RunningFleet]:
    return run_fleet(fleet_server, repository, tmp_path)


async def wait_for_launches(fleet: RunningFleet, count: int) -> list[tuple[list[str], str, str]]:
    """The command lines, directories and secrets of the clients that have started."""

    def read_launches() -> list[tuple[list[str], str, str]] | None:
        lines = fleet.log.read_text().splitlines() if fleet.log.exists() else []
        return [tuple(json.loads(line)) for line in lines] if len(lines) >= count else None

    return await wait_until_async(read_launches)


async def test_each_agent_starts_in_its_own_worktree_with_its_own_secret(fleet: RunningFleet) -> None:
    spawned = await fleet.host.spawn("qa", "write tests", "Use pytest.", skip=False)

    lead, qa = sorted(await wait_for_launches(fleet, 2), key=lambda one: one[1])
    assert spawned == {
        "agent_id": "qa",
        "worktree_path": str(fleet.root / ".worktrees" / "qa"),
        "skip_permissions": False,
        "status": "spawning",
    }
    assert (lead[1], qa[1]) == (str(fleet.root / ".worktrees" / "archie"), spawned["worktree_path"])
    assert (lead[2], qa[2]) == (fleet.secret("archie"), fleet.secret("qa"))
    assert lead[0][-1] == f"{LEAD_PROMPT}\n\nShop\n\nA shop"
    assert "write tests\n\nUse pytest." in qa[0][-1]
    assert fleet.secret("qa") not in json.dumps([lead[0], qa[0]])
    config = Path(qa[0][qa[0].index("--mcp-config") + 1])
    assert config.is_absolute()
    assert fleet.secret("qa") not in config.read_text()
    assert config.stat().st_mode & 0o777 == 0o600
    with pytest.raises(InputError, match="`qa` has 1 instances already"):
        await fleet.host.spawn("qa", "more", "", skip=False)


@pytest.mark.proves("R002-32")
async def test_without_a_working_mcp_server_no_agent_starts(
    fleet_server: RunningServer, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assent.hosts.claude.fleet_tools.FleetTools.offered_to", lambda *_: [])

    with pytest.raises(AssentError, match="has no `handle_permission_request`; no agent was started"):
        async with run_fleet(fleet_server, repository, tmp_path):
            pass

    assert not (tmp_path / "clients.log").exists()


async def test_an_agent_that_has_ended_is_continued_once_for_a_new_message(fleet: RunningFleet) -> None:
    await wait_for_launches(fleet, 1)
    fleet.state.add_message("qa", "archie", "look")
    fleet.stay.unlink()

    await fleet.host.done.wait()

    lines = await wait_for_launches(fleet, 2)
    assert (len(lines), fleet.reports.count("archie ended")) == (2, 2)
    (first, *_), (second, *_) = lines
    assert second[-1] == NEW_MESSAGES_PROMPT
    assert second[second.index("--resume") + 1] == first[first.index("--session-id") + 1]
    record = fleet.state.agent_record("archie")
    assert record is not None
    assert (record.tokens, record.cost, record.status) == (10, 1.0, "idle")
    assert fleet.host.records() == [record]


async def test_progress_and_messages_survive_a_restart(
    fleet_server: RunningServer, repository: Path, tmp_path: Path
) -> None:
    async with run_fleet(fleet_server, repository, tmp_path) as fleet:
        fleet.state.change("archie", progress={"progress": "half of it"})
        fleet.state.add_message("qa", "archie", "look")
        await wait_for_launches(
            fleet, 1
        )  # a client that is ended before it wrote its line would never be counted
    async with run_fleet(fleet_server, repository, tmp_path) as fleet:
        lines = await wait_for_launches(fleet, 2)
        assert [one.content for one in fleet.state.take_messages("archie")] == ["look"]

    assert "half of it" in lines[1][0][-1]


async def test_a_teardown_ends_the_process_and_removes_the_worktree(fleet: RunningFleet) -> None:
    await fleet.host.spawn("qa", "test", "", skip=False)
    secret = fleet.secret("qa")

    done = await fleet.host.teardown("qa", "not needed")

    assert done == {"ok": True, "worktree_removed": True}
    assert not (fleet.root / ".worktrees" / "qa").exists()
    assert fleet.host.agent_with_secret(secret) is None
    record = fleet.state.agent_record("qa")
    assert record is not None
    assert record.status == "ended: not needed"


async def test_the_third_always_prints_the_line_for_the_file(fleet: RunningFleet) -> None:
    before = len(fleet.reports)
    for _ in range(ALWAYS_HINT + 1):
        fleet.host._count_always("archie", "Bash(npm test)")

    assert fleet.reports[before:] == [
        "you answered always to `Bash(npm test)` 3 times; to keep it, add this line to"
        f' permissions.allowed_tools of `archie` in {fleet.root / "fleet.yaml"}:\n        - "Bash(npm test)"'
    ]


def read_event(fleet: RunningFleet, agent: str, name: str) -> dict[str, object]:
    directory = fleet.host._find_agent(agent).calling.directory
    args = {"file_path": str(Path(directory, name))}
    return hook_event(fleet, "", f"read-{agent}", cwd=directory, tool_name="Read", tool_input=args)


@pytest.mark.supports("R002-2")
async def test_where_the_server_works_elsewhere_the_repository_is_a_workspace_while_the_agents_run(
    fleet_server: RunningServer, tmp_path: Path
) -> None:
    other, apart = tmp_path / "other", tmp_path / "apart"
    make_repository(other, FLEET + f"  - {{id: apart, persona: qa.md, directory: {apart}}}\n")
    make_repository(apart)
    async with run_fleet(fleet_server, other, tmp_path) as fleet:
        await fleet.host.spawn("apart", "test", "", skip=False)
        decided = [
            await send_hook_event(fleet, read_event(fleet, agent, "a.txt"), agent)
            for agent in ("archie", "apart")
        ]
        during = {(one.agent, one.root, one.remote) for one in fleet.owner.workspaces()}
    with fleet_server.client() as owner:
        after = owner.workspaces()

    assert decided == [(200, "allow"), (200, "allow")]
    assert during == {("archie", str(other), False), ("apart", str(apart), False)}
    assert after == []
    assert list(other.glob(".assent-proof-*")) == []


async def test_a_repository_that_is_a_workspace_already_is_not_registered(fleet: RunningFleet) -> None:
    assert fleet.owner.workspaces() == []
    assert await send_hook_event(fleet, read_event(fleet, "archie", "a.txt")) == (200, "allow")


async def test_a_directory_that_may_be_no_workspace_is_told(
    fleet_server: RunningServer, tmp_path: Path
) -> None:
    # The directory of the server's own policy files may not be one.
    forbidden = fleet_server.data.parents[1] / "config" / "assent"
    make_repository(
        tmp_path / "other", FLEET + f"  - {{id: apart, persona: qa.md, directory: {forbidden}}}\n"
    )
    async with run_fleet(fleet_server, tmp_path / "other", tmp_path) as fleet:
        await fleet.host.spawn("apart", "test", "", skip=False)
        asked = await send_hook_event(fleet, read_event(fleet, "apart", "config.toml"), "apart")

    assert asked == (200, "ask")
    (told,) = [text for text in fleet.reports if "it is no workspace" in text]
    assert told.startswith(f"reads of apart in {forbidden} ask")
