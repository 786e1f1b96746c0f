"""How a server is, as JSON."""

from assent.surfaces.http.models.base import Sent


class Health(Sent):
    """Whether it can be used."""

    ok: bool


class Readiness(Health):
    """Whether it takes requests, and what is not the same for all servers of its database."""

    differs: list[str]
    """Some of `policy`, `version` and `workspace`; the log and `assent doctor` say more."""
