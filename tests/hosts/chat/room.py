"""A chat in a workspace of its own, and what a test does in it all the time."""

import asyncio
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from pydantic_ai.models import Model

from assent.compose import FullStore, gate_on, open_store
from assent.config.chat import ChatSettings
from assent.config.ground import PolicyFiles
from assent.config.whereabouts import find_whereabouts
from assent.gate.access import Principal
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval, State
from assent.gate.conversations import ConversationChanges, Conversations, NewConversation
from assent.gate.gate import Gate
from assent.gate.store import ApprovalFilter
from assent.hosts.chat.chat import Chat
from assent.hosts.chat.chunk import Chunk
from assent.hosts.chat.incoming import Incoming, incoming
from assent.hosts.chat.message import Message
from assent.hosts.chat.models import Models
from assent.hosts.chat.opening import open_chat

ANA = Principal(id="ana")
BEN = Principal(id="ben")
YES = Answer(say=Say.ONCE)
NO = Answer(say=Say.DENY, reason="not that one")
FOR_CHAT = Answer(say=Say.CONVERSATION)
WRITE = '/call write_file {"path": "a.txt", "content": "one"}'


PATIENCE = 120


class Room:
    """One process with a chat, and a conversation of ana's in it."""

    def __init__(self, chat: Chat, gate: Gate, store: FullStore, files: PolicyFiles, root: Path) -> None:
        self.chat = chat
        self.gate = gate
        self.store = store
        self.files = files
        self.root = root
        self.conversation = ""

    async def opens(self, preset: str = "chat", *, mode: str | None = None) -> str:
        """A new conversation; the tests' own from now on."""
        opened = await Conversations(self.store, self.files).open(
            ANA, NewConversation(preset=preset), ConversationChanges(mode=mode)
        )
        self.conversation = opened.id
        return opened.id

    async def says(self, text: str, who: Principal = ANA, **more: Any) -> list[Chunk]:
        """Send a message and hear all that comes of it."""
        return await heard(await self.chat.send(who, self.conversation, a_message(text, **more)))

    async def begins(self, text: str, **more: Any) -> "asyncio.Task[list[Chunk]]":
        """Send a message; the task hears what comes of it."""
        stream = await self.chat.send(ANA, self.conversation, a_message(text, **more))
        return asyncio.create_task(heard(stream))

    async def pending(self, count: int = 1) -> list[Approval]:
        """The open questions of the conversation, once there are so many."""
        which = ApprovalFilter(states=frozenset({State.PENDING}), conversation=self.conversation)
        async with asyncio.timeout(PATIENCE):
            while True:
                found = (await self.store.approvals(which)).approvals
                if len(found) == count:
                    return list(found)
                await asyncio.sleep(0.01)

    async def answers(self, approval: Approval, answer: Answer = YES, who: Principal = ANA) -> Approval:
        return await self.gate.answer(who, approval.id, approval.digest, answer)

    async def asked_again(self, approval: Approval) -> Approval:
        """The same question, once it is open with another digest."""
        async with asyncio.timeout(PATIENCE):
            while True:
                found = await self.store.approval(approval.id)
                if found.state is State.PENDING and found.digest != approval.digest:
                    return found
                await asyncio.sleep(0.01)

    async def messages(self, **more: Any) -> list[Message]:
        return await self.chat.messages(ANA, self.conversation, **more)

    async def shows(self, *wanted: str) -> list[dict[str, Any]]:
        """The parts of the last message as it is being said, once its calls stand so, in whatever order."""
        async with asyncio.timeout(PATIENCE):
            while True:
                parts: list[dict[str, Any]] = (await self.messages(live=True))[-1]["parts"]  # type: ignore[assignment]
                if sorted(states(parts)) == sorted(wanted):
                    return parts
                await asyncio.sleep(0.01)

    async def parts(self) -> list[dict[str, Any]]:
        """The parts of the last message."""
        return (await self.messages())[-1]["parts"]  # type: ignore[return-value]


def a_message(text: str, id: str = "", **more: Any) -> Incoming:
    message = {"role": "user", "parts": [{"type": "text", "text": text}], **({"id": id} if id else {})}
    return incoming({"message": message, **more})


def answering(parts: list[Mapping[str, Any]], **more: Any) -> Incoming:
    """What a client sends when cards in its last message were answered."""
    return incoming({"messages": [{"id": "m", "role": "assistant", "parts": parts}], **more})


async def heard(stream: AsyncIterator[Chunk] | None) -> list[Chunk]:
    assert stream is not None
    return [one async for one in stream]


def kinds(chunks: list[Chunk]) -> list[str]:
    return [str(one["type"]) for one in chunks]


def texts(chunks: list[Chunk]) -> str:
    return "".join(str(one["delta"]) for one in chunks if one["type"] == "text-delta")


def states(parts: list[dict[str, Any]]) -> list[str]:
    """How the calls of a message stand."""
    return [str(one["state"]) for one in parts if str(one["type"]).startswith("tool-")]


def card(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """The data of the last card."""
    return [one for one in parts if one["type"] == "data-assent"][-1]["data"]  # type: ignore[no-any-return]


@asynccontextmanager
async def a_room(
    directory: Path,
    address: str = ":memory:",
    *,
    models: Mapping[str, Model] | None = None,
    belt: str = "",
    silent: timedelta = timedelta(seconds=30),
    store: FullStore | None = None,
) -> AsyncGenerator[Room]:
    """A process on a store; several rooms may share a directory and an address."""
    root, home = directory / "work", directory / "home"
    root.mkdir(exist_ok=True)
    (home / ".config" / "assent").mkdir(parents=True, exist_ok=True)
    if belt:
        (home / ".config" / "assent" / "belt.toml").write_text(belt, "utf-8")
        (home / ".config" / "assent" / "belt.toml").chmod(0o600)
    environ = {
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local"),
        "PATH": "/usr/bin:/bin",
    }
    where = find_whereabouts(str(root), environ)
    files = PolicyFiles(where, environ)
    store = store or await open_store(address)
    chosen = Models(ChatSettings(), models) if models else None
    async with (
        gate_on(store, files, where) as gate,
        open_chat(gate, store, where, files, environ=environ, models=chosen, silent=silent) as chat,
    ):
        yield Room(chat, gate, store, files, root)


def notes_belt(directory: Path) -> str:
    """A belt with a server of notes, which writes them into `notes.txt` there."""
    program = Path(__file__).parent / "belt" / "mcp_server.py"
    return f'[mcp.notes]\ncommand = ["{sys.executable}", "{program}", "{directory / "notes.txt"}"]\n'
