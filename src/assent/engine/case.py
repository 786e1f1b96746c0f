"""A case: one call read by its tool, with the policy and the facts it is decided by."""

from collections.abc import Iterable

from assent.engine.facts import Facts, PathUse, Place, inside, spelled
from assent.engine.fed import names_of, written_name
from assent.engine.globs import HOLE, has_glob
from assent.engine.model import Call, Dialect, Effect, Tool
from assent.engine.modes import Mode
from assent.engine.parsing import subject_of
from assent.engine.part import Part, Subject
from assent.engine.policy.snapshot import Snapshot
from assent.engine.secret_paths import HARMLESS, could_be_secret, is_secret
from assent.engine.shell.command import base_name

_HERE = ("",)
_SHELLS = (Dialect.SHELL, Dialect.POWERSHELL)
_GRAVITY = {effect: position for position, effect in enumerate(Effect)}


class Case:
    """What every stage asks about a call, worked out once."""

    __slots__ = (
        "call",
        "declared",
        "effect",
        "facts",
        "lineage",
        "mode",
        "parts",
        "readers",
        "snapshot",
        "subject",
        "tool",
    )

    def __init__(
        self, call: Call, tool: Tool, snapshot: Snapshot, facts: Facts, subject: Subject | None = None
    ) -> None:
        self.call = call
        self.tool = tool
        self.snapshot = snapshot
        self.facts = facts
        self.subject = subject_of(call, tool) if subject is None else subject
        self.parts = self.subject.every
        self.lineage = snapshot.lineage()
        self.mode: Mode | None = snapshot.narrowest_mode
        # An ancestor may have raised what the tool is declared to do; nobody can lower it.
        self.declared = (
            {tool.effect}
            if snapshot.parent is None
            else {policy.tools[call.tool].effect for policy in self.lineage}
        )
        self.readers = {id(part) for part in self.parts if part.only_reads and self._reads_here(part)}
        self.effect = self._effective_effect()

    def only_reads(self, part: Part) -> bool:
        """Whether a part of a shell line only reads, given where it is and whom we trust."""
        return id(part) in self.readers

    def at_home(self, part: Part) -> bool:
        """Whether a part runs in the workspace, wherever the line has gone by `cd`."""
        if part.directories == _HERE and self._starts_at_a_root:
            return True
        return all(self._is_in_workspace(directory) for directory in part.directories)

    @property
    def _starts_at_a_root(self) -> bool:
        return self.facts.place.cwd in self.facts.place.roots

    def _is_in_workspace(self, directory: str) -> bool:
        """Whether a directory that the line goes to is in there; empty is where the call starts."""
        return (not directory and self._starts_at_a_root) or self.inside(PathUse("", directory))

    def inside(self, use: PathUse) -> bool:
        """Whether a path is in the workspace, as written and as it really is."""
        written = use.absolute(self.facts.place)
        if written is None:
            # A link of the repository's, or a blank in a name of its, may lead out of what was listed.
            return use.listed and (use.surely or self.facts.trusted_repository)
        real = self.facts.real.get(written)
        if not real:
            return False
        return all(inside(path, self.facts.place) for path in real)

    def reads_elsewhere(self, part: Part) -> str | None:
        """The path or variable that a part reads although it is outside, or secret; None if none."""
        if part.secret:
            return f"${part.secret}"
        uses = part.reads if part.path is None else (part.path,) if self._is_reader else ()
        return next((use.text for use in uses if not self.may_read(use)), None)

    @property
    def _is_reader(self) -> bool:
        """Whether the tool reads what it is given, whatever else policy says of it."""
        return Effect.READ in self.declared or any(
            policy.tools[self.call.tool].reads for policy in self.lineage
        )

    def input_names(self, part: Part) -> tuple[str, ...]:
        """The names that a rule may give to what a part is fed; none where nothing can name it."""
        if part.fed is None or self._may_be_written(part):
            return ()
        return names_of(part.fed, self.facts, self.snapshot.input_key)

    def written_input(self, part: Part) -> str | None:
        """What a suggested rule says of what a part is fed; None where nothing can name it."""
        if part.fed is None or self._may_be_written(part):
            return None
        return written_name(part.fed, self.facts, self.snapshot.input_key)

    def _may_be_written(self, part: Part) -> bool:
        """Whether the line itself may change the file that it feeds to a part."""
        if part.fed is None or part.fed.file is None:
            return False
        name = base_name(part.fed.file.text)
        for one in self.parts:
            if id(one) in self.readers:
                continue
            if one.fed is None or one.fed.file != part.fed.file:
                return True
            if any(base_name(use.text) == name or HOLE in use.text for use in (*one.writes, *one.redirected)):
                return True
        return False

    def changes(self) -> list[PathUse]:
        """Every path that the call may change."""
        found: list[PathUse] = []
        if self.effect is Effect.READ:
            return found
        for part in self.parts:
            if part.path is not None:
                found.append(part.path)
            elif id(part) not in self.readers:
                found += (*part.writes, *part.redirected)
        # What it does not spell out may be what another part of the line lists for it.
        names = [use for part in self.parts for use in part.names]
        if names and any(HOLE in use.text or HOLE in use.directory for use in found):
            found += names
        return found

    def _reads_here(self, part: Part) -> bool:
        return (not part.trust or self.facts.trusted_repository) and self.at_home(part)

    def may_read(self, use: PathUse) -> bool:
        """Whether reading this path needs nobody's word: it is in the workspace, and holds no secret."""
        if use.text in HARMLESS or (use.text.startswith("/dev/fd/") and use.text[8:].isdecimal()):
            return True
        written = use.absolute(self.facts.place)
        real = () if written is None else self.facts.real.get(written, ())
        if use.glob and (not real or any(has_glob(path) for path in real)):
            # The files that it matches are not known, so its spelling has to do.
            return self.inside(use) and not could_be_secret(use.text)
        known = (*real, written or "")
        return self.inside(use) and not any(is_secret(spelled(path, self.facts.place)) for path in known)

    def _effective_effect(self) -> Effect:
        effect = max(self.declared, key=_GRAVITY.__getitem__)
        if effect is Effect.DESTRUCTIVE:
            return effect
        if self.tool.dialect in _SHELLS and len(self.readers) == len(self.parts):
            return Effect.READ
        if effect is not Effect.EDIT:
            return effect
        paths = (part.path for part in self.parts if part.path is not None)
        return effect if all(self.inside(path) for path in paths) else Effect.WRITE


def wanted_contents(parts: Iterable[Part], place: Place) -> tuple[str, ...]:
    """The absolute paths of the files that are fed to commands which take instructions from them."""
    fed = (part.fed.file for part in parts if part.fed is not None and part.fed.file is not None)
    found = (use.absolute(place) for use in fed)
    return tuple(dict.fromkeys(written for written in found if written is not None))


def wanted_paths(parts: Iterable[Part], place: Place) -> tuple[str, ...]:
    """The absolute paths whose real path a decision about these parts asks for."""
    uses: dict[PathUse, None] = {}
    for part in parts:
        dangers = [danger.use for danger in part.endangered]
        uses.update(dict.fromkeys((*part.reads, *part.writes, *part.redirected, *dangers)))
        if part.path is not None:
            uses[part.path] = None
        if part.directories != _HERE:
            uses.update((PathUse("", directory), None) for directory in part.directories if directory)
    if place.cwd not in place.roots:
        uses[PathUse("")] = None
    found = (use.absolute(place) for use in uses)
    return tuple(dict.fromkeys(written for written in found if written is not None))
