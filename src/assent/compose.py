"""Composing a gate: the only place that knows a store, the policy files and the gate together."""

import asyncio
import gc
import getpass
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from functools import cache

from assent.config.layers import load_policy
from assent.config.policy import Policy
from assent.config.preset import load_preset
from assent.config.tools import KNOWN
from assent.config.trust import Trust, load_trust
from assent.config.whereabouts import Whereabouts, find_whereabouts
from assent.config.workspace import gather, place_on_disk
from assent.engine.facts import Facts, Place
from assent.engine.model import Call
from assent.engine.modes import mode_named
from assent.errors import AssentError
from assent.gate.access import Principal
from assent.gate.gate import Gate
from assent.gate.policy import Ground, Grounds
from assent.gate.ports import Authorizer, Store
from assent.gate.preset import Preset

MANY_RULES = 1000
"""From here on a rule set is worth keeping out of the garbage collector's way."""


@asynccontextmanager
async def open_gate(
    address: str,
    *,
    cwd: str | None = None,
    preset: str | None = None,
    environ: Mapping[str, str] = os.environ,
    authorizer: Authorizer | None = None,
) -> AsyncGenerator[Gate]:
    """A gate on the database at an address, under the policy that holds in a directory."""
    where = find_whereabouts(cwd or os.getcwd(), environ)
    trust = load_trust(where.trust_file)
    # A policy that cannot be read stops here, before anything is open.
    policy = load_policy(where, trust, environ, preset=preset)
    grounds = _grounds(where, trust, environ, policy)
    _settle(grounds(""))
    workspace = DiskWorkspace(where, trust, policy.roots)
    keep = timedelta(days=policy.keep_arguments_days)
    gate = Gate(await open_store(address), grounds, workspace, authorizer=authorizer, keep=keep)
    async with gate:
        yield gate


async def open_store(address: str) -> Store:
    """The store at an address: a `postgresql://` URL, `:memory:`, or the path of an SQLite file."""
    if address == ":memory:":
        from assent.stores.memory import MemoryStore

        return MemoryStore()
    try:
        if address.startswith(("postgresql://", "postgres://")):
            from assent.stores.postgres import open_postgres

            return await open_postgres(address)
        from assent.stores.sqlite import open_sqlite
    except ImportError as error:
        extra = "postgres" if address.startswith("postgres") else "gate"
        raise AssentError(f"{error.name} is not installed: pip install 'assent[{extra}]'") from None
    return await open_sqlite(address)


def local_person() -> Principal:
    """Whoever runs this process on their own machine: they own what it does."""
    return Principal(id=getpass.getuser(), administrator=True)


class DiskWorkspace:
    """The file system of this machine."""

    def __init__(self, where: Whereabouts, trust: Trust, more: Sequence[str] = ()) -> None:
        self._trust = trust
        self._place = place_on_disk(where.cwd, (where.root, *more), where.home)

    async def place(self, call: Call) -> Place:  # noqa: ARG002 - every call of this process happens here
        """Where calls happen."""
        return self._place

    async def facts(self, place: Place, wanted: Sequence[str]) -> Facts:
        """What the disk says of these paths now."""
        return await asyncio.to_thread(gather, place, wanted, trusts=self._trust.of_directory)


def _grounds(where: Whereabouts, trust: Trust, environ: Mapping[str, str], usual: Policy) -> Grounds:
    """The ground under each preset, read once."""

    @cache
    def ground(name: str) -> Ground:
        policy = load_policy(where, trust, environ, preset=name) if name else usual
        directories = (os.path.join(where.managed, "presets"), os.path.join(where.user, "presets"))
        return Ground(
            preset=_as_files_say(load_preset(policy.preset, *directories), policy),
            tools=policy.tools,
            added=frozenset(policy.tools) - frozenset(KNOWN),
            rules=policy.rules,
            tiers=policy.tiers,
            options=policy.options,
            attended=policy.attended,
        )

    return ground


def _as_files_say(preset: Preset, policy: Policy) -> Preset:
    """A preset with the mode that files start in before its others, and the fallback that they name."""
    others = [word for word in preset.modes if mode_named(word) is not policy.mode]
    modes = (policy.mode_word, *others) if policy.mode is not None else ()
    return replace(preset, modes=modes, fallback=policy.fallback)


def _settle(ground: Ground) -> None:
    """Take a large policy out of the garbage collector's rounds: it stays as long as the process."""
    if sum(map(len, ground.rules.values())) >= MANY_RULES:
        gc.collect()
        gc.freeze()
