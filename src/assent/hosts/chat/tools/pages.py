"""The tools of web pages as tools of the chat: each call passes the gate, and is then relayed."""

import json
import re
from collections.abc import Mapping
from typing import cast

from assent.engine.base.tool import Dialect, PathKind, Tool, as_list, specifier_values
from assent.gate.ports import ArgumentIssue
from assent.hosts.browser.connection import PageError
from assent.hosts.browser.layout import GET_CONTEXT, LIST_PANES
from assent.hosts.browser.pages import OfferedTool, Pages, RelayedCall
from assent.hosts.chat.tools.tool import (
    Arguments,
    ChatTool,
    FindIssues,
    ReadRequest,
    ToolContext,
    ToolError,
    ToolResult,
)

NO_TIME_LIMIT = 1e9
"""Seconds, practically unlimited: the relay has limits of its own, which do not count a person's time."""
OUTSIDE_MESSAGE = "leaves the workspace: a path starts at the root of the workspace, such as `/src/a.ts`"


def page_tools(pages: Pages | None, conversation: str) -> tuple[ChatTool, ...]:
    """The tools that the pages of a conversation offer now."""
    if pages is None or not pages.has_pages(conversation):
        return ()
    version = pages.version(conversation)
    known_version, tools = pages.host_tools.get(conversation, (0, ()))
    if not tools or known_version != version:
        tools = (*pane_tools(pages), *(_page_tool(pages, one) for one in pages.tools(conversation)))
        pages.host_tools[conversation] = (version, tools)
    return cast("tuple[ChatTool, ...]", tools)


def pane_tools(pages: Pages) -> tuple[ChatTool, ...]:
    """The tools that read the panes of the connected pages."""
    return (_list_panes_tool(pages), _get_context_tool(pages))


def _page_tool(pages: Pages, offered: OfferedTool) -> ChatTool:
    declared = offered.tool.declared

    async def relay_call(args: Arguments, context: ToolContext) -> ToolResult:
        call = RelayedCall(
            id=context.call_id,
            args=args.values,
            approval=context.approval,
            was_answered=context.may_leave_workspace,
            directory=context.directory,
        )
        try:
            value = await pages.relay(offered, call, context.progress)
        except PageError as error:
            raise ToolError(str(error)) from None
        return _to_result(value)

    async def find_directory(args: Mapping[str, object]) -> str:
        try:
            return await pages.directory_of(offered, args)
        except PageError as error:
            raise ToolError(str(error)) from None

    return ChatTool(
        tool=declared.tool,
        work=relay_call,
        find_directory=find_directory,
        seconds=NO_TIME_LIMIT,
        trust=declared.trust,
        provider="page",
        page=offered.identity.page,
        find_more_issues=_find_path_issues(declared.tool),
    )


def _find_path_issues(tool: Tool) -> FindIssues | None:
    """The check of a tool whose paths start at the root of the workspace; None for other tools."""
    if tool.dialect is not Dialect.PATH or tool.paths is not PathKind.ANCHORED:
        return None

    def find_issues(args: Mapping[str, object]) -> list[ArgumentIssue]:
        found = [path for value in (*specifier_values(tool, args), args.get("to")) for path in _paths(value)]
        return [ArgumentIssue("path", OUTSIDE_MESSAGE)] if any(map(leaves_root, found)) else []

    return find_issues


def _paths(value: object) -> list[str]:
    items = as_list(value) or (value,)
    return [item for item in items if isinstance(item, str)]


def leaves_root(path: str) -> bool:
    """Whether a path that starts at a root climbs out of it, by its text alone."""
    depth = 0
    for name in re.split(r"[/\\]", path):
        if name == "..":
            depth -= 1
        elif name not in ("", "."):
            depth += 1
        if depth < 0:
            return True
    return False


def _to_result(value: object) -> ToolResult:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    return ToolResult(text=text, data={"value": value})


def _list_panes_tool(pages: Pages) -> ChatTool:
    async def list_panes(args: Arguments, context: ToolContext) -> ToolResult:  # noqa: ARG001 - the signature of a tool's work
        try:
            return _to_result({"panes": await pages.list_panes(context.conversation)})
        except PageError as error:
            raise ToolError(str(error)) from None

    return ChatTool(tool=LIST_PANES, work=list_panes, provider="page")


def _get_context_tool(pages: Pages) -> ChatTool:
    async def get_context(args: Arguments, context: ToolContext) -> ToolResult:
        async def may_read(path: str, directory: str) -> bool:
            return await context.may_read(ReadRequest("files.read", path, directory))

        try:
            found = await pages.read_context(context.conversation, args.get_text("instanceId"), may_read)
            return _to_result(found)
        except PageError as error:
            raise ToolError(str(error)) from None

    return ChatTool(tool=GET_CONTEXT, work=get_context, provider="page")
