"""The path of a call through the source tree: the functions it enters, their files, and the changes of room."""

import asyncio
import contextlib
import io
import sys
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType

import assent
from assent.cli import main as command_line
from assent.engine.model import Call
from assent.gate.approval import Answer, Say

SOURCE = str(Path(assent.__file__).parent) + "/"
ASKED = Call(tool="terminal.exec", args={"command": "make deploy"})


@dataclass
class CallPath:
    """Functions of the package in the order in which a call first entered them."""

    entered: dict[CodeType, None] = field(default_factory=dict)
    is_recording: bool = False

    def profile(self, frame: FrameType, event: str, argument: object) -> None:  # noqa: ARG002
        """Note the function that was entered; given to `sys.setprofile`."""
        if event == "call" and self.is_recording and frame.f_code.co_filename.startswith(SOURCE):
            self.entered.setdefault(frame.f_code)

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record while the block runs."""
        self.is_recording = True
        try:
            yield
        finally:
            self.is_recording = False

    def figures(self) -> dict[str, int]:
        """How many functions and files were entered, and how often the next new function was in another room."""
        files = [code.co_filename.removeprefix(SOURCE) for code in self.entered]
        rooms = [name.rpartition("/")[0] for name in files]
        changes = sum(one != other for one, other in zip(rooms, rooms[1:], strict=False))
        return {"functions": len(files), "files": len(set(files)), "changes of room": changes}


def measure() -> dict[str, dict[str, int]]:
    """The figures of every path, each measured on its second call so that nothing is only loaded."""
    return {"check": _check(), **asyncio.run(_ask_and_wait())}


def report(found: dict[str, dict[str, int]]) -> str:
    """The figures as text."""
    rows = [f"{'path':14} {'functions':>9} {'files':>6} {'changes of room':>16}"]
    for name, one in found.items():
        rows.append(f"{name:14} {one['functions']:9} {one['files']:6} {one['changes of room']:16}")
    return "\n".join(rows)


def _check() -> dict[str, int]:
    path = CallPath()
    with _profiled(path), contextlib.redirect_stdout(io.StringIO()), path.recording():
        with contextlib.suppress(SystemExit):
            command_line(["check", "terminal.exec(make deploy)"])
    return path.figures()


async def _ask_and_wait() -> dict[str, dict[str, int]]:
    """A Python program asks on an SQLite file, a person answers, and the program goes on."""
    asked, answered, waited = CallPath(), CallPath(), CallPath()
    paths = (asked, answered, waited)
    with tempfile.TemporaryDirectory() as folder, _profiled(*paths):
        async with assent.open(f"{folder}/assent.db") as host, host.turn("bot") as turn:
            host.guard("external", name="mail.send")(lambda to: to)
            for is_recorded in (False, True):
                call = Call(tool="mail.send", args={"to": f"ana-{is_recorded}"})
                with asked.recording() if is_recorded else contextlib.nullcontext():
                    outcome = await turn.submit(call)
                approval = outcome.approval
                waiting = asyncio.create_task(turn.wait(approval))
                await asyncio.sleep(0)
                with answered.recording() if is_recorded else contextlib.nullcontext():
                    await host.gate.answer(host.principal, approval.id, approval.digest, Answer(say=Say.ONCE))
                with waited.recording() if is_recorded else contextlib.nullcontext():
                    await waiting
    whole = CallPath({**asked.entered, **waited.entered})
    return {
        "ask": asked.figures(),
        "answer": answered.figures(),
        "wait": waited.figures(),
        "ask and wait": whole.figures(),
    }


@contextmanager
def _profiled(*paths: CallPath) -> Iterator[None]:
    """Let the paths see every call of this thread and of threads that start meanwhile."""

    def profile(frame: FrameType, event: str, argument: object) -> None:
        for path in paths:
            path.profile(frame, event, argument)

    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
