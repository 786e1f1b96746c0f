"""Assent: the gate between AI agents and what they can do."""

__version__ = "0.1.0"
