"""A tool of the chat: its definition and function, and the context, arguments and result of a call."""

import asyncio
import logging
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import NamedTuple, ParamSpec, TypeVar

from assent.config.tools import TOOLS_BY_BELT
from assent.engine.base.facts import CallDirectories
from assent.engine.base.tool import Call, Tool, as_list, as_object
from assent.errors import AssentError
from assent.gate.access import Principal
from assent.gate.catalog import DeclaredTool, TrustLevel
from assent.gate.ports import ArgumentIssue, DryRunResult
from assent.gate.turn import Turn
from assent.hosts.chat.tools.schema import Schema, find_issues
from assent.hosts.chat.tools.settings import ToolLimits
from assent.hosts.chat.tools.text import clip_text, replace_invalid_characters, to_json_object


class ReadRequest(NamedTuple):
    """A file that a result would show although the call does not name it."""

    tool: str
    """The tool that reads files of this kind, whose rules apply."""
    path: str
    directory: str = ""
    """The directory of the call; empty for the server's own."""


MayRead = Callable[[ReadRequest], Awaitable[bool]]
"""Returns whether policy allows reading a file without asking."""
Progress = Callable[[str], Awaitable[None]]
"""Shows progress output of a running tool to people."""
Params = ParamSpec("Params")
Returned = TypeVar("Returned")
_log = logging.getLogger("assent.chat.tools")


class ToolError(AssentError):
    """A tool failed in an expected way; the model gets the message, and the run continues."""


class CallSuspendedError(AssentError):
    """A call was interrupted; it continues when the same call is made again."""


async def ignore_progress(text: str) -> None:
    """Discards progress output."""


