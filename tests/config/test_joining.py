"""A trusted file overrides and adds; one that nobody trusted can only make things stricter."""

import pytest

from assent.config.file import read_policy
from assent.config.joining import loosened, override, tighten
from assent.config.policy import SHIPPED, Origin, Policy
from assent.config.source import Source
from assent.engine.model import Effect
from assent.engine.modes import Mode
from assent.engine.policy.rule import Layer, RuleList
from assent.engine.policy.tiers import Tier, TierSetting
from assent.engine.verdict import Verdict
from assent.errors import ConfigError

LOOSE = """\
mode = "auto"
preset = "tiers"
fallback = "run"
claude_settings = true
allow = ["Bash(npm *)"]
deny = ["Bash(curl *)"]
ask = ["Bash(git push *)"]
[options]
reads_bypass_rules = true
privilege_wrappers = "strip"
[tools.new]
effect = "read"
[tools."files.delete"]
effect = "destructive"
description = "harmless"
[tiers.clerk]
Bash = "always_allow"
Read = "needs_approval"
Edit = "blocked"
[workspace]
roots = ["/etc"]
"""


def joined(text: str, *, trusted: bool, to: Policy = SHIPPED) -> Policy:
    file = read_policy(Source("/p/.assent/config.toml", text.encode()), Layer.PROJECT)
    return (override if trusted else tighten)(to, file, Layer.PROJECT, "/p")


def texts(policy: Policy, kind: RuleList) -> list[str]:
    return [rule.text for rule in policy.rules.get(kind, ())]


def test_a_trusted_file_says_how_things_are() -> None:
    policy = joined(LOOSE, trusted=True)

    assert (policy.mode, policy.fallback, policy.claude_settings) == (Mode.AUTO, Verdict.RUN, True)
    assert (policy.options.reads_bypass_rules, policy.options.strip_privilege_wrappers) == (True, True)
    assert texts(policy, RuleList.ALLOW) == ["Bash(npm *)"]
    assert policy.tools["new"].effect is Effect.READ
    assert policy.tools["files.delete"].description == "harmless"
    assert policy.tiers["clerk", "Bash"] == TierSetting(Tier.ALWAYS_ALLOW)
    assert policy.roots == ("/etc",)
    assert policy.held_back == ()
    assert policy.origin("mode") == Origin(Layer.PROJECT, "/p/.assent/config.toml, line 1")


@pytest.mark.proves("T-12")
def test_an_untrusted_file_loosens_nothing() -> None:
    policy = joined(LOOSE, trusted=False)

    assert (policy.mode, policy.fallback, policy.claude_settings) == (Mode.DEFAULT, Verdict.ASK, False)
    assert (policy.options, policy.roots, policy.preset) == (SHIPPED.options, (), "assent")
    assert texts(policy, RuleList.ALLOW) == []
    assert "new" not in policy.tools
    assert policy.tools["files.delete"].description == SHIPPED.tools["files.delete"].description
    assert ("clerk", "Bash") not in policy.tiers


@pytest.mark.proves("T-12")
def test_an_untrusted_file_tightens_at_once() -> None:
    policy = joined(LOOSE, trusted=False)

    assert texts(policy, RuleList.DENY) == ["Bash(curl *)"]
    assert texts(policy, RuleList.ASK) == ["Bash(git push *)"]
    assert policy.tools["files.delete"].effect is Effect.DESTRUCTIVE
    assert policy.tiers == {
        ("clerk", "Read"): TierSetting(Tier.NEEDS_APPROVAL),
        ("clerk", "Edit"): TierSetting(Tier.BLOCKED),
    }


@pytest.mark.proves("T-12")
def test_what_an_untrusted_file_would_loosen_is_listed_for_the_person_who_may_trust_it() -> None:
    assert joined(LOOSE, trusted=False).held_back == (
        "allow Bash(npm *)",
        "mode auto",
        "preset tiers",
        "fallback run",
        "read Claude Code's settings",
        "reads bypass deny and ask rules",
        "allow rules see through sudo",
        "a new tool new, which is read",
        "tier always_allow for clerk, Bash",
        "workspace root /etc",
    )


