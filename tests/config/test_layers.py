"""Merging of policy files: lists are combined, single values override, untrusted files only restrict."""

import json
from pathlib import Path

import pytest

from assent.config.files import Source, read_source
from assent.config.layers import (
    apply_trusted_file,
    apply_untrusted_file,
    load_policy,
    load_policy_file,
    loosening_changes,
)
from assent.config.paths import ConfigPaths
from assent.config.policy import SHIPPED_POLICY, Origin, Policy
from assent.config.policy_file import read_policy_file
from assent.config.repository import NO_TRUST, Trust
from assent.config.workspace import directories_without_disk, facts_without_disk
from assent.engine.base.tool import Call, Effect
from assent.engine.decide import decide, paths_to_resolve
from assent.engine.policy.modes import Mode
from assent.engine.policy.rule import Layer, RuleList
from assent.engine.policy.snapshot import Tier, TierSetting
from assent.engine.policy.verdict import Stage, Verdict
from assent.errors import AssentError, ConfigError, RuleExampleError, RuleSyntaxError


class HomeDirectory:
    """A temporary directory with the policy files of every layer."""

    def __init__(self, base: Path) -> None:
        for name in (
            "root/.assent",
            "root/.claude",
            "home/.claude",
            "managed/presets",
            "user/presets",
            "data",
        ):
            (base / name).mkdir(parents=True, mode=0o700)
        self.base = base
        self.trust = NO_TRUST
        self.where = ConfigPaths(
            root=str(base / "root"),
            cwd=str(base / "root"),
            home=str(base / "home"),
            managed=str(base / "managed"),
            user=str(base / "user"),
            data=str(base / "data"),
        )

    def write(self, layer: Layer, text: str, *, trusted: bool = False) -> Path:
        files = {
            Layer.MANAGED: self.where.managed_file,
            Layer.USER: self.where.user_file,
            Layer.PROJECT: self.where.project_file,
            Layer.LOCAL: self.where.local_file,
        }
        return self.write_path(Path(files[layer]), text, trusted=trusted)

    def write_path(self, path: Path, text: str, *, trusted: bool = False) -> Path:
        path.write_text(text)
        path.chmod(0o600)
        if trusted:
            self.trust_file(path)
        return path

    def trust_file(self, path: Path) -> None:
        self.trust = self.trust.with_file(str(path), read_source(str(path)).digest)

    def load(self, environ: dict[str, str] | None = None, **flags: str) -> Policy:
        return load_policy(self.where, self.trust, environ or {}, **flags)


@pytest.fixture
def home_directory(tmp_path: Path) -> HomeDirectory:
    return HomeDirectory(tmp_path)


def rule_texts_of(policy: Policy, kind: RuleList) -> list[str]:
    return [rule.text for rule in policy.rules.get(kind, ())]


def test_without_a_file_the_shipped_policy_applies(home_directory: HomeDirectory) -> None:
    assert home_directory.load() == Policy()


@pytest.mark.proves("R003-26", "R003-27")
def test_lists_of_all_layers_are_merged_and_every_deny_rule_applies(home_directory: HomeDirectory) -> None:
    home_directory.write(Layer.MANAGED, 'deny = ["Bash(curl *)"]\n')
    home_directory.write(Layer.USER, 'deny = ["Read(.env)"]\nallow = ["Bash(npm *)"]\n')
    home_directory.write(Layer.PROJECT, 'deny = ["Bash(rm *)"]\nallow = ["Bash(make *)"]\n', trusted=True)
    home_directory.write(Layer.LOCAL, 'ask = ["Bash(git push *)"]\n', trusted=True)

    policy = home_directory.load()

    assert rule_texts_of(policy, RuleList.DENY) == ["Bash(curl *)", "Read(.env)", "Bash(rm *)"]
    assert rule_texts_of(policy, RuleList.ASK) == ["Bash(git push *)"]
    assert rule_texts_of(policy, RuleList.ALLOW) == ["Bash(npm *)", "Bash(make *)"]
    assert [rule.layer for rule in policy.rules[RuleList.DENY]] == [Layer.MANAGED, Layer.USER, Layer.PROJECT]


