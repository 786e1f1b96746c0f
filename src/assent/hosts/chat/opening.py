"""Opening a chat: its belt, its models and its place, for as long as a process lives."""

import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta

from assent.compose import FullStore
from assent.config.chat import load_chat
from assent.config.ground import PolicyFiles
from assent.config.whereabouts import Whereabouts
from assent.config.workspace import place_on_disk
from assent.engine.facts import Place
from assent.gate.gate import Gate
from assent.hosts.chat.belt.belt import open_backing
from assent.hosts.chat.belt.settings import load_settings
from assent.hosts.chat.chat import Chat, House
from assent.hosts.chat.models import Models
from assent.hosts.chat.runs import SILENT


@asynccontextmanager
async def open_chat(
    gate: Gate,
    store: FullStore,
    where: Whereabouts,
    files: PolicyFiles,
    *,
    environ: Mapping[str, str] = os.environ,
    models: Models | None = None,
    silent: timedelta = SILENT,
) -> AsyncGenerator[Chat]:
    """A chat in the workspace of a server, with the models and the belt of its operator."""
    settings = load_chat(where, environ)

    def place() -> Place:
        return place_on_disk(where.cwd, (where.root, *files.policy.roots), where.home)

    async with open_backing(load_settings(where, environ), environ=environ) as backing:
        chat = Chat(
            House(
                gate=gate,
                store=store,
                backing=backing,
                models=models or Models(settings),
                place=place,
                prompt=settings.prompt,
                silent=silent,
            )
        )
        await chat.open()
        try:
            yield chat
        finally:
            await chat.close()
