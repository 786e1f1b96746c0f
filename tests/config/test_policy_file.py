"""A policy file is read strictly; any mistake is an error with file, line and reason."""

import json
from pathlib import Path

import pytest

from assent.config.files import Source
from assent.config.policy_file import (
    OPTION_KEYS,
    POLICY_KEYS,
    RULE_KEYS,
    TOOL_KEYS,
    PolicyFile,
    apply_declaration,
    check_tools_are_known,
    is_claude_settings,
    is_stricter_budget,
    read_claude_settings,
    read_declarations,
    read_policy_file,
)
from assent.config.preset import PRESET_KEYS
from assent.config.table import Table, read_table
from assent.config.tools import KNOWN_TOOLS
from assent.engine.base.tool import Dialect, Effect, PathKind, Tool
from assent.engine.policy.modes import MODE_ALIASES, Mode
from assent.engine.policy.rule import Layer, Rule, RuleList
from assent.engine.policy.snapshot import Tier
from assent.engine.policy.verdict import Verdict
from assent.errors import AssentError, ConfigError, RuleSyntaxError
from assent.gate.preset import Budget
from tests.config.test_layers import HomeDirectory

COMPLETE_FILE = """\
sealed = true
mode = "acceptEdits"
preset = "workbench"
fallback = "ask"
claude_settings = true
deny = ["Bash(curl *)", {rule = "Read(.env)", why = "secrets"}]

[[ask]]
rule = "Bash(git push *)"

[[allow]]
rule = "Bash(npm run *)"
why = "scripts are reviewed"
match = ["npm run build"]
never = ["npm runner"]

[options]
reads_bypass_rules = false
privilege_wrappers = "strip"

[tools."billing.refund"]
effect = "destructive"

[tiers.clerk]
"mail.send" = "blocked"

[workspace]
roots = ["../library"]
# end
"""


def read_text_as_file(text: str, path: str = "policy.toml") -> PolicyFile:
    return read_policy_file(Source(path, text.encode()), Layer.PROJECT)


@pytest.mark.proves("R003-20")
def test_every_setting_of_a_file_is_read() -> None:
    file = read_text_as_file(COMPLETE_FILE)

    assert (file.mode, file.preset, file.fallback, file.claude_settings) == (
        "acceptEdits", "workbench", Verdict.ASK, True,
    )  # fmt: skip
    assert (file.reads_bypass_rules, file.strip_privilege_wrappers) == (False, True)
    assert file.tools["billing.refund"].effect is Effect.DESTRUCTIVE
    assert file.tiers == {("clerk", "mail.send"): Tier.BLOCKED}
    assert file.roots == ("../library",)
    assert file.rules == {
        RuleList.DENY: (
            Rule(tool="Bash", specifier="curl *", layer=Layer.PROJECT, source="policy.toml, line 6"),
            Rule(
                tool="Read",
                specifier=".env",
                layer=Layer.PROJECT,
                source="policy.toml, line 6",
                why="secrets",
            ),
        ),
        RuleList.ASK: (
            Rule(tool="Bash", specifier="git push *", layer=Layer.PROJECT, source="policy.toml, line 9"),
        ),
        RuleList.ALLOW: (
            Rule(
                tool="Bash",
                specifier="npm run *",
                layer=Layer.PROJECT,
                source="policy.toml, line 12",
                why="scripts are reviewed",
                match=("npm run build",),
                never=("npm runner",),
            ),
        ),
    }


def test_a_json_file_is_read_like_a_toml_file() -> None:
    text = '{"mode": "plan", "deny": ["Bash(curl *)"], "tiers": {"a": {"t": "blocked"}}}'

    file = read_text_as_file(text, "policy.json")

    assert (file.mode, file.tiers) == ("plan", {("a", "t"): Tier.BLOCKED})
    assert [rule.text for rule in file.rules[RuleList.DENY]] == ["Bash(curl *)"]


def test_missing_settings_are_none_or_empty() -> None:
    file = read_text_as_file("sealed = false\n")

    assert (file.mode, file.preset, file.fallback, file.attended, file.claude_settings, file.roots) == (
        None,
    ) * 6
    assert (file.reads_bypass_rules, file.strip_privilege_wrappers) == (None, None)


