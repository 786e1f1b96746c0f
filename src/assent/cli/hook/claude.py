"""`assent hook claude`: decide one event of Claude Code in this process, or by the user's server if it runs.

Claude Code starts this program before every tool call, so it loads only what a decision needs.
Whatever goes wrong, it ends with status 2 and a sentence: every other status would let the call go on.
"""

import os
import sys
from collections.abc import Mapping

from assent.cli.base.decider import LocalDecider, build_decider
from assent.config.paths import MANAGED_DIRECTORY, ConfigPaths, find_config_paths, find_root
from assent.config.policy import SHIPPED_POLICY, Policy
from assent.config.policy_cache import load_cached_policy, read_cache_inputs, save_cached_policy
from assent.config.strictjson import MAX_JSON_BYTES
from assent.engine.base.tool import Call, Tool
from assent.engine.base.value import Value, replace
from assent.engine.policy.modes import Mode, narrower_mode, parse_mode
from assent.engine.policy.verdict import Decision, Stage, Verdict
from assent.errors import AssentError, InputError
from assent.hosts.hook.claude import (
    AGENT,
    NO_DECISION,
    SOCKET_FILE,
    TEST_SESSION,
    TOKEN_FILE,
    HookEvent,
    HookEventKind,
    HookReply,
    asking_reply,
    decision_reply,
    event_to_call,
    failure_reply,
    is_plan_file,
    read_event,
    to_bash_call,
)
from assent.hosts.hook.history import append_history_entry, build_history_entry

CEILING = Mode.ACCEPT_EDITS
"""The widest mode that the client's own mode switch can reach; `auto` is never one."""


class HookOptions(Value):
    """The options that `assent hook install` wrote into the hook; an empty directory is the default."""

    home: str = ""
    config: str = ""
    data: str = ""
    ceiling: str = CEILING.value
    record_commands: bool = False


class ServerMissingError(AssentError):
    """The user's server should decide the event, but it cannot be asked."""


def run_hook(options: HookOptions) -> int:
    """Answer the event on standard input; return the exit status of the process."""
    try:
        data = sys.stdin.buffer.read(MAX_JSON_BYTES + 1)
        try:
            status = ask_server(data, find_data_directory(options, os.environ))
            if status is not None:
                return status
            reply = answer_event(data, options, os.environ)
        except ServerMissingError as error:
            reply = answer_event(data, options, os.environ, missing_server=str(error))
        sys.stdout.write(reply.out)
        sys.stdout.flush()
        sys.stderr.write(reply.err)
        sys.stderr.flush()
    except BaseException as error:  # noqa: BLE001 - the edge: a failure must block the call
        sys.stderr.write(failure_reply(f"the hook failed ({type(error).__name__}: {error})").err)
        return failure_reply("").status
    return reply.status


def ask_server(data: bytes, directory: str) -> int | None:
    """Let the server with this data directory answer the event; None if no server runs.

    A server that was stopped leaves no socket. INVARIANT: as soon as the server is connected, each failure
    blocks the call.
    """
    place = os.path.join(directory, SOCKET_FILE)
    if not directory or not os.path.lexists(place):
        return None
    token = os.path.join(directory, TOKEN_FILE)
    if not os.path.exists(token):
        raise ServerMissingError(
            "your server runs, but this hook has no token for it; run `assent hook install`"
        )
    # Only here, because most events of this hook meet no server.
    from assent.hosts.hook.process import NO_FALLBACK, ServerUnreachable, main

    try:
        return main([f"unix:{place}", token, NO_FALLBACK], data)
    except ServerUnreachable:
        raise ServerMissingError(
            "your server ended without being stopped, and its rules are unknown here; start `assent serve`,"
            " or decide without it: `assent hook install --local`"
        ) from None


def answer_event(
    data: bytes, options: HookOptions, environ: Mapping[str, str], *, missing_server: str = ""
) -> HookReply:
    """The reply to an event; an error becomes a reply that blocks the call.

    `missing_server` states why the server cannot be asked that should decide; then no call runs unasked.
    """
    try:
        event = read_event(data)
        match event.kind:
            case HookEventKind.PRE_TOOL_USE:
                return _answer_call(event, find_hook_paths(options, environ), options, missing_server)
            case HookEventKind.PERMISSION_REQUEST:
                # No person has been asked by us, so the question stays the client's.
                return decision_reply(event, decide_event(event, find_hook_paths(options, environ), options))
            case (
                HookEventKind.POST_TOOL_USE
                | HookEventKind.POST_TOOL_USE_FAILURE
                | HookEventKind.SESSION_START
                | HookEventKind.SUBAGENT_START
                | HookEventKind.SESSION_END
            ):
                return NO_DECISION
    except AssentError as error:
        return failure_reply(str(error))
    except Exception as error:  # noqa: BLE001 - the edge: a failure must block the call
        return failure_reply(f"it could not be decided ({type(error).__name__}: {error})")


