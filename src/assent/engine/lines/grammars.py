"""Parsers for the shells we read; a grammar is loaded when the first text comes."""

import importlib.machinery
import importlib.util
from functools import cache
from typing import cast

import tree_sitter


def parser(package: str) -> tree_sitter.Parser:
    """A new parser for the grammar that a package carries.

    INVARIANT: nobody shares a parser. One that two threads use at once takes the whole process down, and
    making one costs a millionth of a second.
    """
    return tree_sitter.Parser(_language(package))


@cache
def _language(package: str) -> tree_sitter.Language:
    """The grammar itself, which is only ever read.

    The packages import resource readers that cost more than the grammar itself, on every start; so only
    their compiled part is loaded.
    """
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError(f"no module named {package}", name=package)
    name = f"{package}._binding"
    folder = importlib.machinery.FileFinder(
        found.submodule_search_locations[0],
        (importlib.machinery.ExtensionFileLoader, importlib.machinery.EXTENSION_SUFFIXES),
    )
    spec = folder.find_spec(name)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"no module named {name}", name=name)
    binding = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(binding)
    return tree_sitter.Language(cast("object", binding.language()))
