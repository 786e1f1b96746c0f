"""Carries out calls of agents that the gate let run, each with a ticket for exactly this call."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from assent.config.tools import TOOLS_BY_BELT
from assent.engine.base.tool import Call
from assent.errors import AssentError
from assent.gate.file_preview import UnreadReason, file_edit
from assent.hosts.workbench import files
from assent.hosts.workbench.files import FileShown
from assent.hosts.workbench.refusal import Reason, WorkbenchError
from assent.hosts.workbench.roots import Root
from assent.hosts.workbench.shapes import (
    content_to_json,
    file_to_json,
    listing_to_json,
    terminal_to_json,
    text_to_bytes,
)
from assent.hosts.workbench.terminal import DEFAULT_SECONDS, MAX_SECONDS
from assent.hosts.workbench.terminals import Terminals
from assent.hosts.workbench.tickets import Ticket, Tickets

Value = Mapping[str, object]
_TOOLS = TOOLS_BY_BELT["workbench"]
_DIGEST_LENGTH = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRequest:
    """A page's request to carry out a call of an agent."""

    ticket: str
    tool: str
    args: Mapping[str, object]
    content: str | None = None
    """The text of the editor, for `editor.save` only: it is not an argument of the call."""
    digest: str | None = None
    """The digest of the file that the editor loaded, for `editor.save` only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    """A call whose ticket was taken."""

    ticket: Ticket
    root: Root
    request: CallRequest

    def text(self, name: str, default: str | None = None) -> str:
        """An argument that is text."""
        value = self.request.args.get(name, default)
        if not isinstance(value, str):
            raise WorkbenchError(Reason.UNFIT, f"the argument `{name}` must be text")
        return value

    @property
    def directory(self) -> str:
        """The directory of the root."""
        return self.root.directory


class AgentCalls:
    """Carries out calls of agents for the person on whose page they run."""

    def __init__(self, tickets: Tickets, terminals: Terminals) -> None:
        self._tickets = tickets
        self._terminals = terminals
        self._on_files: Mapping[str, Callable[[_Work], Value]] = {
            "files.list": _list_files,
            "files.read": _read_file,
            "files.create": _create_file,
            "files.mkdir": _create_directory,
            "files.write": _apply_edit,
            "files.rename": _rename,
            "files.delete": _delete,
            "editor.save": _save,
            "editor.applyEdit": _apply_edit,
            "editor.proposeEdit": _apply_edit,
        }
        self._on_terminals: Mapping[str, Callable[[_Work], Awaitable[Value]]] = {
            "terminal.list": self._list_terminals,
            "terminal.read": self._read_terminal,
            "terminal.exec": self._execute,
        }

    def needs_terminal(self, tool: str) -> bool:
        """Whether a tool is one of the terminal's."""
        return tool in self._on_terminals

    async def run(self, user: str, request: CallRequest, roots: Sequence[Root]) -> Value:
        """Take the ticket of a call and carry the call out; returns the value for the model."""
        ticket = self._tickets.redeem(user, request.ticket, request.tool, request.args)
        root = next((one for one in roots if one.directory == ticket.root), None)
        if root is None:
            raise WorkbenchError(Reason.ABSENT, "the root of this call is not registered any more")
        if request.tool != "editor.save" and (request.content is not None or request.digest is not None):
            raise WorkbenchError(Reason.TICKET, "only `editor.save` has a content beside its arguments")
        work = _Work(ticket=ticket, root=root, request=request)
        if (on_files := self._on_files.get(request.tool)) is not None:
            return await asyncio.to_thread(on_files, work)
        if (on_terminals := self._on_terminals.get(request.tool)) is not None:
            return await on_terminals(work)
        raise WorkbenchError(Reason.TICKET, f"the server carries out no calls of `{request.tool}`")

    async def _list_terminals(self, work: _Work) -> Value:
        mine = self._terminals.owned_by(work.ticket.user)
        return {"terminals": [terminal_to_json(one) for one in mine]}

    async def _read_terminal(self, work: _Work) -> Value:
        return self._terminals.find(work.ticket.user, work.text("terminal")).read_for_agent()._asdict()

    async def _execute(self, work: _Work) -> Value:
        terminal = self._terminals.find(work.ticket.user, work.text("terminal"))
        # The gate read the command as one of this directory; elsewhere its paths mean other files.
        if os.path.normpath(work.ticket.directory) != terminal.directory:
            decided = work.ticket.directory
            raise WorkbenchError(
                Reason.TICKET, f"the gate decided this command for `{decided}`, not for this terminal"
            )
        seconds = work.request.args.get("seconds", DEFAULT_SECONDS)
        if not isinstance(seconds, (int, float)) or not 0 < seconds <= MAX_SECONDS:
            raise WorkbenchError(Reason.UNFIT, f"`seconds` must be at most {MAX_SECONDS}")
        return (await terminal.execute(work.text("command"), seconds))._asdict()


