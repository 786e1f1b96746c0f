"""Tests of registered workspaces on disk: which one contains a call, and whose policy applies there."""

import os
import shutil
import subprocess
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

from assent.compose import open_gate
from assent.config.files import read_source
from assent.config.repository import find_repository, load_trust, save_trust
from assent.config.workspace_roots import write_proof
from assent.engine.base.tool import Call
from assent.engine.policy.verdict import Verdict
from assent.errors import ForbiddenError, InputError
from assent.gate.access import Kind, Principal
from assent.gate.calls import DecidedCall, Refuse, Run, Wait
from assent.gate.gate import Gate, TurnOptions
from assent.gate.workspaces import RegisteredWorkspace, RootProof, WantedRoot

ANA = Principal(id="ana")
ADA = Principal(id="ada", administrator=True)
RUN, ASK, DENY = Verdict.RUN, Verdict.ASK, Verdict.DENY


class WorkspaceDisk:
    """A server's own project, other projects beside it, and the user's files."""

    def __init__(self, base: Path) -> None:
        self.base = Path(os.path.realpath(base))
        self.own = self.project("own")
        self.data = self.base / "data"
        (self.data / "assent").mkdir(parents=True, mode=0o700)
        self.config = self.base / "config/assent"
        self.config.mkdir(parents=True, mode=0o700)
        self.environ = {"XDG_CONFIG_HOME": str(self.base / "config"), "XDG_DATA_HOME": str(self.data)}
        (self.base / "home").mkdir()

    def project(self, name: str) -> Path:
        path = self.base / "work" / name
        path.mkdir(parents=True)
        return path

    def write_policy(self, project: Path, text: str, *, trusted: bool = False) -> None:
        (project / ".assent").mkdir(exist_ok=True)
        file = project / ".assent/config.toml"
        # A new file each time: its inode shows the change even if the clock stands still.
        file.unlink(missing_ok=True)
        file.write_text(text + "\n")
        if trusted:
            trust_file = str(self.data / "assent/trust.json")
            digest = read_source(str(file)).digest
            save_trust(trust_file, load_trust(trust_file).with_file(str(file), digest))

    def trust_repository(self, project: Path) -> None:
        trust_file = str(self.data / "assent/trust.json")
        repository = find_repository(str(project))
        assert repository is not None
        save_trust(trust_file, load_trust(trust_file).with_repository(repository))

    def write_user_policy(self, text: str) -> None:
        file = self.config / "config.toml"
        file.write_text(text + "\n")
        file.chmod(0o600)

    @asynccontextmanager
    async def gate(self, address: str) -> AsyncGenerator[Gate]:
        async with open_gate(address, cwd=str(self.own), environ=self.environ) as gate:
            yield gate


@pytest.fixture
def disk_setup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WorkspaceDisk:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return WorkspaceDisk(tmp_path)


@pytest.fixture(params=["memory", "sqlite"])
def gate(request: pytest.FixtureRequest, disk_setup: WorkspaceDisk) -> AbstractAsyncContextManager[Gate]:
    return disk_setup.gate(":memory:" if request.param == "memory" else str(disk_setup.base / "assent.db"))


@pytest.fixture
def memory_gate(disk_setup: WorkspaceDisk) -> AbstractAsyncContextManager[Gate]:
    return disk_setup.gate(":memory:")


async def register_workspace(gate: Gate, root: Path | str, agent: str = "") -> RegisteredWorkspace:
    """Register a local workspace, as the command does."""
    with write_proof(str(root)) as proof:
        return await gate.workspaces.add(ADA, agent, WantedRoot(str(root), proof))


async def decide(
    gate: Gate, command: str, cwd: Path | str = "", *, agent: str = "clerk", mode: str | None = None
) -> DecidedCall:
    call = Call(tool="Bash", args={"command": command}, agent=agent, cwd=str(cwd))
    return await gate.decide(ANA, call, options=TurnOptions(mode=mode))


async def verdict_of(gate: Gate, command: str, cwd: Path | str = "", **options: str) -> Verdict:
    return (await decide(gate, command, cwd, **options)).decision.verdict  # type: ignore[arg-type]


async def edit_verdict(gate: Gate, cwd: Path, path: str = "a.txt", *, mode: str = "accept_edits") -> Verdict:
    call = Call(
        tool="Write", args={"file_path": str(cwd / path), "content": "x"}, agent="clerk", cwd=str(cwd)
    )
    return (await gate.decide(ANA, call, options=TurnOptions(mode=mode))).decision.verdict


