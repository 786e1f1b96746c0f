"""A proposal as JSON: the token that applies it."""

from typing import Annotated

from pydantic import StringConstraints

from assent.surfaces.http.models.base import Received


class Token(Received):
    """What applies a proposal: it names the proposal, and shows that one was told of it."""

    token: Annotated[str, StringConstraints(max_length=200)]