def _list_files(work: _Work) -> Value:
    return listing_to_json(work.root, files.list_directory(work.directory, work.text("path", "/")))


def _read_file(work: _Work) -> Value:
    return content_to_json(work.root, files.read_file(work.directory, work.text("path")))


def _create_file(work: _Work) -> Value:
    data = text_to_bytes(work.text("content", ""))
    return file_to_json(work.root, files.create_file(work.directory, work.text("path"), data))


def _create_directory(work: _Work) -> Value:
    return file_to_json(work.root, files.create_directory(work.directory, work.text("path")))


def _rename(work: _Work) -> Value:
    return file_to_json(work.root, files.rename(work.directory, work.text("path"), work.text("to")))


def _delete(work: _Work) -> Value:
    deleted = files.delete(work.directory, work.text("path"), _seen_digest(work), by_agent=True)
    return file_to_json(work.root, deleted)


def _save(work: _Work) -> Value:
    content, digest = work.request.content, work.request.digest
    if content is None or digest is None:
        raise WorkbenchError(Reason.UNFIT, "`editor.save` needs the `content` and the `digest` of the editor")
    written = files.write_file(work.directory, work.text("path"), text_to_bytes(content), digest)
    return file_to_json(work.root, written)


def _apply_edit(work: _Work) -> Value:
    """Compute the new text as the preview of the question did, and write it over the text that was shown."""
    call = Call(tool=work.request.tool, args=work.request.args)
    edit = file_edit(call, _TOOLS[call.tool], {})
    if edit is None:
        raise WorkbenchError(Reason.UNFIT, "the arguments do not say what the file will contain")
    path = work.text("path")
    before = _read_if_exists(work.directory, path)
    digest = UnreadReason.ABSENT.value if before is None else before.digest
    if (seen := _seen_digest(work)) not in (None, digest):
        raise WorkbenchError(Reason.CHANGED, f"`{path}` has changed since it was shown", digest=digest)
    if before is not None and before.text is None:
        raise WorkbenchError(Reason.BINARY, f"`{path}` is not text")
    try:
        change = edit.compute_change(None if before is None else before.text)
    except AssentError as error:
        raise WorkbenchError(Reason.UNFIT, str(error)) from None
    if change.within:
        raise WorkbenchError(Reason.UNFIT, "cells of notebooks cannot be edited here")
    return file_to_json(
        work.root, files.write_file(work.directory, path, text_to_bytes(change.after), seen or digest)
    )


def _read_if_exists(root: str, path: str) -> FileShown | None:
    try:
        return files.read_file(root, path)
    except WorkbenchError as error:
        if error.reason is Reason.ABSENT:
            return None
        raise


def _seen_digest(work: _Work) -> str | None:
    """The digest of the file that a person saw; None if the file was not read for the question."""
    seen = work.ticket.file_digest
    is_digest = seen is not None and (len(seen) == _DIGEST_LENGTH or seen == UnreadReason.ABSENT.value)
    return seen if is_digest else None
