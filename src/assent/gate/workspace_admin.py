"""Registers, lists and removes workspaces; a person's yes to a question also registers one."""

from collections.abc import Sequence
from typing import Protocol

from assent.engine.base.tool import Call
from assent.errors import AssentError, ConflictError, ForbiddenError, InputError, NotFoundError
from assent.gate import approval as transitions
from assent.gate.access import Kind, Principal, check_administrator
from assent.gate.answer import Answer
from assent.gate.approval import Approval, State
from assent.gate.approval_service import ApprovalService
from assent.gate.changes import AuditRecorder, ChangeKind, authorize, workspace_entry
from assent.gate.ids import check_id, keyed_id, new_id
from assent.gate.preset import Preset
from assent.gate.store import ChangeResult, Store
from assent.gate.workspaces import (
    MAX_WORKSPACES,
    WORKSPACES_CHANGED_MESSAGE,
    CheckedRoot,
    RegisteredWorkspace,
    RootChecker,
    WantedRoot,
    WorkspaceStore,
    check_root_path,
)


class WorkspaceRecorder(WorkspaceStore, AuditRecorder, Protocol):
    """A store that keeps workspaces and the audit."""


class WorkspaceAdmin:
    """Registers, lists and removes workspaces; only people who are administrators change them."""

    def __init__(self, store: WorkspaceRecorder, checker: RootChecker) -> None:
        self._store = store
        self._checker = checker

    async def list(self, principal: Principal, agent: str | None = None) -> Sequence[RegisteredWorkspace]:
        """The registered workspaces, of one agent (and not of all agents) if it is named."""
        check_can_register(principal)
        return [one for one in await self._store.workspaces() if agent in (None, one.agent)]

    async def fitting_packs(self, principal: Principal) -> frozenset[str]:
        """The packs that fit the files of the workspaces."""
        return await self._checker.fitting_packs(await self.list(principal))

    async def add(self, principal: Principal, agent: str, wanted: WantedRoot) -> RegisteredWorkspace:
        """Register one workspace; the other workspaces of the agent stay."""
        before = await self.list(principal, agent)
        checked = await self._check_root(wanted, before)
        kept = [WantedRoot(one.root) for one in before if one.root != checked.root]
        after = await self._replace_workspaces(principal, agent, before, [*kept, wanted])
        return next(one for one in after if one.root == checked.root)

    async def remove(self, principal: Principal, agent: str, root: str) -> RegisteredWorkspace:
        """Remove one workspace of an agent."""
        before = await self.list(principal, agent)
        gone = next((one for one in before if one.root == root), None)
        if gone is None:
            raise NotFoundError("workspace", root)
        await self._replace_workspaces(
            principal, agent, before, [WantedRoot(one.root) for one in before if one != gone]
        )
        return gone

    async def replace(
        self,
        principal: Principal,
        agent: str,
        wanted: Sequence[WantedRoot],
        known: frozenset[str] | None = None,
    ) -> Sequence[RegisteredWorkspace]:
        """Replace all workspaces of an agent; with `known`, only if they still have these ids."""
        before = await self.list(principal, agent)
        if known is not None and known != frozenset(one.id for one in before):
            raise ConflictError(WORKSPACES_CHANGED_MESSAGE)
        return await self._replace_workspaces(principal, agent, before, wanted)

    async def find_root(self, principal: Principal, agent: str, directory: str) -> str | None:
        """The root of the agent's workspace that contains a directory; None if it is in no workspace.

        An agent may ask only about itself.
        """
        if principal.kind is Kind.AGENT and principal.id != agent:
            raise ForbiddenError(principal.id, "an agent sees only its own workspaces")
        mine = [one for one in await self._store.workspaces() if one.agent in ("", agent)]
        return await self._checker.find_root(directory, mine)

    async def find_project(self, directory: str) -> str:
        """The root of the project that contains a directory of this disk; `InputError` if it has none."""
        return (await self._checker.check_project(directory)).root

    async def add_project(
        self, principal: Principal, agent: str, directory: str
    ) -> Sequence[RegisteredWorkspace]:
        """Register a project that this server found on its own disk; the other workspaces stay."""
        before = await self.list(principal, agent)
        checked = await self._checker.check_project(directory)
        if checked.root != directory:
            raise InputError(f"`{directory}` is not the root of a project any more")
        kept = [CheckedRoot(one.root, one.remote) for one in before if one.root != checked.root]
        return await self._save_workspaces(principal, agent, before, [*kept, checked])

    async def list_usable(self, principal: Principal) -> Sequence[RegisteredWorkspace]:
        """The workspaces in which a person may work: those of all agents, and for administrators all."""
        if principal.kind is not Kind.PERSON:
            raise ForbiddenError(principal.id, "only people work in workspaces themselves")
        found = await self._store.workspaces()
        return [one for one in found if principal.administrator or not one.agent]

    async def _replace_workspaces(
        self,
        principal: Principal,
        agent: str,
        before: Sequence[RegisteredWorkspace],
        wanted: Sequence[WantedRoot],
    ) -> Sequence[RegisteredWorkspace]:
        check_can_register(principal)
        if len(wanted) > MAX_WORKSPACES:
            raise InputError(f"an agent has at most {MAX_WORKSPACES} workspaces")
        checked = [await self._check_root(one, before) for one in wanted]
        return await self._save_workspaces(principal, agent, before, checked)

    async def _save_workspaces(
        self,
        principal: Principal,
        agent: str,
        before: Sequence[RegisteredWorkspace],
        checked: Sequence[CheckedRoot],
    ) -> Sequence[RegisteredWorkspace]:
        change = authorize(self._store, principal, check_can_register)
        check_id("agent", agent)
        if len(checked) > MAX_WORKSPACES:
            raise InputError(f"an agent has at most {MAX_WORKSPACES} workspaces")
        if len({one.root for one in checked}) < len(checked):
            raise InputError("a workspace is listed twice")
        held = {(one.root, one.remote): one for one in before}
        after = [
            held.get(one) or RegisteredWorkspace(id=new_id(), agent=agent, **one._asdict(), by=principal.id)
            for one in checked
        ]
        added = [one for one in after if one not in before]
        removed = [one for one in before if one not in after]
        if added or removed:
            entries = [
                *(workspace_entry(ChangeKind.WORKSPACE_REMOVED, one, principal.id) for one in removed),
                *(workspace_entry(ChangeKind.WORKSPACE_ADDED, one, principal.id) for one in added),
            ]
            known = frozenset(one.id for one in before)
            await change.write(self._store.set_workspaces(agent, after, known=known, entries=entries))
        current = await self._store.workspaces()
        return [one for one in current if one.agent == agent]

    async def _check_root(self, wanted: WantedRoot, before: Sequence[RegisteredWorkspace]) -> CheckedRoot:
        """Check a root; one that is registered already stays local or remote unless a proof comes with it."""
        held = next((one for one in before if one.root == wanted.root), None)
        if held is not None and wanted.proof is None:
            return CheckedRoot(held.root, held.remote)
        return await self._checker.check_root(wanted._replace(root=check_root_path(wanted.root)))