# ---- a registered workspace is a workspace ------------------------------------------------------


async def test_a_read_in_another_project_asks_until_a_person_registers_it(
    gate: Gate, disk_setup: WorkspaceDisk
) -> None:
    other = disk_setup.project("other")
    (other / "notes.txt").write_text("x")
    before = await verdict_of(gate, "cat notes.txt", other), await edit_verdict(gate, other)

    await register_workspace(gate, other)

    assert before == (ASK, ASK)
    assert (await verdict_of(gate, "cat notes.txt", other), await edit_verdict(gate, other)) == (RUN, RUN)
    assert await verdict_of(gate, "cat notes.txt", disk_setup.project("third")) is ASK


async def test_a_workspace_of_one_agent_counts_for_this_agent_only(
    gate: Gate, disk_setup: WorkspaceDisk
) -> None:
    other = disk_setup.project("other")
    await register_workspace(gate, other, agent="clerk")

    assert await verdict_of(gate, "ls", other, agent="clerk") is RUN
    assert await verdict_of(gate, "ls", other, agent="cook") is ASK


async def test_a_removed_workspace_counts_no_longer(gate: Gate, disk_setup: WorkspaceDisk) -> None:
    other = disk_setup.project("other")
    added = await register_workspace(gate, other)
    await verdict_of(gate, "ls", other)

    await gate.workspaces.remove(ADA, "", added.root)

    assert await verdict_of(gate, "ls", other) is ASK


async def test_a_directory_that_the_model_changed_to_is_not_covered_by_allow_rules(
    memory_gate: Gate, disk_setup: WorkspaceDisk
) -> None:
    disk_setup.write_user_policy('allow = ["Bash(make *)"]')
    other, outside = disk_setup.project("other"), disk_setup.project("outside")
    async with disk_setup.gate(":memory:") as gate:
        await register_workspace(gate, other)

        assert await verdict_of(gate, "make all", other) is RUN
        assert await verdict_of(gate, "make all", outside) is ASK
        assert await verdict_of(gate, "make all", other / ".." / "outside") is ASK


# ---- whose policy applies -----------------------------------------------------------------------


async def test_opposite_rules_of_two_projects_never_mix(gate: Gate, disk_setup: WorkspaceDisk) -> None:
    left, right = disk_setup.project("left"), disk_setup.project("right")
    disk_setup.write_policy(left, 'deny = ["Bash(make *)"]\nallow = ["Bash(touch *)"]', trusted=True)
    disk_setup.write_policy(right, 'allow = ["Bash(make *)"]\ndeny = ["Bash(touch *)"]', trusted=True)
    await register_workspace(gate, left)
    await register_workspace(gate, right)

    for _ in range(3):
        assert await verdict_of(gate, "make all", left) is DENY
        assert await verdict_of(gate, "make all", right) is RUN
        assert await verdict_of(gate, "touch a", right) is DENY
        assert await verdict_of(gate, "touch a", left) is RUN
        assert await verdict_of(gate, "make all") is ASK

    # The two files are swapped; the next call is decided with the new ones.
    disk_setup.write_policy(left, 'allow = ["Bash(make *)"]', trusted=True)
    disk_setup.write_policy(right, 'deny = ["Bash(make *)"]', trusted=True)
    for _ in range(3):
        assert await verdict_of(gate, "make all", right) is DENY
        assert await verdict_of(gate, "make all", left) is RUN
        assert await verdict_of(gate, "touch a", right) is ASK
        assert await verdict_of(gate, "touch a", left) is ASK


async def test_rules_do_not_mix_in_one_conversation_that_moves_between_projects(
    gate: Gate, disk_setup: WorkspaceDisk
) -> None:
    left, right = disk_setup.project("left"), disk_setup.project("right")
    disk_setup.write_policy(left, 'mode = "auto"\nallow = ["Bash(make *)"]', trusted=True)
    disk_setup.write_policy(right, 'mode = "plan"')
    await register_workspace(gate, left)
    await register_workspace(gate, right)
    options = TurnOptions(claimed=True)
    agent = Principal(id="clerk", kind=Kind.AGENT, on_behalf="ana")

    async def submit(cwd: Path, id: str) -> type:
        turn = await gate.begin(agent, conversation="c1", agent="clerk", options=options, cwd=str(cwd))
        call = Call(tool="Bash", args={"command": "make all"}, id=id, cwd=str(cwd))
        return type(await turn.submit(call))

    assert await submit(left, "1") is Run
    assert await submit(right, "2") is Refuse
    assert await submit(disk_setup.own, "3") is Wait
    assert await submit(left, "4") is Run


