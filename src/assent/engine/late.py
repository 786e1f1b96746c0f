"""Modules that are loaded when the first line comes that needs them: the engine's only late imports."""

from functools import cache
from importlib import import_module


@cache
def late(module: str, name: str) -> object:
    """What a module of the engine calls by this name.

    Most lines meet one shell, no syntax tree and few programs; loading the rest would be a third of
    `assent check`'s start.
    """
    return getattr(import_module(f"assent.engine.{module}"), name)
