"""The policy of a workspace: all layers merged into one value, with the origin of each setting."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from assent.config.tools import KNOWN_TOOLS
from assent.engine.base.tool import Tool
from assent.engine.base.value import Value, replace
from assent.engine.policy.modes import Mode, parse_mode
from assent.engine.policy.rule import Layer, Rule, RuleList
from assent.engine.policy.snapshot import PolicyOptions, Snapshot, TierSetting, build_snapshot
from assent.engine.policy.verdict import Verdict
from assent.errors import AssentError

if TYPE_CHECKING:  # `assent check` must not load the gate
    from assent.gate.preset import Budget


class Origin(NamedTuple):
    """The layer that a setting comes from, and the file and line if it comes from a file."""

    layer: str
    source: str = ""


class Policy(Value):
    """The merged policy; the default values are those of the preset `assent` without any file."""

    tools: Mapping[str, Tool] = KNOWN_TOOLS
    rules: Mapping[RuleList, tuple[Rule, ...]] = dict[RuleList, tuple[Rule, ...]]()
    tiers: Mapping[tuple[str, str], TierSetting] = dict[tuple[str, str], TierSetting]()
    mode: Mode | None = Mode.DEFAULT
    mode_word: str = Mode.DEFAULT.value
    """The name of the mode as the user wrote it, possibly an alias."""
    modes: tuple[str, ...] = (Mode.DEFAULT, Mode.PLAN, Mode.ACCEPT_EDITS, Mode.AUTO)
    """The names of the modes that the preset offers."""
    preset: str = "assent"
    fallback: Verdict = Verdict.ASK
    options: PolicyOptions = PolicyOptions()
    attended: bool = True
    claude_settings: bool = False
    roots: tuple[str, ...] = ()
    """Additional directories of the workspace."""
    keep_arguments_days: int = 30
    """Number of days that the arguments of calls are stored after their approval ended."""
    budget: "Budget | None" = None
    """The maximum number of calls of each principal in a period of time."""
    origins: Mapping[str, Origin] = dict[str, Origin]()
    held_back: tuple[str, ...] = ()
    """The settings of the repository's files that have no effect until the user trusts the files."""

    def origin(self, key: str) -> Origin:
        """The origin of the setting with this key."""
        return self.origins.get(key, Origin(Layer.SHIPPED))

    def with_mode(self, word: str, origin: Origin) -> "Policy":
        """A copy of this policy with another mode; raises an error if the preset does not offer the mode."""
        mode = parse_mode(word)
        if mode not in map(parse_mode, self.modes):
            offered = f"offers {', '.join(self.modes)}" if self.modes else "has no modes"
            where = f"{origin.layer} {origin.source}".strip()
            raise AssentError(f"mode `{word}` ({where}) cannot be used: the preset `{self.preset}` {offered}")
        return replace(self, mode=mode, mode_word=word, origins={**self.origins, "mode": origin})

    def snapshot(self, agent: str = "") -> Snapshot:
        """Build the snapshot with which the calls of an agent are decided."""
        return build_snapshot(
            self.tools,
            agent=agent,
            rules=self.rules,
            tiers=self.tiers,
            added_tools=self.tools.keys() - KNOWN_TOOLS.keys(),
            mode=self.mode,
            fallback=self.fallback,
            attended=self.attended,
            options=self.options,
        )


SHIPPED_POLICY = Policy()
