"""A gate for tests, in a workspace without real files, with its tools and a clock that the test controls."""

import posixpath
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

from assent.config.preset import load_preset
from assent.config.workspace import directories_without_disk, facts_without_disk
from assent.engine.base.facts import DirectorySearch, Facts
from assent.engine.base.tool import Call, Dialect, Effect, Tool
from assent.engine.policy.rule import RuleList
from assent.engine.policy.task_files import is_about_tasks
from assent.errors import InputError
from assent.gate.access import Principal
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval
from assent.gate.calls import Run, Wait
from assent.gate.catalog import DeclaredTool
from assent.gate.definitions import DefinitionToReview
from assent.gate.file_preview import FileContent, UnreadReason
from assent.gate.gate import DEFAULT_LIMITS, Gate, TurnOptions
from assent.gate.policy import FilePolicies, FilePolicy, StoredRule
from assent.gate.ports import Authorizer, CallWorkspace
from assent.gate.question import Limits
from assent.gate.store import Store
from assent.gate.turn import Turn
from assent.gate.workspaces import CheckedRoot, RegisteredWorkspace, WantedRoot, is_below
from assent.stores.memory.store import MemoryStore
from assent.stores.sqlite.database import open_sqlite
from tests.gate.samples import ADA, ANA
from tests.stores.promises.given import SetClock
from tests.stores.sqlite_file import create_empty_database

TOOLS = (
    Tool(name="note.read", effect=Effect.READ),
    Tool(name="note.save", effect=Effect.EDIT, dialect=Dialect.PATH, template="{path}"),
    Tool(name="note.put", effect=Effect.WRITE),
    Tool(name="note.drop", effect=Effect.DESTRUCTIVE),
    Tool(name="mail.send", effect=Effect.EXTERNAL),
    Tool(name="sh", effect=Effect.EXECUTE, dialect=Dialect.SHELL, template="{command}"),
)

READ = Call(tool="note.read", args={"key": "a"}, id="read")
PUT = Call(tool="note.put", args={"key": "a", "value": 1}, id="put")
DROP = Call(tool="note.drop", args={"key": "a"}, id="drop")
SEND = Call(tool="mail.send", args={"to": "eve"}, id="send")
PUBLISH = Call(tool="sh", args={"command": "make publish"}, id="publish")
REMOVE_ROOT = Call(tool="sh", args={"command": "rm -rf /"}, id="remove-root")


class ImaginedWorkspace:
    """A workspace without real files; a test may change its directory and add file contents."""

    def __init__(self) -> None:
        self.cwd = "/project"
        self.files: dict[str, str] = {}
        """The contents of files by absolute path."""
        self.policies: dict[str, FilePolicies] = {}
        """The policies of registered workspaces, by root."""
        self.made: list[str] = []
        """The paths that calls made."""
        self.changed_tasks: dict[str, str] = {}
        """The digests of the task files of packs, by path."""
        self.approved_tasks: dict[str, str] = {}

    async def locate(self, call: Call, workspaces: Sequence[RegisteredWorkspace] = ()) -> CallWorkspace:
        cwd = call.cwd or self.cwd
        found = await self.find_root(cwd, workspaces) if call.cwd else None
        if found is None:
            return CallWorkspace(replace(directories_without_disk("/project", "/home/ana"), cwd=cwd))
        directories = replace(directories_without_disk(found, "/home/ana"), cwd=cwd)
        return CallWorkspace(directories, found, file_policies=self.policies.get(found))

    async def facts(
        self, where: CallWorkspace, wanted: Sequence[str], searches: Sequence[DirectorySearch] = ()
    ) -> Facts:
        changed = [
            f"{digest} {path}"
            for path, digest in self.changed_tasks.items()
            if self.approved_tasks.get(path) != digest
        ]
        found = {one.key: "\n".join(changed) for one in searches if is_about_tasks(one)}
        return facts_without_disk(where.directories, wanted, trusted_repository=True, findings=found)

    async def approve_tasks(self, files: Mapping[str, str]) -> None:
        self.approved_tasks.update(files)

    async def fitting_packs(self, workspaces: Sequence[RegisteredWorkspace]) -> frozenset[str]:
        return frozenset({"make"})

    def record_made_paths(self, call: Call, paths: Sequence[str]) -> None:
        self.made.extend(paths)

    async def check_root(self, wanted: WantedRoot) -> CheckedRoot:
        if wanted.root == "/":
            raise InputError("`/` cannot be a workspace")
        return CheckedRoot(wanted.root, remote=wanted.proof is None)

    async def check_project(self, directory: str) -> CheckedRoot:
        if directory == "/home/ana":
            raise InputError("a home directory cannot be a workspace")
        return CheckedRoot("/".join(directory.split("/")[:3]), remote=False)

    async def find_root(self, directory: str, workspaces: Sequence[RegisteredWorkspace]) -> str | None:
        containing = [one.root for one in workspaces if is_below(directory, one.root)]
        return max(containing, key=len, default=None)

    async def content(self, where: CallWorkspace, path: str) -> FileContent:
        text = self.files.get(posixpath.normpath(path))
        return (
            FileContent(path, unread=UnreadReason.ABSENT)
            if text is None
            else FileContent(path, text.encode())
        )


