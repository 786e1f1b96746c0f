"""The searches that a command depends on: for files that name code, links that lead out, and secrets."""

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from assent.engine.base.facts import Search
from assent.engine.base.lazy import regex
from assent.engine.lines.command import Command
from assent.engine.lines.reading import ReadResult
from assent.engine.programs.catalog import find_program, trusted_name
from assent.engine.programs.losses import LossesBy
from assent.engine.programs.program import Program, ShellEdits
from assent.engine.programs.runs import RunsBy
from assent.engine.programs.word import base_name

_FILE_FINDERS = (RunsBy.FOUND_FILES, RunsBy.FOUND_NAMES)
_NAME_OPTIONS = ("-name", "-iname")
_EXTENSION_OPTIONS = ("-e", "--extension")
_ALTERNATIVES = frozenset({"-o", "-or", ","})
"""Words of `find` after which more names than those of one pattern are listed."""
_NEGATIONS = frozenset({"!", "-not"})
_SINGLE_TESTS = frozenset("-path -ipath -wholename -iwholename -name -iname -regex -iregex -type".split())
"""Tests of `find` that take one word; a negation of one only leaves names out."""
_PLAIN_PATTERN = regex(r"[\w.*?-]+")
_HIDDEN_OPTION = regex(r"-[a-zA-Z]*[aAHu.]\w*|--(?:all|almost-all|hidden|unrestricted|no-ignore)")
"""An option with which names of hidden files are listed."""
_UNTRACKED_OPTION = regex(r"-[a-zA-Z]*[oik]\w*|--(?:others|ignored|killed|directory|untracked|no-index)")
"""An option with which Git also lists files that are not in its index."""


class PartSearches(NamedTuple):
    """The searches of a part; each must find nothing."""

    code: tuple[Search, ...] = ()
    """Searches for what makes the part do more than read."""
    listing: Search | None = None
    """The search for names and links that lead out of what the part lists."""
    listed_secrets: Search | None = None
    """The search for secrets among the names that the part lists."""
    secrets: Search | None = None
    """The search for secrets in the tree that the part reads."""
    leaves_out: str = ""
    """How an option of the part would leave out files with a name."""


STAGED = "staged"
"""The setting of a search in each of the paths that `git add` names."""
NO_SEARCHES = PartSearches()


def find_part_searches(command: Command, reading: ReadResult | None) -> PartSearches:
    """The searches of a command; `reading` is given if it only reads."""
    program = command.program
    known = find_program(base_name(program))
    lists = reading is not None and reading.lists and command.output_is_read
    listing, listed_secrets = (
        _find_listing_searches(command, known) if lists or known.runs_by in _FILE_FINDERS else (None, None)
    )
    if reading is None:
        edits = find_program(program).shell_edits
        code = _find_staging_searches(command, edits) if edits is not None and edits.settings else ()
        return PartSearches(code, listing, listed_secrets) if code or listing is not None else NO_SEARCHES
    return PartSearches(
        _find_code_searches(program, reading),
        listing,
        listed_secrets,
        None if reading.walks is None else _find_secret_search(command, reading, reading.walks),
        reading.leaves_out,
    )


def join_code_searches(own: PartSearches, nested: Iterable[PartSearches]) -> PartSearches:
    """The searches of a part with the searches for code of its nested parts."""
    found = [search for one in nested for search in one.code]
    return own._replace(code=tuple(dict.fromkeys((*own.code, *found)))) if found else own


def _find_staging_searches(command: Command, edits: ShellEdits) -> tuple[Search, ...]:
    """The searches for what makes staging run code, and for secrets if it stages all files of a directory."""
    texts = {word.text for word in command.words[1:]}
    code = Search(command.program, edits.settings)
    if "." not in texts and not texts.isdisjoint(("-A", "--all")):
        # Without a path, the whole work tree is staged.
        code = code._replace(settings=f"{edits.settings} toplevel")
    elif "." not in texts:
        return code, Search("", f"secrets always {STAGED}")
    return code, Search("", "secrets always")


def _find_code_searches(program: str, reading: ReadResult) -> tuple[Search, ...]:
    """The searches that must find nothing, so that a command only reads."""
    code = (Search(trusted_name(program) or program, reading.settings),) if reading.needs_trust else ()
    return (*code, Search("", reading.follows)) if reading.follows else code


def _find_listing_searches(command: Command, known: Program) -> tuple[Search, Search]:
    """The searches for names and links that lead out of a listing, and for secrets among the names."""
    texts = [word.text for word in command.words[1:]]
    flat = known.lists_whole_directory and not any("R" in text for text in texts if text[:1] == "-")
    git = known.losses_by is LossesBy.REPOSITORY
    tracked = git and not any(map(_UNTRACKED_OPTION.fullmatch, texts))
    hidden = git or known.runs_by is RunsBy.FOUND_FILES or any(map(_HIDDEN_OPTION.fullmatch, texts))
    settings = ("flat" if flat else "", "" if hidden else "visible", "tracked" if tracked else "")
    limits = [*filter(None, settings), *_listed_patterns(texts)]
    return Search("", " ".join(("links names", *limits))), Search("", " ".join(("secrets", *limits)))


def _listed_patterns(texts: list[str]) -> list[str]:
    """The patterns of the only names that a command lists, as settings of a search."""
    pairs = list(pairwise(texts))
    if not _ALTERNATIVES.isdisjoint(texts) or not all(
        after in _SINGLE_TESTS for before, after in pairs if before in _NEGATIONS
    ):
        return []
    negated = {at + 1 for at, text in enumerate(texts) if text in _NEGATIONS}
    given = [text for at, (before, text) in enumerate(pairs) if before in _NAME_OPTIONS and at not in negated]
    given += [f"*.{text}" for before, text in pairwise(texts) if before in _EXTENSION_OPTIONS]
    if any(not _PLAIN_PATTERN.fullmatch(text) for text in given):
        return []
    return [f"include={text}" for text in dict.fromkeys((*given, *(text.lower() for text in given)))]


def _find_secret_search(command: Command, reading: ReadResult, walks: str) -> Search | None:
    """The search for secrets in the tree that a command walks; None if it reads its input instead."""
    words = walks.split()
    if "always" in words and not reading.files and (command.piped or command.has_input):
        return None
    return Search("", " ".join(["secrets", *(word for word in words if word != "always")]))
