"""A tool as JSON, for whoever looks at an agent or at a question."""

from assent.engine.model import Dialect, Effect, PathKind
from assent.surfaces.http.models.base import Args, Sent


class ToolShown(Sent):
    """A tool as it is defined, or was when a question was asked."""

    name: str
    effect: Effect
    dialect: Dialect
    template: str | None
    paths: PathKind
    description: str
    parameters: Args
    origin: str
    group: str
    reads: bool
