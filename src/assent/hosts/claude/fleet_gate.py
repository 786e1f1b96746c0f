"""The fleet's connection to the server: it registers agents, submits their calls and waits for answers."""

import asyncio
import math
import os
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from assent.client.client import Client, Outcome, OutcomeKind
from assent.config.fleet import SERVER_NAME
from assent.config.preset import load_preset
from assent.config.workspace_roots import write_proof
from assent.engine.policy.verdict import Decision, Stage
from assent.errors import AssentError
from assent.gate.access import SubAgent
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval
from assent.gate.lease import RENEWALS_PER_LEASE
from assent.gate.preset import Lifetime
from assent.gate.workspaces import WantedRoot
from assent.wire.call import decision_from_json
from assent.wire.fields import Fields

PRESET = "fleet"
RULE_REASON = "from the fleet file"
"""The reason of the rules that a fleet file adds for the time that the fleet runs."""
POLL_SECONDS = 20.0
"""Seconds of one wait for an answer; after each the client is told that we still wait."""
LEASE_SECONDS = 100.0
"""How long a question stays open after the fleet was killed."""
RENEWAL_SECONDS = LEASE_SECONDS / RENEWALS_PER_LEASE
_MAX_WAITING = 128
Result = TypeVar("Result")
OnWaiting = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredAgent:
    """The token, conversation and rules that the server has for an agent."""

    id: str
    token: str
    token_id: str
    conversation: str
    rules: tuple[str, ...] = ()
    """The ids of the rules that end with the agent."""
    workspace: str = ""
    """The root that was registered as a workspace, which ends with the agent; empty if it needed none."""
    workspace_problem: str = ""
    """Why its directory could not be registered, so that each read in it asks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedCall:
    """A call that an agent wants to make."""

    tool: str
    args: Mapping[str, object]
    id: str
    cwd: str
    sub_agents: tuple[SubAgent, ...] = ()
    """The sub-agents of the agent for which the call is made, outermost first."""
    nonce: str = ""
    """With the same nonce, the call can be claimed again after a lost reply."""

    @property
    def lineage(self) -> list[dict[str, str]]:
        """The sub-agents in the format of the API."""
        return [{"id": one.id, "kind": one.kind} for one in self.sub_agents]


class FleetGate:
    """The server's API for a fleet; blocking requests run in threads of its own."""

    def __init__(self, url: str, owner_token: str, answer_seconds: int = 0) -> None:
        self.url = url
        self._answer_seconds = answer_seconds or math.inf
        self._owner_token = owner_token
        self._preset_rules = frozenset(load_preset(PRESET).allow_rule_texts())
        self._threads = ThreadPoolExecutor(_MAX_WAITING, thread_name_prefix="assent-fleet")

    def close(self) -> None:
        """End the threads; waits that are under way end with their request."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    # ---- agents ---------------------------------------------------------------------------------

    async def register(
        self,
        id: str,
        allowed_tools: tuple[str, ...],
        server: str = SERVER_NAME,
        preset: str = PRESET,
        root: str = "",
    ) -> RegisteredAgent:
        """Give an agent a token, a conversation under a preset, its allow rules and its workspace.

        What an earlier run of this agent was allowed until restart is revoked. The tools of an MCP server
        with another name than the preset's are declared. `root` becomes a workspace of the agent, unless
        the server knows that it is in one.
        """
        return await self._run_in_thread(
            partial(self._create_agent_access, id, allowed_tools, server, preset, root)
        )

    async def remove(self, agent: RegisteredAgent) -> None:
        """Withdraw the agent's open questions and revoke its token, rules and workspace."""
        await self.withdraw_questions(agent)
        await self._run_in_thread(partial(self._revoke_agent_access, agent))

    async def withdraw_questions(self, agent: RegisteredAgent) -> None:
        """Withdraw every open question of an agent whose process has ended."""
        await self._run_in_thread(partial(self._withdraw_questions, agent))

    # ---- calls ----------------------------------------------------------------------------------

    async def submit(self, agent: RegisteredAgent, call: AskedCall) -> Outcome:
        """Decide a call and ask a person if it needs approval; does not wait."""

        def submit() -> Outcome:
            with self._client_with_token(agent.token) as client:
                return _submit_call(client, agent, call)

        return await self._run_in_thread(submit)

    async def ask(self, agent: RegisteredAgent, call: AskedCall, on_waiting: OnWaiting) -> Outcome:
        """Decide a call and wait for a person as long as it takes; `on_waiting` is called meanwhile.

        The question is withdrawn if the caller is cancelled, or if nobody answers within the fleet's limit.
        """
        clock = asyncio.get_running_loop().time
        with self._client_with_token(agent.token) as client:
            outcome = await self._submit_or_withdraw(client, agent, call)
            deadline = clock() + self._answer_seconds
            while outcome.kind is OutcomeKind.WAIT:
                seconds = min(POLL_SECONDS, deadline - clock())
                if seconds <= 0:
                    return await self._give_up(client, agent, outcome.approval)
                outcome = await self._wait_for_answer(client, agent, outcome.approval, on_waiting, seconds)
        return outcome

    async def has_own_answer(self, approval: str) -> bool:
        """Whether a person said yes to exactly this approval, not to another one that covers it."""

        def find() -> Approval:
            with self._owner_client() as client:
                return client.approval(approval)

        if not approval:
            return False
        answer = (await self._run_in_thread(find)).answer
        return answer is not None and answer.yes and not answer.released_by

    async def keep_open(self, agent: RegisteredAgent, approval: str, nonce: str) -> None:
        """Renew the lease of a question until it is answered; the prompt tool does not wait for it yet."""
        kind = OutcomeKind.WAIT
        while kind is OutcomeKind.WAIT:
            await asyncio.sleep(RENEWAL_SECONDS)
            # A server that restarts has the question in its store.
            with suppress(AssentError), self._client_with_token(agent.token) as client:
                kind = (await self._run_in_thread(partial(client.wait, approval, 0.0, nonce=nonce))).kind

    async def decide(self, agent: RegisteredAgent, call: AskedCall) -> Decision:
        """The decision about a call; nothing is asked or recorded."""

        def decide() -> Decision:
            with self._owner_client() as client:
                return _decide_call(client, agent, call)

        return await self._run_in_thread(decide)

    async def is_in_workspace(self, agent: RegisteredAgent, directory: str) -> bool:
        """Whether a directory is in a workspace of an agent, as the server decides a read of it."""

        def look() -> bool:
            with self._owner_client() as client:
                return _is_in_workspace(client, agent, directory)

        return await self._run_in_thread(look)

    async def record_confirmation(self, agent: RegisteredAgent, call: AskedCall, reason: str) -> None:
        """Record that the owner confirmed a call at a terminal; raises an error if that fails."""
        outcome = await self.submit(agent, call)
        if outcome.kind is not OutcomeKind.WAIT:
            raise AssentError(f"`{call.tool}` cannot be put on record: {outcome.message or outcome.kind}")

        def answer() -> None:
            with self._owner_client() as client:
                shown = client.approval(outcome.approval)
                client.answer(shown.id, shown.digest, Answer(say=Say.ONCE, reason=reason))

        await self._run_in_thread(answer)
        with self._client_with_token(agent.token) as client:
            claimed = await self._run_in_thread(partial(client.wait, outcome.approval, 0.0))
        if claimed.kind is not OutcomeKind.RUN:
            raise AssentError(f"`{call.tool}` is not allowed: {claimed.message}")
        await self.report_done(agent, replace(claimed, approval=outcome.approval))

    async def report_done(self, agent: RegisteredAgent, outcome: Outcome) -> None:
        """Report that an approved call has run."""

        def report() -> None:
            with self._client_with_token(agent.token) as client:
                client.report(outcome.approval, outcome.claim)

        await self._run_in_thread(report)

    # ---- requests -------------------------------------------------------------------------------

    async def _wait_for_answer(
        self, client: Client, agent: RegisteredAgent, approval: str, on_waiting: OnWaiting, seconds: float
    ) -> Outcome:
        try:
            await on_waiting()
            outcome = await self._run_in_thread(partial(client.wait, approval, seconds))
        except asyncio.CancelledError:
            await asyncio.shield(self._withdraw_question(agent, approval))
            raise
        return outcome if outcome.approval else replace(outcome, approval=approval)

    async def _submit_or_withdraw(self, client: Client, agent: RegisteredAgent, call: AskedCall) -> Outcome:
        """Submit a call; if the caller is cancelled meanwhile, withdraw the question that came of it."""
        submitting = asyncio.ensure_future(self._run_in_thread(partial(_submit_call, client, agent, call)))
        try:
            return await asyncio.shield(submitting)
        except asyncio.CancelledError:
            outcome = await submitting
            if outcome.kind is OutcomeKind.WAIT:
                await asyncio.shield(self._withdraw_question(agent, outcome.approval))
            raise

    async def _give_up(self, client: Client, agent: RegisteredAgent, approval: str) -> Outcome:
        """Withdraw a question that nobody answered in time; an answer that came just before still counts."""
        await self._withdraw_question(agent, approval)
        outcome = await self._run_in_thread(partial(client.wait, approval, 0.0))
        if outcome.kind is OutcomeKind.RUN:
            return replace(outcome, approval=approval)
        message = outcome.reason or f"nobody answered within {self._answer_seconds:.0f} s"
        return replace(outcome, kind=OutcomeKind.REFUSE, approval=approval, message=message)

    async def _withdraw_question(self, agent: RegisteredAgent, approval: str) -> None:
        # A new connection, because a thread may still wait on the other one.
        with suppress(AssentError), self._client_with_token(agent.token) as client:
            await self._run_in_thread(partial(client.withdraw, approval))

    def _create_agent_access(
        self, id: str, allowed_tools: tuple[str, ...], server: str, preset: str, root: str
    ) -> RegisteredAgent:
        prefix = f"mcp__{server}__"
        with self._owner_client() as client:
            self._forget_earlier_run(client, id)
            if server != SERVER_NAME:
                names = [text for text in allowed_tools if text.startswith(prefix)]
                tools = [{"name": name, "effect": "external"} for name in names]
                client.request("PUT", f"/v1/agents/{id}/catalog", {"origin": "fleet", "tools": tools})
            begun = client.request("POST", "/v1/conversations", {"agent": id, "preset": preset}, tries=1)
            wanted = {"kind": "agent", "name": id, "label": "fleet"}
            token = Fields(client.request("POST", "/v1/tokens", wanted, tries=1), "token")
            # The preset has the rules for all agents already.
            own = [text for text in allowed_tools if text not in self._preset_rules]
            agent = RegisteredAgent(
                id=id,
                token=token.text("secret"),
                token_id=token.text("id"),
                conversation=Fields(begun, "conversation").text("id"),
                rules=tuple(_add_rule(client, id, text) for text in own),
            )
            return _with_workspace(client, agent, os.path.realpath(root)) if root else agent

    def _forget_earlier_run(self, client: Client, id: str) -> None:
        for rule in client.rules():
            if rule.agent == id and rule.why == RULE_REASON:
                client.revoke(rule.id)
        for grant in client.grants():
            if grant.agent == id and grant.lifetime is Lifetime.RESTART:
                client.revoke(grant.id)

    def _revoke_agent_access(self, agent: RegisteredAgent) -> None:
        with self._owner_client() as client:
            for rule in agent.rules:
                with suppress(AssentError):
                    client.revoke(rule)
            with suppress(AssentError):
                client.request("DELETE", f"/v1/tokens/{agent.token_id}")
            if agent.workspace:
                with suppress(AssentError):
                    _replace_workspace(client, agent.id, removed=agent.workspace)

    def _withdraw_questions(self, agent: RegisteredAgent) -> None:
        with self._owner_client() as owner, self._client_with_token(agent.token) as client:
            for excerpt in owner.excerpts(state="pending", conversation=agent.conversation):
                with suppress(AssentError):
                    client.withdraw(excerpt.approval.id)

    def _owner_client(self) -> Client:
        return self._client_with_token(self._owner_token)

    def _client_with_token(self, token: str) -> Client:
        return Client(self.url, token)

    async def _run_in_thread(self, work: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)


