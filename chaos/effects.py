"""Effects: what running a call leaves behind, a file of its own for each time that it ran."""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple


class Effect(NamedTuple):
    """One execution; `step` is the act by which whoever ran it was told to."""

    call: str
    approval: str
    digest: str
    step: str


def digest_of(tool: str, args: Mapping[str, object]) -> str:
    """A digest that owes nothing to the one under test."""
    return hashlib.sha256(json.dumps([tool, dict(args)], sort_keys=True).encode()).hexdigest()[:32]


def leave(directory: Path, effect: Effect) -> None:
    """Run: a new file, which fails if it is there, synced with its directory."""
    # All of it is in the name: a file exists or not, however its writer was killed.
    handle = os.open(directory / "_".join(effect), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    os.fsync(handle)
    os.close(handle)
    above = os.open(directory, os.O_RDONLY)
    os.fsync(above)
    os.close(above)


def found(directory: Path) -> list[Effect]:
    """Everything that ran."""
    return [Effect(*path.name.split("_")) for path in sorted(directory.iterdir())]
