"""The models of a chat: those of the configuration, or the rehearsal model if there are none."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic_ai.models import Model, infer_model
from pydantic_ai.providers import Provider, infer_provider, infer_provider_class

from assent.config.settings import ChatSettings, ModelSettings
from assent.errors import ConfigError, InputError
from assent.hosts.chat import rehearsal


class ModelOption(NamedTuple):
    """A model that people can choose."""

    name: str
    model: str
    is_rehearsal: bool = False


class Models:
    """Creates each model at its first use."""

    def __init__(self, settings: ChatSettings, created: Mapping[str, Model] | None = None) -> None:
        self._settings = settings
        self._created: dict[str, Model] = dict(created or {})

    @property
    def options(self) -> tuple[ModelOption, ...]:
        """The models to choose from, the default first."""
        known = {rehearsal.NAME, *self._settings.models}  # a created rehearsal model is no further option
        given = [ModelOption(name, name) for name in self._created if name not in known]
        found = [ModelOption(name, one.model) for name, one in self._settings.models.items()]
        default = self._settings.default_model
        every = sorted([*found, *given], key=lambda one: one.name != default)
        return tuple(every) or (ModelOption(rehearsal.NAME, rehearsal.NAME, is_rehearsal=True),)

    def resolve_name(self, name: str) -> str:
        """A valid model name; an empty one means the default."""
        names = [one.name for one in self.options]
        if name and name not in names:
            raise InputError(f"there is no model `{name}` here: choose one of {', '.join(names)}")
        return name or names[0]

    def get(self, name: str) -> Model:
        """A model by name; the default if the name is no longer an option."""
        names = [one.name for one in self.options]
        name = name if name in names else names[0]
        if name not in self._created:
            known = self._settings.models.get(name)
            self._created[name] = rehearsal.rehearsal_model() if known is None else _create_model(known)
        return self._created[name]


def _create_model(settings: ModelSettings) -> Model:
    """A model with its provider; the library of the provider, which loads slowly, is loaded here."""
    kind, _, name = settings.model.partition(":")
    is_openai = kind == "openai" or bool(settings.base_url)
    try:
        return infer_model(
            f"{_OPENAI_CHAT}:{name or kind}" if is_openai else settings.model,
            lambda provider: _provider(provider, settings),
        )
    except Exception as error:
        raise ConfigError(f"model `{settings.model}`", str(error)) from error


def _provider(kind: str, settings: ModelSettings) -> Provider[Any]:
    if kind == _OPENAI_CHAT:
        # A local endpoint needs no key, but the library requires one.
        given = {"base_url": settings.base_url or None, "api_key": settings.key or "none"}
    elif settings.key:
        given = {"api_key": settings.key}
    else:
        return infer_provider(kind)
    return infer_provider_class(kind)(**given)


_OPENAI_CHAT = "openai-chat"
"""The API of OpenAI's models and of most local endpoints."""