@pytest.mark.parametrize("word", sorted({*PRESET_KEYS, "becomes", "width", "widened"} - {*POLICY_KEYS}))
def test_a_hint_never_names_a_word_of_presets(word: str) -> None:
    with pytest.raises(ConfigError) as refused:
        read_text_as_file(f"{word}x = 1\n")

    assert f"did you mean `{word}`" not in str(refused.value)


INVALID_FILES = {
    'mdoe = "plan"': "line 1: unknown key `mdoe`; did you mean `mode`?",
    'mode = "autoo"': "line 1: unknown mode `autoo`: expected one of plan, default, accept_edits, auto,",
    "mode = 3": "line 1: `mode` must be a text in quotes, not a number",
    'fallback = "deny"': "line 1: unknown fallback `deny`: expected one of run, ask",
    'deny = "Bash(rm *)"': "line 1: `deny` must be a list, not a text",
    "deny = [3]": "line 1: entry 1 of `deny` must be a rule in quotes or a table",
    "deny = [[]]": "line 1: entry 1 of `deny` must be a rule in quotes or a table",
    "[deny]\nrule = 'x'": "line 1: `deny` must be a list, not a table",
    "[[deny]]\nwhy = 'x'": "line 1: entry 1 of `deny` has no `rule`",
    "[[deny]]\nrule = 'Bash'\nmacth = []": "line 3: unknown key `macth`; did you mean `match`?",
    "[[deny]]\nrule = 'Bash'\nmatch = 'x'": "`[[deny]].match` must be a list, not a text",
    "[[deny]]\nrule = 3": "`[[deny]].rule` must be a text in quotes, not a number",
    "[options]\nreads_bypass = true": "line 2: unknown key `reads_bypass`; did you mean `reads_bypass_rules`",
    '[options]\nreads_bypass_rules = "no"': "line 2: `options.reads_bypass_rules` must be `true` or `false`",
    '[options]\nprivilege_wrappers = "drop"': "line 2: unknown value of `privilege_wrappers` `drop`",
    '[tiers.clerk]\n"mail.send" = "maybe"': "line 2: unknown tier `maybe`: expected one of always_allow,",
    '[tiers]\nclerk = "blocked"': "line 2: `tiers.clerk` must be a table, not a text",
    '[workspace]\nroots = "."': "line 2: `workspace.roots` must be a list, not a text",
    "keep_arguments_days = 0": "line 1: `keep_arguments_days` must be a whole number above zero",
    "keep_arguments_days = true": "line 1: `keep_arguments_days` must be a whole number above zero",
    "keep_arguments_days = 36501": "line 1: `keep_arguments_days` must be at most 36500",
    "[workspace]\nroot = []": "line 2: unknown key `root`; did you mean `roots`?",
    "sealed = 1": "line 1: `sealed` must be `true` or `false`, not a number",
    "sealed = true\nmode = 'plan'": "line 2: it is sealed, but its last line is not `# end`: is the file trunc",
    "": "it is empty",
    "# mode = 'plan'\n": "it is empty",
    "mode = 'plan'\nmode = 'auto'": "line 2",
    "mode = ": "line 1",
}  # fmt: skip


