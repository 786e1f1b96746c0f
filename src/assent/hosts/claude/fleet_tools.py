"""The tools that a fleet offers to its agents: their descriptions, who may call them, and what they do."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Protocol, cast

from assent.client.client import OutcomeKind
from assent.config.fleet import LEAD_ID
from assent.errors import AssentError, ForbiddenError, InputError, NotFoundError
from assent.hosts.claude.brief import Brief
from assent.hosts.claude.command_line import PROMPT_TOOL
from assent.hosts.claude.fleet_state import EVERYBODY, MAX_TEXT, FleetState
from assent.hosts.claude.github import GITHUB_TOOLS, GitHub

Arguments = Mapping[str, object]
OnWaiting = Callable[[], Awaitable[None]]
STATUSES = ("idle", "working", "blocked", "waiting_review", "done")
_TEXT: Mapping[str, object] = {"type": "string", "maxLength": MAX_TEXT}
_TEXTS: Mapping[str, object] = {"type": "array", "items": _TEXT, "maxItems": 500}
_NUMBER: Mapping[str, object] = {"type": "integer", "minimum": 1}
_FLAG: Mapping[str, object] = {"type": "boolean"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetTool:
    """The name, description and parameters of a tool, as agents see them."""

    name: str
    description: str
    parameters: Mapping[str, Mapping[str, object]]
    required: tuple[str, ...] = ()
    for_lead: bool = False

    @property
    def schema(self) -> dict[str, object]:
        """The JSON schema of the arguments; the client's prompt tool may send more."""
        return {
            "type": "object",
            "properties": dict(self.parameters),
            "required": list(self.required),
            "additionalProperties": self.name == PROMPT_TOOL,
        }


def _agent_tool(
    name: str, description: str, /, *required: str, **parameters: Mapping[str, object]
) -> FleetTool:
    return FleetTool(name=name, description=description, parameters=parameters, required=required)


def _lead_tool(
    name: str, description: str, /, *required: str, **parameters: Mapping[str, object]
) -> FleetTool:
    return FleetTool(
        name=name, description=description, parameters=parameters, required=required, for_lead=True
    )


_STATUS: Mapping[str, object] = {"type": "string", "enum": list(STATUSES)}
_SECTION: Mapping[str, object] = {"type": "string", "enum": ["current_status", "decisions_log"]}
_STATE: Mapping[str, object] = {"type": "string", "enum": ["open", "closed", "all"]}
_LABELS = {"labels": _TEXTS, "milestone": _TEXT}
FLEET_TOOLS = (
    FleetTool(
        name=PROMPT_TOOL,
        description="For Claude Code itself, which calls it before a call that needs approval.",
        parameters={"tool_name": _TEXT, "input": {"type": "object"}, "tool_use_id": _TEXT},
    ),
    _agent_tool("send_message", "Send a message to an agent, to `archie` (the lead) or to `broadcast`.",
          "to", "content", to=_TEXT, content=_TEXT),
    _agent_tool("get_messages", "Read the messages to you that you have not read, or those after `since_id`.",
          since_id={"type": ["integer", "string"]}),
    _agent_tool("update_status", "Tell what you are doing.", "task", "status", task=_TEXT, status=_STATUS),
    _agent_tool("save_progress", "Keep what was reached; you get it back after a restart.", "progress",
          progress=_TEXT, next_steps=_TEXT, blockers=_TEXT, files_modified=_TEXTS, decisions=_TEXTS),
    _agent_tool("report_completion", "Report that your work is done.", "summary", summary=_TEXT,
          artifacts=_TEXTS),
    _lead_tool("spawn_agent", "Start an agent of the pool with an assignment.", "role", "assignment",
               role=_TEXT, assignment=_TEXT, context=_TEXT, skip_permissions=_FLAG),
    _lead_tool("teardown_agent", "End an agent and remove its worktree; its branch stays.", "agent_id",
               agent_id=_TEXT, reason=_TEXT),
    _lead_tool("list_agents", "List the agents with status, task, tokens and cost."),
    _lead_tool("escalate_to_user", "Ask the person a question, and wait for the answer.", "question",
               question=_TEXT, options=_TEXTS),
    _lead_tool("request_merge", "Merge the branch of an agent; the person may be asked first.", "agent_id",
               agent_id=_TEXT, target_branch=_TEXT),
    _lead_tool("get_project_context", "Read the project, its brief, its agents and the state of Git."),
    _lead_tool("close_project", "End the fleet; the work is done.", "summary", summary=_TEXT),
    _lead_tool("update_brief", "Replace the current status in BRIEF.md, or add a decision.", "section",
               "content", section=_SECTION, content=_TEXT),
    _lead_tool("gh_create_issue", "Create an issue on GitHub.", "title", "body", title=_TEXT, body=_TEXT,
               assignee=_TEXT, **_LABELS),
    _lead_tool("gh_list_issues", "List issues on GitHub.", state=_STATE, limit=_NUMBER, **_LABELS),
    _lead_tool("gh_close_issue", "Close an issue on GitHub.", "issue_number", issue_number=_NUMBER,
               comment=_TEXT),
    _lead_tool("gh_update_issue", "Change an issue on GitHub.", "issue_number", issue_number=_NUMBER,
               add_labels=_TEXTS, remove_labels=_TEXTS, milestone=_TEXT, assignee=_TEXT),
    _lead_tool("gh_add_comment", "Comment on an issue on GitHub.", "issue_number", "body",
               issue_number=_NUMBER, body=_TEXT),
    _lead_tool("gh_create_milestone", "Create a milestone on GitHub.", "title", title=_TEXT,
               description=_TEXT, due_date=_TEXT),
    _lead_tool("gh_list_milestones", "List the milestones on GitHub."),
)  # fmt: skip
"""All tools; the prompt tool is listed, or the client would not find it."""
_BY_NAME = {tool.name: tool for tool in FLEET_TOOLS}


