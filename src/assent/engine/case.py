"""A case: one parsed call with the policy and the facts that decide it."""

from collections.abc import Iterable

from assent.engine.facts import Facts, PathUse, Place, is_inside, normalize_path
from assent.engine.globs import HOLE, has_glob
from assent.engine.lines.input_names import names_of, written_name
from assent.engine.lines.part import ParsedCall, Part
from assent.engine.model import Call, Effect, Tool
from assent.engine.modes import Mode
from assent.engine.parsing import parse_call
from assent.engine.policy.snapshot import Snapshot
from assent.engine.programs.word import base_name
from assent.engine.secret_paths import HARMLESS_SYSTEM_FILES, could_be_secret, is_secret

_START_ONLY = ("",)
_SEVERITY = {effect: position for position, effect in enumerate(Effect)}


class Case:
    """What the stages need to know about a call, computed once."""

    __slots__ = (
        "call",
        "declared_effects",
        "effect",
        "facts",
        "lineage",
        "mode",
        "parsed",
        "parts",
        "reading_parts",
        "snapshot",
        "tool",
    )

    def __init__(
        self, call: Call, tool: Tool, snapshot: Snapshot, facts: Facts, parsed: ParsedCall | None = None
    ) -> None:
        self.call = call
        self.tool = tool
        self.snapshot = snapshot
        self.facts = facts
        self.parsed = parse_call(call, tool) if parsed is None else parsed
        self.parts = self.parsed.all_parts
        self.lineage = snapshot.lineage()
        self.mode: Mode | None = snapshot.narrowest_mode
        # An ancestor may have raised the effect of the tool; nobody can lower it.
        self.declared_effects = (
            {tool.effect}
            if snapshot.parent is None
            else {policy.tools[call.tool].effect for policy in self.lineage}
        )
        # The ids of the parts, because parts are large and compare slowly.
        self.reading_parts = {
            id(part) for part in self.parts if part.only_reads and self._can_count_as_read(part)
        }
        self.effect = self._effective_effect()

    def only_reads(self, part: Part) -> bool:
        """Whether a part of a command line only reads, in its directory and with its repository's trust."""
        return id(part) in self.reading_parts

    def runs_in_workspace(self, part: Part) -> bool:
        """Whether a part runs in the workspace, also after `cd`."""
        if part.directories == _START_ONLY and self._starts_at_root:
            return True
        return all(self._has_directory(directory) for directory in part.directories)

    @property
    def _starts_at_root(self) -> bool:
        return self.facts.place.cwd in self.facts.place.roots

    def _has_directory(self, directory: str) -> bool:
        """Whether a directory of the line is in the workspace; an empty one is where the call starts."""
        return (not directory and self._starts_at_root) or self.is_in_workspace(PathUse("", directory))

    def is_in_workspace(self, use: PathUse) -> bool:
        """Whether a path is in the workspace, as written and as resolved."""
        written = use.absolute(self.facts.place)
        if written is None:
            # A link or a blank in a file name of the repository may lead out of the listed directory.
            return use.listed and (use.certain or self.facts.trusted_repository)
        real = self.facts.real.get(written)
        if not real:
            return False
        return all(is_inside(path, self.facts.place) for path in real)

    def outside_read(self, part: Part) -> str | None:
        """The first path or variable that a part reads and that is outside the workspace or secret."""
        if part.secret:
            return f"${part.secret}"
        uses = part.reads if part.path is None else (part.path,) if self._is_read_tool else ()
        return next((use.text for use in uses if not self.may_read(use)), None)

    @property
    def _is_read_tool(self) -> bool:
        """Whether the tool is declared to read, even if policy raised its effect."""
        return Effect.READ in self.declared_effects or any(
            policy.tools[self.call.tool].reads for policy in self.lineage
        )

    def input_names(self, part: Part) -> tuple[str, ...]:
        """The names that a rule can give to the input of a part; empty when no rule can name it."""
        if part.fed is None or self.may_change_input(part):
            return ()
        return names_of(part.fed, self.facts, self.snapshot.input_key)

    def suggested_input_name(self, part: Part) -> str | None:
        """How a suggested rule names the input of a part; None when no rule can name it."""
        if part.fed is None or self.may_change_input(part):
            return None
        return written_name(part.fed, self.facts, self.snapshot.input_key)

    def may_change_input(self, part: Part) -> bool:
        """Whether the line may change the file that it feeds to a part."""
        if part.fed is None or part.fed.file is None:
            return False
        name = base_name(part.fed.file.text)
        for one in self.parts:
            if id(one) in self.reading_parts:
                continue
            if one.fed is None or one.fed.file != part.fed.file:
                return True
            if any(base_name(use.text) == name or HOLE in use.text for use in (*one.writes, *one.redirected)):
                return True
        return False

    def changed_paths(self) -> list[PathUse]:
        """Every path that the call may change."""
        found: list[PathUse] = []
        if self.effect is Effect.READ:
            return found
        for part in self.parts:
            if part.path is not None:
                found.append(part.path)
            elif id(part) not in self.reading_parts:
                found += (*part.writes, *part.redirected)
        # A path that is not spelled out may be one that another part of the line lists.
        names = [use for part in self.parts for use in part.names]
        if names and any(HOLE in use.text or HOLE in use.directory for use in found):
            found += names
        return found

    def _can_count_as_read(self, part: Part) -> bool:
        return (not part.trust or self.facts.trusted_repository) and self.runs_in_workspace(part)

    def may_read(self, use: PathUse) -> bool:
        """Whether this path can be read unasked: it is in the workspace and holds no secret."""
        if use.text in HARMLESS_SYSTEM_FILES or (
            use.text.startswith("/dev/fd/") and use.text[8:].isdecimal()
        ):
            return True
        written = use.absolute(self.facts.place)
        real = () if written is None else self.facts.real.get(written, ())
        if use.glob and (not real or any(has_glob(path) for path in real)):
            # The matching files are not known, so only the pattern can be checked.
            return self.is_in_workspace(use) and not could_be_secret(use.text)
        known = (*real, written or "")
        return self.is_in_workspace(use) and not any(
            is_secret(normalize_path(path, self.facts.place)) for path in known
        )

    def _effective_effect(self) -> Effect:
        effect = max(self.declared_effects, key=_SEVERITY.__getitem__)
        if effect is Effect.DESTRUCTIVE:
            return effect
        if self.tool.dialect.is_shell and len(self.reading_parts) == len(self.parts):
            return Effect.READ
        if effect is not Effect.EDIT:
            return effect
        paths = (part.path for part in self.parts if part.path is not None)
        return effect if all(self.is_in_workspace(path) for path in paths) else Effect.WRITE


def digest_paths(parts: Iterable[Part], place: Place) -> tuple[str, ...]:
    """The absolute paths of files that are fed to commands as instructions."""
    fed = (part.fed.file for part in parts if part.fed is not None and part.fed.file is not None)
    found = (use.absolute(place) for use in fed)
    return tuple(dict.fromkeys(written for written in found if written is not None))


def needed_paths(parts: Iterable[Part], place: Place) -> tuple[str, ...]:
    """The absolute paths whose real paths a decision about these parts needs."""
    uses: dict[PathUse, None] = {}
    for part in parts:
        dangers = [danger.use for danger in part.endangered]
        uses.update(dict.fromkeys((*part.reads, *part.writes, *part.redirected, *dangers)))
        if part.path is not None:
            uses[part.path] = None
        if part.directories != _START_ONLY:
            uses.update((PathUse("", directory), None) for directory in part.directories if directory)
    if place.cwd not in place.roots:
        uses[PathUse("")] = None
    found = (use.absolute(place) for use in uses)
    return tuple(dict.fromkeys(written for written in found if written is not None))