async def test_a_turn_that_moves_to_another_project_gets_no_wider_mode_there(
    gate: Gate, disk_setup: WorkspaceDisk
) -> None:
    loose, strict = disk_setup.project("loose"), disk_setup.project("strict")
    disk_setup.write_policy(loose, 'mode = "auto"', trusted=True)
    await register_workspace(gate, loose)
    await register_workspace(gate, strict)
    turn = await gate.begin(ANA, agent="clerk", cwd=str(loose))

    async def submit(cwd: Path, id: str) -> type:
        return type(await turn.submit(Call(tool="Bash", args={"command": "make"}, id=id, cwd=str(cwd))))

    assert (await submit(loose, "1"), await submit(strict, "2"), await submit(loose, "3")) == (Run, Wait, Run)


async def test_the_preset_of_a_project_does_not_reach_another_one(
    gate: Gate, disk_setup: WorkspaceDisk
) -> None:
    loose, strict = disk_setup.project("loose"), disk_setup.project("strict")
    disk_setup.write_policy(loose, 'preset = "tiers"', trusted=True)
    await register_workspace(gate, loose)
    await register_workspace(gate, strict)

    async def preset_in(cwd: Path) -> str:
        turn = await gate.begin(ANA, agent="clerk", conversation="c1", cwd=str(cwd))
        return turn.context.file_policy.preset.name

    assert (await preset_in(loose), await preset_in(strict)) == ("assent", "assent")


async def test_a_person_may_choose_a_wider_mode_than_the_project_has(
    gate: Gate, disk_setup: WorkspaceDisk
) -> None:
    other = disk_setup.project("other")
    await register_workspace(gate, other)

    assert await edit_verdict(gate, other, mode="accept_edits") is RUN
    assert await edit_verdict(gate, other, mode="default") is ASK


async def test_an_untrusted_file_only_tightens(gate: Gate, disk_setup: WorkspaceDisk) -> None:
    other = disk_setup.project("other")
    disk_setup.write_policy(other, 'mode = "auto"\nallow = ["Bash(make *)"]\ndeny = ["Bash(touch *)"]')
    await register_workspace(gate, other)
    before = await verdict_of(gate, "make all", other), await verdict_of(gate, "touch a", other)

    text = (other / ".assent/config.toml").read_text().rstrip()
    disk_setup.write_policy(other, text, trusted=True)
    trusted = await verdict_of(gate, "make all", other), await verdict_of(gate, "touch a", other)
    disk_setup.write_policy(other, text + "\n# changed")

    assert before == (ASK, DENY)
    assert trusted == (RUN, DENY)
    assert await verdict_of(gate, "make all", other) is ASK


async def test_the_file_of_the_servers_own_project_does_not_count_in_another_one(
    gate: Gate, disk_setup: WorkspaceDisk
) -> None:
    disk_setup.write_policy(disk_setup.own, 'allow = ["Bash(make *)"]', trusted=True)
    other = disk_setup.project("other")
    async with disk_setup.gate(":memory:") as fresh:
        await register_workspace(fresh, other)

        assert (await verdict_of(fresh, "make all"), await verdict_of(fresh, "make all", other)) == (RUN, ASK)


async def test_the_users_deny_rules_count_in_every_workspace(
    memory_gate: Gate, disk_setup: WorkspaceDisk
) -> None:
    disk_setup.write_user_policy('deny = ["Bash(make *)"]')
    other = disk_setup.project("other")
    disk_setup.write_policy(other, 'allow = ["Bash(make *)"]', trusted=True)
    async with disk_setup.gate(":memory:") as gate:
        await register_workspace(gate, other)
        await gate.workspaces.add(ADA, "", WantedRoot("/srv/elsewhere"))

        assert await verdict_of(gate, "make all", other) is DENY
        assert await verdict_of(gate, "make all", "/srv/elsewhere") is DENY


