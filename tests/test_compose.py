"""Tests of `open_gate`: the policy files apply, and no gate opens with an invalid policy."""

import getpass
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from assent.compose import local_person, open_gate, open_gate_on_store, open_store
from assent.config.layers import load_policy
from assent.config.paths import find_config_paths
from assent.config.policy_loader import PolicyLoader
from assent.config.projects import DiskWorkspace
from assent.config.repository import NO_TRUST
from assent.config.workspace import gather_facts
from assent.engine.base.tool import Call
from assent.engine.decide import decide
from assent.errors import AssentError, ConfigError, StoreError
from assent.gate import gate as gates
from assent.gate.access import Kind, Principal
from assent.gate.calls import Outcome, Refuse, Run, Wait
from assent.gate.gate import Gate, TurnOptions
from assent.stores.memory.store import MemoryStore
from tests.waiting import wait_until_async

ANA = Principal(id="ana")


class HomeDirectory:
    """A temporary home directory with a project, for one user."""

    def __init__(self, base: Path) -> None:
        self.project = base / "home/project"
        self.settings = base / "home/.config/assent"
        for directory in (self.project, self.settings):
            directory.mkdir(parents=True, mode=0o700)
        self.environ = {"XDG_CONFIG_HOME": str(base / "home/.config"), "XDG_DATA_HOME": str(base / "data")}

    def write_user_policy(self, text: str) -> None:
        file = self.settings / "config.toml"
        file.write_text(f"{text}\n")
        file.chmod(0o600)

    @asynccontextmanager
    async def open_project_gate(
        self, address: str = ":memory:", preset: str | None = None
    ) -> AsyncGenerator[Gate]:
        async with open_gate(address, cwd=str(self.project), environ=self.environ, preset=preset) as gate:
            yield gate

    async def submit_call(self, call: Call, preset: str | None = None) -> Outcome:
        async with self.open_project_gate(preset=preset) as gate:
            return await (await gate.begin(ANA, agent="clerk")).submit(call)


@pytest.fixture
def home_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HomeDirectory:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return HomeDirectory(tmp_path)


def bash_call(command: str) -> Call:
    return Call(tool="Bash", args={"command": command})


async def test_without_policy_files_the_shipped_preset_applies(home_directory: HomeDirectory) -> None:
    assert isinstance(await home_directory.submit_call(bash_call("ls")), Run)
    assert isinstance(await home_directory.submit_call(bash_call("make")), Wait)


@pytest.mark.parametrize(("mode", "expected"), [("plan", Refuse), ("default", Wait), ("auto", Run)])
async def test_a_conversation_starts_in_the_mode_of_the_policy_file(
    home_directory: HomeDirectory, mode: str, expected: type[Outcome]
) -> None:
    home_directory.write_user_policy(f'mode = "{mode}"')

    assert isinstance(await home_directory.submit_call(bash_call("make")), expected)


async def test_the_other_modes_of_the_preset_stay_available(home_directory: HomeDirectory) -> None:
    home_directory.write_user_policy('mode = "plan"')

    async with home_directory.open_project_gate() as gate:
        turn = await gate.begin(ANA, agent="clerk", options=TurnOptions(mode="auto"))
        assert turn.context.file_policy.preset.modes == ("plan", "default", "accept_edits", "auto")
        assert isinstance(await turn.submit(bash_call("make")), Run)


async def test_rules_tiers_and_tools_of_a_file_apply(home_directory: HomeDirectory) -> None:
    home_directory.write_user_policy(
        'deny = ["Bash(make *)"]\nallow = ["Bash(npm *)"]\n[tools.deploy]\neffect = "destructive"\n'
        '[tiers.clerk]\nWebFetch = "blocked"'
    )

    calls = [bash_call("make all"), bash_call("npm test"), Call(tool="deploy", args={})]
    calls.append(Call(tool="WebFetch", args={"url": "https://example.org"}))

    assert [type(await home_directory.submit_call(call)) for call in calls] == [Refuse, Run, Wait, Refuse]


@pytest.mark.proves("R004-6")
async def test_without_a_mode_a_tool_from_a_file_gets_a_tier_by_its_name(
    home_directory: HomeDirectory,
) -> None:
    home_directory.write_user_policy(
        'preset = "tiers"\n[tools.delete_user]\neffect = "write"\n[tools.list_users]\neffect = "write"'
    )

    found = [
        type(await home_directory.submit_call(Call(tool=name, args={})))
        for name in ("delete_user", "list_users")
    ]

    assert found == [Wait, Run]


