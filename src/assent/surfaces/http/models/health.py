"""How a server is, as JSON."""

from assent.surfaces.http.models.base import Sent


class Health(Sent):
    """Whether it can be used."""

    ok: bool