@pytest.mark.proves("R-13", "R003-66")
@pytest.mark.parametrize("text", INVALID_FILES)
def test_a_mistake_is_an_error_with_its_line(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_text_as_file(text)

    assert str(caught.value).startswith("cannot use policy.toml")
    assert INVALID_FILES[text] in str(caught.value)


@pytest.mark.proves("R-13")
@pytest.mark.parametrize(
    "rule", ["Bash(", "Bash(ls", "()", "", "Bash()", "Ba sh", "Bash(!rm)", "Bash(a\u202eb)"]
)
def test_the_error_for_an_invalid_rule_names_its_line(rule: str) -> None:
    with pytest.raises(RuleSyntaxError) as caught:
        read_text_as_file(f'mode = "plan"\ndeny = [\n  "{rule}",\n]\n')

    assert caught.value.text == rule
    assert caught.value.source.startswith("policy.toml")
    assert not rule or caught.value.source == "policy.toml, line 3"


@pytest.mark.parametrize("kind", RuleList)
def test_a_rule_for_an_unknown_tool_is_refused(kind: RuleList) -> None:
    file = read_text_as_file(f'mode = "plan"\n{kind} = ["terminal.exce(npm *)"]')

    with pytest.raises(RuleSyntaxError) as caught:
        check_tools_are_known(file, KNOWN_TOOLS)

    assert str(caught.value) == (
        "invalid rule `terminal.exce(npm *)` in policy.toml, line 2: "
        "no tool is called `terminal.exce`; did you mean `terminal.exec`?"
    )


def test_a_tier_for_an_unknown_tool_is_refused() -> None:
    file = read_text_as_file('[tiers.clerk]\nBash = "blocked"\n"files.delte" = "blocked"\n')

    with pytest.raises(ConfigError) as caught:
        check_tools_are_known(file, KNOWN_TOOLS)

    assert caught.value.line == 3
    assert caught.value.reason == "no tool is called `files.delte`; did you mean `files.delete`?"


@pytest.mark.proves("R003-24")
@pytest.mark.parametrize(
    "rule", ["Bash", "files.*", "*", "mcp__anything__at_all", "mcp__server", "nothing.like*"]
)
def test_patterns_and_mcp_tools_need_no_declaration(rule: str) -> None:
    check_tools_are_known(read_text_as_file(f'deny = ["{rule}"]'), KNOWN_TOOLS)


# ---- truncated files ----------------------------------------------------------------------------


@pytest.mark.proves("R-13")
def test_a_truncated_sealed_file_is_refused() -> None:
    whole = COMPLETE_FILE.rstrip("\n")
    assert read_text_as_file(whole).mode == "acceptEdits"

    for length in range(len(whole)):
        with pytest.raises(AssentError):
            read_text_as_file(whole[:length])


@pytest.mark.proves("R-13")
def test_a_truncated_json_file_is_refused() -> None:
    whole = '{"mode": "auto", "allow": ["Bash"], "deny": ["Bash(rm *)"]}'

    for length in range(len(whole)):
        with pytest.raises(AssentError):
            read_text_as_file(whole[:length], "policy.json")


@pytest.mark.proves("R-13")
def test_an_unsealed_file_truncated_within_a_line_is_refused_or_equals_its_complete_lines() -> None:
    lines = COMPLETE_FILE.replace("sealed = true\n", "").splitlines(keepends=True)

    for count in range(1, len(lines)):
        head, line = "".join(lines[:count]), lines[count].rstrip()
        for length in range(1, len(line)):
            try:
                cut = read_text_as_file(head + line[:length])
            except AssentError:
                continue
            assert file_fields(cut) == file_fields(read_text_as_file(head))


def file_fields(file: PolicyFile) -> dict[str, object]:
    return {
        name: getattr(file, name)
        for name in ("mode", "preset", "fallback", "rules", "tiers", "roots", "reads_bypass_rules")
    } | {"tools": sorted(file.tools)}


@pytest.mark.proves("R-13")
@pytest.mark.parametrize(
    "junk", [b"\xff\xfe", b"\x00" * 10, b"PK\x03\x04", b"<html>", b"mode: plan\n", b"{}"]
)
def test_a_file_in_another_format_is_refused(junk: bytes) -> None:
    with pytest.raises(ConfigError):
        read_policy_file(Source("policy.toml", junk), Layer.USER)


@pytest.mark.parametrize(
    "text", ["sealed = true\r\n# end\r\n", "sealed = true\n# end\n\n", "sealed = true\n# end"]
)
def test_the_seal_line_may_have_any_line_ending(text: str) -> None:
    assert read_text_as_file(text).mode is None


def test_a_sealed_json_file_needs_no_seal_line() -> None:
    assert read_text_as_file('{"sealed": true, "mode": "plan"}', "policy.json").mode == "plan"


def test_the_template_is_a_valid_policy_file() -> None:
    template = Path(read_policy_file.__code__.co_filename).with_name("template.toml").read_text("utf-8")

    assert read_text_as_file(template).source.text.startswith("#:schema ./assent.schema.json\n")


def test_every_commented_example_of_the_template_is_valid() -> None:
    template = Path(read_policy_file.__code__.co_filename).with_name("template.toml").read_text("utf-8")
    lines = [
        line[1:] if line.startswith("#") and line[1:2].strip() not in ("", ":") else line
        for line in template.splitlines()
    ]
    file = read_text_as_file("\n".join(lines))

    check_tools_are_known(file, {**KNOWN_TOOLS, **file.tools})
    assert {key for key in POLICY_KEYS if f"\n{key} =" in "\n".join(lines) or f"[{key}" in "\n".join(lines)} >= {
        "sealed", "mode", "claude_settings", "deny", "ask", "allow", "options", "tools", "tiers", "workspace",
    }  # fmt: skip


# ---- the schema that editors use ----------------------------------------------------------------

CONFIG_FOLDER = Path(read_policy_file.__code__.co_filename).parent
SCHEMA = json.loads((CONFIG_FOLDER / "assent.schema.json").read_text("utf-8"))


def test_the_json_schema_has_the_keys_of_the_reader() -> None:
    properties = SCHEMA["properties"]

    assert tuple(properties) == POLICY_KEYS
    assert tuple(properties["options"]["properties"]) == OPTION_KEYS
    assert tuple(properties["tools"]["additionalProperties"]["properties"]) == TOOL_KEYS
    assert tuple(SCHEMA["$defs"]["rules"]["items"]["anyOf"][1]["properties"]) == RULE_KEYS


def test_the_json_schema_has_the_words_of_the_reader() -> None:
    properties = SCHEMA["properties"]
    tool = properties["tools"]["additionalProperties"]["properties"]

    assert properties["mode"]["enum"] == [*Mode, *MODE_ALIASES]
    assert tool["effect"]["enum"] == list(Effect)
    assert tool["dialect"]["enum"] == list(Dialect)
    assert tool["paths"]["enum"] == list(PathKind)
    assert properties["tiers"]["additionalProperties"]["additionalProperties"]["enum"] == list(Tier)


def read_tools_table(text: str) -> Table:
    return read_table(Source("policy.toml", text.encode())).table("tools")


def apply_declared_tool(text: str, name: str) -> Tool:
    return apply_declaration(name, read_declarations(read_tools_table(text))[name], KNOWN_TOOLS)


def test_a_declared_tool_has_the_settings_of_its_table() -> None:
    text = """
[tools."disk.wipe"]
effect = "destructive"
dialect = "path"
template = "{volume}"
paths = "anchored"
group = "disk"
description = "Wipe a volume."
"""
    assert apply_declared_tool(text, "disk.wipe") == Tool(
        name="disk.wipe",
        effect=Effect.DESTRUCTIVE,
        dialect=Dialect.PATH,
        template="{volume}",
        paths=PathKind.ANCHORED,
        group="disk",
        description="Wipe a volume.",
    )


@pytest.mark.proves("R000-7")
def test_a_tool_that_declares_nothing_is_external() -> None:
    assert apply_declared_tool("[tools.x]", "x") == Tool(
        name="x", effect=Effect.EXTERNAL, dialect=Dialect.TEXT
    )


def test_the_effect_of_a_known_tool_can_be_raised() -> None:
    raised = apply_declared_tool('[tools."files.delete"]\neffect = "destructive"', "files.delete")

    assert raised.effect is Effect.DESTRUCTIVE
    assert (raised.dialect, raised.template) == (Dialect.PATH, "{path}")
    assert raised.reads is False


@pytest.mark.proves("D-6")
def test_a_reading_tool_stays_a_reader_when_its_effect_is_raised() -> None:
    assert apply_declared_tool('[tools."files.read"]\neffect = "write"', "files.read").reads is True


@pytest.mark.proves("T-6")
@pytest.mark.parametrize("effect", ["read", "edit", "write"])
def test_the_effect_of_a_known_tool_cannot_be_lowered(effect: str) -> None:
    with pytest.raises(ConfigError) as caught:
        apply_declared_tool(f'[tools.Bash]\neffect = "{effect}"', "Bash")

    assert caught.value.line == 2
    assert caught.value.reason == f"`Bash` is `execute`, which can be raised but not lowered to `{effect}`"


@pytest.mark.parametrize("line", ['dialect = "text"', 'template = "{description}"', 'paths = "anchored"'])
def test_dialect_template_and_paths_of_a_known_tool_cannot_be_changed(line: str) -> None:
    with pytest.raises(ConfigError, match="of the known tool"):
        apply_declared_tool(f"[tools.Bash]\n{line}", "Bash")


def test_a_declaration_may_repeat_known_settings() -> None:
    assert (
        apply_declared_tool('[tools.Bash]\ndialect = "shell"\neffect = "execute"', "Bash")
        == KNOWN_TOOLS["Bash"]
    )


@pytest.mark.proves("R000-1", "R001-42")
@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('effect = "harmless"', "unknown effect `harmless`: expected one of read, edit, write, execute,"),
        ('dialect = "fish"', "unknown dialect `fish`: expected one of shell, powershell, path, text"),
        ('paths = "nt"', "unknown kind of paths `nt`: expected one of os, anchored"),
        ('efect = "read"', "unknown key `efect`; did you mean `effect`?"),
        ("effect = 1", "`tools.x.effect` must be a text in quotes, not a number"),
    ],
)
def test_an_unknown_word_is_an_error(line: str, reason: str) -> None:
    with pytest.raises(ConfigError) as caught:
        apply_declared_tool(f"[tools.x]\n{line}", "x")

    assert caught.value.line == 2
    assert caught.value.reason.startswith(reason)


