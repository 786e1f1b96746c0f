"""Measures the path of a call through the source: how many functions, files and folders it enters."""

import asyncio
import contextlib
import io
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from inspect import CO_OPTIMIZED
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType

import assent
from assent.cli import main as command_line
from assent.compose import open_gate_on_store, open_store
from assent.config.paths import find_config_paths
from assent.config.policy_loader import PolicyLoader
from assent.engine.base.tool import Call
from assent.gate.access import Principal
from assent.gate.answer import Answer, Say
from assent.gate.calls import Wait
from assent.gate.conversations import ConversationChanges, Conversations, NewConversation
from assent.gate.gate import Gate
from assent.hosts.chat.chat import Chat, open_chat
from assent.hosts.chat.chunk import Chunk
from assent.hosts.chat.request import parse_request
from assent.wire.fields import Fields

SOURCE_FOLDER = str(Path(assent.__file__).parent) + "/"
PathCounts = dict[str, int]
_PERSON = Principal(id="ana")
_ALLOW_ONCE = Answer(say=Say.ONCE)


@dataclass
class CallPath:
    """Records the functions of the package that a call enters, in order."""

    entered: dict[CodeType, None] = field(default_factory=dict[CodeType, None])
    is_recording: bool = False

    def record_frame(self, frame: FrameType, event: str) -> None:
        """Record the function of a frame; bodies of modules and classes are not recorded."""
        code = frame.f_code
        is_function = event == "call" and code.co_flags & CO_OPTIMIZED
        if self.is_recording and is_function and code.co_filename.startswith(SOURCE_FOLDER):
            self.entered.setdefault(code)

    @contextmanager
    def record_while(self, *, when: bool = True) -> Iterator[None]:
        """Record functions while the `with` block runs."""
        self.is_recording = when
        try:
            yield
        finally:
            self.is_recording = False

    def count_functions_and_files(self) -> PathCounts:
        """Count the functions, the files, and the changes of folder in two ways.

        "changes of folder" takes each file once, in the order in which the files are first entered.
        "between functions" takes each function once, so that a return to a known file is a change too.
        """
        files = [code.co_filename.removeprefix(SOURCE_FOLDER) for code in self.entered]
        distinct_files = list(dict.fromkeys(files))
        return {
            "functions": len(files),
            "files": len(distinct_files),
            "changes of folder": count_folder_changes(distinct_files),
            "between functions": count_folder_changes(files),
        }


def count_folder_changes(files: Sequence[str]) -> int:
    """Count how often two neighbours in a list of files are in different folders."""
    folders = [name.rpartition("/")[0] for name in files]
    return sum(one != other for one, other in pairwise(folders))


def measure_all_paths() -> dict[str, PathCounts]:
    """Measure the paths of `check`, ask, answer and wait, and of a message to a chat."""
    return {
        "check": _measure_check(),
        **asyncio.run(_measure_ask_and_wait()),
        "chat message": asyncio.run(_measure_chat_message()),
    }


def counts_to_text(counts_by_path: dict[str, PathCounts]) -> str:
    """The measured counts as a text table."""
    names = list(next(iter(counts_by_path.values())))
    rows = [" ".join([f"{'path':14}", *names])]
    for path, counts in counts_by_path.items():
        rows.append(" ".join([f"{path:14}", *(f"{counts[name]:{len(name)}}" for name in names)]))
    return "\n".join(rows)


def _measure_check() -> PathCounts:
    """Measure `assent check` with one call."""
    path = CallPath()
    quiet = contextlib.redirect_stdout(io.StringIO())
    with _profile_calls(path), quiet, path.record_while(), contextlib.suppress(SystemExit):
        command_line(["check", "terminal.exec(make deploy)"])
    return path.count_functions_and_files()


async def _measure_ask_and_wait() -> dict[str, PathCounts]:
    """Measure a Python program that asks, a person who answers, and the program that claims the call.

    Only the second round is recorded, because the first one also loads modules and policy.
    """
    asked, answered, waited = CallPath(), CallPath(), CallPath()
    with tempfile.TemporaryDirectory() as folder, _profile_calls(asked, answered, waited):
        async with assent.open(f"{folder}/assent.db") as host, host.turn("bot") as turn:
            host.guard("external", name="mail.send")(_send_mail)
            for is_recorded in (False, True):
                call = Call(tool="mail.send", args={"to": f"ana-{is_recorded}"})
                with asked.record_while(when=is_recorded):
                    outcome = await turn.submit(call)
                if not isinstance(outcome, Wait):
                    raise TypeError(f"the call was not asked about: {outcome}")
                question = outcome.approval
                # The wait begins after the answer: while two tasks run, a function could belong to either.
                with answered.record_while(when=is_recorded):
                    await host.gate.answer(host.principal, question.id, question.digest, _ALLOW_ONCE)
                with waited.record_while(when=is_recorded):
                    await turn.wait(question)
    both = CallPath({**asked.entered, **waited.entered})
    named = {"ask": asked, "answer": answered, "wait": waited, "ask and wait": both}
    return {name: path.count_functions_and_files() for name, path in named.items()}


def _send_mail(to: str) -> str:
    return to


async def _measure_chat_message() -> PathCounts:
    """Measure a message to a chat: the rehearsal model makes a call, a person allows it, and it runs.

    Only the second message is recorded, because the first one also loads modules and policy.
    """
    path = CallPath()
    with tempfile.TemporaryDirectory() as folder, _profile_calls(path):
        environ = {"XDG_CONFIG_HOME": f"{folder}/config", "XDG_DATA_HOME": f"{folder}/data"}
        where = find_config_paths(folder, environ)
        policy, store = PolicyLoader(where, environ), await open_store(f"{folder}/assent.db")
        async with (
            open_gate_on_store(store, policy, where) as gate,
            open_chat(gate, store, where, policy, environ=environ) as chat,
        ):
            opened = await Conversations(store, policy).open(
                _PERSON, NewConversation(preset="chat"), ConversationChanges()
            )
            for is_recorded in (False, True):
                with path.record_while(when=is_recorded):
                    await _send_message_and_allow_call(chat, gate, opened.id)
    return path.count_functions_and_files()


async def _send_message_and_allow_call(chat: Chat, gate: Gate, conversation: str) -> None:
    """Send a message that writes a file, allow its call, and read the stream to its end."""
    text = '/call write_file {"path": "notes.txt", "content": "one"}'
    message = {"role": "user", "parts": [{"type": "text", "text": text}]}
    stream = await chat.send(_PERSON, conversation, parse_request({"message": message}))
    if stream is None:
        raise TypeError("the chat sent no stream")
    chunks: list[Chunk] = []
    async for chunk in stream:
        chunks.append(chunk)
        if chunk["type"] == "tool-approval-request":
            question = Fields(next(one["data"] for one in chunks if one["type"] == "data-assent"), "data")
            await gate.answer(_PERSON, question.text("id"), question.text("digest"), _ALLOW_ONCE)
    if not any(chunk["type"] == "tool-output-available" for chunk in chunks):
        raise TypeError("the call of the message did not run")


@contextmanager
def _profile_calls(*paths: CallPath) -> Iterator[None]:
    """Record the function calls of this thread, and of threads that start in the `with` block."""

    def profile(frame: FrameType, event: str, argument: object) -> None:  # noqa: ARG001
        for path in paths:
            path.record_frame(frame, event)

    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