async def test_an_invalid_policy_file_makes_the_workspace_count_as_not_registered(
    memory_gate: Gate, disk_setup: WorkspaceDisk
) -> None:
    other = disk_setup.project("other")
    disk_setup.write_policy(other, "this is no TOML")
    await register_workspace(memory_gate, other)
    broken = await verdict_of(memory_gate, "ls", other)

    disk_setup.write_policy(other, 'deny = ["Bash(make *)"]')
    mended = await verdict_of(memory_gate, "ls", other), await verdict_of(memory_gate, "make all", other)
    disk_setup.write_policy(other, "broken again")

    assert (broken, mended) == (ASK, (RUN, DENY))
    # The last valid policy stays in effect, as in the server's own project.
    assert await verdict_of(memory_gate, "make all", other) is DENY


async def test_a_repository_is_trusted_in_its_own_workspace(
    memory_gate: Gate, disk_setup: WorkspaceDisk
) -> None:
    other = disk_setup.project("other")
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    await register_workspace(memory_gate, other)
    before = (await decide(memory_gate, "git log", other)).facts.trusted_repository

    disk_setup.trust_repository(other)
    after = await decide(memory_gate, "git log", other)

    assert (before, after.facts.trusted_repository, after.decision.verdict) == (False, True, RUN)


async def test_the_workspace_of_a_sub_agent_is_that_of_its_outermost_agent(
    gate: Gate, disk_setup: WorkspaceDisk
) -> None:
    other, third = disk_setup.project("other"), disk_setup.project("third")
    await register_workspace(gate, other, agent="lead")
    await register_workspace(gate, third, agent="helper")
    lead = await gate.begin(ANA, agent="lead", conversation="c1")
    helper = await gate.begin(ANA, agent="helper", parent=lead)

    async def submit(cwd: Path, id: str) -> type:
        return type(await helper.submit(Call(tool="Bash", args={"command": "ls"}, id=id, cwd=str(cwd))))

    assert (await submit(other, "1"), await submit(third, "2")) == (Run, Wait)


# ---- hostile directories ------------------------------------------------------------------------


async def test_the_deepest_root_counts(gate: Gate, disk_setup: WorkspaceDisk) -> None:
    outer = disk_setup.project("outer")
    inner = disk_setup.project("outer/inner")
    disk_setup.write_policy(outer, 'deny = ["Bash(make *)"]')
    disk_setup.write_policy(inner, 'allow = ["Bash(make *)"]', trusted=True)
    await register_workspace(gate, outer)
    await register_workspace(gate, inner)
    (inner / "sub").mkdir()

    assert await verdict_of(gate, "make all", outer) is DENY
    assert await verdict_of(gate, "make all", inner / "sub") is RUN
    assert await verdict_of(gate, "make all", inner / ".." / "inner") is RUN
    assert await verdict_of(gate, "make all", inner / "..") is DENY
    assert await verdict_of(gate, "cat ../secret", inner) is ASK


async def test_the_servers_own_project_inside_a_registered_root_stays_itself(
    gate: Gate, disk_setup: WorkspaceDisk
) -> None:
    disk_setup.write_policy(disk_setup.base / "work", 'deny = ["Bash(ls *)", "Bash(ls)"]')
    await register_workspace(gate, disk_setup.base / "work")
    other = disk_setup.project("other")

    assert (await verdict_of(gate, "ls", disk_setup.own), await verdict_of(gate, "ls", other)) == (RUN, DENY)


async def test_the_links_of_a_root_are_resolved_at_registration(
    gate: Gate, disk_setup: WorkspaceDisk
) -> None:
    other = disk_setup.project("other")
    link = disk_setup.base / "link"
    link.symlink_to(other)

    added = await register_workspace(gate, link)

    assert added.root == str(other)
    assert (await verdict_of(gate, "ls", other), await verdict_of(gate, "ls", link)) == (RUN, RUN)
    link.unlink()
    link.symlink_to("/etc")
    assert await verdict_of(gate, "ls", link) is ASK


async def test_a_root_that_became_a_link_counts_no_longer(gate: Gate, disk_setup: WorkspaceDisk) -> None:
    other, evil = disk_setup.project("other"), disk_setup.project("evil")
    disk_setup.write_policy(other, 'allow = ["Bash(make *)"]', trusted=True)
    await register_workspace(gate, other)
    before = await verdict_of(gate, "make all", other)

    shutil.rmtree(other)
    removed = await verdict_of(gate, "make all", other)
    other.symlink_to(evil)

    assert (before, removed) == (RUN, ASK)
    assert await verdict_of(gate, "make all", other) is ASK
    assert await verdict_of(gate, "ls", evil) is ASK


