"""A record of a batch is decided like any call, and the error for a mistake names the field."""

import os
import re
from pathlib import Path

import pytest

from assent.config.check_records import RECORD_FIELDS, decide_record, decision_to_record
from assent.engine.base.reason import text_reason
from assent.engine.policy.verdict import Decision, Stage, Step, Verdict
from assent.errors import AssentError, InputError, RuleSyntaxError, UnknownWordError

SHELL_RECORD = {"tool": "terminal.exec", "dialect": "shell", "effect": "execute"}
PATH_RECORD = {"tool": "files.write", "dialect": "path", "effect": "edit"}


def decide_verdict_and_stage(**record: object) -> str:
    found = decide_record(record)
    return f"{found['verdict']} {found['stage']}"


@pytest.mark.parametrize(
    ("rules", "warnings"),
    [
        ({"allow": ["terminal.exec(ls)"], "deny": ["mcp__x__y", "files.*"]}, None),
        (
            {"allow": ["terminal.exe(ls)"], "deny": ["xyzzy"]},
            [
                "rule `xyzzy`: no tool is called `xyzzy`",
                "rule `terminal.exe(ls)`: no tool is called `terminal.exe`; did you mean `terminal.exec`?",
            ],
        ),
    ],
)
def test_a_rule_for_an_unknown_tool_is_reported(
    rules: dict[str, list[str]], warnings: list[str] | None
) -> None:
    assert decide_record({**SHELL_RECORD, "specifier": "ls", "rules": rules}).get("warnings") == warnings


def test_the_result_contains_the_decision_and_its_steps() -> None:
    assert decide_record({"id": 7, **SHELL_RECORD, "specifier": "ls"}) == {
        "id": 7,
        "verdict": "run",
        "stage": "read",
        "because": "it only reads",
        "reason": {"code": "only-reads", "values": {}},
        "always_offered": False,
        "steps": [
            {"stage": "read", "verdict": "run", "reason": "it only reads"},
            {"stage": "mode", "verdict": "run", "reason": "default mode allows reading"},
        ],
    }


def test_the_result_names_the_deciding_rule() -> None:
    found = decide_record({**SHELL_RECORD, "specifier": "rm x", "rules": {"deny": ["terminal.exec(rm *)"]}})

    assert (found["verdict"], found["rule"]) == ("deny", "terminal.exec(rm *)")
    assert "id" not in found


def test_a_record_omits_empty_fields_of_a_decision() -> None:
    step = Step(Stage.MODE, Verdict.ASK, text_reason("why"), rule="r", part="p")
    decision = Decision(
        verdict=Verdict.ASK, stage=Stage.MODE, reason=text_reason("why"), steps=(step,), always_offered=True
    )

    assert decision_to_record(decision, "a") == {
        "id": "a",
        "verdict": "ask",
        "stage": "mode",
        "because": "why",
        "always_offered": True,
        "steps": [{"stage": "mode", "verdict": "ask", "reason": "why"}],
    }


# ---- the fields ---------------------------------------------------------------------------------

