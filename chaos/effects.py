"""Effects: each run of a call creates one file."""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple


class Effect(NamedTuple):
    """One execution; `step` is the act that allowed it."""

    call: str
    approval: str
    digest: str
    step: str


def digest_of(tool: str, args: Mapping[str, object]) -> str:
    """A digest that is computed independently of the code under test."""
    return hashlib.sha256(json.dumps([tool, dict(args)], sort_keys=True).encode()).hexdigest()[:32]


def record_effect(directory: Path, effect: Effect) -> None:
    """Record an execution as a new file; fails if the file exists; synced with its directory."""
    # All fields are in the file name, so that a kill cannot leave a partial record.
    handle = os.open(directory / "_".join(effect), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    os.fsync(handle)
    os.close(handle)
    above = os.open(directory, os.O_RDONLY)
    os.fsync(above)
    os.close(above)


def read_effects(directory: Path) -> list[Effect]:
    """Read all recorded executions."""
    return [Effect(*path.name.split("_")) for path in sorted(directory.iterdir())]
