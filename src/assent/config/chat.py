"""Which models a chat offers: `[chat]` in a person's or an administrator's own file."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from assent.config.source import read_source
from assent.config.table import Table, read_table
from assent.config.whereabouts import Whereabouts

KEYS = ("model", "base_url", "key_variable", "prompt", "models")
MODEL_KEYS = ("model", "base_url", "key_variable")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """A model: who serves it, what it is called there, and the key."""

    model: str
    """Such as `openai:gpt-5`, `anthropic:claude-sonnet-5`, or any name for an endpoint of one's own."""
    base_url: str = ""
    """An endpoint that speaks as OpenAI's does."""
    key: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSettings:
    """What an operator says about the chat; without any model it rehearses."""

    usual: str = ""
    models: Mapping[str, ModelSettings] = field(default_factory=dict[str, ModelSettings])
    prompt: str = ""
    """What every model is told besides its tools."""


def load_chat(where: Whereabouts, environ: Mapping[str, str] = os.environ) -> ChatSettings:
    """The settings of the chat; a person's own file counts more than the administrator's.

    INVARIANT: a repository's file says nothing here, or cloning one could send a conversation elsewhere.
    """
    found = ChatSettings()
    for path in (where.managed_file, where.user_file):
        if os.path.lexists(path):
            table = read_table(read_source(path, guarded=True))
            if "chat" in table.values:
                found = read_chat(table.table("chat"), environ)
    return found


def read_chat(table: Table, environ: Mapping[str, str]) -> ChatSettings:
    """What a table says; a key that nobody would look at is an error."""
    table.only(*KEYS)
    models = dict(_models(table.table("models"), environ)) if "models" in table.values else {}
    usual = table.text("model") or ""
    if usual and usual not in models:
        models = {usual: _model(table, environ), **models}
    return ChatSettings(usual=usual, models=models, prompt=table.text("prompt") or "")


def _models(table: Table, environ: Mapping[str, str]) -> Iterator[tuple[str, ModelSettings]]:
    for name, inner in table.tables():
        inner.only(*MODEL_KEYS)
        if not inner.text("model"):
            raise inner.error("it needs a `model`")
        yield name, _model(inner, environ)


def _model(table: Table, environ: Mapping[str, str]) -> ModelSettings:
    variable = table.text("key_variable")
    return ModelSettings(
        model=table.text("model") or "",
        base_url=table.text("base_url") or "",
        key=environ.get(variable, "") if variable else "",
    )
