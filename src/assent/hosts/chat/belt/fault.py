"""A fault: why a tool did not do what it was asked, said so that the model, or a later run, can go on."""

from assent.errors import AssentError


class FaultError(AssentError):
    """A tool that did not do what it was asked; the message is for the model, and the run goes on."""


class ParkedError(AssentError):
    """A call that is not over and goes on elsewhere, or later: when it is made again."""
