"""Principals that tests act as."""

from assent.gate.access import Principal


def administrator(id: str) -> Principal:
    """A person who may change everything."""
    return Principal(id=id, administrator=True)