def _submit_call(client: Client, agent: RegisteredAgent, call: AskedCall) -> Outcome:
    return client.submit(
        call.tool,
        call.args,
        id=call.id,
        conversation=agent.conversation,
        cwd=call.cwd,
        agent=agent.id,
        lease=LEASE_SECONDS,
        lineage=call.lineage,
        **({"nonce": call.nonce} if call.nonce else {}),
    )


def _decide_call(client: Client, agent: RegisteredAgent, call: AskedCall) -> Decision:
    body = {
        "tool": call.tool,
        "args": dict(call.args),
        "agent": agent.id,
        "conversation": agent.conversation,
        "cwd": call.cwd,
        "lineage": call.lineage,
    }
    return decision_from_json(client.request("POST", "/v1/decide", body))


def _is_in_workspace(client: Client, agent: RegisteredAgent, directory: str) -> bool:
    read = AskedCall(tool="Read", args={"file_path": directory}, id="", cwd=directory)
    return all(step.stage is not Stage.OUTSIDE for step in _decide_call(client, agent, read).steps)


def _with_workspace(client: Client, agent: RegisteredAgent, root: str) -> RegisteredAgent:
    """The agent with this workspace, or with the reason why it has none."""
    # INVARIANT: no error leaves this function, or nobody would revoke the token of the agent.
    try:
        if _is_in_workspace(client, agent, root):
            return agent
        _replace_workspace(client, agent.id, added=root)
    except AssentError as error:
        return replace(agent, workspace_problem=str(error))
    return replace(agent, workspace=root)


def _replace_workspace(client: Client, agent: str, *, added: str = "", removed: str = "") -> None:
    """Add a workspace of an agent, with a proof that the server reads back, or remove one."""
    known = [one for one in client.workspaces() if one.agent == agent]
    kept = [WantedRoot(one.root) for one in known if one.root not in (added, removed)]
    ids = [one.id for one in known]
    if not added:
        client.replace_workspaces(agent, kept, ids)
        return
    with write_proof(added) as proof:
        client.replace_workspaces(agent, [*kept, WantedRoot(added, proof)], ids)


def _add_rule(client: Client, agent: str, text: str) -> str:
    body = {"list": "allow", "text": text, "agent": agent, "why": RULE_REASON}
    return Fields(client.request("POST", "/v1/rules", body, tries=1), "rule").text("id")
