"""Assent: the gate between AI agents and what they can do."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assent.engine.base.tool import Call, Effect, Tool
    from assent.gate.access import Principal
    from assent.gate.answer import Answer
    from assent.gate.calls import Applied, Refuse, Run, Wait
    from assent.hosts.python.host import (
        RefusedError,
        open,  # noqa: A004 - `assent.open` is the public name
    )
    from assent.version import __version__ as __version__

__all__ = [
    "Answer", "Applied", "Call", "Effect", "Principal", "Refuse", "RefusedError", "Run", "Tool", "Wait",
    "open",
]  # fmt: skip

_MODULES = {
    "__version__": "assent.version",
    "Answer": "assent.gate.answer",
    "Applied": "assent.gate.calls",
    "Call": "assent.engine.base.tool",
    "Effect": "assent.engine.base.tool",
    "Principal": "assent.gate.access",
    "Refuse": "assent.gate.calls",
    "RefusedError": "assent.hosts.python.host",
    "Run": "assent.gate.calls",
    "Tool": "assent.engine.base.tool",
    "Wait": "assent.gate.calls",
    "open": "assent.hosts.python.host",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, because `assent check` needs none of them."""
    if name not in _MODULES:
        raise AttributeError(f"module `assent` has no attribute `{name}`")
    return getattr(import_module(_MODULES[name]), name)
