"""Decides a call on the current policy and facts, and decides it again before it runs."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import replace
from hashlib import sha256

from assent.engine.base.facts import CallDirectories, Facts, PathUse
from assent.engine.base.tool import Call, Dialect, PathKind, Tool
from assent.engine.decide import decide, files_to_digest, paths_to_resolve, searches_to_make, visible_tools
from assent.engine.policy.modes import Mode, narrower_mode
from assent.engine.policy.snapshot import Snapshot, Tier, TierSetting
from assent.engine.policy.verdict import Decision, Stage, Verdict
from assent.errors import StateError
from assent.gate import approval as transitions
from assent.gate.approval import Approval
from assent.gate.calls import DecidedCall, TurnContext
from assent.gate.catalog import NO_DEFINITIONS, Catalog, KnownDefinitions
from assent.gate.file_preview import (
    MAX_FILE_CHANGES,
    NO_DIFF_REASONS,
    FilePreview,
    FileState,
    Rewrite,
    file_edit,
    preview_edit,
)
from assent.gate.policy import (
    AgentState,
    FilePolicies,
    FilePolicy,
    Moment,
    PolicyCache,
    PolicyKey,
    StoredGrant,
    StoredPolicy,
    narrowed_policy,
)
from assent.gate.ports import Authorizer, CallWorkspace, Workspace
from assent.gate.preset import Preset
from assent.gate.store import ApprovalChange, ChangeResult, Store
from assent.gate.unknown_tools import UnknownTools

PolicyReader = Callable[[PolicyKey], Awaitable[StoredPolicy]]
"""Reads the stored policy for a key."""


class Decider:
    """Decides the calls of turns, and holds the grants that end with this process."""

    def __init__(
        self,
        store: Store,
        catalog: Catalog,
        workspace: Workspace,
        authorizer: Authorizer | None,
        file_policies: FilePolicies | None = None,
    ) -> None:
        self._store = store
        self._file_policies = file_policies
        self._catalog = catalog
        self._policies = PolicyCache(store, catalog)
        self.workspace = workspace
        self._authorizer = authorizer
        self.unknown_tools = UnknownTools(store)
        self._process_grants: dict[str, StoredGrant] = {}
        self._dropped_grants: set[str] = set()
        self.rewrites: dict[str, Rewrite] = {}
        """Functions of hosts that compute a tool's change of a file, by tool name."""

    def keep_grants(self, grants: Iterable[StoredGrant]) -> None:
        """Hold grants until this process ends; a dropped or used grant is not restored."""
        for grant in grants:
            if grant.id not in self._process_grants and grant.id not in self._dropped_grants:
                self._process_grants[grant.id] = replace(grant, boot=self._store.boot)

    def drop_grant(self, id: str) -> bool:
        """Drop a grant that only this process holds; returns whether there was one."""
        known = self._process_grants.pop(id, None) is not None
        if known:
            self._dropped_grants.add(id)
        return known

    async def use_grants(self, grants: Sequence[str]) -> bool:
        """Count one use of each of these grants; False if one of them has no use left."""
        held = [self._process_grants[id] for id in grants if id in self._process_grants]
        stored = [id for id in grants if id not in self._process_grants]
        if any(not one.uses for one in held):
            return False
        # Counted before the store is asked, so that no other call in this process uses them as well.
        self._add_uses(held, -1)
        if not stored or await self._store.use_grants(stored):
            return True
        self._add_uses(held, 1)
        return False

    def _add_uses(self, held: Iterable[StoredGrant], more: int) -> None:
        for one in held:
            known = self._process_grants.get(one.id)
            if known is not None and known.uses is not None:
                self._process_grants[one.id] = replace(known, uses=known.uses + more)

    @property
    def process_grants(self) -> tuple[StoredGrant, ...]:
        """The grants that end with this process."""
        return tuple(self._process_grants.values())

    async def decide(
        self, context: TurnContext, call: Call, *, use_cached_policy: bool = False
    ) -> DecidedCall:
        """Decide a call on the current policy and facts.

        With `use_cached_policy`, the caller must check later that the policy version is still current.
        """
        read = self._policies.cached_policy if use_cached_policy else self._policies.current_policy
        current = await read(context.policy_key)
        registered = current if context.parent is None else await read(context.outermost.policy_key)
        where = await self.workspace.locate(call, registered.workspaces)
        snapshot = await self._build_snapshot(context, current, (call.tool,), read, where)
        snapshot = self._remove_unoffered_tool(context, call, snapshot, where)
        facts = await self._read_facts(call, snapshot, where)
        decision = decide(call, snapshot, facts)
        decided = DecidedCall(call, decision, facts, snapshot, current, where)
        origin = await self._find_rule_origin(context, current, decision.rule, where) if decision.rule else ""
        return decided._replace(
            counted_grants=self._needed_counted_grants(context, decided), rule_origin=origin
        )

    async def declare_if_unknown(self, context: TurnContext, call: Call) -> None:
        """Declare the tool of a call that nobody declared, where an administrator opened the agent for it."""
        if call.tool in self._file_policy(context, context.where).tools:
            return
        tool = self._catalog.offered_tool(context.agent, call.tool)
        if tool is not None and not tool.is_undeclared:
            return
        # The tools that other processes declared must be known first.
        await self._policies.current_policy(context.policy_key)
        known = self._catalog.offered_tools(context.agent)
        await self.unknown_tools.declare(call, context.principal.id, known)

    async def file_preview(self, decided: DecidedCall) -> FilePreview | None:
        """The preview of the file that a call would change; None if it edits no single file."""
        edit = file_edit(decided.call, decided.tool, self.rewrites)
        directories = decided.facts.directories
        path = None if edit is None else _absolute_path(edit.path, decided.tool, directories)
        if edit is None or path is None:
            return None
        # INVARIANT: the file is read once, so that the digest and the diff are of the same bytes.
        content = await self.workspace.content(decided.where, path)
        return await asyncio.to_thread(preview_edit, edit, content, directories)

    async def changed_file_preview(self, approval: Approval, decided: DecidedCall) -> FilePreview | None:
        """The new preview of the file, if the file changed since a person saw it."""
        known, answer = approval.file, approval.answer
        if known is None or answer is None or answer.released_by or decided.decision.verdict is Verdict.RUN:
            return None  # No person saw the file, or none needs to see it.
        now = await self.file_preview(decided._replace(call=approval.call))
        # INVARIANT: a file that cannot be read again counts as changed.
        now = now or FilePreview(
            path=known.path, state=_UNREACHABLE, digest=_UNREACHABLE.value, why=NO_DIFF_REASONS[_UNREACHABLE]
        )
        return None if now.fingerprint == known.fingerprint else replace(now, changes=known.changes + 1)

    async def find_workspace(
        self, cwd: str, current: StoredPolicy, parent: TurnContext | None
    ) -> CallWorkspace | None:
        """The registered workspace that contains a directory; None if there is none.

        `current` is the policy of the agent. A sub-agent has the workspaces of its outermost parent.
        """
        registered = current
        if parent is not None:
            registered = await self._policies.current_policy(parent.outermost.policy_key)
        if not cwd or not registered.workspaces:
            return None
        found = await self.workspace.locate(Call(tool="", args={}, cwd=cwd), registered.workspaces)
        return found if found.root else None

    async def stored_policy(self, about: PolicyKey) -> StoredPolicy:
        """The current stored policy, after loading the tools that other processes declared."""
        return await self._policies.current_policy(about)

    async def visible_tools(self, context: TurnContext, names: Collection[str] | None) -> tuple[Tool, ...]:
        """The tools, or those with these names, that are offered, not blocked, and authorized."""
        read = self._policies.current_policy
        current = await read(context.policy_key)
        offered = self._catalog.offered_names(context.agent, context.conversation.id)
        if names is not None:
            offered &= frozenset(names)
        snapshot = await self._build_snapshot(context, current, tuple(offered), read, context.where)
        return visible_tools(snapshot, context.agent, offered)

    async def _build_snapshot(
        self,
        context: TurnContext,
        current: StoredPolicy,
        tools: Sequence[str],
        read: PolicyReader,
        where: CallWorkspace | None,
    ) -> Snapshot:
        """Build the policy snapshot of a turn and of its parent turns."""
        parent = None
        if context.parent is not None:
            parent = await self._build_snapshot(
                context.parent, await read(context.parent.policy_key), tools, read, where
            )
        missing = await self._find_unauthorized_tools(context, tools, where)
        file_policy = self._file_policy(context, where)
        mode, fallback = _mode_and_fallback(context, file_policy.preset, where)
        agent_state = AgentState(context.agent, mode, context.attended, missing, context.conversation.id)
        current = _with_initial_tiers(context, current)
        for sub_agent in context.sub_agents:
            name = sub_agent.policy_name(context.agent)
            own = await read(context.policy_key._replace(agent=name))
            narrowed = narrowed_policy(file_policy, current, own, name)
            if narrowed is not None:
                state = agent_state._replace(agent=name)
                parent = self._policies.snapshot(file_policy, narrowed, (), state, parent)
                # INVARIANT: a name that a caller claims never widens: it has no grants or tools of its own.
                parent = replace(parent, tools=self._tools_of(context, file_policy, current.definitions))
        snapshot = self._policies.snapshot(
            file_policy, current, self.active_grants(current), agent_state, parent
        )
        return snapshot if snapshot.fallback is fallback else replace(snapshot, fallback=fallback)

    async def _read_facts(self, call: Call, snapshot: Snapshot, where: CallWorkspace) -> Facts:
        """Read the facts about the paths of a call; calls without a path or command line need none."""
        directories = where.directories
        paths = paths_to_resolve(call, snapshot, directories)
        tool = snapshot.tools.get(call.tool)
        if not paths and (tool is None or tool.dialect is Dialect.TEXT):
            return Facts(directories=directories)
        facts = await self.workspace.facts(where, paths, searches_to_make(call, snapshot, directories))
        fed = files_to_digest(call, snapshot, directories)
        return replace(facts, contents=await self._digest_input_files(where, fed)) if fed else facts

    async def _digest_input_files(self, where: CallWorkspace, paths: Sequence[str]) -> dict[str, str]:
        """The SHA-256 of each readable input file; rules identify the file by this digest."""
        found = {path: await self.workspace.content(where, path) for path in paths}
        return {path: sha256(one.data).hexdigest() for path, one in found.items() if one.unread is None}

    async def _find_rule_origin(
        self, context: TurnContext, current: StoredPolicy, text: str, where: CallWorkspace
    ) -> str:
        """Find the origin of a rule or grant: in the policy of this turn, this process, or a parent turn."""
        every = replace(current, grants=(*current.grants, *self.process_grants))
        found = self._policies.rule_origin(self._file_policy(context, where), every, text)
        if found or context.parent is None:
            return found
        return await self._find_rule_origin(
            context.parent, await self._policies.current_policy(context.parent.policy_key), text, where
        )

    def _remove_unoffered_tool(
        self, context: TurnContext, call: Call, snapshot: Snapshot, where: CallWorkspace
    ) -> Snapshot:
        """Remove the called tool from a snapshot if only other agents may use it."""
        offered = self._catalog.offered_names(context.agent, context.conversation.id)
        if call.tool in self._file_policy(context, where).tools or call.tool in offered:
            return snapshot
        others = {name: one for name, one in snapshot.tools.items() if name != call.tool}
        return replace(snapshot, tools=others)

    async def missing_right(self, context: TurnContext, tool: Tool) -> str | None:
        """The right that the tool requires and the principal lacks, or None."""
        rights = self._authorizer
        return None if rights is None else await rights.missing_right(context.principal, tool)

    async def _find_unauthorized_tools(
        self, context: TurnContext, tools: Sequence[str], where: CallWorkspace | None
    ) -> frozenset[str]:
        if self._authorizer is None:
            return frozenset()
        known = self._tools_of(context, self._file_policy(context, where))
        asked = (known[name] for name in tools if name in known)
        return frozenset([tool.name for tool in asked if await self.missing_right(context, tool) is not None])

    def _tools_of(
        self, context: TurnContext, files: FilePolicy, definitions: KnownDefinitions = NO_DEFINITIONS
    ) -> dict[str, Tool]:
        """The tools of a turn."""
        return self._catalog.tools_for(files.tools, context.agent, context.conversation.id, definitions)

    def _file_policy(self, context: TurnContext, where: CallWorkspace | None) -> FilePolicy:
        """The current file policy of the turn's preset, in the workspace of the call."""
        # INVARIANT: in a registered workspace, only the files of that workspace and of the user count.
        policies = self._file_policies if where is None else where.file_policies or self._file_policies
        return context.file_policy if policies is None else policies(context.file_policy.preset.name)

    def active_grants(self, current: StoredPolicy) -> list[StoredGrant]:
        """The grants of a policy and of this process that are in effect."""
        every = (*current.grants, *self._process_grants.values())
        return [grant for grant in every if grant.is_active(at=current.at, boot=self._store.boot)]

    def _needed_counted_grants(self, context: TurnContext, decided: DecidedCall) -> tuple[str, ...]:
        """The ids of the counted grants without which this call would not run."""
        if decided.decision.verdict is not Verdict.RUN:
            return ()
        needed = self.active_grants(_with_initial_tiers(context, decided.policy))
        for grant in [one for one in needed if one.uses is not None]:
            rest = [one for one in needed if one is not grant]
            without = replace(decided.snapshot, grants=self._policies.compiled_grants(rest))
            if decide(decided.call, without, decided.facts).verdict is Verdict.RUN:
                needed = rest
        return tuple(one.id for one in needed if one.uses is not None)


