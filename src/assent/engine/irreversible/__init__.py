"""Irreversible acts of a call, which are shown to people and are never part of a verdict."""
