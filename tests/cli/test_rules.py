"""`assent rules`: the examples that rules carry are run, and a rule says what it means."""

import pytest

from tests.cli.running import Place

GOOD = """\
deny = ["Read(.env)"]

[[allow]]
rule = "Bash(npm run *)"
match = ["npm run build"]
never = ["npm runner"]
"""


def test_rules_that_hold_are_status_0(place: Place) -> None:
    path = place.write("policy.toml", GOOD)

    ran = place.run("rules", "test", str(path))

    assert (ran.status, ran.err) == (0, "")
    assert ran.lines == [
        "  -   deny   Read(.env)",
        "  ok  allow  Bash(npm run *)",
        "1 hold, 0 fail, 1 have no examples",
    ]


def test_every_rule_that_fails_is_in_the_report(place: Place) -> None:
    path = place.write(
        "policy.toml",
        GOOD + '\n[[deny]]\nrule = "Bash(git push *)"\nmatch = ["git pull", "git push x"]\n'
        '\n[[ask]]\nrule = "Bash"\nnever = ["ls"]\n',
    )
    path.write_text(path.read_text().replace('deny = ["Read(.env)"]\n', ""))

    ran = place.run("rules", "test", str(path))

    assert ran.status == 1
    assert ran.lines == [
        "FAIL  deny   Bash(git push *)",
        f"        rule `Bash(git push *)` in {path}, line 8 should hit `git pull`, but does not",
        "FAIL  ask    Bash",
        f"        rule `Bash` in {path}, line 3 should never hit `ls`, but does",
        "  ok  allow  Bash(npm run *)",
        "1 hold, 2 fail, 0 have no examples",
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
def test_a_file_that_cannot_be_read_is_status_2(place: Place, text: str, message: str) -> None:
    ran = place.run("rules", "test", str(place.write("policy.toml", text)))

    assert ran.status == 2
    assert message in ran.err


def test_tools_that_the_file_declares_are_known_to_its_rules(place: Place) -> None:
    text = (
        '[tools."db.query"]\neffect = "external"\ntemplate = "{sql}"\n'
        '[[allow]]\nrule = "db.query(select *)"\nmatch = ["select 1"]\nnever = ["drop x"]\n'
    )

    assert place.run("rules", "test", str(place.write("policy.toml", text))).status == 0


def test_a_rule_is_explained_in_words_and_by_examples(place: Place) -> None:
    ran = place.run("rules", "explain", "Bash(npm run *)")

    assert ran.status == 0
    assert ran.lines[:3] == [
        "Bash(npm run *)",
        "  is about `Bash`: dialect shell, effect execute",
        "  and a command that begins with `npm run`, with or without more words",
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
        ("Bash", "means every call of it, whatever the arguments"),
        ("files.*", "is about every tool whose name looks like `files.*`"),
        (
            "mcp__github__create_issue(repo=acme/*)",
            "and the argument `repo` is there and looks like `acme/*`",
        ),
        ("db.query(x)", "which is not one of the well-known ones"),
        ("Read(//etc/**)", "and what is below `etc` in the whole file system"),
        ("Read(.env)", "and `.env` at any depth in the workspace"),
        ("Edit(~/notes/*.md)", "and `notes/*.md` in the home directory"),
        ("files.write(./x)", "and `x` in the directory the agent works in"),
        ("Bash(git status)", "and the command `git status`, word for word"),
        ("TodoWrite(list=x*)", "and the argument `list` is there and looks like `x*`"),
        ("WebFetch(domain:example.com)", "and its specifier looks like `domain:example.com`"),
    ],
)
def test_every_kind_of_rule_has_its_words(place: Place, rule: str, words: str) -> None:
    ran = place.run("rules", "explain", rule)

    assert (ran.status, ran.err) == (0, "")
    assert words in ran.out


@pytest.mark.parametrize("rule", ["Bash(", "", "Bash(!x)", "a b"])
def test_what_is_no_rule_is_status_2(place: Place, rule: str) -> None:
    ran = place.run("rules", "explain", rule)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("assent: invalid rule")