LOCKED_STAGES = frozenset(stage for stage in Stage if stage.is_locked)
STOPPING_STAGES = frozenset({Stage.UNKNOWN, Stage.UNAUTHORIZED, Stage.BLOCKED, Stage.DENY_RULE})
"""The stages that can still stop an approved call; its mode and grants are not checked again."""
RELEASED_BY_PAUSE_END = "the end of the pause"
"""The value of `released_by` for a call that waited only because of a pause."""
CHANGED_TOO_OFTEN = f"the file changed {MAX_FILE_CHANGES} times after a person had approved the change"


def stop_reason(approval: Approval, decided: DecidedCall) -> str | None:
    """Why an approved call may no longer run; None if it may."""
    stopping = STOPPING_STAGES
    if approval.answer is not None and approval.answer.args is not None:
        stopping |= {Stage.PLAN}  # Edited arguments make a new call, which was never decided in this mode.
    if approval.answer is not None and approval.answer.released_by:
        if approval.answer.released_by == RELEASED_BY_PAUSE_END and not _can_run_after_pause(
            decided.decision
        ):
            return decided.decision.because
        stopping |= LOCKED_STAGES  # No person saw this call, so a stage that always asks must stop it.
    for step in decided.decision.steps:
        if step.stage in stopping:
            return step.because
    if _has_changed_input(approval, decided):
        return "an input file of the command changed since it was approved"
    bound = decided._replace(call=approval.call)
    if bound.call_digest != approval.call_digest:
        return "the tool or the directory is no longer the one that was approved"
    return None