def find_data_directory(options: HookOptions, environ: Mapping[str, str]) -> str:
    """The directory in which the user's server has its socket; empty if the client names no project."""
    if options.data:
        return options.data
    try:
        return find_hook_paths(options, environ).data
    except InputError:
        return ""  # `answer_event` blocks the call and gives the reason.


def find_hook_paths(options: HookOptions, environ: Mapping[str, str]) -> ConfigPaths:
    """The policy files of the client's project; the event's directory follows the model and is not used."""
    project = environ.get("CLAUDE_PROJECT_DIR", "")
    if not os.path.isabs(project):
        raise InputError("CLAUDE_PROJECT_DIR is not an absolute path; Claude Code sets it for its hooks")
    if not options.home:
        return find_config_paths(project, environ)
    return ConfigPaths(
        root=find_root(project, options.home),
        cwd=project,
        home=options.home,
        managed=MANAGED_DIRECTORY,
        user=options.config,
        data=options.data,
    )


def decide_event(event: HookEvent, paths: ConfigPaths, options: HookOptions) -> Decision:
    """Decide the call of an event by the policy of the project, in the client's mode up to the ceiling."""
    policy = load_hook_policy(paths)
    decider = build_decider(paths, policy, AGENT)
    snapshot = replace(
        decider.snapshot,
        mode=narrower_mode(event.assent_mode, widest_allowed_mode(policy, options)),
        attended=policy.attended and event.can_client_ask,
    )
    decider = replace(decider, snapshot=snapshot, directories=replace(decider.directories, cwd=event.cwd))
    return _decide_call(event_to_call(event), decider)


def widest_allowed_mode(policy: Policy, options: HookOptions) -> Mode:
    """The widest mode of a session; a policy file that sets a mode can only lower it."""
    ceiling = narrower_mode(parse_mode(options.ceiling), CEILING)
    if "mode" in policy.origins:
        ceiling = narrower_mode(ceiling, policy.mode)
    return ceiling or Mode.DEFAULT


def load_hook_policy(paths: ConfigPaths) -> Policy:
    """The policy of the project; from the cache if no file changed since.

    ASSENT_MODE and ASSENT_PRESET have no effect: a repository can set variables for the client.
    """
    if not paths.existing_files():
        return SHIPPED_POLICY
    inputs = read_cache_inputs(paths)
    cached = None if inputs is None else load_cached_policy(paths, inputs)
    if cached is not None:
        return cached
    from assent.config.layers import DEFAULT_PRESET, load_policy
    from assent.config.repository import load_trust

    policy = load_policy(paths, load_trust(paths.trust_file), {})
    if inputs is not None and policy.preset == DEFAULT_PRESET and read_cache_inputs(paths) == inputs:
        save_cached_policy(paths, inputs, policy)
    return policy


def _answer_call(
    event: HookEvent, paths: ConfigPaths, options: HookOptions, missing_server: str
) -> HookReply:
    decision = decide_event(event, paths, options)
    if decision.stage is Stage.PLAN and is_plan_file(event, paths.home):
        return NO_DECISION
    reply = decision_reply(event, decision)
    if missing_server and decision.verdict is Verdict.RUN:
        decision = decision._replace(verdict=Verdict.ASK)
        reply = asking_reply(event.kind, missing_server)
    if event.session == TEST_SESSION:
        return reply
    entry = build_history_entry(event, decision, paths.root, with_command=options.record_commands)
    try:
        append_history_entry(paths.data, entry)
    except OSError as error:
        problem = (error.strerror or type(error).__name__).lower()
        return replace(reply, err=f"assent: the call was decided, but not recorded: {problem}\n")
    return reply


def _decide_call(call: Call, decider: LocalDecider) -> Decision:
    decision = decider.decide_call(call).decision
    if decision.stage is Stage.UNKNOWN:
        return _decide_undeclared_call(call, decider, decision)
    shell = to_bash_call(call)
    if shell is None:
        return decision
    return max(decision, decider.decide_call(shell).decision, key=lambda each: each.verdict)


def _decide_undeclared_call(call: Call, decider: LocalDecider, decision: Decision) -> Decision:
    """Let the client ask about a call of an undeclared tool, unless a rule or the mode denies the call."""
    tools = {**decider.snapshot.tools, call.tool: Tool(name=call.tool)}
    declared = decider.decide_call(call, tools).decision
    return declared if declared.verdict is Verdict.DENY else decision
