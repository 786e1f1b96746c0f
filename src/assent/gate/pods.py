"""Pods: the processes that share a store, and what must be the same for all of them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


@dataclass(frozen=True, slots=True, kw_only=True)
class Pod:
    """What one process says of itself when it joins the others."""

    workspace: str
    """The directory that paths of calls are resolved from."""
    policy_digest: str
    """A mark of what its policy files say."""
    version: str


class Aspect(StrEnum):
    """What must be the same for all pods."""

    WORKSPACE = "workspace"
    POLICY = "policy"
    VERSION = "version"


class Difference(NamedTuple):
    """Something that is not the same for two pods."""

    what: Aspect
    here: str
    """What this pod has."""
    there: str
    """What another one has."""

    @property
    def sentence(self) -> str:
        """What differs, what comes of it, and what to do."""
        return f"pods differ in {self.what}: `{self.here}` and `{self.there}`; {_CONSEQUENCES[self.what]}"


_CONSEQUENCES = {
    Aspect.WORKSPACE: "a call that is asked on one and taken on the other is refused although it was"
    " approved, because its paths mean other files there: start every pod in the same directory",
    Aspect.POLICY: "the same call may get another verdict on the other: give every pod the same policy files",
    Aspect.VERSION: "finish the rollout, so that every pod decides alike",
}


def differences(own: Pod, others: Iterable[Pod]) -> tuple[Difference, ...]:
    """What differs between this pod and each of the others, once for each value."""
    return tuple(dict.fromkeys(one for other in others for one in _between(own, other)))


def _between(own: Pod, other: Pod) -> Iterator[Difference]:
    values = {
        Aspect.WORKSPACE: (own.workspace, other.workspace),
        Aspect.POLICY: (own.policy_digest, other.policy_digest),
        Aspect.VERSION: (own.version, other.version),
    }
    for what, (here, there) in values.items():
        if here != there:
            yield Difference(what, here, there)