@pytest.mark.proves("T-36")
@pytest.mark.parametrize("name", ["search_x; drop", "lis\u0442_items", "", "a" * 129, "two words", "a*"])
def test_a_tool_name_cannot_contain_pattern_characters(name: str) -> None:
    with pytest.raises(ConfigError, match="invalid tool name"):
        read_declarations(read_tools_table(f'[tools."{name}"]'))


INVALID_BUDGETS = {
    "[budget]\ncalls = 60": "`budget` requires both `calls` and `seconds`",
    "[budget]\nseconds = 60": "`budget` requires both `calls` and `seconds`",
    "[budget]\ncalls = 0\nseconds = 60": "line 2: `budget.calls` must be a whole number above zero",
    "[budget]\ncalls = 1.5\nseconds = 60": "line 2: `budget.calls` must be a whole number above zero",
    "[budget]\ncalls = 1000001\nseconds = 60": "line 2: `budget.calls` must be at most 1000000",
    "[budget]\ncalls = 1\nseconds = 86401": "line 3: `budget.seconds` must be at most 86400",
    "[budget]\ncalls = 1\nsecond = 1": "line 3: unknown key `second`; did you mean `seconds`?",
    "budget = 60": "line 1: `budget` must be a table, not a number",
}


@pytest.fixture
def home_directory(tmp_path: Path) -> HomeDirectory:
    return HomeDirectory(tmp_path)


