"""The policy of one place: all layers merged into one value, with the origin of each part."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from assent.config.tools import KNOWN_TOOLS
from assent.engine.model import Tool
from assent.engine.modes import Mode, parse_mode
from assent.engine.policy.rule import Layer, Rule, RuleList
from assent.engine.policy.snapshot import PolicyOptions, Snapshot, build_snapshot
from assent.engine.policy.tiers import TierSetting
from assent.engine.value import Value, replace
from assent.engine.verdict import Verdict
from assent.errors import AssentError

if TYPE_CHECKING:  # `assent check` does without the gate
    from assent.gate.preset import Budget


class Origin(NamedTuple):
    """Where a value comes from: a layer and, where there is one, a file and a line."""

    layer: str
    source: str = ""


class Policy(Value):
    """What holds here; without any file it is what the preset `assent` says."""

    tools: Mapping[str, Tool] = KNOWN_TOOLS
    rules: Mapping[RuleList, tuple[Rule, ...]] = dict[RuleList, tuple[Rule, ...]]()
    tiers: Mapping[tuple[str, str], TierSetting] = dict[tuple[str, str], TierSetting]()
    mode: Mode | None = Mode.DEFAULT
    mode_word: str = Mode.DEFAULT.value
    """The mode as the person spelled it."""
    modes: tuple[str, ...] = (Mode.DEFAULT, Mode.PLAN, Mode.ACCEPT_EDITS, Mode.AUTO)
    """The modes that the preset offers, as it spells them."""
    preset: str = "assent"
    fallback: Verdict = Verdict.ASK
    options: PolicyOptions = PolicyOptions()
    attended: bool = True
    claude_settings: bool = False
    roots: tuple[str, ...] = ()
    """Directories that belong to the workspace besides its root."""
    keep_arguments_days: int = 30
    """How long what was in a call is kept once its approval has ended."""
    budget: "Budget | None" = None
    """How many calls each principal may make."""
    origins: Mapping[str, Origin] = dict[str, Origin]()
    held_back: tuple[str, ...] = ()
    """What the repository's own files would loosen if a person trusted them."""

    def origin(self, key: str) -> Origin:
        """Where a single value comes from."""
        return self.origins.get(key, Origin(Layer.SHIPPED))

    def with_mode(self, word: str, origin: Origin) -> "Policy":
        """The same policy in another mode, which its preset must offer."""
        mode = parse_mode(word)
        if mode not in map(parse_mode, self.modes):
            offered = f"offers {', '.join(self.modes)}" if self.modes else "has no modes"
            where = f"{origin.layer} {origin.source}".strip()
            raise AssentError(f"mode `{word}` ({where}) cannot be used: the preset `{self.preset}` {offered}")
        return replace(self, mode=mode, mode_word=word, origins={**self.origins, "mode": origin})

    def snapshot(self, agent: str = "") -> Snapshot:
        """The policy as the engine takes it, for one agent."""
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
