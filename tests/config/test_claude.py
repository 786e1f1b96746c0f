"""Claude Code's settings are read as they stand, and where the two differ, by the stricter reading."""

import json

import pytest

from assent.config.claude import is_claude_settings, read_claude_settings
from assent.config.files import Source
from assent.config.policy_file import PolicyFile
from assent.engine.policy.rule import Layer, RuleList
from assent.errors import AssentError, ConfigError, RuleSyntaxError


def read(permissions: object, **others: object) -> PolicyFile:
    data = json.dumps({**others, "permissions": permissions}, indent=1).encode()
    return read_claude_settings(Source("/p/.claude/settings.json", data), Layer.PROJECT)


def texts(kind: RuleList, *rules: str) -> list[str]:
    return [rule.text for rule in read({kind: list(rules)}).rules[kind]]


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
def test_their_files_are_known_by_name(path: str, theirs: bool) -> None:
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
def test_a_rule_is_kept_as_it_is_written(kind: RuleList, rule: str) -> None:
    assert rule in texts(kind, rule)


def test_a_rule_knows_where_it_stands() -> None:
    rule = read({"deny": ["Bash(curl *)", "Bash(wget *)"]}).rules[RuleList.DENY][1]

    assert (rule.layer, rule.source) == (Layer.PROJECT, "/p/.claude/settings.json, line 5")


def test_a_lone_star_means_the_tool() -> None:
    assert texts(RuleList.ALLOW, "Bash(*)") == ["Bash"]
    assert texts(RuleList.DENY, "WebFetch(*)") == ["WebFetch"]


@pytest.mark.parametrize("name", ["Task", "Agent"])
def test_both_names_of_the_sub_agent_tool_mean_both(name: str) -> None:
    assert texts(RuleList.DENY, f"{name}(Explore)") == ["Agent(Explore)", "Task(Explore)"]


EDITORS = ["Edit", "Write", "MultiEdit", "NotebookEdit"]
READERS = ["Read", "NotebookRead", "Grep", "Glob", "LS"]


def test_a_path_rule_for_edit_is_about_whatever_edits() -> None:
    assert texts(RuleList.ALLOW, "Edit(src/**)") == [f"{tool}(src/**)" for tool in EDITORS]


def test_edit_alone_allows_edit_alone_but_denies_whatever_edits() -> None:
    assert texts(RuleList.ALLOW, "Edit") == ["Edit"]
    assert texts(RuleList.DENY, "Edit") == EDITORS
    assert texts(RuleList.ASK, "Edit") == EDITORS


def test_a_path_that_may_not_be_read_may_not_be_changed_either() -> None:
    assert texts(RuleList.DENY, "Read(//etc/**)") == [f"{tool}(//etc/**)" for tool in READERS + EDITORS]
    assert texts(RuleList.ASK, "Read(//etc/**)") == [f"{tool}(//etc/**)" for tool in READERS]
    assert texts(RuleList.ALLOW, "Read(//etc/**)") == [f"{tool}(//etc/**)" for tool in READERS]


def test_a_denied_directory_is_denied_at_any_depth() -> None:
    assert texts(RuleList.DENY, "Write(secret/**)") == ["Write(secret/**)", "Write(**/secret/**)"]
    assert texts(RuleList.ALLOW, "Write(secret/**)") == ["Write(secret/**)"]
    assert texts(RuleList.DENY, "Write(/secret/**)") == ["Write(/secret/**)"]
    assert texts(RuleList.DENY, "Write(.env)") == ["Write(.env)"]


def test_an_argument_of_an_mcp_tool_is_read_as_one_of_ours() -> None:
    assert texts(RuleList.DENY, "mcp__arch__send(text:evil)") == ["mcp__arch__send(text=evil)"]


@pytest.mark.parametrize(
    "rule", ["Agent(model:opus)", "Bash(run_in_background:true)", "Task(model:x)", "mcp__a__b(loose)"]
)
@pytest.mark.parametrize("kind", RuleList)
def test_a_rule_that_could_never_match_is_an_error_and_not_a_silent_skip(kind: RuleList, rule: str) -> None:
    with pytest.raises(RuleSyntaxError):
        texts(kind, rule)


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "plan", "bypassPermissions", "auto", "manual"])
def test_the_default_mode_is_kept_as_spelled(mode: str) -> None:
    assert read({"defaultMode": mode}).mode == mode


def test_dont_ask_means_that_nobody_is_there_to_ask() -> None:
    file = read({"defaultMode": "dontAsk"})

    assert (file.mode, file.attended) == ("default", False)


def test_additional_directories_belong_to_the_workspace() -> None:
    assert read({"additionalDirectories": ["../lib"]}).roots == ("../lib",)
    assert read({}).roots is None


def test_everything_else_in_the_file_is_none_of_our_business() -> None:
    file = read(
        {"allow": ["Bash"], "disableBypassPermissionsMode": "disable"}, hooks={}, env={"A": "1"}, model="x"
    )

    assert [rule.text for rule in file.rules[RuleList.ALLOW]] == ["Bash"]


def test_a_file_without_permissions_says_nothing() -> None:
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
        read(permissions)

    assert caught.value.reason.startswith(reason)


@pytest.mark.proves("R-13")
@pytest.mark.parametrize("rule", ["Bash(", "Bash(ls", "bash ls", "", "Bash()"])
def test_a_rule_that_cannot_be_parsed_is_an_error(rule: str) -> None:
    with pytest.raises(RuleSyntaxError):
        texts(RuleList.DENY, rule)


@pytest.mark.proves("R-13")
def test_settings_cut_short_anywhere_are_refused() -> None:
    whole = json.dumps({"permissions": {"allow": ["Bash"], "deny": ["Bash(rm *)"]}}).encode()

    for length in range(len(whole)):
        with pytest.raises(AssentError):
            read_claude_settings(Source("settings.json", whole[:length]), Layer.USER)