@pytest.mark.proves("T-12")
@pytest.mark.parametrize(
    ("theirs", "file", "holds"),
    [
        (Mode.AUTO, "plan", Mode.PLAN),
        (Mode.AUTO, "acceptEdits", Mode.ACCEPT_EDITS),
        (Mode.DEFAULT, "default", Mode.DEFAULT),
        (Mode.DEFAULT, "accept_edits", Mode.DEFAULT),
        (Mode.PLAN, "auto", Mode.PLAN),
        (None, "auto", None),
        (None, "plan", None),
    ],
)
def test_an_untrusted_mode_counts_only_when_it_is_narrower(
    theirs: Mode | None, file: str, holds: Mode | None
) -> None:
    assert joined(f'mode = "{file}"', trusted=False, to=Policy(mode=theirs)).mode is holds


@pytest.mark.proves("T-12")
@pytest.mark.parametrize(
    ("theirs", "file", "holds"),
    [
        (Tier.BLOCKED, "needs_approval", Tier.BLOCKED),
        (Tier.BLOCKED, "always_allow", Tier.BLOCKED),
        (Tier.NEEDS_APPROVAL, "always_allow", Tier.NEEDS_APPROVAL),
        (Tier.NEEDS_APPROVAL, "blocked", Tier.BLOCKED),
        (Tier.ALWAYS_ALLOW, "needs_approval", Tier.NEEDS_APPROVAL),
    ],
)
def test_an_untrusted_tier_counts_only_when_it_is_stricter(theirs: Tier, file: str, holds: Tier) -> None:
    policy = Policy(tiers={("clerk", "Bash"): TierSetting(theirs)})

    after = joined(f'[tiers.clerk]\nBash = "{file}"', trusted=False, to=policy)

    assert after.tiers == {("clerk", "Bash"): TierSetting(holds)}


@pytest.mark.proves("R003-27")
@pytest.mark.parametrize("trusted", [True, False])
def test_lists_grow_and_a_deny_is_never_taken_away(trusted: bool) -> None:
    before = joined('deny = ["Read(.env)"]\nask = ["Bash"]', trusted=True)

    after = joined('deny = ["Bash(rm *)"]', trusted=trusted, to=before)

    assert texts(after, RuleList.DENY) == ["Read(.env)", "Bash(rm *)"]
    assert texts(after, RuleList.ASK) == ["Bash"]


@pytest.mark.proves("T-6")
@pytest.mark.parametrize("trusted", [True, False])
def test_no_file_lowers_an_effect_that_is_known(trusted: bool) -> None:
    with pytest.raises(ConfigError, match="can be raised but not lowered"):
        joined('[tools.Bash]\neffect = "read"', trusted=trusted)


def test_a_file_that_loosens_nothing_holds_nothing_back() -> None:
    file = read_policy(Source("x.toml", b'mode = "plan"\ndeny = ["Bash"]\nfallback = "ask"'), Layer.PROJECT)

    assert list(loosened(SHIPPED, file)) == []


def test_roots_are_measured_from_the_workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/user")

    policy = joined('[workspace]\nroots = ["../lib", "~/notes", "/srv"]', trusted=True)

    assert policy.roots == ("/lib", "/home/user/notes", "/srv")


@pytest.mark.proves("T-12")
@pytest.mark.parametrize("effect", ["edit", "write", "external", "destructive"])
def test_an_untrusted_file_cannot_take_a_readers_rules_from_it(effect: str) -> None:
    # What is denied to `Read` is denied to `cat`; a `Read` that is no reader would leave `cat` alone.
    policy = joined(f'[tools.Read]\neffect = "{effect}"', trusted=False)

    assert policy.tools["Read"].effect is Effect.READ
    assert policy.held_back == ("Read no longer read",)


def test_how_long_arguments_are_kept_is_for_whoever_is_trusted_to_say() -> None:
    said, unsaid = "keep_arguments_days = 7", 'mode = "plan"'
    trusted, untrusted = joined(said, trusted=True), joined(said, trusted=False)

    assert (SHIPPED.keep_arguments_days, joined(unsaid, trusted=True).keep_arguments_days) == (30, 30)
    assert (trusted.keep_arguments_days, trusted.held_back) == (7, ())
    assert trusted.origin("keep_arguments_days") == Origin(Layer.PROJECT, "/p/.assent/config.toml, line 1")
    assert joined(unsaid, trusted=True, to=trusted).keep_arguments_days == 7
    assert (untrusted.keep_arguments_days, untrusted.held_back) == (
        30,
        ("keep the arguments of calls for 7 day(s)",),
    )