class FleetControl(Protocol):
    """The operations of the running fleet that its tools use."""

    async def spawn(self, role: str, assignment: str, context: str, *, skip: bool) -> Mapping[str, object]:
        """Start an agent of the pool."""
        ...

    async def teardown(self, id: str, reason: str) -> Mapping[str, object]:
        """End an agent and remove its worktree."""
        ...

    async def ask_person(
        self, tool: str, arguments: Arguments, on_waiting: OnWaiting
    ) -> tuple[OutcomeKind, Arguments, str]:
        """Ask the person a question of the lead; returns the outcome, arguments and words."""
        ...

    async def merge(self, id: str, target: str, on_waiting: OnWaiting) -> Mapping[str, object]:
        """Merge the branch of an agent."""
        ...

    async def notify(self, recipient: str) -> None:
        """Continue an agent that has ended and has a new message."""
        ...

    def context(self) -> Mapping[str, object]:
        """The project and its agents."""
        ...

    def close(self, summary: str) -> None:
        """End the fleet."""
        ...


class FleetTools:
    """Runs the tools for an agent; a worker that calls a tool of the lead is refused."""

    def __init__(
        self, state: FleetState, control: FleetControl, brief: Brief, github: GitHub | None = None
    ) -> None:
        self._state = state
        self._control = control
        self._brief = brief
        self._github = github

    def offered_to(self, agent: str) -> list[FleetTool]:
        """The tools that an agent sees; GitHub tools only if `gh` is installed."""
        return [
            tool
            for tool in FLEET_TOOLS
            if (agent == LEAD_ID or not tool.for_lead)
            and (self._github is not None or tool.name not in GITHUB_TOOLS)
        ]

    async def run(self, agent: str, name: str, arguments: Arguments, on_waiting: OnWaiting) -> str:
        """Run a tool for an agent and return its result as JSON; raises `AssentError` if it is refused."""
        tool = _BY_NAME.get(name)
        if tool is None or tool.name == PROMPT_TOOL:
            raise NotFoundError("tool", name)
        if tool.for_lead and agent != LEAD_ID:
            raise ForbiddenError(agent, f"only the lead may call `{name}`")
        _check_arguments(tool, arguments)
        if name in GITHUB_TOOLS:
            if self._github is None:
                raise AssentError("the program `gh` is not installed")
            return json.dumps(await self._github.run(name, arguments))
        return json.dumps(await self._run_tool(agent, name, arguments, on_waiting))

    async def _run_tool(self, agent: str, name: str, arguments: Arguments, on_waiting: OnWaiting) -> object:
        match name:
            case "send_message":
                return await self._send_message(
                    agent, _text_argument(arguments, "to"), _text_argument(arguments, "content")
                )
            case "get_messages":
                return self._read_messages(agent, arguments.get("since_id"))
            case "update_status":
                self._state.change(
                    agent, task=_text_argument(arguments, "task"), status=_text_argument(arguments, "status")
                )
                return {"ok": True}
            case "save_progress":
                self._state.change(agent, progress=dict(arguments))
                return {"ok": True}
            case "report_completion":
                return await self._report_completion(agent, arguments)
            case _:
                return await self._run_lead_tool(name, arguments, on_waiting)

    async def _run_lead_tool(self, name: str, arguments: Arguments, on_waiting: OnWaiting) -> object:
        match name:
            case "spawn_agent":
                return await self._control.spawn(
                    _text_argument(arguments, "role"),
                    _text_argument(arguments, "assignment"),
                    _text_argument(arguments, "context"),
                    skip=bool(arguments.get("skip_permissions")),
                )
            case "teardown_agent":
                return await self._control.teardown(
                    _text_argument(arguments, "agent_id"), _text_argument(arguments, "reason")
                )
            case "list_agents":
                return {"agents": [_record_to_json(asdict(one)) for one in self._state.records()]}
            case "escalate_to_user":
                return await self._ask_person_for_lead(arguments, on_waiting)
            case "request_merge":
                return await self._control.merge(
                    _text_argument(arguments, "agent_id"),
                    _text_argument(arguments, "target_branch"),
                    on_waiting,
                )
            case "get_project_context":
                return {**self._control.context(), "brief": self._brief.text}
            case "update_brief":
                self._brief.change(_text_argument(arguments, "section"), _text_argument(arguments, "content"))
                return {"ok": True}
            case "close_project":
                self._control.close(_text_argument(arguments, "summary"))
                return {"ok": True}
            case _:
                raise AssertionError(name)

    async def _send_message(self, sender: str, to: str, content: str) -> Mapping[str, object]:
        known = {record.id for record in self._state.records()} | {LEAD_ID, EVERYBODY}
        if to not in known:
            raise NotFoundError("agent", to)
        message = self._state.add_message(sender, to, content)
        await self._control.notify(to)
        return {"message_id": message.id, "timestamp": message.at}

    def _read_messages(self, agent: str, since: object) -> Mapping[str, object]:
        after = (
            int(since) if isinstance(since, int) or (isinstance(since, str) and since.isdecimal()) else None
        )
        found = self._state.take_messages(agent, after)
        shown = [
            {
                "id": one.id,
                "from": one.sender,
                "to": one.recipient,
                "content": one.content,
                "timestamp": one.at,
            }
            for one in found
        ]
        return {"messages": shown, "cursor": found[-1].id if found else after}

    async def _report_completion(self, agent: str, arguments: Arguments) -> Mapping[str, object]:
        summary = _text_argument(arguments, "summary")
        self._state.change(agent, status="done", summary=summary)
        if agent != LEAD_ID:
            self._state.add_message(agent, LEAD_ID, f"{agent} is done: {summary}")
            await self._control.notify(LEAD_ID)
        return {"ok": True}

    async def _ask_person_for_lead(self, arguments: Arguments, on_waiting: OnWaiting) -> Mapping[str, object]:
        """Ask the person; the answer is in the edited arguments, or in the message of a denial."""
        question: dict[str, object] = {
            "question": _text_argument(arguments, "question"),
            "options": arguments.get("options") or list[str](),
        }
        kind, given, words = await self._control.ask_person(
            "fleet.question", {**question, "answer": ""}, on_waiting
        )
        if kind is OutcomeKind.RUN:
            return {"answer": str(given.get("answer") or "yes")}
        return {"answer": words or "no"}