@pytest.mark.proves("R003-26")
def test_a_single_value_comes_from_the_strongest_layer(home_directory: HomeDirectory) -> None:
    found: list[tuple[Mode | None, str]] = []
    home_directory.write(Layer.MANAGED, 'mode = "plan"\n')
    found.append((home_directory.load().mode, home_directory.load().origin("mode").layer))
    home_directory.write(Layer.USER, 'mode = "accept_edits"\n')
    found.append((home_directory.load().mode, home_directory.load().origin("mode").layer))
    home_directory.write(Layer.PROJECT, 'mode = "auto"\n', trusted=True)
    found.append((home_directory.load().mode, home_directory.load().origin("mode").layer))
    home_directory.write(Layer.LOCAL, 'mode = "default"\n', trusted=True)
    found.append((home_directory.load().mode, home_directory.load().origin("mode").layer))
    environ = {"ASSENT_MODE": "plan"}
    found.append((home_directory.load(environ).mode, home_directory.load(environ).origin("mode").layer))
    found.append(
        (
            home_directory.load(environ, mode="auto").mode,
            home_directory.load(environ, mode="auto").origin("mode").layer,
        )
    )

    assert found == [
        (Mode.PLAN, "managed"),
        (Mode.ACCEPT_EDITS, "user"),
        (Mode.AUTO, "project"),
        (Mode.DEFAULT, "local"),
        (Mode.PLAN, "environment"),
        (Mode.AUTO, "flag"),
    ]


def test_the_origin_of_a_value_names_file_and_line(home_directory: HomeDirectory) -> None:
    path = home_directory.write(Layer.USER, '# my own\nmode = "plan"\n')

    assert home_directory.load().origin("mode") == Origin(Layer.USER, f"{path}, line 2")


# ---- trust --------------------------------------------------------------------------------------


@pytest.mark.proves("T-12")
@pytest.mark.parametrize("layer", [Layer.PROJECT, Layer.LOCAL])
def test_a_repository_file_loosens_the_policy_only_if_it_is_trusted(
    home_directory: HomeDirectory, layer: Layer
) -> None:
    path = home_directory.write(layer, 'mode = "auto"\nallow = ["Bash"]\ndeny = ["Bash(rm *)"]\n')

    before = home_directory.load()
    home_directory.trust_file(path)
    after = home_directory.load()

    assert (before.mode, rule_texts_of(before, RuleList.ALLOW)) == (Mode.DEFAULT, [])
    assert rule_texts_of(before, RuleList.DENY) == ["Bash(rm *)"]
    assert before.held_back == ("allow Bash", "mode auto")
    assert (after.mode, rule_texts_of(after, RuleList.ALLOW), after.held_back) == (Mode.AUTO, ["Bash"], ())


@pytest.mark.proves("T-12")
def test_a_changed_file_is_no_longer_trusted(home_directory: HomeDirectory) -> None:
    home_directory.write(Layer.PROJECT, 'allow = ["Bash(npm *)"]\n', trusted=True)
    assert rule_texts_of(home_directory.load(), RuleList.ALLOW) == ["Bash(npm *)"]

    home_directory.write(Layer.PROJECT, 'allow = ["Bash(npm *)", "Bash"]\n')

    assert rule_texts_of(home_directory.load(), RuleList.ALLOW) == []


@pytest.mark.proves("T-12")
def test_trust_in_a_file_does_not_apply_to_a_copy_of_it(home_directory: HomeDirectory) -> None:
    text = 'allow = ["Bash"]\n'
    home_directory.write(Layer.PROJECT, text, trusted=True)
    home_directory.write(Layer.LOCAL, text)

    assert rule_texts_of(home_directory.load(), RuleList.ALLOW) == ["Bash"]
    assert home_directory.load().held_back == ("allow Bash",)


@pytest.mark.proves("T-12")
def test_a_link_to_a_trusted_file_is_not_trusted(home_directory: HomeDirectory, tmp_path: Path) -> None:
    elsewhere = home_directory.write_path(tmp_path / "config.toml", 'allow = ["Bash"]\n', trusted=True)
    Path(home_directory.where.project_file).symlink_to(elsewhere)

    assert rule_texts_of(home_directory.load(), RuleList.ALLOW) == []