async def test_a_link_that_leaves_the_root_is_outside(gate: Gate, disk_setup: WorkspaceDisk) -> None:
    other = disk_setup.project("other")
    await register_workspace(gate, other)
    (other / "out").symlink_to("/etc")

    assert await verdict_of(gate, "ls", other / "out") is ASK
    assert await verdict_of(gate, "cat out/passwd", other) is ASK
    assert await verdict_of(gate, "ls", "/proc/self/cwd") is ASK


@pytest.mark.parametrize("cwd", ["{root}/missing", "{root}/file", "{root}\\sub", "{root}x"])
async def test_a_directory_that_is_not_really_in_the_root_is_outside(
    gate: Gate, disk_setup: WorkspaceDisk, cwd: str
) -> None:
    other = disk_setup.project("other")
    (other / "file").write_text("x")
    await register_workspace(gate, other)

    assert (await decide(gate, "ls", cwd.format(root=other))).where.root == ""


# ---- remote workspaces --------------------------------------------------------------------------


async def test_a_remote_path_is_never_looked_up_on_this_disk(
    gate: Gate, disk_setup: WorkspaceDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The same path is a directory here, with a policy, a link and a trusted repository.
    here = disk_setup.project("here")
    disk_setup.write_policy(here, 'allow = ["Bash(make *)"]', trusted=True)
    (here / "out").symlink_to("/etc")
    subprocess.run(["git", "init", "-q", str(here)], check=True)
    disk_setup.trust_repository(here)
    await gate.workspaces.add(ADA, "clerk", WantedRoot(str(here)))
    looked_up: list[str] = []
    for name in ("stat", "lstat", "readlink", "open", "scandir", "listdir"):
        real = getattr(os, name)

        def record_and_call(path: object, *given: object, real: object = real, **named: object) -> object:
            looked_up.append(str(path))
            return real(path, *given, **named)  # type: ignore[operator]

        monkeypatch.setattr(os, name, record_and_call)

    decided = await decide(gate, "cat out/passwd", here)
    made, logged = await verdict_of(gate, "make all", here), await decide(gate, "git log", here)
    written = Call(
        tool="Write", args={"file_path": f"{here}/a", "content": "x"}, agent="clerk", cwd=str(here)
    )
    asked = await (await gate.begin(ANA, agent="clerk", cwd=str(here))).submit(written)

    monkeypatch.undo()
    assert [path for path in looked_up if path.startswith(str(here))] == []
    assert decided.facts.real == {f"{here}/out/passwd": (f"{here}/out/passwd",)}
    assert (decided.where.remote, decided.decision.verdict) == (True, RUN)
    assert (made, logged.facts.trusted_repository) == (ASK, False)
    assert isinstance(asked, Wait)
    assert asked.approval.file is not None
    assert asked.approval.file.state == "unreachable"
    # For another agent, which runs here, the same path is not registered.
    assert await verdict_of(gate, "ls", here, agent="cook") is ASK


async def test_a_local_workspace_inside_a_remote_one_is_local(gate: Gate, disk_setup: WorkspaceDisk) -> None:
    here = disk_setup.project("here")
    await gate.workspaces.add(ADA, "clerk", WantedRoot(str(disk_setup.base / "work")))
    await register_workspace(gate, here, agent="clerk")

    inside, around = (
        await decide(gate, "ls", here),
        await decide(gate, "ls", disk_setup.base / "work/elsewhere"),
    )

    assert (inside.where.root, inside.where.remote) == (str(here), False)
    assert (around.where.root, around.where.remote) == (str(disk_setup.base / "work"), True)


async def test_the_workspace_of_the_agent_beats_that_of_all_agents(
    gate: Gate, disk_setup: WorkspaceDisk
) -> None:
    here = disk_setup.project("here")
    await register_workspace(gate, here)
    await gate.workspaces.add(ADA, "far", WantedRoot(str(here)))

    assert (await decide(gate, "ls", here, agent="far")).where.remote
    assert not (await decide(gate, "ls", here, agent="near")).where.remote


@pytest.mark.parametrize("cwd", ["/srv/a/../..", "/srv/a/link/../../b", "/srv", "/srv/ab"])
async def test_a_directory_that_may_leave_a_remote_root_is_outside(memory_gate: Gate, cwd: str) -> None:
    await memory_gate.workspaces.add(ADA, "", WantedRoot("/srv/a"))

    assert (await decide(memory_gate, "ls", cwd)).where.root == ""


async def test_the_home_of_a_remote_machine_is_unknown(memory_gate: Gate) -> None:
    await memory_gate.workspaces.add(ADA, "", WantedRoot("/srv/a"))

    assert await verdict_of(memory_gate, "cat ~/notes", "/srv/a") is ASK
    assert await verdict_of(memory_gate, "rm -rf ~", "/srv/a", mode="auto") is ASK
    assert await verdict_of(memory_gate, "rm -rf /srv/a", "/srv/a", mode="auto") is ASK


# ---- who may register what ----------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Kind.AGENT, Kind.SERVICE])
async def test_an_agent_or_a_service_never_registers_a_workspace(
    gate: Gate, disk_setup: WorkspaceDisk, kind: Kind
) -> None:
    caller = Principal(id="clerk", kind=kind, on_behalf="ada", administrator=True)

    with write_proof(str(disk_setup.own)) as proof, pytest.raises(ForbiddenError):
        await gate.workspaces.add(caller, "clerk", WantedRoot(str(disk_setup.own), proof))
    with pytest.raises(ForbiddenError):
        await gate.workspaces.replace(ANA, "clerk", [])

    assert await gate.store.workspaces() == ()


async def test_each_registered_and_removed_workspace_is_a_row_of_the_audit(
    gate: Gate, disk_setup: WorkspaceDisk
) -> None:
    other = disk_setup.project("other")
    await register_workspace(gate, other, agent="clerk")
    await gate.workspaces.add(ADA, "", WantedRoot("/srv/a"))
    await gate.workspaces.remove(ADA, "clerk", str(other))

    await gate.store.flush_audit()
    links, _ = await gate.store.audit()
    assert [(one.entry.user, one.entry.decision, one.entry.agent, one.entry.reason) for one in links] == [
        ("ada", "workspace_added", "clerk", f"local {other}"),
        ("ada", "workspace_added", "", "remote /srv/a"),
        ("ada", "workspace_removed", "clerk", f"local {other}"),
    ]


async def test_a_remote_root_becomes_local_with_a_proof_and_never_without(
    gate: Gate, disk_setup: WorkspaceDisk
) -> None:
    other = disk_setup.project("other")
    remote = await gate.workspaces.add(ADA, "", WantedRoot(str(other)))
    again = await gate.workspaces.add(ADA, "", WantedRoot(str(other)))

    local = await register_workspace(gate, other)
    kept = await gate.workspaces.add(ADA, "", WantedRoot(str(other)))

    assert (remote.remote, again, local.remote, kept) == (True, remote, False, local)
    assert await gate.workspaces.list(ADA) == [local]


async def test_the_gate_knows_whether_a_directory_is_in_a_workspace_of_an_agent(
    gate: Gate, disk_setup: WorkspaceDisk
) -> None:
    other = disk_setup.project("other")
    await register_workspace(gate, other, agent="clerk")
    await gate.workspaces.add(ADA, "clerk", WantedRoot("/srv/a"))
    agent = Principal(id="clerk", kind=Kind.AGENT, on_behalf="ana")

    assert await gate.workspaces.find_root(agent, "clerk", str(other)) == str(other)
    assert await gate.workspaces.find_root(agent, "clerk", "/srv/a/b") == "/srv/a"
    assert await gate.workspaces.find_root(agent, "clerk", str(disk_setup.own)) == str(disk_setup.own)
    assert await gate.workspaces.find_root(agent, "clerk", str(disk_setup.base)) is None
    assert await gate.workspaces.find_root(ANA, "cook", str(other)) is None
    with pytest.raises(ForbiddenError):
        await gate.workspaces.find_root(agent, "cook", str(other))


async def test_a_proof_of_another_directory_proves_nothing(
    memory_gate: Gate, disk_setup: WorkspaceDisk
) -> None:
    other, evil = disk_setup.project("other"), disk_setup.project("evil")
    with write_proof(str(evil)) as proof:
        os.symlink(evil / proof.file, other / proof.file)
        wrong = [
            WantedRoot(str(other), proof),
            WantedRoot(str(other), RootProof(f"../evil/{proof.file}", proof.text)),
            WantedRoot(str(other), RootProof(str(evil / proof.file), proof.text)),
            WantedRoot(str(evil), proof._replace(text="0" * 64)),
            WantedRoot(str(evil), proof._replace(text="")),
        ]
        for one in wrong:
            with pytest.raises(InputError, match="not proven"):
                await memory_gate.workspaces.add(ADA, "", one)

    assert await memory_gate.workspaces.list(ADA) == []
