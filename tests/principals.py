"""Principals that tests act as."""

from assent.gate.access import Principal


def administrator(id: str) -> Principal:
    """A person with the rights of an administrator."""
    return Principal(id=id, administrator=True)
