"""Assent: the gate between AI agents and what they can do."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assent.engine.model import Call, Effect, Tool
    from assent.gate.access import Principal
    from assent.gate.answer import Answer
    from assent.gate.outcome import Applied, Refuse, Run, Wait
    from assent.hosts.python.host import (
        RefusedError,
        open,  # noqa: A004 - `assent.open` is what one writes
    )

__version__ = "0.1.0"
__all__ = [
    "Answer", "Applied", "Call", "Effect", "Principal", "Refuse", "RefusedError", "Run", "Tool", "Wait",
    "open",
]  # fmt: skip

_HOMES = {
    "Answer": "assent.gate.approval",
    "Applied": "assent.gate.outcome",
    "Call": "assent.engine.model",
    "Effect": "assent.engine.model",
    "Principal": "assent.gate.access",
    "Refuse": "assent.gate.outcome",
    "RefusedError": "assent.hosts.python.host",
    "Run": "assent.gate.outcome",
    "Tool": "assent.engine.model",
    "Wait": "assent.gate.outcome",
    "open": "assent.hosts.python.host",
}


def __getattr__(name: str) -> object:
    """Load a name when it is first used: `assent check` needs none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module `assent` has no attribute `{name}`")
    return getattr(import_module(_HOMES[name]), name)