async def allow_all_reads(wanted: ReadRequest) -> bool:
    """Allows reading every file."""
    return bool(wanted.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """The workspace, principal, limits and callbacks of one call of a tool."""

    directories: CallDirectories
    """The workspace's roots and the current directory, as the gate used them for its decision."""
    principal: Principal
    conversation: str = ""
    call_id: str = ""
    directory: str = ""
    """The directory that the call names, for which the gate decided it; empty for the server's own."""
    progress: Progress = ignore_progress
    may_read: MayRead = allow_all_reads
    """Checked before a result shows lines of a file that the call does not name."""
    turn: Turn | None = None
    """The turn of the call, for tools that make calls themselves."""
    limits: ToolLimits = ToolLimits()
    may_leave_workspace: bool = False
    """True if a person approved this call; otherwise the file tools refuse paths outside the workspace."""
    approval: str = ""
    """The id of the approval of this call; empty if nobody was asked."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """Reads the arguments of a call; a value of the wrong type raises `ToolError`."""

    values: Mapping[str, object]

    def __contains__(self, name: str) -> bool:
        return self.values.get(name) is not None

    def get_text(self, name: str, default: str | None = None) -> str:
        """A string argument; raises `ToolError` if it is missing without a default."""
        value = self.values.get(name, default)
        if not isinstance(value, str):
            raise ToolError(f"`{name}` must be a text")
        return value

    def get_number(self, name: str, default: int) -> int:
        """An integer argument, or the default."""
        value = self.values.get(name, default)
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            raise ToolError(f"`{name}` must be a number")
        return int(value)

    def get_flag(self, name: str) -> bool:
        """A boolean argument; False if it is missing."""
        return self.values.get(name) is True

    def get_list(self, name: str) -> Sequence[object]:
        """A list argument; empty if it is missing."""
        value = as_list(self.values.get(name, ()))
        if value is None:
            raise ToolError(f"`{name}` must be a list")
        return value

    def get_object(self, name: str) -> Mapping[str, object]:
        """An object argument; empty if it is missing."""
        value = as_object(self.values.get(name, {}))
        if value is None:
            raise ToolError(f"`{name}` must be an object")
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """The result of a call: a text for the model, and data for clients."""

    text: str
    data: Mapping[str, object] = field(default_factory=dict[str, object])
    failed: bool = False


ToolWork = Callable[[Arguments, ToolContext], Awaitable[ToolResult]]
DryRun = Callable[[Arguments, ToolContext], Awaitable[DryRunResult]]
FindIssues = Callable[[Mapping[str, object]], Sequence[ArgumentIssue]]
FindDirectory = Callable[[Mapping[str, object]], Awaitable[str]]
"""Finds the directory for which the gate must decide a call; raises `ToolError` if there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatTool:
    """A tool and the function that executes it; call `run` only after the gate allowed the call."""

    tool: Tool
    work: ToolWork
    dry_run: DryRun | None = None
    """Returns a preview of a call's change; a tool without this function cannot be proposed."""
    seconds: float | None = None
    """The time limit; None for the limit of the context."""
    is_resumable: bool = False
    """Whether an interrupted call can continue, because its progress is stored."""
    trust: TrustLevel = TrustLevel.SERVER
    provider: str = "operations"
    page: str = ""
    """The id of the web page that provides the tool; empty for other tools."""
    find_more_issues: FindIssues | None = None
    """Further checks of the arguments, before the gate decides."""
    find_directory: FindDirectory | None = None
    """For tools whose calls name a root or a terminal; other tools work in the server's own directory."""

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.tool.name

    @property
    def declared_tool(self) -> DeclaredTool:
        """The declaration for the gate's catalog."""
        return DeclaredTool(tool=self.tool, trust=self.trust, provider=self.provider)

    def find_argument_issues(self, args: Mapping[str, object]) -> tuple[ArgumentIssue, ...]:
        """Reasons why arguments do not match the tool's schema."""
        issues = find_issues(self.tool.parameters, args)
        if issues or self.find_more_issues is None:
            return issues
        return tuple(self.find_more_issues(args))

    async def run_call(self, args: Mapping[str, object], context: ToolContext) -> ToolResult:
        """Execute a call; every error becomes a failed result, so that the agent's run continues."""
        seconds = self.seconds or context.limits.seconds
        try:
            async with asyncio.timeout(seconds):
                return await self._validate_and_run(args, context)
        except CallSuspendedError:
            raise
        except ToolError as error:
            return _failed_result(str(error))
        except TimeoutError:
            return _failed_result(f"`{self.name}` took longer than {seconds:g} seconds and was ended")
        except Exception as error:  # noqa: BLE001 - a crash of a tool becomes a failed result here
            _log.error("tool `%s` crashed: %s in %s", self.name, type(error).__name__, _crash_location(error))
            return _failed_result(f"`{self.name}` crashed: {type(error).__name__}")

    async def _validate_and_run(self, args: Mapping[str, object], context: ToolContext) -> ToolResult:
        if issues := self.find_argument_issues(args):
            raise ToolError(f"the arguments are not valid: {'; '.join(map(' '.join, issues))}")
        result = await self.work(Arguments(args), replace(context, progress=_limited_progress(context)))
        text = clip_text(replace_invalid_characters(result.text), context.limits.characters)
        return replace(result, text=text, data=to_json_object(result.data))


def define_tool(name: str, description: str, parameters: Schema) -> Tool:
    """The built-in definition of a chat tool, with a description and parameters for the model."""
    return replace(TOOLS_BY_BELT["chat"][name], description=description, parameters=parameters)


CreateContext = Callable[[Principal, Call], ToolContext]
"""Creates the context for a principal's call."""


@dataclass(frozen=True, slots=True)
class ProposalRunner:
    """Validates, previews and runs proposed calls of one tool for the gate."""

    tool: ChatTool
    preview: DryRun
    create_context: CreateContext

    async def validate(self, call: Call) -> Sequence[ArgumentIssue]:
        """Reasons why a call cannot succeed, from its schema and a dry run."""
        if issues := self.tool.find_argument_issues(call.args):
            return issues
        try:
            # A dry run changes nothing, so no rights are checked.
            await self.preview(Arguments(call.args), self.create_context(Principal(id=call.user), call))
        except ToolError as error:
            return (ArgumentIssue("arguments", str(error)),)
        return ()

    async def dry_run(self, principal: Principal, call: Call) -> DryRunResult:
        """Preview the change of a call, without making it."""
        return await self.preview(Arguments(call.args), self.create_context(principal, call))

    async def run(self, principal: Principal, call: Call) -> object:
        """Run a call for a principal; raises `ToolError` for a failed result, so that the gate records it."""
        result = await self.tool.run_call(call.args, self.create_context(principal, call))
        if result.failed:
            raise ToolError(result.text)
        return result


def proposal_runner(tool: ChatTool, create_context: CreateContext) -> ProposalRunner | None:
    """The runner for proposed calls of a tool; None if the tool has no dry run."""
    return None if tool.dry_run is None else ProposalRunner(tool, tool.dry_run, create_context)


class ThreadPool:
    """A pool of threads for one kind of blocking work, separate from the threads of the gate."""

    def __init__(self, name: str, size: int) -> None:
        self._pool = ThreadPoolExecutor(size, f"assent-{name}")

    async def run_in_thread(
        self, function: Callable[Params, Returned], *args: Params.args, **kwargs: Params.kwargs
    ) -> Returned:
        """Run a blocking function; cancelling the caller does not stop the thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, lambda: function(*args, **kwargs))


FILE_THREADS = ThreadPool("files", 8)
"""Threads for file access and computations."""
NETWORK_THREADS = ThreadPool("network", 32)
"""Threads for network connections, which may wait long."""


def _limited_progress(context: ToolContext) -> Progress:
    """Progress output limited to the length of a result; errors of the listener are ignored."""
    room = context.limits.characters

    async def report_limited_progress(text: str) -> None:
        nonlocal room
        if room > 0:
            shown = text[:room]
            room -= len(shown)
            try:
                await context.progress(shown)
            except Exception as error:  # noqa: BLE001 - a listener that fails must not stop the work
                _log.warning("progress could not be shown: %s", type(error).__name__)
                room = 0

    return report_limited_progress


def _crash_location(error: Exception) -> str:
    """File and line of a crash; the error's message is not logged, because it may contain arguments."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{last.filename}, line {last.lineno}"


def _failed_result(text: str) -> ToolResult:
    return ToolResult(text=replace_invalid_characters(text), failed=True)
