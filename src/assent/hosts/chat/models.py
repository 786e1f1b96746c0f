"""The models on offer: those of the configuration by name, or the rehearsal where there is none."""

from collections.abc import Mapping
from typing import NamedTuple

from pydantic_ai.models import Model, infer_model
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from assent.config.chat import ChatSettings, ModelSettings
from assent.errors import ConfigError, InputError
from assent.hosts.chat import rehearsal


class Offered(NamedTuple):
    """A model as people choose it."""

    name: str
    model: str
    is_rehearsal: bool = False


class Models:
    """Makes models when they are needed, each once."""

    def __init__(self, settings: ChatSettings, made: Mapping[str, Model] | None = None) -> None:
        self._settings = settings
        self._made: dict[str, Model] = dict(made or {})

    @property
    def offered(self) -> tuple[Offered, ...]:
        """What there is to choose from, the usual one first."""
        given = [Offered(name, name) for name in self._made if name not in self._settings.models]
        found = [Offered(name, one.model) for name, one in self._settings.models.items()]
        usual = self._settings.usual
        every = sorted([*found, *given], key=lambda one: one.name != usual)
        return tuple(every) or (Offered(rehearsal.NAME, rehearsal.NAME, is_rehearsal=True),)

    def named(self, name: str) -> str:
        """The name of a model on offer; an empty one is the usual."""
        names = [one.name for one in self.offered]
        if name and name not in names:
            raise InputError(f"there is no model `{name}` here: choose one of {', '.join(names)}")
        return name or names[0]

    def model(self, name: str) -> Model:
        """A model; one that is no longer on offer is the usual one."""
        names = [one.name for one in self.offered]
        name = name if name in names else names[0]
        if name not in self._made:
            known = self._settings.models.get(name)
            self._made[name] = rehearsal.rehearsal() if known is None else _made(known)
        return self._made[name]


def _made(settings: ModelSettings) -> Model:
    kind, _, name = settings.model.partition(":")
    key = settings.key or None
    if kind == "openai" or settings.base_url:
        # A local endpoint needs no key, but the library insists on one.
        provider = OpenAIProvider(base_url=settings.base_url or None, api_key=key or "none")
        return OpenAIChatModel(name or kind, provider=provider)
    if kind == "anthropic":
        return AnthropicModel(name, provider=AnthropicProvider(api_key=key))
    try:
        return infer_model(settings.model)
    except Exception as error:
        raise ConfigError(f"model `{settings.model}`", str(error)) from error
