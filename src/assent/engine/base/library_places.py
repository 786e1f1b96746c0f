"""Places outside the workspace that can be read without asking: libraries, and texts of a client."""

import re
from collections.abc import Iterable
from functools import lru_cache

from assent.engine.base.facts import CallDirectories, Facts, PathUse, normalize_path
from assent.engine.base.globs import has_glob
from assent.engine.base.lazy import regex

LIBRARY_PLACES = tuple(
    """/usr/include /usr/local/include /usr/lib/gcc /usr/share/doc /usr/share/man /usr/share/info
    /usr/share/licenses /usr/share/zoneinfo /usr/lib/pkgconfig /usr/share/pkgconfig /nix/store/*
    /usr/lib/python* /usr/local/lib/python* ~/.local/lib/python* ~/.pyenv/versions/*
    /usr/local/go /usr/lib/go /usr/lib/go-* /usr/share/go /usr/share/go-* ~/sdk/go* ~/go/pkg/mod/*
    /usr/lib/rustlib /usr/share/cargo/registry ~/.cargo/registry/src ~/.rustup/toolchains
    /usr/lib/node_modules /usr/local/lib/node_modules /usr/share/nodejs ~/.nvm/versions
    /usr/lib/jvm /usr/share/java ~/.m2/repository ~/.gradle/caches/modules-2
    /usr/lib/dotnet /usr/share/dotnet ~/.nuget/packages /usr/lib/ruby /var/lib/gems ~/.rbenv/versions
    ~/.local/share/mise/installs ~/.asdf/installs
    /opt/homebrew/include /opt/homebrew/lib /opt/homebrew/Cellar
    /Library/Developer/CommandLineTools/SDKs /Applications/Xcode.app/Contents/Developer""".split()
)
"""Directories of compilers, standard libraries and downloaded packages, which hold no secrets."""
CLIENT_PLACES = tuple(
    """~/.claude/plugins/cache/* ~/.claude/skills ~/.claude/commands ~/.claude/agents ~/.claude/plans
    ~/.claude/rules ~/.claude/output-styles ~/.claude/CLAUDE.md""".split()
)
"""Texts that Claude Code gives to its model anyway; its settings and conversations are not among them."""
_DOWNLOADS = "/go/pkg/mod/cache"
"""Where Go keeps clones of repositories, whose settings may hold a password."""
_PLAN = regex(r"/\.claude/plans/[^/.][^/]*\.md", re.IGNORECASE)
_OTHER_CHARACTER = regex(r"[^A-Za-z0-9]")


def is_in_library(use: PathUse, facts: Facts) -> bool:
    """Whether a path, after links are followed, is in a place that can be read without asking."""
    written = use.to_absolute_path(facts.directories)
    real = () if written is None else facts.real.get(written, ())
    return bool(real) and all(_is_in_place(path, facts.directories) for path in real)


def are_in_library(directories: Iterable[str], facts: Facts) -> bool:
    """Whether all directories of a line are in places that can be read without asking."""
    return all(is_in_library(PathUse("", directory), facts) for directory in directories)


def is_plan_file(use: PathUse, facts: Facts) -> bool:
    """Whether a path is a plan of Claude Code: a text that its model writes and that controls nothing."""
    written = use.to_absolute_path(facts.directories)
    real = () if written is None else facts.real.get(written, ())
    home = facts.directories.home
    return bool(real and home) and all(
        path.startswith(home) and _PLAN.fullmatch(path[len(home) :]) is not None and not has_glob(path)
        for path in real
    )


def _is_in_place(path: str, directories: CallDirectories) -> bool:
    """Whether a real path is in a place, and no hidden name is below the place."""
    path = normalize_path(path, directories)
    pattern = _places_pattern(directories.home, directories.roots, directories.case_sensitive)
    found = pattern.match(path)
    return found is not None and "/." not in path[found.end() :] and _DOWNLOADS not in f"{path}/"


@lru_cache(maxsize=64)
def _places_pattern(home: str, roots: tuple[str, ...], case_sensitive: bool) -> re.Pattern[str]:  # noqa: FBT001 - a cache accepts no keyword arguments
    """The pattern of the beginnings of all paths in the places."""
    places = [f"(?:/private)?/tmp/claude-[0-9]+/{re.escape(_client_name(root))}" for root in roots]
    for place in (*LIBRARY_PLACES, *CLIENT_PLACES):
        if place.startswith("/") or home:
            text = place.replace("~", home, 1) if place.startswith("~") else place
            places.append(re.escape(text).replace(r"\*", "[^/]+"))
    flags = 0 if case_sensitive else re.IGNORECASE
    return regex(f"(?:{'|'.join(places)})(?=/|$)", flags)


def _client_name(root: str) -> str:
    """The name that Claude Code gives to what it keeps of a workspace."""
    return _OTHER_CHARACTER.sub("-", root)