async def test_the_fallback_of_a_file_overrides_that_of_the_preset(home_directory: HomeDirectory) -> None:
    home_directory.write_user_policy('preset = "tiers"\nfallback = "ask"')

    async with home_directory.open_project_gate() as gate:
        turn = await gate.begin(ANA, agent="clerk")
        assert turn.context.file_policy.preset.fallback.word == "ask"


async def test_a_requested_preset_is_combined_with_the_same_files(home_directory: HomeDirectory) -> None:
    home_directory.write_user_policy('deny = ["Bash(make *)"]')

    async with home_directory.open_project_gate(preset="fleet") as gate:
        turn = await gate.begin(ANA, agent="clerk")
        other = await gate.begin(ANA, agent="clerk", options=TurnOptions(preset="workbench"))

        assert (turn.context.file_policy.preset.name, other.context.file_policy.preset.name) == (
            "fleet",
            "workbench",
        )
        assert [type(await one.submit(bash_call("make all"))) for one in (turn, other)] == [Refuse, Refuse]


@pytest.mark.proves("R-13")
@pytest.mark.parametrize(
    "text", ["deny = [", 'deny = ["Bash("]', 'mode = "yolo"', 'denny = ["Bash"]', "sealed"]
)
async def test_with_an_invalid_policy_no_gate_opens(
    home_directory: HomeDirectory, text: str, tmp_path: Path
) -> None:
    home_directory.write_user_policy(text)
    database = tmp_path / "assent.db"

    with pytest.raises(AssentError):
        async with home_directory.open_project_gate(str(database)):
            pytest.fail("it opened")
    assert not database.exists()


@pytest.mark.proves("T-19")
async def test_with_a_policy_that_other_users_can_write_no_gate_opens(home_directory: HomeDirectory) -> None:
    home_directory.write_user_policy('allow = ["Bash"]')
    (home_directory.settings / "config.toml").chmod(0o666)

    with pytest.raises(ConfigError):
        async with home_directory.open_project_gate():
            pytest.fail("it opened")


async def test_a_link_that_leads_out_of_the_workspace_is_outside(
    home_directory: HomeDirectory, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("x")
    (home_directory.project / "inside.txt").write_text("x")
    (home_directory.project / "link").symlink_to(tmp_path / "secret")

    assert isinstance(await home_directory.submit_call(bash_call("cat inside.txt")), Run)
    assert isinstance(await home_directory.submit_call(bash_call("cat link")), Wait)


async def test_roots_that_a_file_adds_belong_to_the_workspace(
    home_directory: HomeDirectory, tmp_path: Path
) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared/notes.txt").write_text("x")
    call = bash_call(f"cat {tmp_path}/shared/notes.txt")
    before = await home_directory.submit_call(call)
    home_directory.write_user_policy(f'[workspace]\nroots = ["{tmp_path}/shared"]')

    assert isinstance(before, Wait)
    assert isinstance(await home_directory.submit_call(call), Run)


@pytest.mark.parametrize(
    "command", ["ls", "make all", "npm test", "rm -rf /", "cat /etc/shadow", "git push", "$X"]
)
async def test_the_gate_decides_like_a_check_with_the_same_policy(
    home_directory: HomeDirectory, command: str
) -> None:
    home_directory.write_user_policy(
        'deny = ["Bash(make *)"]\nask = ["Bash(npm *)"]\nallow = ["Bash(git push)"]\nmode = "auto"'
    )
    where = find_config_paths(str(home_directory.project), home_directory.environ)
    policy = load_policy(where, NO_TRUST, home_directory.environ)

    async with home_directory.open_project_gate() as gate:
        turn = await gate.begin(ANA, agent="clerk")
        judged = await gate._decider.decide(
            turn.context, replace(bash_call(command), agent="clerk", user="ana")
        )

    assert decide(judged.call, policy.snapshot("clerk"), judged.facts) == judged.decision


# ---- stores ---------------------------------------------------------------------------------


async def test_the_address_determines_the_kind_of_store(tmp_path: Path) -> None:
    memory, sqlite = await open_store(":memory:"), await open_store(str(tmp_path / "assent.db"))

    assert isinstance(memory, MemoryStore)
    assert (tmp_path / "assent.db").stat().st_mode & 0o777 == 0o600
    await sqlite.close()


async def test_if_the_extra_of_a_store_is_missing_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "assent.stores.postgres.database", None)
    monkeypatch.setitem(sys.modules, "assent.stores.sqlite.database", None)

    with pytest.raises(AssentError, match=r"pip install 'assent\[postgres\]'"):
        await open_store("postgresql://localhost/assent")
    with pytest.raises(AssentError, match=r"pip install 'assent\[gate\]'"):
        await open_store("assent.db")


