"""Reasons to stop reading a text: it cannot be read, or it reads better in another spelling."""


class Unreadable(Exception):
    """Why a text cannot be read as a whole; never leaves the reader."""


class Respelled(Exception):
    """The same text as the grammar understands it, to be read instead."""

    def __init__(self, source: bytes) -> None:
        self.source = source


class Refed(Exception):
    """The line gives its own shell another input, so that all its commands have to be read as fed by it."""