@cache
def preset_policy(name: str) -> FilePolicy:
    """The policy of a shipped preset without any policy file."""
    preset = load_preset(name or "assent")
    return FilePolicy(preset=preset, tools=preset.tools, rules=preset.rules, version="test")


class GateHarness:
    """A gate on a store, with helper methods for tests."""

    def __init__(
        self,
        store: Store,
        clock: SetClock,
        *,
        authorizer: Authorizer | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self.store = store
        self.clock = clock
        self.workspace = ImaginedWorkspace()
        self.gate = Gate(store, preset_policy, self.workspace, authorizer=authorizer, limits=limits)
        self.gate.offer(*(DeclaredTool(tool=tool) for tool in TOOLS))

    async def turn(
        self,
        preset: str = "assent",
        *,
        mode: str | None = None,
        agent: str = "clerk",
        conversation: str = "c1",
        principal: Principal = ANA,
        parent: Turn | None = None,
        attended: bool = True,
    ) -> Turn:
        opening = TurnOptions(preset=preset, mode=mode, attended=attended)
        return await self.gate.begin(
            principal, conversation=conversation, agent=agent, parent=parent, options=opening
        )

    async def answer(
        self, approval: Approval, answer: Answer, principal: Principal = ANA, *, digest: str | None = None
    ) -> Approval:
        shown = approval.digest if digest is None else digest
        return await self.gate.answer(principal, approval.id, shown, answer)

    async def add_rule(self, kind: RuleList, text: str, **scope: str) -> None:
        rule = StoredRule(id=f"{kind}-{text}", list=kind, text=text, by="", **scope)  # type: ignore[arg-type]
        await self.gate.policy.add_rule(ADA, rule)

    async def entries(self) -> list[Mapping[str, object]]:
        """The audit entries without ids and times."""
        await self.store.flush_audit()
        links, _ = await self.store.audit(limit=1000)
        return [
            {"verdict": one.entry.verdict, "decision": one.entry.decision, "stage": one.entry.stage}
            for one in links
        ]


@asynccontextmanager
async def open_harness(kind: str = "memory", directory: Path | None = None) -> AsyncGenerator[GateHarness]:
    """Open a harness on a new store, or on the store in a directory."""
    clock = SetClock()
    store = await open_test_store(kind, clock, directory)
    try:
        yield GateHarness(store, clock)
    finally:
        await store.close()


async def open_test_store(kind: str, clock: SetClock, directory: Path | None) -> Store:
    if kind == "memory":
        return MemoryStore(clock=clock)
    assert directory is not None
    create_empty_database(directory / "assent.db")
    return await open_sqlite(str(directory / "assent.db"), clock=clock)


async def to_review(harness: GateHarness, who: Principal) -> list[DefinitionToReview]:
    """The definitions of tools that nobody accepted."""
    return list((await (await harness.gate.definitions()).to_review(who)).definitions)


async def ask_person(turn: Turn, call: Call) -> Approval:
    """Submit a call that needs approval; return its approval."""
    outcome = await turn.submit(call)
    assert isinstance(outcome, Wait), outcome
    return outcome.approval


async def does_call_run(turn: Turn, call: Call) -> bool:
    """Whether a new call like this one runs now without approval."""
    return isinstance(await turn.submit(replace(call, id="")), Run)


ONCE = Answer(say=Say.ONCE)
ALWAYS = Answer(say=Say.ALWAYS)
FOR_CHAT = Answer(say=Say.CONVERSATION)
DENY = Answer(say=Say.DENY)