def ask_again_change(approval: Approval, file: FilePreview, preset: Preset) -> ApprovalChange:
    """The change that asks a person again, unless another request already asked again."""

    def change_state(one: Approval, moment: Moment) -> ChangeResult:
        if one.digest != approval.digest:
            raise StateError(one.id, one.state, "asked again")
        return ChangeResult(transitions.ask_again(one, file, preset.expires_at(moment.at), at=moment.at))

    return change_state


def _absolute_path(path: str, tool: Tool, directories: CallDirectories) -> str | None:
    """The absolute path, resolved in the same way as for the decision."""
    anchored = tool.paths is PathKind.ANCHORED
    return PathUse(path, tilde=path.startswith("~") and not anchored, anchored=anchored).to_absolute_path(
        directories
    )


def _mode_and_fallback(
    context: TurnContext, preset: Preset, where: CallWorkspace | None
) -> tuple[Mode | None, Verdict]:
    """The mode and fallback of a call.

    In another workspace than that of its turn, a call gets no wider mode than that workspace has.
    """
    mode, fallback = context.mode, context.file_policy.preset.fallback
    began_in = "" if context.where is None else context.where.root
    if where is None or where.root == began_in:
        return mode, fallback
    if mode is not None and preset.mode is not None:
        mode = narrower_mode(mode, preset.mode)
    return mode, max(fallback, preset.fallback)


def _with_initial_tiers(context: TurnContext, current: StoredPolicy) -> StoredPolicy:
    """The current policy with the tiers and overrides from the start of the turn.

    A tool that was blocked since, and an override that was revoked since, are not restored.
    """
    if not context.delivery.keeps_initial_tiers:
        return current
    began = context.initial_policy
    blocked = {tool: one for tool, one in current.tiers.items() if one.tier is Tier.BLOCKED}
    tiers: dict[str, TierSetting] = {**began.tiers, **blocked}
    # The current overrides are used: a revoked one is missing, a counted one has its remaining uses.
    known = {grant.id for grant in began.grants}
    return replace(current, tiers=tiers, grants=tuple(one for one in current.grants if one.id in known))


def _can_run_after_pause(decision: Decision) -> bool:
    return decision.verdict is Verdict.RUN or decision.is_only_paused


def _has_changed_input(approval: Approval, decided: DecidedCall) -> bool:
    """Whether an input file of the command changed since the answer."""
    if approval.is_edited:
        return False
    now = decided.facts.contents
    return any(now.get(path) != digest for path, digest in approval.facts.contents.items())


_UNREACHABLE = FileState.UNREACHABLE