@pytest.mark.proves("T-12")
def test_the_preset_of_an_untrusted_file_is_ignored(home_directory: HomeDirectory) -> None:
    path = home_directory.write(Layer.PROJECT, 'preset = "tiers"\n')
    assert (home_directory.load().preset, home_directory.load().fallback) == ("assent", Verdict.ASK)

    home_directory.trust_file(path)

    assert (home_directory.load().preset, home_directory.load().fallback, home_directory.load().mode) == (
        "tiers",
        Verdict.RUN,
        None,
    )


@pytest.mark.proves("T-19")
@pytest.mark.parametrize("layer", [Layer.MANAGED, Layer.USER])
@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_a_personal_file_that_other_users_can_write_is_refused(
    home_directory: HomeDirectory, layer: Layer, mode: int
) -> None:
    home_directory.write(layer, 'mode = "auto"\n').chmod(mode)

    with pytest.raises(ConfigError, match="other users may write"):
        home_directory.load()


def test_a_broken_link_is_an_error(home_directory: HomeDirectory) -> None:
    Path(home_directory.where.user_file).symlink_to("nowhere")

    with pytest.raises(ConfigError, match="no such file"):
        home_directory.load()


# ---- presets ------------------------------------------------------------------------------------


def test_the_preset_comes_from_the_strongest_layer_that_names_one(home_directory: HomeDirectory) -> None:
    home_directory.write(Layer.USER, 'preset = "chat"\n')

    assert home_directory.load().preset == "chat"
    assert home_directory.load({"ASSENT_PRESET": "workbench"}).preset == "workbench"
    assert home_directory.load({"ASSENT_PRESET": "workbench"}, preset="fleet").preset == "fleet"
    assert home_directory.load().origin("preset").layer == Layer.USER


def test_a_preset_brings_its_mode_tools_and_rules(home_directory: HomeDirectory) -> None:
    policy = home_directory.load(preset="fleet")

    assert (policy.mode, policy.mode_word) == (Mode.ACCEPT_EDITS, "accept_edits")
    assert "Bash(git status)" in rule_texts_of(policy, RuleList.ALLOW)
    assert "terminal.exec" not in policy.tools


def test_a_preset_of_the_user_is_found_in_the_users_directory(home_directory: HomeDirectory) -> None:
    home_directory.write_path(Path(home_directory.where.user, "presets", "mine.toml"), 'modes = ["plan"]\n')

    assert home_directory.load(preset="mine").mode is Mode.PLAN


def test_a_mode_that_the_preset_does_not_offer_is_refused(home_directory: HomeDirectory) -> None:
    home_directory.write(Layer.USER, 'preset = "chat"\nmode = "accept_edits"\n')

    with pytest.raises(AssentError, match="the preset `chat` offers default, plan, auto"):
        home_directory.load()


@pytest.mark.parametrize("word", ["turbo", "Plan", " plan"])
def test_an_unknown_mode_in_the_environment_or_a_flag_is_an_error(
    home_directory: HomeDirectory, word: str
) -> None:
    with pytest.raises(AssentError, match="unknown mode"):
        home_directory.load({"ASSENT_MODE": word})
    with pytest.raises(AssentError, match="unknown mode"):
        home_directory.load(mode=word)


# ---- rules --------------------------------------------------------------------------------------


def test_a_rule_for_an_unknown_tool_is_an_error(home_directory: HomeDirectory) -> None:
    home_directory.write(Layer.USER, 'deny = ["Bahs(rm *)"]\n')

    with pytest.raises(RuleSyntaxError, match="did you mean `Bash`"):
        home_directory.load()


def test_a_tool_of_one_layer_is_known_in_all_layers(home_directory: HomeDirectory) -> None:
    home_directory.write(Layer.MANAGED, 'deny = ["billing.refund(x)"]\n')
    home_directory.write(Layer.USER, '[tools."billing.refund"]\neffect = "external"\ntemplate = "{id}"\n')

    assert rule_texts_of(home_directory.load(), RuleList.DENY) == ["billing.refund(x)"]


