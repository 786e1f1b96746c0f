"""How a server is, as JSON."""

from assent.gate.pods import Aspect
from assent.surfaces.http.models.base import Sent


class Health(Sent):
    """Whether it can be used."""

    ok: bool


class Readiness(Health):
    """Whether it takes requests, and what is not the same for all servers of its database."""

    differs: list[str]
    """Some of `policy`, `version` and `workspace`; the log and `assent doctor` say more."""


class PodDifference(Sent):
    """Something that is not the same for this server and another one of its database."""

    what: Aspect
    here: str
    """What this server has."""
    there: str
    """What the other one has."""
    sentence: str
    """What differs, what comes of it, and what to do."""


class PodsShown(Sent):
    """What differs between the servers of one database; nothing where they are alike."""

    differences: list[PodDifference]