async def test_a_database_in_a_missing_directory_is_a_store_error(
    home_directory: HomeDirectory, tmp_path: Path
) -> None:
    with pytest.raises(StoreError):
        async with home_directory.open_project_gate(str(tmp_path / "nowhere/assent.db")):
            pytest.fail("it opened")


async def test_the_store_is_closed_even_after_an_error(home_directory: HomeDirectory) -> None:
    with pytest.raises(ZeroDivisionError):
        async with home_directory.open_project_gate() as gate:
            raise ZeroDivisionError
    with pytest.raises(StoreError):
        await gate.store.moment()


def test_the_local_person_is_the_user_of_the_process() -> None:
    person = local_person()

    assert (person.id, person.kind, person.administrator) == (getpass.getuser(), Kind.PERSON, True)


async def test_arguments_are_stored_as_many_days_as_a_file_sets(
    home_directory: HomeDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gates, "HEARTBEAT_SECONDS", 0.001)
    home_directory.write_user_policy("keep_arguments_days = 7")
    told: list[timedelta | None] = []

    async def sweep(grace: timedelta, *, keep: timedelta | None = None) -> int:
        told.append(keep)
        return 0

    async with home_directory.open_project_gate() as gate:
        gate.store.sweep = sweep  # type: ignore[method-assign]
        await wait_until_async(lambda: told)

    assert told[0] == timedelta(days=7)


@pytest.mark.proves("T-14")
async def test_a_new_rule_applies_to_a_running_turn_and_a_new_mode_does_not(
    home_directory: HomeDirectory,
) -> None:
    home_directory.write_user_policy('mode = "auto"')
    where = find_config_paths(str(home_directory.project), home_directory.environ)
    files = PolicyLoader(where, home_directory.environ)
    async with open_gate_on_store(MemoryStore(), files, where) as gate:
        turn = await gate.begin(ANA, agent="clerk")
        before = await turn.submit(bash_call("make all"))
        home_directory.write_user_policy('mode = "plan"\ndeny = ["Bash(make *)"]')
        assert files.reload()
        after = [await turn.submit(bash_call("make all")), await turn.submit(bash_call("npm test"))]

    assert isinstance(before, Run)
    assert [type(outcome) for outcome in after] == [Refuse, Run]


async def test_roots_that_a_changed_file_adds_belong_to_the_workspace(
    home_directory: HomeDirectory, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "notes.txt").touch()
    where = find_config_paths(str(home_directory.project), home_directory.environ)
    files = PolicyLoader(where, home_directory.environ)
    async with open_gate_on_store(MemoryStore(), files, where) as gate:
        turn = await gate.begin(ANA, agent="clerk")
        before = await turn.submit(bash_call(f"cat {outside}/notes.txt"))
        home_directory.write_user_policy(f'[workspace]\nroots = ["{outside}"]')
        assert files.reload()
        after = await turn.submit(bash_call(f"cat {outside}/notes.txt"))

    assert (type(before), type(after)) == (Wait, Run)


@pytest.mark.parametrize("wanted", [(), ("/etc/hostname",)])
async def test_facts_of_the_workspace_equal_facts_gathered_from_disk(
    home_directory: HomeDirectory, wanted: tuple[str, ...]
) -> None:
    where = find_config_paths(str(home_directory.project), home_directory.environ)
    files = PolicyLoader(where, home_directory.environ)
    workspace = DiskWorkspace(where, files)
    where_called = await workspace.locate(Call(tool="terminal.exec", args={}))

    assert await workspace.facts(where_called, wanted) == gather_facts(
        where_called.directories, wanted, trusts=files.trust.trusts_directory
    )