def test_a_rule_may_name_a_tool_of_another_preset(home_directory: HomeDirectory) -> None:
    home_directory.write(Layer.USER, 'preset = "chat"\ndeny = ["Bash(rm *)"]\n')

    assert rule_texts_of(home_directory.load(), RuleList.DENY) == ["Bash(rm *)"]


@pytest.mark.parametrize("trusted", [True, False])
def test_rules_for_a_tool_of_an_untrusted_file_are_valid(
    home_directory: HomeDirectory, trusted: bool
) -> None:
    text = (
        '[tools."db.query"]\ntemplate = "{sql}"\n'
        '[[allow]]\nrule = "db.query(select *)"\nmatch = ["select 1"]\nnever = ["drop x"]\n'
    )
    home_directory.write(Layer.PROJECT, text, trusted=trusted)

    assert rule_texts_of(home_directory.load(), RuleList.ALLOW) == (["db.query(select *)"] if trusted else [])


@pytest.mark.parametrize("trusted", [True, False])
def test_a_rule_that_contradicts_its_examples_is_an_error(
    home_directory: HomeDirectory, trusted: bool
) -> None:
    text = '[[allow]]\nrule = "Bash(npm run *)"\nmatch = ["npm runner"]\n'
    home_directory.write(Layer.PROJECT, text, trusted=trusted)

    with pytest.raises(RuleExampleError, match="line 2 should cover `npm runner`"):
        home_directory.load()


# ---- Claude Code's settings ---------------------------------------------------------------------


def claude_settings_text(**permissions: object) -> str:
    return json.dumps({"permissions": permissions})


def test_settings_of_claude_code_are_read_if_a_file_enables_them(home_directory: HomeDirectory) -> None:
    user, project, local = map(Path, home_directory.where.claude_files)
    home_directory.write_path(user, claude_settings_text(allow=["Bash(npm *)"], defaultMode="acceptEdits"))
    home_directory.write_path(project, claude_settings_text(deny=["Bash(curl *)"]))
    home_directory.write_path(local, claude_settings_text(ask=["Bash(git push:*)"]))
    assert home_directory.load() == Policy()

    home_directory.write(Layer.USER, "claude_settings = true\n")
    policy = home_directory.load()

    assert (policy.mode, policy.mode_word) == (Mode.ACCEPT_EDITS, "acceptEdits")
    assert rule_texts_of(policy, RuleList.ALLOW) == ["Bash(npm *)"]
    assert rule_texts_of(policy, RuleList.DENY) == ["Bash(curl *)"]
    assert rule_texts_of(policy, RuleList.ASK) == ["Bash(git push:*)"]


@pytest.mark.proves("T-12")
def test_claude_settings_of_a_repository_loosen_the_policy_only_if_trusted(
    home_directory: HomeDirectory,
) -> None:
    home_directory.write(Layer.USER, "claude_settings = true\n")
    project = Path(home_directory.where.claude_files[1])
    home_directory.write_path(
        project, claude_settings_text(allow=["Bash"], deny=["Bash(rm *)"], defaultMode="bypassPermissions")
    )

    before = home_directory.load()
    home_directory.trust_file(project)
    after = home_directory.load()

    assert (before.mode, rule_texts_of(before, RuleList.ALLOW)) == (Mode.DEFAULT, [])
    assert rule_texts_of(before, RuleList.DENY) == ["Bash(rm *)"]
    assert (after.mode, rule_texts_of(after, RuleList.ALLOW)) == (Mode.AUTO, ["Bash"])


@pytest.mark.proves("T-12")
def test_an_untrusted_file_cannot_enable_claude_settings(home_directory: HomeDirectory) -> None:
    home_directory.write_path(
        Path(home_directory.where.claude_files[0]), claude_settings_text(allow=["Bash"])
    )
    home_directory.write(Layer.PROJECT, "claude_settings = true\n")

    assert rule_texts_of(home_directory.load(), RuleList.ALLOW) == []


def test_our_file_overrides_claude_settings_of_the_same_layer(home_directory: HomeDirectory) -> None:
    home_directory.write_path(
        Path(home_directory.where.claude_files[0]), claude_settings_text(defaultMode="plan")
    )
    home_directory.write(Layer.USER, 'claude_settings = true\nmode = "auto"\n')

    assert home_directory.load().mode is Mode.AUTO