def _check_arguments(tool: FleetTool, arguments: Arguments) -> None:
    for name in tool.required:
        if name not in arguments:
            raise InputError(f"`{tool.name}` needs `{name}`")
    for name, value in arguments.items():
        schema = tool.parameters.get(name)
        if schema is None:
            raise InputError(f"`{tool.name}` has no `{name}`")
        if not _matches_schema(value, schema):
            raise InputError(f"`{name}` of `{tool.name}` does not fit {json.dumps(schema)}")


def _matches_schema(value: object, schema: Mapping[str, object]) -> bool:
    """Whether a value matches a schema; only the kinds of schema in this file are supported."""
    choices = schema.get("enum")
    if isinstance(choices, list):
        return value in choices
    match schema["type"]:
        case "string":
            return isinstance(value, str) and len(value) <= MAX_TEXT
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool) and value >= 1
        case "boolean":
            return isinstance(value, bool)
        case "array":
            items = cast("list[object]", value) if isinstance(value, list) else None
            return (
                items is not None and len(items) <= 500 and all(_matches_schema(one, _TEXT) for one in items)
            )
        case _:
            return isinstance(value, (int, str)) and not isinstance(value, bool)


def _text_argument(arguments: Arguments, name: str) -> str:
    return str(arguments.get(name) or "")


def _record_to_json(record: Mapping[str, object]) -> Mapping[str, object]:
    """The fields of a record that the lead may see; the session is not among them."""
    return {name: value for name, value in record.items() if name not in ("session", "assignment")}