FIELD_CASES: list[tuple[str, dict[str, object], str]] = [
    ("a tool that declares no effect is external", {"tool": "x"}, "ask mode"),
    ("null is no effect, too", {"tool": "x", "effect": None, "mode": "auto"}, "run mode"),
    ("the mode is default when absent", {"tool": "x", "effect": "write"}, "ask mode"),
    ("an alias is a mode", {"tool": "x", "effect": "write", "mode": "autonomous"}, "run mode"),
    ("an unknown mode is default", {"tool": "x", "effect": "write", "mode": "turbo"}, "ask mode"),
    ("no text is no mode either", {"tool": "x", "effect": "write", "mode": 7}, "ask mode"),
    ("null is no mode at all", {"tool": "x", "effect": "write", "mode": None}, "ask fallback"),
    ("the fallback may run", {"tool": "x", "mode": None, "fallback": "run"}, "run fallback"),
    ("a parent narrows", {"tool": "x", "mode": "auto", "parent_mode": "plan"}, "deny plan"),
    ("a parent does not widen", {"tool": "x", "mode": "default", "parent_mode": "auto"}, "ask mode"),
    (
        "a parent without a mode narrows nothing",
        {"tool": "x", "mode": "auto", "parent_mode": None},
        "run mode",
    ),
    ("an unknown parent mode is default", {"tool": "x", "mode": "auto", "parent_mode": "?"}, "ask mode"),
    ("an explicit tier counts", {"tool": "x", "mode": "auto", "tier": "needs_approval"}, "ask tier"),
    (
        "a tier by pattern yields to a mode",
        {"tool": "x", "mode": "auto", "tier": "needs_approval", "tier_source": "pattern"},
        "run mode",
    ),
    (
        "a tier by pattern counts without a mode",
        {"tool": "x", "mode": None, "tier": "always_allow", "tier_source": "pattern"},
        "run tier",
    ),
    ("blocked is absent", {"tool": "x", "effect": "read", "tier": "blocked"}, "absent blocked"),
    ("what is not known is absent", {"tool": "x", "known": False}, "absent unknown"),
    ("a well-known name can be unknown, too", {"tool": "Bash", "known": False}, "absent unknown"),
    ("what is not authorized is absent", {"tool": "x", "authorized": False}, "absent unauthorized"),
    ("without a person an ask is a denial", {"tool": "x", "human": False}, "deny unattended"),
    (
        "without a person a destructive tool is absent",
        {"tool": "x", "effect": "destructive", "human": False},
        "absent unattended",
    ),
    ("destructive asks", {"tool": "x", "effect": "destructive", "mode": "auto"}, "ask destructive"),
    (
        "a specifier of a text tool is text",
        {"tool": "x", "specifier": "a b", "rules": {"allow": ["x(a *)"]}},
        "run allow-rule",
    ),
    (
        "arguments of a text tool are named",
        {"tool": "x", "args": {"repo": "acme/web"}, "rules": {"allow": ["x(repo=acme/*)"]}},
        "run allow-rule",
    ),
    ("a shell reads the argument command", {**SHELL_RECORD, "args": {"command": "ls"}}, "run read"),
    (
        "a path is the argument path",
        {**PATH_RECORD, "args": {"path": "a"}, "mode": "accept_edits"},
        "run mode",
    ),
    ("or file_path", {**PATH_RECORD, "args": {"file_path": "a"}, "mode": "accept_edits"}, "run mode"),
    (
        "a path outside is not an edit",
        {**PATH_RECORD, "specifier": "/etc/x", "mode": "accept_edits"},
        "ask mode",
    ),
    ("git reads in a trusted repository", {**SHELL_RECORD, "specifier": "git status"}, "run read"),
    (
        "and asks in another",
        {**SHELL_RECORD, "specifier": "git status", "trusted_repository": False},
        "ask mode",
    ),
    (
        "reads may bypass rules",
        {
            "tool": "x",
            "effect": "read",
            "rules": {"deny": ["x"]},
            "options": {"reads_bypass_rules": True},
        },
        "run read",
    ),
    (
        "sudo is not seen through",
        {**SHELL_RECORD, "specifier": "sudo make x", "rules": {"allow": ["terminal.exec(make *)"]}},
        "ask mode",
    ),
    (
        "unless the policy says so",
        {
            **SHELL_RECORD,
            "specifier": "sudo make x",
            "rules": {"allow": ["terminal.exec(make *)"]},
            "options": {"privilege_wrappers": "strip"},
        },
        "run allow-rule",
    ),
    (
        "a path rule of a well-known tool speaks about what commands read",
        {**SHELL_RECORD, "specifier": "cat notes/x", "rules": {"deny": ["files.read(/notes/**)"]}},
        "deny deny-rule",
    ),
    (
        "a glob might be what a rule denies",
        {**SHELL_RECORD, "specifier": "cat no*/x", "rules": {"deny": ["files.read(/notes/**)"]}},
        "ask unresolved",
    ),
    ("a glob in the workspace only reads", {**SHELL_RECORD, "specifier": "ls *.txt"}, "run read"),
    (
        "null stands for nothing",
        {"tool": "x", "tier": None, "specifier": None, "workspace": None},
        "ask mode",
    ),
    ("notes of the writer's own may stand there", {"tool": "x", "note": "hello", "must": "ask"}, "ask mode"),
]


