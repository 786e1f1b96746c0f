"""The layers of a place: lists merge, single values override, and a repository must be trusted."""

import json
from pathlib import Path

import pytest

from assent.config.layers import load_policy, load_policy_file
from assent.config.policy import Origin, Policy
from assent.config.source import read_source
from assent.config.trust import NOTHING, Trust
from assent.config.whereabouts import Whereabouts
from assent.config.workspace import imagine, imagined_place
from assent.engine.decide import decide, paths_to_resolve
from assent.engine.model import Call
from assent.engine.modes import Mode
from assent.engine.policy.rule import Layer, RuleList
from assent.engine.verdict import Stage, Verdict
from assent.errors import AssentError, ConfigError, RuleExampleError, RuleSyntaxError


class Here:
    """A place of its own on disk, with every layer in it."""

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
        self.trust = NOTHING
        self.where = Whereabouts(
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
        return self.put(Path(files[layer]), text, trusted=trusted)

    def put(self, path: Path, text: str, *, trusted: bool = False) -> Path:
        path.write_text(text)
        path.chmod(0o600)
        if trusted:
            self.believe(path)
        return path

    def believe(self, path: Path) -> None:
        self.trust = self.trust.with_file(str(path), read_source(str(path)).digest)

    def load(self, environ: dict[str, str] | None = None, **flags: str) -> Policy:
        return load_policy(self.where, self.trust, environ or {}, **flags)


@pytest.fixture
def here(tmp_path: Path) -> Here:
    return Here(tmp_path)


def texts(policy: Policy, kind: RuleList) -> list[str]:
    return [rule.text for rule in policy.rules.get(kind, ())]


def test_without_a_file_the_shipped_policy_holds(here: Here) -> None:
    assert here.load() == Policy()


@pytest.mark.proves("R003-26", "R003-27")
def test_lists_merge_over_all_layers_and_a_deny_anywhere_holds(here: Here) -> None:
    here.write(Layer.MANAGED, 'deny = ["Bash(curl *)"]\n')
    here.write(Layer.USER, 'deny = ["Read(.env)"]\nallow = ["Bash(npm *)"]\n')
    here.write(Layer.PROJECT, 'deny = ["Bash(rm *)"]\nallow = ["Bash(make *)"]\n', trusted=True)
    here.write(Layer.LOCAL, 'ask = ["Bash(git push *)"]\n', trusted=True)

    policy = here.load()

    assert texts(policy, RuleList.DENY) == ["Bash(curl *)", "Read(.env)", "Bash(rm *)"]
    assert texts(policy, RuleList.ASK) == ["Bash(git push *)"]
    assert texts(policy, RuleList.ALLOW) == ["Bash(npm *)", "Bash(make *)"]
    assert [rule.layer for rule in policy.rules[RuleList.DENY]] == [Layer.MANAGED, Layer.USER, Layer.PROJECT]


@pytest.mark.proves("R003-26")
def test_single_values_come_from_the_heaviest_layer_that_has_one(here: Here) -> None:
    found: list[tuple[Mode | None, str]] = []
    here.write(Layer.MANAGED, 'mode = "plan"\n')
    found.append((here.load().mode, here.load().origin("mode").layer))
    here.write(Layer.USER, 'mode = "accept_edits"\n')
    found.append((here.load().mode, here.load().origin("mode").layer))
    here.write(Layer.PROJECT, 'mode = "auto"\n', trusted=True)
    found.append((here.load().mode, here.load().origin("mode").layer))
    here.write(Layer.LOCAL, 'mode = "default"\n', trusted=True)
    found.append((here.load().mode, here.load().origin("mode").layer))
    environ = {"ASSENT_MODE": "plan"}
    found.append((here.load(environ).mode, here.load(environ).origin("mode").layer))
    found.append((here.load(environ, mode="auto").mode, here.load(environ, mode="auto").origin("mode").layer))

    assert found == [
        (Mode.PLAN, "managed"),
        (Mode.ACCEPT_EDITS, "user"),
        (Mode.AUTO, "project"),
        (Mode.DEFAULT, "local"),
        (Mode.PLAN, "environment"),
        (Mode.AUTO, "flag"),
    ]


def test_the_origin_of_a_value_names_file_and_line(here: Here) -> None:
    path = here.write(Layer.USER, '# my own\nmode = "plan"\n')

    assert here.load().origin("mode") == Origin(Layer.USER, f"{path}, line 2")


# ---- trust --------------------------------------------------------------------------------------


@pytest.mark.proves("T-12")
@pytest.mark.parametrize("layer", [Layer.PROJECT, Layer.LOCAL])
def test_a_repositorys_file_may_tighten_at_once_and_loosen_only_when_trusted(
    here: Here, layer: Layer
) -> None:
    path = here.write(layer, 'mode = "auto"\nallow = ["Bash"]\ndeny = ["Bash(rm *)"]\n')

    before = here.load()
    here.believe(path)
    after = here.load()

    assert (before.mode, texts(before, RuleList.ALLOW)) == (Mode.DEFAULT, [])
    assert texts(before, RuleList.DENY) == ["Bash(rm *)"]
    assert before.held_back == ("allow Bash", "mode auto")
    assert (after.mode, texts(after, RuleList.ALLOW), after.held_back) == (Mode.AUTO, ["Bash"], ())


@pytest.mark.proves("T-12")
def test_any_change_of_a_trusted_file_asks_again(here: Here) -> None:
    here.write(Layer.PROJECT, 'allow = ["Bash(npm *)"]\n', trusted=True)
    assert texts(here.load(), RuleList.ALLOW) == ["Bash(npm *)"]

    here.write(Layer.PROJECT, 'allow = ["Bash(npm *)", "Bash"]\n')

    assert texts(here.load(), RuleList.ALLOW) == []


@pytest.mark.proves("T-12")
def test_trust_in_one_copy_of_a_file_says_nothing_of_another(here: Here) -> None:
    text = 'allow = ["Bash"]\n'
    here.write(Layer.PROJECT, text, trusted=True)
    here.write(Layer.LOCAL, text)

    assert texts(here.load(), RuleList.ALLOW) == ["Bash"]
    assert here.load().held_back == ("allow Bash",)


@pytest.mark.proves("T-12")
def test_a_link_to_a_file_that_is_trusted_elsewhere_is_not_trusted_here(here: Here, tmp_path: Path) -> None:
    elsewhere = here.put(tmp_path / "config.toml", 'allow = ["Bash"]\n', trusted=True)
    Path(here.where.project_file).symlink_to(elsewhere)

    assert texts(here.load(), RuleList.ALLOW) == []


@pytest.mark.proves("T-12")
def test_an_untrusted_preset_does_not_count(here: Here) -> None:
    path = here.write(Layer.PROJECT, 'preset = "tiers"\n')
    assert (here.load().preset, here.load().fallback) == ("assent", Verdict.ASK)

    here.believe(path)

    assert (here.load().preset, here.load().fallback, here.load().mode) == ("tiers", Verdict.RUN, None)


@pytest.mark.proves("T-19")
@pytest.mark.parametrize("layer", [Layer.MANAGED, Layer.USER])
@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_a_personal_file_that_others_may_write_is_refused(here: Here, layer: Layer, mode: int) -> None:
    here.write(layer, 'mode = "auto"\n').chmod(mode)

    with pytest.raises(ConfigError, match="other users may write"):
        here.load()


def test_a_link_that_leads_nowhere_is_an_error_and_not_an_absent_file(here: Here) -> None:
    Path(here.where.user_file).symlink_to("nowhere")

    with pytest.raises(ConfigError, match="no such file"):
        here.load()


# ---- presets ------------------------------------------------------------------------------------


def test_the_preset_comes_from_the_heaviest_that_names_one(here: Here) -> None:
    here.write(Layer.USER, 'preset = "chat"\n')

    assert here.load().preset == "chat"
    assert here.load({"ASSENT_PRESET": "workbench"}).preset == "workbench"
    assert here.load({"ASSENT_PRESET": "workbench"}, preset="fleet").preset == "fleet"
    assert here.load().origin("preset").layer == Layer.USER


def test_a_preset_brings_its_mode_tools_and_rules(here: Here) -> None:
    policy = here.load(preset="fleet")

    assert (policy.mode, policy.mode_word) == (Mode.ACCEPT_EDITS, "accept_edits")
    assert "Bash(git status)" in texts(policy, RuleList.ALLOW)
    assert "terminal.exec" not in policy.tools


def test_a_preset_of_ones_own_is_found_in_ones_own_directory(here: Here) -> None:
    here.put(Path(here.where.user, "presets", "mine.toml"), 'modes = ["plan"]\n')

    assert here.load(preset="mine").mode is Mode.PLAN


def test_a_mode_that_the_preset_does_not_offer_is_refused(here: Here) -> None:
    here.write(Layer.USER, 'preset = "chat"\nmode = "accept_edits"\n')

    with pytest.raises(AssentError, match="the preset `chat` offers default, plan, auto"):
        here.load()


@pytest.mark.parametrize("word", ["turbo", "Plan", " plan"])
def test_an_unknown_mode_in_the_environment_or_a_flag_is_an_error(here: Here, word: str) -> None:
    with pytest.raises(AssentError, match="unknown mode"):
        here.load({"ASSENT_MODE": word})
    with pytest.raises(AssentError, match="unknown mode"):
        here.load(mode=word)


# ---- rules --------------------------------------------------------------------------------------


def test_a_rule_about_an_unknown_tool_stops_the_load(here: Here) -> None:
    here.write(Layer.USER, 'deny = ["Bahs(rm *)"]\n')

    with pytest.raises(RuleSyntaxError, match="did you mean `Bash`"):
        here.load()


def test_a_tool_that_any_layer_declares_is_known_to_all(here: Here) -> None:
    here.write(Layer.MANAGED, 'deny = ["billing.refund(x)"]\n')
    here.write(Layer.USER, '[tools."billing.refund"]\neffect = "external"\ntemplate = "{id}"\n')

    assert texts(here.load(), RuleList.DENY) == ["billing.refund(x)"]


def test_a_tool_of_another_preset_is_no_mistake(here: Here) -> None:
    here.write(Layer.USER, 'preset = "chat"\ndeny = ["Bash(rm *)"]\n')

    assert texts(here.load(), RuleList.DENY) == ["Bash(rm *)"]


@pytest.mark.parametrize("trusted", [True, False])
def test_the_rules_of_a_tool_can_be_read_before_the_tool_is_trusted(here: Here, trusted: bool) -> None:
    text = (
        '[tools."db.query"]\ntemplate = "{sql}"\n'
        '[[allow]]\nrule = "db.query(select *)"\nmatch = ["select 1"]\nnever = ["drop x"]\n'
    )
    here.write(Layer.PROJECT, text, trusted=trusted)

    assert texts(here.load(), RuleList.ALLOW) == (["db.query(select *)"] if trusted else [])


@pytest.mark.parametrize("trusted", [True, False])
def test_a_rule_that_fails_its_examples_stops_the_load(here: Here, trusted: bool) -> None:
    text = '[[allow]]\nrule = "Bash(npm run *)"\nmatch = ["npm runner"]\n'
    here.write(Layer.PROJECT, text, trusted=trusted)

    with pytest.raises(RuleExampleError, match="line 2 should cover `npm runner`"):
        here.load()


# ---- Claude Code's settings ---------------------------------------------------------------------


def settings(**permissions: object) -> str:
    return json.dumps({"permissions": permissions})


def test_claude_codes_settings_are_read_when_asked_for(here: Here) -> None:
    user, project, local = map(Path, here.where.claude_files)
    here.put(user, settings(allow=["Bash(npm *)"], defaultMode="acceptEdits"))
    here.put(project, settings(deny=["Bash(curl *)"]))
    here.put(local, settings(ask=["Bash(git push:*)"]))
    assert here.load() == Policy()

    here.write(Layer.USER, "claude_settings = true\n")
    policy = here.load()

    assert (policy.mode, policy.mode_word) == (Mode.ACCEPT_EDITS, "acceptEdits")
    assert texts(policy, RuleList.ALLOW) == ["Bash(npm *)"]
    assert texts(policy, RuleList.DENY) == ["Bash(curl *)"]
    assert texts(policy, RuleList.ASK) == ["Bash(git push:*)"]


@pytest.mark.proves("T-12")
def test_the_repositorys_claude_settings_loosen_only_when_trusted(here: Here) -> None:
    here.write(Layer.USER, "claude_settings = true\n")
    project = Path(here.where.claude_files[1])
    here.put(project, settings(allow=["Bash"], deny=["Bash(rm *)"], defaultMode="bypassPermissions"))

    before = here.load()
    here.believe(project)
    after = here.load()

    assert (before.mode, texts(before, RuleList.ALLOW)) == (Mode.DEFAULT, [])
    assert texts(before, RuleList.DENY) == ["Bash(rm *)"]
    assert (after.mode, texts(after, RuleList.ALLOW)) == (Mode.AUTO, ["Bash"])


@pytest.mark.proves("T-12")
def test_an_untrusted_file_cannot_ask_for_more_files(here: Here) -> None:
    here.put(Path(here.where.claude_files[0]), settings(allow=["Bash"]))
    here.write(Layer.PROJECT, "claude_settings = true\n")

    assert texts(here.load(), RuleList.ALLOW) == []


def test_our_own_file_counts_more_than_theirs_of_the_same_layer(here: Here) -> None:
    here.put(Path(here.where.claude_files[0]), settings(defaultMode="plan"))
    here.write(Layer.USER, 'claude_settings = true\nmode = "auto"\n')

    assert here.load().mode is Mode.AUTO


# ---- one file alone -----------------------------------------------------------------------------


def test_a_file_that_is_named_counts_alone_and_in_full(here: Here, tmp_path: Path) -> None:
    here.write(Layer.USER, 'mode = "plan"\n')
    path = here.put(tmp_path / "policy.toml", 'mode = "auto"\nallow = ["Bash(npm *)"]\n')

    policy = load_policy_file(str(path), here.where, {})

    assert (policy.mode, texts(policy, RuleList.ALLOW)) == (Mode.AUTO, ["Bash(npm *)"])


def test_claude_codes_settings_can_be_named_too(here: Here, tmp_path: Path) -> None:
    path = here.put(tmp_path / "settings.json", settings(allow=["Bash(git:*)"]))

    assert texts(load_policy_file(str(path), here.where, {}), RuleList.ALLOW) == ["Bash(git:*)"]


def test_trust_itself_is_compared_by_content() -> None:
    assert Trust(files={"/a": "1"}) == Trust(files={"/a": "1"}) != NOTHING


def test_a_path_rule_outlives_the_raising_of_its_tool(here: Here) -> None:
    text = 'deny = ["files.delete(/src/**)"]\n[tools."files.delete"]\neffect = "destructive"\n'
    here.write(Layer.PROJECT, text)
    snapshot = here.load().snapshot()
    call, place = Call(tool="Bash", args={"command": "rm src/x"}), imagined_place("/project", "")

    facts = imagine(place, paths_to_resolve(call, snapshot, place), trusted_repository=False)

    assert decide(call, snapshot, facts).stage is Stage.DENY_RULE