# ---- a single policy file -----------------------------------------------------------------------


def test_a_named_policy_file_replaces_all_layers_and_is_trusted(
    home_directory: HomeDirectory, tmp_path: Path
) -> None:
    home_directory.write(Layer.USER, 'mode = "plan"\n')
    path = home_directory.write_path(tmp_path / "policy.toml", 'mode = "auto"\nallow = ["Bash(npm *)"]\n')

    policy = load_policy_file(str(path), home_directory.where, {})

    assert (policy.mode, rule_texts_of(policy, RuleList.ALLOW)) == (Mode.AUTO, ["Bash(npm *)"])


def test_a_claude_settings_file_can_be_named_as_policy(home_directory: HomeDirectory, tmp_path: Path) -> None:
    path = home_directory.write_path(tmp_path / "settings.json", claude_settings_text(allow=["Bash(git:*)"]))

    assert rule_texts_of(load_policy_file(str(path), home_directory.where, {}), RuleList.ALLOW) == [
        "Bash(git:*)"
    ]


def test_trust_objects_are_compared_by_content() -> None:
    assert Trust(files={"/a": "1"}) == Trust(files={"/a": "1"}) != NO_TRUST


def test_a_path_rule_still_applies_after_the_effect_of_its_tool_is_raised(
    home_directory: HomeDirectory,
) -> None:
    text = 'deny = ["files.delete(/src/**)"]\n[tools."files.delete"]\neffect = "destructive"\n'
    home_directory.write(Layer.PROJECT, text)
    snapshot = home_directory.load().snapshot()
    call, directories = (
        Call(tool="Bash", args={"command": "rm src/x"}),
        directories_without_disk("/project", ""),
    )

    facts = facts_without_disk(
        directories, paths_to_resolve(call, snapshot, directories), trusted_repository=False
    )

    assert decide(call, snapshot, facts).stage is Stage.DENY_RULE


