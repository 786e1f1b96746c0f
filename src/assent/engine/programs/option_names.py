"""The short and the long names of options, by program and sub-command."""

from collections.abc import Mapping
from functools import lru_cache

from assent.engine.programs.catalog import lookup
from assent.engine.programs.synonyms import spellings

DEEPEST = 3
"""The number of words of the longest command whose options have their own names."""
VALUED = frozenset(
    """b B config cookie create data directory directory-prefix editable env exclude field file filename
    force-create form header in-place index-url input-file kustomize message method mode namespace o output
    output-document proxy publish raw-field request requirement rsh selector signal strategy target
    upload-file user user-agent values volume workdir""".split()
)
"""Long names of those that take the rest of their word for their value."""


@lru_cache(maxsize=1024)
def option_names(head: tuple[str, ...]) -> Mapping[str, tuple[str, ...]] | None:
    """The long names that each short option stands for, by the first words of a command."""
    return next((names for one in (head, *spellings(head)) if (names := _own(one)) is not None), None)


def _own(head: tuple[str, ...]) -> Mapping[str, tuple[str, ...]] | None:
    """What the entry of the program itself says."""
    line = (lookup(head[0]).options or {}).get(" ".join(head[1:]))
    if line is None:
        return None
    pairs = (one.partition("=") for one in line.split())
    return {short: tuple(name.split("+")) for short, _, name in pairs}
