"""The models on offer: those of the configuration by name, or the rehearsal where there is none."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic_ai.models import Model, infer_model
from pydantic_ai.providers import Provider, infer_provider, infer_provider_class

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
        known = {rehearsal.NAME, *self._settings.models}  # a rehearsal that was made is still one
        given = [Offered(name, name) for name in self._made if name not in known]
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
    """A model by its name; its provider's library, which is slow to load, is loaded here and not before."""
    kind, _, name = settings.model.partition(":")
    is_plain = kind == "openai" or bool(settings.base_url)
    try:
        return infer_model(
            f"{_PLAIN}:{name or kind}" if is_plain else settings.model,
            lambda provider: _provider(provider, settings),
        )
    except Exception as error:
        raise ConfigError(f"model `{settings.model}`", str(error)) from error


def _provider(kind: str, settings: ModelSettings) -> Provider[Any]:
    if kind == _PLAIN:
        # A local endpoint needs no key, but the library insists on one.
        given = {"base_url": settings.base_url or None, "api_key": settings.key or "none"}
    elif settings.key:
        given = {"api_key": settings.key}
    else:
        return infer_provider(kind)
    return infer_provider_class(kind)(**given)


_PLAIN = "openai-chat"
"""What OpenAI's models and nearly every local endpoint speak."""
