"""The policy of a workspace: all layers merged into one value, with the origin of each part."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from assent.config.tools import KNOWN_TOOLS
from assent.engine.base.tool import Tool
from assent.engine.base.value import Value, replace
from assent.engine.policy.modes import Mode, parse_mode
from assent.engine.policy.rule import Layer, Rule, RuleList
from assent.engine.policy.snapshot import PolicyOptions, Snapshot, build_snapshot
from assent.engine.policy.tiers import TierSetting
from assent.engine.policy.verdict import Verdict
from assent.errors import AssentError

if TYPE_CHECKING:  # `assent check` must not load the gate
    from assent.gate.preset import Budget


class Origin(NamedTuple):
    """The layer that a value comes from, and its file and line if there are any."""

    layer: str
    source: str = ""


class Policy(Value):
    """The merged policy; the defaults are the preset `assent` without any file."""

    tools: Mapping[str, Tool] = KNOWN_TOOLS
    rules: Mapping[RuleList, tuple[Rule, ...]] = dict[RuleList, tuple[Rule, ...]]()
    tiers: Mapping[tuple[str, str], TierSetting] = dict[tuple[str, str], TierSetting]()
    mode: Mode | None = Mode.DEFAULT
    mode_word: str = Mode.DEFAULT.value
    """The mode as the user wrote it, which may be an alias."""
    modes: tuple[str, ...] = (Mode.DEFAULT, Mode.PLAN, Mode.ACCEPT_EDITS, Mode.AUTO)
    """The modes that the preset offers, as its file writes them."""
    preset: str = "assent"
    fallback: Verdict = Verdict.ASK
    options: PolicyOptions = PolicyOptions()
    attended: bool = True
    claude_settings: bool = False
    roots: tuple[str, ...] = ()
    """Directories of the workspace besides its root."""
    keep_arguments_days: int = 30
    """Days for which arguments are stored after an approval has ended."""
    budget: "Budget | None" = None
    """The number of calls that each principal may make in a time."""
    origins: Mapping[str, Origin] = dict[str, Origin]()
    held_back: tuple[str, ...] = ()
    """What the repository's files would loosen if the user trusted them."""

    def origin(self, key: str) -> Origin:
        """The origin of a single value."""
        return self.origins.get(key, Origin(Layer.SHIPPED))

    def with_mode(self, word: str, origin: Origin) -> "Policy":
        """The same policy in another mode; the preset must offer it."""
        mode = parse_mode(word)
        if mode not in map(parse_mode, self.modes):
            offered = f"offers {', '.join(self.modes)}" if self.modes else "has no modes"
            where = f"{origin.layer} {origin.source}".strip()
            raise AssentError(f"mode `{word}` ({where}) cannot be used: the preset `{self.preset}` {offered}")
        return replace(self, mode=mode, mode_word=word, origins={**self.origins, "mode": origin})

    def snapshot(self, agent: str = "") -> Snapshot:
        """The snapshot of this policy for one agent."""
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
