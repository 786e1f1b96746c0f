"""Questions whether the project of a new session becomes a workspace; a person's yes registers it."""

from assent.engine.base.tool import Call
from assent.errors import AssentError, InputError
from assent.gate import approval as transitions
from assent.gate.access import Kind, Principal
from assent.gate.answer import Answer
from assent.gate.approval import Approval, State
from assent.gate.approval_service import ApprovalService
from assent.gate.ids import keyed_id, new_id
from assent.gate.preset import Preset
from assent.gate.store import ChangeResult, Store
from assent.gate.workspace_admin import WorkspaceAdmin, check_can_register

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