@pytest.mark.parametrize("text", INVALID_BUDGETS)
def test_an_invalid_budget_is_an_error_with_its_line(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_policy_file(Source(path="policy.toml", data=text.encode()), Layer.USER)

    assert INVALID_BUDGETS[text] in str(caught.value)


@pytest.mark.proves("R001-34")
def test_the_budget_comes_from_the_strongest_layer(home_directory: HomeDirectory) -> None:
    assert home_directory.load().budget is None
    assert home_directory.load(preset="propose").budget == Budget(60, 60)

    home_directory.write(Layer.MANAGED, "[budget]\ncalls = 10\nseconds = 60\n")
    home_directory.write(Layer.USER, "[budget]\ncalls = 20\nseconds = 60\n")

    policy = home_directory.load(preset="propose")
    assert policy.budget == Budget(20, 60)
    assert policy.origin("budget").layer == Layer.USER


def test_an_untrusted_file_can_only_reduce_the_budget(home_directory: HomeDirectory) -> None:
    home_directory.write(Layer.USER, "[budget]\ncalls = 20\nseconds = 60\n")
    path = home_directory.write(Layer.PROJECT, "[budget]\ncalls = 5\nseconds = 60\n")
    assert home_directory.load().budget == Budget(5, 60)
    path.write_text("[budget]\ncalls = 500\nseconds = 60\n")

    policy = home_directory.load()

    assert policy.budget == Budget(20, 60)
    assert policy.held_back == ("a budget of 500 calls in 60 s",)
    home_directory.trust_file(path)
    assert home_directory.load().budget == Budget(500, 60)


@pytest.mark.parametrize(
    ("budget", "known", "tighter"),
    [
        (Budget(5, 60), None, True),
        (Budget(5, 60), Budget(5, 60), True),
        (Budget(5, 90), Budget(5, 60), True),
        (Budget(5, 30), Budget(5, 60), False),
        (Budget(6, 90), Budget(5, 60), False),
    ],
)
def test_a_stricter_budget_never_allows_more_calls(
    budget: Budget, known: Budget | None, tighter: bool
) -> None:
    assert is_stricter_budget(budget, known) is tighter


def read_settings(permissions: object, **others: object) -> PolicyFile:
    data = json.dumps({**others, "permissions": permissions}, indent=1).encode()
    return read_claude_settings(Source("/p/.claude/settings.json", data), Layer.PROJECT)


def translated_rule_texts(kind: RuleList, *rules: str) -> list[str]:
    return [rule.text for rule in read_settings({kind: list(rules)}).rules[kind]]


@pytest.mark.parametrize(
    ("path", "theirs"),
    [
        ("/home/u/.claude/settings.json", True),
        ("/p/.claude/settings.local.json", True),
        ("settings.json", True),
        ("/p/.assent/config.toml", False),
        ("/p/policy.json", False),
    ],
)
def test_claude_settings_files_are_recognized_by_name(path: str, theirs: bool) -> None:
    assert is_claude_settings(Source(path, b"")) is theirs


@pytest.mark.parametrize(
    "rule",
    [
        "Bash", "Bash(npm run test:*)", "Bash(git status)", "Bash(docker pull x:latest)", "Bash(x:latest)",
        "Read(//etc/**)", "Read(~/.zshrc)", "WebSearch", "mcp__github", "mcp__github__*", "mcp__github__get_issue",
        "Skill(pdf)", "Write(src/**)", "SomethingNew(x)",
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", RuleList)
def test_a_claude_rule_is_kept_as_written(kind: RuleList, rule: str) -> None:
    assert rule in translated_rule_texts(kind, rule)


def test_a_claude_rule_has_the_line_of_its_file() -> None:
    rule = read_settings({"deny": ["Bash(curl *)", "Bash(wget *)"]}).rules[RuleList.DENY][1]

    assert (rule.layer, rule.source) == (Layer.PROJECT, "/p/.claude/settings.json, line 5")


def test_a_single_star_means_every_call_of_the_tool() -> None:
    assert translated_rule_texts(RuleList.ALLOW, "Bash(*)") == ["Bash"]
    assert translated_rule_texts(RuleList.DENY, "WebFetch(*)") == ["WebFetch"]


@pytest.mark.parametrize("name", ["Task", "Agent"])
def test_a_rule_for_either_sub_agent_tool_applies_to_both(name: str) -> None:
    assert translated_rule_texts(RuleList.DENY, f"{name}(Explore)") == ["Agent(Explore)", "Task(Explore)"]


EDIT_TOOLS = ["Edit", "Write", "MultiEdit", "NotebookEdit"]
READ_TOOLS = ["Read", "NotebookRead", "Grep", "Glob", "LS"]


def test_a_path_rule_for_edit_applies_to_all_editing_tools() -> None:
    assert translated_rule_texts(RuleList.ALLOW, "Edit(src/**)") == [f"{tool}(src/**)" for tool in EDIT_TOOLS]


def test_edit_without_a_path_allows_only_edit_and_denies_all_editing_tools() -> None:
    assert translated_rule_texts(RuleList.ALLOW, "Edit") == ["Edit"]
    assert translated_rule_texts(RuleList.DENY, "Edit") == EDIT_TOOLS
    assert translated_rule_texts(RuleList.ASK, "Edit") == EDIT_TOOLS


def test_a_path_that_must_not_be_read_must_not_be_changed() -> None:
    assert translated_rule_texts(RuleList.DENY, "Read(//etc/**)") == [
        f"{tool}(//etc/**)" for tool in READ_TOOLS + EDIT_TOOLS
    ]
    assert translated_rule_texts(RuleList.ASK, "Read(//etc/**)") == [
        f"{tool}(//etc/**)" for tool in READ_TOOLS
    ]
    assert translated_rule_texts(RuleList.ALLOW, "Read(//etc/**)") == [
        f"{tool}(//etc/**)" for tool in READ_TOOLS
    ]


def test_a_denied_directory_is_denied_at_any_depth() -> None:
    assert translated_rule_texts(RuleList.DENY, "Write(secret/**)") == [
        "Write(secret/**)",
        "Write(**/secret/**)",
    ]
    assert translated_rule_texts(RuleList.ALLOW, "Write(secret/**)") == ["Write(secret/**)"]
    assert translated_rule_texts(RuleList.DENY, "Write(/secret/**)") == ["Write(/secret/**)"]
    assert translated_rule_texts(RuleList.DENY, "Write(.env)") == ["Write(.env)"]


def test_a_claude_rule_about_an_mcp_argument_is_translated() -> None:
    assert translated_rule_texts(RuleList.DENY, "mcp__arch__send(text:evil)") == [
        "mcp__arch__send(text=evil)"
    ]


@pytest.mark.parametrize(
    "rule", ["Agent(model:opus)", "Bash(run_in_background:true)", "Task(model:x)", "mcp__a__b(loose)"]
)
@pytest.mark.parametrize("kind", RuleList)
def test_a_rule_that_could_never_match_is_an_error(kind: RuleList, rule: str) -> None:
    with pytest.raises(RuleSyntaxError):
        translated_rule_texts(kind, rule)


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "plan", "bypassPermissions", "auto", "manual"])
def test_the_default_mode_of_claude_is_kept_as_written(mode: str) -> None:
    assert read_settings({"defaultMode": mode}).mode == mode


def test_the_mode_dont_ask_means_unattended() -> None:
    file = read_settings({"defaultMode": "dontAsk"})

    assert (file.mode, file.attended) == ("default", False)


def test_additional_directories_belong_to_the_workspace() -> None:
    assert read_settings({"additionalDirectories": ["../lib"]}).roots == ("../lib",)
    assert read_settings({}).roots is None


def test_other_claude_settings_are_ignored() -> None:
    file = read_settings(
        {"allow": ["Bash"], "disableBypassPermissionsMode": "disable"}, hooks={}, env={"A": "1"}, model="x"
    )

    assert [rule.text for rule in file.rules[RuleList.ALLOW]] == ["Bash"]


def test_a_claude_file_without_permissions_has_no_settings() -> None:
    file = read_claude_settings(Source("settings.json", b'{"model": "x"}'), Layer.USER)

    assert (file.mode, file.rules) == (None, dict.fromkeys(RuleList, ()))


@pytest.mark.proves("R-13", "R003-66")
@pytest.mark.parametrize(
    ("permissions", "reason"),
    [
        ([], "`permissions` must be a table, not a list"),
        (None, "`permissions` must be a table, not null"),
        ({"deny": "Bash(rm *)"}, "`permissions.deny` must be a list, not a text"),
        ({"deny": None}, "`permissions.deny` must be a list, not null"),
        ({"deny": {"0": "Bash"}}, "`permissions.deny` must be a list, not a table"),
        ({"deny": [1]}, "`permissions.deny` must be a list of texts, not a list"),
        (
            {"defaultMode": "turbo"},
            "unknown mode `turbo`: expected one of plan, default, accept_edits, auto,",
        ),
        ({"defaultMode": 1}, "`permissions.defaultMode` must be a text in quotes, not a number"),
        ({"additionalDirectories": "x"}, "`permissions.additionalDirectories` must be a list, not a text"),
    ],
)
def test_a_value_of_the_wrong_kind_is_an_error(permissions: object, reason: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_settings(permissions)

    assert caught.value.reason.startswith(reason)


@pytest.mark.proves("R-13")
@pytest.mark.parametrize("rule", ["Bash(", "Bash(ls", "bash ls", "", "Bash()"])
def test_a_rule_that_cannot_be_parsed_is_an_error(rule: str) -> None:
    with pytest.raises(RuleSyntaxError):
        translated_rule_texts(RuleList.DENY, rule)


@pytest.mark.proves("R-13")
def test_a_truncated_claude_file_is_refused() -> None:
    whole = json.dumps({"permissions": {"allow": ["Bash"], "deny": ["Bash(rm *)"]}}).encode()

    for length in range(len(whole)):
        with pytest.raises(AssentError):
            read_claude_settings(Source("settings.json", whole[:length]), Layer.USER)