@pytest.mark.proves("R003-29", "R000-34", "R003-23", "R001-41", "R004-5")
@pytest.mark.parametrize(
    ("record", "found"), [case[1:] for case in FIELD_CASES], ids=[case[0] for case in FIELD_CASES]
)
def test_each_field_means_what_the_reference_says(record: dict[str, object], found: str) -> None:
    assert decide_verdict_and_stage(**record) == found


CALLER = {"user": "u1", "agent": "a1", "conversation": "c1"}


@pytest.mark.proves("R000-20", "R000-26", "R002-21", "R002-22", "R004-10", "R004-11", "T-9")
@pytest.mark.parametrize(
    ("grant", "found"),
    [
        ({"scope": "conversation", "conversation": "c1", "pattern": "x"}, "run grant"),
        ({"scope": "conversation", "conversation": "c2", "pattern": "x"}, "ask mode"),
        ({"scope": "conversation", "conversation": "c1", "pattern": "y"}, "ask mode"),
        ({"scope": "agent", "agent": "a1", "pattern": "x"}, "run grant"),
        ({"scope": "agent", "agent": "*", "pattern": "x"}, "run grant"),
        ({"scope": "agent", "agent": "a2", "pattern": "x"}, "ask mode"),
        ({"scope": "user_agent", "user": "u1", "agent": "a1", "pattern": "x"}, "run grant"),
        ({"scope": "user_agent", "user": "u2", "agent": "a1", "pattern": "x"}, "ask mode"),
        ({"scope": "user_agent", "user": "u1", "agent": "a2", "pattern": "x"}, "ask mode"),
    ],
)
def test_a_grant_applies_to_its_scope(grant: dict[str, object], found: str) -> None:
    assert decide_verdict_and_stage(tool="x", caller=CALLER, grants=[grant]) == found


# ---- the workspace ------------------------------------------------------------------------------


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.ts").write_text("")
    (tmp_path / "out").symlink_to("/etc")
    return tmp_path


@pytest.mark.proves("T-27")
def test_paths_are_resolved_on_disk_when_the_workspace_exists(root: Path) -> None:
    workspace = {"workspace": str(root), "mode": "accept_edits"}

    assert decide_verdict_and_stage(**PATH_RECORD, specifier="src/a.ts", **workspace) == "run mode"
    assert decide_verdict_and_stage(**PATH_RECORD, specifier="out/passwd", **workspace) == "ask mode"
    assert decide_verdict_and_stage(**SHELL_RECORD, specifier="cat out/passwd", **workspace) == "ask outside"
    assert decide_verdict_and_stage(**SHELL_RECORD, specifier="cat o*/passwd", **workspace) == "ask outside"


def test_paths_are_not_resolved_when_the_workspace_does_not_exist() -> None:
    workspace = {"workspace": "/nowhere/at/all", "mode": "accept_edits"}

    assert decide_verdict_and_stage(**PATH_RECORD, specifier="out/passwd", **workspace) == "run mode"
    assert decide_verdict_and_stage(**PATH_RECORD, specifier="/nowhere/at/all/x", **workspace) == "run mode"
    assert decide_verdict_and_stage(**PATH_RECORD, specifier="/project/x", **workspace) == "ask mode"
    assert decide_verdict_and_stage(**PATH_RECORD, specifier="../x", **workspace) == "ask mode"


def test_the_link_to_a_workspace_is_resolved(root: Path, tmp_path: Path) -> None:
    link = tmp_path / "alias"
    link.symlink_to(root / "src")

    assert (
        decide_verdict_and_stage(**PATH_RECORD, specifier="a.ts", workspace=str(link), mode="accept_edits")
        == "run mode"
    )
    assert (
        decide_verdict_and_stage(
            **PATH_RECORD, specifier=f"{link}/a.ts", workspace=str(link), mode="accept_edits"
        )
        == "run mode"
    )


