"""Measures the path of a call through the source: how many functions, files and folders it enters."""

import asyncio
import contextlib
import io
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from inspect import CO_OPTIMIZED
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType

import assent
from assent.cli import main as command_line
from assent.engine.base.tool import Call
from assent.gate.answer import Answer, Say
from assent.gate.calls import Wait

SOURCE_FOLDER = str(Path(assent.__file__).parent) + "/"
PathCounts = dict[str, int]


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
        """Count the functions and files, and how often the folder changed between two functions."""
        files = [code.co_filename.removeprefix(SOURCE_FOLDER) for code in self.entered]
        rooms = [name.rpartition("/")[0] for name in files]
        changes = sum(one != other for one, other in pairwise(rooms))
        return {"functions": len(files), "files": len(set(files)), "changes of room": changes}


def measure_all_paths() -> dict[str, PathCounts]:
    """Measure the paths of `check`, ask, answer and wait."""
    return {"check": _measure_check(), **asyncio.run(_measure_ask_and_wait())}


def counts_to_text(found: dict[str, PathCounts]) -> str:
    """The measured counts as a text table."""
    rows = [f"{'path':14} {'functions':>9} {'files':>6} {'changes of room':>16}"]
    for name, one in found.items():
        rows.append(f"{name:14} {one['functions']:9} {one['files']:6} {one['changes of room']:16}")
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
                waiting = asyncio.create_task(turn.wait(question))
                await asyncio.sleep(0)
                with answered.record_while(when=is_recorded):
                    await host.gate.answer(host.principal, question.id, question.digest, Answer(say=Say.ONCE))
                with waited.record_while(when=is_recorded):
                    await waiting
    both = CallPath({**asked.entered, **waited.entered})
    named = {"ask": asked, "answer": answered, "wait": waited, "ask and wait": both}
    return {name: path.count_functions_and_files() for name, path in named.items()}


def _send_mail(to: str) -> str:
    return to


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
