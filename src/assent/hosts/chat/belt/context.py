"""The context of a call: where it works, for whom, who hears of its progress, and how far it may go."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NamedTuple

from assent.engine.facts import Place
from assent.gate.access import Principal
from assent.gate.turn import Turn

MayRead = Callable[[str], Awaitable[bool]]
"""Whether a file may be read without a question, by the rules that hold for the call."""
Progress = Callable[[str], Awaitable[None]]
"""Hears what a tool says while it works; what it says is shown, never obeyed."""


async def unheard(text: str) -> None:
    """Progress that nobody listens to."""


async def anything(path: str) -> bool:
    """No rule keeps any file of the workspace from being read."""
    return bool(path)


class Limits(NamedTuple):
    """How much one call may take."""

    characters: int = 40_000
    """What the model is given of a result."""
    seconds: float = 120
    """How long a tool may work; waiting for a person does not count."""
    file_bytes: int = 5_000_000
    """The largest file that is written, or searched."""
    fetch_bytes: int = 2_000_000
    """The most that is taken from the web in one go."""
    entries: int = 1_000
    """The most files, hits or rows that are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Everything a tool may know of the call it works for; cancelling its task cancels its work."""

    place: Place
    """The workspace's roots and the current directory: the same that the call was decided with."""
    principal: Principal
    conversation: str = ""
    call: str = ""
    """The id of the call."""
    progress: Progress = unheard
    may_read: MayRead = anything
    """Asked before lines of a file are shown that the call did not name."""
    turn: Turn | None = None
    """The turn of the call, for tools that make calls themselves."""
    limits: Limits = Limits()
    outside: bool = False
    """The gate let this very call go outside of the workspace; otherwise file tools stay inside."""