LOOSENING_FILE = """\
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


def apply_file(text: str, *, trusted: bool, to: Policy = SHIPPED_POLICY) -> Policy:
    file = read_policy_file(Source("/p/.assent/config.toml", text.encode()), Layer.PROJECT)
    return (apply_trusted_file if trusted else apply_untrusted_file)(to, file, Layer.PROJECT, "/p")


def test_a_trusted_file_sets_all_its_values() -> None:
    policy = apply_file(LOOSENING_FILE, trusted=True)

    assert (policy.mode, policy.fallback, policy.claude_settings) == (Mode.AUTO, Verdict.RUN, True)
    assert (policy.options.reads_bypass_rules, policy.options.strip_privilege_wrappers) == (True, True)
    assert rule_texts_of(policy, RuleList.ALLOW) == ["Bash(npm *)"]
    assert policy.tools["new"].effect is Effect.READ
    assert policy.tools["files.delete"].description == "harmless"
    assert policy.tiers["clerk", "Bash"] == TierSetting(Tier.ALWAYS_ALLOW)
    assert policy.roots == ("/etc",)
    assert policy.held_back == ()
    assert policy.origin("mode") == Origin(Layer.PROJECT, "/p/.assent/config.toml, line 1")


@pytest.mark.proves("T-12")
def test_an_untrusted_file_loosens_nothing() -> None:
    policy = apply_file(LOOSENING_FILE, trusted=False)

    assert (policy.mode, policy.fallback, policy.claude_settings) == (Mode.DEFAULT, Verdict.ASK, False)
    assert (policy.options, policy.roots, policy.preset) == (SHIPPED_POLICY.options, (), "assent")
    assert rule_texts_of(policy, RuleList.ALLOW) == []
    assert "new" not in policy.tools
    assert policy.tools["files.delete"].description == SHIPPED_POLICY.tools["files.delete"].description
    assert ("clerk", "Bash") not in policy.tiers


@pytest.mark.proves("T-12")
def test_an_untrusted_file_makes_the_policy_stricter() -> None:
    policy = apply_file(LOOSENING_FILE, trusted=False)

    assert rule_texts_of(policy, RuleList.DENY) == ["Bash(curl *)"]
    assert rule_texts_of(policy, RuleList.ASK) == ["Bash(git push *)"]
    assert policy.tools["files.delete"].effect is Effect.DESTRUCTIVE
    assert policy.tiers == {
        ("clerk", "Read"): TierSetting(Tier.NEEDS_APPROVAL),
        ("clerk", "Edit"): TierSetting(Tier.BLOCKED),
    }


@pytest.mark.proves("T-12")
def test_settings_of_an_untrusted_file_that_would_loosen_are_listed() -> None:
    assert apply_file(LOOSENING_FILE, trusted=False).held_back == (
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
def test_the_mode_of_an_untrusted_file_applies_only_if_it_is_narrower(
    theirs: Mode | None, file: str, holds: Mode | None
) -> None:
    assert apply_file(f'mode = "{file}"', trusted=False, to=Policy(mode=theirs)).mode is holds


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
def test_a_tier_of_an_untrusted_file_applies_only_if_it_is_stricter(
    theirs: Tier, file: str, holds: Tier
) -> None:
    policy = Policy(tiers={("clerk", "Bash"): TierSetting(theirs)})

    after = apply_file(f'[tiers.clerk]\nBash = "{file}"', trusted=False, to=policy)

    assert after.tiers == {("clerk", "Bash"): TierSetting(holds)}


@pytest.mark.proves("R003-27")
@pytest.mark.parametrize("trusted", [True, False])
def test_a_file_extends_lists_and_never_removes_a_deny_rule(trusted: bool) -> None:
    before = apply_file('deny = ["Read(.env)"]\nask = ["Bash"]', trusted=True)

    after = apply_file('deny = ["Bash(rm *)"]', trusted=trusted, to=before)

    assert rule_texts_of(after, RuleList.DENY) == ["Read(.env)", "Bash(rm *)"]
    assert rule_texts_of(after, RuleList.ASK) == ["Bash"]


@pytest.mark.proves("T-6")
@pytest.mark.parametrize("trusted", [True, False])
def test_no_file_lowers_an_effect_that_is_known(trusted: bool) -> None:
    with pytest.raises(ConfigError, match="can be raised but not lowered"):
        apply_file('[tools.Bash]\neffect = "read"', trusted=trusted)


def test_a_file_that_loosens_nothing_holds_nothing_back() -> None:
    file = read_policy_file(
        Source("x.toml", b'mode = "plan"\ndeny = ["Bash"]\nfallback = "ask"'), Layer.PROJECT
    )

    assert list(loosening_changes(SHIPPED_POLICY, file)) == []


def test_relative_roots_start_at_the_workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/user")

    policy = apply_file('[workspace]\nroots = ["../lib", "~/notes", "/srv"]', trusted=True)

    assert policy.roots == ("/lib", "/home/user/notes", "/srv")


@pytest.mark.proves("T-12")
@pytest.mark.parametrize("effect", ["edit", "write", "external", "destructive"])
def test_an_untrusted_file_cannot_change_the_effect_of_a_reading_tool(effect: str) -> None:
    # A deny rule for `Read` also applies to `cat`, but only while `Read` has the effect `read`.
    policy = apply_file(f'[tools.Read]\neffect = "{effect}"', trusted=False)

    assert policy.tools["Read"].effect is Effect.READ
    assert policy.held_back == ("Read is no longer read",)


def test_only_a_trusted_file_sets_how_long_arguments_are_stored() -> None:
    said, unsaid = "keep_arguments_days = 7", 'mode = "plan"'
    trusted, untrusted = apply_file(said, trusted=True), apply_file(said, trusted=False)

    assert (SHIPPED_POLICY.keep_arguments_days, apply_file(unsaid, trusted=True).keep_arguments_days) == (
        30,
        30,
    )
    assert (trusted.keep_arguments_days, trusted.held_back) == (7, ())
    assert trusted.origin("keep_arguments_days") == Origin(Layer.PROJECT, "/p/.assent/config.toml, line 1")
    assert apply_file(unsaid, trusted=True, to=trusted).keep_arguments_days == 7
    assert (untrusted.keep_arguments_days, untrusted.held_back) == (
        30,
        ("keep the arguments of calls for 7 day(s)",),
    )