def test_rules_can_refer_to_the_home_directory() -> None:
    home = os.path.expanduser("~")

    rules = {"deny": ["Read(~/notes/**)"]}
    assert (
        decide_verdict_and_stage(**SHELL_RECORD, specifier="cat ~/notes/x", rules=rules) == "deny deny-rule"
    )
    assert (
        decide_verdict_and_stage(**SHELL_RECORD, specifier=f"cat {home}/notes/x", rules=rules)
        == "deny deny-rule"
    )


# ---- invalid records ----------------------------------------------------------------------------

INVALID_RECORDS: list[tuple[dict[str, object], type[AssentError], str]] = [
    ({}, InputError, "field `tool` is missing"),
    ({"tool": ""}, InputError, "field `tool` is missing"),
    ({"tool": 3}, InputError, "field `tool` must be a string"),
    ({"tool": "x", "specifier": 3}, InputError, "field `specifier` must be a string"),
    ({"tool": "x", "args": []}, InputError, "field `args` must be an object"),
    ({"tool": "x", "args": {}, "specifier": "a"}, InputError, "give `specifier` or `args`, not both"),
    ({"tool": "x", "dialect": "fish"}, UnknownWordError, "unknown dialect `fish`"),
    ({"tool": "x", "effect": "nice"}, UnknownWordError, "unknown effect `nice`: expected one of read, edit,"),
    ({"tool": "x", "effect": 1}, InputError, "field `effect` must be a string"),
    ({"tool": "x", "tier": "maybe"}, UnknownWordError, "unknown tier `maybe`"),
    (
        {"tool": "x", "tier": "blocked", "tier_source": "rumour"},
        UnknownWordError,
        "unknown tier source `rumour`",
    ),
    ({"tool": "x", "tier_source": "rumour"}, UnknownWordError, "unknown tier source `rumour`"),
    (
        {"tool": "x", "fallback": "deny"},
        UnknownWordError,
        "unknown fallback `deny`: expected one of run, ask",
    ),
    ({"tool": "x", "rules": []}, InputError, "field `rules` must be an object"),
    ({"tool": "x", "rules": None}, InputError, "field `rules` must be an object"),
    ({"tool": "x", "rules": {"deny": "x"}}, InputError, "field `deny` must be a list"),
    ({"tool": "x", "rules": {"deny": None}}, InputError, "field `deny` must be a list"),
    ({"tool": "x", "rules": {"deny": [3]}}, InputError, "each rule of `deny` must be a string"),
    (
        {"tool": "x", "rules": {"denny": []}},
        InputError,
        "unknown `denny` in `rules`: expected deny, ask, allow",
    ),
    ({"tool": "x", "rules": {"deny": ["x("]}}, RuleSyntaxError, "invalid rule `x(`: expected `Tool` or"),
    ({"tool": "x", "rules": {"allow": [""]}}, RuleSyntaxError, "invalid rule ``"),
    ({"tool": "x", "grants": {}}, InputError, "field `grants` must be a list"),
    ({"tool": "x", "grants": ["x"]}, InputError, "each of `grants` must be an object"),
    ({"tool": "x", "grants": [{}]}, UnknownWordError, "unknown scope of a grant ``"),
    (
        {"tool": "x", "grants": [{"scope": "all", "pattern": "x"}]},
        UnknownWordError,
        "unknown scope of a grant `all`",
    ),
    ({"tool": "x", "grants": [{"scope": "agent", "agent": "a"}]}, InputError, "a grant needs a `pattern`"),
    (
        {"tool": "x", "grants": [{"scope": "agent", "pattern": "x"}]},
        InputError,
        "a grant of scope `agent` needs `agent`",
    ),
    (
        {"tool": "x", "grants": [{"scope": "user_agent", "agent": "a", "pattern": "x"}]},
        InputError,
        "a grant of scope `user_agent` needs `user`",
    ),
    ({"tool": "x", "caller": "me"}, InputError, "field `caller` must be an object"),
    ({"tool": "x", "caller": {"agent": 1}}, InputError, "field `caller.agent` must be a string"),
    ({"tool": "x", "caller": {"name": "a"}}, InputError, "unknown `name` in `caller`"),
    ({"tool": "x", "human": "no"}, InputError, "field `human` must be true or false"),
    ({"tool": "x", "known": 0}, InputError, "field `known` must be true or false"),
    ({"tool": "x", "authorized": None}, InputError, "field `authorized` must be true or false"),
    ({"tool": "x", "trusted_repository": 1}, InputError, "field `trusted_repository` must be true or false"),
    ({"tool": "x", "options": {"reads": 1}}, InputError, "unknown `reads` in `options`"),
    (
        {"tool": "x", "options": {"reads_bypass_rules": 1}},
        InputError,
        "field `options.reads_bypass_rules` must be true or false",
    ),
    (
        {"tool": "x", "options": {"privilege_wrappers": "drop"}},
        UnknownWordError,
        "unknown privilege wrappers `drop`: expected one of ask, strip",
    ),
    ({"tool": "x", "workspace": "src"}, InputError, "field `workspace` must be an absolute path, not `src`"),
    ({"tool": "x", "workspace": 1}, InputError, "field `workspace` must be a string"),
    ({"tool": "x", "rule": {}}, InputError, "unknown field `rule`; did you mean `rules`?"),
    (
        {"tool": "x", "parentMode": "plan"},
        InputError,
        "unknown field `parentMode`; did you mean `parent_mode`?",
    ),
]


