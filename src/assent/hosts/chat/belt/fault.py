"""A fault: why a tool could not do what it was asked, said so that the model can go on."""

from assent.errors import AssentError


class FaultError(AssentError):
    """A tool that did not do what it was asked; the message is for the model, and the run goes on."""
