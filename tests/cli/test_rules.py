"""`assent rules` runs the examples of rules and explains a rule; `assent modes` prints all modes."""

import json

import pytest

from assent.engine.base.tool import Effect
from assent.engine.policy.modes import MODE_ALIASES, MODE_VERDICTS, Mode
from tests.cli.running import CommandSandbox

VALID_FILE = """\
deny = ["Read(.env)"]

[[allow]]
rule = "Bash(npm run *)"
match = ["npm run build"]
never = ["npm runner"]
"""


def test_rules_that_agree_with_their_examples_exit_with_0(sandbox: CommandSandbox) -> None:
    path = sandbox.write_file("policy.toml", VALID_FILE)

    ran = sandbox.run("rules", "test", str(path))

    assert (ran.status, ran.err) == (0, "")
    assert ran.lines == [
        "  -   deny   Read(.env)",
        "  ok  allow  Bash(npm run *)",
        "1 passed, 0 failed, 1 without examples",
    ]


def test_every_failing_rule_is_reported(sandbox: CommandSandbox) -> None:
    path = sandbox.write_file(
        "policy.toml",
        VALID_FILE + '\n[[deny]]\nrule = "Bash(git push *)"\nmatch = ["git pull", "git push x"]\n'
        '\n[[ask]]\nrule = "Bash"\nnever = ["ls"]\n',
    )
    path.write_text(path.read_text().replace('deny = ["Read(.env)"]\n', ""))

    ran = sandbox.run("rules", "test", str(path))

    assert ran.status == 1
    assert ran.lines == [
        "FAIL  deny   Bash(git push *)",
        f"        rule `Bash(git push *)` in {path}, line 8 should hit `git pull`, but does not",
        "FAIL  ask    Bash",
        f"        rule `Bash` in {path}, line 3 should never hit `ls`, but does",
        "  ok  allow  Bash(npm run *)",
        "1 passed, 2 failed, 0 without examples",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('deny = ["Bash("]', "invalid rule `Bash(`"),
        ('deny = ["Bahs(x)"]', "no tool is called `Bahs`; did you mean `Bash`?"),
        ("deny = [", "line 1"),
        ('[[deny]]\nrule = "files.*"\nmatch = ["x"]', "must name the tool"),
    ],
)
def test_an_invalid_file_exits_with_2(sandbox: CommandSandbox, text: str, message: str) -> None:
    ran = sandbox.run("rules", "test", str(sandbox.write_file("policy.toml", text)))

    assert ran.status == 2
    assert message in ran.err


def test_rules_may_name_tools_that_the_file_declares(sandbox: CommandSandbox) -> None:
    text = (
        '[tools."db.query"]\neffect = "external"\ntemplate = "{sql}"\n'
        '[[allow]]\nrule = "db.query(select *)"\nmatch = ["select 1"]\nnever = ["drop x"]\n'
    )

    assert sandbox.run("rules", "test", str(sandbox.write_file("policy.toml", text))).status == 0


def test_a_rule_is_explained_in_words_and_by_examples(sandbox: CommandSandbox) -> None:
    ran = sandbox.run("rules", "explain", "Bash(npm run *)")

    assert ran.status == 0
    assert ran.lines[:3] == [
        "Bash(npm run *)",
        "  applies to `Bash`: dialect shell, effect execute",
        "  with a command that starts with `npm run`, with or without more words",
    ]
    rows = [line.split("  ") for line in ran.lines]
    judged = {row[1]: [cell.strip() for cell in row[2:] if cell.strip()] for row in rows if len(row) > 3}
    assert judged["npm run"] == ["hits", "covers"]
    assert judged["npm run more"] == ["hits", "covers"]
    assert judged["npm runmore"] == ["-", "-"]
    assert judged["npm run > file"] == ["hits", "-"]
    assert judged["sudo npm run"] == ["hits", "-"]
    assert judged["echo 'npm run'"] == ["-", "-"]


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("Bash", "matches every call of it, with any arguments"),
        ("files.*", "applies to every tool whose name matches `files.*`"),
        (
            "mcp__github__create_issue(repo=acme/*)",
            "with an argument `repo` that matches `acme/*`",
        ),
        ("db.query(x)", "which is not a well-known tool"),
        ("Read(//etc/**)", "with everything below `etc` in the whole file system"),
        ("Read(.env)", "with `.env` at any depth in the workspace"),
        ("Edit(~/notes/*.md)", "with `notes/*.md` in the home directory"),
        ("files.write(./x)", "with `x` in the agent's working directory"),
        ("Bash(git status)", "with exactly the command `git status`"),
        ("TodoWrite(list=x*)", "with an argument `list` that matches `x*`"),
        ("WebFetch(domain:example.com)", "with a specifier that matches `domain:example.com`"),
    ],
)
def test_every_kind_of_rule_is_explained(sandbox: CommandSandbox, rule: str, words: str) -> None:
    ran = sandbox.run("rules", "explain", rule)

    assert (ran.status, ran.err) == (0, "")
    assert words in ran.out


@pytest.mark.parametrize("rule", ["Bash(", "", "Bash(!x)", "a b"])
def test_an_invalid_rule_exits_with_2(sandbox: CommandSandbox, rule: str) -> None:
    ran = sandbox.run("rules", "explain", rule)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("assent: invalid rule")


@pytest.mark.proves("R000-6")
def test_modes_prints_every_verdict_of_the_table(sandbox: CommandSandbox) -> None:
    lines = sandbox.run("modes").lines

    assert lines[0].split() == ["mode", *Effect]
    assert [line.split() for line in lines[1:5]] == [
        [mode, *(verdict.word for verdict in MODE_VERDICTS[mode].values())] for mode in Mode
    ]


def test_columns_are_aligned_with_their_heads(sandbox: CommandSandbox) -> None:
    head, *rows = sandbox.run("modes").lines[:5]

    for effect in Effect:
        at = head.index(f" {effect}") + 1
        assert [row[at - 1] for row in rows] == [" "] * 4
        assert all(row[at] != " " for row in rows)


def test_aliases_of_modes_are_shown(sandbox: CommandSandbox) -> None:
    shown = sandbox.run("modes").out

    assert [word for word in MODE_ALIASES if word not in shown] == []


def test_json_contains_the_same_modes(sandbox: CommandSandbox) -> None:
    found = json.loads(sandbox.run("modes", "--json").out)

    assert found["modes"] == {
        mode: {effect: verdict.word for effect, verdict in row.items()} for mode, row in MODE_VERDICTS.items()
    }
    assert found["aliases"] == MODE_ALIASES