@pytest.mark.proves("R003-66", "T-35", "R000-1")
@pytest.mark.parametrize(("record", "error", "message"), INVALID_RECORDS)
def test_an_invalid_record_is_a_clear_error(
    record: dict[str, object], error: type[AssentError], message: str
) -> None:
    with pytest.raises(error) as caught:
        decide_record(record)

    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("field", [name for name in RECORD_FIELDS if len(name) > 4])
def test_a_misspelled_field_is_an_error(field: str) -> None:
    for position in range(1, len(field)):
        misspelt = field[:position] + field[position + 1 :]
        with pytest.raises(InputError):
            decide_record({"tool": "x", misspelt: None})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"roots": "/a"}, "field `roots` must be a list"),
        ({"roots": [1]}, "each path of `roots` must be a string"),
        ({"roots": ["a"]}, "field `roots` must be an absolute path, not `a`"),
        ({"roots": ["~"]}, "field `roots` must be an absolute path, not `~`"),
        ({"packs": "go"}, "field `packs` must be a list"),
        ({"packs": [1]}, "each name of `packs` must be a string"),
        ({"packs": ["nod"]}, "unknown pack `nod`"),
        ({"facts": 1}, "field `facts` must be a string"),
        ({"facts": None}, "field `facts` must be a string"),
        ({"facts": "Disk"}, "unknown facts `Disk`"),
        ({"facts": "disk"}, "field `facts` is `disk`, but there is no directory `/project`"),
        ({"facts": "disk", "workspace": "/missing/a"}, "there is no directory `/missing/a`"),
        (
            {"workspace": "/", "roots": ["/missing/a"]},
            "field `roots` names `/missing/a`, which is no directory",
        ),
    ],
)
def test_a_wrong_place_pack_or_source_of_facts_is_a_clear_error(
    fields: dict[str, object], message: str
) -> None:
    record = {"tool": "Bash", "args": {"command": "ls"}, "dialect": "shell", "effect": "execute", **fields}

    with pytest.raises(AssentError, match=re.escape(message)):
        decide_record(record)


def test_places_that_do_not_exist_are_accepted_where_the_disk_is_not_read() -> None:
    record = {
        "tool": "Bash",
        "args": {"command": "cat /missing/a/b"},
        "dialect": "shell",
        "effect": "execute",
    }

    assert decide_record({**record, "roots": ["/missing/a"]})["verdict"] == "run"
    assert (
        decide_record({**record, "workspace": "/", "facts": "clean", "roots": ["/missing/a"]})["verdict"]
        == "run"
    )