def check_can_register(principal: Principal) -> None:
    """Check that the principal is a person who is an administrator: no agent or service gets a workspace."""
    check_administrator(principal)
    if principal.kind is not Kind.PERSON:
        raise ForbiddenError(principal.id, "only a person can register a workspace")


REGISTER_TOOL = "workspace.register"
CONVERSATION = "workspaces"
"""The conversation of these questions: the same for all sessions of an agent, so that each is asked once."""
WHY_ASKED = "this agent began a session in a project that is not registered as its workspace"


class WorkspaceQuestions:
    """Makes the calls that ask, and carries out a person's yes with that person's rights.

    The id of such a call is made with the secret of the store, and only for a project that the server found
    on its own disk: a call of an agent with the same tool and any id registers nothing.
    """

    def __init__(self, store: Store, admin: WorkspaceAdmin, approvals: ApprovalService) -> None:
        self._store = store
        self._admin = admin
        self._approvals = approvals

    async def question_call(self, principal: Principal, directory: str) -> Call | None:
        """The call that asks about a directory of this disk; None if no question is needed or possible."""
        if principal.kind is not Kind.AGENT or await self._admin.find_root(
            principal, principal.id, directory
        ):
            return None
        try:
            root = await self._admin.find_project(directory)
        except InputError:
            return None
        return Call(
            tool=REGISTER_TOOL,
            args={"agent": principal.id, "root": root},
            id=self._call_id(principal.id, root),
            cwd=directory,
        )

    async def answer(
        self, principal: Principal, asked: Approval, shown: str, answer: Answer, preset: Preset
    ) -> Approval:
        """Answer any approval; a yes to one of these questions also registers the workspace."""
        self._check_answer(principal, asked, answer)
        answered = await self._approvals.answer(principal, asked, shown, answer, preset)
        return await self._carry_out(principal, answered)

    def _check_answer(self, principal: Principal, approval: Approval, answer: Answer) -> None:
        """Raise an error for a yes that could not be carried out."""
        if answer.yes and self._is_question(approval):
            check_can_register(principal)
            if answer.args is not None and answer.args != approval.call.args:
                raise InputError("only this directory can be registered; for another: `assent workspace add`")

    async def _carry_out(self, principal: Principal, approval: Approval) -> Approval:
        """Register the workspace of an approved question, once; return any other approval unchanged."""
        if approval.state is not State.APPROVED or not self._is_question(approval):
            return approval
        claim = new_id()
        await self._store.change_approval(
            approval.id,
            lambda one, moment: ChangeResult(transitions.claim(one, claim, self._store.boot, at=moment.at)),
        )
        args, problem = approval.call.args, ""
        try:
            await self._admin.add_project(principal, str(args["agent"]), str(args["root"]))
        except AssentError as error:
            problem = str(error)
        return await self._approvals.report(approval.id, claim, failed=bool(problem), note=problem)

    def _is_question(self, approval: Approval) -> bool:
        call = approval.call
        agent, root = call.args.get("agent"), call.args.get("root")
        is_ours = call.tool == REGISTER_TOOL and isinstance(root, str) and agent == call.agent
        return is_ours and call.id == self._call_id(call.agent, str(root))

    def _call_id(self, agent: str, root: str) -> str:
        return keyed_id(self._store.secret, "workspace", agent, root)
