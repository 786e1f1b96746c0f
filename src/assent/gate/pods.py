"""Pods: the processes that share a store, and what must be the same for all of them."""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol

from assent.errors import StoreError

_log = logging.getLogger("assent.pods")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pod:
    """The properties of one process that must be the same in all processes."""

    workspace: str
    """The directory that relative paths of calls start from."""
    policy_digest: str
    """The digest of its policy files."""
    version: str


class Aspect(StrEnum):
    """What must be the same in all pods."""

    WORKSPACE = "workspace"
    POLICY = "policy"
    VERSION = "version"


class PodDifference(NamedTuple):
    """A property that differs between two pods."""

    what: Aspect
    here: str
    """The value of this pod."""
    there: str
    """The value of another pod."""

    @property
    def sentence(self) -> str:
        """The difference, its effect, and what to do."""
        return f"pods differ in {self.what}: `{self.here}` and `{self.there}`; {_CONSEQUENCES[self.what]}"


class PodStore(Protocol):
    """The part of a store that knows its pods."""

    async def join(self, pod: Pod) -> Sequence[Pod]:
        """Register this process, or update it, and return the other processes that are alive."""
        ...

    async def leave(self) -> None:
        """Remove this process from the registered ones."""
        ...


class PodComparison:
    """Compares this process with the others on its store."""

    def __init__(self, store: PodStore, own: Callable[[], Pod]) -> None:
        self._store = store
        self._own = own
        self.differences: tuple[PodDifference, ...] = ()

    async def compare(self) -> None:
        """Register this process and log new differences; a difference stops nothing."""
        own = self._own()
        try:
            found = pod_differences(own, await self._store.join(own))
        except StoreError as error:
            _log.warning("pods could not be compared: %s", error)
            return
        for one in found:
            if one not in self.differences:
                _log.warning("%s", one.sentence)
        if self.differences and not found:
            _log.info("all pods agree on workspace, policy and version again")
        self.differences = found

    async def leave(self) -> None:
        """Remove this process; without the store its entry expires by itself."""
        with suppress(StoreError):
            await self._store.leave()


_CONSEQUENCES = {
    Aspect.WORKSPACE: "a call that is asked on one and claimed on the other is refused although it was"
    " approved, because its paths mean other files there: start every pod in the same directory",
    Aspect.POLICY: "the same call may get another verdict on the other: give every pod the same policy files",
    Aspect.VERSION: "finish the rollout, so that every pod decides alike",
}


def pod_differences(own: Pod, others: Iterable[Pod]) -> tuple[PodDifference, ...]:
    """The differences between this pod and the others, each once."""
    return tuple(dict.fromkeys(one for other in others for one in _between(own, other)))


def _between(own: Pod, other: Pod) -> Iterator[PodDifference]:
    values = {
        Aspect.WORKSPACE: (own.workspace, other.workspace),
        Aspect.POLICY: (own.policy_digest, other.policy_digest),
        Aspect.VERSION: (own.version, other.version),
    }
    for what, (here, there) in values.items():
        if here != there:
            yield PodDifference(what, here, there)
