"""A server process with a chat in its own workspace, for tests."""

import asyncio
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from pydantic_ai.models import Model

from assent.compose import FullStore, open_gate_on_store, open_store
from assent.config.paths import find_config_paths
from assent.config.policy_loader import PolicyLoader
from assent.config.settings import ChatSettings
from assent.gate.access import Principal
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval, State
from assent.gate.conversations import ConversationChanges, Conversations, NewConversation
from assent.gate.gate import Gate
from assent.gate.store import ApprovalFilter
from assent.hosts.browser.pages import Pages
from assent.hosts.chat.chat import Chat, open_chat
from assent.hosts.chat.chunk import Chunk
from assent.hosts.chat.models import Models
from assent.hosts.chat.request import ChatRequest, Message, parse_request
from tests.waiting import wait_until_async

ANA = Principal(id="ana")
BEN = Principal(id="ben")
YES = Answer(say=Say.ONCE)
NO = Answer(say=Say.DENY, reason="not that one")
FOR_CHAT = Answer(say=Say.CONVERSATION)
WRITE = '/call write_file {"path": "a.txt", "content": "one"}'


"""How long a test waits for a state before it fails."""


class ChatProcess:
    """One process with a chat and a conversation of ana."""

    def __init__(
        self, chat: Chat, gate: Gate, store: FullStore, files: PolicyLoader, root: Path, pages: Pages
    ) -> None:
        self.pages = pages
        self.chat = chat
        self.gate = gate
        self.store = store
        self.files = files
        self.root = root
        self.conversation = ""

    async def open_conversation(self, preset: str = "chat", *, mode: str | None = None) -> str:
        """Open a conversation, which later calls use."""
        opened = await Conversations(self.store, self.files).open(
            ANA, NewConversation(preset=preset), ConversationChanges(mode=mode)
        )
        self.conversation = opened.id
        return opened.id

    async def send(self, text: str, who: Principal = ANA, **more: Any) -> list[Chunk]:
        """Send a message and collect its whole stream."""
        return await collect_chunks(
            await self.chat.send(who, self.conversation, message_request(text, **more))
        )

    async def send_in_background(self, text: str, **more: Any) -> "asyncio.Task[list[Chunk]]":
        """Send a message; the task collects its stream."""
        stream = await self.chat.send(ANA, self.conversation, message_request(text, **more))
        return asyncio.create_task(collect_chunks(stream))

    async def wait_for_questions(self, count: int = 1) -> list[Approval]:
        """Wait until the conversation has this number of open questions."""
        which = ApprovalFilter(states=frozenset({State.PENDING}), conversation=self.conversation)

        async def find_items() -> list[Approval]:
            found = (await self.store.approvals(which)).approvals
            return list(found) if len(found) == count else []

        return await wait_until_async(find_items)

    async def answer(self, approval: Approval, answer: Answer = YES, who: Principal = ANA) -> Approval:
        return await self.gate.answer(who, approval.id, approval.digest, answer)

    async def wait_until_asked_again(self, approval: Approval) -> Approval:
        """Wait until a question is open with another digest."""

        async def find_items() -> Approval | None:
            found = await self.store.approval(approval.id)
            return found if found.state is State.PENDING and found.digest != approval.digest else None

        return await wait_until_async(find_items)

    async def messages(self, **more: Any) -> list[Message]:
        return await self.chat.messages(ANA, self.conversation, **more)

    async def wait_for_states(self, *wanted: str) -> list[dict[str, Any]]:
        """Wait until the calls of the last message have these states, in any order; returns its parts."""

        async def find_items() -> list[dict[str, Any]]:
            parts: list[dict[str, Any]] = (await self.messages(live=True))[-1]["parts"]  # type: ignore[assignment]
            return parts if sorted(call_states(parts)) == sorted(wanted) else []

        return await wait_until_async(find_items)

    async def message_parts(self) -> list[dict[str, Any]]:
        """The parts of the last message."""
        return (await self.messages())[-1]["parts"]  # type: ignore[return-value]


def message_request(text: str, id: str = "", **more: Any) -> ChatRequest:
    message = {"role": "user", "parts": [{"type": "text", "text": text}], **({"id": id} if id else {})}
    return parse_request({"message": message, **more})


def answer_request(parts: list[Mapping[str, Any]], **more: Any) -> ChatRequest:
    """The request of a client whose user answered cards of the last message."""
    return parse_request({"messages": [{"id": "m", "role": "assistant", "parts": parts}], **more})


async def collect_chunks(stream: AsyncIterator[Chunk] | None) -> list[Chunk]:
    assert stream is not None
    return [one async for one in stream]


def chunk_types(chunks: list[Chunk]) -> list[str]:
    return [str(one["type"]) for one in chunks]


def stream_text(chunks: list[Chunk]) -> str:
    return "".join(str(one["delta"]) for one in chunks if one["type"] == "text-delta")


def call_states(parts: list[dict[str, Any]]) -> list[str]:
    """The states of the calls of a message."""
    return [str(one["state"]) for one in parts if str(one["type"]).startswith("tool-")]


def last_card(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """The data of the last card."""
    return [one for one in parts if one["type"] == "data-assent"][-1]["data"]  # type: ignore[no-any-return]


@asynccontextmanager
async def open_chat_process(
    directory: Path,
    address: str = ":memory:",
    *,
    models: Mapping[str, Model] | None = None,
    tool_settings: str = "",
    takeover_after: timedelta = timedelta(seconds=30),
    store: FullStore | None = None,
    reload_seconds: float = 0,
) -> AsyncGenerator[ChatProcess]:
    """A process on a store; several processes may share a directory and a database."""
    root, home = directory / "work", directory / "home"
    root.mkdir(exist_ok=True)
    (home / ".config" / "assent").mkdir(parents=True, exist_ok=True)
    if tool_settings:
        (home / ".config" / "assent" / "belt.toml").write_text(tool_settings, "utf-8")
        (home / ".config" / "assent" / "belt.toml").chmod(0o600)
    environ = {
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local"),
        "PATH": "/usr/bin:/bin",
    }
    where = find_config_paths(str(root), environ)
    files = PolicyLoader(where, environ)
    store = store or await open_store(address)
    chosen = Models(ChatSettings(), models) if models else None
    async with open_gate_on_store(store, files, where) as gate:
        pages = Pages(gate.page_tools, reload_seconds=reload_seconds)
        async with open_chat(
            gate, store, where, files, pages, environ=environ, models=chosen, takeover_after=takeover_after
        ) as chat:
            yield ChatProcess(chat, gate, store, files, root, pages)


def notes_settings(directory: Path) -> str:
    """Settings with an MCP server that writes notes into `notes.txt`."""
    program = Path(__file__).parent / "tools" / "mcp_server.py"
    return f'[mcp.notes]\ncommand = ["{sys.executable}", "{program}", "{directory / "notes.txt"}"]\n'
